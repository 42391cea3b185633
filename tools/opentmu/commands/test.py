# SPDX-License-Identifier: Apache-2.0
"""`tmu test`: all tests, as CI runs them."""

import os
import sys
from collections.abc import Sequence

import click

from opentmu import output, presets
from opentmu.bench import seed
from opentmu.errors import BadInput, CheckFailed, ToolMissing
from opentmu.testing import durations, runner, stages


@click.command()
@click.option("--long", "long_too", is_flag=True, help="Also the long campaigns.")
@click.option(
    "--fast",
    is_flag=True,
    help="Only formats, types, C tests, and tests in Python that start no Java and no long build.",
)
@click.option("-k", "expression", help="Only tests that match, as pytest's -k; stages by name.")
@presets.options(None, "Instead of all tests: a soak of this configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def command(
    long_too: bool, fast: bool, expression: str | None, preset: str | None, as_json: bool
) -> int:
    """Run all tests; CI runs this.

    Random tests draw from one fixed seed, with --long each from a new one; TMU_SEED names another.

    The last line is `N passed, N failed`, and how many were skipped if any were. Above it stand
    the slowest tests and why each skipped one was. A test that is skipped for want of a tool ends
    in exit code 3; of parts that are fetched only on demand tests may be skipped. The output of
    each stage is in build/test, and so is durations.json; of a second run at the same time they are
    in build/test-2. No test at all is a failure.

    For example: tmu test --fast
    """
    if long_too and fast:
        raise BadInput("found --fast and --long, expected one of them")
    chosen = _chosen(expression, long_too, fast, preset)
    if not long_too:
        os.environ.setdefault(seed.VARIABLE, str(seed.REPEATED))
    with runner.report_folder() as folder:
        finished = runner.run_lanes(chosen, folder)
        if expression and not any(one.outcome.total for one in finished):
            raise BadInput(f"-k {expression}: found no stage and no test of that name")
        print(runner.failure_report(finished), end="", file=sys.stderr, flush=True)
        slowest = durations.write(finished, folder)
    if as_json:
        output.print_json(_figures(finished, slowest))
    else:
        shown = durations.report(slowest) + runner.skip_report(finished)
        print(shown + runner.summary(finished), flush=True)
    return _code(finished)


def _code(finished: Sequence[runner.Finished]) -> int:
    """The first failure: a missing tool, then failures, then what was skipped."""
    if any(one.exit_code == ToolMissing.exit_code for one in finished):
        return ToolMissing.exit_code
    passed = sum(one.outcome.passed for one in finished)
    if any(one.outcome.failed for one in finished) or not passed:
        return CheckFailed.exit_code
    unasked = [why for one in finished for why in one.outcome.skips if runner.ON_DEMAND not in why]
    return ToolMissing.exit_code if unasked else 0


def _figures(
    finished: Sequence[runner.Finished], slowest: Sequence[durations.Duration]
) -> dict[str, object]:
    return {
        "passed": sum(one.outcome.passed for one in finished),
        "failed": sum(one.outcome.failed for one in finished),
        "skipped": sum(len(one.outcome.skips) for one in finished),
        "slowest": [{"name": one.name, "seconds": one.seconds} for one in slowest],
        "stages": [_as_json(one) for one in finished],
    }


def _chosen(
    expression: str | None, long_too: bool, fast: bool, preset: str | None
) -> list[list[stages.Stage]]:
    """The stages that run: all tests or some, or the soak of one configuration."""
    if preset is None:
        return stages.lanes(expression, long=long_too, fast=fast)
    if expression is not None or long_too or fast:
        raise BadInput("--preset and --config of test run one soak, found another choice of tests")
    return [[stages.soak(presets.check_replayable(preset))]]


def _as_json(one: runner.Finished) -> dict[str, object]:
    return {
        "name": one.name,
        "passed": one.outcome.passed,
        "failed": one.outcome.failed,
        "skipped": one.outcome.skips,
        "failures": one.outcome.failures,
        "seconds": round(one.seconds, 1),
        "log": runner.shown(one.log),
    }
