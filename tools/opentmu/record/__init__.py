# SPDX-License-Identifier: Apache-2.0
"""Real input: record an MPI program's matching traffic and merge the ranks into one trace."""
