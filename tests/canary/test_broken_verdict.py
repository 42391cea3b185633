# SPDX-License-Identifier: Apache-2.0
"""A unit with one wrong line: the scoreboard notices and tells the story."""

import shutil
from pathlib import Path

from opentmu import paths
from opentmu.bench import simulate
from opentmu.build import rtl

TESTS = paths.ROOT / "tests" / "block" / "cocotb_match_unit.py"


def mutant(folder: Path, name: str, file: str, changes: dict[str, str]) -> Path:
    """The simulation of MatchUnit in a copy of the design with some text replaced."""
    design = folder / name
    shutil.copytree(rtl.ensure(simulate.PRESET), design)
    text = (design / file).read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        text = text.replace(old, new)
    (design / file).write_text(text)
    return simulate.build("MatchUnit", design, f"MatchUnit-{name}")


def test_the_youngest_instead_of_the_oldest_is_noticed(tmp_path: Path) -> None:
    """R3: the last lane of a row goes before the others."""
    lane = "wire [2:0]   hitLane =\n    pickHits[0]"
    slot = "wire [7:0]   reply_bits_slot_enc =\n    pickHits[0]"
    folder = mutant(
        tmp_path,
        "youngest",
        "RowTablePosted.sv",
        {
            lane: lane.replace("pickHits[0]", "pickHits[7] ? 3'h7 : pickHits[0]"),
            slot: slot.replace("pickHits[0]", "pickHits[7] ? 8'h80 : pickHits[0]"),
        },
    )
    result = simulate.run(folder, "MatchUnit", TESTS, "r7_equal_keys_back_to_back")
    assert not result.passed
    for words in ("scoreboard.Difference", "other: expected", "history of handle"):
        assert words in result.log, f"{words!r} is not in\n{result.log}"
