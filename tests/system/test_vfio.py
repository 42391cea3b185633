# SPDX-License-Identifier: Apache-2.0
"""The backend `vfio:` on a machine without a device for it: what it says, and what to do.

Its other sentences are those of sw-driver/tests/test_vfio.c; with a device it runs in test_vm.py.
"""

import subprocess
from pathlib import Path

import pytest
from opentmu.build import cbuild

FUNCTIONS = Path("/sys/bus/pci/devices")


def said(uri: str, exit_code: int = 2) -> str:
    """Complaint of tmu-info about a URI that it cannot use."""
    program = cbuild.program(cbuild.ensure(), "tmu-info")
    done = subprocess.run([program, uri], capture_output=True, text=True, check=False)
    assert done.returncode == exit_code
    assert done.stdout == ""
    assert done.stderr.startswith("tmu-info: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("address", ["", "05:00.0", "0000:05:00", "/dev/vfio/1"])
def test_an_address_has_to_be_whole(address: str) -> None:
    """The sentence shows one, and how to find those that there are."""
    text = said(f"vfio:{address}")
    assert f"vfio: found '{address}', expected a PCI address with its domain" in text
    assert "vfio:0000:03:00.0; lspci -D -d 1234:544d lists them" in text


def test_a_function_has_to_be_there() -> None:
    """An address of PCI that nothing has."""
    assert f"there is no PCI device ffff:ff:1f.7 in {FUNCTIONS}" in said("vfio:ffff:ff:1f.7")


def test_a_function_has_to_be_the_unit() -> None:
    """Some other device of this machine, which is not touched."""
    others = [one.name for one in FUNCTIONS.iterdir()] if FUNCTIONS.is_dir() else []
    if not others:
        pytest.skip(f"on demand: this machine has no PCI device in {FUNCTIONS}")
    text = said(f"vfio:{min(others)}", exit_code=1)
    assert f"the device at {min(others)} is PCI device " in text
    assert ", expected 1234:544d" in text
