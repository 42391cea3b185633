# SPDX-License-Identifier: Apache-2.0
"""Initiator: messages to targets that answer by the rules, over networks that do not."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu.bench.send_bench import Bench
from opentmu.bench.send_messages import (
    CONNECTIONS,
    MESSAGES,
    MTU,
    Network,
    random_length,
    random_said,
)
from opentmu.bench.send_target import CLEAR, CLOSE, Said

FIRST_ADDRESS = 0x0A000002


async def judge_random(bench: Bench, count: int, peers: int, clocks: int) -> None:
    """So many messages to so many peers, two jobs each: all are delivered, once, in order."""
    random = bench.random
    for _ in range(count):
        length = random_length(bench.random)
        address = FIRST_ADDRESS + random.randrange(peers)
        bench.send(address, length, random.randrange(1, 3), random_said(random, length))
    await bench.until_ended(bench.all, clocks)
    assert not any(message.lost for message in bench.all)
    bench.judge()
    await bench.until_counted(4000)


@cocotb.test()
async def w1_w4_without_loss(dut: Any) -> None:
    """A network that loses nothing: nothing is sent again, and no timer runs out."""
    bench = Bench(dut, Network())
    await bench.start(retransmit=4000)
    await judge_random(bench, 150, CONNECTIONS // 2, 60000)
    assert bench.counts["again"] == bench.counts["timeout"] == bench.counts["lost"] == 0


@cocotb.test()
async def w1_w4_loss_doubles_and_disorder(dut: Any) -> None:
    """More peers than connections, so that some are closed and opened again."""
    bench = Bench(dut, Network(drop=0.05, double=0.05, jitter=60))
    bench.shortage, bench.strange = 0.05, 0.05
    await bench.start()
    await judge_random(bench, 250, 3 * CONNECTIONS // 2, 100000)
    assert bench.counts["again"] > 100 and bench.counts["timeout"] > 10
    assert bench.counts["ignored"] > 0 and bench.counts["foreign"] > 10
    assert bench.packet_kinds[f"control {CLOSE}"] > 5 and bench.packet_kinds[f"control {CLEAR}"] > 5


@cocotb.test()
async def w7_never_given_up(dut: Any) -> None:
    """A peer that is silent for long: its messages wait, those of others go on; then all come."""
    bench = Bench(dut, Network(drop=0.02))
    await bench.start(retransmit=10)
    bench.target(FIRST_ADDRESS).silent = True
    lost = [bench.send(FIRST_ADDRESS, 8) for _ in range(5)]
    others = [bench.send(FIRST_ADDRESS + 1, 3 * MTU) for _ in range(20)]
    await bench.until_ended(others, 20000)
    assert bench.counts["timeout"] > 2 and not any(message.ended for message in lost)
    bench.target(FIRST_ADDRESS).silent = False
    await bench.until_ended(lost, 100000)
    assert not any(message.lost for message in bench.all)
    bench.judge()


@cocotb.test()
async def w7_a_peer_is_given_up(dut: Any) -> None:
    """After so many attempts its messages end with an error, and no others; later ones go."""
    bench = Bench(dut, Network())
    await bench.start(attempts=3, retransmit=10)
    bench.target(FIRST_ADDRESS).silent = True
    lost = [bench.send(FIRST_ADDRESS, length) for length in (8, 0, 10 * MTU, 40 * MTU, 1)]
    others = [bench.send(FIRST_ADDRESS + 1, 3 * MTU) for _ in range(20)]
    await bench.until_ended(bench.all, 20000)
    assert all(message.lost for message in lost)
    assert not any(message.lost for message in others)
    given_up = [line for line in bench.lines.values() if line.address == FIRST_ADDRESS]
    assert len(given_up) == bench.counts["lost"] > 0
    assert all(line.again[line.start] == 3 for line in given_up)
    bench.target(FIRST_ADDRESS).silent = False
    again = [bench.send(FIRST_ADDRESS, 3 * MTU) for _ in range(20)]
    await bench.until_ended(again, 20000)
    assert not any(message.lost for message in again)
    bench.judge()


@cocotb.test()
async def w9_a_peer_that_restarts(dut: Any) -> None:
    """A peer forgets its connections while messages are under way: each is delivered or lost, and
    those behind them go on over a new connection."""
    bench = Bench(dut, Network(drop=0.02, jitter=20))
    await bench.start()
    for _ in range(30):
        for _ in range(8):
            bench.send(FIRST_ADDRESS, random_length(bench.random))
        await ClockCycles(dut.clock, bench.random.randrange(600))
        bench.target(FIRST_ADDRESS).forget()
    await bench.until_ended(bench.all, 200000)
    assert bench.counts["lost"] > 5
    assert any(m.lost for m in bench.all) and not all(m.lost for m in bench.all)
    bench.judge()


@cocotb.test()
async def w1_a_full_target(dut: Any) -> None:
    """A target without room for a connection is asked again until it has."""
    bench = Bench(dut, Network())
    await bench.start(idle=100)
    bench.target(FIRST_ADDRESS).limit = 1
    for job in range(1, 4):
        for _ in range(4):
            bench.send(FIRST_ADDRESS, 2 * MTU, job)
    await bench.until_ended(bench.all, 40000)
    assert not any(message.lost for message in bench.all)
    bench.judge()
    assert bench.packet_kinds[f"control {CLOSE}"] >= 2


@cocotb.test()
async def w4_an_owed_answer(dut: Any) -> None:
    """A message whose answer comes later ends with that, though its packets have come."""
    bench = Bench(dut, Network(), pausing=False)
    await bench.start()
    message = bench.send(FIRST_ADDRESS, 8, said=Said(3, 1, 0, 0, 8))
    target = bench.target(FIRST_ADDRESS)
    held: list[dict[str, int]] = []
    for _ in range(400):
        await ClockCycles(dut.clock, 1)
        held += target.owed
        target.owed.clear()
    assert held and not message.ended
    target.owed += held
    await bench.until_ended([message], 2000)


async def clocks_of(bench: Bench, peers: int) -> float:
    """Clocks for a message of one packet, of many to so many peers."""
    bench.network.delay = 0
    await bench.start(retransmit=4000)
    for number in range(8 * MESSAGES):
        bench.send(FIRST_ADDRESS + number % peers, 8)
    before = bench.clock
    await bench.until_ended(bench.all, 20000)
    spent = (bench.clock - before) / len(bench.all)
    bench.dut._log.info("%.1f clocks a message to %d peers", spent, peers)
    return spent


@cocotb.test()
async def steps_for_one_peer(dut: Any) -> None:
    """Steps of one connection take turns with nobody."""
    assert await clocks_of(Bench(dut, Network(), pausing=False), 1) < 13


@cocotb.test()
async def steps_for_several_peers(dut: Any) -> None:
    """A step begins in each clock."""
    assert await clocks_of(Bench(dut, Network(), pausing=False), CONNECTIONS) < 6
