# SPDX-License-Identifier: Apache-2.0
"""Ways of a routed design, summed from nextpnr's delays."""

import random

import pytest
from opentmu.synth import timing
from opentmu.synth.timing import NEVER, Arc, Timing

# a and b are registers, and \$l\[0\] a LUT between them; pad is outside.
SDF = r"""(DELAYFILE
  (CELL
    (CELLTYPE "top")
    (INSTANCE )
    (DELAY
      (ABSOLUTE
        (INTERCONNECT a/Q \$l\[0\]/A (700:800:900) (1:1:1))
        (INTERCONNECT pad/O \$l\[0\]/B (9000:9000:9000) (1:1:1))
        (INTERCONNECT \$l\[0\]/F b/DI (0:0:0) (0:0:0))
        (INTERCONNECT b/Q a/M (100:100:2000) (1:1:1))
        (INTERCONNECT clock/O a/CLK (5000:5000:5000) (1:1:1))
      )
    )
  )
  (CELL
    (CELLTYPE "TRELLIS_COMB")
    (INSTANCE \$l\[0\])
    (DELAY
      (ABSOLUTE
        (IOPATH A F (119:130:141) (119:130:141))
        (IOPATH B F (119:130:141) (119:130:141))
      )
    )
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE a)
    (DELAY (ABSOLUTE
        (IOPATH CLK Q (257:283:309) (257:283:309))
    ))
    (TIMINGCHECK
      (SETUPHOLD (posedge M) (posedge CLK) (0:1:2) (153:167:181))
      (SETUPHOLD (negedge M) (posedge CLK) (0:1:2) (153:167:181))
    )
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE b)
    (DELAY (ABSOLUTE
        (IOPATH CLK Q (257:283:309) (257:283:309))
    ))
    (TIMINGCHECK
      (SETUPHOLD (posedge DI) (posedge CLK) (0:0:50) (166:173:181))
    )
  )
)
"""


def test_the_ways_of_a_small_design() -> None:
    """Largest delays count, setup times too, and neither the clock's way nor one from outside."""
    found = timing.read(SDF.splitlines())
    found.update()
    assert found.worst() == (309 + 2000 + 2, "a/M")
    assert found.arrival["b/DI"] + found.setup["b/DI"] == 309 + 900 + 141 + 50
    assert found.arrival["$l[0]/B"] == NEVER and found.tail["b/Q"] == 2002
    (into_a_lut,) = found.into["$l[0]/A"]
    assert into_a_lut.wire and found.through(into_a_lut) == 1400
    way = found.way("b/DI")
    assert [arc.start for arc in way] == ["a/CLK", "a/Q", "$l[0]/A", "$l[0]/F"]
    assert timing.cell("$l[0]/F") == "$l[0]"


@pytest.mark.parametrize("seed", range(5))
def test_a_change_is_what_all_anew_would_be(seed: int) -> None:
    dice = random.Random(seed)
    print(f"seed {seed}")
    found = Timing()
    pins = [f"{'f' if pin < 5 else 'l'}{pin}/{'CLK' if pin < 5 else 'X'}" for pin in range(60)]
    for end in range(5, 60):
        for start in dice.sample(range(end), min(end, 3)):
            found.add(Arc(pins[start], pins[end], dice.randrange(1, 900), True))
    found.setup = {pin: float(dice.randrange(200)) for pin in pins[40:]}
    found.update()
    arcs = [arc for group in found.into.values() for arc in group]
    for _ in range(40):
        found.change([(arc, dice.randrange(1, 900)) for arc in dice.sample(arcs, 3)])
        arrival, tail = dict(found.arrival), dict(found.tail)
        found.update()
        assert (arrival, tail) == (found.arrival, found.tail)
