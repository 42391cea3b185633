# SPDX-License-Identifier: Apache-2.0
"""MatchUnit against the law: every rule that concerns verdicts, R1 to R15 but R7's many queues."""

from collections.abc import Iterable
from typing import Any

import cocotb
from opentmu import regs
from opentmu.bench import campaigns, coverage, seed
from opentmu.bench.coverage import Coverage
from opentmu.bench.law import Law
from opentmu.bench.match_unit import MatchUnitBench
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import ALL_WILD, Item, Traffic

PRESET = regs.PRESETS["tiny"]


async def started(dut: Any, *, with_pauses: bool = True) -> tuple[MatchUnitBench, Traffic]:
    """A unit after reset and traffic for it."""
    law = Law(PRESET)
    board = Scoreboard(law, Coverage(law))
    bench = MatchUnitBench(dut, board, seed.current(), with_pauses=with_pauses)
    await bench.start()
    return bench, Traffic(law, seed.current())


async def play(dut: Any, make: Any) -> MatchUnitBench:
    """Run one kind of traffic to its end."""
    bench, traffic = await started(dut)
    items: Iterable[Item] = make(traffic)
    await bench.run(items)
    bench.scoreboard.finish()
    return bench


@cocotb.test()
async def r3_takes_the_oldest_receive_in_deep_queues(dut: Any) -> None:
    """R3, R6, R10: receives of three depths, met in every order."""
    lanes = PRESET.lanes

    def traffic(t: Traffic) -> Iterable[Item]:
        for depth in (1, lanes, lanes + 1, 2 * lanes + 3):
            yield from campaigns.deep_receives(t, max(depth, 3))

    await play(dut, traffic)


@cocotb.test()
async def r4_takes_the_oldest_message_in_deep_queues(dut: Any) -> None:
    """R4, R5, R8, R9: messages of two depths, taken by posts and claims in every order."""

    def traffic(t: Traffic) -> Iterable[Item]:
        for depth in (PRESET.lanes, 2 * PRESET.lanes + 3):
            yield from campaigns.deep_messages(t, depth)

    await play(dut, traffic)


@cocotb.test()
async def r2_every_wildcard_in_every_search(dut: Any) -> None:
    """R1, R2: exact, any source, any tag, both, raw masks; a negative tag passes ANY_TAG."""
    bench = await play(dut, campaigns.every_mask)
    masks = [name for name in coverage.required() if name.startswith("R2")]
    assert bench.scoreboard.coverage is not None
    bench.scoreboard.coverage.check(masks)


@cocotb.test()
async def r7_equal_keys_back_to_back(dut: Any) -> None:
    """R3, R4, R7: with one key only the order decides."""
    await play(dut, lambda t: campaigns.equal_keys(t, 9))


@cocotb.test()
async def r10_cancel_races_match(dut: Any) -> None:
    """R10: cancelled or late, never both, never neither."""
    await play(dut, lambda t: campaigns.cancels(t, 60))


@cocotb.test()
async def r11_full_tables_and_quotas(dut: Any) -> None:
    """R11: refused and stalled change nothing, hits need no room."""

    def traffic(t: Traffic) -> Iterable[Item]:
        yield from campaigns.full_tables(t)
        yield from campaigns.walk(t)
        yield from campaigns.quotas(t, 150)

    await play(dut, traffic)


@cocotb.test()
async def r12_lengths(dut: Any) -> None:
    """R12: truncated exactly when the message is longer, whichever side comes first."""
    await play(dut, campaigns.lengths)


@cocotb.test()
async def r13_bad_commands_change_nothing(dut: Any) -> None:
    """R13: malformed, unprivileged, unknown endpoint; what is queued stays as it was."""

    def traffic(t: Traffic) -> Iterable[Item]:
        yield from campaigns.bad_commands(t)
        yield from campaigns.walk(t)
        yield from campaigns.endpoints_apart(t)

    await play(dut, traffic)


@cocotb.test()
async def r14_flush_reports_each_entry_once(dut: Any) -> None:
    """R14: endpoint and context; R15: the handles come back."""
    await play(dut, campaigns.flushes)


@cocotb.test()
async def random_wildcard_heavy(dut: Any) -> None:
    """R1 to R15 at random, most operations with wildcards and raw masks."""
    await play(dut, lambda t: t.mixed(600, keys=2, wild=ALL_WILD))


@cocotb.test()
async def full_speed_without_pauses(dut: Any) -> None:
    """Random traffic as fast as the unit takes it; every verdict's latency is plausible."""
    bench, traffic = await started(dut, with_pauses=False)
    await bench.run(traffic.mixed(600))
    bench.scoreboard.finish()
    rows = PRESET.posted_entries // PRESET.lanes
    most = max(bench.latencies)
    assert 0 < most <= 4 * rows + 16, f"a verdict took {most} clocks with tables of {rows} rows"


@cocotb.test()
async def campaign_reaches_every_bin(dut: Any) -> None:
    """Every corner in one run, and every required coverage bin reached."""
    bench = await play(dut, campaigns.everything)
    assert bench.scoreboard.coverage is not None
    bench.scoreboard.coverage.check(coverage.required())
