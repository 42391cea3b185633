# SPDX-License-Identifier: Apache-2.0
"""Manual pages: they are made of help texts and headers, and a formatter has no complaint."""

import re

import pytest
from opentmu.cli import COMMANDS
from opentmu.manual import fabric, headers, programs, roff

from .conftest import DRIVER, Installed, run


def shown(installed: Installed, name: str) -> str:
    """A page as `man` shows it, without the formatter's hyphens."""
    page = installed.pages / f"man{name[-1]}" / name
    return run("groff", "-man", "-Tascii", "-rHY=0", "-rLL=100n", "-P-cbou", page).stdout


def test_every_page_is_formatted_without_a_warning(installed: Installed, formatter: None) -> None:
    pages = sorted(installed.pages.rglob("*.[137]"))
    assert len(pages) > 40
    for page in pages:
        done = run("groff", "-man", "-ww", "-Tascii", page, cwd=installed.pages)
        assert not done.stderr, page


def test_every_function_of_the_library_has_a_page(installed: Installed) -> None:
    exports = re.findall(r"^    (tmu_\w+);", (DRIVER / "core" / "libtmu.map").read_text(), re.M)
    expected = {f"{name.removesuffix('_sized')}.3" for name in exports} | {"libtmu.3"}
    assert {page.name for page in (installed.pages / "man3").iterdir()} == expected


def test_every_command_is_on_the_page_of_tmu(installed: Installed, formatter: None) -> None:
    text = shown(installed, "tmu.1")
    assert all(f"./tmu {name}" in text for name in COMMANDS)
    assert "./tmu trace record" in text and "--max-operations" in text


@pytest.mark.parametrize("name", ["tmu-device", "tmu-info", "tmu-ping", "tmu-share"])
def test_the_page_of_a_program_has_its_help(
    installed: Installed, formatter: None, name: str
) -> None:
    words = run(installed.prefix / "bin" / name, "--help").stdout.split()
    text = " ".join(shown(installed, f"{name}.1").split())
    missing = [word for word in words[1:] if word not in text]
    assert not missing


def test_the_page_of_the_provider_has_its_variables(installed: Installed, formatter: None) -> None:
    text = shown(installed, "fi_tmu.7")
    assert all(name in text for name in ("TMU_URI", "TMU_FI_SPILL", "TMU_FI_INNER"))


def test_sources_that_have_changed_their_form_are_seen() -> None:
    with pytest.raises(roff.NotFound, match="expected 'usage: tmu-info"):
        programs.page("tmu-info", "Usage: tmu-info\n", "1.0")
    with pytest.raises(roff.NotFound, match="variable"):
        fabric.page("`tmu` offers much.\n", "1.0")
    with pytest.raises(roff.NotFound):
        headers.pages([DRIVER / "include" / "tmu" / "tmu_spill.h"], "1.0")


def test_text_cannot_become_a_command_of_the_formatter() -> None:
    assert roff.escape(".SH x\n'y\n-a\\b") == "\\&.SH x\n\\&'y\n\\-a\\eb"
    assert roff.paragraph("`.x` and `-n`") == ".PP\n\\fB\\&.x\\fR and \\fB\\-n\\fR\n"
