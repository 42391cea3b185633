# SPDX-License-Identifier: Apache-2.0
"""`tmu docs`: the documents as a site with search."""

from pathlib import Path

import click

from opentmu import output
from opentmu.errors import BadInput
from opentmu.site import build, timing


@click.command()
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    default=build.SITE,
    help="Folder to write; default: build/site of the checkout.",
)
@click.option("--timing", "draws", is_flag=True, help="Draw the diagrams of docs/timing again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(target: Path, draws: bool, as_json: bool) -> int:
    """Build the documents as a site with search, and check every link and anchor.

    The site has all Markdown files of the checkout, and references of libtmu, of the Python
    package and of the Chisel sources, made from their comments.
    Open index.html of the folder in a browser; search works without a server.
    The first call fetches the generator.

    For example: tmu docs
    """
    if target.exists() and not (target / "index.html").is_file() and _holds_something(target):
        raise BadInput(f"{target}: found other files, expected a site, an empty folder or nothing")
    if draws:
        timing.draw(timing.FOLDER)
    pages = build.build(target)
    if as_json:
        output.print_json({"folder": str(target), "pages": [str(page) for page in pages]})
    else:
        text = f"{len(pages)} pages, no dead link: {target / 'index.html'}"
        output.figures().print(text, markup=False, soft_wrap=True)
    return 0


def _holds_something(target: Path) -> bool:
    return not target.is_dir() or any(target.iterdir())
