# SPDX-License-Identifier: Apache-2.0
"""tmu-wire-fuzz: spoiled packets for an endpoint in software, judged by the model of the wire."""

import json
import subprocess
from pathlib import Path

import pytest
from opentmu.bench import seed
from opentmu.build import cbuild


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [cbuild.program(cbuild.ensure(), "tmu-wire-fuzz"), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(
    "packets", [20_000, pytest.param(1_000_000, marks=pytest.mark.long)], ids=["short", "long"]
)
def test_w1_w6_spoiled_packets_change_nothing_that_they_should_not(packets: int) -> None:
    """No hang, no write outside, no wrong match; and packets of every fate are among them."""
    done = run("--packets", str(packets), "--seed", str(seed.announce()), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["packets"] == packets
    for fate in ("malformed", "foreign", "unsupported", "mismatch", "taken", "received"):
        assert found[fate] > packets / 2000, fate
    # Branches that packets reached lead to others: plain ones alone reach a few hundred.
    assert found["edges"] > 700
    assert 50 < found["kept"] <= found["edges"]


def test_a_seed_repeats_a_run() -> None:
    words = ["--packets", "5000", "--seed", "7", "--json"]
    assert run(*words).stdout == run(*words).stdout


def test_what_it_cannot_do_is_said() -> None:
    done = run("--packets", "0")
    assert done.returncode == 2
    assert "--packets" in done.stderr
