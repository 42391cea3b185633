# SPDX-License-Identifier: Apache-2.0
"""The software engines give the log of the law, on recorded traffic and on random operations.

Random tests print their seed; TMU_SEED replays one.
"""

import json
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths, toolchain
from opentmu.bench import seed
from opentmu.build import cbuild
from opentmu.replay import engine as engines

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]

# AVX-512 is not on every machine; where it is, it is what `fuzzy` is.
ENGINES = tuple(name for name in engines.software() if name != "fuzzy-avx512")
COMMITTED = sorted(paths.TRACES.glob("*.trace.gz"))
SOURCES = paths.SIM / "engines"
# More sets of ignored bits than the fuzzy engine has slots for.
MASKS = (0, 0, 0, 0x7FFFFFFF, 0xFF, 0xFF00, 0xFFFFFFFF00000000, 2**64 - 1, 1, 2, 4)


def run(name: str, *words: str | Path) -> Done:
    """A program of the C build with arguments."""
    program = cbuild.program(cbuild.ensure(), name)
    return subprocess.run(
        [str(program), *map(str, words)], capture_output=True, text=True, check=False
    )


def law(trace: Path, *limits: str) -> str:
    """The log that the model demands."""
    done = run("tmu-expected-log", *limits, trace)
    assert done.returncode == 0, done.stderr
    return done.stdout


def operation(rng: random.Random, number: int, endpoints: int, tags: int, stride: int) -> str:
    """One random line of a trace; posts and arrivals are the most frequent."""
    kind = rng.choice(["post"] * 5 + ["arrive"] * 5 + ["probe", "claim", "cancel"])
    endpoint = rng.randrange(endpoints) if rng.random() > 0.01 else endpoints
    if rng.random() < 0.002:
        return f"flush {endpoint} {number}"
    if kind == "cancel":
        return f"cancel {endpoint} {number} {max(0, number - rng.randrange(60))}"
    size = f" {rng.randrange(3)}" if kind in ("post", "arrive") else ""
    context, tag = rng.randrange(2), rng.randrange(tags) * stride - (rng.random() < 0.1)
    source: object = rng.randrange(3)
    if kind != "arrive" and rng.random() < 0.3:
        source = "any"
    if rng.random() < 0.3:
        ignore = "" if kind == "arrive" else f" {rng.choice(MASKS):#x}"
        match = context << 32 | tag & 0xFFFFFFFF
        return f"raw-{kind} {endpoint} {number} {match:#x}{ignore} {source}{size}"
    any_tag = kind != "arrive" and rng.random() < 0.2
    return f"{kind} {endpoint} {number} {context} {source} {'any' if any_tag else tag}{size}"


def operations(rng: random.Random, count: int, endpoints: int) -> Iterator[str]:
    """Shallow and deep stretches in turn; tags with equal lower bits among them."""
    for number in range(count):
        deep = number // 1000 % 2
        tags, stride = (400, 65536) if deep else (3, 1)
        yield operation(rng, number, endpoints, tags, stride)


def random_trace(file: Path, count: int, endpoints: int) -> Path:
    value = seed.announce()
    lines = operations(random.Random(value), count, endpoints)
    file.write_text("# tmu-trace v1\n" + "".join(f"{line}\n" for line in lines))
    return file


# The limits as the engine's program and as the model's takes them.
CAPACITY = ("--posted", "40", "--unexpected", "40")
LIMITS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no limit": ((), ()),
    "quota 3": (("--quota", "3"), ("--quota-posted", "3", "--quota-unexpected", "3")),
    "capacity 40": (CAPACITY, CAPACITY),
}


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("engine", ENGINES)
def test_r1_to_r14_random_operations(tmp_path: Path, engine: str, limits: str) -> None:
    """R11 included: refused posts and arrivals that are held back."""
    mine, models = LIMITS[limits]
    trace = random_trace(tmp_path / "random.trace", 8000, 3)
    log = tmp_path / "log"
    words: list[str | Path] = ["--engine", engine, "--endpoints", "3", "--refuse-endpoints", *mine]
    words += ["--trace", trace, "--verdicts", log]
    done = run("tmu-engine", *words)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["mismatches"] == 0
    expected = law(trace, "--endpoints", "3", *models)
    assert log.read_text() == expected
    wanted = ["matched", "queued", "none", "late", "removed", "refused endpoint"]
    wanted += ["refused quota"] if mine else ["found", "cancelled", "truncated"]
    for word in wanted:
        assert f" {word}" in expected, f"{word}: the trace tested nothing"
    assert not mine or result["counters"]["held_max"] > 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("trace", COMMITTED, ids=lambda trace: trace.name.split(".")[0])
def test_recorded_traffic(tmp_path: Path, trace: Path, engine: str) -> None:
    log = tmp_path / "log"
    done = run("tmu-engine", "--engine", engine, "--trace", trace, "--verdicts", log)
    assert done.returncode == 0, done.stderr
    assert log.read_text() == law(trace)


def test_an_engine_is_named_in_its_table_alone() -> None:
    """A new one is a source file, a line in the table and one for CMake; help has it then."""
    assert "list" in engines.SOFTWARE and "fuzzy-portable" not in engines.SOFTWARE
    for program in ("tmu-engine", "tmu-engine-bench"):
        said = run(program, "--help").stdout
        assert " ".join(engines.software()) in said, program
    named = [f'"{name}"' for name in engines.software()]
    sources = [*SOURCES.glob("*.[ch]"), *(paths.ROOT / "sw-driver" / "backends").glob("*.[ch]")]
    sources += (paths.TOOLS / "opentmu").rglob("*.py")
    has = {file.name for file in sources if all(name in file.read_text() for name in named)}
    assert has == {"engines.h"}


@pytest.mark.parametrize("engine", engines.SOFTWARE)
@pytest.mark.parametrize("quota", [None, 2])
def test_tmu_run_has_the_engine(tmu: Tmu, tmp_path: Path, engine: str, quota: int | None) -> None:
    """The contract of `run --json`, without clocks; log and depths as with the model."""
    trace = random_trace(tmp_path / "random.trace", 3000, 4)
    words = ["run", "--trace", trace, "--preset", "tiny", "--json", "--refuse-endpoints"]
    words += ["--quota", str(quota)] if quota else []
    results: dict[str, dict[str, Any]] = {}
    for name in (engine, "model"):
        done = tmu(*words, "--engine", name, "--verdicts", tmp_path / name)
        assert done.returncode == 0, done.stderr
        results[name] = json.loads(done.stdout)
    found, expected = results[engine], results["model"]
    assert (tmp_path / engine).read_text() == (tmp_path / "model").read_text() != ""
    assert found["engine"] == engine
    same = ("preset", "trace", "operations", "matches", "refused", "refused_endpoint", "held")
    depths = ("mismatches", "depth_max", "endpoint_depth_max")
    for key in (*same, *depths, "clocks", "clocks_per_operation", "latency_clocks", "ok"):
        assert found[key] == expected[key], key
    assert found["clocks"] is None
    assert found["ns_per_operation"] > 0
    assert found["counters"]["verified"] > 0


def test_tmu_run_prints_a_table(tmu: Tmu, tmp_path: Path) -> None:
    trace = tmp_path / "one.trace"
    trace.write_text("# tmu-trace v1\npost 0 1 0 any any 8\narrive 0 1 0 0 0 8\n")
    done = tmu("run", "--trace", trace, "--engine", "fuzzy")
    assert done.returncode == 0, done.stderr
    assert "engine fuzzy, preset small" in done.stdout
    assert "all 2 verdicts agree with the reference model" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--timed"], "--timed needs an engine with a device, rtl or model, not fuzzy"),
        (["--clock-mhz", "300"], "--clock-mhz needs an engine with a device"),
        (["--pauses", "1"], "--pauses needs the engine rtl, not fuzzy"),
    ],
)
def test_what_the_engine_does_not_have_is_refused(
    tmu: Tmu, words: list[str], sentence: str
) -> None:
    done = tmu("run", "--engine", "fuzzy", *words)
    assert sentence in " ".join(done.stderr.split())
    assert done.returncode == 2


def test_bad_input_of_the_program_ends_with_2(tmp_path: Path) -> None:
    file = tmp_path / "bad.trace"
    file.write_text("# tmu-trace v1\nflush 0\n")
    done = run("tmu-engine", "--engine", "fuzzy", "--trace", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{file}:2: found 1 field after flush, expected ")
    done = run("tmu-engine", "--engine", "quick", "--trace", file)
    assert done.returncode == 2
    expected = f"expected one that this machine has of {' '.join(engines.software())}\n"
    assert f"found --engine 'quick', {expected}" in done.stderr
    done = run("tmu-engine", "--engine", "list", "--trace", file, "--quota", "few")
    assert done.returncode == 2
    assert "found --quota 'few', expected a number from 0 to" in done.stderr
    for words in ([], ["--engine", "list"], ["--engine", "list", "--trace", file, "more"]):
        done = run("tmu-engine", *words)
        assert done.returncode == 2
        assert "usage: tmu-engine" in done.stderr


# File, text, engine, and the quota (0: none). A quota holds most operations of a random trace back.
MUTANTS = {
    "truncation of equal lengths": ("list_engine.c", "length > (*hit)->length", "list", 0),
    "one more than the quota": ("fuzzy_core.h", "queue->live < engine->quota[side]", "fuzzy", 3),
    "a hole too far": ("fuzzy_core.h", "if (queue->live == 0) {\n        return", "fuzzy", 0),
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS.keys())
def test_a_wrong_engine_is_seen(tmp_path: Path, mutant: tuple[str, str, str, int]) -> None:
    """Canary: the program's own check fails for engines that are wrong in one place."""
    name, right, engine, quota = mutant
    toolchain.need_compiler()
    for source in (*SOURCES.glob("*.[ch]"),):
        text = source.read_text()
        if source.name == name:
            wrong = right.replace(" > ", " >= ").replace(" < ", " <= ").replace("== 0", "<= 2")
            assert right in text and wrong != right
            text = text.replace(right, wrong)
        (tmp_path / source.name).write_text(text)
    folder = cbuild.ensure()
    files = [file for file in sorted(tmp_path.glob("*.c")) if not file.name.startswith("bench_")]
    libraries = ("tmu_model_trace", "tmu_model", "tmu_trace")
    files += [cbuild.program(folder, f"lib{one}_static.a") for one in libraries]
    program = tmp_path / "mutant"
    includes = [f"-I{paths.SIM / part}" for part in ("law", "campaigns/common")]
    flags = ["-std=c11", "-O1", "-D_POSIX_C_SOURCE=200809L", *includes]
    subprocess.run(["gcc", *flags, *files, "-lz", "-o", program], check=True)
    trace = random_trace(tmp_path / "random.trace", 4000, 3)
    words: list[str | Path] = [program, "--engine", engine, "--trace", trace]
    words += ["--endpoints", "3", "--refuse-endpoints", *(["--quota", f"{quota}"] if quota else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["mismatches"] > 0
    assert ": found " in done.stderr and ": expected " in done.stderr


def test_the_benchmark_checks_every_cell() -> None:
    done = run("tmu-engine-bench", "--depth", "0,20", "--batches", "3")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["machine"]["core_ghz"] > 0
    cells = result["cells"]
    assert len(cells) == (7 * 3 + 3) * 2 * len(engines.SOFTWARE)
    assert len({(c["engine"], c["kind"], c["position"], c["depth"]) for c in cells}) == len(cells)
    for cell in cells:
        assert cell["wrong"] == 0
        assert cell["verdicts_checked"] >= 2 * 3 * 256
        pair = cell["ns_per_pair"]
        assert 0 < pair["min"] <= pair["median"] <= pair["p90"]
        assert cell["ns_per_verdict"] == pytest.approx(pair["median"] / 2, abs=0.01)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--kind", "odd"], "found --kind 'odd', expected a word that --help names"),
        (["--depth", "99999"], "found --depth '99999', expected numbers from 0 to 65536"),
        (["--kind", "equal_mod65536", "--depth", "65536"], "expected at most 32000 with --kind"),
        (["--engine", "none"], "found --engine 'none', expected an engine of this machine"),
        (["--engine", ","], "found --engine ',', expected names of engines"),
        (["--cpu", "1023"], "found --cpu 1023 that cannot be had"),
        (["what"], "found the word 'what', expected only options"),
    ],
)
def test_bad_usage_of_the_benchmark_ends_with_2(words: list[str], sentence: str) -> None:
    done = run("tmu-engine-bench", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
