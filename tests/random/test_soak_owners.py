# SPDX-License-Identifier: Apache-2.0
"""tmu-soak: every endpoint's owner at work at once; kills, resets, quotas that change under way.

Commands and answers go past the driver, since it lets nobody be killed, and no unit be reset, while
commands are in flight.  The long one, with 256 endpoints, is a campaign of `tmu test --long`.
"""

import json
import re
import subprocess
from typing import Any

import pytest
from opentmu.bench.seed import announce, choose
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.slow

Result = dict[str, Any]

# So many operations between two of each kind of event, on average.
EVENTS = ("--kills", "300", "--resets", "4000", "--limits", "60")


def run(uri: str, count: int, seed: int, *options: str) -> subprocess.CompletedProcess[str]:
    announce(seed)
    program = cbuild.program(cbuild.ensure(), "tmu-soak")
    words = [str(program), "--uri", uri, "--operations", str(count), "--seed", str(seed)]
    return subprocess.run([*words, *options], capture_output=True, text=True, check=False)


def soak(uri: str, count: int, seed: int, *options: str) -> Result:
    """The result of a soak in which all was the law's, and every handle is accounted for once."""
    done = run(uri, count, seed, *options)
    assert done.returncode == 0, done.stderr
    result: Result = json.loads(done.stdout)
    ledger = result["ledger"]
    assert result["operations"] == ledger["sent"] >= count and result["mismatches"] == 0
    assert ledger["sent"] == ledger["answered"] + ledger["let_go"] + ledger["dropped"]
    assert ledger["queued"] == ledger["given_back"] + ledger["forgotten"]
    assert ledger["waiting"] == ledger["left"] == 0
    return result


def require_everything(result: Result) -> None:
    """The soak met what it is for."""
    names = ("kills", "resets", "quota_changes_under_way", "reserve_changes", "stalls", "resumes")
    more = ("refused", "cancelled", "late", "flushes", "removed", "reset_in_flight", "injected")
    for name in (*names, *more, "killed_in_flight"):
        assert result[name] > 0, f"{name}: this soak tested nothing"
    for name in ("let_go", "dropped", "forgotten"):
        assert result["ledger"][name] > 0, f"{name}: this soak tested nothing"
    assert result["unit"]["malformed"] == result["unit"]["ring_overruns"] == 0


@pytest.mark.parametrize("depth", [(), ("--flood",)])
def test_owners_of_the_hardware(depth: tuple[str, ...]) -> None:
    """R7, R11, R13, R14, R15: all endpoints of `tiny`, with and without pauses in turn."""
    seed = choose()
    uri = f"sim:{verilate.library('tiny')}?pauses={seed}&lulls=2000"
    result = soak(uri, 30_000, seed, *EVENTS, *depth)
    require_everything(result)
    assert not depth or result["unit"]["spill_taken"] > 0


@pytest.mark.long
def test_owners_of_256_endpoints() -> None:
    """R7, R11, R13, R14, R15: the hardware of the campaign, with events closer together."""
    seed = choose()
    uri = f"sim:{verilate.library('many')}?pauses={seed}&lulls=2000"
    result = soak(uri, 200_000, seed, "--kills", "1000", "--resets", "20000", "--limits", "200")
    require_everything(result)
    assert result["endpoints"] == 256 and result["unit"]["spill_taken"] > 0


@pytest.mark.parametrize("preset", ["tiny", "many"])
def test_owners_of_the_functional_device(preset: str) -> None:
    """R7, R11, R13, R14, R15."""
    require_everything(soak(f"ref:{preset}", 400_000, choose(), *EVENTS))


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_owners_end_with_a_flush_of_their_own_in_flight(seed: int) -> None:
    """R14: such a flush is over with its page, and no reset comes that would forget it."""
    result = soak("ref:many", 100_000, seed, "--kills", "40", "--resets", "0")
    assert result["kills"] > 500 and result["resets"] == 0


def test_a_seed_gives_the_same_soak() -> None:
    first, second = (soak("ref:many", 30_000, 5, *EVENTS) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@pytest.mark.parametrize(
    ("kind", "story"),
    [
        ("verdict", r"the verdict is not the law's"),
        # By the serial number that is missing, or by who waits for it when nobody asks any more.
        ("lost", r"\(R7\)|no answer in \d+ clocks"),
        ("doubled", r"nobody asked for this \(R13, R15\)"),
    ],
)
def test_one_wrong_answer_is_noticed(kind: str, story: str) -> None:
    """R15: a changed verdict, an answer that is lost and one that comes twice, of 20,000."""
    done = run("ref:many", 20_000, choose(), "--resets", "0", "--canary", kind)
    assert done.returncode == 1
    assert re.search(story, done.stderr)
    assert json.loads(done.stdout)["mismatches"] > 0


def test_an_unknown_canary_is_bad_usage() -> None:
    done = run("ref:tiny", 10, 1, "--canary", "parrot")
    assert done.returncode == 2
    assert "found --canary 'parrot', expected verdict, lost or doubled" in done.stderr
