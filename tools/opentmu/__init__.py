# SPDX-License-Identifier: Apache-2.0
"""OpenTMU: commands, builds, bindings and test library of the tag-matching unit."""

__version__ = "0.2.0"
