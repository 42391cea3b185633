# SPDX-License-Identifier: Apache-2.0
"""Paths of the checkout.  Nothing here creates a folder."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIM = ROOT / "sim"
TOOLS = ROOT / "tools"
HW = ROOT / "hw"
TRACES = ROOT / "tests" / "traces"

BUILD = ROOT / "build"
VENV = BUILD / "venv"
BIN = BUILD / "bin"
MILL = BUILD / "mill"
VM = BUILD / "vm"
MPI = BUILD / "mpi"
LOCKS = BUILD / "locks"
LOGS = BUILD / "log"
C_BUILD = BUILD / "c"
C_BUILD_ASAN = BUILD / "c-asan"
C_BUILD_TSAN = BUILD / "c-tsan"
RTL = BUILD / "rtl"
VERILATED = BUILD / "verilated"
TEST_REPORTS = BUILD / "test"
