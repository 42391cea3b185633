# SPDX-License-Identifier: Apache-2.0
"""./tmu mpi --mpi: the same programs on each MPI, and sentences for what users do wrong."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu.errors import BadInput, ToolMissing
from opentmu.mpi import library
from opentmu.setup import wheels

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]
Fetched = Callable[[str], library.Library]
Build = Callable[..., Path]
HERE = Path(__file__).parent
CONFORMANCE = sorted((HERE / "conformance").glob("*.c"))
# Open MPI 4.1.4 ends with an error in a claim on an inter-communicator, over `net` as well.
ARGUMENTS = {("system", "groups"): ["without-claims"]}


def run(tmu: Tmu, name: str, engine: str, ranks: int, *words: str | Path) -> dict[str, Any]:
    """The result of a run in which every check held; the program's words are in `said`."""
    options = ["--mpi", name, "-n", str(ranks), "--engine", engine, "--preset", "tiny", "--json"]
    done = tmu("mpi", *options, "--", *words)
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0), done.stderr
    assert result["mpi"] == name
    assert len(result["ranks"]) == ranks
    assert [rank["differences"] for rank in result["ranks"]] == [[]] * ranks
    return {**result, "said": done.stderr}


def test_mpich_on_the_hardware(
    tmu: Tmu, fetched: Fetched, compile_with: Build, tmp_path: Path
) -> None:
    """R1 to R4, R7 to R12 with MPICH, which sees no other provider than ours."""
    program = compile_with(fetched("mpich").compiler, HERE / "every_match.c", tmp_path)
    result = run(tmu, "mpich", "rtl", 2, program, "4")
    assert "every match is right on 2 ranks" in result["said"]
    for rank in result["ranks"]:
        assert rank["unit"]["truncated"] == 2
        assert rank["unit"]["cancelled"] >= 1
        assert rank["traffic"]["rendezvous"] >= 3


@pytest.mark.long
@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("engine", ["model", "rtl"])
@pytest.mark.parametrize("name", list(library.CHOICES))
def test_every_program_is_right_on_every_mpi(
    name: str,
    engine: str,
    ranks: int,
    tmu: Tmu,
    fetched: Fetched,
    compile_with: Build,
    tmp_path: Path,
) -> None:
    """R1 to R12 as conformance programs see them: each program on each MPI."""
    chosen = fetched(name)
    for source in [HERE / "every_match.c", *CONFORMANCE]:
        program = compile_with(chosen.compiler, source, tmp_path)
        more = ARGUMENTS.get((name, source.stem), [])
        result = run(tmu, name, engine, ranks, program, *more)
        assert f"right on {ranks} ranks" in result["said"], source
        assert result["operations"] > 0


def stub(folder: Path, soname: str) -> Path:
    """A program that is linked with a library of this name, which holds nothing."""
    source = folder / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    flags = ["-shared", "-fPIC", f"-Wl,-soname,{soname}", "-x", "c", "/dev/null"]
    subprocess.run(["gcc", *flags, "-o", folder / soname], check=True)
    needed: list[str | Path] = ["-Wl,--no-as-needed", folder / soname]
    subprocess.run(["gcc", source, "-o", folder / "program", *needed], check=True)
    return folder / "program"


def named(name: str) -> library.Library:
    return library.Library(name, Path("/x/mpiexec"), Path("/x/mpicc"), {})


@pytest.mark.parametrize(
    ("soname", "name", "maker", "advice"),
    [
        ("libmpi.so.40", "mpich", "Open MPI", ", or give --mpi system or openmpi."),
        ("libmpi.so.12", "system", "MPICH", ", or give --mpi mpich."),
        ("libmpich.so.12", "mpich", "Debian's MPICH, which does not use libfabric", "."),
        ("libmpi.so.20", "openmpi", "of an unknown MPI", "."),
    ],
)
def test_a_program_of_another_mpi_is_refused(
    soname: str, name: str, maker: str, advice: str, tmp_path: Path
) -> None:
    program = stub(tmp_path, soname)
    with pytest.raises(BadInput) as caught:
        library.check_program(named(name), program)
    assert f"{program}: found {soname} ({maker}) among its libraries, expected" in str(caught.value)
    assert str(caught.value).endswith(f"Compile it with /x/mpicc{advice}")


def test_a_program_of_the_right_mpi_and_a_script_are_taken(tmp_path: Path) -> None:
    library.check_program(named("mpich"), stub(tmp_path, "libmpi_abi.so.1"))
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    library.check_program(named("mpich"), script)
    assert library.linked_with(script) == []


def test_an_unknown_mpi_is_refused(tmu: Tmu) -> None:
    done = tmu("mpi", "--mpi", "intel", "--", "true")
    assert done.returncode == 2
    assert "'intel' is not one of 'system', 'openmpi', 'mpich'" in done.stderr


def test_an_mpirun_that_is_not_open_mpis_is_refused(
    provider_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mpirun", "mpicc"):
        (tmp_path / name).write_text("#!/bin/sh\necho HYDRA build details 4.0:\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(BadInput) as caught:
        library.choose("system")
    assert "found 'HYDRA build details 4.0:' as its version, expected Open MPI's" in str(
        caught.value
    )
    assert "For MPICH give --mpi mpich" in str(caught.value)


def test_a_wheel_that_cannot_be_had_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(wheels, "folder_of", lambda package: tmp_path / package)
    with pytest.raises(ToolMissing) as caught:
        wheels.ensure("mpich")
    assert f"MPICH {wheels.version_of('mpich')} comes from the Python package index" in str(
        caught.value
    )
    assert "See that pip reaches the index and type the command again" in str(caught.value)
    assert not (tmp_path / "mpich").exists()


def test_a_wheel_with_another_content_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "mpich.lock"
    text = wheels.lock_of("mpich").read_text()
    lock.write_text(text.replace("sha256:8fed", "sha256:0000"))
    assert lock.read_text() != text
    monkeypatch.setattr(wheels, "lock_of", lambda package: lock)
    monkeypatch.setattr(wheels, "folder_of", lambda package: tmp_path / package)
    with pytest.raises(ToolMissing) as caught:
        wheels.ensure("mpich")
    if "DO NOT MATCH THE HASHES" not in str(caught.value):
        pytest.skip("pip does not reach the package index")


def test_a_provider_that_an_mpi_cannot_load_is_said(provider_folder: Path, tmp_path: Path) -> None:
    """As with a libfabric that is older than the headers: libfabric itself would be silent."""
    stub(tmp_path, "libfabric.so.1")
    chosen = library.Library(
        "mpich", Path("x"), Path("x"), {}, tmp_path, tmp_path / "libfabric.so.1"
    )
    file = provider_folder / "libtmu-fi.so"
    with pytest.raises(ToolMissing) as caught:
        library.check_provider(chosen, file)
    assert f"{file} cannot be loaded with {tmp_path / 'libfabric.so.1'}: " in str(caught.value)
    assert f"install an older libfabric-dev and remove {provider_folder}" in str(caught.value)


def test_the_environment_of_each_mpi() -> None:
    libraries = Path("/folder/lib")
    chosen = library.Library("mpich", Path("x"), Path("x"), library.MPICH, libraries)
    known = chosen.environment({"FI_PROVIDER": "tcp", "LD_LIBRARY_PATH": "/mine"})
    assert known["FI_PROVIDER"] == "tmu"
    assert known["LD_LIBRARY_PATH"] == "/folder/lib:/mine"
    assert chosen.environment({})["LD_LIBRARY_PATH"] == "/folder/lib"
    assert "LD_LIBRARY_PATH" not in named("system").environment({})


def test_the_compiler_is_named(tmu: Tmu, fetched: Fetched) -> None:
    done = tmu("mpi", "--compiler", "mpich")
    assert (done.returncode, Path(done.stdout.strip())) == (0, fetched("mpich").compiler)
    shown = subprocess.run(
        [done.stdout.strip(), "-show"], capture_output=True, text=True, check=True
    )
    assert str(wheels.folder_of("mpich") / "lib") in shown.stdout
    done = tmu("mpi", "--compiler", "intel")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'intel' is not one of 'system', 'openmpi', 'mpich'" in done.stderr
