# SPDX-License-Identifier: Apache-2.0
"""Latency and rate of MPI messages as plots, a line for each matcher."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from opentmu.benchmark import messages, plot
from opentmu.benchmark.harness import Result

# Colour and words of a matcher.
LINES = {
    messages.PLAIN: (plot.GREY, "no unit: libfabric matches"),
    "model": (plot.GREEN, "functional device"),
    "software": (plot.ORANGE, "software engine"),
}
# A simulation's time on the host says nothing of hardware: it has clocks, in a plot of their own.
SOFTWARE = "matched in software, no hardware"
STYLES = {messages.EXPECTED: "-", messages.REVERSE: "--", messages.UNEXPECTED: ":"}


def write(folder: Path, results: Sequence[Result]) -> list[Path]:
    """Write a plot of latencies by size, of rates, and of clocks; the files written."""
    return plot.draw(
        folder,
        {
            "bench-mpi-latency": lambda axis: latency(axis, results),
            "bench-mpi-rate": lambda axis: rate(axis, results),
            "bench-mpi-clocks": lambda axis: clocks(axis, results),
        },
    )


def chosen(
    results: Sequence[Result], engine: str, kind: str, value: Callable[[Result], float]
) -> list[tuple[float, float]]:
    """Points of one line: by size where there is nothing before the message, else by window."""
    by = "bytes" if kind == messages.LATENCY else "depth"
    return sorted(
        (one[by], value(one))
        for one in results
        if (one["engine"], one["position"]) == (engine, kind)
        and (kind != messages.LATENCY or one["depth"] == 0)
    )


def latency(axis: Any, results: Sequence[Result]) -> bool:
    """Half of a round trip by size."""
    drawn = False
    for engine, (colour, words) in LINES.items():
        points = chosen(results, engine, messages.LATENCY, lambda one: one["microseconds"]["p50"])
        drawn |= plot.line(axis, points, words, colour, "-")
    sizes = {one["bytes"] for one in results if one["position"] == messages.LATENCY}
    finish(axis, results, f"one MPI message, half of to and fro, {SOFTWARE}", "bytes", sizes)
    axis.set_yscale("log")
    plot.plain(axis.yaxis)
    axis.set_ylabel("microseconds on the host's clock, median")
    axis.legend(loc="upper left", frameon=False)
    return drawn


def rate(axis: Any, results: Sequence[Result]) -> bool:
    """Messages a second by how many there are at a time, in order and in reverse."""
    drawn = False
    for engine, (colour, words) in LINES.items():
        for kind, style in STYLES.items():
            points = chosen(results, engine, kind, lambda one: one["messages_per_second"])
            label = words if kind == messages.EXPECTED else "_nolegend_"
            drawn |= plot.line(axis, points, label, colour, style)
    for kind, style in STYLES.items():
        axis.plot([], [], color="black", linestyle=style, label=kind)
    finish(
        axis, results, f"MPI messages a second, {SOFTWARE}", "messages at a time", windows(results)
    )
    axis.set_ylim(0, None)
    plot.plain(axis.yaxis)
    axis.set_ylabel("messages a second on the host's clock")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return drawn


def clocks(axis: Any, results: Sequence[Result]) -> bool:
    """The simulated unit's own clocks, whatever the host's clock said."""
    drawn = False
    colours = dict(zip(STYLES, (plot.BLUE, plot.RED, plot.PURPLE), strict=True))
    for kind, colour in colours.items():
        for name, style in (("clocks", "-"), ("busy_clocks", "--")):
            points = chosen(results, "rtl", kind, per_message(name))
            label = kind if name == "clocks" else f"{kind}, unit at work"
            drawn |= plot.line(axis, points, label, colour, style)
    title = "clocks of the simulated unit for a message, not time"
    finish(axis, results, title, "messages at a time", windows(results))
    axis.set_ylim(0, None)
    axis.set_ylabel("clocks")
    if drawn:
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return drawn


def windows(results: Sequence[Result]) -> set[int]:
    """The number of messages at a time."""
    return {one["depth"] for one in results if one["position"] in STYLES}


def short(number: int) -> str:
    """A number with the largest binary prefix that leaves it whole."""
    for power, prefix in ((20, " Mi"), (10, " Ki")):
        if number >= 1 << power and number % (1 << power) == 0:
            return f"{number >> power}{prefix}"
    return str(number)


def per_message(name: str) -> Callable[[Result], float]:
    """Clocks of a kind for each message."""
    return lambda one: float(one[f"{name}_per_message"])


def finish(
    axis: Any, results: Sequence[Result], title: str, by: str, ticks: Collection[int]
) -> None:
    """Title, axis of sizes and frame."""
    axis.set_title(f"{plot.title_of(results)}: {title}", fontsize=11, loc="left", pad=10)
    axis.set_xscale("symlog", base=2, linthresh=1)
    axis.set_xticks(sorted(ticks), [short(one) for one in sorted(ticks)])
    axis.minorticks_off()
    axis.set_xlabel(by)
    axis.grid(visible=True, alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)
