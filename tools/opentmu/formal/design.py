# SPDX-License-Identifier: Apache-2.0
"""The elaborated design as the proofs take it: assertions inside the modules, plain for Yosys."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from opentmu import paths, stage, toolchain
from opentmu.build import mutants, rtl
from opentmu.errors import CheckFailed

PRESET = "formal"
TARGET = paths.BUILD / "formal" / "design"
CARD = paths.BUILD / "formal" / "card"
ANY_STAGE = "frame"  # of the card: all are elaborated at once
MUTANTS = "-mutants"

# Put Chisel's assertions into the modules: otherwise they lie in bind files, which Yosys cannot
# read, and a proof would leave them out without a word.
FIRTOOL = (
    "-enable-layers=Verification",
    "-enable-layers=Verification.Assert",
    "--verification-flavor=immediate",
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb,verifLabels",
)

# The second file that firtool puts behind a module's own, and the message of an assertion.
NEXT_FILE = re.compile(r"^// ----- 8< -----.*", re.MULTILINE | re.DOTALL)
MESSAGE = re.compile(r"\s*else\s+\$error\((?:[^;\"]|\"[^\"]*\")*\);")
DECLARED = re.compile(r"^ +(?:reg|wire) +(?:(\[\d+:0\]) +)?(\w+)(?:;| =)", re.MULTILINE)
PORTS = re.compile(r"^module \w+\((.*?)\n\);", re.MULTILINE | re.DOTALL)
PORT = re.compile(r"^ +(?:(input|output) +)?(\[\d+:0\])? *(\w+),?$")
INSTANCE = re.compile(r"^  (\w+) (\w+) \($", re.MULTILINE)


def ensure(card: str = "") -> Path:
    """The folder with the proofs' SystemVerilog, one file a module: of the preset, or of a stage of
    the card, which knows no preset.
    """
    return _either(card, "", FIRTOOL)


def ensure_mutants(card: str = "") -> Path:
    """The same with a switch for each mutant, which is off."""
    return _either(card, MUTANTS, (*FIRTOOL, rtl.MUTANTS))


def _either(card: str, suffix: str, options: tuple[str, ...]) -> Path:
    target, write = (CARD, _write_card) if card else (TARGET, _write)
    return _ensure(target.with_name(target.name + suffix), options, write) / card


def _ensure(
    target: Path, options: tuple[str, ...], write: Callable[[Path, tuple[str, ...]], None]
) -> Path:
    code = [Path(__file__), Path(mutants.__file__)]
    key = stage.hash_of([rtl.source_key(), *code, target.name, *options])
    if not stage.is_current(target, key):
        toolchain.need_mill()
    stage.ensure(target, key, lambda folder: write(folder, options))
    return target


def _write(folder: Path, options: tuple[str, ...]) -> None:
    rtl.mill(
        ["hw.runMain", rtl.MAIN, "verilog", PRESET, str(folder), *options],
        f"elaborating preset {PRESET} for the proofs",
        "elaborate-proofs",
    )
    _make_plain(folder, options)


def _write_card(folder: Path, options: tuple[str, ...]) -> None:
    rtl.write_parts(
        "card", "the stages of the card for the proofs", folder, *options, suffix="-proofs"
    )
    _make_plain(folder, options)


def _make_plain(folder: Path, options: tuple[str, ...]) -> None:
    for file in folder.rglob("*.sv"):
        file.write_text(plain(file.read_text()))
    if rtl.MUTANTS in options:
        for name, part in mutants.switches(folder):
            (part / f"{mutants.PREFIX}{name}.sv").write_text(mutants.constant(name, on=False))


def plain(text: str) -> str:
    """A module without what Yosys cannot read: messages of assertions, files put behind it."""
    return MESSAGE.sub(";", NEXT_FILE.sub("", text))


def modules(design: Path, top: str) -> dict[str, str]:
    """Text of `top` and of every module below it, by name.

    Raises CheckFailed when one is missing.
    """
    found: dict[str, str] = {}
    wanted = [top]
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        file = design / f"{name}.sv"
        if not file.is_file():
            raise CheckFailed(f"{design}: no module {name}")
        found[name] = file.read_text()
        wanted += [module for module, _ in INSTANCE.findall(found[name]) if module != "module"]
    return found


def ports(text: str) -> list[tuple[str, str, str]]:
    """Direction, width ("" for one bit) and name of a module's ports.

    firtool writes direction and width once for all ports that follow with the same ones.
    """
    body = PORTS.search(text)
    found: list[tuple[str, str, str]] = []
    for line in body[1].splitlines() if body else []:
        port = PORT.match(line)
        if port:
            direction, width, name = port.groups()
            if direction:
                found.append((direction, width or "", name))
            else:
                found.append((found[-1][0], width or found[-1][1], name))
    return found


def device(texts: dict[str, str], module: str) -> str:
    """Text that a checker includes: `module` as `dut`, its inputs free, and every name below it.

    A wire has the name of each port but clock and reset, which the checker brings.
    Register r of dut.row0 becomes dut__row0__r. A name that is gone makes the checker unreadable,
    so that no check turns void when a register is renamed.
    """
    lines: list[str] = []
    names = []
    for direction, width, name in ports(texts[module]):
        names.append(name)
        if name not in ("clock", "reset"):
            free = "(* anyseq *) " if direction == "input" else ""
            lines.append(f"{free}wire {width} {name};")
    connected = ", ".join(f".{name}({name})" for name in names)
    lines.append(f"{module} dut ({connected});")
    return "\n".join([*lines, *_taps(texts, module, "dut"), ""])


def _taps(texts: dict[str, str], module: str, instance: str) -> list[str]:
    lines: list[str] = []
    inside = [(width, name) for _, width, name in ports(texts[module])] if "." in instance else []
    for width, name in [*inside, *DECLARED.findall(texts[module])]:
        flat = f"{instance}.{name}".replace(".", "__")
        lines.append(f"(* hierconn *) wire {width} \\{instance}.{name} ;")
        lines.append(f"wire {width} {flat} = \\{instance}.{name} ;")
    for below, name in INSTANCE.findall(texts[module]):
        if below in texts:
            lines += _taps(texts, below, f"{instance}.{name}")
    return lines


def delayed(text: str, module: str, clocks: int) -> str:
    """A module with the ports of `text` that gives each input back some clocks later.

    Port io_out_x is io_in_x, `valid` ones cleared by reset; its register k clocks in is k<k>_x.
    """
    lines = [f"module {module}("]
    lines.append(
        ",\n".join(f"  {direction} {width} {name}" for direction, width, name in ports(text))
    )
    lines.append(");")
    for direction, width, name in ports(text):
        if direction == "input":
            continue
        base = name.removeprefix("io_out_")
        stages = [f"io_in_{base}", *(f"k{k}_{base}" for k in range(1, clocks + 1))]
        for before, after in pairwise(stages):
            value = f"{before} & ~reset" if base.endswith("valid") else before
            lines.append(f"  reg {width} {after};\n  always @(posedge clock) {after} <= {value};")
        lines.append(f"  assign {name} = {stages[-1]};")
    return "\n".join([*lines, "endmodule", ""])


def comparison(text: str, law: str) -> str:
    """Text for delay.sv: `law` beside the device, and same_post_bits, same_arrival_bits."""
    lines: list[str] = []
    connected = []
    for direction, width, name in ports(text):
        other = f"law_{name}" if direction == "output" else name
        connected.append(f".{name}({other})")
        if direction == "output":
            lines.append(f"wire {width} {other};")
    lines.append(f"{law} law ({', '.join(connected)});")
    for side in ("post", "arrival"):
        pairs = [
            f"{name} == law_{name}"
            for direction, _, name in ports(text)
            if direction == "output" and name.startswith(f"io_out_{side}_bits")
        ]
        lines.append(f"wire same_{side}_bits = {' && '.join(pairs)};")
    return "\n".join([*lines, ""])
