# SPDX-License-Identifier: Apache-2.0
"""Completion of command lines, for each shell that is there."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.commands import completion

Tmu = Callable[..., subprocess.CompletedProcess[str]]

BASH = """
source ./script
COMP_WORDS=("{tmu}" {words}) COMP_CWORD={index}
_tmu_completion "{tmu}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(tmp_path: Path, *words: str) -> list[str]:
    """Completions that bash offers for the last word."""
    quoted = " ".join(f'"{word}"' for word in words)
    text = BASH.format(tmu=paths.ROOT / "tmu", words=quoted, index=len(words))
    done = subprocess.run(
        ["bash", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_bash_offers_commands_options_and_choices(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(tmu("completion", "bash").stdout)
    assert completed(tmp_path, "ver") == ["verilog"]
    assert completed(tmp_path, "run", "--refuse") == ["--refuse-endpoints"]
    assert completed(tmp_path, "run", "--engine", "f") == ["fuzzy"]


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_scripts_start_what_the_user_typed(tmu: Tmu, shell: str) -> None:
    """`tmu` need not be in PATH."""
    text = tmu("completion", shell).stdout
    typed = {"bash": "$1)", "zsh": "${words[1]})", "fish": "(commandline -opc)[1])"}
    assert f"{completion.VARIABLE}={shell}_complete" in text
    assert typed[shell] in text
    assert "commands[tmu]" not in text
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n", "/dev/stdin"], input=text, text=True, check=True)


def test_another_shell_is_refused(tmu: Tmu) -> None:
    done = tmu("completion", "tcsh")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.stderr
    assert done.returncode == 2
