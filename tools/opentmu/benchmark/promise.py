# SPDX-License-Identifier: Apache-2.0
"""Figures that the whole unit has to keep, found under load."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Promise:
    """A figure that has to be kept, and what was found."""

    name: str
    found: float
    most: float

    @property
    def met(self) -> bool:
        """Whether it is kept."""
        return self.found <= self.most
