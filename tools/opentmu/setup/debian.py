# SPDX-License-Identifier: Apache-2.0
"""Debian packages unpacked into a folder: none is installed, and the machine's apt stays as it is.

apt fetches them, with lists and a cache of its own in the folder that is being made, so that
suites can be had that the machine does not follow; its settings, a proxy for example, count.
"""

import hashlib
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu.errors import ToolMissing
from opentmu.process import run_logged

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
ARCHITECTURE = "amd64"


@dataclass(frozen=True)
class Pin:
    """A package of one version and content."""

    suite: str
    name: str
    version: str
    sha256: str


def read_lock(file: Path) -> list[Pin]:
    """The pins of a file with one in each line."""
    lines = (line.split() for line in file.read_text().splitlines())
    return [Pin(*words) for words in lines if words and not words[0].startswith("#")]


def archive_site() -> str:
    """Archive that the machine's apt has Debian from: it has every suite, but for security."""
    command = ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for site, release in (line.split() for line in listed.splitlines()):
        if not release.endswith("-security"):
            return site
    raise ToolMissing("apt names no archive of Debian in its sources; see `man sources.list`")


class Archive:
    """Debian's archive, with state of its own in a folder."""

    def __init__(self, folder: Path, suites: Iterable[str]) -> None:
        """Fetch the lists of packages; apt checks their signature."""
        _need_apt()
        self.folder = folder
        (folder / "lists" / "partial").mkdir(parents=True)
        (folder / "cache" / "archives" / "partial").mkdir(parents=True)
        (folder / "status").touch()
        site = archive_site()
        sources = [f"deb [signed-by={KEYRING}] {site} {suite} main\n" for suite in sorted(suites)]
        (folder / "sources.list").write_text("".join(sources))
        self._apt("update", title="fetching Debian's lists of packages")

    def download(self, packages: Sequence[str], title: str) -> list[Path]:
        """Fetch packages, each `name=version` or `name/suite`; their files by name."""
        self._apt("download", *packages, title=title)
        return sorted(self.folder.glob("*.deb"))

    def _apt(self, *words: str, title: str) -> None:
        options = {
            "Dir::Etc::SourceList": self.folder / "sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State": self.folder,
            "Dir::State::Lists": self.folder / "lists",
            "Dir::State::Status": self.folder / "status",
            "Dir::Cache": self.folder / "cache",
            "APT::Architecture": ARCHITECTURE,
            "APT::Architectures": ARCHITECTURE,
            "APT::Sandbox::User": "",
            # A list that cannot be had is an error: without it there is no package.
            "APT::Update::Error-Mode": "any",
        }
        command = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
        log = f"debian-{words[0]}"
        run_logged([*command, *words], title, log, cwd=self.folder, failure=ToolMissing)


def unpack(pins: Sequence[Pin], work: Path, folder: Path, title: str) -> None:
    """Fetch pinned packages and unpack them all into `folder`; `work` is a new folder."""
    archive = Archive(work, {pin.suite for pin in pins})
    files = archive.download([f"{pin.name}={pin.version}" for pin in pins], title)
    wanted = {pin.sha256: pin for pin in pins}
    for file in files:
        found = sha256_of(file)
        if wanted.pop(found, None) is None:
            raise ToolMissing(f"{file.name}: found SHA-256 {found}, expected one of the pinned")
    if wanted:
        missing = ", ".join(sorted(pin.name for pin in wanted.values()))
        raise ToolMissing(f"apt-get did not fetch {missing}")
    folder.mkdir()
    for file in files:
        run_logged(["dpkg-deb", "-x", file, folder], title, "debian-unpack", failure=ToolMissing)


def renewed(pins: Sequence[Pin], work: Path) -> list[Pin]:
    """The same packages in the versions that their suites have now."""
    archive = Archive(work, {pin.suite for pin in pins})
    names = [f"{pin.name}/{pin.suite}" for pin in pins]
    fresh = {}
    for file in archive.download(names, "fetching the newest versions"):
        command = ["dpkg-deb", "-W", "--showformat=${Package} ${Version}", str(file)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        name, version = done.stdout.split()
        fresh[name] = (version, sha256_of(file))
    return [Pin(pin.suite, pin.name, *fresh[pin.name]) for pin in pins]


def renew(lock: Path, work: Path) -> None:
    """Write a lock file anew, with the versions that its suites have now."""
    pins = renewed(read_lock(lock), work)
    head = [line for line in lock.read_text().splitlines() if line.startswith("#")]
    lines = [f"{pin.suite} {pin.name} {pin.version} {pin.sha256}" for pin in pins]
    lock.write_text("\n".join([*head, *lines]) + "\n")


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _need_apt() -> None:
    missing = [name for name in ("apt-get", "dpkg-deb") if shutil.which(name) is None]
    if missing:
        raise ToolMissing(f"found no {' and no '.join(missing)}, which unpack Debian's packages")
    if not KEYRING.is_file():
        raise ToolMissing(
            f"found no {KEYRING}, expected Debian's keys.\n"
            "Type: sudo apt-get install debian-archive-keyring"
        )
