# SPDX-License-Identifier: Apache-2.0
"""Versions that are not Python packages; requirements.in holds those that are."""

MILL_VERSION = "0.12.17"
MILL_ARTIFACT = f"com.lihaoyi:mill-dist:{MILL_VERSION}:exe"
MILL_FILE = f"mill-dist-{MILL_VERSION}.exe"
MILL_SHA256 = "dc6178be2ab620fa20ce25b056538f3963494b52accdd8c516d7c321ee6036ab"

PYTHON_MINIMUM = (3, 11)
JAVA_MINIMUM = 17
GXX_MINIMUM = 12

# The heap of one Mill process: firtool and zinc fit, and two of them fit in a small CI machine.
JAVA_HEAP = "-Xmx3g"
