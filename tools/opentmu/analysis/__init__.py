# SPDX-License-Identifier: Apache-2.0
"""Statistics of a trace: depths, search positions, wildcards, bits."""
