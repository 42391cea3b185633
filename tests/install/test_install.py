# SPDX-License-Identifier: Apache-2.0
"""Files of `cmake --install` lie where they belong, work from there, and leave by `uninstall`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from opentmu import __version__, paths
from opentmu.build import kernel
from opentmu.errors import ToolMissing
from opentmu.setup import headers
from opentmu.testing.runner import ON_DEMAND

from .conftest import DRIVER, Installed, run

pytestmark = pytest.mark.slow

HEADERS = {file.name for file in (DRIVER / "include" / "tmu").glob("*.h")}
MODULE = {
    file.relative_to(DRIVER).as_posix() for file in (DRIVER / "kernel").rglob("*") if file.is_file()
}
PROGRAMS = {"tmu-device", "tmu-info", "tmu-ping", "tmu-share"}
SYSTEM = {
    "lib/modprobe.d/tmu.conf",
    "lib/sysusers.d/tmu.conf",
    "lib/systemd/system/tmu-share@.service",
    "lib/udev/rules.d/70-tmu.rules",
}
EXAMPLES = DRIVER / "examples"


def files(folder: Path) -> set[str]:
    """Every file and link below a folder, by its path from there."""
    found = (file for file in folder.rglob("*") if file.is_symlink() or not file.is_dir())
    return {file.relative_to(folder).as_posix() for file in found}


def lines_of(readme: Path, start: str) -> str:
    """The shell block of a Markdown file that starts with a word."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", readme.read_text(), re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if block.startswith(start))
    return str(found)


def test_what_is_installed(installed: Installed) -> None:
    source = f"src/tmu-{__version__}"
    library = installed.library.relative_to(installed.prefix).as_posix()
    expected = {f"include/tmu/{name}" for name in HEADERS} | SYSTEM
    expected |= {f"bin/{name}" for name in PROGRAMS}
    expected |= {f"{library}/libtmu.so{end}" for end in ("", ".1", ".1.1.0")}
    expected |= {f"{library}/pkgconfig/libtmu.pc", f"{library}/tmu/libtmu_functional.so"}
    expected |= {f"{source}/{name}" for name in MODULE} | {f"{source}/dkms.conf"}
    expected |= {f"{source}/include/tmu/{name}" for name in HEADERS}
    expected |= {f"share/man/man1/{name}.1" for name in PROGRAMS | {"tmu"}}
    found = files(installed.prefix)
    assert expected <= found
    rest = re.compile(rf"share/man/man[37]/.*|{library}/(cmake/tmu|libfabric)/.*")
    assert not {name for name in found - expected if not rest.fullmatch(name)}


def test_the_library_has_a_name_for_its_interface(installed: Installed) -> None:
    dynamic = run("readelf", "-d", installed.library / "libtmu.so").stdout
    assert "Library soname: [libtmu.so.1]" in dynamic
    symbols = run("nm", "-D", "--defined-only", installed.library / "libtmu.so").stdout
    names = [line.split()[-1] for line in symbols.splitlines()]
    assert "tmu_open@@TMU_1" in names
    assert "tmu_net_send@@TMU_1.1" in names
    versions = {name.partition("@@")[2] or name for name in names}
    assert versions == {"TMU_1", "TMU_1.1"}


def test_programs_find_the_library_without_being_told(installed: Installed) -> None:
    done = run(installed.prefix / "bin" / "tmu-info", "ref:tiny", env={"LD_LIBRARY_PATH": ""})
    assert re.search(r"^backend +ref$", done.stdout, re.MULTILINE)


def test_the_functional_device_is_found_or_looked_for(installed: Installed, tmp_path: Path) -> None:
    """By the library above, and by a program that has the driver in itself."""
    share = (installed.prefix / "bin" / "tmu-share", "ref:huge", tmp_path / "socket")
    done = subprocess.run(share, capture_output=True, text=True, check=False)
    assert "unknown preset 'huge'" in done.stderr
    shutil.copytree(installed.prefix, tmp_path / "moved", symlinks=True)
    lib = tmp_path / "moved" / installed.library.relative_to(installed.prefix)
    info = (tmp_path / "moved" / "bin" / "tmu-info", "ref:tiny")
    run(*info)
    (lib / "tmu" / "libtmu_functional.so").unlink()
    done = subprocess.run(info, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "there is no libtmu_functional.so; in a checkout this builds it: " in done.stderr
    assert f"looked for it in the folders of TMU_SIM_PATH, in {lib}, in tmu there" in done.stderr


def test_the_versions_are_the_projects(installed: Installed, pkg_config: None) -> None:
    done = run("pkg-config", "--modversion", "libtmu", env=installed.environment)
    assert done.stdout.strip() == __version__
    source = installed.prefix / "src" / f"tmu-{__version__}"
    assert f'PACKAGE_VERSION="{__version__}"\n' in (source / "dkms.conf").read_text()


@pytest.mark.parametrize("start", ["cc -o messages", "cmake -S"])
def test_the_example_of_libtmu(
    installed: Installed, pkg_config: None, start: str, tmp_path: Path
) -> None:
    """By pkg-config and by find_package, with the lines that its page has."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    lines = lines_of(EXAMPLES / "README.md", start)
    done = run("sh", "-ec", lines, cwd=tmp_path / "examples", env=installed.environment)
    assert done.stdout.splitlines()[-6:] == [
        "receive 1 waits",
        "receive 2 waits",
        "message 101 matched 1",
        "message 102 matched 2",
        "message 103 waits",
        "receive 3 matched 103",
    ]


def test_the_example_of_libfabric(installed: Installed, fabric: None, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    lines = lines_of(EXAMPLES / "README.md", "cc -o tagged")
    done = run("sh", "-ec", lines, cwd=tmp_path / "examples", env=installed.environment)
    expected = [f"tag {n} received: message with tag {n}" for n in (3, 2, 1, 0)]
    assert done.stdout.splitlines() == expected


def test_examples_compile_without_a_warning(
    installed: Installed, fabric: None, tmp_path: Path
) -> None:
    strict = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion"]
    for source in sorted(EXAMPLES.glob("*.c")):
        include = f"-I{installed.prefix / 'include'}"
        run("cc", *strict, "-Werror", include, "-c", "-o", tmp_path / "x.o", source)


def test_the_provider_exports_where_libfabric_starts_it(installed: Installed, fabric: None) -> None:
    provider = installed.library / "libfabric" / "libtmu-fi.so"
    symbols = run("nm", "-D", "--defined-only", provider).stdout.split()
    assert symbols[2::3] == ["fi_prov_ini"]


def test_the_module_builds_as_dkms_would(installed: Installed, tmp_path: Path) -> None:
    """DKMS copies the source into its tree and runs MAKE[0] of dkms.conf there."""
    try:
        headers.ensure()
    except ToolMissing as error:
        pytest.skip(str(error))
    if shutil.which(kernel.COMPILER) is None:
        pytest.skip(f"{ON_DEMAND}{kernel.COMPILER}, with which Debian has built this kernel")
    source = installed.prefix / "src" / f"tmu-{__version__}"
    folder = tmp_path / "tmu" / __version__ / "build"
    shutil.copytree(source, folder)
    script = '. ./dkms.conf; eval "${MAKE[0]}" >&2; echo "${BUILT_MODULE_LOCATION[0]}"'
    settings = {"dkms_tree": str(tmp_path), "kernel_source_dir": str(headers.folder("bookworm"))}
    done = run("bash", "-euc", script, cwd=folder, env=settings)
    assert (folder / done.stdout.strip() / "tmu.ko").is_file()


def test_the_service_is_one(installed: Installed) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip(f"{ON_DEMAND}systemd is not on this machine, and nothing else here needs it")
    unit = installed.prefix / "lib" / "systemd" / "system" / "tmu-share@.service"
    said = run("systemd-analyze", "verify", "--man=no", unit)
    assert "tmu-share@" not in said.stderr
    text = unit.read_text()
    assert f"{installed.prefix}/bin/tmu-share vfio:%i /run/tmu/%i\n" in text


def test_the_group_is_one_name_in_all_files(installed: Installed) -> None:
    rules = (installed.prefix / "lib" / "udev" / "rules.d" / "70-tmu.rules").read_text()
    users = (installed.prefix / "lib" / "sysusers.d" / "tmu.conf").read_text()
    assert 'GROUP="tmu"' in rules and "\ng tmu -\n" in users


@pytest.mark.parametrize("stood_before", [False, True])
def test_uninstall_leaves_nothing(installed: Installed, tmp_path: Path, stood_before: bool) -> None:
    """But the folders that were there, and the files of others in them."""
    stage = tmp_path / "stage"
    inside = Path(f"{stage}{installed.prefix}")
    other = inside / "share" / "man" / "man1" / "other.1"
    empty = inside / "lib" / "udev" / "rules.d"
    if stood_before:
        other.parent.mkdir(parents=True)
        other.write_text("")
        empty.mkdir(parents=True)
    records = [installed.build / f"install_{kind}.txt" for kind in ("manifest", "folders")]
    kept = [record.read_text() for record in records]
    run("cmake", "--install", installed.build, env={"DESTDIR": str(stage)})
    assert files(inside) >= {"bin/tmu-info"}
    run("cmake", "--build", installed.build, "--target", "uninstall", env={"DESTDIR": str(stage)})
    for record, text in zip(records, kept, strict=True):
        record.write_text(text)
    assert files(stage) == ({other.relative_to(stage).as_posix()} if stood_before else set())
    assert stage.exists() == stood_before == empty.is_dir()


def test_uninstall_without_an_installation_says_so(tmp_path: Path) -> None:
    script = DRIVER / "cmake" / "uninstall.cmake"
    with pytest.raises(AssertionError, match="nothing was installed from it"):
        run("cmake", "-D", f"build={tmp_path}", "-P", script)


def test_the_build_names_no_path_of_the_checkout_in_what_it_installs(installed: Installed) -> None:
    root = str(paths.ROOT).encode()
    texts = [file for file in files(installed.prefix) if not file.startswith(("bin/", "src/"))]
    named = [
        name
        for name in texts
        if ".so" not in name and root in (installed.prefix / name).read_bytes()
    ]
    assert not named
