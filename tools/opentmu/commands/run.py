# SPDX-License-Identifier: Apache-2.0
"""`tmu run`: replay traces through driver, device and RTL; check every verdict."""

from pathlib import Path
from typing import Any

import click

from opentmu import options, output, paths, presets
from opentmu.analysis import load
from opentmu.build import cbuild, rtl, verilate
from opentmu.errors import BadInput, CheckFailed
from opentmu.progress import warn
from opentmu.replay import demand, engine, report, waves
from opentmu.replay.engine import Options


def chosen_traces(given: tuple[Path, ...]) -> list[Path]:
    """The traces named, or all that are committed."""
    traces = list(given) or sorted(paths.TRACES.glob("*.trace.gz"))
    if not traces:
        raise BadInput(f"no --trace given and no *.trace.gz in {paths.TRACES}")
    return traces


def log_paths(traces: list[Path], verdicts: Path | None) -> list[Path | None]:
    """The file of each trace's verdict log: one file, or one file a trace in a folder."""
    if verdicts is None:
        return [None] * len(traces)
    if len(traces) == 1:
        if verdicts.is_dir():
            raise BadInput(f"--verdicts {verdicts}: found a folder, expected a file for one trace")
        output.check_writable("--verdicts", verdicts)
        _check_no_trace([verdicts], traces)
        return [verdicts]
    names = [_log_name(trace) for trace in traces]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadInput(f"--verdicts: two traces would write {twice[0]}; run them one at a time")
    if verdicts.exists() and not verdicts.is_dir():
        raise BadInput(
            f"--verdicts {verdicts}: found a file, expected a folder for {len(traces)} traces"
        )
    logs = [verdicts / name for name in names]
    _check_no_trace(logs, traces)
    verdicts.mkdir(parents=True, exist_ok=True)
    return [*logs]


def _check_no_trace(logs: list[Path], traces: list[Path]) -> None:
    """A log never replaces a trace that is replayed."""
    read = {trace.resolve() for trace in traces}
    for log in logs:
        if log.resolve() in read:
            raise BadInput(f"--verdicts {log}: found a trace of this run, expected another file")


def _log_name(trace: Path) -> str:
    return trace.name.removesuffix(".gz").removesuffix(".trace") + ".verdicts"


@click.command()
@click.option(
    "--trace",
    "traces",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Trace to replay, may be repeated; default: all in tests/traces.",
)
@options.engine(engine.ENGINES, "The hardware, the functional device, or a software engine alone.")
@presets.options()
@click.option(
    "--verdicts",
    type=click.Path(path_type=Path),
    help="Verdict log; a folder with one log a trace when there are several.",
)
@click.option(
    "--wave",
    type=click.Path(path_type=Path),
    help="FST wave of one trace, with savefiles (rtl only).",
)
@click.option("--pauses", type=click.IntRange(min=0), help="Seed of random pauses (rtl only).")
@click.option(
    "--quota", type=click.IntRange(min=1, max=2**20), help="Entries a queue of each endpoint."
)
@options.spill("the unit")
@click.option("--timed", is_flag=True, help="Keep the trace's times instead of full speed.")
@click.option("--clock-mhz", type=click.FloatRange(min=0, min_open=True), help="Clock for --timed.")
@click.option(
    "--refuse-endpoints",
    is_flag=True,
    help="Replay a trace with more endpoints than there are; operations at the others are refused.",
)
@options.as_json
def command(
    traces: tuple[Path, ...],
    verdicts: Path | None,
    wave: Path | None,
    as_json: bool,
    **settings: Any,
) -> int:
    """Replay traffic through driver, device and RTL; check every verdict.

    Each operation's verdict is compared with the C reference model's.
    A run that refused receives, or held messages back to its end, because the queues were full
    ends in exit code 1 unless --quota or --spill asked for limits.

    For example: tmu run --trace mine.trace.gz --preset tiny
    """
    asked = Options(**settings)
    check_options(asked, wave)
    chosen = chosen_traces(traces)
    if wave is not None and len(chosen) != 1:
        raise BadInput(f"--wave takes one trace, not {len(chosen)}; name it with --trace")
    logs = log_paths(chosen, verdicts)
    folder = cbuild.ensure()
    check_traces(asked, chosen, folder)
    lines = command_lines(asked, folder, list(zip(chosen, logs, strict=True)), wave)
    results = [
        engine.replay_with_progress(trace, words)
        for trace, words in zip(chosen, lines, strict=True)
    ]
    if wave is not None:
        explain_wave(wave, asked.preset, results[0].get("first_difference_clock"))
    for result in results:
        result["preset"] = asked.preset
    if as_json:
        output.print_json(results[0] if len(results) == 1 else {"runs": results})
    else:
        report.show(output.figures(), results)
    full = [text for result in results if (text := demand.unasked(result, asked)) is not None]
    for text in full:
        warn(text)
    good = not full and all(result["ok"] for result in results)
    return 0 if good else CheckFailed.exit_code


def command_lines(
    asked: Options, folder: Path, pairs: list[tuple[Path, Path | None]], wave: Path | None
) -> list[list[str]]:
    """The program that replays each trace into its log, built with the device if there is one."""
    if asked.engine in engine.SOFTWARE:
        program = cbuild.program(folder, engine.SOFTWARE_PROGRAM)
        return [engine.software_command(program, trace, asked, log) for trace, log in pairs]
    program = cbuild.program(folder, engine.PROGRAM)
    library = None
    if asked.engine == "rtl":
        library = verilate.library(asked.preset, wave=wave is not None)
    device = engine.uri(asked, library, wave)
    return [engine.command(program, device, trace, asked, log) for trace, log in pairs]


def explain_wave(wave: Path, preset: str, clock: Any) -> None:
    """Write what viewers load beside a waveform, and say how to open it at the first difference."""
    files = waves.write(wave, rtl.ensure(preset), clock)
    for sentence in waves.said(wave, clock, files):
        output.messages().print(sentence, markup=False, soft_wrap=True)


def check_traces(asked: Options, chosen: list[Path], folder: Path) -> None:
    """Refuse what the replay program would refuse as well, but only after a long RTL build."""
    read = [load.check(trace) for trace in chosen]
    if not asked.refuse_endpoints:
        has = presets.find(asked.preset).endpoints
        demand.check_endpoints(read, has, f"preset {asked.preset}")
    if presets.own(asked.preset):
        for trace in chosen:
            engine.check_fits(cbuild.program(folder, engine.PROGRAM), trace, asked.preset)


def check_options(asked: Options, wave: Path | None) -> None:
    """Refuse a preset that does not exist, and options that the engine does not have."""
    presets.check_replayable(asked.preset)
    if asked.engine != "rtl" and (wave is not None or asked.pauses is not None):
        name = "--wave" if wave is not None else "--pauses"
        raise BadInput(f"{name} needs the engine rtl, not {asked.engine}")
    if asked.engine in engine.SOFTWARE and (asked.timed or asked.clock_mhz is not None):
        name = "--timed" if asked.timed else "--clock-mhz"
        raise BadInput(f"{name} needs an engine with a device, rtl or model, not {asked.engine}")
    if asked.clock_mhz is not None and not asked.timed:
        raise BadInput("--clock-mhz: found it without --timed, expected both")
    if asked.engine in engine.SOFTWARE and asked.spill:
        raise BadInput(
            f"--spill {asked.spill} needs an engine with a device, rtl or model, not "
            f"{asked.engine}, whose queues have no limit; --spill 0 gives them the preset's"
        )
    engine.check_spill(asked.spill, asked.preset)
    engine.check_wave(wave)
    if wave is not None:
        output.check_writable("--wave", wave)
