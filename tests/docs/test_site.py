# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: its navigation, its references from sources, and dead links."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.errors import CheckFailed, ToolMissing
from opentmu.manual import headers
from opentmu.site import build, reference, timing, tree

HEADERS = paths.ROOT / "sw-driver" / "include" / "tmu"
PACKAGE = Path(build.__file__).parents[1]
SETTINGS = build.SETTINGS.read_text()


def in_navigation() -> list[str]:
    return re.findall(r"^ +- [^:\n]+: (\S+\.md)$", SETTINGS, re.MULTILINE)


def test_the_navigation_has_every_document_and_reference_once(tmp_path: Path) -> None:
    pages = {str(page) for page in build.stage(tmp_path)}
    assert all((tmp_path / page).is_file() for page in pages)
    decisions = {page for page in pages if re.match(r"docs/decisions/0", page)}
    assert sorted(in_navigation()) == sorted(pages - decisions) and decisions


def test_the_reference_has_every_function_of_the_library() -> None:
    text = reference.library(HEADERS)
    functions = headers.FUNCTION.findall((HEADERS / "tmu.h").read_text())
    assert functions and not [one[2] for one in functions if f"{one[2]}(" not in text]
    assert "### tmu_open\n" in text and "### tmu_completion_t\n" in text


def test_the_reference_has_every_entry_point_of_python() -> None:
    text = reference.python(PACKAGE)
    for name in reference.PYTHON:
        assert f"## opentmu.{name.removesuffix('.py').replace('/', '.')}\n" in text
    assert "class MatchUnitBench:" in text and "async def " in text


def test_the_reference_has_the_tops_of_the_hardware() -> None:
    text = reference.chisel(paths.HW / "src" / "tmu")
    for name in ("TmuTop", "MatchUnit", "TmuParams", "Presets"):
        assert re.search(rf"^### {name}\n", text, re.MULTILINE), name


def test_links_to_files_become_names_and_dead_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "README.md").write_text("# B\n")
    text = "a\n- [c](a.c) [`a.c`](a.c) [b](b#x) [d](none.c)\n```\n[c](a.c)\n```\n"
    found = tree.page(text, Path("x.md"), tmp_path)
    assert found == ("a\n\n- c (`a.c`) `a.c` [b](b/README.md#x) [d](none.c)\n```\n[c](a.c)\n```\n")


def test_a_folder_with_other_files_is_left_alone(
    tmu: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine\n")
    done = tmu("docs", "--output", str(tmp_path))
    assert done.returncode == 2 and f"{tmp_path}: found other files" in done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine\n"


@pytest.mark.long
def test_the_site_has_pages_and_a_search_and_no_dead_link(
    tmu: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = tmu("docs", "--json", "--output", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert {"README.md", "reference/libtmu.md"} <= set(json.loads(done.stdout)["pages"])
    assert (tmp_path / "site" / "docs" / "architecture.html").is_file()
    assert "tmu_open" in (tmp_path / "site" / "search" / "search_index.js").read_text()


@pytest.mark.long
def test_a_dead_link_and_a_dead_anchor_stop_the_build(tmp_path: Path) -> None:
    for name in in_navigation():
        if not name.startswith("reference/"):
            (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "tree" / name).write_text("# A\n")
    try:
        build.build(tmp_path / "good", tmp_path / "tree")
    except ToolMissing as error:
        pytest.skip(str(error))
    for link in ("none.md", "SECURITY.md#none"):
        (tmp_path / "tree" / "README.md").write_text(f"# A\n\n[a]({link})\n")
        with pytest.raises(CheckFailed, match=re.escape(link.rpartition(".md")[0])):
            build.build(tmp_path / "bad", tmp_path / "tree")
    assert not (tmp_path / "bad").exists()


@pytest.mark.long
def test_a_timing_diagram_is_what_its_json_draws(tmp_path: Path) -> None:
    try:
        drawn = timing.draw(tmp_path)
    except ToolMissing as error:
        pytest.skip(str(error))
    stale = [one.name for one in drawn if one.read_text() != (timing.FOLDER / one.name).read_text()]
    assert drawn and not stale, f"{stale}; to mend it type: ./tmu docs --timing"


def test_every_timing_diagram_is_shown_with_its_source() -> None:
    text = (paths.ROOT / "docs" / "integration.md").read_text()
    shown = re.findall(r"\(timing/([\w-]+)\.svg\)", text)
    assert shown and sorted(shown) == sorted(one.stem for one in timing.FOLDER.glob("*.json"))
    assert sorted(shown) == sorted(one.stem for one in timing.FOLDER.glob("*.svg"))
