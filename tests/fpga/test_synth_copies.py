# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that address many small memories: who gets one; nothing else moves."""

import copy
from typing import Any

import pytest
from opentmu.synth import copies

REGISTER, WRITES = 5, 6


def module(memories: int, driver: str = copies.REGISTER) -> dict[str, Any]:
    """So many memories whose read address is REGISTER's and whose write address is WRITES's."""
    cells: dict[str, Any] = {
        "pointer": {"type": driver, "connections": {"DI": [3], "CE": [4], "Q": [REGISTER]}},
        "writes": {"type": "LUT4", "connections": {"Z": [WRITES]}},
        "logic": {"type": "LUT4", "connections": {"A": [REGISTER], "Z": [7]}},
    }
    for index in range(memories):
        ports = {"RAD": ["0", REGISTER], "WAD": [WRITES, "0"], "DO": [100 + index]}
        cells[f"memory.{index}"] = {"type": copies.MEMORY, "connections": ports}
    return {"cells": cells, "netnames": {"pointer": {"bits": [REGISTER], "attributes": {}}}}


@pytest.mark.parametrize(("memories", "made"), [(2, 0), (72, 0), (73, 2), (108, 2), (140, 3)])
def test_a_register_gets_as_many_copies_as_its_memories_ask_for(memories: int, made: int) -> None:
    built = module(memories)
    before = copy.deepcopy(built)
    assert copies.make(built) == made
    new = {name: cell for name, cell in built["cells"].items() if name not in before["cells"]}
    assert len(new) == made
    drivers = {REGISTER: "pointer"}
    for name, cell in new.items():
        (net,) = cell["connections"]["Q"]
        assert net not in drivers and net > 99 + memories, "a net of its own"
        assert built["netnames"][name]["bits"] == [net]
        drivers[net] = name
        rest = {"type": cell["type"], "connections": cell["connections"] | {"Q": [REGISTER]}}
        assert rest == before["cells"]["pointer"], "a copy in all but what it drives"
    shares: dict[str, list[int]] = {}
    for index in range(memories):
        constant, net = built["cells"][f"memory.{index}"]["connections"]["RAD"]
        assert constant == "0"
        shares.setdefault(drivers[net], []).append(index)
        built["cells"][f"memory.{index}"]["connections"]["RAD"] = ["0", REGISTER]
    assert set(shares) == set(drivers.values()), "each drives some"
    for indices in shares.values():
        assert indices == list(range(indices[0], indices[-1] + 1)), "neighbouring bits together"
        assert len(indices) <= copies.ENDS or not made
    for name in new:
        del built["cells"][name], built["netnames"][name]
    assert built == before, "nothing else has moved"


def test_what_is_no_register_gets_no_copy() -> None:
    built = module(140, driver="LUT4")
    before = copy.deepcopy(built)
    assert copies.make(built) == 0
    assert built == before
