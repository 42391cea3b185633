# SPDX-License-Identifier: Apache-2.0
"""tmu-wire-soak: two endpoints in software over an impaired switch, and its command line."""

import json
import subprocess
from pathlib import Path

import pytest
from opentmu.bench import seed
from opentmu.build import cbuild

IMPAIRED = ["--drop", "0.01", "--duplicate", "0.01", "--reorder", "0.01", "--corrupt", "0.01"]


def run(*words: str | Path, program: str = "tmu-wire-soak") -> subprocess.CompletedProcess[str]:
    command = [cbuild.program(cbuild.ensure(), program), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_w1_w3_messages_arrive_under_loss(tmp_path: Path) -> None:
    """Its figures agree with each other, and its capture has every frame."""
    number = str(seed.announce())
    capture = tmp_path / "soak.pcapng"
    words = ["--messages", "2000", "--seed", number, *IMPAIRED, "--json"]
    done = run(*words, "--pcap", capture)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["messages"] == 2000 and found["seed"] == int(number)
    assert min(found[name] for name in ("dropped", "duplicated", "corrupted", "sent_again")) > 0
    assert found["crc_errors"] <= found["corrupted"]
    decoded = run("--json", capture, program="tmu-decode")
    assert decoded.returncode == 0
    lines = decoded.stdout.splitlines()
    # A frame is captured where it is sent, and where it arrives.
    arrived = found["frames"] - found["dropped"] + found["duplicated"]
    assert len(lines) == found["frames"] + arrived


def test_a_seed_repeats_a_run() -> None:
    words = ["--messages", "500", "--seed", "9", *IMPAIRED, "--json"]
    assert run(*words).stdout == run(*words).stdout
    words[3] = "10"
    assert run(*words).stdout != run(*words[:3], "9", *words[4:]).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--messages", "0"), "found --messages '0', expected a number from 1 to 1000000000"),
        (("--drop", "2"), "found --drop '2', expected a number from 0 to 1"),
        (("--window", "129"), "found --window '129', expected a number from 2 to 128"),
        (("--pcap", "/nowhere/x.pcapng"), "/nowhere/x.pcapng"),
        (("left",), "found a word that is no option"),
    ],
)
def test_a_wrong_command_line_is_told(words: tuple[str, ...], said: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.long
def test_w1_w6_a_million_messages_under_loss() -> None:
    done = run("--messages", "1000000", *IMPAIRED, "--quota", "4", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["messages"] == 1_000_000
