# SPDX-License-Identifier: Apache-2.0
"""The front door in this process, for starting Python takes longer than most of what is tested."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.cli import main

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def tmu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Run the command line from a folder that is not the checkout."""

    def run(*words: str | Path, cwd: Path = tmp_path) -> Done:
        monkeypatch.chdir(cwd)
        code = main([str(word) for word in words])
        said = capfd.readouterr()
        return subprocess.CompletedProcess(words, code, said.out, said.err)

    return run
