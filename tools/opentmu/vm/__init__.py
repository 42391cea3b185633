# SPDX-License-Identifier: Apache-2.0
"""A virtual machine with the device process in it: QEMU, Debian's kernel and a small system."""
