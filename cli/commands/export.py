"""`export`: a session as Markdown, HTML, JSON lines or CSV; levels of relevance for
other tools.
"""

from __future__ import annotations

from pathlib import Path

import click

from ...sessions.errors import BadInput
from ...sessions.events import rated
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH


@command()
@click.argument("file", type=PATH, metavar="FILE|DIR")
@click.option(
    "--to",
    required=True,
    type=click.Choice(["md", "html", "jsonl", "csv", "qrels", "run"]),
)
@click.option("--rater", metavar="NAME")
@click.option(
    "--raters",
    multiple=True,
    metavar="NAME,…",
)
@click.option("--majority", is_flag=True)
@click.option("--gold", is_flag=True)
@click.option("--sum", "summed", is_flag=True)
@click.option("-o", "--out", "target", type=PATH, metavar="OUT")
def export(
    file: Path,
    to: str,
    rater: str | None,
    raters: tuple[str, ...],
    majority: bool,
    gold: bool,
    summed: bool,
    target: Path | None,
) -> int:
    """Write the session FILE as Markdown, HTML, JSON lines or CSV."""
    from ...sessions.files import write_whole

    text = _exported(
        file, to, rater, raters, {"majority": majority, "gold": gold, "sum": summed}
    )
    if target is None:
        console.out(text)
    elif target.exists():
        raise BadInput(t("wrong.export.exists", target=target))
    else:
        write_whole(target, text)
    return console.DONE


def _exported(
    file: Path,
    to: str,
    rater: str | None,
    raters: tuple[str, ...],
    rules: dict[str, bool],
) -> str:
    hows = [
        name for name, given in {"rater": rater is not None, **rules}.items() if given
    ]
    if len(hows) > 1:
        raise BadInput(
            t("wrong.command.exclude", first=f"--{hows[0]}", second=f"--{hows[1]}")
        )
    if hows and to in ("md", "html"):
        raise BadInput(t("wrong.export.rater", how=hows[0], to=to))
    if raters and (file.is_dir() or to not in ("md", "html")):
        raise BadInput(t("wrong.export.raters"))
    if file.is_dir() or to in ("qrels", "run") or hows:
        from ..labels_out import exported as labels_exported

        return labels_exported(file, to, hows[0] if hows else None, rater)
    from ...engines.blocks import export as exported
    from ...engines.method import method_of
    from ...sessions.journal import Journal
    from ...sessions.labels import LabelReader

    journal = Journal.open(file, write=False)
    if journal.torn:
        console.say(journal.torn)
    session = journal.session
    ratings = (
        method_of(session.header).ratings
        if to in ("md", "html") and rated(session.method)
        else None
    )
    if ratings is not None:
        reader = LabelReader(file)
        reader.look()
        session = ratings.with_labels(session, reader.people)
    return exported(session, to, raters)
