# SPDX-License-Identifier: Apache-2.0
"""Boot a virtual machine with the device in it, run a script there, and end it.

The guest is Debian's kernel with a file system in memory: busybox, our programs with the libraries
that they have here, and the script.  It is simulated as well (no KVM), so that it runs anywhere.
"""

import platform
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from opentmu import children
from opentmu.errors import CheckFailed, ToolMissing
from opentmu.process import excerpt
from opentmu.setup import vm
from opentmu.vm import cpio

MACHINE = "x86_64"
SLOT = "05.0"
# Address of the device in the guest.
ADDRESS = f"0000:00:{SLOT}"
MEMORY_MB = 256
# Console, what the script prints, and what it writes to /dev/ttyS2.
SERIAL_PORTS = ("console", "output", "result")
# On a busy machine the guest's check of its timer can fail, and then it does not boot.
APPEND = "console=ttyS0 quiet panic=-1 intel_iommu=on no_timer_check"

INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
export PATH=/bin LD_LIBRARY_PATH=/lib
stty -F /dev/ttyS1 raw
stty -F /dev/ttyS2 raw
# The ports are closed before the power goes off, so that all of it is sent.
(sh /script; echo "exit $?") </dev/null >/dev/ttyS1 2>&1
poweroff -f
"""

# Commands that give the device to vfio-pci, at the head of a script.
BIND = f"""set -e
for module in {" ".join(Path(module).name for module in vm.MODULES)}; do
    insmod /modules/$module
done
echo vfio-pci >/sys/bus/pci/devices/{ADDRESS}/driver_override
echo {ADDRESS} >/sys/bus/pci/drivers_probe
set +e
"""

# Path of the kernel driver in the guest, for those who bring it.
DRIVER = "modules/tmu.ko"


def load(parameters: str = "") -> str:
    """Command that gives the device to the kernel driver, at the head of a script."""
    return f"insmod /{DRIVER} {parameters} || exit 99\n"


@dataclass(frozen=True)
class Ran:
    """Results of a script: its exit code, what it printed, and what it wrote to /dev/ttyS2."""

    exit_code: int
    output: str
    result: str


def run(
    script: str,
    programs: Iterable[Path],
    socket: Path,
    *,
    files: Mapping[str, Path] | None = None,
    iommu: bool = True,
    memory_mb: int = MEMORY_MB,
    seconds: float = 300.0,
) -> Ran:
    """Run a shell script in a guest with the device of `socket`.

    Programs are in its path by their names, and `files` where they say.
    Raises CheckFailed when the guest does not come to the script's end.
    """
    need()
    with TemporaryDirectory(prefix="tmu-vm-") as name:
        folder = Path(name)
        cpio.write(folder / "initrd", {**_system(script, programs), **(files or {})})
        log = folder / "qemu.log"
        with log.open("w") as output:
            try:
                children.run(
                    _words(folder, socket, iommu, memory_mb),
                    seconds=seconds,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            except subprocess.TimeoutExpired as error:
                raise CheckFailed(_failure(folder, f"took more than {seconds:.0f} s")) from error
        text = _read(folder / "output")
        end = re.search(r"^exit (\d+)\n\Z", text, re.MULTILINE)
        if end is None:
            raise CheckFailed(_failure(folder, "ended before the script did"))
        return Ran(int(end[1]), text[: end.start()], _read(folder / "result"))


def need() -> None:
    """Have the virtual machine's parts; raises ToolMissing where they cannot be had."""
    if platform.machine() != MACHINE:
        raise ToolMissing(f"the virtual machine needs {MACHINE}, and this is {platform.machine()}")
    vm.ensure()


def _system(script: str, programs: Iterable[Path]) -> dict[str, Path | bytes]:
    content: dict[str, Path | bytes] = {
        "init": INIT.encode(),
        "script": script.encode(),
        "bin/busybox": vm.BUSYBOX,
    }
    content |= {f"modules/{Path(one).name}": vm.KERNEL / Path(one).name for one in vm.MODULES}
    for program in programs:
        content[f"bin/{program.name}"] = program
        content |= _libraries(program)
    return content


def _libraries(program: Path) -> dict[str, Path | bytes]:
    """Libraries of a program; the loader has to lie where the program says."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckFailed(f"ldd {program}: {done.stderr.strip()}")
    found: dict[str, Path | bytes] = {}
    for name, _, file in re.findall(r"^\t(\S+)( => (\S+))? \(0x", done.stdout, re.MULTILINE):
        if name.startswith("/"):
            found[name.lstrip("/")] = Path(name)
        elif file:
            found[f"lib/{name}"] = Path(file)
    return found


def _words(folder: Path, socket: Path, iommu: bool, memory_mb: int) -> Sequence[str | Path]:
    """QEMU's command line."""
    memory = f"memory-backend-memfd,id=memory,size={memory_mb}M,share=on"
    device = f'{{"driver":"vfio-user-pci","addr":"{SLOT}",' + (
        f'"socket":{{"type":"unix","path":"{socket}"}}}}'
    )
    words: list[str | Path] = [*vm.qemu_words(), "-nodefaults", "-no-user-config"]
    words += ["-display", "none", "-no-reboot", "-accel", "tcg", "-m", str(memory_mb)]
    words += ["-machine", "q35,kernel-irqchip=off,memory-backend=memory", "-object", memory]
    if iommu:
        words += ["-device", "intel-iommu,caching-mode=on"]
    words += ["-device", device, "-kernel", vm.KERNEL / "vmlinuz", "-initrd", folder / "initrd"]
    words += ["-append", APPEND]
    for port in SERIAL_PORTS:
        words += ["-serial", f"file:{folder / port}"]
    return words


def _read(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""


def _failure(folder: Path, what: str) -> str:
    parts = [f"The virtual machine {what}."]
    for name in ("qemu.log", "console", "output"):
        file = folder / name
        parts.append(f"End of its {name}:\n{excerpt(file) if file.exists() else '(none)'}")
    return "\n".join(parts)
