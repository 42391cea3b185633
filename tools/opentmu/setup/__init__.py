# SPDX-License-Identifier: Apache-2.0
"""Tools that the checkout installs into itself, each when a command first needs it.

These modules use the standard library only: they run before the Python environment exists.
"""
