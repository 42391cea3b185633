# SPDX-License-Identifier: Apache-2.0
"""The programmer's guide is a program: it compiles without a warning and prints what it says."""

import re
import subprocess
from pathlib import Path

import pytest
from opentmu import paths, toolchain
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.slow

GUIDE = paths.ROOT / "docs" / "programmers-guide.md"
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-g"]


def blocks(text: str, language: str) -> list[str]:
    """The fenced code blocks of one language, in the order of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guide's C blocks as one program, linked with libtmu."""
    toolchain.need_compiler()
    folder = tmp_path_factory.mktemp("guide")
    source = folder / "guide.c"
    source.write_text("\n".join(blocks(GUIDE.read_text(), "c")))
    library = cbuild.program(cbuild.ensure(), "libtmu_static.a")
    output = folder / "guide"
    include = paths.ROOT / "sw-driver" / "include"
    command: list[str | Path] = ["gcc", *FLAGS, f"-I{include}", source, library]
    command += ["-pthread", "-ldl", "-o", output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def printed(program: Path, uri: str) -> str:
    done = subprocess.run([program, uri], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def expected() -> str:
    (text,) = blocks(GUIDE.read_text(), "text")
    return text


def test_the_guide_runs_on_the_reference_device(program: Path) -> None:
    assert printed(program, "ref:tiny") == expected()


def test_the_guide_runs_on_the_simulated_hardware(program: Path) -> None:
    assert printed(program, f"sim:{verilate.library('tiny')}") == expected()


def test_every_block_is_in_the_program() -> None:
    text = GUIDE.read_text()
    assert len(blocks(text, "c")) == text.count("```c\n") > 5
