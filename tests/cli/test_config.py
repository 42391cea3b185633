# SPDX-License-Identifier: Apache-2.0
"""`tmu config`, and --config of the commands: a configuration of one's own from a file."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import configuration, parameters, regs
from opentmu.cli import COMMANDS

Tmu = Callable[..., subprocess.CompletedProcess[str]]

GOOD = 'base = "tiny"\nendpoints = 16 # as many as ranks\ntagBits = 24\nparity = false\n'
WITH_PRESET = ("run", "bench", "synth", "verilog", "mpi", "device", "vm", "faults", "test")


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_show_prints_every_parameter_with_range_and_help(tmu: Tmu) -> None:
    done = tmu("config", "show", "--preset", "nic")
    assert done.returncode == 0
    for name, one in parameters.all_by_name().items():
        assert f" {name} " in done.stdout
        assert one.help.split()[0] in done.stdout
    shown = json.loads(tmu("config", "show", "--preset", "tiny", "--json").stdout)
    assert shown == {"name": "tiny", "base": "tiny", "values": parameters.preset("tiny")}


def test_show_marks_what_a_file_changes(tmu: Tmu, tmp_path: Path) -> None:
    file = write(tmp_path, GOOD)
    shown = json.loads(tmu("config", "show", "--config", file, "--json").stdout)
    assert shown["base"] == "tiny" and shown["name"].startswith("mine-")
    changed = {"endpoints": 16, "tagBits": 24, "parity": False}
    assert shown["values"] == {**parameters.preset("tiny"), **changed}
    assert "mine-" in tmu("config", "show", "--config", file).stdout


def test_check_says_what_a_legal_file_is(tmu: Tmu, tmp_path: Path) -> None:
    file = write(tmp_path, GOOD)
    done = tmu("config", "check", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{file}: legal; mine-" in done.stdout
    assert "is tiny with endpoints 16, tagBits 24, parity false\n" in done.stdout
    found = json.loads(tmu("config", "check", file, "--json").stdout)
    assert found["changed"] == {"endpoints": 16, "tagBits": 24, "parity": False}


WRONG = {
    "no base": ("endpoints = 4\n", ': found no key base, expected base = "PRESET", one of nic, '),
    "no such base": ('\nbase = "huge"\n', ":2: base: found 'huge', expected nic, tiny, "),
    "base of a type": ("base = 5\n", ":1: base: found 5, expected nic, tiny, "),
    "no such parameter": (
        'base = "nic"\n\nendpoint = 4\n',
        ":3: found 'endpoint', expected base or a parameter; did you mean endpoints?",
    ),
    "a table": (
        'base = "nic"\n[key]\ntagBits = 4\n',
        ":2: found 'key', expected base or a parameter",
    ),
    "text": (
        'base = "nic"\nendpoints = "4"\n',
        ":2: endpoints is '4'; it must be a power of two from 2 to 4096",
    ),
    "a fraction": ('base = "nic"\nendpoints = 4.0\n', ":2: endpoints is 4.0; it must be a power"),
    "a flag": ('base = "nic"\nqueues = true\n', ":2: queues is true; it must lie between 2 and"),
    "no flag": ('base = "nic"\nparity = 1\n', ":2: parity is 1; it must be true or false"),
    "no power of two": ('base = "nic"\n# 2^n\nlanes = 48\n', ":3: lanes is 48; it must be a power"),
    "outside": ('base = "nic"\ntagBits = 33\n', ":2: tagBits is 33; it must lie between 2 and 32"),
    "one row": (
        'base = "tiny"\nlanes = 32\n',
        ":2: arrayEntries is 32; it must be at least 2 times lanes, 32: ",
    ),
    "two entries": (
        'base = "tiny"\npostedEntries = 2\n',
        ":2: postedEntries is 2; it must be a power of two from 4 to 1048576",
    ),
    "no TOML": ('base = "nic"\nlanes 4\n', ": found no TOML: "),
    "twice": ('base = "nic"\nlanes = 4\nlanes = 4\n', ": found no TOML: "),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_with_file_line_and_what_was_expected(
    tmu: Tmu, tmp_path: Path, case: tuple[str, str]
) -> None:
    text, sentence = case
    file = write(tmp_path, text)
    done = tmu("config", "check", file)
    assert f"{file}{sentence}" in done.stderr.replace("\n", " ")
    assert (done.returncode, done.stdout) == (2, "")


def test_a_file_that_cannot_be_read_is_named(tmu: Tmu, tmp_path: Path) -> None:
    for file in (tmp_path / "none.toml", tmp_path):
        done = tmu("config", "check", file)
        assert f"{file}: found no readable file" in done.stderr
        assert done.returncode == 2
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert tmu("config", "check", binary).returncode == 2


def test_the_schema_describes_every_parameter(tmu: Tmu) -> None:
    schema = json.loads(tmu("config", "schema").stdout)
    assert list(schema["properties"]) == ["base", *parameters.all_by_name()]
    assert schema["properties"]["base"]["enum"] == list(regs.PRESETS)
    assert schema["properties"]["tagBits"]["maximum"] == 32
    assert schema["properties"]["spillSegments"]["enum"] == [0, 1, 2, 4, 8, 16, 32, 64, 128]
    assert all(one["description"] for one in schema["properties"].values())


def test_presets_have_the_values_that_chisel_says() -> None:
    """Two generated files tell the same."""
    for name, preset in regs.PRESETS.items():
        values = parameters.preset(name)
        assert (values["endpoints"], values["lanes"]) == (preset.endpoints, preset.lanes)
        assert values["contextBits"] + values["tagBits"] == preset.match_bits


def test_a_configuration_is_known_by_its_content(tmp_path: Path) -> None:
    """Builds are the same for the same hardware, whatever the file's name and comments."""
    one = configuration.read(write(tmp_path, GOOD))
    two = configuration.read(
        write(tmp_path, 'tagBits=24\nparity=false\nendpoints=16\nbase="tiny"\n', "my other.toml")
    )
    other = configuration.read(write(tmp_path, GOOD.replace("24", "23"), "third.toml"))
    assert one.build_name == two.build_name != other.build_name
    assert one.name == f"mine-{one.hash[:8]}" and two.name == f"my_other-{one.hash[:8]}"
    usual = configuration.read(write(tmp_path, 'base = "tiny"\n', "usual.toml"))
    assert usual.preset().number == regs.PRESET_OWN


@pytest.mark.parametrize("name", WITH_PRESET)
def test_every_command_with_a_preset_takes_a_file(tmu: Tmu, tmp_path: Path, name: str) -> None:
    more = ["--", "true"] if name in ("mpi", "vm") else []
    both = ["--preset", "tiny", "--config", write(tmp_path, GOOD)]
    done = tmu(name, *both, *more)
    assert "found --preset and --config, expected one of them" in " ".join(done.stderr.split())
    assert done.returncode == 2
    wrong = tmu(name, "--config", write(tmp_path, 'base = "tiny"\nlanes = 3\n'), *more)
    assert "lanes is 3; it must be a power of two from 2 to 256" in " ".join(wrong.stderr.split())
    assert wrong.returncode == 2


def test_every_command_that_has_preset_has_config(tmu: Tmu) -> None:
    for name in COMMANDS:
        text = tmu(name, "--help").stdout
        assert ("--preset" in text) == ("--config" in text), name
        assert ("--preset TEXT" in text) == (name in WITH_PRESET), name


def run(tmu: Tmu, folder: Path, operations: str, *options: str) -> subprocess.CompletedProcess[str]:
    trace = write(folder, f"# tmu-trace v1\n{operations}", "one.trace")
    return tmu("run", "--config", write(folder, GOOD), "--trace", trace, *options)


@pytest.mark.parametrize("engine", ["model", "list"])
def test_a_run_names_its_configuration(tmu: Tmu, tmp_path: Path, engine: str) -> None:
    """R2: a negative tag of 24 bits is not taken by ANY_TAG; reports have the file's name."""
    operations = "arrive 15 1 0 3 -8388608 8\npost 15 2 0 any any 8\npost 15 3 0 3 -8388608 8\n"
    done = run(tmu, tmp_path, operations, "--engine", engine, "--json", "--verdicts", "v")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["preset"].startswith("mine-") and result["mismatches"] == 0
    log = "arrive 1 queued\npost 2 queued\npost 3 matched 1\n"
    assert (tmp_path / "v").read_text() == log


@pytest.mark.parametrize("engine", ["rtl", "model"])
def test_a_trace_that_has_no_room_is_refused_before_anything_is_built(
    tmu: Tmu, tmp_path: Path, engine: str
) -> None:
    done = run(tmu, tmp_path, "post 0 2 0 any 8388608 8\n", "--engine", engine)
    sentence = "one.trace:2: tag 8388608 has no room in the 24 bits that the unit keeps of it"
    assert sentence in " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "elaborating" not in done.stderr


def test_what_draws_keys_of_all_bits_says_so(tmu: Tmu, tmp_path: Path) -> None:
    done = tmu("bench", "--config", write(tmp_path, GOOD))
    assert "keeps 56 match bits and 32 source bits, expected all 64 and 32" in " ".join(
        done.stderr.split()
    )
    assert done.returncode == 2
