# SPDX-License-Identifier: Apache-2.0
"""`tmu completion`: what a shell has to know to complete command lines of `tmu`."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_TMU_COMPLETE"
# click's scripts start the command by its name; ours may lie outside PATH, so they start what the
# user has typed.
MENDED = {
    "bash": {},
    "zsh": {
        "    (( ! $+commands[tmu] )) && return 1\n": "",
        "=zsh_complete tmu)": "=zsh_complete ${words[1]})",
    },
    "fish": {
        "=(commandline -t) tmu)": "=(commandline -t) (commandline -opc)[1])",
    },
}


def script(shell: str, root: click.Command) -> str:
    """The script for a shell to source."""
    kind = get_completion_class(shell)
    assert kind is not None
    text = kind(root, {}, "tmu", VARIABLE).source()
    for old, new in MENDED[shell].items():
        if old not in text:
            raise AssertionError(f"click's script for {shell} has changed: found no {old!r}")
        text = text.replace(old, new)
    return text


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print a script that completes command lines of tmu in bash, zsh or fish.

    For example: tmu completion bash

    \b
    The shell's own file has the line, with the path of tmu:
      eval "$(tmu completion bash)"    in ~/.bashrc
      eval "$(tmu completion zsh)"     in ~/.zshrc, after compinit
      tmu completion fish | source     in ~/.config/fish/config.fish
    """
    click.echo(script(shell, context.find_root().command), nl=False)
    return 0
