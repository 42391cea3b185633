# SPDX-License-Identifier: Apache-2.0
"""The measurements of `tmu bench`: cells, the run of the harness, targets, tables and plots."""
