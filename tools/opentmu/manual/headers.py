# SPDX-License-Identifier: Apache-2.0
"""The page libtmu(3), from the comments of the public headers, and a page of each function that
leads to it.
"""

import re
from pathlib import Path

from opentmu.manual import roff

MAIN = "tmu.h"
# Generated from the hardware's source; docs/registers.md describes it.
SKIPPED = {"tmu_regs.h", "tmu_pci.h"}
COMMENT = r"/\*\*((?:(?!\*/).)*)\*/\n"
FUNCTION = re.compile(COMMENT + r"(\w[^;{}/#]*?\b(tmu_\w+)\([^;{]*?\);)", re.DOTALL)
STRUCTURE = re.compile(r"^(typedef (?:struct|enum) tmu_\w+ \{.*?^\} (tmu_\w+);)", re.M | re.DOTALL)
INLINE = re.compile(r"^static inline [^;{]*?\b(tmu_\w+)\(", re.MULTILINE)
SIZED = "_sized"


def pages(files: list[Path], version: str) -> dict[str, str]:
    """libtmu.3, and a page of each function that a program calls."""
    texts = {file.name: file.read_text() for file in files if file.name not in SKIPPED}
    functions = [found for text in texts.values() for found in FUNCTION.finditer(text)]
    names = {found[3].removesuffix(SIZED) for found in functions}
    inline = {found[1] for text in texts.values() for found in INLINE.finditer(text)}
    if MAIN not in texts or not names >= inline or not inline:
        raise roff.NotFound(f"{MAIN} and the inline functions that its others are called by")
    made = {f"{name}.3": ".so man3/libtmu.3\n" for name in sorted(names)}
    return {"libtmu.3": _page(texts, functions, version), **made}


def _page(texts: dict[str, str], functions: list[re.Match[str]], version: str) -> str:
    summary, *paragraphs = introduction(texts[MAIN]).split("\n\n")
    summary = summary.partition(": ")[2].rstrip(".")
    structures = [found for text in texts.values() for found in STRUCTURE.finditer(text)]
    synopsis = "#include <tmu/tmu.h>\n\ncc PROGRAM.c $(pkg-config --cflags --libs libtmu)"
    return "".join(
        [
            roff.head("libtmu", 3, summary, version),
            roff.section("synopsis", roff.literal(synopsis)),
            roff.section("description", "".join(map(roff.paragraph, paragraphs))),
            ".SH FUNCTIONS\n",
            *(_function(found) for found in functions),
            ".SH STRUCTURES\n",
            *(roff.subsection(found[2], roff.literal(found[1])) for found in structures),
            roff.section("see also", "tmu\\-info(1), tmu\\-share(1), fi_tmu(7)\n"),
        ]
    )


def introduction(text: str) -> str:
    """The comment at the start of a header, without the licence."""
    found = re.match(r"/\*.*?\n \*\n(.*?)\*/", text, re.DOTALL)
    if found is None:
        raise roff.NotFound(f"a comment at the start of {MAIN}")
    return plain(found[1])


def _function(found: re.Match[str]) -> str:
    """A function: its declaration, then what the comment says."""
    comment, declaration, name = found.groups()
    text = roff.subsection(name.removesuffix(SIZED), roff.literal(declaration))
    return text + "".join(map(roff.paragraph, plain(comment).split("\n\n")))


def plain(comment: str) -> str:
    """A comment's text without its margin; an empty line of it parts paragraphs."""
    lines = (re.sub(r"^ \* ?", "", line).strip() for line in comment.strip().splitlines())
    return "\n".join(line.removeprefix("* ") if line != "*" else "" for line in lines).strip()
