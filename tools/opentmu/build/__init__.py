# SPDX-License-Identifier: Apache-2.0
"""Builds: Chisel to SystemVerilog, SystemVerilog to simulations, and all C."""
