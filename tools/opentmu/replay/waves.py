# SPDX-License-Identifier: Apache-2.0
"""Savefiles for the waveform of a run: GTKWave and Surfer show the stages, with codes as words.

Paths are those of the Verilated unit: a port of a module on the route of a command or a verdict.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import regs

# TMU_SIM_WAVE_PS of sim/device/tmu_sim.h.
CLOCK_PS = 8000
TOP = "TmuTop"
# Codes shown as words, by the end of the port's name.
CODES = {"opcode": regs.Opcode, "status": regs.Status}
# Instance below the top, its module, and ports of it; the unit's stages in the order of a command.
STAGES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("clock and doorbell", "", TOP, ("clock", "reset", "s_axi_awvalid", "s_axi_wvalid")),
    (
        "command of a page",
        "doorbell",
        "DoorbellPort",
        ("io_command_valid", "io_command_bits_page"),
    ),
    *(
        (
            f"decoded {stream}",
            "unit",
            "MatchUnit",
            (
                f"io_{stream}_valid",
                f"io_{stream}_ready",
                f"io_{stream}_bits_opcode",
                f"io_{stream}_bits_page",
                f"io_{stream}_bits_endpoint",
                f"io_{stream}_bits_key_bits",
                f"io_{stream}_bits_key_source",
                f"io_{stream}_bits_ignore_bits",
                f"io_{stream}_bits_ignore_source",
                f"io_{stream}_bits_handle",
            ),
        )
        for stream in ("post", "arrival")
    ),
    *(
        (
            f"array of {words}",
            f"unit.walk.{array}",
            f"MatchArray{array.title()}",
            ("io_ask_searches", "io_ask_takes", "io_found", "io_lane_slot", "io_append_valid"),
        )
        for array, words in (("unexpected", "messages"), ("posted", "receives"))
    ),
    *(
        (
            f"verdict on {stream}",
            "unit",
            "MatchUnit",
            (
                f"io_verdicts_bits_{stream}_valid",
                f"io_verdicts_bits_{stream}_bits_opcode",
                f"io_verdicts_bits_{stream}_bits_status",
                f"io_verdicts_bits_{stream}_bits_serial",
                f"io_verdicts_bits_{stream}_bits_handle",
                f"io_verdicts_bits_{stream}_bits_other",
            ),
        )
        for stream in ("post", "arrival")
    ),
    (
        "completion",
        "writer",
        "CompletionWriter",
        (
            "io_verdict_valid",
            "io_verdict_ready",
            "io_verdict_bits_page",
            "io_verdict_bits_opcode",
            "io_verdict_bits_status",
            "io_verdict_bits_handle",
            "io_axi_awvalid",
        ),
    ),
)


@dataclass(frozen=True)
class Signal:
    """A port as it stands in the waveform; `code` names what its values mean."""

    path: str
    width: int
    code: str | None

    @property
    def ranged(self) -> str:
        """With its bits, as GTKWave names it."""
        return self.path if self.width == 1 else f"{self.path}[{self.width - 1}:0]"


def ports(text: str, module: str) -> dict[str, int]:
    """Width of each port of a module in what firtool wrote."""
    found = re.search(rf"^module {module}\((.*?)^\);", text, re.MULTILINE | re.DOTALL)
    widths: dict[str, int] = {}
    width = 1
    for line in found[1].splitlines() if found else ():
        # A line without a direction continues the one before; with one alone it is a bit.
        code = line.partition("//")[0]
        if kind := re.match(r"\s*(?:input|output)\s*(?:\[(\d+):0\])?", code):
            width = int(kind[1]) + 1 if kind[1] else 1
        elif wide := re.match(r"\s*\[(\d+):0\]", code):
            width = int(wide[1]) + 1
        for name in re.findall(r"(\w+),?\s*$", code):
            widths[name] = width
    return widths


def groups(design: Path) -> Iterator[tuple[str, list[Signal]]]:
    """Each stage's title and those of its signals that the design has."""
    for title, instance, module, names in STAGES:
        widths = ports((design / f"{module}.sv").read_text(), module)
        scope = ".".join(part for part in ("TOP", TOP, instance) if part)
        yield (
            title,
            [
                Signal(f"{scope}.{name}", widths[name], _code(name))
                for name in names
                if name in widths
            ],
        )


def _code(name: str) -> str | None:
    return next((code for code in CODES if name.endswith(f"_{code}")), None)


def write(wave: Path, design: Path, clock: int | None) -> list[Path]:
    """Write the savefiles beside `wave`, at the clock of the first difference if there is one."""
    stages = list(groups(design))
    gtkw, surfer = wave.with_suffix(".gtkw"), wave.with_suffix(".sucl")
    codes = {code: wave.with_suffix(f".{code}.txt") for code in CODES}
    files = {gtkw: gtkwave(wave, stages, codes, clock), surfer: commands(wave, stages, clock)}
    for code, file in codes.items():
        words = [(one.value, one.name.lower()) for one in CODES[code]]
        files[file] = "".join(f"{value:02X} {word}\n" for value, word in words)
        mapping = [f"Name: {_mapping(code)}", "Bits: 8", *(f"0x{v:02x} {w}" for v, w in words)]
        files[wave.with_suffix(f".{code}.surfer.txt")] = "\n".join([*mapping, ""])
    for file, text in files.items():
        file.write_text(text)
    return sorted(files)


def _mapping(code: str) -> str:
    return f"tmu_{code}"


def gtkwave(
    wave: Path,
    stages: Sequence[tuple[str, list[Signal]]],
    codes: dict[str, Path],
    clock: int | None,
) -> str:
    """A savefile: codes pass a filter that turns numbers into words."""
    lines = [f'[dumpfile] "{wave.resolve()}"', "[timestart] 0"]
    if clock is not None:
        lines[-1] = f"[timestart] {max(0, clock - 40) * CLOCK_PS}"
        lines.append(f"*-16.000000 {clock * CLOCK_PS}{' -1' * 26}")
    numbers = {code: at for at, code in enumerate(codes, start=1)}
    for title, signals in stages:
        lines += ["@200", f"-{title}"]
        for signal in signals:
            if signal.code is None:
                lines += ["@28" if signal.width == 1 else "@22", signal.ranged]
            else:
                number = numbers[signal.code]
                lines += ["@2022", f"^{number} {codes[signal.code].resolve()}", signal.ranged]
    return "\n".join([*lines, ""])


def commands(wave: Path, stages: Sequence[tuple[str, list[Signal]]], clock: int | None) -> str:
    """A command file of Surfer; its codes are words where the mappings are installed."""
    lines = [f"load_file {wave.resolve()}"]
    for title, signals in stages:
        lines.append(f"divider_add {title}")
        for signal in signals:
            lines.append(f"variable_add {signal.path}")
            if signal.code is not None:
                lines.append(f"item_set_format {_mapping(signal.code)}")
    if clock is not None:
        lines += [f"cursor_set {clock * CLOCK_PS}", "goto_cursor"]
    else:
        lines.append("zoom_fit")
    return "\n".join([*lines, ""])


def said(wave: Path, clock: int | None, files: Sequence[Path]) -> list[str]:
    """Lines that a run with a waveform tells."""
    lines = []
    if clock is not None:
        time = clock * CLOCK_PS / 1000
        lines.append(f"first difference seen at clock {clock:,}, {time:,.0f} ns in {wave}")
    shown = [file for file in files if file.suffix in (".gtkw", ".sucl")]
    lines += [f"gtkwave {file}" for file in shown if file.suffix == ".gtkw"]
    return [*lines, *(f"surfer -c {file}" for file in shown if file.suffix == ".sucl")]
