# SPDX-License-Identifier: Apache-2.0
"""./tmu wire bench: clocks of the card in hardware, and what is promised of them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib import pyplot
from opentmu.bench import card_figures
from opentmu.benchmark import plot_wire, wire
from rich.console import Console

Tmu = Callable[..., subprocess.CompletedProcess[str]]


def row(size: int, expected: int) -> dict[str, Any]:
    return {
        "bytes": size,
        "beats": 2,
        "expected": expected,
        "unexpected": 70,
        "stream": 2.5,
        "held_up": 0,
        "stages": {"frame": 6, "pdc": 4, "message": 5, "unit": 20, "placement": 9, "complete": 7},
    }


def test_a_figure_above_its_promise_is_missed() -> None:
    rows = [row(8, wire.LATENCY), row(256, wire.LATENCY + 1), row(4096, 10 * wire.LATENCY)]
    rows[0]["stream"] = 2.1
    kept = wire.promises(rows)
    assert [promise.met for promise in kept] == [True, False, True, False, False]
    console = Console(record=True, width=200)
    wire.show(console, rows, kept)
    text = console.export_text()
    assert "last beat to completion, 256 bytes" in text
    assert "missed" in text and "met" in text


def test_the_plot_has_a_bar_of_all_stages_for_each_size(tmp_path: Path) -> None:
    rows = [row(8, 51), row(4096, 51)]
    assert [file.name for file in plot_wire.write(tmp_path, rows)] == [
        "bench-wire.png",
        "bench-wire.svg",
    ]
    assert plot_wire.write(tmp_path / "none", []) == []
    figure, axis = pyplot.subplots()
    assert plot_wire.bars(axis, rows)
    ends = [bar.get_x() + bar.get_width() for bar in axis.containers[-1]]
    pyplot.close(figure)
    assert ends == [51, 51] and len(axis.containers) == len(rows[0]["stages"])


@pytest.mark.mill
@pytest.mark.long
def test_the_card_keeps_its_promises(tmu: Tmu) -> None:
    """Every size is measured, and a stream is never slower than its frames by much."""
    done = tmu("wire", "bench", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["ok"]
    assert [one["bytes"] for one in found["clocks"]] == list(card_figures.SIZES)
    for one in found["clocks"]:
        assert sum(one["stages"].values()) == one["expected"]
        assert one["stream"] >= one["beats"]  # no message is faster than its frames
