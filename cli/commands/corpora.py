"""`corpora`: the user's documents that can be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.paths import paths
from ...texts import t
from .. import console
from ..command import group
from ..flags import output_option

if TYPE_CHECKING:
    from ...engines.retrieval.corpus import Corpora


@group(invoke_without_command=True)
@output_option
@click.pass_context
def corpora(ctx: click.Context, output: str) -> int | None:
    """List corpora; or search or delete one with a sub-command."""
    return _list(output) if ctx.invoked_subcommand is None else None


@corpora.command(name="list")
@output_option
def list_(output: str) -> int:
    """List corpora, the bundled example first."""
    return _list(output)


@corpora.command()
@click.argument("name")
def delete(name: str) -> int:
    """Delete the corpus NAME. The documents it was made of stay."""
    _corpora().delete(name)
    return console.DONE


@corpora.command()
@click.argument("name", metavar="NAME|PATH")
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 1000), default=5, show_default=True, metavar="N")
@output_option
def search(name: str, query: str, k: int, output: str) -> int:
    """Print the passages of a corpus that fit QUERY best."""
    from msgspec import to_builtins

    from ...engines.retrieval.port import RetrievalError

    try:
        corpus = _corpora().open(name)
    except RetrievalError as error:
        raise BadInput(str(error)) from None
    try:
        found = corpus.search(query, k)
    finally:
        corpus.close()
    if found.unknown:
        console.say(t("report.said.unknown_words", names=", ".join(found.unknown)))
    if not found.references and found.message:
        console.say(found.message)
    for one in found.references:
        if output == "json":
            console.out_json(to_builtins(one))
        else:
            score = "" if one.score is None else f"  {one.score:.2f}"
            console.out(clean(f"[{one.n}] {one.title or one.id}{score}  {one.file or ''}".rstrip(), newlines=False) + "\n")
            console.out("".join(f"    {line}\n" for line in clean(one.text).splitlines()))
    return console.DONE


def _corpora() -> Corpora:
    from ...engines.retrieval.corpus import Corpora

    return Corpora(paths())


def _list(output: str) -> int:
    for one in _corpora().list():
        if output == "json":
            console.out_json({**one._asdict(), "path": str(one.path)})
        else:
            told = one.problem or t(
                "report.said.corpus", passages=one.passages, documents=one.documents, languages=one.languages, words=one.words
            )
            console.out(clean(f"{one.name}  {told}  {one.built[:16]}  {one.path}", newlines=False) + "\n")
    return console.DONE
