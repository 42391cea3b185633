# SPDX-License-Identifier: Apache-2.0
"""TmuCard: a receive by the doorbell, a message by frames, its bytes, completion and answer."""

from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.card import MTU, PEER, POOL, POOL_LOG2, Card, Peer, packets
from opentmu.bench.card_messages import (
    KEY,
    NACK,
    OVERFLOW,
    check_answer,
    exchange,
    expect,
    learn,
    message,
    take,
)
from opentmu.bench.frame_judge import judge
from opentmu.bench.frames import Settings, vector
from opentmu.regs import Opcode, Status

NO_MESSAGE = 0x09
# Unexpected messages that always find a number; those of packets under way are kept free.
ROOM = 24
GOAL = 64


@cocotb.test()
async def one_eager_message(dut: Any) -> None:
    """P1 lands in the receive that waits for it, is told there, and answered as P2 does."""
    card = Card(dut, seed.choose())
    await card.start()
    handle, address = await card.post(0, 64, **KEY)
    await expect(card, 0, opcode=Opcode.POST, status=Status.QUEUED, handle=handle)
    await card.rx.send(vector("p01"))
    told = await expect(
        card,
        0,
        opcode=Opcode.ARRIVE,
        status=Status.MATCHED,
        other=handle,
        message_length=8,
        receive_length=64,
        address=address,
        truncated=0,
        **KEY,
    )
    assert told["handle"] == 0, "it has no header data"
    assert card.landed(address, 8) == b"OpenTMU!" and len(card.bytes) == 8
    wanted = judge([vector("p02")], Settings())[0].fields
    found = await card.answer()
    differ = {name for name in wanted if found[name] != wanted[name]}
    assert differ <= {"pds_spdcid"} and found["pds_spdcid"], f"{differ}"
    assert await card.count(0) == 1 and await card.count(16) == 1


@cocotb.test()
async def lengths_and_rooms(dut: Any) -> None:
    """W2, W3, R12: 8 bytes, 1 KiB, several packets, none, truncated, with header data."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    cases = ((8, 8), (1024, 1024), (2500, 2500), (0, 0), (0, 9), (2500, 1000), (5000, 4097), (7, 0))
    for number, (length, room) in enumerate(cases, 1):
        send = message(length, number, pid=3 + number % 2, headerData=card.random.getrandbits(64))
        await exchange(card, peer, send, room)
    assert not card.tx.frames


@cocotb.test()
async def unexpected_messages(dut: Any) -> None:
    """Payload waits in the pool; posts meet it in its order, and buffers are free again."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    rounds = 3
    for turn in range(rounds):
        payloads = [card.random.randbytes(length) for length in (8, 2500, 700)]
        for number, payload in enumerate(payloads, 1):
            send = message(len(payload), number, headerData=99 + number)
            await card.send(peer, send, payload)
            for _ in range(-(-len(payload) // MTU) - 1):
                await card.answer()
            answer = await card.answer()
            check_answer(answer, send, 1, ses_list=OVERFLOW)
            peer.dpdcid = answer["pds_spdcid"]
        for number, payload in enumerate(payloads, 1):
            handle, _ = await card.post(0, 4096, **KEY)
            told = await expect(
                card,
                0,
                opcode=Opcode.POST,
                status=Status.MATCHED,
                handle=handle,
                other=99 + number,
                message_length=len(payload),
            )
            buffer = told["address"] - POOL
            assert buffer % (1 << POOL_LOG2) == 0
            assert card.landed(told["address"], len(payload)) == payload
            await card.set("POOL_RELEASE", NUMBER=buffer >> POOL_LOG2, RELEASE=1)
        assert turn == 0 or await card.count(16) == 5 * (turn + 1)


@cocotb.test()
async def a_post_meets_a_message_that_still_comes(dut: Any) -> None:
    """W3: it is told when the last packet of the message is in the pool, not before."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    payload = card.random.randbytes(2500)
    send = message(len(payload))
    first, *others = packets(peer, send, payload)
    await card.rx.send(card.frame(peer, first))
    await card.answer()
    handle, _ = await card.post(0, 4096, **KEY)
    await ClockCycles(dut.clock, 500)
    assert not card.completions[0]
    for packet in others:
        await card.rx.send(card.frame(peer, packet))
    told = await expect(card, 0, status=Status.MATCHED, handle=handle, message_length=2500)
    assert card.landed(told["address"], 2500) == payload


@cocotb.test()
async def frames_of_others(dut: Any) -> None:
    """W6: wrong, foreign and repeated frames change nothing, and each is in one counter."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    handle, address = await card.post(0, 8, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    [packet] = packets(peer, message(8), b"12345678")
    good = card.frame(peer, packet)
    await card.rx.send(card.frame(peer, packet, destination=PEER))
    await card.rx.send(good[:-1] + bytes([good[-1] ^ 1]))
    await card.rx.send(good[:30])
    await card.rx.send(good, bad=True)
    await card.rx.send(card.random.randbytes(100))
    await card.rx.send(good)
    await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
    check_answer(await card.answer(), message(8))
    # Again without a word that it is one, and as a retransmission.
    await card.rx.send(good)
    again = bytearray(packet)
    again[1] |= 0x10
    await card.rx.send(card.frame(peer, bytes(again)))
    check_answer(await card.answer(), message(8))
    await ClockCycles(dut.clock, 300)
    assert not card.tx.frames and not card.completions[0]
    assert card.landed(address, 8) == b"12345678" and len(card.bytes) == 8
    counts = [await card.count(number) for number in range(32)]
    assert counts[0] == sum(counts[16:]) == 3 and sum(counts[:16]) == 8
    assert counts[16] == 1 and counts[19] == 1 and counts[20] == 1


@cocotb.test()
async def w8_nobody_sends_as_another(dut: Any) -> None:
    """A host's own message is refused, and meets no receive."""
    card = Card(dut, seed.choose())
    await card.start()
    handle, _ = await card.post(0, 8, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    other = await card.command(1, Opcode.ARRIVE, length=8, **KEY)
    await expect(card, 1, opcode=Opcode.ARRIVE, status=Status.MALFORMED, handle=other)
    await exchange(card, Peer(), message(8, match=7), 8)


@cocotb.test()
async def a_reset_amid_messages(dut: Any) -> None:
    """W9: connections are gone afterwards, and new ones work."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    await exchange(card, peer, message(8), 8)
    first, *_ = packets(peer, message(2500, 2), bytes(2500))
    await card.rx.send(card.frame(peer, first))
    await card.write("CONTROL", 1)
    await card.configure()
    card.tx.frames.clear()
    await card.rx.send(card.frame(peer, peer.packet(first[12:56], bytes(8))))
    refusal = await card.answer()
    assert refusal["pds_kind"] == NACK and refusal["pds_offset"] >> 8 == 0x0E
    await exchange(card, Peer(spdcid=0x0102), message(8, 3), 8)


@cocotb.test()
async def many_messages(dut: Any) -> None:
    """Two peers to two endpoints, receives before and after their messages, in the order of R7."""
    card = Card(dut, seed.choose())
    await card.start()
    random = card.random
    peers = [Peer(), Peer(spdcid=0x0107, start=0xFFFFFFF0, address=PEER + 9)]
    waiting: deque[tuple[int, bytes]] = deque()
    for number in range(1, 41):
        peer = random.choice(peers)
        length = random.choice((0, 8, 8, 64, 1000, 1024, 3000))
        send = message(length, number, headerData=number)
        if len(waiting) == ROOM or (waiting and random.random() < 0.6):
            await take(card, *waiting.popleft())
        if waiting or random.random() < 0.4:
            payload = random.randbytes(length)
            await card.send(peer, send, payload)
            await learn(card, peer, send)
            waiting.append((number, payload))
        else:
            await exchange(card, peer, send, random.choice((length, length + 5, length // 2)))
    while waiting:
        await take(card, *waiting.popleft())


@cocotb.test()
async def no_number_is_left(dut: Any) -> None:
    """A message without a number is refused and its connection waits; none is lost (W1, W5)."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    payloads: dict[int, bytes] = {}
    refused = 0
    for number in range(1, 41):
        payload = card.random.randbytes(8)
        send = message(8, number, headerData=number)
        await card.send(peer, send, payload)
        answer = await card.answer()
        while answer["pds_kind"] == NACK:
            assert answer["pds_offset"] >> 8 == NO_MESSAGE and len(payloads) >= ROOM
            refused += 1
            oldest = min(payloads)
            await take(card, oldest, payloads.pop(oldest))
            peer.sent -= 1
            await card.send(peer, send, payload)
            answer = await card.answer()
        check_answer(answer, send, 1, ses_list=OVERFLOW)
        peer.dpdcid = answer["pds_spdcid"]
        payloads[number] = payload
    assert refused > 0
    for number, payload in payloads.items():
        await take(card, number, payload)


@cocotb.test()
async def clocks_of_an_8_byte_message(dut: Any) -> None:
    """From the last beat of its frame to its completion at the memory port."""
    card = Card(dut, seed.choose(), with_pauses=False)
    await card.start()
    handle, _ = await card.post(0, 8, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    await card.rx.send(vector("p01"))
    clocks = 0
    while not (dut.m_axi_awvalid.value and int(dut.m_axi_awid.value) == 0):
        await RisingEdge(dut.clock)
        clocks += 1
        assert clocks < 500
    dut._log.info(f"8 bytes: {clocks} clocks from the last beat to the completion")
    await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
    assert clocks <= GOAL
