# SPDX-License-Identifier: Apache-2.0
"""Draws architecture.svg beside this file: python3 docs/figures/architecture.py."""

from pathlib import Path

WIDTH, HEIGHT = 1060, 1010
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
        *frame((15, 15, 215, 980), HOST, "host"),
        *box((35, 50, 175, 60), TABLE, "program", "posts, delivers, polls"),
        *box(
            (35, 165, 175, 110),
            TABLE,
            "libtmu",
            "receive ids, ring credits,",
            "held-back arrivals",
            "sw-driver/core",
        ),
        *box(
            (35, 735, 175, 95),
            TABLE,
            "completion rings",
            "one per submission queue,",
            "in host memory",
        ),
        *arrow("122,110 122,162"),
        *arrow("122,735 122,278", "poll", (140, 500)),
    ]


def stream() -> list[str]:
    return [
        *frame((320, 15, 725, 980), "#fafafa", "the unit: TmuTop"),
        *box(
            (340, 50, 160, 70), DOOR, "DoorbellPort", "page from the address", "1 beat = 1 command"
        ),
        *box((545, 50, 140, 70), DOOR, "SubmissionQueues", "a share a page,", "pages in turn"),
        *box((730, 50, 160, 70), DOOR, "CommandDecoder", "form checked,", "stream chosen"),
        *arrow("210,220 265,220 265,85 336,85"),
        text(275, 55, "s_axi", 12, bold=True),
        text(275, 70, "64 bytes", 12),
        *arrow("500,85 541,85"),
        *arrow("685,85 726,85"),
        *arrow("810,120 810,146", "one command a clock", (880, 140)),
    ]


def array(x: int, title: str, enters: int, appended: str) -> list[str]:
    """A lane array at `x`: rows from the oldest down; a new entry comes in at `enters`."""
    top, cells = 222, 8
    beside = x + 100 + (x + 100 - enters) / 2
    strips: list[str] = [*box((x, top, 200, 208), TABLE, "")]
    strips += [
        text(x + 100, top + 18, title, bold=True),
        text(x + 100, top + 34, "row r: clocks r+1, r+2", 12),
    ]
    rows = (("row 0: oldest", 42), ("row 1", 74), ("row R-1: youngest", 122))
    for words, offset in rows:
        y = top + offset
        shape = (
            f'<rect x="{x + 14}" y="{y}" width="{{}}" height="24" fill="{MATCH}" stroke="#666"/>'
        )
        strips.append(shape.format(172))
        for i in range(1, cells):
            line = x + 14 + 172 * i / cells
            strips.append(f'<line x1="{line}" y1="{y}" x2="{line}" y2="{y + 24}" stroke="#bbb"/>')
        strips.append(text(x + 100, y + 16, words, 11))
    strips.append(text(x + 100, top + 114, "...", bold=True))
    at = enters - 27
    strips += [
        f'<rect x="{at}" y="{top + 164}" width="54" height="20" fill="{DOOR}" stroke="#666"/>',
        text(enters, top + 178, "incoming", 10),
        *arrow(f"{enters},{top + 164} {enters},{top + 148}"),
        text(beside, top + 170, appended, 11),
        text(beside, top + 185, "shift up to a hole", 11),
    ]
    return strips


def matching() -> list[str]:
    title = "MatchUnit: a slot (post and arrival) can enter in every clock"
    return [
        *frame((340, 150, 690, 530), MATCH, title),
        *arrow("685,190 460,190 460,218", "post: clock 0", (515, 185)),
        *arrow("685,190 910,190 910,218", "arrival: clock 0", (850, 185)),
        *array(360, "MatchArray of messages", 520, "queued arrivals"),
        *array(810, "MatchArray of receives", 850, "queued posts"),
        text(685, 217, "both arrays in lockstep", 12, bold=True),
        *box((585, 228, 200, 50), TABLE, "FlushSequencer", "a flush as a stream of takes"),
        *box((585, 286, 200, 63), TABLE, "SlotDelay", "the slot's commands,", "R + 1 clocks"),
        *box(
            (585, 357, 200, 72),
            TABLE,
            "EndpointTable",
            "serials, depths, quotas;",
            "read 4 clocks before deciding",
        ),
        *box(
            (480, 468, 410, 62),
            TABLE,
            "Resolve: decided at clock R + 2, the post first",
            "what is found is taken, what is not is appended",
            "to the other array; post and arrival of one slot may pair",
        ),
        *arrow("435,430 435,500 476,500", "found?", (412, 470)),
        *arrow("935,430 935,500 894,500", "found?", (960, 470)),
        *arrow("685,429 685,464"),
        *arrow("520,468 520,410", "append", (547, 446)),
        *arrow("850,468 850,410", "append", (823, 446)),
    ]


def behind() -> list[str]:
    """Blocks behind the decision: overflow, bodies, verdicts."""
    return [
        *box(
            (360, 562, 250, 105),
            TABLE,
            "Overflow (nic, tiny, max)",
            "slots parked in order, decided 1 by 1;",
            "two FilterTables: younger entries in",
            "memory rows of filter ids;",
            "lifts the oldest into the arrays",
        ),
        *box(
            (640, 575, 170, 80),
            TABLE,
            "BodyStage: two EntryStores",
            "handle, address, length",
            "by slot: clock R + 3",
        ),
        *box(
            (840, 562, 175, 105),
            TABLE,
            "AnswerStage",
            "verdicts: clock R + 4;",
            "offered from R + 6;",
            "counts slots inside:",
            "no room, no entry",
        ),
        *arrow("510,530 510,558"),
        *arrow("550,562 550,534"),
        *arrow("725,530 725,571"),
        *arrow("860,530 860,558"),
        *arrow("810,615 836,615"),
    ]


def answers() -> list[str]:
    return [
        *box((850, 735, 165, 80), DOOR, "VerdictOrder", "one verdict a clock,", "post first"),
        *box(
            (650, 735, 165, 80),
            DOOR,
            "CompletionWriter",
            "slot and phase,",
            "one a clock",
        ),
        *box((515, 735, 110, 80), SIDE, "PageTable", "rings and shares,", "their indices"),
        *box(
            (340, 710, 145, 120),
            SIDE,
            "ControlRegisters",
            "discovery, reset,",
            "rings, quotas,",
            "filter windows,",
            "CounterBank",
        ),
        *arrow("932,667 932,731", "verdicts", (965, 712)),
        *arrow("850,775 819,775"),
        *arrow("625,775 646,775"),
        *arrow("732,815 732,848 280,848 280,785 214,785"),
        text(268, 762, "m_axi", 12, bold=True),
        text(268, 777, "64 bytes", 12),
        *arrow("210,250 265,250 265,730 336,730"),
        text(293, 722, "s_axil", 12, bold=True),
        *arrow("412,710 412,684"),
        *arrow("485,775 511,775"),
    ]


def spill() -> list[str]:
    """Queues that outgrow the tables on chip, in presets that take memory."""
    return [
        *box(
            (340, 880, 350, 95),
            MATCH,
            "Spill (all presets but ecp5)",
            "what misses on chip is answered from memory;",
            "words of 512 chunks, the youngest entries on chip;",
            "entries go back to the tables as room appears",
        ),
        *box(
            (35, 880, 175, 95),
            TABLE,
            "memory",
            "segments of 2 MiB,",
            "chunks of 60 entries;",
            "of host or card",
        ),
        *arrow("1022,680 1022,950 694,950", "deferred", (960, 944)),
        *arrow("690,900 932,900 932,819", "answers", (880, 894)),
        *arrow("500,880 500,684", "back", (518, 865)),
        *arrow("340,920 214,920"),
        *arrow("210,940 336,940"),
        text(275, 900, "m_axi_mem", 12, bold=True),
        text(275, 914, "64 bytes", 12),
    ]


def figure() -> str:
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
    parts = [
        head,
        note,
        title,
        tip,
        ground,
        *host(),
        *stream(),
        *matching(),
        *behind(),
        *answers(),
        *spill(),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(figure())
