# SPDX-License-Identifier: Apache-2.0
"""A run that left out a part of its input by configuration is no success without being asked."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import regs
from opentmu.build import cbuild
from opentmu.replay import demand, engine

Tmu = Callable[..., subprocess.CompletedProcess[str]]
TINY = regs.PRESETS["tiny"]
ENGINES = engine.ENGINES


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A trace that names an endpoint more than preset tiny has."""
    file = tmp_path / "wide.trace"
    lines = (f"post {endpoint} {endpoint} 0 any any 8\n" for endpoint in range(TINY.endpoints + 1))
    file.write_text("# tmu-trace v1\n" + "".join(lines))
    return file


@pytest.mark.parametrize("name", ENGINES)
def test_r13_a_trace_with_more_endpoints_is_refused_before_it_starts(
    tmu: Tmu, wide: Path, name: str
) -> None:
    done = tmu("run", "--engine", name, "--preset", "tiny", "--trace", wide.name)
    said = " ".join(done.stderr.split())
    assert "wide.trace names 5 endpoints, and preset tiny has 4: give --preset nic, ecp5," in said
    assert "--refuse-endpoints" in said and "formal" not in said
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("name", ENGINES[1:])
def test_r13_refusals_that_are_asked_for_end_well(tmu: Tmu, wide: Path, name: str) -> None:
    words = ["run", "--engine", name, "--preset", "tiny", "--trace", wide, "--refuse-endpoints"]
    done = tmu(*words, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["operations"], result["refused"], result["refused_endpoint"]) == (5, 1, 1)


def test_more_endpoints_than_any_preset_has(tmu: Tmu, tmp_path: Path) -> None:
    most = max(one.endpoints for one in regs.PRESETS.values())
    (tmp_path / "t").write_text(f"# tmu-trace v1\nflush {most} 1\n")
    done = tmu("run", "--engine", "model", "--trace", "t")
    assert f"t names {most + 1:,} endpoints" in done.stderr
    assert "no preset has as many" in done.stderr
    assert done.returncode == 2


def test_a_trace_that_fits_is_not_refused(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("# tmu-trace v1\nflush 3 1\n")
    (tmp_path / "empty").write_text("# tmu-trace v1\n")
    words = ["run", "--engine", "model", "--preset", "tiny", "--trace", "t", "--trace", "empty"]
    assert tmu(*words).returncode == 0


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("tmu-replay", ["--uri", "ref:tiny"]),
        ("tmu-engine", ["--engine", "list", "--endpoints", "4"]),
    ],
)
def test_the_programs_refuse_it_as_well(wide: Path, program: str, words: list[str]) -> None:
    """R13: they are started without the front door, too."""
    command: list[str | Path] = [cbuild.program(cbuild.ensure(), program), *words]
    command += ["--trace", wide]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"{program}: {wide}: found operations at 5 endpoints" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    command.append("--refuse-endpoints")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_r11_full_queues_that_nobody_asked_for_are_no_success(tmu: Tmu, tmp_path: Path) -> None:
    """Preset ecp5 takes no memory: with its tables full receives are refused, as R11 demands."""
    entries = regs.PRESETS["ecp5"].posted_entries
    posts = "".join(f"post 0 {number} 0 0 {number} 8\n" for number in range(entries + 3))
    (tmp_path / "deep.trace").write_text(f"# tmu-trace v1\n{posts}")
    words = ["run", "--engine", "model", "--preset", "ecp5", "--trace", "deep.trace"]
    done = tmu(*words)
    assert "deep.trace: 3 receives were refused, because the queues of ecp5" in done.stderr
    assert done.returncode == 1
    for asked in (["--spill", "0"], ["--quota", str(entries)]):
        assert tmu(*words, *asked).returncode == 0


def test_r11_messages_held_back_to_the_end_are_told() -> None:
    options = engine.Options("rtl", "ecp5")
    result = {"trace": "t", "preset": "ecp5", "refused": 7, "refused_endpoint": 7, "held": 2}
    said = demand.unasked(result, options)
    assert said is not None and said.startswith("t: 2 messages were held back to the end, because")
    assert demand.unasked({**result, "held": 0}, options) is None
    assert demand.unasked(result, engine.Options("rtl", "ecp5", quota=4)) is None
