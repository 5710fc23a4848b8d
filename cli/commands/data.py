"""`data`: the public data sets of studies. Nothing is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...texts import t
from .. import console
from ..command import group
from ..flags import PATH, output_option

if TYPE_CHECKING:
    from ...engines.studies.catalogue import DataSet, DataSetContents

LONGEST = 100
"""Characters of a value of the first item."""
MOST = 10
"""Records that cannot be asked which are named."""


@group(invoke_without_command=True)
@output_option
@click.pass_context
def data(ctx: click.Context, output: str) -> int | None:
    """List the public data sets; or show or check one with a sub-command."""
    if ctx.invoked_subcommand is None:
        return _list(output)
    return None


@data.command(name="list")
@output_option
def list_(output: str) -> int:
    """List the data sets."""
    return _list(output)


@data.command()
@click.argument("name", metavar="SET")
@output_option
def show(name: str, output: str) -> int:
    """Print where a data set is, its licence, its files and how a study names it."""
    from ...engines.studies.catalogue import data_set

    found = data_set(name)
    if output == "json":
        console.out_json(found.as_json())
    else:
        _print(_about(found))
    return console.DONE


@data.command()
@click.argument("path", type=PATH)
@click.option("--adapter", metavar="NAME")
@output_option
def check(path: Path, adapter: str | None, output: str) -> int:
    """Read a file or folder as a study would, and print what is in it."""
    from ...engines.studies.catalogue import check as checked
    from ...engines.studies.catalogue import files_of

    files = [path] if adapter is not None else files_of(path)
    read, faults = 0, []
    for file in files:
        try:
            found = checked(file, adapter)
        except BadInput as error:
            faults.append(str(error))
            continue
        read += 1
        if output == "json":
            named = {"file": str(file)} if len(files) > 1 else {}
            console.out_json({**named, **found.as_json()})
        else:
            _print([*([""] if read > 1 else []), *_held(file, found)])
    if not read:
        raise BadInput("\n".join(faults))
    for fault in faults:
        console.say(fault)
    return console.DONE


def _list(output: str) -> int:
    from ...engines.studies.catalogue import data_sets

    sets = data_sets().values()
    if output == "json":
        for one in sets:
            console.out_json(one.as_json())
        return console.DONE
    names, counts = (
        max(len(one.name) for one in sets),
        max(len(_count(one.items)) for one in sets),
    )
    _print(
        [
            f"{one.name:{names}}  {_count(one.items):>{counts}}  {one.title}"
            for one in sets
        ]
    )
    return console.DONE


def _count(number: int | None) -> str:
    if number is None:
        return ""
    return f"{number:,}"


def _about(one: DataSet) -> list[str]:
    lines = [one.title, t(f"report.data.about_{one.name}"), ""]
    lines += [
        t("report.data.where", where=one.where),
        t("report.data.source", source=one.source),
        t("report.data.licence", licence=one.licence),
    ]
    if one.commit:
        lines.append(t("report.data.commit", commit=one.commit))
    lines += ["", t("report.data.files")]
    for file in one.files:
        told = (
            [t("report.data.counted", n=f"{file.items:,}")]
            if file.items is not None
            else []
        )
        told += [t("report.data.unusable", n=file.unusable)] if file.unusable else []
        told += [t("report.data.git", git=file.git)] if file.git else []
        lines.append(f"  {file.path}" + "".join(f"\n    {part}" for part in told))
    if not one.adapter:
        return [*lines, "", t("report.data.no_items")]
    named = (
        [Path(file.path).name for file in one.files]
        if one.adapter == "parallel"
        else Path(one.files[0].path).name
    )
    named_so = (
        "."
        if one.adapter == "lecard"
        else f"[{', '.join(named)}]"
        if isinstance(named, list)
        else named
    )
    return [
        *lines,
        "",
        t("report.data.in_a_study"),
        f"  items: {{adapter: {one.adapter}, file: {named_so}}}",
    ]


def _held(path: Path, found: DataSetContents) -> list[str]:
    lines = [
        t(
            "report.data.read",
            path=path,
            adapter=found.adapter,
            n=f"{found.items:,}",
            clusters=f"{found.clusters:,}",
        )
    ]
    for name in ("answered", "trapped", "referenced"):
        count = getattr(found, name)
        if count:
            lines.append(t(f"report.data.{name}", n=f"{count:,}"))
    if found.candidates is not None:
        lines.append(t("report.data.candidates", **found.candidates._asdict()))
    for level, one in found.levels.items():
        spread = {
            "mean": f"{one.mean:.2f}",
            "share": f"{one.share:.2%}",
            "median": f"{one.median:g}",
            "most": one.most,
            "least": one.least,
        }
        lines.append(t("report.data.level", level=level, n=f"{one.count:,}", **spread))
    if found.left_out:
        lines.append(t("report.data.left_out", n=f"{len(found.left_out):,}"))
        lines += [f"  {one}" for one in found.left_out[:MOST]]
        if len(found.left_out) > MOST:
            lines.append(t("report.data.more", n=f"{len(found.left_out) - MOST:,}"))
    if found.git:
        lines += [t("report.data.git", git=found.git), f"sha256 {found.sha256}"]
        lines.append(
            t("report.data.published", name=found.published)
            if found.published
            else t("report.data.not_published")
        )
    lines += ["", t("report.data.first")]
    return [
        *lines,
        *(f"  {name}: {_short(value)}" for name, value in found.first.items()),
    ]


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 1]}…"


def _print(lines: list[str]) -> None:
    console.out("".join(clean(line) + "\n" for line in lines))
