# SPDX-License-Identifier: Apache-2.0
"""Messages between a peer and a card in a bench, each with what has to become of it."""

from opentmu.bench.card import MTU, POOL_BYTES, POOL_LOG2, POOLS, Card, Peer
from opentmu.bench.handshake import Values
from opentmu.regs import Opcode, Status

ACK, NACK, RESPONSE, DEFAULT, OVERFLOW = 7, 10, 4, 0, 1
KEY = {"match": 0x20000002A, "source": 5}


def message(length: int, number: int = 1, **others: int) -> Values:
    """A tagged send to the first endpoint."""
    send = {"length": length, "id": number, "pid": 3, "index": 15, "initiator": 5}
    return send | {"match": KEY["match"]} | others


def check_answer(answer: Values, send: Values, code: int = DEFAULT, **others: int) -> None:
    """The acknowledgement of a message's last packet."""
    expected = {"pds_kind": ACK, "ses_next": RESPONSE, "ses_opcode": code, "ses_flags": 1}
    expected |= {"ses_messageId": send["id"], "ses_modifiedLength": send["length"]} | others
    assert {name: answer[name] for name in expected} == expected, f"{answer}"


async def expect(card: Card, page: int, **fields: int) -> Values:
    """The next completion of a page says this."""
    found = await card.completion(page)
    assert {name: found[name] for name in fields} == fields, f"{found}"
    return found


async def exchange(card: Card, peer: Peer, send: Values, room: int) -> None:
    """An expected message of some length to a receive of some room."""
    payload = card.random.randbytes(send["length"])
    page = send["pid"] - 3
    key = {"match": send["match"], "source": send["initiator"]}
    handle, address = await card.post(page, room, **key)
    await expect(card, page, status=Status.QUEUED, handle=handle)
    await card.send(peer, send, payload)
    fits = min(room, len(payload))
    short = room < len(payload)
    await expect(
        card,
        page,
        opcode=Opcode.ARRIVE,
        status=Status.MATCHED,
        other=handle,
        handle=send.get("headerData", 0),
        truncated=int(short),
        message_length=len(payload),
        receive_length=room,
    )
    assert card.landed(address, fits) == payload[:fits]
    for _ in range(-(-max(1, len(payload)) // MTU) - 1):
        assert (await card.answer())["ses_opcode"] == DEFAULT
    answer = await card.answer()
    check_answer(answer, send, int(short), ses_modifiedLength=fits)
    peer.dpdcid = answer["pds_spdcid"]


async def learn(card: Card, peer: Peer, send: Values) -> None:
    """Until the last packet of a message is answered."""
    for _ in range(-(-max(1, send["length"]) // MTU)):
        answer = await card.answer()
    check_answer(answer, send, 1, ses_list=OVERFLOW)
    peer.dpdcid = answer["pds_spdcid"]


async def take(card: Card, number: int, payload: bytes, room: int = 8192, page: int = 0) -> int:
    """A receive takes the oldest message that waits; the receive's address."""
    handle, address = await card.post(page, room, **KEY)
    await expect(
        card,
        page,
        opcode=Opcode.POST,
        status=Status.MATCHED,
        handle=handle,
        other=number,
        address=address,
        truncated=int(room < len(payload)),
        message_length=len(payload),
        receive_length=room,
    )
    fits = min(room, len(payload))
    assert card.landed(address, fits) == payload[:fits]
    return address


async def claim(card: Card, number: int, payload: bytes, page: int = 0) -> None:
    """A claim takes it: the host has its buffer until it releases that."""
    handle = await card.command(page, Opcode.CLAIM, **KEY)
    told = await expect(card, page, status=Status.MATCHED, handle=handle, other=number)
    buffer, offset = divmod(told["address"] - POOLS[page], 1 << POOL_LOG2)
    assert offset == 0 and 0 <= buffer < POOL_BYTES >> POOL_LOG2, "W2: of this endpoint's pool"
    assert card.landed(told["address"], len(payload)) == payload
    await card.set("POOL_RELEASE", NUMBER=buffer, RELEASE=1)
