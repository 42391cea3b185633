# SPDX-License-Identifier: Apache-2.0
"""The kernel module compiles for the kernels of Debian's releases, without a warning."""

import re
from pathlib import Path

import pytest
from opentmu.build import kernel
from opentmu.errors import ToolMissing
from opentmu.setup import debian, headers


@pytest.mark.parametrize("release", headers.KERNELS)
def test_it_compiles_for_a_release(release: str) -> None:
    """With -Wall -Werror, and every symbol that it uses is one that the kernel has for modules."""
    try:
        module = kernel.compiled(release)
    except ToolMissing as error:
        pytest.skip(str(error))
    found = re.search(rb"vermagic=([0-9.]+)", module.read_bytes())
    assert found
    assert found[1].decode().startswith(f"{headers.KERNELS[release]}.")


def test_every_package_is_pinned() -> None:
    pins = debian.read_lock(headers.LOCK)
    assert {pin.suite for pin in pins} == set(headers.KERNELS)
    assert all(re.fullmatch("[0-9a-f]{64}", pin.sha256) for pin in pins)


def test_versions_are_looked_at_in_one_header() -> None:
    """Differences between kernels lie in tmu_compat.h."""
    looking = [
        file.name
        for file in Path(kernel.SOURCES).rglob("*.[ch]")
        if "LINUX_VERSION_CODE" in file.read_text()
    ]
    assert looking == ["tmu_compat.h"]
