# SPDX-License-Identifier: Apache-2.0
"""Draws study-search.svg and study-rotate.svg from study.json beside this file.

Needs Matplotlib: run it with the interpreter in build/venv/bin.
"""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter
from opentmu.benchmark.plot import own_fonts

HERE = Path(__file__).parent
COLOURS = {"a": "#7f7f7f", "b": "#1f77b4", "c1": "#74b874"}
COLOURS |= {"c2": "#53a653", "c": "#2ca02c", "d": "#d62728", "e": "#9467bd"}
NAMES = {
    "a": "a: serial memory rows",
    "b": "b: old end, append at the tail",
    "c1": "c: push decided at once",
    "c2": "c: push in a register, guard inside",
    "c": "c: push in a register, guard outside",
    "d": "d: rows in parallel, select by age",
    "e": "e: hashed classes",
}
# Depths at which the brief asks for figures, entries.
DEPTHS = [16, 64, 256, 1024]
SCHEMES = {
    "tombstones": ("#8c564b", "s"),
    "row rotate": ("#ff7f0e", "^"),
    "full rotate": ("#7f7f7f", "o"),
    "background wave": ("#9467bd", "v"),
    "shift on delete, lanes": ("#1f77b4", "x"),
    "absorbing append, lanes": ("#2ca02c", "D"),
}


def depth_axis(axes: Axes, depths: list[int], label: str) -> None:
    """A logarithmic axis in powers of two with plain numbers."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(depths, [f"{d:,}" for d in depths])
    axes.set_xlabel(label)
    axes.grid(alpha=0.3)


def plain_log(axes: Axes) -> None:
    """A logarithmic axis whose ticks are 1, 2 and 5 times powers of ten, as plain numbers."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def clocks(axes: Axes, data: dict[str, Any]) -> None:
    """Clocks between verdicts, the youngest entry matching."""
    rows = [r for r in data["serial_rows"] if r["position"] == "youngest" and r["depth"] > 1]
    axes.plot(
        [r["depth"] for r in rows], [r["clocks"] for r in rows], "o-", c=COLOURS["a"], label="a"
    )
    for traffic, mark in (("mod 256", "^"), ("mod 65536", "v")):
        cells = [
            r
            for r in data["hash_lists"]
            if r["hash"] == "plain fold" and r["traffic"] == traffic and r["depth"] > 1
        ]
        axes.plot(
            [r["depth"] for r in cells],
            [r["clocks"] for r in cells],
            f"{mark}--",
            c=COLOURS["e"],
            label=f"e, plain fold, tags equal {traffic}",
        )
    mixed = [r for r in data["hash_lists"] if r["hash"] == "mixed" and r["traffic"] == "mod 256"]
    axes.plot(
        [r["depth"] for r in mixed],
        [r["clocks"] for r in mixed],
        "-",
        c=COLOURS["e"],
        label="e, mixing hash",
    )
    axes.plot(DEPTHS, [1] * len(DEPTHS), "D-", c=COLOURS["c"], label="b, c, d")
    plain_log(axes)
    depth_axis(axes, DEPTHS, "entries in the queue")
    axes.set_title("clocks between verdicts, youngest matches")
    axes.legend(fontsize=8)


def latency(axes: Axes, data: dict[str, Any]) -> None:
    """Clocks from acceptance to the slot of the entry, by the size of the table."""
    rows = [r for r in data["serial_rows"] if r["position"] == "miss" and r["depth"] > 1]
    axes.plot(
        [r["depth"] for r in rows],
        [r["latency_max"] for r in rows],
        "o-",
        c=COLOURS["a"],
        label="a, 32 lanes a row",
    )
    walk = data["latency"]["b, c: rows of 64"]
    axes.plot(walk["entries"], walk["clocks"], "D-", c=COLOURS["c"], label="b, c: rows of 64")
    axes.plot(DEPTHS, [data["latency"]["d"]] * 4, "-", c=COLOURS["d"], label="d")
    axes.plot(DEPTHS, [data["latency"]["e"]] * 4, "--", c=COLOURS["e"], label="e, no walk")
    axes.axhline(24, color="#333", lw=1, ls=":")
    axes.text(16, 24.4, "limit at 1,024 entries: 24", fontsize=8)
    depth_axis(axes, DEPTHS, "entries of the table")
    axes.set_title("latency in clocks, worst case")
    axes.legend(fontsize=8, loc="center left")


def area(axes: Axes, data: dict[str, Any]) -> None:
    """LUT per entry on UltraScale+ against the routed clock on an ECP5-85."""
    routed = [e for e in data["engines"] if e["key"] == 16 and e["ecp5_mhz"] and e["lanes"] < 64]
    routed.sort(key=lambda e: -e["entries"])
    names = [f"{NAMES[e['engine']]}, {e['entries']}" for e in routed]
    bars = axes.barh(
        names,
        [e["ecp5_mhz"] for e in routed],
        color=[COLOURS[e["engine"]] for e in routed],
    )
    for bar, e in zip(bars, routed, strict=True):
        words = f"{e['ecp5_mhz']:.0f} MHz, {e['lut'] / e['entries']:.0f} LUT"
        middle = bar.get_y() + bar.get_height() / 2
        axes.text(3, middle, words, va="center", fontsize=8, color="white", weight="bold")
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.grid(alpha=0.3, axis="x")
    axes.set_title("16-bit keys, entries: ECP5-85 MHz, UltraScale+ LUT an entry")


def scheme_lines(axes: Axes, data: dict[str, Any], what: str, title: str) -> None:
    """One value of every delete scheme over the span of ages, rows of 16 lanes."""
    for scheme, (colour, mark) in SCHEMES.items():
        cells = [h for h in data["holes"] if h["scheme"] == scheme and h["lanes"] == 16]
        values = [
            h["writes_per_delete"] + h["writes_per_append"] if what == "writes" else h[what]
            for h in cells
        ]
        axes.plot([h["span"] for h in cells], values, f"{mark}-", c=colour, ms=4, label=scheme)
    if what != "writes":
        plain_log(axes)
    depth_axis(axes, DEPTHS, "posted entries from oldest to youngest, 1 of 16 live")
    axes.set_title(title)


def save(figure: Figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})


def main() -> None:
    own_fonts()
    mpl.rcParams["svg.hashsalt"] = "study"
    mpl.rcParams["axes.titlesize"] = 10
    data = json.loads((HERE / "study.json").read_text())
    figure = Figure(figsize=(15, 4.4), layout="constrained")
    parts = figure.subplots(1, 3, width_ratios=[1, 1, 1.25])
    clocks(parts[0], data)
    latency(parts[1], data)
    area(parts[2], data)
    save(figure, "study-search")

    figure = Figure(figsize=(13.5, 4.2), layout="constrained")
    parts = figure.subplots(1, 3)
    scheme_lines(parts[0], data, "passes", "passes a search")
    scheme_lines(parts[1], data, "writes", "lane writes a match, append included")
    scheme_lines(parts[2], data, "clocks_per_pair", "clocks a post and its arrival, one stream")
    parts[0].legend(fontsize=8)
    save(figure, "study-rotate")


if __name__ == "__main__":
    main()
