# SPDX-License-Identifier: Apache-2.0
"""What `tmu bench` measures: cells, the run of the harness, targets, tables and plots."""
