# SPDX-License-Identifier: Apache-2.0
"""Which modules of a large design are mapped once instead of once for each instance.

A design that fits into one mapping run is flattened: logic is then merged across all borders.
A larger one keeps the borders of its large, repeated modules, and is flattened around them.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

# Bits of logic and registers that one run of ABC maps in a few minutes.
FLAT_BITS = 150_000
# A kept module is no larger than that, and large enough for its border to be worth it.
LARGEST_BITS = 600_000
REPEATED_BITS = 4_000
SINGLE_BITS = 20_000
# Yosys looks through all of a module for each of its memories, so many equal ones are kept apart.
MEMORIES = 16


def sizes(modules: Mapping[str, Any], top: str) -> dict[str, int]:
    """Bits that the cells of each module below `top` put out, instances included."""
    done: dict[str, int] = {}

    def walk(name: str) -> int:
        if name not in done:
            done[name] = sum(_size(cell) for cell in modules[name]["cells"].values())
        return done[name]

    def _size(cell: Mapping[str, Any]) -> int:
        if cell["type"] in modules:
            return walk(cell["type"])
        if cell["type"] == "$mem_v2":
            return 0
        directions = cell["port_directions"]
        return sum(
            len(bits) for port, bits in cell["connections"].items() if directions[port] != "input"
        )

    walk(top)
    return done


def kept(modules: Mapping[str, Any], top: str) -> list[str]:
    """Modules that keep their border; empty for a design that is flattened altogether."""
    size = sizes(modules, top)
    if size[top] <= FLAT_BITS:
        return []
    times = _times(modules, top)
    found = {name for name in size if modules[name].get("memories") and times[name] >= MEMORIES}
    waiting = [top]
    seen = {top}
    while waiting:
        for cell in modules[waiting.pop()]["cells"].values():
            kind = cell["type"]
            if kind not in size or kind in seen:
                continue
            seen.add(kind)
            least = REPEATED_BITS if times[kind] > 1 else SINGLE_BITS
            if least <= size[kind] <= LARGEST_BITS:
                found.add(kind)
            # A module that is there once may still hold one that is there often.
            if kind not in found or times[kind] == 1:
                waiting.append(kind)
    return sorted(found)


def repeated(modules: Mapping[str, Any], top: str) -> list[str]:
    """Large modules of which there are several: mapped by themselves, and flattened behind that.

    ABC9 makes every chain as long as the longest that it sees, to save LUTs. What is mapped by
    itself is no slower than its own longest, which is what wires are then added to.
    """
    size = sizes(modules, top)
    times = _times(modules, top)
    return sorted(
        name
        for name in size
        if times[name] > 1 and size[name] >= REPEATED_BITS and not modules[name].get("memories")
    )


def _times(modules: Mapping[str, Any], top: str) -> Counter[str]:
    """Instances of each module in the whole design."""
    total: Counter[str] = Counter()

    def walk(name: str, times: int) -> None:
        total[name] += times
        kinds = Counter(cell["type"] for cell in modules[name]["cells"].values())
        for kind, count in kinds.items():
            if kind in modules:
                walk(kind, times * count)

    walk(top, 1)
    return total
