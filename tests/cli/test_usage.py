# SPDX-License-Identifier: Apache-2.0
"""Help, wrong command lines and unreadable input: the text and the exit code."""

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.benchmark import cells
from opentmu.build import rtl
from opentmu.cli import COMMANDS, main
from opentmu.replay import engine

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]


SUBCOMMANDS = [
    *([name] for name in COMMANDS),
    ["trace", "record"],
    ["trace", "stat"],
    ["wire", "decode"],
    ["wire", "soak"],
]


@pytest.mark.parametrize("words", SUBCOMMANDS, ids=" ".join)
def test_every_subcommand_explains_itself(tmu: Tmu, words: list[str]) -> None:
    done = tmu(*words, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: tmu {' '.join(words)}")
    assert done.stderr == ""
    assert f"For example: tmu {' '.join(words)}" in " ".join(done.stdout.replace("./", "").split())
    if words not in (["trace"], ["config"], ["wire"]):
        assert {"-v,", "-q,", "--log"} <= set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        (["run"], f"--engine [{'|'.join(engine.ENGINES)}]"),
        (["mpi"], "--engine [rtl|model|software]"),
        (["mpi"], "--units [each|one]"),
        (["mpi"], "--mpi [system|openmpi|mpich]"),
        (["vm"], "--driver [vfio-pci|tmu]"),
        (["synth"], "--family [ecp5|xcup]"),
        (["completion"], "{bash|zsh|fish}"),
        (["bench"], ", ".join(cells.KINDS[:3])),
        (["bench"], ", ".join(cells.POSITIONS)),
    ],
)
def test_help_shows_choices(tmu: Tmu, words: list[str], choices: str) -> None:
    assert choices in " ".join(tmu(*words, "--help").stdout.split())


def test_help_lists_every_subcommand(tmu: Tmu) -> None:
    lines = tmu("--help").stdout.splitlines()
    for name, sentence in COMMANDS.items():
        assert any(line.split()[:1] == [name] and sentence[:20] in line for line in lines)


@pytest.mark.parametrize("words", [["run"], ["test"], ["verilog"], ["doctor"], ["trace", "stat"]])
def test_commands_that_report_figures_have_json(tmu: Tmu, words: list[str]) -> None:
    assert "--json" in tmu(*words, "--help").stdout


WRONG = {
    "no such command": (["bake"], "no command 'bake'; the commands are run, test, trace"),
    "no such option": (["run", "--speed"], "No such option"),
    "no such engine": (
        ["run", "--engine", "fpga"],
        f"'--engine': 'fpga' is not one of {str(engine.ENGINES)[1:-1]}",
    ),
    "no such preset": (["run", "--preset", "big"], "no preset 'big'; the presets are nic, tiny"),
    "preset for proofs": (["run", "--preset", "formal"], "has narrow keys and handles"),
    "verilog preset": (["verilog", "--preset", "big"], "no preset 'big'; the presets are"),
    "quota of nothing": (["run", "--quota", "0"], "0 is not in the range 1<=x<=1048576"),
    "less memory than none": (["run", "--spill", "-1"], "-1 is not in the range x>=0"),
    "too much memory": (
        ["run", "--preset", "tiny", "--spill", "5"],
        "--spill 5: preset tiny takes 4 segments at most",
    ),
    "pauses need rtl": (
        ["run", "--engine", "model", "--pauses", "1"],
        "--pauses needs the engine rtl, not model",
    ),
    "wave needs rtl": (
        ["run", "--engine", "model", "--wave", "w.fst"],
        "--wave needs the engine rtl, not model",
    ),
    "clock of a run that keeps no times": (
        ["run", "--clock-mhz", "100"],
        "--clock-mhz: found it without --timed, expected both",
    ),
    "memory for queues without a limit": (
        ["run", "--engine", "list", "--preset", "tiny", "--spill", "2"],
        "--spill 2 needs an engine with a device, rtl or model, not list",
    ),
    "seed of a load that draws nothing": (
        ["bench", "--queues", "--seed", "3"],
        "--queues takes only --preset, --quick, --plots and --json beside it; found --seed",
    ),
    "kind beside random operations": (
        ["bench", "--random", "10", "--kind", "exact"],
        "--random takes only --preset, --seed, --flowing and --json beside it; found --kind",
    ),
    "position that no chosen kind has": (
        ["bench", "--preset", "tiny", "--kind", "fifo,exact", "--position", "oldest"],
        "--kind: found no cell of fifo beside the other choices",
    ),
    "kind that software does not have": (
        ["bench", "--preset", "tiny", "--software", "--kind", "append"],
        "--software: found append, expected kinds that software has",
    ),
    "preset of lanes": (
        ["synth", "--lanes", "--preset", "tiny"],
        "lanes take only --family, --timeout and --json beside them; found --preset",
    ),
    "seed without a placer": (
        ["synth", "--preset", "tiny", "--family", "xcup", "--seed", "4"],
        "placing and routing is for --family ecp5; found --seed",
    ),
    "compiler and a program": (
        ["mpi", "--compiler", "system", "-n", "4", "--", "true"],
        "--compiler takes nothing beside it; found -n, -- PROGRAM...",
    ),
    "loud and quiet": (["doctor", "-v", "-q"], "found --verbose and --quiet, expected one of them"),
    "fast and long": (
        ["test", "--fast", "--long"],
        "found --fast and --long, expected one of them",
    ),
    "wave path that the device would cut": (
        ["run", "--wave", "a&b.fst"],
        "--wave a&b.fst: found '&', expected a path without & and ?",
    ),
    "log in no folder": (
        ["run", "--trace", "t", "--verdicts", "none/v"],
        "--verdicts none/v: found no folder none, expected one to write in",
    ),
    "log over its trace": (
        ["run", "--trace", "t", "--verdicts", "./t"],
        "--verdicts t: found a trace of this run, expected another file",
    ),
    "device preset": (["device", "--preset", "big"], "no preset 'big'; the presets are nic, tiny"),
    "vm preset": (["vm", "--preset", "big", "true"], "no preset 'big'; the presets are nic, tiny"),
    "vm driver": (
        ["vm", "--driver", "uio", "true"],
        "'--driver': 'uio' is not one of 'vfio-pci', 'tmu'",
    ),
    "vm without a command": (["vm"], "Missing argument 'COMMAND"),
    "device for proofs": (["device", "--preset", "formal"], "has narrow keys and handles"),
    "socket with a long path": (
        ["device", "--socket", f"/tmp/{'x' * 103}"],
        "found 108 characters, expected 107 at most",
    ),
    "socket in no folder": (
        ["device", "--socket", "/nowhere/socket"],
        "--socket /nowhere/socket: found no folder /nowhere, expected one",
    ),
    "socket over a file": (
        ["device", "--socket", "/dev/null"],
        "--socket /dev/null: found a file there, expected a socket or nothing",
    ),
    "wave that the device's library would cut": (
        ["device", "--socket", "/tmp/s", "--wave", "a?b.fst"],
        "--wave a?b.fst: found '?', expected a path without & and ?",
    ),
    "record what": (["trace", "record"], "Missing argument"),
    "metadata": (
        ["trace", "record", "--meta", "app", "--", "true"],
        "--meta app: found no '=', expected NAME=VALUE",
    ),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_told_and_ends_with_2(tmu: Tmu, case: tuple[list[str], str]) -> None:
    words, sentence = case
    done = tmu(*words)
    assert sentence in " ".join(done.stderr.split())
    assert done.returncode == 2
    assert done.stdout == ""


def test_missing_trace_is_named(tmu: Tmu) -> None:
    done = tmu("run", "--trace", "nowhere.trace")
    assert "nowhere.trace:0: found no readable file" in done.stderr
    assert done.returncode == 2


def test_folder_is_no_trace(tmu: Tmu, tmp_path: Path) -> None:
    done = tmu("run", "--trace", tmp_path)
    assert f"{tmp_path}:0: found no readable file (Is a directory)" in done.stderr
    assert done.returncode == 2


CONTENTS = {
    "empty": (b"", "1: found an empty file"),
    "other version": (b"# tmu-trace v9\n", '1: found "# tmu-trace v9"'),
    "malformed line": (b"# tmu-trace v1\npost 0 1 7 any any\n", "2: found "),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("case", CONTENTS.values(), ids=CONTENTS.keys())
@pytest.mark.parametrize("words", [["run", "--trace"], ["trace", "stat"]], ids=["run", "stat"])
def test_malformed_trace_is_refused_with_its_line(
    tmu: Tmu, tmp_path: Path, words: list[str], case: tuple[bytes, str], packed: bool
) -> None:
    content, found = case
    file = tmp_path / "bad.trace"
    file.write_bytes(gzip.compress(content) if packed else content)
    done = tmu(*words, "bad.trace")
    assert f"bad.trace:{found}" in done.stderr
    assert ", expected " in done.stderr
    assert done.returncode == 2
    assert done.stdout == ""


def test_half_a_gzip_file(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "cut.trace.gz").write_bytes(gzip.compress(b"# tmu-trace v1\n" * 9)[:25])
    done = tmu("run", "--trace", "cut.trace.gz")
    assert "expected a complete gzip file" in done.stderr
    assert done.returncode == 2


def test_an_error_of_the_system_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rtl, "ensure_located", lambda preset: paths.ROOT / "docs" / "decisions")
    assert main(["verilog", "-o", "/proc/x"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("tmu: [Errno ") and "'/proc/x'" in said and said.count("\n") == 1


def test_the_front_door_is_this_command_line() -> None:
    """The command line that the tests above call is what `./tmu` starts."""
    done = subprocess.run(
        [paths.ROOT / "tmu", "run", "--speed"], capture_output=True, text=True, check=False
    )
    assert "No such option" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.slow
def test_doctor_reports_every_pinned_package(tmu: Tmu) -> None:
    done = tmu("doctor", "--json")
    report = json.loads(done.stdout)
    tools = {tool["tool"]: tool for tool in report["tools"]}
    for name in ("g++", "java", "build/venv", "verilator", "cocotb", "click"):
        assert tools[name]["state"] == "ok", tools[name]
    assert tools["verilator"]["found"] == tools["verilator"]["wanted"] == "5.48.0"
    assert report["ok"] == (done.returncode == 0)


@pytest.mark.slow
def test_doctor_for_people(tmu: Tmu) -> None:
    done = tmu("doctor")
    assert "how to get it" in done.stdout
    assert done.returncode in (0, 3)
