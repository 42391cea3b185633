# SPDX-License-Identifier: Apache-2.0
"""The page of a program, from its help text.

The text starts with `usage: ...`; lines that are indented and have two columns are items, and
everything else is prose.
"""

import re

from opentmu.manual import roff

USAGE = re.compile(r"\Ausage: (.+)\n")
ITEM = re.compile(r"^ {2,}(\S.*?) {2,}(\S.*)$")
MORE = re.compile(r"^ {8,}(\S.*)$")

SUMMARIES = {
    "tmu-device": "serve a simulated tag-matching unit as a PCI device over vfio-user",
    "tmu-info": "print what a tag-matching unit says that it is",
    "tmu-ping": "measure how long one command of a tag-matching unit takes",
    "tmu-share": "share one tag-matching unit among processes",
}
ALSO = {
    "tmu-device": "tmu-info(1), tmu-ping(1), libtmu(3)",
    "tmu-info": "tmu-ping(1), tmu-share(1), libtmu(3)",
    "tmu-ping": "tmu-info(1), tmu-share(1), libtmu(3)",
    "tmu-share": "tmu-info(1), libtmu(3), fi_tmu(7)",
}


def page(name: str, text: str, version: str) -> str:
    """The manual page of the program `name` that prints `text` for --help."""
    usage = USAGE.match(text)
    if usage is None or not usage[1].startswith(name):
        raise roff.NotFound(f"{name} --help: found {text[:40]!r}, expected 'usage: {name} ...'")
    if name not in SUMMARIES:
        raise roff.NotFound(f"no summary of {name} in {__file__}")
    return (
        roff.head(name, 1, SUMMARIES[name], version)
        + roff.section("synopsis", roff.literal(usage[1]))
        + roff.section("description", body(text[usage.end() :]))
        + roff.section("see also", roff.escape(ALSO[name]) + "\n")
    )


def body(text: str) -> str:
    """Prose and items in the order of the text."""
    parts: list[str] = []
    prose: list[str] = []
    found: list[tuple[str, str]] = []
    for line in [*text.splitlines(), ""]:
        item, more = ITEM.match(line), MORE.match(line)
        if item:
            parts += _paragraph(prose)
            found.append((item[1], item[2]))
        elif more and found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{more[1]}")
        else:
            parts += [roff.items(found)] if found else []
            found = []
            prose.append(line.strip())
    return "".join([*parts, *_paragraph(prose)])


def _paragraph(lines: list[str]) -> list[str]:
    """A paragraph of the lines of prose, which are used up."""
    text = "\n".join(line for line in lines if line)
    lines.clear()
    return [roff.paragraph(text)] if text else []
