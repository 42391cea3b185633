# SPDX-License-Identifier: Apache-2.0
"""Draws pipeline.svg beside this file: python3 docs/figures/pipeline.py."""

from pathlib import Path

WIDTH, HEIGHT = 1100, 620
LEFT, CLOCK, TOP = 150, 60, 96
ROWS = 8
INTERFACE, UNIT, MEMORY = "#fff3d6", "#e4f3e6", "#e8eef7"

# Track -> what it does: first clock, clocks, colour, name, module. The first has the stages.
TRACKS = (
    (
        "stage",
        (
            (0, 1, INTERFACE, "accept", "AcceptStage"),
            (1, ROWS + 1, INTERFACE, "walk", "WalkStage"),
            (ROWS + 2, 1, INTERFACE, "decide", "and append"),
            (ROWS + 3, 1, INTERFACE, "body", "BodyStage"),
            (ROWS + 4, 3, INTERFACE, "answer", "AnswerStage"),
        ),
    ),
    (
        "slot",
        (
            (0, 1, UNIT, "enters", "when room"),
            (1, 1, UNIT, "pair", "compared"),
            (2, ROWS, UNIT, "delay: the slot's commands", "SlotDelay, until R + 1"),
            (ROWS + 2, 1, UNIT, "decision", "Resolve"),
        ),
    ),
    ("endpoint", ((ROWS - 2, 4, MEMORY, "endpoint state: read, add steps", "EndpointTable"),)),
    (
        "entry",
        (
            (ROWS + 3, 1, MEMORY, "store", "EntryStore"),
            (ROWS + 4, 1, UNIT, "top lane", "MatchArray"),
        ),
    ),
    (
        "verdict",
        (
            (ROWS + 4, 1, UNIT, "verdict", "made"),
            (ROWS + 5, 1, UNIT, "queue", "kept"),
            (ROWS + 6, 1, INTERFACE, "offer", "to taker"),
        ),
    ),
)


def text(x: float, y: float, words: str, size: int = 12, extra: str = "") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="middle" {extra}>{words}</text>'


def left(clock: int) -> int:
    return LEFT + clock * CLOCK


def stage(y: int, first: int, clocks: int, colour: str, name: str, module: str) -> list[str]:
    x, width = left(first), clocks * CLOCK
    shape = f'<rect x="{x + 1}" y="{y}" width="{width - 2}" height="44" rx="4"'
    size = 10 if clocks == 1 else 12
    return [
        f'{shape} fill="{colour}" stroke="#333"/>',
        text(x + width / 2, y + 18, name, size + 1, 'font-weight="bold"'),
        text(x + width / 2, y + 35, module, size - (len(module) > 9 and clocks == 1)),
    ]


def axis() -> list[str]:
    names = {0: "0", 1: "1", 2: "2", 3: "3", 4: "4", 5: "5", 6: "R - 2", 7: "R - 1", 8: "R"}
    parts = [text(LEFT - 60, TOP - 30, "clock"), text(LEFT - 60, TOP - 12, "in nic, R = 8", 11)]
    for clock in range(ROWS + 7):
        label = names.get(clock, f"R + {clock - ROWS}")
        parts.append(text(left(clock) + CLOCK / 2, TOP - 30, label))
        parts.append(text(left(clock) + CLOCK / 2, TOP - 12, str(clock), 11, 'fill="#666"'))
        parts.append(line(left(clock), TOP, left(clock), HEIGHT - 66, "#ddd"))
    return [*parts, line(left(ROWS + 7), TOP, left(ROWS + 7), HEIGHT - 66, "#ddd")]


def line(x1: int, y1: int, x2: int, y2: int, colour: str) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}"/>'


def walk(y: int) -> list[str]:
    """Each row compares in one clock and settles in the next."""
    height = 20
    parts = [
        text(LEFT - 70, y + 20, "walk, in both"),
        text(LEFT - 70, y + 36, "arrays at once:"),
        text(LEFT - 70, y + 52, "ArrayRow"),
    ]
    for row in range(ROWS):
        top = y + row * height
        for clock, words in ((row + 1, f"row {row}"), (row + 2, "settle")):
            shape = f'<rect x="{left(clock) + 1}" y="{top}" width="{CLOCK - 2}" height="18" rx="3"'
            colour = MEMORY if words == "settle" else UNIT
            parts.append(f'{shape} fill="{colour}" stroke="#666"/>')
            parts.append(text(left(clock) + CLOCK / 2, top + 13, words, 10))
    return parts


def figure() -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="DejaVu Sans, Helvetica, sans-serif">'
    )
    title = "Pipeline of the matching unit: what happens to a slot in each clock"
    parts = [
        head,
        "<!-- Drawn by pipeline.py. -->",
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(WIDTH / 2, 30, title, 16, 'font-weight="bold"'),
        *axis(),
    ]
    tops = {
        "stage": TOP + 10,
        "slot": TOP + 70,
        "endpoint": TOP + 310,
        "entry": TOP + 365,
        "verdict": TOP + 415,
    }
    for track, stages in TRACKS:
        parts.append(text(LEFT - 70, tops[track] + 26, track))
        for one in stages:
            parts += stage(tops[track], *one)
    parts += walk(TOP + 130)
    notes = (
        "In front: doorbell port 1 clock, submission queues 7, decoder 1, queue 1. "
        "Behind: completion writer 2, then memory.",
        "A slot enters and one is answered in every clock, while none has to search memory rows.",
    )
    parts += [text(WIDTH / 2, HEIGHT - 38 + 20 * i, words) for i, words in enumerate(notes)]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(figure())
