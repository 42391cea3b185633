# SPDX-License-Identifier: Apache-2.0
"""Stages of `tmu test`, which end in counts of single tests."""
