# SPDX-License-Identifier: Apache-2.0
"""Builds the site; a link or an anchor without a target stops it."""

import shutil
import sys
import tempfile
from pathlib import Path

from opentmu import paths
from opentmu.process import run_logged
from opentmu.setup import pinned
from opentmu.site import reference, tree

SETTINGS = paths.ROOT / "docs" / "site.yml"
SITE = paths.BUILD / "site"
REFERENCE = Path("reference")


def stage(folder: Path, root: Path = paths.ROOT) -> list[Path]:
    """Write all pages to `folder`; their names."""
    names = tree.write(root, folder)
    package = Path(__file__).parents[1]
    pages = {
        "libtmu.md": reference.library(paths.ROOT / "sw-driver" / "include" / "tmu"),
        "python.md": reference.python(package),
        "chisel.md": reference.chisel(paths.HW / "src" / "tmu"),
    }
    for name, text in pages.items():
        (folder / REFERENCE).mkdir(exist_ok=True)
        (folder / REFERENCE / name).write_text(text)
    return [*names, *(REFERENCE / name for name in pages)]


def build(target: Path, root: Path = paths.ROOT) -> list[Path]:
    """Build the site of the documents below `root` in `target`; the names of its pages."""
    tools = pinned.SITE.ensure()
    with tempfile.TemporaryDirectory(prefix="tmu-site-") as name:
        work = Path(name)
        pages = stage(work / "docs", root)
        shutil.copy(SETTINGS, work / "mkdocs.yml")
        made = work / "site"
        words: list[str | Path] = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        words += ["--config-file", work / "mkdocs.yml", "--site-dir", made]
        settings = {"PYTHONPATH": str(tools), "NO_MKDOCS_2_WARNING": "1"}
        run_logged(words, "building the site of the documents", "site", env=settings)
        if target.exists():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, target)
    return pages
