# SPDX-License-Identifier: Apache-2.0
"""The named configurations, as the generated constants list them."""

from opentmu.errors import BadInput

DEFAULT = "nic"
PROOFS_ONLY = "formal"


def names() -> list[str]:
    from opentmu import regs

    return list(regs.PRESETS)


def check(name: str) -> str:
    """The name itself, or BadInput naming the presets that exist."""
    known = names()
    if name not in known:
        raise BadInput(f"no preset {name!r}; the presets are {', '.join(known)}")
    return name


def check_replayable(name: str) -> str:
    """As `check`, and the preset has to carry whole keys and handles."""
    if check(name) == PROOFS_ONLY:
        raise BadInput(
            f"preset {name!r} has narrow keys and handles, for proofs only: a trace does not fit; "
            f"use one of {', '.join(n for n in names() if n != name)}"
        )
    return name
