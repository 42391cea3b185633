# SPDX-License-Identifier: Apache-2.0
"""The markup of manual pages."""

import re
from collections.abc import Iterable


class NotFound(Exception):
    """A source does not have what a page is made from; the text says what was expected."""


def escape(text: str) -> str:
    """Plain text, which may stand in any line."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def head(name: str, section: int, summary: str, version: str) -> str:
    """The start of a page, with its section NAME."""
    title = f'.TH {name.upper()} {section} "" "OpenTMU {version}" "OpenTMU"\n'
    return f'.\\" SPDX-License-Identifier: Apache-2.0\n{title}{name_line(name, summary)}'


def name_line(name: str, summary: str) -> str:
    return f".SH NAME\n{escape(name)} \\- {escape(summary)}\n"


def section(title: str, body: str) -> str:
    return f".SH {title.upper()}\n{body}"


def subsection(title: str, body: str) -> str:
    return f".SS {escape(title)}\n{body}"


def paragraph(text: str) -> str:
    """A paragraph whose lines are filled; code in backticks is bold, as in Markdown."""
    parts = re.split(r"`([^`]*)`", text)
    words = [f"\\fB{escape(p)}\\fR" if at % 2 else escape(p) for at, p in enumerate(parts)]
    filled = re.sub(r"^([.'])", r"\\&\1", "".join(words), flags=re.MULTILINE)
    return f".PP\n{filled}\n"


def literal(text: str) -> str:
    """Lines as they are."""
    return f".PP\n.nf\n{escape(text)}\n.fi\n"


def items(pairs: Iterable[tuple[str, str]]) -> str:
    """Terms with what they mean."""
    empty = "\\&"
    return "".join(
        f".TP\n\\fB{escape(term)}\\fR\n{escape(what) or empty}\n" for term, what in pairs
    )
