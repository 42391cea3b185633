# SPDX-License-Identifier: Apache-2.0
"""Cards of the ranks, joined by a switch: nothing but Ultra Ethernet between them."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opentmu import children, options
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed

PROGRAM = "tmu-switch"
PORTS = 64  # of a switch, at most
SPAWNED = 16  # ports for processes that ranks start
NETWORK = "10.0.0.0/8"
PATIENCE = 10.0
# Microseconds before a simulated card sends a packet again, by its own clock: the provider's would
# be a minute of the simulation.
RETRANSMIT_SIMULATED = 40
Report = dict[str, Any]


@dataclass
class Network:
    """A switch that runs, and what it has counted when it has ended."""

    socket: Path
    counters: dict[str, int] = field(default_factory=dict)

    def device(self, uri: str) -> str:
        """A device of that URI as a card with a link to the switch."""
        return f"{uri}{'&' if '?' in uri else '?'}link=unix:{self.socket}"


def check(engine: str, units: str, ranks: int) -> None:
    """Raise BadInput for ranks that cannot have cards of that kind."""
    if units != "each":
        raise BadInput(f"--wire --units {units}: expected each, a card for each rank")
    if ranks > PORTS - SPAWNED:
        raise BadInput(f"-n {ranks} --wire: found more ranks than the {PORTS - SPAWNED} ports")


@contextmanager
def joined(ranks: int, impairments: Mapping[str, object]) -> Iterator[Network]:
    """A switch with a port for each rank and some to spare, while the block runs."""
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    with TemporaryDirectory(prefix="tmu-wire-") as folder:
        network = Network(Path(folder) / "s")  # short: a socket's path has 107 bytes at most
        words = [str(program), "--json", "--ports", str(ranks + SPAWNED)]
        words += ["--socket", str(network.socket), *options.words(impairments)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with children.start(words, text=True, process_group=0, **pipes) as process:
            try:
                assert process.stderr is not None
                said = process.stderr.readline()
                if not network.socket.exists():
                    raise CheckFailed(f"{PROGRAM} did not start: {said.strip()}")
                yield network
            finally:
                process.send_signal(signal.SIGINT)
                try:
                    out, said = process.communicate(timeout=PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
                    out, said = process.communicate()
            if process.returncode != 0:
                raise CheckFailed(
                    f"{PROGRAM} ended with exit code {process.returncode}: {said.strip()}"
                )
            network.counters = total(out)


def total(text: str) -> dict[str, int]:
    """Counters of a switch over all ports."""
    ports = json.loads(text)["ports"] if text else []
    names = [name for name in (ports[0] if ports else {}) if name != "port"]
    return {name: sum(port[name] for port in ports) for name in names}


def differences(found: list[Report], switch: Mapping[str, int]) -> list[str]:
    """Contradictions between the counters of cards, provider and switch (W1, W4, W6)."""
    cards = [report["network"] for report in found if "network" in report]

    def sum_of(name: str) -> int:
        return sum(card[name] for card in cards)

    wrong = []
    if len(cards) != len(found) or not switch:
        wrong.append(f"found the counters of {len(cards)} cards of {len(found)}, and a switch's")
    if sum_of("failed"):
        wrong.append(f"{sum_of('failed')} messages were not delivered")
    if sum_of("delivered") != sum_of("messages_taken"):
        wrong.append(
            f"messages that entered units: found {sum_of('messages_taken')}, "
            f"{sum_of('delivered')} were delivered"
        )
    # A card's frames to itself never reach the switch; frames may still be on their way at the end,
    # and one that came after a card's report was answered at most once.
    own = sum_of("frames_sent") - sum_of("link_full") - switch.get("received", 0)
    came = sum_of("accepted") + sum_of("dropped")
    if came > switch.get("sent", 0) + own:
        wrong.append(
            f"frames: {sum_of('frames_sent')} were sent, the switch had {dict(switch)}, and "
            f"{came} came"
        )
    return wrong
