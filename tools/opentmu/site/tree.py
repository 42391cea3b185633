# SPDX-License-Identifier: Apache-2.0
"""Documents of the checkout as the site's generator wants them."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from opentmu.testing.house import SKIPPED_FOLDERS

LINK = re.compile(r"(?<!!)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FIGURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def documents(root: Path, folder: Path | None = None) -> list[Path]:
    """Every Markdown file below `root` that is not made below build/; hidden folders are left."""
    found: list[Path] = []
    for entry in sorted((folder or root).iterdir()):
        skipped = entry.parent == root and entry.name in SKIPPED_FOLDERS
        if not entry.name.startswith(".") and not skipped:
            below = entry.is_dir() and not entry.is_symlink()
            found += documents(root, entry) if below else [entry] * (entry.suffix == ".md")
    return found


def write(root: Path, target: Path) -> list[Path]:
    """Copy documents and their figures to `target`; their names relative to `root`."""
    names = [file.relative_to(root) for file in documents(root)]
    for name in names:
        text = (root / name).read_text()
        for figure in FIGURE.findall(text):
            source = Path(os.path.normpath((root / name).parent / figure))
            if source.is_file():
                _copy(source, target / source.relative_to(root))
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(text, name, root))
    return names


def page(text: str, name: Path, root: Path) -> str:
    """A document whose links to files that the site does not have are names of these files."""

    def link(found: re.Match[str]) -> str:
        label, target = found.groups()
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return found[0]
        file = Path(os.path.normpath((root / name).parent / path))
        if (file / "README.md").is_file():
            file = file / "README.md"
        if file.suffix == ".md" or not file.exists():
            # A missing file stays a link: the generator's check is what refuses it.
            relative = os.path.relpath(file, (root / name).parent)
            return f"[{label}]({relative}{'#' if anchor else ''}{anchor})"
        plain = file.relative_to(root).as_posix()
        return label if plain in label else f"{label} (`{plain}`)"

    return outside_code(text, lambda part: _lists(LINK.sub(link, part)))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything but its fenced blocks changed."""
    parts, at = [], 0
    for found in FENCE.finditer(text):
        parts += [change(text[at : found.start()]), found[0]]
        at = found.end()
    return "".join([*parts, change(text[at:])])


def _lists(text: str) -> str:
    """The text with an empty line before each list, without which there is none for Markdown."""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        before = lines[-1].strip() if lines else ""
        if ITEM.match(line) and before and not ITEM.match(before) and lines[-1][0] not in " |":
            lines.append("\n")
        lines.append(line)
    return "".join(lines)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
