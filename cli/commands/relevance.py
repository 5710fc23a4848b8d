"""`verifytui relevance`: legal cases judged in stages: one query with its candidates, or many pairs. `verifytui label`: by a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...engines.relevance.settings import SETTINGS
from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.events import rated
from .. import console, flags, running
from ..screen import interface, open_app

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.relevance.importers.cases import Case
    from ...engines.relevance.pairs import Labels, PairLine
    from ...engines.starting import Starter, Wishes

LONGEST_NAME = 80


@click.command()
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="")
@click.option(
    "--query", type=click.Path(path_type=Path), metavar="FILE[#ID]", help="The query: .txt .docx .md .pdf, or JSON as LeCaRD has it."
)
@click.option(
    "--candidates",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE|DIR…",
    help="Its candidates: files, folders or zips of cases.",
)
@click.option("--example", is_flag=True, help="The bundled query with its candidates.")
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help='Batch: a line is {"id", "query", "candidate"}, may have a "label", and any option of its own.',
)
@click.option(
    "--labels", type=click.Path(path_type=Path), metavar="FILE", help="Known levels: qrels, LeCaRD's JSON, JSON lines or a table."
)
@flags.option_flags(SETTINGS)
@click.option("--repeats", type=click.IntRange(1, 1000), metavar="R", help="Batch: every pair so many times, at each temperature.")
@click.option("--temperatures", metavar="T,…", help="Batch: every pair at each of these, such as 0,.3,.7,1.")
@running.one_option
@running.both_options
@running.batch_options
def relevance(more: tuple[Path, ...], **values: Any) -> int:
    """Judge the relevance of candidate cases to a query case, in stages: facts, judgements, a score from 0 to 3 with reasons.

    Without --model the built-in lexical judges, which is no language model: it compares words. The example has facts and judgements that
    were written by hand: without --model the built-in script says them.
    """
    from ...engines.relevance.method import METHOD

    interface(values["lang"])
    wishes = flags.wishes_of(SETTINGS, values)
    paths = (*values["candidates"], *more)
    _one_source(values, paths)
    if values["pairs"] is not None or values["into"] is not None:
        return running.run_batch(values, METHOD.batches["pairs"], lambda: _batch(values, wishes, paths))
    running.refuse(
        values, (*running.OF_A_BATCH, "repeats", "temperatures"), "belongs to a batch; name a folder for its sessions with --into DIR."
    )
    running.check_save(values)
    from ...engines.method import begin

    starter = flags.workshop(attended=values["tui"])
    query, candidates = _cases(values, paths, wishes, starter)
    header = begin(_about(wishes, query, candidates).about(bundled=values["example"]), starter)
    _remark(query, starter, wishes)
    if values["tui"]:
        return running.in_app(header, values)
    tools = running.tools_for(starter)
    METHOD.open(header, tools)
    return running.run_one(header, starter, tools, values)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE|DIR")
@click.option("--annotator", required=True, metavar="NAME", help="Who labels: the name that stands by every label.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the interface.")
@click.option("--theme", metavar="NAME", help="Colours of the app.")
def label(file: Path, annotator: str, lang: str | None, theme: str | None) -> int:
    """Open a session of relevance, or a folder of them, in the app to label its candidates."""
    from ...sessions.journal import Journal

    interface(lang, theme)
    name = " ".join(annotator.split())
    if not name or len(name) > LONGEST_NAME or clean(name, newlines=False) != name or not name.isprintable():
        raise BadInput(
            f"“{clean(annotator, newlines=False)[:60]}” cannot be an annotator's name; give one of up to {LONGEST_NAME} letters."
        )
    if not file.is_dir():
        with Journal.open(file, write=False) as journal:
            if not rated(journal.session.method):
                raise BadInput(f"{file} is a session of {journal.session.workspace}, which has nothing to label; name one of relevance.")
    return open_app(file, annotator=name)


def _one_source(values: dict[str, Any], paths: tuple[Path, ...]) -> None:
    given = [f"--{name}" for name in ("query", "pairs", "example") if values[name]]
    if len(given) > 1:
        raise BadInput(f"{given[0]} and {given[1]} exclude each other; give one of them.")
    if not given:
        raise BadInput("There is nothing to judge; give --query FILE --candidates FILE|DIR…, --pairs FILE.jsonl --into DIR, or --example.")
    if values["query"] is None and paths:
        raise BadInput(f"{given[0]} takes no candidates ({paths[0]}); they go with --query FILE.")
    if values["query"] is not None and not paths:
        raise BadInput("There are no candidates; name files, folders or zips of cases with --candidates.")


def _cases(values: dict[str, Any], paths: tuple[Path, ...], wishes: Wishes, starter: Starter) -> tuple[Case, list[tuple[Case, int | None]]]:
    """A query, and its candidates with the levels that are known. The example is that of the set of demonstrations."""
    from ...engines.relevance.importers.cases import Case, case_of, read_candidates, read_query

    if values["example"]:
        from ...engines.relevance.example import example_of
        from ...engines.relevance.starting import shape_of

        asked, listed = example_of(shape_of(wishes, starter).demonstrations)
        known = [(case_of(one, "the example"), one.get("gold")) for one in listed]
        query = case_of(asked, "the example")
    else:
        query = read_query(values["query"])
        known = [(one, None) for one in read_candidates(paths, query.id)]
    labels = _labels(values, [(query.id, one.id) for one, _ in known])
    return Case(*query), [(one, labels.get((query.id, one.id), gold)) for one, gold in known]


def _labels(values: dict[str, Any], pairs: list[tuple[str, str]]) -> Labels:
    """The levels of `--labels`. BadInput if none is for these pairs; a word on stderr where some pairs have none."""
    if values["labels"] is None:
        return {}
    from ...engines.relevance.importers.labels import read_labels

    found = read_labels(values["labels"])
    wanted = set(pairs)
    known = sum(pair in found for pair in wanted)
    if not known:
        raise BadInput(
            f"{values['labels']} has no level for any of these pairs, such as {' and '.join(pairs[0])}; are the ids of one kind?"
        )
    if known < len(wanted):
        console.say(f"{len(wanted) - known} of {len(wanted)} pairs have no level in {values['labels']}.")
    return found


def _about(wishes: Wishes, query: Case, candidates: Sequence[tuple[Case, int | None]]) -> Wishes:
    """The wishes for a query and its candidates, each with its level if that is known."""
    listed = [case.as_json() | ({} if gold is None else {"gold": gold}) for case, gold in candidates]
    return wishes.about(query=query.as_json(), candidates=listed)


def _remark(query: Case, starter: Starter, wishes: Wishes) -> None:
    from ...engines.relevance.starting import remark_on_language, shape_of

    remark = remark_on_language(query.text, shape_of(wishes, starter).demonstrations)
    if remark is not None:
        console.say(remark)


def _temperatures(text: str | None) -> tuple[float, ...]:
    """`0,.3,.7,1` as temperatures, each once. Raises: BadInput."""
    if text is None:
        return ()
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or len(set(numbers)) < len(numbers) or not all(0 <= number <= 2 for number in numbers):
        raise BadInput("--temperatures takes different numbers from 0 to 2 with commas between, such as 0,.3,.7,1.")
    return numbers


def _lines(values: dict[str, Any], wishes: Wishes, paths: tuple[Path, ...], starter: Starter) -> list[PairLine]:
    """The pairs of a batch with the levels that are known. BadInput."""
    from ...engines.relevance.importers.cases import Candidates, read_queries, read_query
    from ...engines.relevance.pairs import Runs, labelled, pairs_of, read_pairs

    runs = Runs(_temperatures(values["temperatures"]), values["repeats"] or 1)
    if values["pairs"] is not None:
        lines = read_pairs(values["pairs"], wishes, runs)
    elif values["example"]:
        query, known = _cases(values, paths, wishes, starter)
        lines = pairs_of([(query, [one for one, _ in known])], wishes, runs, "the example")
        lines = labelled(lines, {(query.id, one.id): gold for one, gold in known if gold is not None})
    else:
        file = values["query"]
        queries = read_queries(file) if file.exists() else [read_query(file)]
        found = Candidates(paths)
        lines = pairs_of(((query, found.of(query.id)) for query in queries), wishes, runs, str(file))
    return labelled(lines, _labels(values, [(line.pair.query.id, line.pair.candidate.id) for line in lines]))


def _batch(values: dict[str, Any], wishes: Wishes, paths: tuple[Path, ...]) -> Batch:
    from ...engines.batches.batch import Batch, headers_of
    from ...engines.relevance.method import METHOD

    starter = flags.workshop(many=True)
    lines = _lines(values, wishes, paths, starter)

    headers = headers_of(lines, lambda wanted: METHOD.begin(wanted, starter))
    _remark(lines[0].pair.query, starter, lines[0].wishes)
    told = wishes.given() | {name: values[name] for name in ("temperatures", "repeats") if values[name] is not None}
    return Batch(METHOD.batches["pairs"], lines, headers, told, METHOD, running.tools_for(starter, alone=False))
