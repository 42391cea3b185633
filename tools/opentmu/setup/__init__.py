# SPDX-License-Identifier: Apache-2.0
"""What the checkout installs into itself, each part when a command first needs it.

These modules use the standard library only: they run before the Python environment exists.
"""
