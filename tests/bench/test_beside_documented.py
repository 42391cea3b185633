# SPDX-License-Identifier: Apache-2.0
"""The documents' figures of the unit beside software are those in docs/figures."""

import json
import re
from typing import Any

import pytest
from opentmu import paths
from opentmu.benchmark import clock, software

FIGURES = paths.ROOT / "docs" / "figures"
TEXT = (paths.ROOT / "docs" / "benchmark.md").read_text()
SECTION = TEXT[TEXT.index("## Beside software") :]
Result = dict[str, Any]
FILES = {"nic": "bench-spill.json"}
MEMORY = {"nic": 90}
# Depths of which every position is in the document; the plot has the others as well.
SHOWN = {"nic": {2, 16, 1024, 4096, 16384, 65536}}


def read(name: str) -> Any:
    return json.loads((FIGURES / name).read_text())


def rows(preset: str) -> list[Result]:
    """Each cell of a preset beside the quicker engine, at the clock of its whole unit."""
    cells = [one for one in read(FILES[preset]) if one["memory_latency"] == MEMORY[preset]]
    speed = clock.clock_from(FIGURES / "bench-clocks.json", preset)
    return software.compare(cells, read("bench-engines.json")["cells"], speed)


def nanoseconds(rate: float) -> str:
    return f"{1e9 / rate:,.0f}" if rate < 1e7 else f"{1e9 / rate:.1f}"


def line(row: Result) -> str:
    """A row of the document's table."""
    low, high = (nanoseconds(row[f"verdicts_per_second{end}"]) for end in ("", "_high"))
    unit = [low] if low == high else [low, high]
    fields = [
        row["position"],
        f"{row['depth']:,}",
        nanoseconds(row["software_verdicts_per_second"]),
    ]
    fields += [f"`{row['software_engine']}`", f"{row['clocks_per_verdict']:,.2f}"]
    return f"| {' | '.join([*fields, *unit, format(row['ratio'], '.2f')])} |"


@pytest.mark.parametrize("preset", FILES)
def test_every_row_is_in_the_document(preset: str) -> None:
    found = [row for row in rows(preset) if row["depth"] in SHOWN[preset]]
    assert {row["depth"] for row in found} == SHOWN[preset]
    assert len(found) == 3 * len(SHOWN[preset])
    missing = [line(row) for row in found if line(row) not in SECTION]
    assert not missing, "\n".join(missing)


def test_the_document_has_no_other_row() -> None:
    """A row that nothing measured is as wrong as one that is missing."""
    known = {line(row) for preset in FILES for row in rows(preset)}
    shown = re.findall(r"^\| (?:oldest|random|youngest) \| [^\n]*$", SECTION, re.MULTILINE)
    assert shown and set(shown) <= known


def test_the_clocks_are_those_of_synthesis() -> None:
    synthesis = (paths.ROOT / "docs" / "synthesis.md").read_text()
    estimate = clock.clock_from(FIGURES / "bench-clocks.json", "nic")
    assert f"| clock, **estimate** | {estimate.low:g} to {estimate.high:g} MHz |" in synthesis
