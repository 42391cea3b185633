# SPDX-License-Identifier: Apache-2.0
"""`tmu generate`: the committed files that come from the Chisel contract, and the test plan."""

import click

from opentmu import frozen, output, paths
from opentmu.build import rtl
from opentmu.errors import CheckFailed
from opentmu.testing import plan


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; fail when a file is not fresh.")
@click.option("--plan", "only_plan", is_flag=True, help="The test plan alone, without a JVM.")
@click.option("--release", is_flag=True, help="Also add what is new to the released interface.")
def command(check: bool, only_plan: bool, release: bool) -> int:
    """Write the C header, Python constants, register documents and the test plan again.

    With --release, at a release, registers and codes that are new become part of the interface
    that no later change may move.
    They are committed so that C and Python people need no JVM; `tmu test` proves them fresh.

    For example: tmu generate --check
    """
    stale = {} if only_plan else rtl.stale_files()
    if (paths.ROOT / plan.PLAN).read_text() != (text := plan.render(paths.ROOT)):
        stale[str(plan.PLAN)] = text.encode()
    if check and stale:
        raise CheckFailed(f"not fresh: {', '.join(stale)}. Type: ./tmu generate")
    for file, content in stale.items():
        (paths.ROOT / file).write_bytes(content)
        output.figures().print(f"wrote {file}", markup=False)
    if not stale:
        output.messages().print("tmu: all generated files are fresh")
    if release:
        output.figures().print(f"wrote {frozen.release().relative_to(paths.ROOT)}", markup=False)
    return 0
