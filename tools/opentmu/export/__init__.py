# SPDX-License-Identifier: Apache-2.0
"""What `tmu verilog` hands to somebody who integrates the unit."""
