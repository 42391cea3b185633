# SPDX-License-Identifier: Apache-2.0
"""Draws architecture.svg beside this file: python3 docs/pictures/architecture.py."""

from pathlib import Path

WIDTH, HEIGHT = 1060, 600
HOST, DOOR, MATCH, TABLE, SIDE = "#e8eef7", "#fff3d6", "#e4f3e6", "#ffffff", "#f1e8f5"


def text(x: float, y: float, words: str, size: int = 13, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="middle"{weight}>{words}</text>'


def box(at: tuple[int, int, int, int], colour: str, title: str, *lines: str) -> list[str]:
    """A box `at` (x, y, width, height) with a bold title and smaller lines below it."""
    x, y, width, height = at
    middle = x + width / 2
    top = y + height / 2 - 8 * len(lines) + 4
    shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"'
    rows = [text(middle, top + 17 * (i + 1), line, 12) for i, line in enumerate(lines)]
    return [f'{shape} fill="{colour}" stroke="#333"/>', text(middle, top, title, bold=True), *rows]


def frame(at: tuple[int, int, int, int], colour: str, title: str) -> list[str]:
    """A box that holds others, its title in the top left corner."""
    x, y, width, height = at
    shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8"'
    label = f'<text x="{x + 12}" y="{y + 20}" font-size="13" font-weight="bold">{title}</text>'
    return [f'{shape} fill="{colour}" stroke="#333" stroke-dasharray="5 3"/>', label]


def arrow(points: str, words: str = "", at: tuple[int, int] = (0, 0)) -> list[str]:
    line = f'<polyline points="{points}" fill="none" stroke="#333" stroke-width="1.6"'
    label = [text(*at, words, 12)] if words else []
    return [f'{line} marker-end="url(#tip)"/>', *label]


def host() -> list[str]:
    return [
        *frame((15, 15, 215, 570), HOST, "host"),
        *box((35, 50, 175, 60), TABLE, "program", "posts, delivers, polls"),
        *box(
            (35, 165, 175, 110),
            TABLE,
            "libtmu",
            "receive ids, ring credits,",
            "held-back arrivals",
            "sw-driver/src",
        ),
        *box(
            (35, 450, 175, 95),
            TABLE,
            "completion rings",
            "one per doorbell page,",
            "in host memory",
        ),
        *arrow("122,110 122,162"),
        *arrow("122,450 122,278", "poll", (140, 370)),
    ]


def stream() -> list[str]:
    return [
        *frame((320, 15, 725, 570), "#fafafa", "the unit: TmuTop"),
        *box(
            (340, 50, 160, 80), DOOR, "DoorbellPort", "page from the address", "1 beat = 1 command"
        ),
        *box((545, 50, 140, 80), DOOR, "command queue", "512 deep in nic"),
        *box((730, 50, 160, 80), DOOR, "CommandDecoder", "form checked,", "endpoint settled"),
        *arrow("210,220 265,220 265,90 336,90"),
        text(275, 60, "s_axi", 12, bold=True),
        text(275, 75, "64 bytes", 12),
        *arrow("500,90 541,90"),
        *arrow("685,90 726,90"),
        *arrow("810,130 810,166"),
    ]


def matching() -> list[str]:
    return [
        *frame((520, 170, 510, 255), MATCH, "MatchUnit: one command at a time"),
        *box(
            (540, 205, 220, 140),
            TABLE,
            "posted receives (PRQ)",
            "MatchQueue:",
            "RowTable behind SearchPort:",
            "lanes x rows, oldest first,",
            "delete and rotate;",
            "EntryStore: whole entries",
        ),
        *box(
            (790, 205, 220, 140),
            TABLE,
            "unexpected msgs (UMQ)",
            "MatchQueue:",
            "RowTable behind SearchPort:",
            "lanes x rows, oldest first,",
            "delete and rotate;",
            "EntryStore: whole entries",
        ),
        *box((640, 362, 270, 48), TABLE, "EndpointTable", "serials, depths, quotas"),
    ]


def answers() -> list[str]:
    return [
        *box(
            (690, 475, 180, 80),
            DOOR,
            "CompletionWriter",
            "slot and phase;",
            "waits while the ring is full",
        ),
        *box((520, 475, 130, 80), SIDE, "PageTable", "ring base, size,", "both indices"),
        *box(
            (340, 250, 150, 150),
            SIDE,
            "ControlRegisters",
            "discovery, reset,",
            "rings, quotas,",
            "snapshot of",
            "CounterBank",
        ),
        *arrow("775,425 775,471", "verdict", (805, 453)),
        *arrow("650,515 686,515"),
        *arrow("780,555 780,572 280,572 280,500 214,500"),
        text(270, 480, "m_axi", 12, bold=True),
        text(268, 493, "64 bytes", 12),
        *arrow("210,250 265,250 265,320 336,320"),
        text(293, 310, "s_axil", 12, bold=True),
        *arrow("490,320 516,320"),
        *arrow("415,400 415,515 516,515"),
    ]


def picture() -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="DejaVu Sans, Helvetica, sans-serif">'
    )
    tip = (
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#333"/></marker></defs>'
    )
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    title = "<title>Commands go from the host through the unit; verdicts come back</title>"
    note = "<!-- SPDX-License-Identifier: Apache-2.0; drawn by architecture.py. -->"
    parts = [head, note, title, tip, ground, *host(), *stream(), *matching(), *answers(), "</svg>"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())
