# SPDX-License-Identifier: Apache-2.0
"""One unit for all ranks: tmu-share owns the device, and each rank has a session of it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from opentmu import children, presets
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed

PROGRAM = "tmu-share"
EACH, ONE = "each", "one"
UNITS = (EACH, ONE)
# SHARE_SESSIONS_MAX of sw-driver/share/share.h.
SESSIONS = 256
PATIENCE = 60.0


def check(units: str, preset: str, ranks: int) -> None:
    """Raise BadInput for more ranks than can share a unit of that preset."""
    unit = presets.find(preset)
    limits = {"endpoints": unit.endpoints, "queues": unit.queues, "sessions": SESSIONS}
    name, most = min(limits.items(), key=lambda item: item[1])
    if units == ONE and ranks > most:
        raise BadInput(
            f"-n {ranks} --units one: a unit of preset {preset} has {most} {name}, and each rank "
            f"needs one; give at most -n {most}, another preset, or --units each"
        )


@contextmanager
def serving(device: str, spill: int | None) -> Iterator[str]:
    """The URI of one endpoint of a device for each of those who open it, while the block runs."""
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    with TemporaryDirectory(prefix="tmu-share-") as folder:
        socket = Path(folder) / "s"  # short: a socket's path has 91 bytes at most
        registered = [] if spill is None else ["--spill", str(spill)]
        words = [str(program), "--with-parent", *registered, device, str(socket)]
        # In a process group of its own, for what the user types to end a program is for the ranks;
        # in the same session all the same, because Linux divides its time among sessions first.
        with children.start(words, stdout=subprocess.PIPE, text=True, process_group=0) as process:
            try:
                assert process.stdout is not None
                if not process.stdout.readline():
                    raise CheckFailed(f"{PROGRAM} did not start; it said why above")
                yield f"share:{socket}?endpoints=1"
                code = process.poll()
                if code is not None:
                    raise CheckFailed(
                        f"{PROGRAM} ended with exit code {code} before the program did; it said "
                        "why above"
                    )
            finally:
                process.terminate()
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
