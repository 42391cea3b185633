# SPDX-License-Identifier: Apache-2.0
"""Measured cells as plots, each as PNG and SVG."""

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from opentmu.benchmark import queues, targets
from opentmu.benchmark.cells import APPEND, PAIRED
from opentmu.benchmark.clock import Clock, Pace
from opentmu.benchmark.harness import MATCH_UNIT, Result
from opentmu.errors import BadInput
from opentmu.replay.engine import SOFTWARE

SIZE = (8.0, 4.8)
DPI = 150
BLUE, ORANGE, GREEN, RED, GREY = "#1f6fb4", "#e07b00", "#2a8a4a", "#c23b3b", "#777777"
PURPLE = "#7a4fa3"

# Label, kind, queue, position, colour, line.
Line = tuple[str, str, str, str, str, str]
RATES: tuple[Line, ...] = (
    ("youngest receive", "exact", "posted", "youngest", BLUE, "-"),
    ("youngest message", "exact", "unexpected", "youngest", PURPLE, "--"),
    ("youngest receive, tags equal mod 65,536", "equal_mod65536", "posted", "youngest", RED, "--"),
    ("random receive, all wildcards", "mixed", "posted", "random", GREEN, "-."),
    ("oldest receive", "exact", "posted", "oldest", ORANGE, "-"),
    ("appends", APPEND, "posted", "none", GREY, ":"),
)
ENGINES = (
    ("exact", "youngest", "-", "youngest matches"),
    ("equal_mod65536", "youngest", "--", "the same, tags equal mod 65,536"),
)
# In the order of their table.
ENGINE_COLOURS = dict(zip(SOFTWARE, (ORANGE, GREY, PURPLE, RED), strict=False))


def write(
    folder: Path,
    results: Sequence[Result],
    engines: Sequence[Result],
    clock: Clock | None,
    array: int,
) -> list[Path]:
    """Write every plot that there are cells for; the files written.

    Raises BadInput when the folder cannot be written.
    """
    return draw(
        folder,
        {
            "bench-rate": lambda axis: rate(axis, results, array),
            "bench-latency": lambda axis: latency(axis, results, array),
            "bench-pairs": lambda axis: pairs(axis, results),
            "bench-software": lambda axis: software(axis, results, engines, clock),
        },
    )


def write_queues(folder: Path, results: Sequence[Result]) -> list[Path]:
    """Write the plot of submission queues side by side; the files written."""
    return draw(folder, {"bench-queues": lambda axis: curve(axis, results)})


def own_fonts() -> None:
    """Draw with Matplotlib's own fonts: one of the machine's may have other numbers of glyphs."""
    import matplotlib as mpl
    from matplotlib import font_manager

    fonts = font_manager.fontManager
    fonts.ttflist = []
    for file in sorted(Path(mpl.get_data_path(), "fonts", "ttf").glob("*.ttf")):
        fonts.addfont(file)


def draw(folder: Path, plots: dict[str, Callable[[Any], bool]]) -> list[Path]:
    """Write the plots that have something to show, by name; the files written."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    # The same cells give the same bytes.
    own_fonts()
    mpl.rcParams["svg.hashsalt"] = "tmu bench"
    written = []
    for name, fill in plots.items():
        figure, axis = pyplot.subplots(figsize=SIZE, layout="constrained")
        try:
            if fill(axis):
                written += _save(figure, folder, name)
        finally:
            pyplot.close(figure)
    return written


def _save(figure: Any, folder: Path, name: str) -> list[Path]:
    files = [folder / f"{name}.png", folder / f"{name}.svg"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            metadata = {"Date": None} if file.suffix == ".svg" else {}
            figure.savefig(file, dpi=DPI, metadata=metadata)
    except OSError as error:
        raise BadInput(f"--plots {folder}: {error}") from error
    return files


def rate(axis: Any, results: Sequence[Result], array: int) -> bool:
    """Clocks a step by depth."""
    drawn = False
    for label, kind, queue, position, colour, style in RATES:
        points = _points(results, kind, queue, position, "clocks_per_step")
        drawn |= line(axis, points, label, colour, style)
    if drawn:
        _by_depth(
            axis, results, f"{title_of(results)}, {MATCH_UNIT}: clocks a step by depth of the queue"
        )
        axis.set_yscale("log", base=2)
        axis.set_ylabel("clocks a step: a post and an arrival; an append alone")
        plain(axis.yaxis)
        _array(axis, results, array)
        axis.set_ylim(0.7, None)
        axis.legend(loc="upper left", frameon=False)
    return drawn


def latency(axis: Any, results: Sequence[Result], array: int) -> bool:
    """Clocks from acceptance to verdict by depth: of all cells of a depth the slowest."""
    depths = sorted({result["depth"] for result in results})
    worst: dict[str, list[float]] = {"p50": [], "max": []}
    for depth in depths:
        found = [one["latency_clocks"] for one in results if one["depth"] == depth]
        for name, values in worst.items():
            values.append(max(one[name] for one in found))
    for (name, values), colour in zip(worst.items(), (BLUE, ORANGE), strict=True):
        label = {"p50": "median of the slowest cell", "max": "slowest verdict of all"}[name]
        line(axis, list(zip(depths, values, strict=True)), label, colour, "-")
    begin = 0
    for (depth, limit), style in zip(targets.latencies(array), cycle(("--", ":")), strict=False):
        label = f"promise to {depth:,} entries: {limit} clocks"
        axis.plot([begin, depth], [limit, limit], color=RED, linestyle=style, label=label)
        begin = depth
    _by_depth(axis, results, f"{title_of(results)}: clocks from acceptance to verdict, full rate")
    if max(worst["max"]) > 100:
        axis.set_yscale("log", base=2)
        plain(axis.yaxis)
    axis.set_ylim(0.0 if max(worst["max"]) <= 100 else 4.0, None)
    axis.set_ylabel("clocks from acceptance to verdict")
    _array(axis, results, array)
    axis.legend(loc="upper left", frameon=False)
    return bool(depths)


def pairs(axis: Any, results: Sequence[Result]) -> bool:
    """Pairs a clock with both streams, and with one command a clock."""
    found = [one for one in results if one["kind"] == PAIRED]
    if not found:
        return False
    depths = sorted({one["depth"] for one in found})

    def worst(name: str) -> list[tuple[float, float]]:
        return [(d, min(one[name] for one in found if one["depth"] == d)) for d in depths]

    both, alone = worst("pairs_per_clock"), worst("pairs_per_clock_one_way")
    line(axis, both, "a post and an arrival at once", BLUE, "-")
    line(axis, alone, "one command a clock", ORANGE, "-")
    for depth, value in both:
        ratio = min(one["pair_rate"] for one in found if one["depth"] == depth)
        offset: dict[str, Any] = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center"}
        offset |= {"bbox": {"color": "white", "pad": 0.5}}
        axis.annotate(f"ratio {ratio:.2f}", (depth, value), fontsize=9, color=BLUE, **offset)
    _by_depth(
        axis, found, f"{title_of(results)}, {MATCH_UNIT}: pairs a clock, both queues equally deep"
    )
    axis.set_yscale("log", base=2)
    plain(axis.yaxis)
    axis.set_ylim(None, 2 * max(value for _, value in both))
    axis.set_ylabel("pairs of a post and an arrival a clock")
    axis.legend(loc="lower left", frameon=False)
    return True


def software(
    axis: Any, results: Sequence[Result], engines: Sequence[Result], clock: Clock | None
) -> bool:
    """Verdicts a second beside the software engines; without a clock there is no plot."""
    if clock is None or not engines:
        return False
    for kind, position, style, words in ENGINES:
        for engine, colour in ENGINE_COLOURS.items():
            points = sorted(
                (one["depth"], one["verdicts_per_second"] / 1e6)
                for one in engines
                if (one["engine"], one["kind"], one["position"]) == (engine, kind, position)
            )
            line(axis, points, f"{engine} on one core, {words}", colour, style)
        rates = [
            (one["depth"], [rate / 1e6 for rate in Pace.measured(one).verdicts_per_second(clock)])
            for one in chosen(results, kind, "posted", position)
        ]
        low = [(depth, both[0]) for depth, both in rates]
        line(axis, low, f"unit, {words}", BLUE, style)
        if clock.high > clock.low and low:
            xs, ys = zip(*low, strict=True)
            axis.fill_between(xs, ys, [both[1] for _, both in rates], color=BLUE, alpha=0.15)
    title = f"{title_of(results)}: verdicts a second\nthe {clock.of} at {clock.text}"
    _by_depth(axis, results, title)
    axis.set_yscale("log")
    axis.set_ylabel("millions of verdicts a second")
    plain(axis.yaxis)
    axis.legend(loc="lower left", frameon=False, fontsize=9)
    return True


def curve(axis: Any, results: Sequence[Result]) -> bool:
    """Verdicts a clock by the number of queues at work."""
    for window, colour in zip(queues.WINDOWS, (BLUE, ORANGE), strict=True):
        found = queues.curve(results, window)
        label = f"{window} operation{'s' if window > 1 else ''} in flight on each"
        points = [(one["queues"], 1 / one["clocks_per_verdict"]) for one in found]
        line(axis, points, label, colour, "-")
    axis.axhline(1.0, color=RED, linestyle="--", label="the unit's limit by one stream")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    plain(axis.xaxis)
    plain(axis.yaxis)
    axis.set_ylim(None, 1.5)
    axis.set_title(f"{title_of(results)}: verdicts a clock by submission queues at work")
    axis.set_xlabel("submission queues")
    axis.set_ylabel("verdicts a clock")
    axis.grid(visible=True, alpha=0.3)
    axis.legend(loc="lower right", frameon=False)
    return True


def title_of(results: Sequence[Result]) -> str:
    """The title of a plot, with the preset of its results."""
    return f"preset {results[0]['preset']}"


def _points(
    results: Sequence[Result], kind: str, queue: str, position: str, figure: str
) -> list[tuple[float, float]]:
    return [(one["depth"], one[figure]) for one in chosen(results, kind, queue, position)]


def chosen(results: Sequence[Result], kind: str, queue: str, position: str) -> list[Result]:
    """The cells of one line, by depth; an empty queue has no position."""
    found = [one for one in results if (one["kind"], one["queue"]) == (kind, queue)]
    found = [one for one in found if one["position"] == position or one["depth"] == 0]
    return sorted(found, key=lambda one: one["depth"])


def line(
    axis: Any, points: Sequence[tuple[float, float]], label: str, colour: str, style: str
) -> bool:
    """A line, unless there is nothing to draw; whether there is one."""
    if not points:
        return False
    xs, ys = zip(*points, strict=True)
    axis.plot(xs, ys, color=colour, linestyle=style, marker="o", markersize=4, label=label)
    return True


def _by_depth(axis: Any, results: Sequence[Result], title: str) -> None:
    by_depth(axis, sorted({one["depth"] for one in results}), title)


def by_depth(axis: Any, depths: Sequence[int], title: str) -> None:
    """Depths on a scale that has 0 too, each with its number."""
    axis.set_title(title, fontsize=11, loc="left", pad=10)
    axis.set_xscale("symlog", base=2, linthresh=1)
    axis.set_xticks(depths, [f"{depth:,}" for depth in depths])
    axis.minorticks_off()
    axis.set_xlabel("entries in the queue")
    axis.grid(visible=True, alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)


def plain(axis: Any) -> None:
    """Numbers, not powers."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _array(axis: Any, results: Sequence[Result], array: int) -> None:
    """A line at the depth of the lanes, when there are cells beyond."""
    if any(one["depth"] > array for one in results):
        axis.axvline(array, color=GREY, linewidth=0.8, linestyle=":")
        offset = {"xytext": (-4, 4), "textcoords": "offset points", "ha": "right"}
        words = f"lanes end at {array:,}"
        at = (array, axis.get_ylim()[0])
        axis.annotate(words, at, fontsize=8, color=GREY, **offset)
