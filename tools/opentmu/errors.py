# SPDX-License-Identifier: Apache-2.0
"""Failures that the front door turns into a sentence and an exit code."""


class TmuError(Exception):
    """A failure whose text is meant for the user; `exit_code` is the process's."""

    exit_code = 1


class CheckFailed(TmuError):
    """A difference was found or a build step failed."""


class BadInput(TmuError):
    """The input or the command line is wrong."""

    exit_code = 2


class ToolMissing(TmuError):
    """A tool or package is missing and could not be installed; the text says how to get it."""

    exit_code = 3
