# SPDX-License-Identifier: Apache-2.0
"""`tmu trace stat`: every figure of a trace small enough to count by hand."""

import json
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from opentmu.analysis import plot

Tmu = Callable[..., subprocess.CompletedProcess[str]]

TRACE = """# tmu-trace v1
# application: by hand
post 0 1 7 any any 100
post 0 2 7 3 5 100
post 0 3 7 3 5 100
arrive 0 1 7 3 5 200
arrive 0 2 7 3 5 10
arrive 0 3 9 2 4 10
arrive 0 4 9 2 6 10
arrive 1 5 9 2 6 10
probe 0 4 9 2 6
claim 0 5 9 any 6
cancel 0 6 3
flush 0 7
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "small.trace"
    file.write_text(TRACE)
    return file


def test_figures_counted_by_hand(tmu: Tmu, trace: Path) -> None:
    done = tmu("trace", "stat", trace.name, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["operations"] == 12
    assert figures["by_kind"] == {
        "post": 3,
        "arrive": 5,
        "probe": 1,
        "claim": 1,
        "cancel": 1,
        "flush": 1,
    }
    assert (figures["endpoints"], figures["matches"], figures["raw"]) == (2, 3, 0)
    assert figures["truncated"] == 1
    assert figures["metadata"] == {"application": "by hand"}
    assert figures["unexpected_share"] == 0.6
    assert figures["found_unexpected_share"] == 0
    # The message of endpoint 1 stands in the table beside two of endpoint 0.
    assert figures["endpoint_depth_max"] == {"posted": 3, "unexpected": 2}
    assert figures["depth_max"] == {"posted": 3, "unexpected": 3}
    # Arrivals meet 3, 2, 1, 1 and 0 receives; posts, probe and claim 0, 0, 0, 2 and 2 messages.
    assert figures["depth"]["posted"] == {"count": 5, "mean": 1.4, "p50": 1, "p99": 3, "max": 3}
    unexpected = {"count": 5, "mean": 0.8, "p50": 0, "p99": 2, "max": 2}
    assert figures["depth"]["unexpected"] == unexpected
    positions = figures["search_position"]
    assert positions["posted"] == {"count": 2, "mean": 1.0, "p50": 1, "p99": 1, "max": 1}
    assert positions["unexpected"] == {"count": 2, "mean": 2.0, "p50": 2, "p99": 2, "max": 2}
    assert figures["wildcards"] == {
        "any_source_only": 0.2,
        "any_tag_only": 0,
        "any_source_and_tag": 0.2,
        "other_masks": 0,
    }
    assert figures["bits"] == {
        "context": {"distinct": 2, "varying": [1, 2, 3]},
        "tag": {"distinct": 3, "varying": [0, 1]},
        "source": {"distinct": 2, "varying": [0]},
    }


def test_tables_for_people(tmu: Tmu, trace: Path) -> None:
    text = tmu("trace", "stat", trace).stdout
    kinds = "12 (3 post, 5 arrive, 1 probe, 1 claim, 1 cancel, 1 flush)"
    assert kinds in " ".join(text.split())
    assert "60.00 %" in text
    assert "1-3" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["greatest", "depth", "of", "one", "endpoint,", "messages", "2"] in lines
    assert ["greatest", "depth", "of", "all", "endpoints,", "messages", "3"] in lines
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80


def test_depths_of_run_and_stat_are_the_same(tmu: Tmu, tmp_path: Path) -> None:
    """By the same names: of one endpoint, and of the tables that all endpoints share."""
    (tmp_path / "t").write_text(
        "# tmu-trace v1\n"
        + "".join(f"post {n % 3} {n} 0 any any 8\n" for n in range(7))
        + "".join(f"arrive 3 {n} 0 0 0 8\n" for n in range(4))
    )
    stat = json.loads(tmu("trace", "stat", "t", "--json").stdout)
    words = ["run", "--engine", "model", "--preset", "tiny", "--trace", "t", "--json"]
    run = json.loads(tmu(*words).stdout)
    for key in ("depth_max", "endpoint_depth_max"):
        assert run[key] == stat[key]
    assert run["depth_max"] == {"posted": 7, "unexpected": 4}
    assert run["endpoint_depth_max"] == {"posted": 3, "unexpected": 4}


@pytest.mark.parametrize("greatest", [0, 1, 49, 50, 99, 100, 1234])
def test_integers_have_bins_of_their_own(greatest: int) -> None:
    """No bin holds a number more than another one, and none begins inside a number."""
    edges = plot.edges(greatest)
    widths = {after - before for before, after in pairwise(edges)}
    assert len(widths) == 1 and widths.pop().is_integer()
    assert edges[0] == -0.5 and all((edge - 0.5).is_integer() for edge in edges)
    assert edges[-2] < greatest < edges[-1]
    assert len(edges) <= plot.MOST_BINS + 1


def test_masks_and_raw_forms(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "raw").write_text(
        "# tmu-trace v1\n"
        "raw-post 0 1 0x700000000 0x7fffffff any 8\n"
        "raw-post 0 2 0x700000000 0xff 3 8 @5\n"
    )
    figures = json.loads(tmu("trace", "stat", "raw", "--json").stdout)
    assert figures["raw"] == 2
    assert figures["wildcards"]["any_source_and_tag"] == 0.5
    assert figures["wildcards"]["other_masks"] == 0.5
    assert figures["unexpected_share"] is None
    assert figures["bits"]["tag"] == {"distinct": 0, "varying": []}
    assert figures["timed"] is False


def test_empty_trace(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("# tmu-trace v1\n")
    done = tmu("trace", "stat", "empty", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["operations"] == 0


def test_plot(tmu: Tmu, trace: Path, tmp_path: Path) -> None:
    done = tmu("trace", "stat", trace, "--plot", "out.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    wrong = tmu("trace", "stat", trace, "--plot", "out.notaformat")
    assert "--plot out.notaformat: " in wrong.stderr
    assert wrong.returncode == 2


def test_missing_trace(tmu: Tmu) -> None:
    done = tmu("trace", "stat", "nowhere.trace")
    assert "nowhere.trace" in done.stderr
    assert done.returncode == 2


def test_impossible_endpoint_is_refused(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("# tmu-trace v1\nflush 4294967295 1\n")
    done = tmu("trace", "stat", "t")
    assert "found endpoint 4294967295, expected one below 1048576" in done.stderr
    assert done.returncode == 2
