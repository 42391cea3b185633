# SPDX-License-Identifier: Apache-2.0
"""Clients of a device process that mean no good: wrong messages, and right ones with nonsense."""

import array
import contextlib
import os
import random
import socket
import struct
from pathlib import Path

VERSION, DMA_MAP, REGION_WRITE, DEVICE_RESET = 1, 2, 10, 13
REGISTERS, DOORBELLS, CONFIG = 0, 2, 7
PAGE = 4096
PAGES = (0, 1, 64, 64, 64, 65)  # two queues of tiny, the privileged one, and none
CONSUMER = 2048
BASE = 0x1000_0000
MEMORY = 1 << 23
SEGMENT = 1 << 21
# Registers by offset, as docs/registers.md has them.
PAGE_SETUP = (0x90, 0x94, 0x98, 0x9C, 0xA8, 0xAC, 0xA0)
SPILL_SETUP = (0xE4, 0xE8, 0xEC)
VALUES = (0, 1, 2, 3, 0x100, 0x104, 0x10F, BASE, BASE + 4096)


def message(command: int, payload: bytes, flags: int = 0, size: int | None = None) -> bytes:
    """A message, with another size in its header if one is given."""
    size = 16 + len(payload) if size is None else size
    return struct.pack("=HHIII", 7, command, size, flags, 0) + payload


def garble(dice: random.Random, path: Path) -> None:
    """A connection on which some messages are right."""
    with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(ConnectionError):
        client.connect(str(path))
        client.settimeout(30)
        client.sendall(message(VERSION, struct.pack("=HH", 0, 1)))
        for _ in range(dice.randrange(1, 12)):
            numbers = (0, 1, 2, 4, 16, 32, 64, 4096, 2**32 - 1, dice.randrange(2**32))
            payload = b"".join(struct.pack("=I", dice.choice(numbers)) for _ in range(64))
            payload = payload[: dice.choice((0, 4, 16, 20, 24, 32, dice.randrange(200)))]
            size = dice.randrange(2**32) if dice.random() < 0.05 else None
            flags = dice.choice((0, 0, 0, 0x10, 0x10, dice.randrange(64)))
            client.sendall(message(dice.randrange(18), payload, flags, size))
        # The client is dropped, or has all its messages looked at.
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass


class Vandal:
    """A client whose messages are right, and which writes whatever comes to mind."""

    def __init__(self, dice: random.Random, path: Path) -> None:
        self.dice = dice
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.settimeout(60)
        self.ask(VERSION, struct.pack("=HH", 0, 1))
        self.enable()
        memory = os.memfd_create("vandal")
        os.ftruncate(memory, MEMORY)
        self.ask(DMA_MAP, struct.pack("=IIQQQ", 32, 3, 0, BASE, MEMORY), [memory])
        os.close(memory)
        for number in range(dice.randrange(3)):
            self.registers(SPILL_SETUP, (BASE + SEGMENT * (number + 1), 0, 1))

    def ask(self, command: int, payload: bytes, files: list[int] | None = None) -> None:
        """Send a message and take its reply, whatever that says."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.socket.sendmsg([message(command, payload)], rights)
        header = self.socket.recv(16, socket.MSG_WAITALL)
        assert len(header) == 16, "the device has gone away"
        left = struct.unpack("=HHIII", header)[2] - 16
        assert not left or len(self.socket.recv(left, socket.MSG_WAITALL)) == left

    def write(self, region: int, offset: int, data: bytes) -> None:
        self.ask(REGION_WRITE, struct.pack("=QII", offset, region, len(data)) + data)

    def enable(self) -> None:
        """Let the unit reach memory."""
        self.write(CONFIG, 4, struct.pack("=H", 6))

    def registers(self, offsets: tuple[int, ...], values: tuple[int, ...]) -> None:
        for offset, value in zip(offsets, values, strict=True):
            self.write(REGISTERS, offset, struct.pack("=I", value))

    def act(self) -> None:
        """Do one thing or another."""
        dice = self.dice
        page = dice.choice(PAGES)
        choice = dice.random()
        if choice < 0.3:
            offset = dice.choice((0x80, *PAGE_SETUP, *SPILL_SETUP, dice.randrange(0, PAGE, 4)))
            self.registers((offset,), (dice.choice((*VALUES, dice.randrange(2**32))),))
        elif choice < 0.4:
            share = (64 * page % 512) | 5 << 16
            ring = (page, BASE + page * PAGE, 0, 0x106, dice.randrange(4), share, 1)
            self.registers(PAGE_SETUP, ring)
        elif choice < 0.45:
            consumed = dice.choice((0, 1, 5, 64, dice.randrange(2**32)))
            self.write(DOORBELLS, page * PAGE + CONSUMER, struct.pack("=I", consumed))
        elif choice < 0.46:
            self.ask(DEVICE_RESET, b"")
            self.enable()
        else:
            self.write(DOORBELLS, page * PAGE + 64 * dice.randrange(8), self.command())

    def command(self) -> bytes:
        """One that may be right."""
        dice = self.dice
        if dice.random() < 0.1:
            return dice.randbytes(64)
        opcode = dice.choice((1, 2, 3, 4, 5, 6, 7, dice.randrange(256)))
        receive = dice.randrange(8) if opcode in (1, 5) else 0
        first = opcode | dice.randrange(5) << 32
        return struct.pack(
            "=8Q", first, dice.randrange(4), 0, dice.randrange(3), 9, 5, 100, receive
        )
