# SPDX-License-Identifier: Apache-2.0
"""TmuCard: a receive by the doorbell, a message by frames, its bytes, completion and answer."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.card import PEER, Card, Peer, packets
from opentmu.bench.card_law import Traffic, check
from opentmu.bench.card_messages import (
    KEY,
    NACK,
    OVERFLOW,
    check_answer,
    claim,
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
BEAT = 64
GOAL = 64
RING_LOG2 = 4


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
    """W2, W3, R12: payload waits in the pool; posts meet it in its order, and the card moves it."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    lengths, rooms = (8, 2500, 700, 0), (4096, 1000, 700, 9)
    read = written = 0
    for page in (0, 1, 0):
        payloads = [card.random.randbytes(length) for length in lengths]
        for number, payload in enumerate(payloads, 1):
            send = message(len(payload), number, pid=3 + page, headerData=99 + number)
            await card.send(peer, send, payload)
            await learn(card, peer, send)
        for number, (payload, room) in enumerate(zip(payloads, rooms, strict=True), 1):
            address = await take(card, 99 + number, payload, room, page)
            fits = min(len(payload), room)
            read += -(-fits // BEAT)
            written += (address + fits - 1) // BEAT - address // BEAT + 1 if fits else 0
    counts = [await card.count(number) for number in (32, 33, 34, 35)]
    parked = 3 * sum(-(-length // BEAT) for length in lengths)
    assert counts == [card.told, parked, written, read], f"beats of host memory: {counts}"


@cocotb.test()
async def a_claim_has_the_buffer(dut: Any) -> None:
    """W2: it lies in the pool of its endpoint, whole, and is the host's."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    for page in (0, 1):
        payload = card.random.randbytes(1500)
        send = message(len(payload), page + 1, pid=3 + page, headerData=77)
        await card.send(peer, send, payload)
        await learn(card, peer, send)
        await claim(card, 77, payload, page)


@cocotb.test()
async def a_post_meets_a_message_that_still_comes(dut: Any) -> None:
    """W3: it is told when all of the message is in the receive, not before."""
    card = Card(dut, seed.choose())
    await card.start()
    peer = Peer()
    payload = card.random.randbytes(2500)
    send = message(len(payload))
    first, *others = packets(peer, send, payload)
    await card.rx.send(card.frame(peer, first))
    await card.answer()
    handle, address = await card.post(0, 4096, **KEY)
    await ClockCycles(dut.clock, 500)
    assert not card.completions[0]
    for packet in others:
        await card.rx.send(card.frame(peer, packet))
    await expect(card, 0, status=Status.MATCHED, handle=handle, message_length=2500)
    assert card.landed(address, 2500) == payload


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
async def w5_a_ring_that_nobody_reads(dut: Any) -> None:
    """Its own endpoint's receives wait, and all of another's is told; nothing is missing later."""
    card = Card(dut, seed.choose(), ring_log2=RING_LOG2)
    await card.start()
    card.unread.add(0)
    room = 1 << RING_LOG2
    posts = [await card.post(0, 64, **KEY) for _ in range(room)]
    # Each that waits is owed a second completion.
    for handle, _ in posts[: room // 2]:
        await expect(card, 0, status=Status.QUEUED, handle=handle)
    peer = Peer()
    payloads = [card.random.randbytes(8) for _ in posts]
    for number, payload in enumerate(payloads, 1):
        await card.send(peer, message(8, number, headerData=number), payload)
        answer = await card.answer()
        peer.dpdcid = answer["pds_spdcid"]
        await exchange(card, peer, message(8, 100 + number, pid=4), 8)
    for number, (handle, address) in enumerate(posts[: room // 2], 1):
        await expect(card, 0, opcode=Opcode.ARRIVE, other=handle, address=address, handle=number)
    assert not card.completions[0] and card.rings[0].unread == room
    card.unread.clear()
    card.consume(0)
    for number, (handle, address) in enumerate(posts[room // 2 :], room // 2 + 1):
        await expect(card, 0, status=Status.MATCHED, handle=handle, other=number)
        assert card.landed(address, 8) == payloads[number - 1]


@cocotb.test()
async def w5_receives_that_are_gone_are_owed_nothing(dut: Any) -> None:
    """Cancels make room for other receives, in a ring that has no more than they need."""
    card = Card(dut, seed.choose(), ring_log2=RING_LOG2)
    await card.start()
    for _ in range(3 << RING_LOG2):
        await card.command(0, Opcode.POST, receive_id=1, **KEY)
        await expect(card, 0, opcode=Opcode.POST, status=Status.QUEUED)
        await card.command(0, Opcode.CANCEL, receive_id=1)
        await expect(card, 0, opcode=Opcode.CANCEL, status=Status.CANCELLED)


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
async def hosts_and_peers_at_once(dut: Any) -> None:
    """W1 to W3, R1 to R12: posts and packets in the same clocks; the model of the wire judges."""
    card = Card(dut, seed.choose())
    await card.start()
    traffic = Traffic(card, 120)
    await traffic.run()
    check(card, traffic.flow)
    # As many as the seed makes: 2 to 11 have been seen.
    dut._log.info(f"{traffic.both} clocks with a post and a message")


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
            await (take, claim)[oldest % 2](card, oldest, payloads.pop(oldest))
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
