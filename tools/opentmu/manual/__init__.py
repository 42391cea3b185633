# SPDX-License-Identifier: Apache-2.0
"""Manual pages, made from what programs and headers say already.

`python -m opentmu.manual FOLDER PROGRAM...` writes them below FOLDER; the build of the driver does.
"""
