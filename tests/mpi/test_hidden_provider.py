# SPDX-License-Identifier: Apache-2.0
"""FI_PROVIDER=tmu: programs see this provider alone, and it still finds the one below."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.mpi import library
from opentmu.setup import wheels

Done = subprocess.CompletedProcess[str]
Build = Callable[..., Path]
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def asks(compile_fabric: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_fabric(HERE / "fabric_asks.c", tmp_path_factory.mktemp("asks"))


def run(program: Path, folder: Path, *words: str, **settings: str) -> Done:
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("TMU_", "FI_"))}
    environment = {**kept, "FI_PROVIDER_PATH": str(folder), "FI_PROVIDER": "tmu", **settings}
    return subprocess.run(
        [program, *words], env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_hidden_provider_is_found(asks: Path, provider_folder: Path) -> None:
    done = run(asks, provider_folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "tmu\n", "")


def test_messages_go_through_the_hidden_provider(fabric_calls: Path, provider_folder: Path) -> None:
    done = run(fabric_calls, provider_folder, TMU_URI="ref:tiny")
    assert (done.returncode, done.stdout) == (0, "every completion is right\n"), done.stderr


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A library to preload, with a fi_getinfo of the tests."""
    library = tmp_path / "plain.so"
    flags = ["-shared", "-fPIC", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", library, HERE / "plain_getinfo.c", "-ldl"], check=True)
    return library


def test_the_provider_below_matches_no_sources(
    fabric_calls: Path, provider_folder: Path, plain: Path
) -> None:
    """libfabric 1.17's net fails with FI_DIRECTED_RECV when it does not know who connects."""
    settings = {"TMU_URI": "ref:tiny", "LD_PRELOAD": str(plain), "TEST_NOT_DIRECTED": "1"}
    done = run(fabric_calls, provider_folder, FI_PROVIDER="tmu,tcp,net", **settings)
    assert (done.returncode, done.stdout) == (0, "every completion is right\n"), done.stderr


def test_a_provider_that_stays_hidden_is_said(
    asks: Path, provider_folder: Path, plain: Path
) -> None:
    """The sentence, where libfabric's own flag means nothing; and its advice helps."""
    done = run(asks, provider_folder, LD_PRELOAD=str(plain))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "tmu provider: libfabric shows neither tcp nor net, one of which is needed below; if "
        "FI_PROVIDER is set, name it there as well: FI_PROVIDER=tmu,tcp, or tmu,net before 1.18\n"
    )
    done = run(asks, provider_folder, LD_PRELOAD=str(plain), FI_PROVIDER="tmu,tcp,net")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tmu" in done.stdout.split()


def test_delivery_complete_is_refused_with_a_sentence(asks: Path, provider_folder: Path) -> None:
    done = run(asks, provider_folder, "delivery")
    assert done.returncode == 1
    assert done.stderr == (
        "tmu provider: sends that end with FI_DELIVERY_COMPLETE are asked for, which are not "
        "offered; with MPICH set MPIR_CVAR_CH4_OFI_ENABLE_RMA=0\n"
    )


@pytest.mark.parametrize("name", list(wheels.PACKAGES))
def test_the_same_file_runs_in_a_later_libfabric(
    name: str, fetched: Callable[[str], library.Library], asks: Path, provider_folder: Path
) -> None:
    """One binary, with the libfabric that came with an MPI."""
    fabric = fetched(name).fabric
    assert fabric is not None
    done = run(asks, provider_folder, LD_LIBRARY_PATH=str(fabric.parent))
    assert (done.returncode, done.stdout, done.stderr) == (0, "tmu\n", "")
