# SPDX-License-Identifier: Apache-2.0
"""Resets and enables of thousands of flip-flops, on the wires that an ECP5 has for clocks.

On the wires of the logic they are among the longest ways there are, and crowd out others. nextpnr
puts a net on the clock network when a DCCA cell drives it, and Yosys makes none
(docs/synthesis.md).
"""

from collections import Counter
from typing import Any

from opentmu.synth import nets

# nextpnr takes eight such nets besides clocks; the fifth widest is a third of the widest already.
MOST = 4
# Narrower ones have no long ways to all their ends.
LEAST_FLIP_FLOPS = 500
PORTS = ("LSR", "CE")
PREFIX = "clock_network$"


def widest(module: dict[str, Any]) -> list[tuple[str, int]]:
    """Port and net of the widest resets and enables of a mapped module, the widest first."""
    ends: Counter[tuple[str, int]] = Counter()
    for cell in module["cells"].values():
        if cell["type"] == "TRELLIS_FF":
            for port in PORTS:
                net = cell["connections"].get(port, ["0"])[0]
                if isinstance(net, int):
                    ends[port, net] += 1
    return [key for key, count in ends.most_common(MOST) if count >= LEAST_FLIP_FLOPS]


def move(module: dict[str, Any]) -> int:
    """Put a DCCA between each of the widest nets and the flip-flops; how many there are."""
    free = nets.free(module)
    chosen = widest(module)
    for new, (port, net) in enumerate(chosen, free):
        for cell in module["cells"].values():
            if cell["type"] == "TRELLIS_FF" and cell["connections"].get(port) == [net]:
                cell["connections"][port] = [new]
        name = f"{PREFIX}{new - free}"
        module["cells"][name] = {
            "hide_name": 1,
            "type": "DCCA",
            "parameters": {},
            "attributes": {},
            "port_directions": {"CLKI": "input", "CE": "input", "CLKO": "output"},
            "connections": {"CLKI": [net], "CE": ["1"], "CLKO": [new]},
        }
        module["netnames"][name] = {"hide_name": 1, "bits": [new], "attributes": {}}
    return len(chosen)
