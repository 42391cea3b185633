# SPDX-License-Identifier: Apache-2.0
"""Resources of a card by module: its unit is left out, and instances are counted."""

from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.build import rtl
from opentmu.errors import CheckFailed
from opentmu.synth import card
from opentmu.synth.pnr import Settings

STAGE = """\
module Stage(
  input clock,
  input [5:0] a,
  output reg hit
);
  always @(posedge clock) hit <= &a;
endmodule
"""
UNIT = "module TmuTop(input a, output b);\n  assign b = ~a;\nendmodule\n"
CARD = """\
module TmuCard(
  input clock,
  input [5:0] a,
  output one,
  output two
);
  Stage first (
    .clock(clock), .a(a), .hit(one)
  );
  Stage second (
    .clock(clock), .a(~a), .hit(two)
  );
  TmuTop unit (
    .a(one)
  );
endmodule
"""


def test_modules_beside_the_unit(
    verilog_in: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = verilog_in("synth-card", {"Stage": STAGE, "TmuTop": UNIT, "TmuCard": CARD})
    monkeypatch.setattr(rtl, "ensure_card", lambda preset: folder)
    settings = Settings(seed=1, timeout=600, route=False)
    (row,) = card.measure("tiny", "xcup", settings)
    assert (row["module"], row["instances"]) == ("Stage", 2)
    assert (row["lut"], row["ff"], row["bram"]) == (2, 2, 0)


def test_a_card_without_its_unit_is_none(tmp_path: Path) -> None:
    """Something else would be measured in its stead."""
    (tmp_path / "TmuCard.sv").write_text("module TmuCard (\n);\n  Stage one (\n  );\nendmodule\n")
    with pytest.raises(CheckFailed, match="found 0 TmuTop in TmuCard, expected one"):
        card.parts(tmp_path)
