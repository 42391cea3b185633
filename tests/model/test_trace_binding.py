# SPDX-License-Identifier: Apache-2.0
"""`opentmu.trace`: the C reader's result arrives whole in numpy."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from opentmu import trace
from opentmu.trace import Kind, TraceError

FIRST = "# tmu-trace v1\n"


def written(folder: Path, text: str) -> Path:
    file = folder / "a.trace"
    file.write_bytes(text.encode())
    return file


def test_each_field_has_its_column(tmp_path: Path) -> None:
    lines = [
        "post 4294967295 18446744073709551615 7 3 -2 281474976710655 @18446744073709551614",
        "raw-claim 1 2 0x123456789abcdef0 0x0fedcba987654321 any",
        "cancel 3 4 18446744073709551614",
        "arrive 5 6 8 4294967295 9 10",
    ]
    loaded = trace.load(written(tmp_path, FIRST + "\n".join(lines) + "\n"))
    assert loaded.ops.dtype.itemsize == 72
    post, claim, cancel, arrive = loaded.ops
    assert post["endpoint"] == 2**32 - 1
    assert post["id"] == 2**64 - 1
    assert post["match"] == 7 << 32 | 0xFFFFFFFE
    assert post["source"] == 3
    assert post["bytes"] == 2**48 - 1
    assert post["time_ns"] == 2**64 - 2
    assert claim["match"] == 0x123456789ABCDEF0
    assert claim["ignore"] == 0x0FEDCBA987654321
    assert claim["source_ignore"] == 2**32 - 1
    assert cancel["target"] == 2**64 - 2
    assert arrive["source"] == 2**32 - 1
    assert [Kind(kind) for kind in loaded.ops["kind"]] == [
        Kind.POST,
        Kind.CLAIM,
        Kind.CANCEL,
        Kind.ARRIVE,
    ]
    assert list(loaded.ops["raw"]) == [0, 1, 0, 0]
    assert list(loaded.ops["line"]) == [2, 3, 4, 5]
    assert list(loaded.ops["time_ns"][1:]) == [trace.NO_TIME] * 3


def test_r2_any_tag_keeps_the_sign_bit_compared(tmp_path: Path) -> None:
    loaded = trace.load(written(tmp_path, FIRST + "post 0 1 7 any any 8\n"))
    assert loaded.ops["match"][0] == 7 << 32
    assert loaded.ops["ignore"][0] == 0x7FFFFFFF
    assert loaded.ops["source_ignore"][0] == 0xFFFFFFFF


def test_metadata_and_the_array_outlive_the_reader(tmp_path: Path) -> None:
    text = FIRST + "# ranks: 8\n# origin: caf\u00e9\n# ranks: 9\nflush 0 1\n"
    loaded = trace.load(str(written(tmp_path, text)))
    assert loaded.metadata == (("ranks", "8"), ("origin", "caf\u00e9"), ("ranks", "9"))
    assert loaded.value("ranks") == "8"
    assert loaded.value("application") is None
    loaded.ops["endpoint"] = 3  # the array is the caller's own
    assert loaded.ops["endpoint"][0] == 3


def test_gzip_and_a_trace_without_operations(tmp_path: Path) -> None:
    file = tmp_path / "a.trace.gz"
    file.write_bytes(gzip.compress((FIRST + "flush 0 1\nflush 0 2\n").encode()))
    assert np.array_equal(trace.load(file).ops["id"], [1, 2])
    assert len(trace.load(written(tmp_path, FIRST)).ops) == 0


def test_a_refused_trace_raises_the_sentence(tmp_path: Path) -> None:
    file = written(tmp_path, FIRST + "flush 0\n")
    with pytest.raises(TraceError) as caught:
        trace.load(file)
    assert str(caught.value) == (
        f"{file}:2: found 1 field after flush, expected flush <endpoint> <req> [@<ns>]"
    )
    assert caught.value.exit_code == 2


def test_a_missing_file_raises_the_sentence(tmp_path: Path) -> None:
    file = tmp_path / "none.trace"
    with pytest.raises(TraceError) as caught:
        trace.load(file)
    assert str(caught.value) == (
        f"{file}:0: found no readable file (No such file or directory), "
        'expected a trace that begins with "# tmu-trace v1"'
    )
