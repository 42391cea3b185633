# SPDX-License-Identifier: Apache-2.0
"""The model of the wire from Python: what it gives for examples, and that both sides read alike."""

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
from opentmu import paths
from opentmu import wire_model_abi as abi
from opentmu.build import cbuild
from opentmu.wire_model import Counter, Kind, WireModel

JOB, PID, INDEX = 0xABCD, 3, 15
TARGET = 0x0A000002
EVERYTHING = {"ignore": 2**64 - 1, "source_ignore": 2**32 - 1}
STRUCTURES = {
    "uet_settings_t": abi.WireSettings,
    "wire_config_t": abi.Config,
    "wire_endpoint_t": abi.Endpoint,
    "wire_receive_t": abi.Receive,
    "wire_completion_t": abi.Completion,
    "wire_effect_t": abi.Effect,
    "wire_result_t": abi.Result,
    "wire_counts_t": abi.Counts,
}


@pytest.fixture(scope="module", autouse=True)
def c_build() -> Path:
    """The folder of the C build."""
    return cbuild.ensure()


def example(number: int) -> bytes:
    """The frame of an example packet."""
    text = (paths.ROOT / f"tests/wire/p{number:02}.txt").read_text()
    digits = re.search(r"^frame\n(.*?)^fields$", text, re.MULTILINE | re.DOTALL)
    assert digits is not None
    return bytes.fromhex(digits[1])


def test_a_frame_has_its_effects_in_order() -> None:
    """P1 is answered by P2; its completion stands behind its bytes (W3)."""
    with WireModel(ipv4=TARGET, payload_mtu=1024) as model:
        endpoint = model.endpoint(job=JOB, pid=PID, index=INDEX)
        receive = {"endpoint": endpoint, "address": 0x1000, **EVERYTHING}
        assert model.post(bytes=64, handle=7, **receive) == []
        result = model.frame(example(1), pdcid=0x202)
        assert (result.counter, result.reason) == (Counter.TAKEN, 0)
        written, completed, sent = result.effects
        assert (written.kind, written.address, written.data) == (Kind.WRITE, 0x1000, b"OpenTMU!")
        assert completed.completion is not None
        assert (completed.completion.handle, completed.completion.source) == (7, 5)
        assert (sent.kind, sent.data) == (Kind.SEND, example(2))
        model.post(bytes=5, handle=8, **receive)
        written, completed, sent = model.frame(example(3)).effects
        assert written.data == b"OpenT"
        assert completed.completion is not None
        assert (completed.completion.length, completed.completion.written) == (8, 5)
        assert model.frame(example(1)[:-1]).counter is Counter.REFUSED_FRAME
        assert model.counts() | {"taken": 2, "refused_frame": 1, "frames": 3} == model.counts()


def test_unexpected_payload_goes_through_the_pool() -> None:
    with WireModel(ipv4=TARGET, payload_mtu=1024) as model:
        endpoint = model.endpoint(job=JOB, pid=PID, index=INDEX, pooled=1)
        model.pool(endpoint, 0x9000, 64)
        parked, answer = model.frame(example(1), pdcid=0x202).effects
        assert (parked.kind, parked.address, parked.data) == (Kind.PARK, 0x9000, b"OpenTMU!")
        assert answer.kind is Kind.SEND
        moved, freed, completed = model.post(
            endpoint=endpoint, address=0x1000, bytes=64, handle=8, **EVERYTHING
        )
        assert (moved.kind, moved.address, moved.data) == (Kind.WRITE, 0x1000, b"OpenTMU!")
        assert (freed.kind, freed.address) == (Kind.FREE, 0x9000)
        assert completed.completion is not None and completed.completion.handle == 8
        assert model.advance(10**10) == []


def test_receives_are_cancelled_and_endpoints_disabled() -> None:
    with WireModel(ipv4=TARGET, endpoints=1) as model:
        endpoint = model.endpoint(job=JOB, pid=PID, index=INDEX)
        model.post(endpoint=endpoint, address=0, bytes=5, handle=7, **EVERYTHING)
        assert model.cancel(endpoint, 7) and not model.cancel(endpoint, 7)
        model.enable(endpoint, on=False)
        (answer,) = model.frame(example(1)).effects
        assert answer.data[55] == 4  # DISABLED_GEN
        with pytest.raises(ValueError, match="no endpoint left"):
            model.endpoint(job=JOB, pid=PID, index=INDEX)
        with pytest.raises(ValueError, match="no such endpoint"):
            model.post(endpoint=1, address=0, bytes=5, handle=7)
    with pytest.raises(ValueError, match="refuses the configuration"):
        WireModel(payload_mtu=0)


def test_structures_are_those_of_the_header(tmp_path: Path) -> None:
    """Each field is where C has it."""
    lines = []
    expected = []
    for name, structure in STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for field, *_ in structure._fields_:
            lines.append(f'printf("{name} {field} %zu\\n", offsetof({name}, {field}));')
            expected.append(f"{name} {field} {getattr(structure, field).offset}")
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <stddef.h>\n#include <stdio.h>\n"
        f'#include "wire_model.h"\nint main(void) {{ {"".join(lines)} return 0; }}\n'
    )
    includes = [f"-I{paths.SIM / part}" for part in ("wire", "wire/law")]
    subprocess.run(["gcc", *includes, source, "-o", tmp_path / "layout"], check=True)
    done = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == expected
