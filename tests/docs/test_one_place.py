# SPDX-License-Identifier: Apache-2.0
"""One change, one place: the files that name a field of the key, or a discovery register.

Likewise the seed of Python's tests, and what all AXI bursts have in common.

CONTRIBUTING counts the files that a new one touches; what carries a key or a discovery block does
so as a whole, by generated tables, and a file that names a single field is listed here or refused.
"""

import re
import subprocess

from opentmu import paths
from opentmu.testing.house import GENERATED

# A new field is written into these.
KEY_LISTS = {
    "hw/src/tmu/layout/KeyLayout.scala",
    "sim/engines/engine_key.h",
    "sim/engines/fuzzy_queue.h",
    "sim/law/tmu_model.c",
    "sim/law/tmu_model.h",
    "sim/law/tmu_trace.h",
    "sim/law/trace_line.c",
}
# MPI's wildcards, the fields of Ultra Ethernet, and operations that are drawn: a new field is 0
# there, and nothing is changed.
KEY_VALUES = {
    "examples/cocotb/bench_own.py",
    "sim/campaigns/isolation/attack.c",
    "sim/campaigns/isolation/victim.c",
    "sim/campaigns/soak/owner.c",
    "sim/campaigns/soak/traffic.c",
    "sim/device/card/unit_recorder.cpp",
    "sim/endpoint/target_bench.c",
    "sim/endpoint/traffic.c",
    "sim/endpoint/traffic_class.c",
    "sim/endpoint/traffic_class.h",
    "sim/endpoint/uet_arrival.c",
    "sim/endpoint/uet_node.h",
    "sim/engines/bench_workload.c",
    "sim/law/unit_record.c",
    "sim/run/dump.c",
    "sim/run/fit.c",
    "sim/run/workload.c",
    "sim/unit/random_traffic.cpp",
    "sim/unit/traffic.cpp",
    "sim/wire/law/wire_arrival.c",
    "sim/wire/law/wire_model.h",
    "sw-driver/core/tmu_filter.c",
    "sw-driver/core/tmu_key.c",
    "sw-driver/include/tmu/tmu_filter.h",
    "sw-driver/provider/card_transfer.c",
    "sw-driver/provider/journal.c",
    "sw-driver/provider/receive.c",
    "tools/opentmu/analysis/statistics.py",
    "tools/opentmu/bench/campaigns.py",
    "tools/opentmu/bench/card_law.py",
    "tools/opentmu/bench/coverage.py",
    "tools/opentmu/bench/traffic.py",
    "tools/opentmu/model.py",
    "tools/opentmu/trace.py",
    "tools/opentmu/wire_model_abi.py",
}
# These ask for a register by itself: the functional device's own values, and what the kernel module
# and the simulated card need before discovery.
DISCOVERY = {
    "sim/pci/device.cpp",
    "sim/functional/ref_registers.c",
    "sw-driver/kernel/tmu_main.c",
}
SOURCES = ("*.scala", "*.c", "*.h", "*.cpp", "*.py")
MOST_KEY_FILES = 10


def having(pattern: str, *files: str) -> set[str]:
    """Files of these that have a word of this pattern."""
    command = ["git", "grep", "-lwE", pattern, "--", *files]
    listed = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


def naming(pattern: str) -> set[str]:
    """Hand-written sources without tests that have a word of this pattern."""
    tests = re.compile(r"^tests/|^hw/test/|/tests?/")
    return {f for f in having(pattern, *SOURCES) if not tests.search(f)} - GENERATED


def test_the_files_that_name_a_field_of_the_key() -> None:
    """More would have to be changed for another one: carry a key by TMU_KEY_TABLE or regs.KEY."""
    assert naming("source_ignore") == KEY_LISTS | KEY_VALUES


def test_a_new_field_of_the_key_touches_few_files() -> None:
    """With both pages of rules and formats, and one for where completions have room."""
    assert len(KEY_LISTS) + 3 <= MOST_KEY_FILES


def test_the_files_that_name_a_discovery_register() -> None:
    """Others go through TMU_DISCOVERY_TABLE."""
    header = (paths.ROOT / "sw-driver" / "include" / "tmu" / "tmu_regs.h").read_text()
    table = header.partition("TMU_DISCOVERY_TABLE(X)")[2].partition("*/")[0]
    names = re.findall(r"TMU_REG_\w+", table)
    assert "TMU_REG_TAG_BITS" in names
    assert naming("|".join(names)) == DISCOVERY


def test_the_seed_of_a_test_is_read_and_printed_in_one_place() -> None:
    read = having(r"environ.*(TMU_SEED|VARIABLE)\b.*|\w+\} replays this run", "*.py")
    assert read - {"tests/docs/test_one_place.py"} == {
        "tools/opentmu/bench/seed.py",
        "tools/opentmu/bench/simulate.py",  # a simulation with its log
        "tools/opentmu/commands/test.py",  # the one of a whole run
    }


def test_the_attributes_of_axi_bursts_are_driven_in_one_place() -> None:
    assert having(r"a[wr](lock|cache|prot) :=.*", "hw/src") == {"hw/src/tmu/bus/AxiBundles.scala"}
