# SPDX-License-Identifier: Apache-2.0
"""Histograms of a trace as a picture."""

from pathlib import Path

from opentmu.analysis.statistics import Replayed, depths, positions
from opentmu.errors import BadInput


def histograms(replayed: Replayed, title: str, output: Path) -> None:
    """Write depths and search positions of both queues; the file's ending tells the format."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    seen = depths(replayed)
    places = positions(replayed)
    panels = {
        "posted receives queued": seen.posted,
        "unexpected messages queued": seen.unexpected,
        "receives visited by a matching arrival": places["posted"],
        "messages visited by a matching receive": places["unexpected"],
    }
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    figure.suptitle(title)
    for axis, (name, values) in zip(axes.flat, panels.items(), strict=True):
        axis.set_xlabel(name)
        axis.set_ylabel("operations")
        if len(values):
            axis.hist(values, bins=min(50, int(values.max()) + 1), log=True)
        else:
            axis.text(0.5, 0.5, "none", ha="center", transform=axis.transAxes)
    try:
        figure.savefig(output)
    except (OSError, ValueError) as error:
        raise BadInput(f"--plot {output}: {error}") from error
    finally:
        pyplot.close(figure)
