# SPDX-License-Identifier: Apache-2.0
"""A trace and the reference model's answers as arrays."""
