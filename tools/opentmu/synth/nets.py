# SPDX-License-Identifier: Apache-2.0
"""Nets of a mapped module as Yosys writes it: who reads each, and numbers that are free."""

from collections import defaultdict
from typing import Any

# Cell, port, and bit of the port.
End = tuple[str, str, int]


def ends(module: dict[str, Any]) -> dict[int, list[End]]:
    """For each net the inputs of cells that it drives."""
    found: dict[int, list[End]] = defaultdict(list)
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"].get(port) != "input":
                continue
            for bit, net in enumerate(bits):
                if isinstance(net, int):
                    found[net].append((name, port, bit))
    return dict(found)


def free(module: dict[str, Any]) -> int:
    """The first number above those of all nets."""
    holders = [cell["connections"].values() for cell in module["cells"].values()]
    holders.append([net["bits"] for net in module["netnames"].values()])
    used = (net for bits in holders for word in bits for net in word if isinstance(net, int))
    return 1 + max(used, default=0)
