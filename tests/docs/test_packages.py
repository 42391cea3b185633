# SPDX-License-Identifier: Apache-2.0
"""The packages of the hardware are in an order, and each imports only from those before it."""

import re
from pathlib import Path

from opentmu import paths

# Lowest first. The packages of one line do not see each other.
LAYERS = (
    ("params", "mutant"),
    ("layout",),
    ("registers",),
    ("types",),
    ("rules", "buffer", "bus"),
    ("fault", "counters", "emit"),
    ("matching.array", "matching.endpoints"),
    ("matching.filter",),
    ("matching", "spill"),
    ("host", "card.wire"),
    ("card.frame", "card.answer", "card.pdc", "card.placement", "card.memory", "card.request"),
    ("card.message", "card.pool", "card.initiator", "card.fetch"),
    ("card.complete", "card.send"),
    ("",),
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
PACKAGE = re.compile(r"^package tmu(?:\.([\w.]+))?$", re.MULTILINE)
# Packages are in lower case, what is in them is not.
REFERENCE = re.compile(r"(?<![\w./])tmu((?:\.[a-z]\w*)*)\.(?=[A-Z{_])")
UNSEEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


def complaints(folder: Path, *, ordered: bool = True) -> list[str]:
    """Complaints about a folder of Scala sources: file, what was found, what was expected."""
    found = []
    for file in sorted(folder.rglob("*.scala")):
        name = file.relative_to(folder).as_posix()
        home = ".".join(file.relative_to(folder).parent.parts)
        text = file.read_text()
        stated = PACKAGE.search(text)
        package = (stated[1] or "") if stated else None
        if package != home:
            found.append(f"{name}: found package {package!r}, expected {home!r}")
        if home not in LEVEL:
            found.append(f"{name}: package {home!r} has no rank in the order of {__name__}")
            continue
        for match in REFERENCE.finditer(UNSEEN.sub("", text)):
            other = match[1].removeprefix(".")
            if other not in LEVEL:
                found.append(f"{name}: refers to {other!r}, which is not in the order")
            elif ordered and other != home and LEVEL[other] >= LEVEL[home]:
                found.append(f"{name}: {home!r} refers to {other!r}, which is not before it")
    return found


def test_sources_import_in_order() -> None:
    assert complaints(paths.ROOT / "hw" / "src" / "tmu") == []


def test_specs_are_in_the_packages_that_they_test() -> None:
    assert complaints(paths.ROOT / "hw" / "test" / "src" / "tmu", ordered=False) == []


def test_each_package_of_the_order_exists() -> None:
    folder = paths.ROOT / "hw" / "src" / "tmu"
    assert [
        name for name in LEVEL if not any((folder / name.replace(".", "/")).glob("*.scala"))
    ] == []


def test_what_breaks_the_order_is_named(tmp_path: Path) -> None:
    def source(path: str, text: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    source("types/Key.scala", "package tmu.types\nimport tmu.params.P\n// tmu.host.Fine\n")
    assert complaints(tmp_path) == []
    source("types/Back.scala", "package tmu.types\nimport tmu.rules.{A, B}\n")
    source("rules/Full.scala", "package tmu.rules\nval a = new tmu.host.Port\n")
    source("spill/Peer.scala", "package tmu.spill\nimport tmu.matching._\n")
    source("host/Moved.scala", "package tmu.bus\nimport tmu.nothing.X\n")
    source("odd/New.scala", "package tmu.odd\n")
    found = "\n".join(complaints(tmp_path))
    for words in (
        "types/Back.scala: 'types' refers to 'rules'",
        "rules/Full.scala: 'rules' refers to 'host'",
        "spill/Peer.scala: 'spill' refers to 'matching'",
        "host/Moved.scala: found package 'bus', expected 'host'",
        "host/Moved.scala: refers to 'nothing'",
        "odd/New.scala: package 'odd' has no rank",
    ):
        assert words in found
    assert len(complaints(tmp_path)) == 6
