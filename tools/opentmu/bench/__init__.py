# SPDX-License-Identifier: Apache-2.0
"""The test bench: traffic, drivers, the law's answers and coverage for simulations of the unit."""
