# SPDX-License-Identifier: Apache-2.0
"""TmuCard with more messages than it has numbers for: refused by generation, in order (W5)."""

from typing import Any

import cocotb
from opentmu.bench import seed
from opentmu.bench.card import Card
from opentmu.bench.card_messages import expect
from opentmu.bench.card_sends import LOOP, Sends
from opentmu.regs import Opcode, Status

# Of 32 numbers each of two endpoints has 4 to itself.
COUNT, TAKEN, REFUSED = 40, 28, 41
TAG, SOURCE = 7, 5


@cocotb.test()
async def w5_messages_that_nobody_takes(dut: Any) -> None:
    """W1, W5, R7: they leave other endpoints room, and all come in order when they are wanted."""
    card = Card(dut, seed.choose(), uses_generation=1)
    await card.start()
    sends = Sends(card)
    await sends.start()
    payloads = [card.random.randbytes(card.random.choice((8, 100, 2500))) for _ in range(COUNT)]
    for payload in payloads:
        await sends.until_few()
        await sends.send(0, LOOP, payload, match=TAG)
    await sends.until_few(COUNT - TAKEN + 1)
    assert await card.count(REFUSED) > 0
    for number in range(6):
        payload = card.random.randbytes(50)
        handle, address = await card.post(0, 64, match=number, source=SOURCE)
        await expect(card, 0, status=Status.QUEUED, handle=handle)
        await sends.send(1, LOOP + 1, payload, match=number)
        await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
        assert card.landed(address, 50) == payload
        await sends.completion(1)
    waiting = [sent for sent in sends.messages.values() if not sent.ended]
    assert len(waiting) == COUNT - TAKEN, "nobody has taken one meanwhile"
    for number, payload in enumerate(payloads):
        handle, address = await card.post(1, len(payload), match=TAG, source=SOURCE)
        found = await card.completion(1)
        if found["status"] == Status.QUEUED:
            found = await card.completion(1)
        assert found["status"] == Status.MATCHED
        assert card.landed(address, len(payload)) == payload, f"R7: message {number}"
    await sends.until_ended()
    await card.until_idle()
