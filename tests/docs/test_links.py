# SPDX-License-Identifier: Apache-2.0
"""Documents: links lead somewhere, files that are named exist, figures are fresh."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.testing.house import SKIPPED_FOLDERS, source_files

FIGURES = paths.ROOT / "docs" / "figures"
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
FOLDERS = ("hw", "sim", "tools", "sw-driver", "docs", "tests", "fpga")
NAMED = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./*-]*)`")


def documents(folder: Path = paths.ROOT) -> list[Path]:
    """Every Markdown file of the checkout that is not made below build/."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or (folder == paths.ROOT and entry.name in SKIPPED_FOLDERS):
            continue
        found += documents(entry) if entry.is_dir() else [entry] * (entry.suffix == ".md")
    return found


def prose(text: str) -> str:
    """A document without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The names by which a document's headings can be linked."""
    headings = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


def broken_links(document: Path) -> list[str]:
    """Relative links of a document whose target is missing."""
    missing = []
    for link in LINK.findall(prose(document.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            missing.append(link)
    return missing


def missing_files(text: str) -> list[str]:
    """Files and folders of the checkout that a text names and that are not there."""
    return [name for name in NAMED.findall(prose(text)) if not any(paths.ROOT.glob(name))]


def crowded_lines(text: str) -> list[str]:
    """Lines of prose that hold the start of a second sentence."""
    other = re.compile(r"\s*(\||#|<!--)")
    lines = (line for line in prose(text).splitlines() if not other.match(line))
    numbered = re.compile(r"^\s*\d+\. ")
    second = re.compile(r"[a-z0-9`)*][.?!] [A-Z`*]")
    return [line for line in lines if second.search(numbered.sub("", line))]


@pytest.mark.parametrize("document", documents(), ids=lambda d: str(d.relative_to(paths.ROOT)))
def test_document(document: Path) -> None:
    text = document.read_text()
    assert not broken_links(document)
    assert not missing_files(text)
    assert not crowded_lines(text)


def test_the_checks_see_what_is_wrong(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text("# One two\n[a](a.md#one-two) [b](b.md) [c](#three) [d](https://x.y/)\n")
    assert broken_links(document) == ["b.md", "#three"]
    assert missing_files("`hw/src/tmu/Verilog.scala` `hw/none.scala` `sim/*/test`") == [
        "hw/none.scala"
    ]
    assert crowded_lines("One. Two.\n1. One.\n# 1. One\nSee e.g. this.\n| a. B |") == ["One. Two."]


def test_every_decision_is_in_the_list() -> None:
    folder = paths.ROOT / "docs" / "decisions"
    listed = LINK.findall((folder / "README.md").read_text())
    assert listed == sorted(page.name for page in folder.glob("0*.md"))


def decisions_named(text: str) -> set[int]:
    """The numbers of decisions that a text names or links to."""
    numbers = re.findall(r"(?:decisions/|\]\()(?:\.\./)*(0\d{3})-?[\w-]*", text)
    return {int(one) for one in numbers + re.findall(r"\b[Dd]ecision (\d+)\b", text)}


def test_no_reference_to_a_decision_that_is_missing() -> None:
    """In documents and in comments of all source files; removed pages keep their numbers."""
    pages = {int(page.name[:4]) for page in (paths.ROOT / "docs" / "decisions").glob("0*.md")}
    files = [*documents(), *source_files(paths.ROOT)]
    files += [paths.ROOT / "fpga" / "synth" / "ecp5.ys", paths.ROOT / "tmu"]
    wrong = {
        f"{file.relative_to(paths.ROOT)}: decision {number}"
        for file in files
        for number in decisions_named(file.read_text()) - pages
    }
    assert not wrong


def test_every_manner_of_naming_a_decision_is_seen() -> None:
    word = "decision"
    text = f"docs/{word}s/0902-a.md [a]{'('}0903-b.md) {word.title()} 904, [{word} 905](x.md)"
    assert decisions_named(text) == {902, 903, 904, 905}


def test_there_are_documents() -> None:
    names = {document.name for document in documents()}
    assert names >= {"README.md", "architecture.md", "matching-rules.md", "programmers-guide.md"}


def drawn_by(script: Path, folder: Path) -> dict[str, str]:
    """The figures of a script in a folder: its own name, or that and a dash before another."""
    found = [*folder.glob(f"{script.stem}.svg"), *folder.glob(f"{script.stem}-*.svg")]
    return {figure.name: figure.read_text() for figure in found}


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(FIGURES.glob("*.py")), ids=lambda s: s.name)
def test_a_figure_is_what_its_script_draws(script: Path, tmp_path: Path) -> None:
    copy = tmp_path / script.name
    copy.write_text(script.read_text())
    for figures in script.parent.glob(f"{script.stem}*.json"):
        (tmp_path / figures.name).write_text(figures.read_text())
    subprocess.run([sys.executable, copy], check=True)
    drawn = drawn_by(script, tmp_path)
    assert drawn and drawn == drawn_by(script, FIGURES)


def test_every_figure_has_its_script() -> None:
    scripts = list(FIGURES.glob("*.py"))
    drawn = [name for script in scripts for name in drawn_by(script, FIGURES)]
    assert sorted(drawn) == sorted(figure.name for figure in FIGURES.glob("*.svg"))
