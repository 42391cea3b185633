# SPDX-License-Identifier: Apache-2.0
"""Histograms of a trace as a figure."""

from pathlib import Path

from opentmu.analysis.statistics import Replayed, depths, positions
from opentmu.errors import BadInput

MOST_BINS = 50


def edges(greatest: int) -> list[float]:
    """Bins for the integers from 0 on: all of one width, and each number in the middle of its own.

    Up to MOST_BINS numbers have a bin each; of more, as many as it takes share one.
    """
    width = -(-(greatest + 1) // MOST_BINS)
    count = -(-(greatest + 1) // width)
    return [width * number - 0.5 for number in range(count + 1)]


def histograms(replayed: Replayed, title: str, output: Path) -> None:
    """Write depths and search positions of both queues; the file's ending tells the format."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    seen = depths(replayed)
    found = positions(replayed)
    panels = {
        "posted receives queued": seen.posted,
        "unexpected messages queued": seen.unexpected,
        "receives visited by a matching arrival": found["posted"],
        "messages visited by a matching receive": found["unexpected"],
    }
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    figure.suptitle(title)
    for axis, (name, values) in zip(axes.flat, panels.items(), strict=True):
        axis.set_xlabel(name)
        axis.set_ylabel("operations")
        if len(values):
            axis.hist(values, bins=edges(int(values.max())), log=True)
        else:
            axis.text(0.5, 0.5, "none", ha="center", transform=axis.transAxes)
    try:
        figure.savefig(output)
    except (OSError, ValueError) as error:
        raise BadInput(f"--plot {output}: {error}") from error
    finally:
        pyplot.close(figure)
