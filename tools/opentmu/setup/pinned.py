# SPDX-License-Identifier: Apache-2.0
"""Packages that a lock file pins by hash, fetched into folders outside the environment."""

from dataclasses import dataclass
from pathlib import Path

from opentmu import paths, stage
from opentmu.errors import ToolMissing
from opentmu.process import run_logged

OPTIONS = ("--require-hashes", "--no-deps", "--progress-bar", "off")
SETTINGS = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}


def pip(words: list[str | Path], lock: Path, title: str, log: str, advice: str) -> None:
    """Run pip on what `lock` pins and nothing else; ToolMissing with its words and `advice`."""
    python = paths.VENV / "bin" / "python"
    command = [python, "-m", "pip", *words, *OPTIONS, "-r", lock]
    try:
        run_logged(command, title, log, env=SETTINGS, failure=ToolMissing)
    except ToolMissing as error:
        raise ToolMissing(f"{error}\n{advice}") from error


@dataclass(frozen=True)
class Tool:
    """A Python tool in a folder of its own in build, fetched when it is first needed.

    It is not among the packages of the environment, and nothing of it gets in there.
    """

    name: str
    title: str
    advice: str
    from_source: tuple[str, ...] = ()  # packages that the index has no wheel of

    @property
    def lock(self) -> Path:
        """Lock file of the tool, beside this file."""
        return Path(__file__).with_name(f"{self.name}.lock")

    def ensure(self) -> Path:
        """A folder for the module search path; ToolMissing with advice if it cannot be fetched."""
        folder = paths.BUILD / self.name
        stage.ensure(folder, stage.hash_of([self.lock]), self._make)
        return folder

    def _make(self, folder: Path) -> None:
        words: list[str | Path] = ["install", "--only-binary", ":all:", "--target", folder]
        words += [word for package in self.from_source for word in ("--no-binary", package)]
        title = f"fetching {self.title} into build/{self.name}"
        pip(words, self.lock, title, f"pip-{self.name}", self.advice)


# For `tmu verilog`; it uses the SystemRDL compiler of the environment.
IPXACT = Tool(
    "ipxact",
    "peakrdl-ipxact",
    "peakrdl-ipxact comes from the Python package index.\n"
    "See that pip reaches the index and type the command again, "
    "or leave IP-XACT out with --no-ipxact.",
)
# For the tests. A machine without a wheel for it has to be able to do everything else.
REUSE = Tool(
    "reuse",
    "the checker of licence lines",
    "It is a wheel for CPython 3.11 on x86-64 with glibc 2.36 or newer.",
)
# For `tmu docs`: mkdocs with its theme, and WaveDrom.
SITE = Tool(
    "site-tools",
    "the generator of the site",
    "The wheels are for CPython 3.11 on x86-64; see that pip reaches its index.",
    from_source=("wavedrom",),
)
