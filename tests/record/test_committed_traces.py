# SPDX-License-Identifier: Apache-2.0
"""The recorded traces in tests/traces: small, with their origin, and true to their metadata."""

import gzip
from collections import Counter
from pathlib import Path

import pytest
from opentmu import paths

from .plain_law import replay

TRACES = sorted(paths.TRACES.glob("*.trace.gz"))
NEEDED = {"application", "version", "package", "command", "origin", "ranks", "mpi", "delay-ns"}


def read(path: Path) -> tuple[dict[str, str], list[str]]:
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert lines[0] == "# tmu-trace v1"
    pairs = [line[2:].partition(": ") for line in lines[1:] if line.startswith("#")]
    return {name: value for name, _, value in pairs}, [x for x in lines if x[0] != "#"]


def test_there_are_several_and_together_they_are_small() -> None:
    assert len({read(path)[0]["application"] for path in TRACES}) >= 3
    assert sum(path.stat().st_size for path in TRACES) <= 5_000_000
    assert sum(len(read(path)[1]) for path in TRACES) <= 300_000


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_metadata_tells_origin_and_counts(path: Path) -> None:
    facts, lines = read(path)
    assert set(facts) >= NEEDED and all(facts[name] for name in NEEDED)
    assert 4 <= int(facts["ranks"]) <= 16
    kinds = Counter(line.split()[0] for line in lines)
    assert int(facts["operations"]) == len(lines)
    for kind in ("post", "arrive", "probe", "claim", "cancel"):
        assert int(facts[f"operations-{kind}"]) == kinds[kind]
    assert "replay-differences" not in facts
    assert len({line.split()[1] for line in lines}) <= int(facts["ranks"])
    assert f"`{path.name}`" in (paths.TRACES / "README.md").read_text()


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_times_and_numbers_are_in_order(path: Path) -> None:
    _, lines = read(path)
    times = [int(line.rpartition("@")[2]) for line in lines]
    assert times == sorted(times) and times[0] == 0
    messages = [int(line.split()[2]) for line in lines if line.startswith("arrive")]
    requests = [int(line.split()[2]) for line in lines if not line.startswith("arrive")]
    assert messages == list(range(1, len(messages) + 1))
    assert requests == list(range(1, len(requests) + 1))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_every_message_is_received_as_in_a_run_that_ended(path: Path) -> None:
    """A finished MPI program leaves no message; one that stays would be the merge's mistake."""
    _, lines = read(path)
    left: Counter[str] = Counter()
    for verdict in replay(lines):
        kind, _, word, *_ = verdict.split()
        left["messages"] += (kind, word) == ("arrive", "queued")
        left["messages"] -= (kind, word) in (("post", "matched"), ("claim", "matched"))
        left["receives"] += (kind, word) == ("post", "queued")
        left["receives"] -= (kind, word) in (("arrive", "matched"), ("cancel", "cancelled"))
    assert left["messages"] == 0
    assert left["receives"] == 0
