# SPDX-License-Identifier: Apache-2.0
"""What `tmu test` runs: stages that end in counts of single tests."""
