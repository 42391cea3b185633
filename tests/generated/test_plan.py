# SPDX-License-Identifier: Apache-2.0
"""docs/test-plan.md is fresh, and every rule and status has a test."""

import pytest
from opentmu import paths
from opentmu.testing import plan

pytestmark = pytest.mark.mill


def test_the_plan_is_complete_and_true() -> None:
    """R1 to R15 and every status, and citations where the law is implemented."""
    wrong = plan.complaints(paths.ROOT)
    assert not wrong, "\n".join(wrong)
