# SPDX-License-Identifier: Apache-2.0
"""TmuCard sends: from the doorbell to targets and to itself, and back to a completion."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu.bench import seed
from opentmu.bench.card import MTU, PAGES, RECEIVES, SENDS, Card
from opentmu.bench.card_messages import KEY, expect
from opentmu.bench.card_sends import LOOP, TARGETS, Sends
from opentmu.bench.send_fields import INLINE_BYTES
from opentmu.bench.send_target import OK, RESPONSE, Said
from opentmu.regs import Opcode, Status

NUMBERS = 16
TAKEN, SENT_FRAMES, LOST_FRAMES = 36, 37, 42
VIOLATION = 0x18


async def begin(dut: Any, drop: float = 0.0, ring_log2: int = 8) -> tuple[Card, Sends]:
    """A card with a network."""
    card = Card(dut, seed.choose(), ring_log2=ring_log2)
    await card.start()
    sends = Sends(card, drop)
    await sends.start()
    return card, sends


async def check_counts(card: Card, sends: Sends, *, own: bool = False) -> None:
    """W6: each frame that came is in one counter, and one of the counters behind it; so are the
    card's own frames to itself, of which there are none or some."""
    await ClockCycles(card.dut.clock, 300)
    counts = [await card.count(number) for number in range(43)]
    assert counts[0] == sum(counts[16:32]) + counts[TAKEN], f"{counts}"
    inside = counts[SENT_FRAMES] - sends.kinds["frames"] - sends.kinds["lost"]
    assert (inside > 0) == own
    assert sum(counts[:16]) == card.rx.frames + inside - counts[LOST_FRAMES]
    assert counts[TAKEN] > 0


async def random_sends(card: Card, sends: Sends, count: int) -> None:
    """Messages of both pages to all targets, of every length and form."""
    random = card.random
    for _ in range(count):
        await sends.until_few()
        page = random.randrange(PAGES)
        peer = page + PAGES * random.randrange(TARGETS)
        near = MTU * random.randrange(1, 4) + random.randrange(-1, 2)
        payload = random.randbytes(random.choice((0, 8, 24, near, random.randrange(3 * MTU))))
        pieces = random.randrange(0 if len(payload) <= INLINE_BYTES else 1, 5)
        said = None
        if random.random() < 0.2:
            said = Said(RESPONSE, OK, 0, 0, random.randrange(len(payload) + 1))
        elif random.random() < 0.1:
            said = Said(RESPONSE, VIOLATION, 0, 0, 0)
        fields = {"header": 1, "header_data": random.getrandbits(64)}
        await sends.send(page, peer, payload, pieces, said, **random.choice((fields, {})))
    await sends.until_ended()


@cocotb.test()
async def w4_messages_to_targets(dut: Any) -> None:
    """W4, W6, W8: each is what its command says, and told when its target has answered."""
    card, sends = await begin(dut)
    await random_sends(card, sends, 40)
    await check_counts(card, sends)
    await card.until_idle()


@cocotb.test()
async def w1_messages_that_are_lost(dut: Any) -> None:
    """W1, W4: a network that loses some in both directions."""
    card, sends = await begin(dut, drop=0.05)
    await random_sends(card, sends, 25)
    await check_counts(card, sends)


@cocotb.test()
async def a_card_sends_to_itself(dut: Any) -> None:
    """W1 to W4: what comes back is matched; both ends are told, and answers are its own."""
    card, sends = await begin(dut)
    for number, (length, room) in enumerate(
        ((8, 64), (2500, 4096), (2500, 1000), (0, 0), (700, 0))
    ):
        payload = card.random.randbytes(length)
        key = {"match": number + 100, "source": 5}
        receive = await card.post(0, room, **key)
        await expect(card, 0, status=Status.QUEUED, handle=receive[0])
        said = Said(modified=min(length, room))
        await sends.send(1, LOOP + 1, payload, said=said, match=number + 100)
        told = {"opcode": Opcode.ARRIVE, "status": Status.MATCHED, "other": receive[0]}
        await expect(card, 0, **told, message_length=length, truncated=int(room < length))
        assert card.landed(receive[1], min(length, room)) == payload[:room]
        await sends.completion(1)
    # Unexpected, and in the pool when its sender is told.
    payload = card.random.randbytes(1500)
    await sends.send(0, LOOP, payload, match=7)
    await sends.completion(0)
    handle, address = await card.post(1, 2000, match=7, source=5)
    await expect(card, 1, opcode=Opcode.POST, status=Status.MATCHED, handle=handle)
    assert card.landed(address, 1500) == payload
    await check_counts(card, sends, own=True)


@cocotb.test()
async def messages_to_itself_and_to_others(dut: Any) -> None:
    """W1, W4: in both directions at once, more than the loop has room for."""
    card, sends = await begin(dut)
    payloads = [card.random.randbytes(card.random.choice((8, 3000, 7168))) for _ in range(7)]
    receives = []
    for number, payload in enumerate(payloads):
        handle, address = await card.post(1, len(payload), match=number, source=5)
        await expect(card, 1, status=Status.QUEUED, handle=handle)
        receives.append(address)
    for number, payload in enumerate(payloads):
        await sends.send(0, LOOP, payload, match=number)
        await sends.send(0, 0, payload)
        await sends.send(1, 1, payload)
    await sends.until_ended()
    for payload, address in zip(payloads, receives, strict=True):
        assert card.landed(address, len(payload)) == payload
    await check_counts(card, sends, own=True)


@cocotb.test()
async def a_network_that_was_not_started(dut: Any) -> None:
    """W9: sends before it are malformed."""
    card, sends = await begin(dut)
    await card.write("CONTROL", 1)
    await card.until_ready()
    await card.open_page(0)
    handle = await sends.command(0, peer=0, inline0=1, length=8)
    await expect(card, 0, opcode=Opcode.SEND, status=Status.MALFORMED, handle=handle)


@cocotb.test()
async def w8_what_is_not_registered(dut: Any) -> None:
    """W8: buffers of receives and of sends, and peers, are those of the page's endpoint."""
    card, sends = await begin(dut)
    base, size = RECEIVES
    posts = (
        (1, base),
        (PAGES, SENDS[0]),
        (0, base - 1),
        (0, base + size - 7),
        (7, base),
        (99, base),
    )
    for memory, address in posts:
        fields = {"memory": memory, "address": address, "length": 8} | KEY
        handle = await card.command(0, Opcode.POST, **fields)
        told = {"opcode": Opcode.POST, "status": Status.REFUSED_MEMORY, "handle": handle}
        await expect(card, 0, **told, serial=0)
    handle = await card.command(0, Opcode.POST, memory=99, address=1, receive_id=1, **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    inline = {"inline0": 1, "length": 8}
    piece = {"pieces": 1, "length": 8, "memory": PAGES, "address": SENDS[0]}
    cases = (
        ({"peer": 1} | inline, Status.REFUSED_PEER),
        ({"peer": 99} | inline, Status.REFUSED_PEER),
        ({"peer": 0} | piece | {"memory": PAGES + 1}, Status.REFUSED_MEMORY),
        ({"peer": 0} | piece | {"memory": 0, "address": base}, Status.REFUSED_MEMORY),
        ({"peer": 0} | inline | {"length": 25}, Status.MALFORMED),
    )
    for fields, status in cases:
        handle = await sends.command(0, **fields)
        await expect(card, 0, opcode=Opcode.SEND, status=status, handle=handle)
    await sends.send(0, 0, b"that is", 0)
    await sends.until_ended()
    assert not sends.kinds["lost"] and len(sends.targets[0].taken) == 1


@cocotb.test()
async def r13_a_peer_that_is_silent(dut: Any) -> None:
    """W5, R13: more sends to it than there are numbers hold up no command but sends."""
    card, sends = await begin(dut)
    sends.targets[0].silent = True
    # As many as have a number, as wait for one, and some in the page's slots.
    for number in range(2 * NUMBERS + 2):
        await sends.send(0, 0, card.random.randbytes(number % INLINE_BYTES), 0)
    for page in (1, 1, 1, 1, 1):
        handle, _ = await card.post(page, 8, match=99, source=5)
        await expect(card, page, status=Status.QUEUED, handle=handle)
    assert not card.completions[0]
    sends.targets[0].silent = False
    await sends.until_ended()


@cocotb.test()
async def w5_sends_of_a_ring_that_nobody_reads(dut: Any) -> None:
    """Its page's sends wait, and no other's; none starts without room for its completion."""
    card, sends = await begin(dut, ring_log2=4)
    card.unread.add(0)
    for _ in range(24):
        await sends.send(0, 0, b"waits", 0)
    for _ in range(10):
        await sends.send(1, 1, b"goes", 0)
    for _ in range(10):
        await sends.completion(1)
    await ClockCycles(dut.clock, 1000)
    assert 8 < card.rings[0].unread < 16
    card.unread.clear()
    card.consume(0)
    await sends.until_ended()


@cocotb.test()
async def r13_a_page_with_another_owner(dut: Any) -> None:
    """Sends of the one before are carried out, and told to nobody."""
    card, sends = await begin(dut)
    sends.targets[0].silent = True
    old = [await sends.send(0, 0, b"old", 0) for _ in range(4)]
    await ClockCycles(dut.clock, 300)
    await card.open_page(0)
    sends.targets[0].silent = False
    new = await sends.send(0, 0, b"new", 0)
    found = await card.completion(0)
    assert found["handle"] == new.handle
    sends.judge(0, found)
    await card.until_idle()
    assert not card.completions[0] and len(sends.targets[0].taken) == len(old) + 1
    assert card.rings[0].produced == 1


@cocotb.test()
async def w9_a_reset_amid_sends(dut: Any) -> None:
    """W9: what was under way is gone, also to a peer that is silent, and new ones go."""
    card, sends = await begin(dut)
    sends.targets[0].silent = True
    for number in range(8):
        await sends.send(number % PAGES, number % PAGES, bytes(2000))
        await sends.send(number % PAGES, PAGES + number % PAGES, bytes(2000))
    await ClockCycles(dut.clock, 200)
    await card.write("CONTROL", 1)
    await card.configure()
    await sends.configure()
    for target in sends.targets:
        target.silent = False
        target.forget()
        target.taken.clear()
    sends.messages.clear()
    await random_sends(card, sends, 10)
