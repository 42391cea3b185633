# SPDX-License-Identifier: Apache-2.0
"""One seed per run, printed, and replayed when TMU_SEED names it.

`tmu test` gives every test the seed REPEATED, so that a commit passes or fails alike on every
machine; its long campaigns, and tests that are started by themselves, draw new ones.
"""

import os
from random import SystemRandom

VARIABLE = "TMU_SEED"
LARGEST = 2**31 - 1
REPEATED = 20261128


def choose() -> int:
    """The seed that TMU_SEED names, else a new one; Verilator takes 1 to 2^31 - 1."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return SystemRandom().randint(1, LARGEST)
    if not text.isdecimal() or not 1 <= int(text) <= LARGEST:
        raise ValueError(f"{VARIABLE} is {text!r}; it must be a number from 1 to {LARGEST}")
    return int(text)


def announce(number: int | None = None) -> int:
    """The seed of a test, chosen unless it is given, and printed with what replays the test."""
    value = choose() if number is None else number
    print(f"seed {value}; {VARIABLE}={value} replays this run")
    return value


def current() -> int:
    """The seed of this simulation, which the runner has put into the environment."""
    return int(os.environ[VARIABLE])
