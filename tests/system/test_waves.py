# SPDX-License-Identifier: Apache-2.0
"""Savefiles beside a waveform: what they name is in the Verilog, and in a waveform of a run."""

import json
import re
import struct
import subprocess
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentmu import paths, regs
from opentmu.build import rtl
from opentmu.replay import report, waves

Tmu = Callable[..., subprocess.CompletedProcess[str]]
PORTS = """\
// Generated
module Small(\t// hw/src/Small.scala:1:2
  input         clock,\t// hw/src/Small.scala:3:4
                reset,
  input  [7:0]  io_opcode,
                io_status,
         [63:0] io_handle,
  output        io_ready
);
endmodule
"""
CLOCK = 1234


def test_widths_of_ports_are_read_from_the_verilog() -> None:
    assert waves.ports(PORTS, "Small") == {
        "clock": 1,
        "reset": 1,
        "io_opcode": 8,
        "io_status": 8,
        "io_handle": 64,
        "io_ready": 1,
    }


def test_every_signal_is_a_port_of_the_preset() -> None:
    """A port that is renamed would be missing from every savefile."""
    design = rtl.ensure("tiny")
    shown = dict(waves.groups(design))
    assert len(shown) == len(waves.STAGES)
    for title, _, _, names in waves.STAGES:
        assert [signal.path.rpartition(".")[2] for signal in shown[title]] == list(names), title
    codes = [signal for signals in shown.values() for signal in signals if signal.code]
    assert {signal.code for signal in codes} == set(waves.CODES)
    assert all(signal.width == 8 for signal in codes)


def test_the_clock_is_the_simulations() -> None:
    header = (paths.SIM / "device" / "tmu_sim.h").read_text()
    assert re.search(rf"^#define TMU_SIM_WAVE_PS {waves.CLOCK_PS}$", header, re.MULTILINE)


def test_savefiles_begin_at_the_first_difference(tmp_path: Path) -> None:
    wave = tmp_path / "run.fst"
    files = {file.name: file for file in waves.write(wave, rtl.ensure("tiny"), CLOCK)}
    assert set(files) == {
        "run.gtkw",
        "run.sucl",
        *(f"run.{code}{end}" for code in waves.CODES for end in (".txt", ".surfer.txt")),
    }
    gtkw, surfer = files["run.gtkw"].read_text(), files["run.sucl"].read_text()
    assert f"*-16.000000 {CLOCK * waves.CLOCK_PS} " in gtkw
    assert f"cursor_set {CLOCK * waves.CLOCK_PS}" in surfer
    assert f'[dumpfile] "{wave}"' in gtkw and f"load_file {wave}" in surfer
    assert f"^1 {files['run.opcode.txt']}\nTOP.TmuTop.unit.io_post_bits_opcode[7:0]" in gtkw
    assert "variable_add TOP.TmuTop.unit.io_post_bits_opcode\nitem_set_format tmu_opcode" in surfer
    words = dict(line.split() for line in files["run.status.txt"].read_text().splitlines())
    assert {int(code, 16): word for code, word in words.items()} == {
        one.value: one.name.lower() for one in regs.Status
    }
    mapping = files["run.opcode.surfer.txt"].read_text().splitlines()
    assert mapping[:2] == ["Name: tmu_opcode", "Bits: 8"]
    assert f"0x{regs.Opcode.POST.value:02x} post" in mapping
    said = waves.said(wave, CLOCK, list(files.values()))
    assert said[0] == f"first difference seen at clock 1,234, 9,872 ns in {wave}"
    whole = waves.gtkwave(wave, [], {}, None)
    assert "*-16" not in whole and waves.said(wave, None, []) == []


def test_the_report_has_the_clock_of_a_difference_only() -> None:
    result = {"engine": "rtl", "preset": "tiny", "trace": "t", "mismatches": 0, "ok": True}
    for clock in (None, CLOCK):
        found = report._figures([result | {"first_difference_clock": clock}])
        labels = list(found.columns[0].cells)
        assert ("first difference at clock" in labels) is (clock is not None)


def lz4(data: bytes, size: int) -> bytes:
    """A block of LZ4: the waveform's names are packed so."""
    out, at = bytearray(), 0

    def more(length: int) -> int:
        nonlocal at
        if length == 15:
            while True:
                length += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        return length

    while len(out) < size:
        token = data[at]
        at += 1
        literals = more(token >> 4)
        out += data[at : at + literals]
        at += literals
        if len(out) < size:
            (back,) = struct.unpack_from("<H", data, at)
            at += 2
            for _ in range(more(token & 15) + 4):
                out.append(out[-back])
    return bytes(out)


def packed_names(wave: Path) -> bytes:
    """The block of names of an FST file, unpacked."""
    data, at = wave.read_bytes(), 0
    while at < len(data):
        kind, length = data[at], struct.unpack_from(">Q", data, at + 1)[0]
        body = data[at + 9 : at + 1 + length]
        (size,) = struct.unpack_from(">Q", body)
        if kind == 4:
            return zlib.decompress(body[8:], 31)
        if kind == 6:
            return lz4(body[8:], size)
        if kind == 7:
            (middle,) = struct.unpack_from(">Q", body, 8)
            return lz4(lz4(body[16:], middle), size)
        at += 1 + length
    raise AssertionError("an FST file has a block of names")


@dataclass
class Reader:
    """Words and numbers, one after the other."""

    data: bytes
    at: int = 0

    def text(self) -> str:
        end = self.data.index(0, self.at)
        word, self.at = self.data[self.at : end].decode(), end + 1
        return word

    def number(self) -> None:
        while self.data[self.at] >= 128:
            self.at += 1
        self.at += 1


def names(wave: Path) -> set[str]:
    """Every signal with its scope."""
    block = Reader(packed_names(wave))
    scopes: list[str] = []
    found = set()
    while block.at < len(block.data):
        tag = block.data[block.at]
        block.at += 1
        if tag == 254:
            block.at += 1
            scopes.append(block.text())
            block.text()
        elif tag == 255:
            scopes.pop()
        elif tag == 252:
            block.at += 2
            block.text()
            block.number()
        else:
            block.at += 1
            found.add(".".join([*scopes, block.text().split(" ")[0]]))
            block.number()
            block.number()
    return found


def test_a_run_writes_a_waveform_with_all_that_its_savefiles_name(tmu: Tmu, tmp_path: Path) -> None:
    """Scopes and names as the viewers look them up; a clock lasts what it says."""
    wave = tmp_path / "run.fst"
    trace = tmp_path / "short.trace"
    trace.write_text("# tmu-trace v1\npost 0 1 1 2 3 8\narrive 0 1 1 2 3 8\n")
    done = tmu("run", "--trace", trace, "--preset", "tiny", "--wave", wave, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["first_difference_clock"] is None
    shown = [signal.path for _, signals in waves.groups(rtl.ensure("tiny")) for signal in signals]
    there = {name.partition("[")[0] for name in names(wave)}
    missing = [path for path in shown if path not in there]
    assert not missing, missing
    assert f"gtkwave {tmp_path / 'run.gtkw'}" in done.stderr
    assert f"surfer -c {tmp_path / 'run.sucl'}" in done.stderr
    _, _, _, last = struct.unpack(">BQQQ", wave.read_bytes()[:25])
    assert last % (waves.CLOCK_PS // 2) == 0 and last > 100 * waves.CLOCK_PS


@pytest.mark.parametrize("data", [b"\x50hello", b"\x35abc\x03\x00\x10z"])
def test_lz4_blocks_are_unpacked(data: bytes) -> None:
    """Literals alone, and a match that overlaps itself."""
    if data[0] == 0x50:
        assert lz4(data, 5) == b"hello"
    else:
        assert lz4(data, 13) == b"abc" + b"abcabcabc" + b"z"
