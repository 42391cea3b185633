# SPDX-License-Identifier: Apache-2.0
"""The registers of an elaborated design as IP-XACT (IEEE 1685-2014), from its SystemRDL."""

import subprocess
import sys
from pathlib import Path

from opentmu.errors import CheckFailed
from opentmu.setup import pinned

# In a process of its own: the tool is not in build/venv.
SCRIPT = """
import sys
from peakrdl_ipxact import IPXACTExporter, Standard
from systemrdl import RDLCompiler
source, target, version, component = sys.argv[1:]
compiler = RDLCompiler()
compiler.compile_file(source)
exporter = IPXACTExporter(
    vendor="opentmu", library="tmu", version=version, standard=Standard.IEEE_1685_2014
)
exporter.export(compiler.elaborate().top, target, component_name=component)
"""


def write(rdl: Path, target: Path, version: str, component: str) -> None:
    """Write the register map; raises CheckFailed with the tool's words."""
    environment = {"PYTHONPATH": str(pinned.IPXACT.ensure()), "PYTHONNOUSERSITE": "1"}
    words = [sys.executable, "-P", "-c", SCRIPT, str(rdl), str(target), version, component]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckFailed(f"{rdl}: no IP-XACT could be made of it\n{done.stderr.strip()}")
