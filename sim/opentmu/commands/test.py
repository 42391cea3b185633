# SPDX-License-Identifier: Apache-2.0
"""`tmu test`: all tests, as CI runs them."""

import sys

import click

from opentmu import output
from opentmu.errors import CheckFailed, ToolMissing
from opentmu.testing import runner, stages


@click.command()
@click.option("--long", "long_too", is_flag=True, help="Also the long campaigns.")
@click.option("-k", "expression", help="Only tests that match, as pytest's -k; stages by name.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def command(long_too: bool, expression: str | None, as_json: bool) -> int:
    """Run all tests; CI runs this.

    The last line is `N passed, N failed`; what was skipped says why above it.
    The output of each stage is in build/test.
    No test at all is a failure.
    """
    finished = runner.run_lanes(stages.lanes(expression, long_too))
    print(runner.failure_report(finished), end="", file=sys.stderr, flush=True)
    passed = sum(one.outcome.passed for one in finished)
    failed = sum(one.outcome.failed for one in finished)
    if as_json:
        output.print_json(
            {
                "passed": passed,
                "failed": failed,
                "skipped": sum(len(one.outcome.skips) for one in finished),
                "stages": [_as_json(one) for one in finished],
            }
        )
    else:
        print(runner.skip_report(finished) + runner.summary(finished), flush=True)
    if any(one.exit_code == ToolMissing.exit_code for one in finished):
        return ToolMissing.exit_code
    return CheckFailed.exit_code if failed or not passed else 0


def _as_json(one: runner.Finished) -> dict[str, object]:
    return {
        "name": one.name,
        "passed": one.outcome.passed,
        "failed": one.outcome.failed,
        "skipped": one.outcome.skips,
        "failures": one.outcome.failures,
        "seconds": round(one.seconds, 1),
        "log": one.log,
    }
