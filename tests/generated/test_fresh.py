# SPDX-License-Identifier: Apache-2.0
"""The committed files that Chisel writes are what Chisel writes now."""

import pytest
from opentmu.build import rtl

pytestmark = pytest.mark.mill


def test_generated_files_are_fresh() -> None:
    """Regenerates all and compares byte for byte."""
    stale = rtl.stale_files()
    if stale:
        pytest.fail(f"not fresh: {', '.join(stale)}; to mend it type: ./tmu generate")
