# SPDX-License-Identifier: Apache-2.0
"""Replaying traces through an engine and showing what came out."""
