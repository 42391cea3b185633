# SPDX-License-Identifier: Apache-2.0
"""Several nodes on one machine: ranks under other host names, started as on a cluster."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths

# Script that mpirun calls instead of ssh: it runs the given command under the given host name.
AGENT = """#!/bin/sh
host=$1
shift
exec {unshare} sh -c 'hostname "$0" && eval "$1"' "$host" "$*"
"""


def unshare() -> list[str]:
    """The words before a command that is to have a host name of its own; skips without."""
    for words in (["unshare", "-u"], ["unshare", "-r", "-u"]):
        try:
            done = subprocess.run(
                [*words, "hostname", "tmu-node"], capture_output=True, text=True, check=False
            )
        except OSError as error:
            pytest.skip(f"unshare cannot be started: {error}")
        if done.returncode == 0:
            return words
    pytest.skip(f"no host names of one's own on this machine: {done.stderr.strip()}")


def environment(folder: Path, count: int, slots: int) -> dict[str, str]:
    """Variables that have Open MPI and MPICH start `slots` ranks on each of `count` nodes."""
    agent = folder / "agent"
    agent.write_text(AGENT.format(unshare=" ".join(unshare())))
    agent.chmod(0o755)
    names = [f"tmu-node-{chr(ord('a') + i)}" for i in range(count)]
    hosts = folder / "hosts"
    hosts.write_text("".join(f"{name} slots={slots}\n" for name in names))
    (folder / "hydra-hosts").write_text("".join(f"{name}:{slots}\n" for name in names))
    return {
        **os.environ,
        "OMPI_MCA_plm_rsh_agent": str(agent),
        "OMPI_MCA_orte_default_hostfile": str(hosts),
        "PRTE_MCA_plm_ssh_agent": str(agent),
        "PRTE_MCA_prte_default_hostfile": str(hosts),
        "HYDRA_LAUNCHER": "rsh",
        "HYDRA_LAUNCHER_EXEC": str(agent),
        "HYDRA_HOST_FILE": str(folder / "hydra-hosts"),
    }


def run(
    folder: Path, name: str, ranks: int, count: int, *program: str | Path
) -> tuple[dict[str, Any], str]:
    """The result of a run on so many nodes in which every check held, and the program's words."""
    words = ["mpi", "--mpi", name, "-n", str(ranks), "--engine", "model", "--preset", "tiny"]
    done = subprocess.run(
        [paths.ROOT / "tmu", *words, "--json", "--", *program],
        cwd=folder,
        env=environment(folder, count, ranks // count),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0), done.stderr
    assert result["missing"] == 0
    return result, done.stderr
