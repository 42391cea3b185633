# SPDX-License-Identifier: Apache-2.0
"""One dialect of C, where the formatter has no opinion: tests of pointers, forms of comments."""

import re

from opentmu import paths
from opentmu.testing import house

# The reference of the API is made of comments that begin so.
REFERENCE = "sw-driver/include/"
RULES = (
    (re.compile(r"[!=]= NULL\b|\bNULL [!=]="), "a pointer tested by itself: `p` or `!p`"),
    (re.compile(r"/\*\*"), f"`/*`; `/**` is for {REFERENCE}"),
    (re.compile(r"^\s*//(?! SPDX-License-Identifier: GPL)"), "`/* ... */`"),  # as Linux has it
)
CPP = re.compile(r"^(class|namespace|template)\b|\bstd::", re.MULTILINE)


def complaints(name: str, text: str) -> list[str]:
    """A line for each other form; a header of C++ has the comments of C++."""
    if not name.endswith((".c", ".h")) or CPP.search(text):
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for form, expected in RULES:
            hit = form.search(line)
            if hit and not (hit[0] == "/**" and name.startswith(REFERENCE)):
                found.append(f"{name}:{number}: found '{hit[0].strip()}', expected {expected}")
    return found


def test_all_c_has_one_dialect() -> None:
    wrong = []
    for file in house.source_files(paths.ROOT):
        wrong += complaints(file.relative_to(paths.ROOT).as_posix(), file.read_text())
    assert not wrong, "\n".join(wrong)


def test_another_form_is_seen() -> None:
    text = "if (p == NULL) {\n/** x */\n// y\n/* z */ if (!p) {\n"
    assert [line[:5] for line in complaints("a.c", text)] == ["a.c:1", "a.c:2", "a.c:3"]
    assert len(complaints(f"{REFERENCE}a.h", text)) == 2
    assert complaints("a.py", text) == complaints("a.h", "class A {};\n// x\n") == []
