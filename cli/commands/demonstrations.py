"""`demonstrations`: the sets of judged cases that are before the case in hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput, bad_input
from ...sessions.paths import paths
from ...texts import t
from .. import console
from ..command import group
from ..flags import PATH, output_option

if TYPE_CHECKING:
    from ...prompts.demonstrations import LegalFact


@group(invoke_without_command=True)
@output_option
@click.pass_context
def demonstrations(ctx: click.Context, output: str) -> int | None:
    """List sets of demonstrations; or show or check one with a sub-command."""
    if ctx.invoked_subcommand is None:
        return _list(output)
    return None


@demonstrations.command(name="list")
@output_option
def list_(output: str) -> int:
    """List the sets: the built-in ones first, then your own."""
    return _list(output)


@demonstrations.command()
@click.argument("name", metavar="SET|PATH")
@output_option
def show(name: str, output: str) -> int:
    """Print a set: each group's query and candidates with facts, judgements and
    reasons.
    """
    from msgspec import to_builtins

    from ...prompts.demonstrations import load

    found = load(name, paths().demonstrations)
    if output == "json":
        for group in found.groups:
            console.out_json(to_builtins(group))
        return console.DONE
    console.line(
        clean(
            t(
                "report.said.demonstration_set",
                name=found.name,
                n=len(found.groups),
                language=found.about.language,
                law=found.about.law,
                note=found.about.note,
            )
        )
    )
    for group in found.groups:
        signed = (
            t("report.said.reviewed_by", reviewed_by=group.reviewed_by)
            if group.reviewed_by
            else t("report.said.not_reviewed")
        )
        console.out(
            f"\n{clean(group.id, newlines=False)} ({clean(signed, newlines=False)})\n"
        )
        for id_, case in group.cases():
            lines = [f"  {id_} {case.charge}".rstrip(), f"    {case.text}"]
            lines += [
                f"    M{number} {one.fact}"
                for number, one in enumerate(case.material, 1)
            ]
            lines += [
                f"    L{number} {_legal(one)}"
                for number, one in enumerate(case.legal, 1)
            ]
            console.out("".join(f"{clean(line, newlines=False)}\n" for line in lines))
            level = next((one for one in group.candidates if one is case), None)
            for kind in ("material", "legal") if level is not None else ():
                judged = level.judged(kind)  # type: ignore[union-attr]
                told = (
                    f"    {kind} facts "
                    f"{'relevant' if judged.relevant else 'not relevant'}: "
                    f"{judged.reason}"
                )
                console.out(f"{clean(told, newlines=False)}\n")
    return console.DONE


@demonstrations.command()
@click.argument("path", type=PATH, metavar="FILE|DIR|SET")
@click.option("--strict", is_flag=True)
@output_option
def check(path: Path, strict: bool, output: str) -> int:
    """Name every mistake and every doubt in a set of demonstrations.

    Exit code 2 if there is a mistake.
    """
    from ...engines.relevance.checks.checking import check as checked
    from ...prompts.demonstrations import find

    found = checked(find(path if path.exists() else str(path), paths().demonstrations))
    groups = found.demonstrations.groups
    reviewed = sum(group.reviewed_by is not None for group in groups)
    if output == "json":
        for mistake in found.mistakes:
            console.out_json({"kind": "mistake", "rule": "form", "text": mistake})
        for one in found.warnings:
            console.out_json({"kind": "warning", "rule": one.rule, "text": one.text})
        counts = {
            "mistakes": len(found.mistakes),
            "warnings": len(found.warnings),
            "drafts": found.drafts,
            "reviewed": reviewed,
        }
        console.out_json(
            {
                "kind": "set",
                "name": found.demonstrations.name,
                **found.balance.as_json(),
                **counts,
            }
        )
    else:
        lines = [
            *found.mistakes,
            *(
                t("report.said.demonstrations_warning", text=one.text)
                for one in found.warnings
            ),
        ]
        lines += (
            [t("report.said.demonstrations_drafts", names=", ".join(found.drafts))]
            if found.drafts
            else []
        )
        lines += found.balance.in_words()
        if not found.mistakes:
            lines.append(
                t(
                    "report.said.demonstrations_checked",
                    n=len(groups),
                    reviewed=reviewed,
                )
            )
        if found.warnings and not strict:
            lines.append(t("report.said.demonstrations_warned", n=len(found.warnings)))
        console.out("".join(clean(line, newlines=False) + "\n" for line in lines))
    wrong = len(found.mistakes) + (len(found.warnings) if strict else 0)
    if wrong:
        raise bad_input("wrong.demonstrations.count", path=path, n=wrong)
    return console.DONE


def _legal(fact: LegalFact) -> str:
    """A legal fact with what it rests on."""
    told = fact.fact + (f" [{', '.join(fact.rests_on)}]" if fact.rests_on else "")
    if fact.secondary:
        return t("report.said.secondary", fact=told)
    return told


def _list(output: str) -> int:
    from ...prompts.demonstrations import available, find, load

    places = paths()
    for name in available(places.demonstrations):
        path = find(name, places.demonstrations)
        try:
            found = load(name, places.demonstrations)
        except BadInput as error:
            console.say(str(error))
            continue
        counts = {
            "groups": len(found.groups),
            "reviewed": sum(group.reviewed_by is not None for group in found.groups),
        }
        if output == "json":
            about = {"language": found.about.language, "law": found.about.law}
            console.out_json({"name": name, **about, **counts, "path": str(path)})
        else:
            told = t(
                "report.said.demonstration_sets",
                groups=counts["groups"],
                reviewed=counts["reviewed"],
                language=found.about.language,
                law=found.about.law,
            )
            console.line(clean(f"{name}  {told}  {path}", newlines=False))
    return console.DONE
