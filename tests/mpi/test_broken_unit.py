# SPDX-License-Identifier: Apache-2.0
"""A unit that ends before its users: each outstanding operation ends in error."""

from collections.abc import Callable
from pathlib import Path

from .test_provider import run
from .test_units_one import unit_of

HERE = Path(__file__).parent


def test_each_operation_ends_with_its_own_context(
    compile_fabric: Callable[..., Path], provider_folder: Path, tmp_path: Path
) -> None:
    program = compile_fabric(HERE / "fabric_broken.c", tmp_path)
    with unit_of("model", tmp_path) as (one, process):
        uri = one.replace("endpoints=1", "endpoints=2")
        done = run(program, provider_folder, str(process.pid), TMU_URI=uri)
        process.wait(60)
    assert (done.returncode, done.stdout) == (0, "every operation ended\n"), done.stderr
    assert done.stderr.count("tmu provider: the unit is of no use any more: ") == 2  # endpoints
    assert done.stderr.count(f"tmu-share at {tmp_path}/s has ended") == 3
    assert "the unit's counters cannot be read: " in done.stderr
    assert "counters differ" not in done.stderr
