# SPDX-License-Identifier: Apache-2.0
"""A card under the traffic of hosts and peers at once, judged by the reference model of the wire.

Serial numbers tell the order in which the unit has taken posts and messages of an endpoint (R7);
those of messages without a completion of their own are the ones that are missing. In that order
the model is given the same frames and receives.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import Lock, RisingEdge

from opentmu.bench.card import ADDRESS, JOB, MTU, PEER, Card, Peer, packets
from opentmu.bench.card_messages import message
from opentmu.bench.frame_judge import judge
from opentmu.bench.frames import Settings
from opentmu.bench.handshake import Values
from opentmu.regs import Opcode, Status
from opentmu.wire_model import Kind, WireModel

TAGS, SOURCES, LENGTHS = range(3), (5, 6), (0, 8, 8, 8, 64, 200, 1024, 1025, 2500)
ENDPOINTS, ALL_TAGS, ALL_SOURCES = 2, 2**64 - 1, 2**32 - 1
# Messages that are not told always find a number; receives that wait always find a lane.
MESSAGES_MOST, RECEIVES_MOST = 16, 10
PATIENCE = 20_000
ENDS = ("valid", "ready")


@dataclass
class Flow:
    """Frames and receives that the card was given, and its answers."""

    frames: list[tuple[bytes, Peer, int]] = field(default_factory=list)  # -1: begins no message
    posts: dict[int, Values] = field(default_factory=dict)
    serials: dict[int, tuple[int, int]] = field(default_factory=dict)  # of a post: endpoint, serial
    ended: dict[int, Values] = field(default_factory=dict)  # by the receive's handle
    answers: list[bytes] = field(default_factory=list)


class Traffic:
    """Peers that send, and hosts that post, all at once."""

    def __init__(self, card: Card, count: int) -> None:
        self.card, self.random, self.count = card, card.random, count
        self.flow = Flow()
        self.peers = [Peer(0x0101 + n, 0xFFFFFFF0 + n, PEER + n) for n in range(3)]
        self.wire, self.doorbell = Lock(), Lock()
        self.sent = [0] * ENDPOINTS
        self.told = [0] * ENDPOINTS
        self.posted = [0] * ENDPOINTS
        self.both = 0

    @property
    def waiting(self) -> int:
        """Messages that are not told."""
        return sum(self.sent) - sum(self.told)

    async def run(self) -> None:
        """Until every message is told."""
        clock = self.card.dut.clock
        tasks = [cocotb.start_soon(self._listen())]
        tasks += [cocotb.start_soon(self._complete(page)) for page in range(ENDPOINTS)]
        tasks.append(cocotb.start_soon(self._watch()))
        work = [cocotb.start_soon(self._send(peer)) for peer in self.peers]
        work += [cocotb.start_soon(self._post(page)) for page in range(ENDPOINTS)]
        for one in work:
            await one
        for _ in range(PATIENCE):
            done = not self.waiting and len(self.flow.answers) >= len(self.flow.frames)
            if done and all(handle in self.flow.serials for handle in self.flow.posts):
                break
            await RisingEdge(clock)
        assert not self.waiting, f"{self.waiting} messages are not told"
        for task in tasks:
            task.cancel()
        assert self.card.memory.failure is None, self.card.memory.failure

    async def _send(self, peer: Peer) -> None:
        """Messages of one peer, packets of others between theirs."""
        random, card = self.random, self.card
        while sum(self.sent) < self.count:
            if self.waiting >= MESSAGES_MOST:
                await RisingEdge(card.dut.clock)
                continue
            endpoint = random.randrange(ENDPOINTS)
            self.sent[endpoint] += 1
            keys = {"match": random.choice(TAGS), "initiator": random.choice(SOURCES)}
            length, number = random.choice(LENGTHS), sum(self.sent)
            data = {"headerData": number} if random.random() < 0.8 else {}
            send = message(length, number, pid=3 + endpoint, **keys, **data)
            for at, packet in enumerate(packets(peer, send, random.randbytes(length))):
                async with self.wire:
                    frame = card.frame(peer, packet)
                    self.flow.frames.append((frame, peer, -1 if at else endpoint))
                    await card.rx.send(frame)

    async def _post(self, page: int) -> None:
        """Receives of one host, with wildcards; with all of them when nothing else goes on."""
        random, card = self.random, self.card
        while sum(self.sent) < self.count or self.waiting:
            stuck = self.sent[page] - self.told[page] and self.waiting >= MESSAGES_MOST // 2
            wait = self.posted[page] - self.told[page]
            closing = sum(self.sent) >= self.count
            if wait >= RECEIVES_MOST + 4 or (wait >= RECEIVES_MOST and not (stuck or closing)):
                await RisingEdge(card.dut.clock)
                continue
            wild = wait >= RECEIVES_MOST or closing
            fields = {"match": random.choice(TAGS), "source": random.choice(SOURCES)}
            if wild or random.random() < 0.2:
                fields |= {"match": 0, "ignore": ALL_TAGS}
            if wild or random.random() < 0.2:
                fields |= {"source": 0, "source_ignore": ALL_SOURCES}
            size = random.choice(LENGTHS)
            self.posted[page] += 1
            async with self.doorbell:
                handle, address = await card.post(page, size, **fields)
            receive = {"endpoint": page, "address": address, "bytes": size, "handle": handle}
            self.flow.posts[handle] = fields | receive
            for _ in range(random.choice((0, 0, 0, 100))):
                await RisingEdge(card.dut.clock)

    async def _complete(self, page: int) -> None:
        """Completions of one host."""
        while True:
            while not self.card.completions[page]:
                await RisingEdge(self.card.dut.clock)
            found = self.card.completions[page].popleft()
            posts = found["opcode"] == Opcode.POST
            if posts:
                self.flow.serials[found["handle"]] = (page, found["serial"])
            if found["status"] == Status.MATCHED:
                names = ("handle", "other") if posts else ("other", "handle")
                handle, header = (found[name] for name in names)
                assert handle not in self.flow.ended, f"receive {handle} completes twice"
                self.flow.ended[handle] = found | {"header": header}
                self.told[page] += 1
            else:
                assert posts and found["status"] == Status.QUEUED, f"{found}"

    async def _watch(self) -> None:
        """Counts clocks in which the unit takes a post and a message."""
        unit = self.card.dut.unit.unit
        ends = [getattr(unit, f"io_{name}_{end}") for name in ("post", "arrival") for end in ENDS]
        while True:
            await RisingEdge(self.card.dut.clock)
            self.both += all(one.value for one in ends)

    async def _listen(self) -> None:
        """Answers to peers; the first one names the connection."""
        while True:
            await RisingEdge(self.card.dut.clock)
            while self.card.tx.frames:
                frame = self.card.tx.frames.popleft()
                self.flow.answers.append(frame)
                fields = judge([frame], Settings())[0].fields
                [peer] = [one for one in self.peers if one.spdcid == fields["pds_dpdcid"]]
                peer.dpdcid = fields["pds_spdcid"]


def order(flow: Flow) -> list[tuple[bytes, Peer] | Values]:
    """Frames and receives in the order in which the unit has taken them."""
    posts: list[deque[tuple[int, int]]] = []
    for endpoint in range(ENDPOINTS):
        own = sorted((s, handle) for handle, (at, s) in flow.serials.items() if at == endpoint)
        posts.append(deque(own))
    arrivals: defaultdict[int, int] = defaultdict(int)
    given: list[tuple[bytes, Peer] | Values] = []
    for frame, peer, endpoint in flow.frames:
        if endpoint >= 0:
            mine = posts[endpoint]
            # A serial that no post has is the next message's.
            while mine and mine[0][0] == arrivals[endpoint]:
                given.append(flow.posts[mine.popleft()[1]])
                arrivals[endpoint] += 1
            arrivals[endpoint] += 1
        given.append((frame, peer))
    return given + [flow.posts[handle] for left in posts for _, handle in left]


@dataclass
class Law:
    """Judgement of the model on all of it."""

    completions: dict[int, Any] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)
    answers: list[bytes] = field(default_factory=list)


def law(flow: Flow) -> Law:
    """Ask the model."""
    found = Law()
    with WireModel(ipv4=ADDRESS, payload_mtu=MTU, ack_trigger=0, endpoints=ENDPOINTS) as model:
        for endpoint in range(ENDPOINTS):
            assert model.endpoint(job=JOB, pid=3 + endpoint, index=15) == endpoint
        for given in order(flow):
            if isinstance(given, dict):
                effects = model.post(**given)
            else:
                effects = model.frame(given[0], given[1].dpdcid or 0).effects
            for effect in effects:
                if effect.kind == Kind.WRITE:
                    end = effect.address + len(effect.data)
                    found.written |= zip(range(effect.address, end), effect.data, strict=True)
                elif effect.kind == Kind.SEND:
                    found.answers.append(effect.data)
                elif effect.completion is not None:
                    found.completions[effect.completion.handle] = effect.completion
    return found


ANSWER = (
    *("pds_kind", "ses_next", "ses_opcode", "ses_list", "ses_flags", "ses_messageId"),
    *("ses_modifiedLength", "ses_job"),
)


def answered(frames: list[bytes]) -> dict[tuple[int, int], Values]:
    """Answers to packets, by connection and number; CACK depends on the time alone."""
    found = {}
    for judged in judge(frames, Settings()):
        fields = judged.fields
        offset = fields["pds_offset"] - (fields["pds_offset"] >> 15 << 16)
        number = (fields["pds_psn"] + offset) & 0xFFFFFFFF
        found[fields["pds_dpdcid"], number] = {name: fields.get(name, 0) for name in ANSWER}
    return found


def same_answer(found: Values, wanted: Values) -> bool:
    """Whether an answer is the model's.

    A post may take an unexpected message that is still arriving. Time alone decides whether its
    last packet is answered before, as overflow with all bytes, or behind, as expected.
    """
    taken = {"ses_list": 1, "ses_opcode": 1, "ses_flags": 1}
    overflow = found.items() >= taken.items() and wanted.get("ses_list") == 0
    if overflow and found["ses_modifiedLength"] >= wanted["ses_modifiedLength"]:
        free = {name: found[name] for name in (*taken, "ses_next", "ses_modifiedLength")}
        return found == wanted | free
    return found == wanted


def check(card: Card, flow: Flow) -> None:
    """W1 to W3, R3 to R12: the card has done what the model says, and nothing else."""
    right = law(flow)
    assert flow.ended.keys() == right.completions.keys(), "other receives have completed"
    for handle, found in flow.ended.items():
        said = right.completions[handle]
        expected = {
            "endpoint": said.endpoint,
            "source": said.source,
            "match": said.match,
            "message_length": said.length,
            "truncated": int(said.written < said.length),
            "header": said.header_data,
        }
        assert {name: found[name] for name in expected} == expected, f"{found}, {said}"
        address = flow.posts[handle]["address"]
        there = card.landed(address, said.written)
        assert there == bytes(right.written[address + at] for at in range(said.written))
    given, wanted = answered(flow.answers), answered(right.answers)
    wrong = [
        f"{at}: found {given.get(at)}, expected {wanted.get(at)}"
        for at in sorted(given.keys() | wanted.keys())
        if not same_answer(given.get(at, {}), wanted.get(at, {}))
    ]
    assert not wrong, f"answers by connection and number: {wrong}"
