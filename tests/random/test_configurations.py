# SPDX-License-Identifier: Apache-2.0
"""Configurations at random: each is refused with a sentence, or elaborates and is right.

What is legal is elaborated, simulated and soaked; what is not is refused in the same words by the
file's reader and by Chisel.  Each run prints its seed; TMU_SEED replays one.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from opentmu import configuration, parameters, presets, toolchain
from opentmu.bench import seed
from opentmu.build import cbuild, rtl, verilate
from opentmu.errors import BadInput
from opentmu.parameters import Values

pytestmark = pytest.mark.mill

BASE = "small"  # without a network side, whose messages would bound the tables
LONG = 24
JUDGED = 400  # configurations that two checkers judge
OPERATIONS = 3_000


def write(values: Values, file: Path) -> Path:
    """The file of a configuration."""
    lines = [f"{name} = {str(value).lower()}" for name, value in values.items()]
    file.write_text("\n".join([f'base = "{BASE}"', *lines, ""]))
    return file


def small(random: Random) -> Values:
    """A legal configuration that is quick to build: every parameter is drawn."""
    sizes = [2, 4, 8]
    lanes = random.choice(sizes)
    array = lanes * random.choice(sizes)
    deep = random.random() < 0.6
    factors = [2, 4, 8] if deep else [1]
    ids = random.choice([12, 16, 20])
    return {
        "endpoints": random.choice([2, 4, 8, 16]),
        "postedEntries": array * random.choice(factors),
        "unexpectedEntries": array * random.choice(factors),
        "arrayEntries": array,
        "lanes": lanes,
        "filterLanes": random.choice([2, 4, 8, 16]),
        "filterBits": random.choice([8, 16, 32]),
        "contextBits": random.choice([2, 8, 16, 32]),
        "tagBits": random.choice([8, 16, 24, 32]),
        "sourceBits": random.choice([4, 16, 32]),
        "handleBits": random.choice([20, 32, 64]),
        "addressBits": random.choice([16, 40, 64]),
        "lengthBits": random.choice([10, 32, 48]),
        "idBits": ids,
        "queues": random.randrange(16, 24),
        "commandSlots": random.choice([64, 128, 256]),
        "spillSegments": random.choice([0, 0, 1, 2]),
        "parity": random.random() < 0.5,
        "reserve": random.random() < 0.5,
    }


# Values of parameters at their least, or beyond what is usual.
EDGES: dict[str, list[int]] = {
    "endpoints": [2, 256],
    "lanes": [2],
    "filterLanes": [2, 64],
    "contextBits": [1],
    "tagBits": [2],
    "sourceBits": [1],
    "handleBits": [10, 14],
    "addressBits": [1],
    "lengthBits": [1],
    "queues": [2, 3, 100],
    "commandSlots": [4, 8],
    "spillSegments": [0, 1],
}


def at_edges(random: Random) -> Values:
    """A small configuration of which several parameters are at the ends of their ranges."""
    while True:
        values = small(random)
        for name, numbers in EDGES.items():
            if random.random() < 0.5:
                values[name] = random.choice(numbers)
        lanes, deep = int(values["lanes"]), random.random() < 0.5
        values["arrayEntries"] = array = lanes * random.choice([2, 2, 4])
        for table in ("postedEntries", "unexpectedEntries"):
            values[table] = array * (random.choice([2, 4]) if deep else 1)
        # With memory a run is as short as there are ids: too short to meet anything with a few.
        least = 10 if values["spillSegments"] else int(values["postedEntries"]).bit_length()
        values["idBits"] = random.choice([least, 14])
        if parameters.complaint({**parameters.preset(BASE), **values}) is None:
            return values


def wild(random: Random) -> Values:
    """A configuration that is legal now and then: some values are replaced by any others."""
    values = small(random)
    for name, one in parameters.all_by_name().items():
        if random.random() < 0.9:
            continue
        if one.kind == parameters.FLAG:
            values[name] = not values[name]
        elif random.random() < 0.5:
            values[name] = random.randrange(-1, 70)
        else:
            values[name] = random.choice([*one.numbers, max(one.numbers) + 1, 2 * max(one.numbers)])
    return values


def soak(library: Path, number: int) -> dict[str, Any]:
    """Random operations with resets, quotas and reserves on the hardware, judged by the law."""
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    uri = f"sim:{library}?pauses={number}"
    words = [str(program), "--uri", uri, "--random", str(OPERATIONS), "--seed", str(number)]
    done = subprocess.run([*words, "--soak"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def build(name: str, folder: Path) -> Path:
    """The simulation of a configuration in a folder of the test's own."""
    design, top, device = (folder / part for part in ("rtl", "top", "device"))
    for one in (design, top, device):
        one.mkdir()
    toolchain.need_mill()
    rtl.write(name, design)
    verilate.make_top(name, design, top, wave=False, optimise=verilate.OPTIMISE_LITTLE)
    verilate.make_library(name, top, device, wave=False)
    return device / verilate.library_name(name)


def built_and_right(values: Values, number: int, folder: Path) -> None:
    """R1 to R15 on the hardware of a configuration: one soak within the tables, one beyond."""
    seed.announce(number)
    print((file := write(values, folder / "drawn.toml")).read_text())
    name = presets.use(file)
    library = build(name, folder)
    met: Counter[str] = Counter()
    for value in (2 * number, 2 * number + 1):
        result = soak(library, value)
        assert (result["operations"], result["mismatches"]) == (OPERATIONS, 0)
        assert result["preset"] == "own" and result["counters"]["malformed"] == 0
        met.update(result["counters"])
    for counter in ("post_matched", "arrive_matched", "cancelled"):
        assert met[counter] > 0, f"{counter}: these soaks tested nothing"


@pytest.mark.long
@pytest.mark.parametrize("index", range(LONG))
def test_a_random_configuration_is_right(index: int, tmp_path: Path) -> None:
    """R1 to R15, R13 and R14 above all: rows, lanes, widths, endpoints, spill, parity at random."""
    number = seed.choose() + index
    built_and_right(small(Random(number)), number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("index", range(LONG))
def test_a_configuration_at_its_edges_is_right(index: int, tmp_path: Path) -> None:
    """R1 to R15 where parameters are at the ends of their ranges."""
    number = seed.choose() + index
    built_and_right(at_edges(Random(number)), number, tmp_path)


# Found by the draws above, or just inside a bound; each with the seed of its soaks.
NAMED: dict[str, tuple[int, Values]] = {
    "four entries, two rows of two lanes": (
        274850760,
        {
            "endpoints": 2,
            "postedEntries": 4,
            "unexpectedEntries": 4,
            "arrayEntries": 4,
            "lanes": 2,
            "filterLanes": 4,
            "contextBits": 1,
            "tagBits": 2,
            "handleBits": 32,
            "lengthBits": 1,
            "idBits": 3,
            "queues": 19,
            "commandSlots": 8,
            "spillSegments": 0,
        },
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("case", NAMED.values(), ids=NAMED.keys())
def test_a_named_configuration_is_right(case: tuple[int, Values], tmp_path: Path) -> None:
    """R1 to R15, as above."""
    number, values = case
    built_and_right(values, number, tmp_path)


def by_chisel(all_values: Sequence[Values], folder: Path) -> list[str]:
    """Complaint of Chisel about each configuration; empty for a legal one."""
    words = [
        f"{BASE}:" + ",".join(f"{name}={int(value)}" for name, value in values.items())
        for values in all_values
    ]
    return rtl.ask("check", *words)


def by_file(values: Values, folder: Path) -> str:
    """Complaint of the reader of a file; empty for a legal configuration."""
    file = write(values, folder / "one.toml")
    try:
        configuration.read(file)
    except BadInput as error:
        return str(error)
    return ""


def test_chisel_and_the_readers_of_files_judge_alike(tmp_path: Path) -> None:
    """The same configurations are legal, and the others are refused in the same words."""
    number = seed.announce()
    random = Random(number)
    drawn = [wild(random) for _ in range(JUDGED)]
    said = by_chisel(drawn, tmp_path)
    assert len(said) == JUDGED
    for values, sentence in zip(drawn, said, strict=True):
        found = parameters.complaint({**parameters.preset(BASE), **values})
        assert (f"preset own: {found}" if found else "") == sentence
        assert bool(by_file(values, tmp_path)) == bool(sentence)
    refused = sum(bool(sentence) for sentence in said)
    assert JUDGED // 10 < refused < JUDGED * 9 // 10


@pytest.mark.long
def test_the_largest_preset_elaborates() -> None:
    """`max`, which no other test has Chisel write, has every module of `nic`."""
    largest, usual = (
        {file.name for file in rtl.ensure(name).glob("*.sv")} for name in ("max", "nic")
    )
    assert "TmuTop.sv" in largest
    assert {"MatchUnit.sv", "FilterTablePosted.sv", "Spill.sv"} <= largest & usual


@pytest.mark.parametrize("name", parameters.presets())
def test_every_preset_is_legal(name: str) -> None:
    """A preset keeps the rules that files are held to."""
    assert parameters.complaint(parameters.preset(name)) is None
