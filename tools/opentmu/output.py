# SPDX-License-Identifier: Apache-2.0
"""The two outputs of every command: figures on standard output, messages on standard error."""

import json
import sys
from typing import Any

from rich.console import Console

# A report keeps its columns when it goes into a file or a pipe.
PIPE_WIDTH = 100
# What a table that is read by itself fits into.
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
