# SPDX-License-Identifier: Apache-2.0
"""A package, so that the tests here share how a wrong line is put into a design."""
