"""`verifytui study`: conditions × items × repeats, measured and compared; `list`,
`show`, `check`, `measure`, `report`, `diff`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...sessions.errors import Faults, bad_input
from ...texts import speaking, t
from .. import again, console, execution_options
from ..command import CommandGroup
from ..flags import (
    PATH,
    choice_option,
    flag_option,
    into_option,
    many_option,
    output_option,
    typed_option,
    whole_option,
    with_options,
    without_warning_option,
    workshop,
)
from ..run_commands import check_usd, probe_all, said_of
from ..screen import typed

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ...engines.models.config import Config
    from ...engines.studies.plan import StudyPlan
    from ...engines.studies.study_runner import StudyRunner


WIDE = 140
"""Cells of a line where no terminal says how many there are."""


class StudyCommands(CommandGroup):
    """The sub-commands by name; any other word is a study that is to be run."""

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Studies by name, too."""
        from ..completion import studies_that_begin

        return super().shell_complete(ctx, incomplete) + studies_that_begin(incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return super().resolve_command(ctx, ["run", *args])


@click.group("study", cls=StudyCommands)
def study() -> None: ...


def _config() -> Config:
    return workshop().config


_data = typed_option("--data", PATH, "DIR|FILE")
_models = many_option("--model", "[ROLE=]MODEL")
_take = whole_option("--take", 1)
_corpus = click.option("--corpus", metavar="NAME|PATH")
_web = click.option("--web", metavar="NAME")


@study.command("run")
@click.argument("name", metavar="NAME|FILE")
@into_option
@many_option("--only", "CONDITION")
@_take
@_models
@_data
@_corpus
@_web
@execution_options.dry_run_option
@with_options(execution_options.LIMITS)
@execution_options.probe_option
@without_warning_option
@typed_option("--until-width", float, "X")
@with_options(execution_options.OPTIONS)
@output_option
def run(**values: Any) -> int:
    from ..progress import BatchProgress

    if values["dry_run"] and values["detach"]:
        raise bad_input("wrong.led.dry")
    asked = again.asked_now(_files_of(values), shows=True)
    receipt = again.finished(values["into"], asked)
    if receipt is not None and receipt.printed is not None:
        again.say_state(receipt)
        console.out(receipt.printed)
        return console.DONE
    running = _running(values)
    running.command_digest = asked
    if values["dry_run"]:
        return _dry_run(running, values["output"] == "json")
    running.prepare()
    for remark in running.remarks:
        console.say(remark)
    if values["probe"]:
        probe_all(running.asked(), running.starter.config)
    if values["detach"]:
        from ..detach import detach

        running.tools.close()
        return detach(values["into"], as_json=values["output"] == "json")
    try:
        status = console.run(running.run(BatchProgress()))
    except KeyboardInterrupt:
        _say_what_is_kept(running)
        raise
    printed = print_report(values["into"], values["output"])
    if status == "done":
        again.keep_printed(values["into"], asked, printed)
    if status == "stopped":
        _say_what_is_kept(running)
    if status == "budget":
        console.tell("report.said.budget")
    return console.code_of(status)


def _running(values: dict[str, Any]) -> StudyRunner:
    from ...engines.studies.manifest import as_begun
    from ...engines.studies.study_runner import StudyRunner
    from ..run_commands import tools_for

    part = execution_options.part_of(values)
    faults = Faults()
    starter = workshop(many=True, faults=faults)
    found = faults.of(lambda: _plan(values["name"], values, starter.config))
    if found is None:
        faults.refuse()
    assert found is not None
    plan = found
    if values["into"] is not None:
        plan = as_begun(plan, values["into"])
    _check_options(faults, values, plan, split=part is not None)
    width = values["until_width"]
    limits = execution_options.limits_of(
        values, plan.study.budget_tokens, plan.study.budget_usd
    )
    addresses = {one.wishes.address for one in plan.played} - {None}
    tools = tools_for(starter, alone=False, url=next(iter(addresses), None))
    options = {
        name: value
        for name, value in (
            ("model", list(values["model"])),
            ("take", values["take"]),
            ("source", _source(values["corpus"], values["web"])),
        )
        if value
    }
    into = values["into"] or Path()
    dealt = None
    if part is not None:
        limits = part.share(limits)
        plan, dealt = part.of_study(plan, limits, starter, tools, options)
    makers = execution_options.makers_of(values, tools)
    running = StudyRunner(
        plan,
        into,
        limits,
        starter,
        tools,
        values["only"],
        options,
        width,
        typed(),
        makers,
        dealt,
    )
    if faults.told:
        known = {one.name for one in plan.conditions}
        running.only = [name for name in values["only"] if name in known]
        faults.of(lambda: faults.add(*running.problems()))
    faults.refuse()
    return running


def _check_options(
    faults: Faults, values: dict[str, Any], plan: StudyPlan, *, split: bool
) -> None:
    """Check the options other than the line-up, and add any faults to `faults`."""
    if values["into"] is None and not values["dry_run"]:
        faults.add(t("wrong.study.into"))
    known = [one.name for one in plan.conditions]
    for name in values["only"]:
        if name not in known:
            names = ", ".join(known)
            faults.add(
                t("wrong.study.no_condition", key="--only", name=name, names=names)
            )
    faults.add(*_no_roles(values["model"], plan))
    faults.of(lambda: check_usd(values))
    width = values["until_width"]
    if width is not None and not 0 < width < float("inf"):
        faults.add(t("wrong.study.width"))
    elif width is not None and split:
        faults.add(t("wrong.shard.width"))
    elif width is not None and plan.first_inside is None:
        faults.add(t("wrong.study.width_outside"))
    addresses = {one.wishes.address for one in plan.played} - {None}
    if len(addresses) > 1:
        faults.add(t("wrong.command.addresses"))


def _no_roles(models: Sequence[str], plan: StudyPlan) -> list[str]:
    """A sentence for each `ROLE=MODEL` whose role no condition has."""
    from ...texts.closest import with_closest

    played = {one.made_by: one.method.roles for one in plan.played}
    roles = [*dict.fromkeys(role for listed in played.values() for role in listed)]
    told = []
    for role, equals, _ in (one.partition("=") for one in models):
        if equals and roles and role not in roles:
            said = {"method": ", ".join(played), "names": ", ".join(roles)}
            why = t("wrong.lineup.no_role", role=role, **said)
            told.append(with_closest(why, role, roles))
    return told


def _plan(name: str, values: dict[str, Any], config: Config) -> StudyPlan:
    from ...engines.method import method
    from ...engines.studies.opening import planned
    from ...engines.studies.study import find_study

    return planned(
        find_study(name, values["data"]),
        method,
        config,
        values["model"],
        values["take"],
        _source(values["corpus"], values["web"]),
    )


def _source(corpus: str | None, web: str | None) -> dict[str, object]:
    """Where the questions are to look; empty: as the study says. Raises: BadInput."""
    if corpus and web:
        raise bad_input("wrong.command.exclude_named", first="corpus", second="web")
    if web:
        return {"web": web, "web_pages": True}
    return {"corpus": corpus} if corpus else {}


def _dry_run(running: StudyRunner, as_json: bool) -> int:
    import asyncio
    import tempfile

    from ...engines.batches.estimate import together

    with tempfile.TemporaryDirectory() as folder, speaking("en" if as_json else None):
        if running.into == Path():
            running.into = Path(folder) / "study"
        found = asyncio.run(running.estimate())
        whole, shown = together(found.values()), running.detectable()
        note = running.makers.note(whole)
        if as_json:
            console.out_json(
                {
                    "conditions": {name: one.as_json() for name, one in found.items()},
                    "total": whole.as_json(),
                    "detectable": shown.as_json(),
                }
                | note.as_json
            )
            return said_of(running.problems())
        for name, one in found.items():
            console.out(f"{name}: {one.in_words()}\n")
        console.line(
            t(
                "report.study.dry_total",
                items=len(running.plan.items),
                conditions=len(found) + len(running.recorded),
            )
        )
        console.out(f"{whole.in_words()}\n{shown.in_words()}\n" + note.in_words)
        if running.plan.study.where:
            console.line(t("report.study.dry_where"))
        return said_of(running.problems())


def _say_what_is_kept(running: StudyRunner) -> None:
    console.tell("report.study.kept", folder=running.into)
    console.tell("batch.go_on", command=running.command)


def _files_of(values: dict[str, Any]) -> list[Path]:
    """The files that a study's own file names: items, recorded runs, rankings."""
    import yaml

    from ...engines.studies.study import find_study

    found = find_study(values["name"], values["data"])
    named = [*again.texts_in(yaml.safe_load(found.text)), *found.items.files]
    paths = [place / name for name in named for place in (found.folder, Path())]
    return [path for path in dict.fromkeys(paths) if os.path.lexists(path)]


def print_report(folder: Path, output: str) -> str:
    """Prints the report of a study's folder as text, or as one JSON object; returns
    what was printed."""
    from ...engines.method import method
    from ...engines.studies.forms import FORMS
    from ...engines.studies.opening import reported
    from ...sessions.clean import json_line

    report = reported(folder, method, _config())
    text = FORMS["text"](report, _width())
    if output == "json":
        text = json_line(report.as_json())
    console.out(text)
    return text


def _width() -> int:
    """The cells of a line: those of the terminal, else enough for most tables."""
    import shutil
    import sys

    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    return WIDE


@study.command("list")
@output_option
def list_(output: str) -> int:
    from ...engines.studies.study import builtin_names, find_study

    for name in builtin_names():
        found = find_study(name)
        if output == "json":
            console.out_json(
                {"name": name, "title": found.title, "paper": found.paper.source}
            )
        else:
            console.out(f"{name:14}  {found.title}\n")
    return console.DONE


@study.command("show")
@click.argument("name", metavar="NAME|FILE")
def show(name: str) -> int:
    from ...engines.studies.study import find_study
    from ...sessions.clean import clean

    console.out(clean(find_study(name).text))
    return console.DONE


@study.command("check")
@click.argument("file", metavar="NAME|FILE")
@_take
@_models
@_data
@_corpus
@_web
def check(file: str, **values: Any) -> int:
    from ...engines.batches.state import Limits
    from ...engines.studies.batches import batch_of
    from ...engines.studies.conditions import PlayedCondition
    from ...engines.studies.rankings import check as check_rankings
    from ...engines.studies.study_runner import StudyRunner
    from ..run_commands import tools_for

    starter = workshop(many=True, runs=False)
    plan = _plan(file, values, starter.config)
    tools = tools_for(starter, alone=False)
    for remark in (*check_rankings(plan, plan.recorded, Path()), *plan.remarks):
        console.say(remark)
    for condition in plan.conditions:
        if isinstance(condition, PlayedCondition):
            lines = batch_of(plan, condition, starter, tools).lines
            told = t(
                "report.study.check_condition",
                name=condition.name,
                method=condition.made_by,
                n=len(lines),
            )
        else:
            told = t("report.study.check_run", name=condition.name, n=len(plan.items))
        dropped = (
            t("report.study.check_dropped", options=", ".join(condition.dropped))
            if condition.dropped
            else ""
        )
        console.out(told + dropped + "\n")
        missing = [
            name for name in plan.quality if plan.measure(name, condition) is None
        ]
        if missing:
            console.out(
                "  " + t("report.study.check_missing", names=", ".join(missing)) + "\n"
            )
    clusters = len({item.cluster for item in plan.items})
    counts = {
        "items": len(plan.items),
        "clusters": clusters,
        "repeats": plan.study.repeats,
        "conditions": len(plan.conditions),
    }
    console.line(t("report.study.of", **counts))
    running = StudyRunner(plan, Path(os.devnull) / "study", Limits(), starter, tools)
    return said_of(running.missing())


@study.command("measure")
@click.argument("folder", type=PATH, metavar="DIR")
@flag_option("--commands")
@execution_options.commands_option
@flag_option("--allow-different")
@output_option
def measure(
    folder: Path,
    commands: bool,
    allow_commands: bool,
    allow_different: bool,
    output: str,
) -> int:
    from ...engines.method import method, recomputed_result
    from ...engines.studies.again import measure_again
    from ...engines.studies.opening import begun

    config = workshop(many=True).config
    plan = begun(folder, method, config)
    made = console.run(
        measure_again(
            plan,
            folder,
            config,
            console.say,
            recomputed=recomputed_result,
            commands=commands,
            allow_different=allow_different,
        )
    )
    if output == "json":
        console.out_json({"measurements": made, "measures": plan.measures})
    else:
        console.line(t("report.study.measured", n=made, folder=folder))
    return console.DONE


@study.command("report")
@click.argument("folder", type=PATH, metavar="DIR")
@choice_option(
    "--to", "text", "md", "html", "csv", "latex", "svg", "png", "pdf", "json"
)
@click.option("-o", "--out", type=PATH, metavar="OUT")
@with_options(execution_options.CERTIFICATES)
def report(
    folder: Path,
    to: str,
    out: Path | None,
    require_certified: bool,
    certificate: tuple[Path, ...],
) -> int:
    from ...engines.figures.gates import uncertified
    from ...engines.method import method
    from ...engines.studies.forms import FORMS
    from ...engines.studies.opening import reported
    from ...engines.studies.plots import files
    from ...sessions.clean import json_line
    from ...sessions.files import write_whole

    picture = next((form for form in files.FORMS if form == to), None)
    if picture is not None and out is None:
        raise bad_input("wrong.study.picture_out", form=to)
    with speaking("en" if to == "json" else None):
        found = reported(folder, method, _config(), certificate)
        wide = {"width": _width()} if to == "text" and out is None else {}
        if picture is not None:
            content: str | bytes = (
                files.drawn(found.plots, picture) if found.plots else ""
            )
        else:
            content = (
                json_line(found.as_json()) if to == "json" else FORMS[to](found, **wide)
            )
    if not content:
        raise bad_input("wrong.study.no_plot")
    if out is not None:
        write_whole(out, content)
    elif isinstance(content, str):
        console.out(content)
    failed = False
    for name, judges in found.judges.items() if require_certified else ():
        for sentence in uncertified(judges, ()):
            console.say(f"{name}: {sentence}")
            failed = True
    return console.FAILED if failed else console.DONE


@study.command("diff")
@click.argument("folder", type=PATH, metavar="DIR")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--measure", "measures", multiple=True, metavar="M")
@output_option
def diff(
    folder: Path, first: str, second: str, measures: tuple[str, ...], output: str
) -> int:
    from ...engines.method import method
    from ...engines.studies.flips import flips_in_words, flips_of
    from ...engines.studies.opening import reported
    from ...engines.studies.scores import read_scores

    found = flips_of(
        reported(folder, method, _config()),
        read_scores(folder),
        first,
        second,
        measures,
    )
    if output == "json":
        for one in found:
            ups, downs = one.flips
            console.out_json(
                {
                    **one.as_json(),
                    "a_condition": first,
                    "b_condition": second,
                    "better_items": ups,
                    "worse_items": downs,
                }
            )
    else:
        console.out(flips_in_words(found, first, second, folder))
    return console.DONE
