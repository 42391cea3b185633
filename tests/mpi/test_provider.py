# SPDX-License-Identifier: Apache-2.0
"""The provider under libfabric's own calls: completions, and sentences for what users do wrong."""

import os
import subprocess
from pathlib import Path

import pytest
from opentmu.build import verilate
from opentmu.mpi import check, provider

Done = subprocess.CompletedProcess[str]


def run(program: Path, folder: Path, **settings: str) -> Done:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TMU_")}
    environment = {**kept, "FI_PROVIDER_PATH": str(folder), **settings}
    return subprocess.run(
        [program], env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("engine", ["model", "rtl"])
def test_every_completion_is_right(
    engine: str, fabric_calls: Path, provider_folder: Path, tmp_path: Path
) -> None:
    """R8 to R10, R12, R14 through FI_PEEK, FI_CLAIM, fi_cancel, FI_ETRUNC and a close."""
    uri = "ref:tiny" if engine == "model" else f"sim:{verilate.library('tiny')}"
    place = str(tmp_path)
    settings = {"TMU_URI": uri, "TMU_FI_REPORT": place, "TMU_FI_RECORD": place}
    done = run(fabric_calls, provider_folder, **settings)
    assert (done.returncode, done.stdout) == (0, "every completion is right\n"), done.stderr
    assert done.stderr == ""
    (report,) = check.reports(tmp_path)
    assert report["uri"] == uri
    assert (report["mismatches"], report["differences"]) == (0, [])
    assert report["unit"]["truncated"] == 2
    assert report["unit"]["cancelled"] == 1
    assert report["unit"]["claim_matched"] == 6
    assert report["unit"]["flushes"] >= 1
    assert report["unit"]["removed_posted"] == 1
    assert report["unit"]["removed_unexpected"] == 2
    assert report["traffic"]["rendezvous"] == 7
    assert report["traffic"]["forwarded"] == 2


def test_what_is_set_wrong_is_said(fabric_calls: Path, provider_folder: Path) -> None:
    done = run(fabric_calls, provider_folder)
    assert done.returncode == 1
    assert "tmu provider: TMU_URI is not set; name the device to match with" in done.stderr
    done = run(fabric_calls, provider_folder, TMU_URI="ref:huge")
    assert "tmu provider: TMU_URI=ref:huge: unusable device URI: unknown preset" in done.stderr
    done = run(fabric_calls, provider_folder, TMU_URI="ref:tiny", TMU_FI_INNER="no-such")
    assert "tmu provider: TMU_FI_INNER=no-such: libfabric has no such provider" in done.stderr


def test_the_provider_compiles_without_a_warning(provider_folder: Path, tmp_path: Path) -> None:
    flags = [flag for flag in provider.FLAGS if not flag.startswith("-Wl,") and flag != "-shared"]
    sources = sorted(provider.SOURCES.glob("*.c"))
    command = ["gcc", *flags, "-Werror", "-c", f"-I{provider.SOURCES}", f"-I{provider.HEADERS}"]
    subprocess.run([*command, *sources], check=True, cwd=tmp_path)
    assert len(sources) == len(list(tmp_path.glob("*.o"))) > 10


def test_it_exports_its_door_alone(provider_folder: Path) -> None:
    """A program may bring a libtmu of its own, which must not be mixed up with this one's."""
    library = provider_folder / provider.NAME
    done = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    )
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["fi_prov_ini"]
