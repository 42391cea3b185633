# SPDX-License-Identifier: Apache-2.0
"""The folder that `tmu verilog` writes for an integration of the unit."""
