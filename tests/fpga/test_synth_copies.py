# SPDX-License-Identifier: Apache-2.0
"""Copies of what drives many others: who gets one, and for whom; nothing else moves."""

import copy
from typing import Any

import pytest
from opentmu.synth import copies

DRIVER, WRITES = 5, 6
WAYS = dict.fromkeys(["A", "CE", "DI", "RAD", "WAD"], "input") | dict.fromkeys("QZ", "output")
WAYS["DO"] = "output"


def cell(kind: str, **connections: list[int | str]) -> dict[str, Any]:
    return {"type": kind, "connections": connections, "port_directions": WAYS}


def driver(kind: str) -> dict[str, Any]:
    driven: dict[str, list[int | str]] = {copies.DRIVERS.get(kind, "Z"): [DRIVER]}
    return cell(kind, A=[3], CE=[4], **driven)


def memories(count: int) -> dict[str, Any]:
    """So many memories whose read address is DRIVER's and whose write address is WRITES's."""
    cells = {"driver": driver("TRELLIS_FF"), "writes": cell("PFUMX", Z=[WRITES])}
    for index in range(count):
        ports: dict[str, list[int | str]] = {"RAD": ["0", DRIVER], "WAD": [WRITES, "0"]}
        cells[f"memory.{index}"] = cell("TRELLIS_DPR16X4", **ports, DO=[100 + index])
    return {"cells": cells, "netnames": {}}


def selected(count: int, kind: str = "LUT4") -> dict[str, Any]:
    """So many LUTs in front of the bits of a register, in an order that says nothing."""
    cells = {"driver": driver(kind)}
    for index in range(count):
        name = f"$auto${(index * 37) % 1000}"
        cells[name] = cell("LUT4", A=[DRIVER], Z=[1000 + index])
        cells[f"{name}$register"] = cell("TRELLIS_FF", DI=[1000 + index], Q=[2000 + index])
    bits = list(range(2000, 2000 + count))
    return {"cells": cells, "netnames": {"word": {"bits": bits, "hide_name": 0}}}


def shares(built: dict[str, Any], before: dict[str, Any]) -> dict[str, list[str]]:
    """Which cells each copy drives; takes the copies out of `built` again."""
    new = {name: one for name, one in built["cells"].items() if name not in before["cells"]}
    of_net = {DRIVER: "driver"}
    for name, one in new.items():
        port = copies.DRIVERS[one["type"]]
        (net,) = one["connections"][port]
        assert net not in of_net and net > 2000, "a net of its own"
        assert built["netnames"][name]["bits"] == [net]
        of_net[net] = name
        whole = one | {"connections": one["connections"] | {port: [DRIVER]}}
        assert whole == before["cells"]["driver"], "a copy in all but what it drives"
        assert copies.original(name) == "driver"
        del built["cells"][name], built["netnames"][name]
    found: dict[str, list[str]] = {name: [] for name in of_net.values()}
    for name, one in built["cells"].items():
        for port, bits in one["connections"].items():
            for bit, net in enumerate(bits):
                if net in of_net and WAYS[port] == "input":
                    found[of_net[net]].append(name)
                    bits[bit] = DRIVER
    assert built == before, "nothing else has moved"
    return found


def widened(built: dict[str, Any]) -> dict[str, Any]:
    """With a name for a net whose number is higher than those of all others."""
    built["netnames"]["last"] = {"bits": [3000], "hide_name": 1}
    return built


@pytest.mark.parametrize(("count", "made"), [(2, 0), (64, 0), (65, 2), (96, 2), (97, 3), (140, 4)])
def test_memories_are_shared_by_their_numbers(count: int, made: int) -> None:
    built = widened(memories(count))
    before = copy.deepcopy(built)
    assert copies.make(built) == made
    found = shares(built, before)
    assert len(found) == made + 1
    for names in found.values():
        numbers = [int(name.removeprefix("memory.")) for name in names]
        assert numbers == list(range(numbers[0], numbers[-1] + 1)), "neighbours together"
        assert 2 * len(numbers) <= copies.ENDS + 2 or not made


@pytest.mark.parametrize("kind", ["LUT4", "TRELLIS_FF"])
@pytest.mark.parametrize(("count", "made"), [(128, 0), (129, 2), (500, 7)])
def test_ends_are_shared_by_the_bits_behind_them(kind: str, count: int, made: int) -> None:
    built = widened(selected(count, kind))
    before = copy.deepcopy(built)
    register = {
        name: before["cells"][f"{name}$register"]["connections"]["Q"][0]
        for name in before["cells"]
        if f"{name}$register" in before["cells"]
    }
    assert copies.make(built) == made
    found = shares(built, before)
    assert len(found) == made + 1
    for names in found.values():
        bits = sorted(register[name] for name in names)
        assert bits == list(range(bits[0], bits[-1] + 1)), "neighbouring bits of the word"
        assert len(bits) <= copies.ENDS or not made


def test_arguments_and_enables_have_copies_of_their_own() -> None:
    """What is decided with a bit lies elsewhere than the word that it enables."""
    built = widened(selected(40))
    for index in range(100):
        built["cells"][f"enabled.{index}"] = cell("TRELLIS_FF", CE=[DRIVER], Q=[2500 + index])
    before = copy.deepcopy(built)
    assert copies.make(built) == 2
    found = shares(built, before)
    kinds = [{before["cells"][name]["type"] for name in names} for names in found.values()]
    assert sorted(map(len, found.values())) == [40, 50, 50]
    assert all(len(kind) == 1 for kind in kinds), "LUTs and registers apart"


def test_what_is_no_register_and_no_lut_gets_no_copy() -> None:
    built = selected(500, "PFUMX")
    before = copy.deepcopy(built)
    assert copies.make(built) == 0
    assert built == before
