# SPDX-License-Identifier: Apache-2.0
"""Starting the front door as a user does."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]


@pytest.fixture
def tmu(tmp_path: Path) -> Tmu:
    """Run ./tmu with arguments from a folder that is not the checkout."""

    def run(*arguments: str | Path, cwd: Path = tmp_path) -> Done:
        return subprocess.run(
            [str(paths.ROOT / "tmu"), *map(str, arguments)],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    return run
