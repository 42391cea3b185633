# SPDX-License-Identifier: Apache-2.0
"""Mistakes in the law that the bundled traces have to notice, one by one.

Each is a change of the reference model's source behind a number, so that one program has them all.
Key bits that are dropped are variables of that program (trace_mutants.c).
"""

import subprocess
from pathlib import Path

from opentmu import paths

LAW = paths.SIM / "law"
FIELDS = {"context": 32, "source": 32, "tag": 32, "endpoint": 2}
TAG_SIGN, ANY_TAG = "UINT64_C(0x80000000)", "UINT64_C(0x7fffffff)"

# Lines of the law, and those with the numbered mistakes.
KEYS = (
    "    uint64_t match_differs = (a->match ^ b->match) & ~(a->ignore | b->ignore);\n"
    "    uint32_t source_differs = (a->source ^ b->source) & "
    "~(a->source_ignore | b->source_ignore);"
)
WRONG_KEYS = f"""\
    uint64_t ignore = a->ignore | b->ignore;
    uint32_t source_ignore = a->source_ignore | b->source_ignore;
    if (ON("ANY_TAG takes negative tags") && (ignore & {ANY_TAG}) != 0)
        ignore |= {TAG_SIGN};
    if (ON("ANY_TAG takes any context") && (ignore & {ANY_TAG}) != 0)
        ignore |= UINT64_C(0xffffffff00000000);
    if (ON("ANY_TAG takes tag 0 only"))
        ignore = 0;
    if (ON("ANY_TAG implies ANY_SOURCE") && (ignore & {ANY_TAG}) != 0)
        source_ignore = UINT32_MAX;
    if (ON("ANY_SOURCE takes source 0 only"))
        source_ignore = 0;
    if (ON("ANY_SOURCE implies ANY_TAG") && source_ignore != 0)
        ignore |= {ANY_TAG};
    uint64_t match_differs = (a->match ^ b->match) & ~(ignore | mutant_match);
    uint32_t source_differs = (a->source ^ b->source) & ~(source_ignore | mutant_source);"""
SEARCH = "    for (node_t *node = list->oldest; node; node = node->next) {\n        *visited += 1;"
WRONG_SEARCH = (
    """\
    const bool posts = list->oldest && list->oldest->entry.queue == TMU_MODEL_POSTED;
    if ((ON("receives are LIFO") && posts) || (ON("messages are LIFO") && !posts)) {
        for (node_t *node = list->youngest; node; node = node->previous)
            if (key_equal(&node->entry.key, key))
                return node;
        return NULL;
    }
    for (int pass = 0; pass < 2 && (ON("exact receives first") || ON("wildcards first")); pass++)
        for (node_t *node = list->oldest; node && posts; node = node->next) {
            const tmu_model_key_t *own = &node->entry.key;
            const bool wild = own->ignore != 0 || own->source_ignore != 0;
            if (wild == ((pass == 1) == ON("exact receives first")) && key_equal(own, key))
                return node;
        }
"""
    + SEARCH
)
CHANGES = (
    (KEYS, WRONG_KEYS),
    (SEARCH, WRONG_SEARCH),
    (
        "list_t *unexpected = &model->endpoint[receive->endpoint].queue[TMU_MODEL_UNEXPECTED];\n"
        "    node_t *hit = find_oldest(unexpected, &receive->key, &verdict_p->visited);",
        "list_t *unexpected = &model->endpoint[receive->endpoint].queue[TMU_MODEL_UNEXPECTED];\n"
        '    node_t *hit = ON("a post does not look for messages")\n'
        "                      ? NULL\n"
        "                      : find_oldest(unexpected, &receive->key, &verdict_p->visited);",
    ),
    (
        "node_t *hit = find_oldest(posted, &entry.key, &verdict_p->visited);",
        'node_t *hit = ON("an arrival does not look for receives")\n'
        "                      ? NULL\n"
        "                      : find_oldest(posted, &entry.key, &verdict_p->visited);",
    ),
    (
        "hit->entry.length > receive->length; /* R12 */",
        'CUT(hit->entry.length, receive->length, "post");',
    ),
    (
        "message->length > hit->entry.length; /* R12 */",
        'CUT(message->length, hit->entry.length, "arrival");',
    ),
    (
        "    if (take) {\n        model_discard(model, hit);",
        '    if ((take && !ON("claim leaves the message")) || '
        '(!take && ON("probe takes the message"))) {\n        model_discard(model, hit);',
    ),
    (
        "    if (!hit) {\n        verdict->status = TMU_MODEL_NONE;",
        '    if (!hit || (!take && ON("probe finds nothing"))) {\n'
        "        verdict->status = TMU_MODEL_NONE;",
    ),
    (
        "if (name == target && !names_none) {",
        'if (name == target && !names_none && !ON("cancel is always late")) {',
    ),
    (
        "            model_discard(model, node);\n            break;",
        '            if (!ON("cancel leaves the receive"))\n'
        "                model_discard(model, node);\n            break;",
    ),
    (
        "    *verdict = (tmu_model_verdict_t){.endpoint = endpoint, .handle = handle};",
        "    *verdict = (tmu_model_verdict_t){.endpoint = endpoint, .handle = handle};",
    ),
)
HEAD = """\
#include <string.h>
extern uint64_t mutant_match;
extern uint32_t mutant_source, mutant_endpoint;
extern int mutant;
static const char *const mutant_names[] = {
#define MUTANT(name) name,
#include "mutants.inc"
#undef MUTANT
};
#define ON(name) (mutant != 0 && strcmp(mutant_names[mutant - 1], name) == 0)
#define CUT(length, room, side)                                                               \\
    (ON("a truncated " side " is not flagged") ? false                                        \\
     : ON("each matched " side " is flagged truncated") ? true                                 \\
     : ON("a message as long as its receive is flagged at the " side) ? (length) >= (room)     \\
                                                                     : (length) > (room))
"""


def names() -> list[str]:
    """The named mistakes, in the order of the source."""
    from re import findall

    text = "".join(after for _, after in CHANGES)
    cuts = [
        name.replace('" side "', side).replace('" side', side).strip('"')
        for side in ("post", "arrival")
        for name in (
            'a truncated " side " is not flagged',
            'each matched " side " is flagged truncated',
            'a message as long as its receive is flagged at the " side',
        )
    ]
    return list(dict.fromkeys([*findall(r'ON\("([^"]+)"\)', text), *cuts]))


def every() -> list[str]:
    """All mistakes, as the program names them."""
    return [
        *(f"{name} bit {bit}" for name, bits in FIELDS.items() for bit in range(bits)),
        *names(),
    ]


def source() -> str:
    """The model with all mistakes behind their numbers; every change has its line."""
    text = (LAW / "tmu_model.c").read_text()
    for before, after in CHANGES:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    for who in ("receive->endpoint", "message->endpoint", "search->endpoint"):
        lookup = f"&model->endpoint[{who}]"
        assert lookup in text, lookup
        text = text.replace(lookup, f"&model->endpoint[{who} & ~mutant_endpoint]")
    return text.replace('#include "model_state.h"\n', f'#include "model_state.h"\n{HEAD}')


def program(folder: Path) -> Path:
    """trace_mutants.c with the changed model, compiled into `folder`."""
    (folder / "mutants.inc").write_text("".join(f'MUTANT("{name}")\n' for name in names()))
    (folder / "tmu_model.c").write_text(source())
    sources = [folder / "tmu_model.c", Path(__file__).with_name("trace_mutants.c")]
    unchanged = ("model_state", "tmu_model_trace", "tmu_trace", "tmu_verdict_log")
    sources += [LAW / f"{name}.c" for name in (*unchanged, "trace_input", "trace_line")]
    includes = [f"-I{one}" for one in (folder, LAW)]
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-w", *includes, *map(str, sources)]
    target = folder / "trace-mutants"
    subprocess.run([*command, "-lz", "-o", str(target)], check=True)
    return target


def killed(program: Path, trace: Path) -> list[str]:
    """Mistakes that the trace notices."""
    done = subprocess.run([program, trace], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def short(found: list[str]) -> str:
    """A list in a table: runs of bits of a field as one."""
    words = []
    for name, bits in FIELDS.items():
        own = [bit for bit in range(bits) if f"{name} bit {bit}" in found]
        starts = [bit for bit in own if bit - 1 not in own]
        ends = [bit for bit in own if bit + 1 not in own]
        runs = [str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True)]
        words += [f"{name} bits {', '.join(runs)}"] if runs else []
    return "; ".join([*words, *(one for one in names() if one in found)])
