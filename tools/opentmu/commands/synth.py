# SPDX-License-Identifier: Apache-2.0
"""`tmu synth`: resources and clock of a preset through Yosys and nextpnr."""

import click

from opentmu import options, output, presets
from opentmu.errors import BadInput, CheckFailed
from opentmu.synth import card, flow, lanes, report
from opentmu.synth.pnr import Settings

SEED = 1
LIMIT_S = 5400.0
CARD = f"{__name__}.card"


def wanted(preset: str | None, family: str | None) -> list[tuple[str, str]]:
    """The presets and families that are asked for; BadInput for a preset that does not exist."""
    if preset is None:
        if family is None:
            return list(flow.DEFAULT_RUNS)
        return [run for run in flow.DEFAULT_RUNS if run[1] == family]
    if presets.check(preset) == presets.PROOFS_ONLY:
        others = ", ".join(name for name in presets.names() if name != preset)
        raise BadInput(
            f"preset {preset!r} has narrow keys, for proofs only, and does not fit the wrappers; "
            f"use one of {others}"
        )
    usual = dict(flow.DEFAULT_RUNS).get(preset, "ecp5")
    return [(preset, family or usual)]


@click.command()
@presets.options(None, "Configuration; default: nic for xcup and ecp5 for ecp5.")
@click.option(
    "--family",
    type=click.Choice(flow.FAMILIES),
    help="FPGA family; default: xcup for nic, ecp5 for the others.",
)
@click.option("--route", is_flag=True, help="On ecp5, place and route as well, for a clock.")
@click.option(
    "--seed",
    default=SEED,
    show_default=True,
    type=click.IntRange(min=1),
    help="Seed of the placer of --route.",
)
@click.option(
    "--timeout",
    default=LIMIT_S,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Most seconds that one run of a tool may take.",
)
@click.option(
    "--area-per-lane",
    "folders",
    multiple=True,
    metavar="TOP:LANES:FOLDER",
    help="LUT and flip-flops a lane of a module elaborated into FOLDER; may be repeated.",
)
@click.option("--lanes", "kinds", is_flag=True, help="The same for every kind of lane there is.")
@click.option(
    "--card",
    is_flag=True,
    expose_value=False,
    callback=lambda context, option, value: context.meta.update({CARD: value}),
    help="What a card takes beside its unit, each module by itself, on xcup.",
)
@options.as_json
def command(
    preset: str | None,
    family: str | None,
    route: bool,
    seed: int,
    timeout: float,
    folders: tuple[str, ...],
    kinds: bool,
    as_json: bool,
) -> int:
    """Report what a preset takes on an FPGA.

    On ecp5 with --route the clock is that of the routed design; on xcup it is an estimate from the
    LUTs in a row. Without --preset: nic on xcup and ecp5 on ecp5.

    For example: tmu synth --preset tiny --family xcup
    """
    settings = Settings(seed=seed, timeout=timeout, route=route)
    if click.get_current_context().meta[CARD]:
        return _card(preset or presets.WHOLE, settings, as_json)
    if folders or kinds:
        options.refuse(
            "lanes take only --family, --timeout and --json beside them",
            ("--area-per-lane", "--lanes", "--family", "--timeout"),
        )
        asked = [lanes.parse(text) for text in folders]
        asked += lanes.all_kinds() if kinds else []
        rows = [lanes.measure(one, family or "xcup", settings) for one in asked]
        if as_json:
            output.print_json({"lanes": rows})
        else:
            lanes.show(output.figures(), rows)
        return 0
    runs = wanted(preset, family)
    mapping = ("--preset", "--config", "--family", "--timeout")
    if all(kind != "ecp5" for _, kind in runs):
        options.refuse("placing and routing is for --family ecp5", mapping)
    if not route:
        options.refuse("--seed is for --route", mapping)
    results = [flow.report(name, kind, settings) for name, kind in runs]
    if as_json:
        output.print_json(results[0] if len(results) == 1 else {"runs": results})
    else:
        report.show(output.figures(), results)
    return CheckFailed.exit_code if any(one["problem"] for one in results) else 0


def _card(preset: str, settings: Settings, as_json: bool) -> int:
    options.refuse(
        "a card takes only a configuration, --timeout and --json beside it",
        ("--card", "--preset", "--config", "--timeout"),
    )
    rows = card.measure(presets.check(preset), "xcup", settings)
    if as_json:
        output.print_json({"preset": preset, "modules": rows})
    else:
        card.show(output.figures(), rows)
    return 0
