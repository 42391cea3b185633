# SPDX-License-Identifier: Apache-2.0
"""The page fi_tmu(7) of the libfabric provider, from two parts of docs/mpi.md."""

import re

from opentmu.manual import roff

# The sentence that says what the provider offers, and the table of its variables.
OFFERS = re.compile(r"^`tmu` offers .*$", re.MULTILINE)
VARIABLES = re.compile(r"^\| variable \| says \|\n\|[-|]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
STARTS = """export FI_PROVIDER_PATH=FOLDER   # of libtmu-fi.so, if libfabric does not look there
export TMU_URI=ref:tiny          # or share:, vfu:, vfio:, dev:, sim:
fi_info -p tmu"""


def page(text: str, version: str) -> str:
    """The manual page, from the text of docs/mpi.md."""
    offers, table = OFFERS.search(text), VARIABLES.search(text)
    if offers is None or table is None:
        raise roff.NotFound("docs/mpi.md: '`tmu` offers ...' and a table '| variable | says |'")
    rows = (row.strip("| ").split(" | ", 1) for row in table[1].splitlines())
    variables = [(name.strip("`"), plain(says)) for name, says in rows]
    return (
        roff.head(
            "fi_tmu", 7, "libfabric provider whose messages a tag-matching unit matches", version
        )
        + roff.section("synopsis", roff.literal(STARTS))
        + roff.section("description", roff.paragraph(links(offers[0])))
        + roff.section("environment", roff.items(variables))
        + roff.section("see also", "fi_provider(7), tmu\\-share(1), libtmu(3)\n")
    )


def links(text: str) -> str:
    """Markdown's links as their words."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def plain(text: str) -> str:
    return links(text).replace("`", "")
