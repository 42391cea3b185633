# SPDX-License-Identifier: Apache-2.0
"""What a trace looks like to a matching unit: depths, search positions, wildcards, bits."""
