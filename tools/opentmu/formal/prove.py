# SPDX-License-Identifier: Apache-2.0
"""One run of SymbiYosys: a device, the checker around it, a depth; and broken devices."""

import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from opentmu import paths, toolchain
from opentmu.build import mutants
from opentmu.errors import CheckFailed
from opentmu.formal import design
from opentmu.process import run_into

CHECKERS = paths.ROOT / "tests" / "formal"
INCLUDED = ("list.sv", "rule.svh", "stand_ins.svh", "unit_carried.svh", "unit_names.svh")
ASSERTION = re.compile(r"^\s*(\w+)\s*:\s*(?:assert|`GUARANTEE|`DUTY)\b", re.MULTILINE)
LAW_OF_DELAY = "PlainDelay"
RUNS = paths.BUILD / "formal" / "runs"


@dataclass(frozen=True)
class Proof:
    """A checker module in tests/formal and the device that it instantiates as `dut`."""

    name: str
    checker: str
    top: str
    device: str
    defines: tuple[str, ...] = ()

    # Modules whose definition the checker brings itself.
    replaced: tuple[str, ...] = ()

    # The stage of the card that has the device; else it is in the preset.
    card: str = ""

    # The device against a plain delay of so many clocks.
    same_as_delay: int = 0

    # Modules that are plain delays of so many clocks; the checker may see their registers.
    delays: tuple[tuple[str, int], ...] = ()


def switched(proof: Proof, mutant: str) -> dict[str, str]:
    """The modules of a proof's device with a mutant on.

    Raises CheckFailed when the device does not have it.
    """
    texts = design.modules(design.ensure_mutants(proof.card), proof.device)
    switch = f"{mutants.PREFIX}{mutant}"
    if switch not in texts:
        raise CheckFailed(f"{proof.device}: found no mutant {mutant}, expected a switch for it")
    return texts | {switch: mutants.constant(mutant, on=True)}


def law_only(proof: Proof) -> Proof:
    """The proof without the assertions that only help the induction."""
    return replace(proof, name=f"{proof.name}-law", defines=(*proof.defines, "LAW"))


@dataclass(frozen=True)
class Result:
    """Verdict of SymbiYosys (PASS, FAIL, UNKNOWN), what failed first, and where its files are."""

    status: str
    failed: tuple[str, ...]
    seconds: float
    folder: Path

    def require(self, status: str) -> None:
        """Raise CheckFailed unless the run ended as it should."""
        if self.status != status:
            what = f"; failed: {', '.join(self.failed)}" if self.failed else ""
            raise CheckFailed(f"{self.folder}: found {self.status}, expected {status}{what}")


def run(proof: Proof, mode: str, depth: int, mutant: str = "", assertion: str = "") -> Result:
    """Run a proof: `bmc` looks at the first `depth` clocks, `prove` at all of them by induction.

    With `assertion` this one alone can fail: all others are left out.
    The folder of the run keeps the trace of a failure (trace.vcd).
    """
    toolchain.need_yosys()
    if mutant:
        texts = switched(proof, mutant)
    else:
        texts = design.modules(design.ensure(proof.card), proof.device)
    folder = RUNS / "-".join(one for one in (proof.name, mode, mutant, assertion) if one)
    folder.mkdir(parents=True, exist_ok=True)
    kept = {name: text for name, text in texts.items() if name not in proof.replaced}
    for name, clocks in proof.delays:
        kept[name] = design.delayed(texts[name], name, clocks)
    (folder / "device.sv").write_text("".join(kept.values()))
    (folder / "device.svh").write_text(design.device(kept, proof.device))
    plain = ""
    if proof.same_as_delay:
        with (folder / "device.sv").open("a") as file:
            file.write(design.delayed(texts[proof.device], LAW_OF_DELAY, proof.same_as_delay))
        plain = design.comparison(texts[proof.device], LAW_OF_DELAY)
    (folder / "same.svh").write_text(plain)
    for name in (*INCLUDED, proof.checker):
        (folder / name).write_text((CHECKERS / name).read_text())
    (folder / "proof.sby").write_text(_script(proof, mode, depth, assertion))
    start = time.monotonic()
    with (folder / "sby.log").open("w") as log:
        run_into(log, ["sby", "-f", "-d", "sby", "proof.sby"], cwd=folder)
    return _result(folder, time.monotonic() - start)


def _alone(proof: Proof, assertion: str) -> str:
    """Line of a script that leaves of all assertions this one of the checker."""
    names = ("list.sv", "stand_ins.svh", proof.checker)
    if assertion not in ASSERTION.findall("".join((CHECKERS / name).read_text() for name in names)):
        raise CheckFailed(f"found no assertion {assertion} in {proof.checker}, expected its label")
    return f"chformal -assert -remove c:* c:{assertion} c:*.{assertion} %u %d\n"


def _script(proof: Proof, mode: str, depth: int, assertion: str) -> str:
    defines = "".join(f" -D {name}" for name in proof.defines)
    kept = _alone(proof, assertion) if assertion else ""
    names = ("device.sv", "device.svh", "same.svh", *INCLUDED, proof.checker)
    return f"""[options]
mode {mode}
depth {depth}

[engines]
smtbmc z3

[script]
read_verilog -sv -formal{defines} device.sv list.sv {proof.checker}
prep -flatten -top {proof.top}
{kept}opt_clean -purge

[files]
{chr(10).join(names)}
"""


def _result(folder: Path, seconds: float) -> Result:
    log = (folder / "sby.log").read_text()
    status = re.search(r"DONE \((\w+), rc=\d+\)", log)
    if not status or status[1] in ("ERROR", "TIMEOUT"):
        raise CheckFailed(f"{folder}: SymbiYosys did not finish\n{log[-2000:]}")
    failed = re.findall(r"(?:failed assertion|Assert failed in) \S+?: (\S+)", log)
    return Result(status[1], tuple(dict.fromkeys(failed)), seconds, folder)
