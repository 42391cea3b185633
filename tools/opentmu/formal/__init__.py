# SPDX-License-Identifier: Apache-2.0
"""Formal proofs of the matching unit: the design as Yosys takes it, and SymbiYosys runs."""
