# SPDX-License-Identifier: Apache-2.0
"""Tests of the whole unit and of the main job."""
