# SPDX-License-Identifier: Apache-2.0
"""The two outputs of every command: figures on standard output, messages on standard error."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from opentmu.errors import BadInput

# A report keeps its columns when it goes into a file or a pipe.
PIPE_WIDTH = 100
# Most columns of a table that is read by itself.
SCREEN = 80


def figures() -> Console:
    """Console for figures."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(highlight=False, width=width)


def messages() -> Console:
    """Console for progress and messages."""
    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Print the one JSON object (or list) of a command."""
    print(json.dumps(value, indent=2), flush=True)


def check_writable(option: str, file: Path) -> None:
    """Raise BadInput, before long work is begun for it, for a file that cannot be written."""
    if file.is_dir():
        raise BadInput(f"{option} {file}: found a folder, expected a file")
    if not file.parent.is_dir():
        raise BadInput(f"{option} {file}: found no folder {file.parent}, expected one to write in")
    written = file if file.exists() else file.parent
    if not os.access(written, os.W_OK):
        raise BadInput(f"{option} {file}: found no right to write {written}")
