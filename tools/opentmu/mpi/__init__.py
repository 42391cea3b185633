# SPDX-License-Identifier: Apache-2.0
"""MPI programs whose messages are matched by the unit, through the libfabric provider."""
