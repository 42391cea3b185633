# SPDX-License-Identifier: Apache-2.0
"""Empty rows between the logic of an ECP5: where they are, and that the placer keeps them empty."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.errors import CheckFailed
from opentmu.synth import flow, pnr, prepare, spread
from opentmu.synth.pnr import Settings

REGISTER = """\
module Register(input clock, input d, output reg q);
  always @(posedge clock) q <= ~d;
endmodule
"""


@pytest.mark.parametrize(("every", "least", "most"), [(4, 0.24, 0.28), (6, 0.16, 0.20)])
def test_a_share_of_the_logic_is_left_empty(every: int, least: float, most: float) -> None:
    places = [place for place, _ in spread.empty_places(every)]
    assert len(places) == len(set(places))
    assert least < len(places) / 2 / spread.LUTS < most
    assert all(re.fullmatch(r"X\d+/Y\d+/SLICE[A-D]\.(K|FF)[01]", place) for place in places)
    rows = {int(place.split("/")[1].removeprefix("Y")) for place in places}
    between = {row + step for row in rows for step in range(1, every)}
    assert not between & rows, "the rows between are of logic"


def test_only_designs_of_a_middle_size_get_room() -> None:
    sizes = (30, 8_364, 30_000, 46_001, 46_003, 54_365, 54_367, 80_000)
    assert [spread.step(luts) for luts in sizes] == [0, 4, 4, 4, 6, 6, 0, 0]
    assert all(spread.words(every) for _, every in spread.STEPS) and not spread.words(0)


def test_a_module_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "netlist.json").write_text(json.dumps({"modules": {}}))
    with pytest.raises(CheckFailed, match=r"netlist\.json: found no module Gone"):
        prepare.prepare(tmp_path / "netlist.json", "Gone", tmp_path / "prepared.json", 4)


def test_the_placer_keeps_them_empty_and_they_do_not_count(
    verilog: Callable[..., Path],
) -> None:
    """nextpnr knows every place by the name that it is given, and puts nothing else there."""
    folder = verilog({"Register": REGISTER})
    design = flow.Design.of_folder(folder, "Register", "ecp5")
    mapped_in = flow.mapped(design, "ecp5", 3600)
    prepared = folder / "prepared.json"
    empty = prepare.prepare(mapped_in / "netlist.json", design.top, prepared, 4)
    log = folder / "nextpnr.log"
    pnr.run(prepared, design.top, folder, Settings(100, 1, 3600), log, empty)
    used = json.loads((folder / "utilisation.json").read_text())
    assert used["TRELLIS_FF"]["used"] == 1
    # One LUT, and what drives constants.
    assert 1 <= used["TRELLIS_COMB"]["used"] <= 3
    assert used["TRELLIS_COMB"]["available"] == spread.LUTS
