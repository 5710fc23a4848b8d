"""`corpora`: the user's documents that can be searched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ...sessions.clean import clean
from ...sessions.errors import BadInput, bad_input
from ...sessions.paths import paths
from ...texts import t
from .. import console
from ..command import group
from ..flags import choice_option, output_option, whole_option

if TYPE_CHECKING:
    from ...engines.retrieval.corpus import Corpora
    from ...engines.retrieval.open_corpus import OpenCorpus
    from ...engines.retrieval.port import PassageFilter, RetrievalResult
    from ...sessions.events import Reference


@group(invoke_without_command=True)
@output_option
@click.pass_context
def corpora(ctx: click.Context, output: str) -> int | None:
    """List corpora; or search or delete one with a sub-command."""
    if ctx.invoked_subcommand is None:
        return _list(output)
    return None


@corpora.command(name="list")
@output_option
def list_(output: str) -> int:
    """List corpora, the bundled example first."""
    return _list(output)


@corpora.command()
@click.argument("name")
@click.option("--drop", is_flag=True)
def delete(name: str, drop: bool) -> int:
    """Delete the corpus NAME. The documents it was made of stay."""
    address = next(
        (one.lives for one in _corpora().list(known=True) if one.name == name), ""
    )
    if drop and not address:
        raise bad_input("wrong.milvus.drop")
    if drop:
        _drop(name)
    _corpora().delete(name)
    if address:
        console.tell(
            "report.milvus.dropped" if drop else "report.milvus.stays",
            address=address,
        )
    return console.DONE


def _drop(name: str) -> None:
    """Removes the collection of a corpus. Raises: BadInput if that fails."""
    from ...engines.retrieval.plugin import plugin_of
    from ...engines.retrieval.port import as_bad_input

    with as_bad_input():
        plugin = plugin_of(name)
        if plugin is not None:
            plugin.drop(name, paths())


@corpora.command()
@click.argument("name", metavar="NAME|PATH")
@click.argument("query")
@whole_option("--k", 1, 1000, 5)
@click.option(
    "--search",
    "mode",
    type=click.Choice(["bm25", "dense", "hybrid"]),
    default="bm25",
    show_default=True,
)
@click.option("--where", default="", metavar="FILTER")
@choice_option("--duplicates", "one", "all")
@whole_option("--per-document", 0, 1000, 0)
@choice_option("--context", "passage", "neighbors", "section")
@whole_option("--context-tokens", 200, 200_000, 8000)
@output_option
def search(name: str, query: str, k: int, output: str, **wanted: Any) -> int:
    """Print the passages of a corpus that fit QUERY best."""
    from msgspec import to_builtins

    from ...engines.retrieval.port import (
        PassageFilter,
        RetrievalError,
        passed_over,
        places_in,
    )

    try:
        corpus = _corpora().open(name)
        try:
            found = _found(corpus, query, k, PassageFilter(**wanted))
        finally:
            corpus.close()
    except RetrievalError as error:
        if not error.asked:
            raise BadInput(str(error)) from None
        console.say(str(error))
        return console.FAILED
    if found.unknown:
        console.tell("report.said.unknown_words", names=", ".join(found.unknown))
    if not found.references and found.message:
        console.say(found.message)
    for one in found.references:
        if output == "json":
            console.out_json(to_builtins(one))
        else:
            figures = [
                *([f"{one.score:.2f}"] if one.score is not None else []),
                *_of_vectors(one),
            ]
            figures += [places_in(one.found_by)] if one.found_by else []
            line = "  ".join([f"[{one.n}] {one.title or one.id}", *figures, one.place])
            console.line(clean(line.rstrip(), newlines=False))
            console.out(
                "".join(f"    {line}\n" for line in clean(one.text).splitlines())
            )
    if left_out := passed_over(found.left_out):
        console.say(t("asked.comma").join(left_out))
    return console.DONE


def _found(
    corpus: OpenCorpus, query: str, k: int, wanted: PassageFilter
) -> RetrievalResult:
    if wanted.mode == "bm25":
        return corpus.search(query, k, wanted)
    from ...engines.models.config import load_config
    from ...engines.retrieval.embedding import embedder

    corpus.embedder = embedder(load_config(paths().config_file, os.environ), os.environ)
    return console.run(corpus.retrieve(query, k, wanted))


def _of_vectors(one: Reference) -> list[str]:
    if isinstance(one.dense_score, float):
        return [f"{t('rag.score_dense')} {one.dense_score:.3f}"]
    return []


def _corpora() -> Corpora:
    from ...engines.retrieval.corpus import Corpora

    return Corpora(paths())


def _list(output: str) -> int:
    from ...engines.retrieval.home import how_far

    for one in _corpora().list():
        if output == "json":
            building = one.building and one.building._asdict()
            dense = one.dense and {
                "model": one.dense.model,
                "answered": one.dense.answered,
                "size": one.dense.size,
            }
            console.out_json(
                {
                    **one._asdict(),
                    "path": str(one.path),
                    "building": building,
                    "dense": dense,
                }
            )
            continue
        told = one.problem or t(
            "report.said.corpus",
            passages=one.passages,
            documents=one.documents,
            languages=one.languages,
            tokenizer=one.words,
        )
        parts = [one.name, told, one.built[:16], one.lives or str(one.path)]
        if one.dense is not None:
            parts.insert(
                2,
                t(
                    "report.dense.whole"
                    if one.dense_whole
                    else "report.dense.incomplete",
                    model=one.dense.model,
                ),
            )
        if one.building is not None and not one.problem:
            parts.append(
                t("report.said.corpus_building", how_far=how_far(one.building))
            )
        console.line(clean("  ".join(filter(None, parts)), newlines=False))
    return console.DONE
