"""`verifytui audit`: asks a judge about items with and without probes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions.errors import Faults, bad_input
from ...texts import speaking, t
from .. import console, execution_options
from ..command import command
from ..flags import (
    PATH,
    flag_option,
    many_option,
    output_option,
    typed_option,
    whole_option,
    with_options,
    workshop,
)
from ..run_commands import NO_GATES, batch_of, refuse, run_batch

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.judges.audit import AuditPlan

_UNUSED: dict[str, Any] = {
    **NO_GATES,
    "skip_bad": False,
    "save": None,
    "no_save": False,
    "tui": False,
}
"""Options of other batches that an audit has no use for."""
OF_AUDIT = ("judge", "items", "only", "take", "into")
"""Options that `--again` takes from the audit."""


@command()
@click.argument("folder", required=False, type=PATH, metavar="[DIR]")
@click.option("--judge", metavar="ROLE=MODEL")
@typed_option("--items", PATH, "FILE")
@many_option("--only", "PROBE")
@whole_option("--take", 1)
@typed_option("--into", PATH, "DIR")
@flag_option("--again")
@execution_options.dry_run_option
@with_options(execution_options.LIMITS)
@execution_options.probe_option
@with_options(execution_options.OPTIONS_OF_MAKERS)
@execution_options.detach_option
@execution_options.commands_option
@output_option
def audit(folder: Path | None, **values: Any) -> int:
    from ...engines.judges import audit as audits
    from ...engines.method import judging_seats, method

    if values["again"] or folder is not None:
        if folder is None or not values["again"]:
            raise bad_input("wrong.audit.again")
        refuse(values, OF_AUDIT, t("wrong.audit.not_again"))
        plan = audits.plan_in(folder, judging_seats(), method)
        plan, values["into"] = audits.ask_again(plan, folder)
    elif values["judge"] is None:
        raise bad_input("wrong.audit.no_judge")
    else:
        plan = audits.plan_of(
            values["judge"],
            judging_seats(),
            method,
            values["items"],
            values["only"],
            values["take"],
        )
    if values["dry_run"] and values["into"] is None:
        values["into"] = Path()
    show = _show if folder is None else _show_again
    return run_batch(
        values | _UNUSED,
        plan.method.batches[plan.way.many],
        lambda faults: _batch(plan, values, faults),
        lambda into, as_json: show(plan, into, as_json=as_json),
    )


def _batch(plan: AuditPlan, values: dict[str, Any], faults: Faults) -> Batch:
    from dataclasses import replace

    from ...engines.method import method

    wishes, way = plan.wishes, plan.way
    made = batch_of(
        method(way.method),
        way.many,
        values | _UNUSED,
        wishes,
        plan.read(),
        [],
        workshop(many=True, faults=faults),
        [],
        **plan.told,
    )
    outside = plan.outside(made.tools.config)
    return replace(made, repeats=plan.repeats(), equivalence=outside)


def _show(plan: AuditPlan, folder: Path, *, as_json: bool) -> None:
    """Keeps and prints what the audit came to."""
    from ...engines.batches.results import made, write_page
    from ...engines.judges.audit import document_of, keep, probe_json, result_of
    from ...engines.reports.text import as_text

    result = result_of(plan, folder)
    keep(result, folder)
    title = folder.resolve().name
    with speaking("en" if as_json else None):
        document = document_of(result, title, made(folder))
        write_page(folder, document)
        if as_json:
            for one in result.probes:
                console.out_json(probe_json(one))
        else:
            console.out(as_text(document_of(result, title, listed=False)))


def _show_again(plan: AuditPlan, into: Path, *, as_json: bool) -> None:
    """Keeps and prints whether the model is as it was."""
    from ...engines.judges.audit import keep_again
    from ...engines.reports.audit import again_in_words

    said = keep_again(plan, into.parent, into)
    if said is None:
        console.tell("report.audit.again_missing")
    elif as_json:
        console.out_json(said)
    else:
        console.line(again_in_words(said))
