# SPDX-License-Identifier: Apache-2.0
"""Endpoints that a trace demands of a configuration, and refusals that nobody asked a run for.

A run whose configuration left out a part of its input ends as a success only when the caller said
that this is wanted.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opentmu import presets, regs
from opentmu.errors import BadInput
from opentmu.replay.engine import Options
from opentmu.trace import Trace


def endpoints(trace: Trace) -> int:
    """Endpoints that a device needs for every operation of a trace."""
    return int(trace.ops["endpoint"].max()) + 1 if len(trace.ops) else 0


def check_endpoints(traces: Sequence[Trace], has: int, configuration: str) -> None:
    """Raise BadInput for traces that name endpoints which a configuration lacks (R13)."""
    needed = {trace.path: endpoints(trace) for trace in traces}
    over = {path: count for path, count in needed.items() if count > has}
    if not over:
        return
    most = max(over.values())
    fitting = [
        name
        for name in presets.names()
        if name != presets.PROOFS_ONLY and regs.PRESETS[name].endpoints >= most
    ]
    advice = f"give --preset {', '.join(fitting)}, or" if fitting else "no preset has as many; give"
    named = "; ".join(f"{path} names {count:,} endpoints" for path, count in over.items())
    raise BadInput(
        f"{named}, and {configuration} has {has:,}: {advice} --refuse-endpoints to have the "
        "operations at the others refused"
    )


def unasked(result: Mapping[str, Any], options: Options) -> str | None:
    """Complaint about operations refused, or held back to the end, for lack of room; or None.

    R11 is kept then, but a part of the trace was not matched.  With a quota, or with the memory
    named, the limits are the caller's.
    """
    if options.quota is not None or options.spill is not None:
        return None
    refused = result.get("refused", 0) - result.get("refused_endpoint", 0)
    held = result.get("held", 0)
    parts = [f"{refused:,} receives were refused"] if refused else []
    parts += [f"{held:,} messages were held back to the end"] if held else []
    if not parts:
        return None
    return (
        f"{result['trace']}: {' and '.join(parts)}, because the queues of {result['preset']} were "
        "full; choose a larger configuration, or give --spill or --quota for limits that are wanted"
    )
