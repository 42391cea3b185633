# SPDX-License-Identifier: Apache-2.0
"""MatchUnit against the law: every rule, R1 to R15, in order and with both streams at once."""

from collections.abc import Iterable
from typing import Any

import cocotb
from opentmu import regs
from opentmu.bench import campaigns, coverage, draws, seed
from opentmu.bench.coverage import Coverage
from opentmu.bench.law import Law, Quota
from opentmu.bench.match_unit import MatchUnitBench
from opentmu.bench.meetings import ARRIVAL, MEETINGS, POST, meetings
from opentmu.bench.records import Operation
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import ALL_WILD, Item, Mix, Traffic
from opentmu.model import Queue

PRESET = regs.PRESETS["tiny"]
POSTS: Mix = {"post": 6, "probe": 1, "claim": 1}
ARRIVALS: Mix = {"arrive": 6, "cancel": 1}
# Most rounds of a race that goes on until its streams have met in every order; one is nearly always
# enough.
ROUNDS = 8


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
    await bench.run(make(traffic))
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
async def r11_r13_reserves(dut: Any) -> None:
    """R11, R13: what a reserve lacks is not given to other endpoints, by both streams at once."""
    bench, traffic = await started(dut)
    for _ in range(6):
        for end in range(4):
            await bench.set_quota(Quota(end, 0, 0, *traffic.random.choices(range(40), k=2)))
        mixes: tuple[Mix, Mix] = ({"post": 1.0, "claim": 0.3}, {"arrive": 1.0, "cancel": 0.3})
        await bench.race(draws.at_random(traffic, 40, mixes, [0, 1, 2, 3]), 250)
    bench.scoreboard.finish()


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
async def r7_two_streams_at_once(dut: Any) -> None:
    """R1 to R15 with both streams at random, pauses of their own, and a taker that pauses."""
    bench, traffic = await started(dut)
    posts: Mix = {"post": 8, "probe": 1, "claim": 2, "flush": 0.05}
    arrivals: Mix = {"arrive": 8, "cancel": 2}
    everywhere = list(traffic.endpoints)
    missed = list(MEETINGS)
    for _ in range(ROUNDS):
        rests = list(bench.rests)
        for ends, flows in ((everywhere, False), (everywhere[:1], False), (everywhere, True)):
            if flows:
                bench.rests = [None, None]
            await bench.race(draws.at_random(traffic, 2, (posts, arrivals), ends), 800)
            await bench.run(traffic.walk(queue) for queue in Queue)
        bench.rests = rests
        await bench.run(traffic.empty_all())
        await bench.race(draws.around_border(traffic), 800)
        await bench.run(traffic.empty_all())
        found = meetings(PRESET, bench.accepted, bench.answers)
        missed = [name for name in MEETINGS if not found[name]]
        if not missed:
            break
    bench.scoreboard.finish()
    assert not missed, f"streams did not meet in these orders: {missed} ({dict(found)})"


@cocotb.test()
async def r7_two_streams_at_full_speed(dut: Any) -> None:
    """R3 to R7: an operation of each stream in every clock, few keys: hot queues and long ones."""
    bench, traffic = await started(dut, with_pauses=False)
    for posts, arrivals in (({"post": 1.0}, {"arrive": 1.0}), (POSTS, ARRIVALS)):
        await bench.race(draws.at_random(traffic, 2, (posts, arrivals), [0, 1]), 500)
        await bench.run(traffic.empty_all())
    bench.scoreboard.finish()


@cocotb.test()
async def r11_two_streams_beyond_the_arrays(dut: Any) -> None:
    """R3, R4, R11: queues that outgrow their lanes, shrink and grow again; quotas change."""
    bench, traffic = await started(dut)
    reached = [0, 0]
    for keys, posts, arrivals in (
        (40, {"post": 1.0}, {"arrive": 1.0, "cancel": 0.1}),
        (3, {"post": 1.0, "claim": 3.0}, {"arrive": 1.0, "cancel": 2.0}),
        (40, {"post": 1.0, "probe": 0.3}, {"arrive": 1.0}),
        (2, {"claim": 1.0, "post": 1.0}, {"cancel": 1.0, "arrive": 1.0}),
    ):
        await bench.race(draws.at_random(traffic, keys, (posts, arrivals), [0, 1, 2, 3]), 350)
        reached = [max(reached[q], len(traffic.law.tables[q])) for q in Queue]
        await bench.run(traffic.walk(queue) for queue in Queue)
        await bench.set_quota(Quota(traffic.random.randrange(4), 0, traffic.random.randrange(20)))
    bench.scoreboard.finish()
    # Which of the two grows is left to chance; the campaign has a bin for each.
    assert max(reached) > PRESET.array_entries, f"greatest depths {reached}"


@cocotb.test()
async def r5_r6_post_and_arrival_meet_at_every_distance(dut: Any) -> None:
    """R5, R6, R7: a post and its message, in one slot and up to 12 clocks apart, in both orders."""
    bench, traffic = await started(dut, with_pauses=False)
    key = {"match": 3, "source": 3}
    for distance in range(13):
        for first in (POST, ARRIVAL):
            planned = [0, 0]
            planned[1 - first] = distance
            begin = bench.clock

            def draw(stream: int, end: int = distance % 4) -> Operation:
                return (traffic.post if stream == POST else traffic.arrive)(end, **key)

            await bench.race_planned(draw, [begin + wait for wait in planned])
    bench.scoreboard.finish()
    found = meetings(PRESET, bench.accepted, bench.answers)
    assert found["pair in one slot"] and found["matched one clock later"], dict(found)
    assert not any(traffic.law.tables.values())


@cocotb.test()
async def a_slot_and_its_verdicts_in_every_clock(dut: Any) -> None:
    """Both streams without a pause: as many clocks as slots, and every latency the same."""
    bench, traffic = await started(dut, with_pauses=False)
    key = {"match": 3, "source": 3}

    def draw(stream: int) -> Operation:
        end = traffic.random.randrange(PRESET.endpoints)
        return (traffic.post if stream == POST else traffic.arrive)(end, **key)

    await bench.race(draw, 10)
    await bench.run(traffic.empty_all())
    bench.latencies.clear()
    bench.accepted.clear()
    slots = PRESET.array_entries
    await bench.race(draw, slots)
    first, last = bench.accepted[0].clock, bench.accepted[2 * slots - 1].clock
    assert last - first == slots - 1, f"{slots} slots took {last - first + 1} clocks"
    walk = PRESET.array_entries // PRESET.lanes + 2
    assert set(bench.latencies) == {walk + 4}, sorted(set(bench.latencies))
    bench.scoreboard.finish()


@cocotb.test()
async def campaign_reaches_every_bin(dut: Any) -> None:
    """Every corner in one run, and every required coverage bin reached."""
    bench = await play(dut, campaigns.everything)
    assert bench.scoreboard.coverage is not None
    bench.scoreboard.coverage.check(coverage.required())
