# SPDX-License-Identifier: Apache-2.0
"""TmuCard: packets that come again are answered as they were (W4)."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu.bench import seed
from opentmu.bench.card import AR, MTU, RETX, Card, Peer, standard
from opentmu.bench.card_messages import DEFAULT, KEY, expect, message
from opentmu.bench.handshake import Values
from opentmu.regs import Opcode, Status

RESPONSE, ROOM, LENGTH, DUPLICATE = 1, 100, MTU + 500, 20


def check(answer: Values, psn: int, cack: int, **fields: int) -> None:
    """An answer to a packet, that acknowledges so much."""
    expected = {"pds_psn": cack, "pds_offset": psn - cack} | fields
    assert {name: answer[name] for name in expected} == expected, f"{answer}"


@cocotb.test()
async def w4_a_response_that_was_lost(dut: Any) -> None:
    """W4, R12: a truncated message's sender learns so however often it asks, and CACK tells no more
    until it says that it knows."""
    card, peer, send = Card(dut, seed.choose()), Peer(), message(LENGTH)
    await card.start()
    payload = card.random.randbytes(LENGTH)
    handle, _ = await card.post(0, ROOM, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    first = peer.packet(standard(send, 0, payload[:MTU]), payload[:MTU])
    rest = standard(send, MTU, payload[MTU:]), payload[MTU:]
    await card.rx.send(card.frame(peer, first))
    await card.rx.send(card.frame(peer, peer.packet(*rest)))
    await expect(card, 0, opcode=Opcode.ARRIVE, other=handle, truncated=1)
    check(await card.answer(), peer.start, peer.start, ses_opcode=DEFAULT)
    truncated = {"ses_opcode": RESPONSE, "ses_flags": 1, "ses_modifiedLength": ROOM}
    answer = await card.answer()
    check(answer, peer.start + 1, peer.start, **truncated)
    peer.dpdcid = answer["pds_spdcid"]
    for _ in range(2):
        peer.sent -= 1
        await card.rx.send(card.frame(peer, peer.packet(*rest, flags=AR | RETX)))
        check(await card.answer(), peer.start + 1, peer.start, **truncated)
    for back in (2, 1):
        # The first one does not say yet that the response has come.
        handle, _ = await card.post(0, 8, **KEY)
        await expect(card, 0, status=Status.QUEUED, handle=handle)
        small, psn = message(8, 10 - back), peer.start + peer.sent
        packet = peer.packet(standard(small, 0, bytes(8)), bytes(8), clear=-back)
        await card.rx.send(card.frame(peer, packet))
        await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
        cack = peer.start if back == 2 else psn
        check(await card.answer(), psn, cack, ses_opcode=DEFAULT, ses_modifiedLength=8)


@cocotb.test()
async def w9_a_connection_of_before_a_reset(dut: Any) -> None:
    """W1, W9: a packet that opened it opens it no second time, so its message comes once."""
    card, peer, send = Card(dut, seed.choose()), Peer(), message(8)
    await card.start()
    first = card.frame(peer, peer.packet(standard(send, 0, bytes(8)), bytes(8)))
    handle, _ = await card.post(0, 8, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    await card.rx.send(first)
    await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
    await card.answer()
    await card.write("CONTROL", 1)
    await card.configure()
    handle, _ = await card.post(0, 8, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    await card.rx.send(first)
    await ClockCycles(dut.clock, 500)
    assert not card.completions[0] and not card.tx.frames
    assert await card.count(DUPLICATE) == 1
    await card.send(Peer(start=0x4000000), message(8, 2), bytes(8))
    await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
