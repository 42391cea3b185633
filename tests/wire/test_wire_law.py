# SPDX-License-Identifier: Apache-2.0
"""Canaries: where the model of the wire or the endpoint is wrong in one place, they differ."""

import subprocess
from pathlib import Path

import pytest
from opentmu import paths, toolchain
from opentmu.build import cbuild

LAW = "wire/law"
NODE = "endpoint"
# Folder, file, what is right, what is wrong.
MUTANTS = {
    "W1 a repeated packet is taken": (
        *(LAW, "wire_packet.c"),
        "bool again = has_flag(packet, UET_FLAG_RETX)",
        "bool again = !has_flag(packet, UET_FLAG_RETX)",
    ),
    "W1 a gap is told again": (LAW, "wire_packet.c", "connection->told = true;", ""),
    "W1 a belated SYN opens": (
        LAW,
        "wire_connection.c",
        "if (at->closed && wire_same",
        "if (0 && ",
    ),
    "W1 the window ends late": (
        *(LAW, "wire_packet.c"),
        "if (ahead >= (int32_t)model->config.window) {",
        "if (ahead > (int32_t)model->config.window) {",
    ),
    "W1 a live id begins anew": (LAW, "wire_message.c", "if (live) { /*", "if (0) { /*"),
    "W2 a byte more than the receive": (
        *(LAW, "wire_arrival.c"),
        "least(count, message->room - offset)",
        "least(count, message->room + 1 - offset)",
    ),
    "W2 an offset is not compared": (
        *(LAW, "wire_message.c"),
        "ses->message_offset != message->arrived ||",
        "",
    ),
    "W3 bytes at the wrong address": (
        *(LAW, "wire_arrival.c"),
        "WIRE_WRITE, message->endpoint, message->address + offset",
        "WIRE_WRITE, message->endpoint, message->address",
    ),
    "W4 CACK runs past": (LAW, "wire_connection.c", "cack = kept->psn - 1;", ""),
    "W5 room without a generation": (LAW, "wire_arrival.c", "endpoint->generation += 1;", ""),
    "W6 a duplicate clears": (
        *(LAW, "wire_packet.c"),
        "    if (ahead >= (int32_t)model->config.window) {",
        "    wire_clear(connection, packet->pds.psn - 1);\n"
        "    if (ahead >= (int32_t)model->config.window) {",
    ),
    "W7 idle messages stay": (LAW, "wire_message.c", ">= model->config.idle", "> UINT64_MAX - 1"),
    "W7 a broken message goes on": (
        *(LAW, "wire_message.c"),
        "        break_off(model, message, connection, packet, code);\n",
        "",
    ),
    "the endpoint takes a packet twice": (
        *(NODE, "uet_target.c"),
        "    pdc->expected += 1;\n    pdc->told = false;\n    if (response.opcode",
        "    pdc->expected += pds->psn % 97 != 0;\n    pdc->told = false;\n    if (response.opcode",
    ),
    "the endpoint forgets an answer": (
        *(NODE, "uet_target.c"),
        "if (pdc->store[i].psn == psn) {",
        "if (pdc->store[i].psn == psn && i == 0) {",
    ),
    "the endpoint writes one byte wrong": (
        *(NODE, "uet_arrival.c"),
        "memcpy((uint8_t *)to + offset, bytes,",
        "memcpy((uint8_t *)to + offset, bytes + (count > 40),",
    ),
}
LIBRARIES = (
    *("uet_target_bench", "uet_law", "wire_judge", "tmu_wire_model_static", "uet_endpoint"),
    *("uet_forge", "uet_codec", "tmu_model_static"),
)
INCLUDES = ("wire", "wire/law", "wire/test", "law", "endpoint", "test", "campaigns/common")
FLAGS = ["-std=c11", "-O1", *(f"-I{paths.SIM / part}" for part in INCLUDES)]


def compiled(source: Path, into: Path) -> Path:
    """The object of one source of C."""
    made = into / f"{source.stem}.o"
    subprocess.run(["gcc", *FLAGS, "-c", source, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The object of the program that holds the endpoint against the model."""
    toolchain.need_compiler()
    return compiled(paths.SIM / NODE / "test/test_uet_law.c", tmp_path_factory.mktemp("law"))


def run(judged: Path, folder: Path, *changed: Path) -> subprocess.CompletedProcess[str]:
    """The program with some objects in place of the libraries' own."""
    build = cbuild.ensure()
    libraries = [cbuild.program(build, f"lib{one}.a") for one in LIBRARIES]
    program = folder / "judged"
    subprocess.run(["gcc", judged, *changed, *libraries, "-o", program], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=False)


def test_the_endpoint_and_the_model_agree(judged: Path, tmp_path: Path) -> None:
    done = run(judged, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS.keys())
def test_a_wrong_rule_is_seen(judged: Path, tmp_path: Path, mutant: tuple[str, ...]) -> None:
    folder, name, right, wrong = mutant
    text = (paths.SIM / folder / name).read_text()
    assert text.count(right) == 1
    (tmp_path / name).write_text(text.replace(right, wrong))
    done = run(judged, tmp_path, compiled(tmp_path / name, tmp_path))
    assert done.returncode == 1, done.stdout
    assert "found" in done.stderr and "expected" in done.stderr
