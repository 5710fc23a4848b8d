"""`export`: a session as Markdown, HTML, JSON lines or CSV; levels of relevance for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from ...sessions.errors import BadInput
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH


@command()
@click.argument("file", type=PATH, metavar="FILE|DIR")
@click.option("--to", required=True, type=click.Choice(["md", "html", "jsonl", "csv", "qrels", "run"]))
@click.option("--rater", metavar="NAME")
@click.option(
    "--raters",
    multiple=True,
    metavar="NAME,…",
)
@click.option("-o", "--out", "target", type=PATH, metavar="OUT")
def export(file: Path, to: str, rater: str | None, raters: tuple[str, ...], target: Path | None) -> int:
    """Write the session FILE as Markdown, HTML, JSON lines or CSV."""
    from ...sessions.files import write_whole

    text = _exported(file, to, rater, raters)
    if target is None:
        console.out(text)
    elif target.exists():
        raise BadInput(t("wrong.export.exists", target=target))
    else:
        write_whole(target, text)
    return console.DONE


def _exported(file: Path, to: str, rater: str | None, raters: tuple[str, ...]) -> str:
    if rater is not None and to not in ("qrels", "run"):
        raise BadInput(t("wrong.export.rater", to=to))
    if raters and (file.is_dir() or to not in ("md", "html")):
        raise BadInput(t("wrong.export.raters"))
    if file.is_dir() or to in ("qrels", "run"):
        from ..labels_out import exported as labels_exported

        return labels_exported(file, to, rater)
    from ...engines.blocks import export as exported
    from ...sessions.journal import Journal

    journal = Journal.open(file, write=False)
    if journal.torn:
        console.say(journal.torn)
    return exported(journal.session, to, raters)
