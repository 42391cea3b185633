# SPDX-License-Identifier: Apache-2.0
"""A virtual machine in build/vm, from pinned packages.

QEMU, Debian's kernel, what modules for that kernel are built with, and busybox.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from opentmu import paths, stage
from opentmu.setup import debian

LOCK = Path(__file__).with_name("vm.lock")
KERNEL = paths.VM / "kernel"
BUSYBOX = paths.VM / "busybox"
# Headers that the kernel's modules are built with, and Debian's folders of them.
HEADERS = paths.VM / "headers"
DEBIAN_HEADERS = ("usr/src", "usr/lib/linux-kbuild-6.1")
QEMU = "qemu-system-x86"
# Of the kernel's modules those that vfio-pci needs, in the order in which they are loaded.
MODULES = (
    "virt/lib/irqbypass.ko",
    "drivers/vfio/vfio.ko",
    "drivers/vfio/vfio_iommu_type1.ko",
    "drivers/vfio/vfio_virqfd.ko",
    "drivers/vfio/pci/vfio-pci-core.ko",
    "drivers/vfio/pci/vfio-pci.ko",
)


def key() -> str:
    """Stamp of build/vm: what is pinned, and what is kept of it."""
    return stage.hash_of([LOCK, *MODULES, *DEBIAN_HEADERS])


def is_current() -> bool:
    return stage.is_current(paths.VM, key())


def qemu_version() -> str:
    """The version of QEMU's package."""
    pins = debian.read_lock(LOCK)
    return next(pin.version for pin in pins if pin.name == QEMU)


def ensure() -> bool:
    """Have the virtual machine's parts; True iff they were fetched now."""
    return stage.ensure(paths.VM, key(), _make)


def qemu_words() -> list[str | Path]:
    """Command that starts QEMU: by its own loader, for its libraries are not the machine's."""
    root = paths.VM / "root" / "usr"
    libraries = root / "lib" / "x86_64-linux-gnu"
    loader = root / "lib64" / "ld-linux-x86-64.so.2"
    data = [word for name in ("qemu", "seabios") for word in ("-L", root / "share" / name)]
    return [loader, "--library-path", libraries, root / "bin" / "qemu-system-x86_64", *data]


def _make(folder: Path) -> None:
    root = folder / "root"
    title = "fetching QEMU and Debian's kernel into build/vm"
    debian.unpack(debian.read_lock(LOCK), folder / "work", root, title)
    (folder / "kernel").mkdir()
    shutil.copy(next((root / "boot").glob("vmlinuz-*")), folder / "kernel" / "vmlinuz")
    modules = next((root / "lib" / "modules").iterdir()) / "kernel"
    for module in MODULES:
        shutil.copy(modules / module, folder / "kernel")
    shutil.copy(root / "bin" / "busybox", folder / "busybox")
    _keep_headers(root, folder / "headers")
    # The rest of the kernel's 400 MB is for machines that are not simulated.
    for left in (folder / "work", root / "lib", root / "boot", root / "usr" / "share" / "doc"):
        shutil.rmtree(left)


def headers_folder() -> Path:
    """The folder that `make -C` wants for a module of the virtual machine's kernel."""
    return next((HEADERS / "usr" / "src").glob("linux-headers-*-amd64"))


def _keep_headers(root: Path, headers: Path) -> None:
    """Keep them where the folder will be: Debian's makefile has the path of its other half."""
    for name in DEBIAN_HEADERS:
        (headers / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(root / name, headers / name)
    makefile = next((headers / "usr" / "src").glob("linux-headers-*-amd64")) / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src", f"{HEADERS}/usr/src"))


def main() -> None:
    """Write the lock file anew, with the versions that Debian has now."""
    with TemporaryDirectory() as work:
        debian.renew(LOCK, Path(work))


if __name__ == "__main__":
    main()
