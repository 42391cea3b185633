# SPDX-License-Identifier: Apache-2.0
"""Resources and clock of a preset through Yosys and nextpnr, and what the numbers mean."""
