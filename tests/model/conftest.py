# SPDX-License-Identifier: Apache-2.0
"""The C libraries under test, built when they are not up to date."""

from pathlib import Path

import pytest
from opentmu.build import cbuild


@pytest.fixture(scope="session", autouse=True)
def c_build() -> Path:
    """The folder of the C build."""
    return cbuild.ensure()
