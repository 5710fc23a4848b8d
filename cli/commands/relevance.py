"""`verifytui relevance`: legal cases judged in stages: one query with its candidates, or many pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...engines.relevance.settings import SETTINGS
from ...sessions.errors import BadInput
from ...texts import t
from .. import console, running
from ..command import command
from ..flags import PATH, events_option, option_flags, wishes_of, workshop

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.relevance.importers.cases import Case
    from ...engines.relevance.pairs import Labels, PairLine
    from ...engines.starting import Starter, Wishes


@command()
@click.argument("more", nargs=-1, type=PATH, metavar="")
@click.option("--query", type=PATH, metavar="FILE[#ID]")
@click.option("--candidates", multiple=True, type=PATH, metavar="FILE|DIR…")
@click.option("--example", is_flag=True)
@click.option("--pairs", type=PATH, metavar="FILE.jsonl")
@click.option("--labels", type=PATH, metavar="FILE")
@option_flags(SETTINGS)
@click.option("--repeats", type=click.IntRange(1, 1000), metavar="R")
@click.option("--temperatures", metavar="T,…")
@running.one_option
@events_option
@running.batch_options
def relevance(more: tuple[Path, ...], **values: Any) -> int:
    """Judges the relevance of candidate cases to a query case, in stages."""
    from ...engines.relevance.method import METHOD

    wishes = wishes_of(SETTINGS, values)
    paths = (*values["candidates"], *more)
    _one_source(values, paths)
    if values["pairs"] is not None or values["into"] is not None:
        return running.run_batch(values, METHOD.batches["pairs"], lambda: _batch(values, wishes, paths))
    running.refuse(values, (*running.OF_A_BATCH, "repeats", "temperatures"), t("wrong.command.of_pairs"))
    asked: list[Case] = []

    def make(starter: Starter) -> Wishes:
        query, candidates = _cases(values, paths, wishes, starter)
        asked.append(query)
        return _about(wishes, query, candidates).about(bundled=values["example"])

    return running.run_new(METHOD, make, values, lambda starter: _remarks(asked[0], starter, wishes))


def _one_source(values: dict[str, Any], paths: tuple[Path, ...]) -> None:
    given = [f"--{name}" for name in ("query", "pairs", "example") if values[name]]
    if len(given) > 1:
        raise BadInput(t("wrong.command.exclude", given=given[0], given2=given[1]))
    if not given:
        raise BadInput(t("wrong.cases.nothing"))
    if values["query"] is None and paths:
        raise BadInput(t("wrong.cases.no_candidates_here", given=given[0], paths=paths[0]))
    if values["query"] is not None and not paths:
        raise BadInput(t("wrong.cases.candidates"))


def _cases(values: dict[str, Any], paths: tuple[Path, ...], wishes: Wishes, starter: Starter) -> tuple[Case, list[tuple[Case, int | None]]]:
    """A query, and its candidates with the levels that are known. The example is that of the set of demonstrations."""
    from ...engines.relevance.importers.cases import Case, case_of, read_candidates, read_query

    if values["example"]:
        from ...engines.relevance.example import example_of
        from ...engines.relevance.starting import shape_of

        asked, listed = example_of(shape_of(wishes, starter).demonstrations)
        known = [(case_of(one, t("wrong.cases.the_example")), one.get("gold")) for one in listed]
        query = case_of(asked, t("wrong.cases.the_example"))
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
        raise BadInput(t("wrong.labels.none_fit", values=values["labels"], names=" and ".join(pairs[0])))
    if known < len(wanted):
        console.say(t("wrong.labels.some_missing", n=len(wanted) - known, n2=len(wanted), values=values["labels"]))
    return found


def _about(wishes: Wishes, query: Case, candidates: Sequence[tuple[Case, int | None]]) -> Wishes:
    """The wishes for a query and its candidates, each with its level if that is known."""
    listed = [case.as_json() | ({} if gold is None else {"gold": gold}) for case, gold in candidates]
    return wishes.about(query=query.as_json(), candidates=listed)


def _remarks(query: Case, starter: Starter, wishes: Wishes) -> list[str]:
    from ...engines.relevance.starting import remark_on_language, shape_of

    remark = remark_on_language(query.text, shape_of(wishes, starter).demonstrations)
    return [] if remark is None else [remark]


def _temperatures(text: str | None) -> tuple[float, ...]:
    """`0,.3,.7,1` as temperatures, each once. Raises: BadInput."""
    if text is None:
        return ()
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or len(set(numbers)) < len(numbers) or not all(0 <= number <= 2 for number in numbers):
        raise BadInput(t("wrong.command.temperatures"))
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
        lines = pairs_of([(query, [one for one, _ in known])], wishes, runs, t("wrong.cases.the_example"))
        lines = labelled(lines, {(query.id, one.id): gold for one, gold in known if gold is not None})
    else:
        file = values["query"]
        queries = read_queries(file) if file.exists() else [read_query(file)]
        found = Candidates(paths)
        lines = pairs_of(((query, found.of(query.id)) for query in queries), wishes, runs, str(file))
    return labelled(lines, _labels(values, [(line.pair.query.id, line.pair.candidate.id) for line in lines]))


def _batch(values: dict[str, Any], wishes: Wishes, paths: tuple[Path, ...]) -> Batch:
    from ...engines.relevance.method import METHOD

    starter = workshop(many=True)
    lines = _lines(values, wishes, paths, starter)
    told = {name: values[name] for name in ("temperatures", "repeats") if values[name] is not None}
    remarks = _remarks(lines[0].pair.query, starter, lines[0].wishes)
    return running.batch_of(METHOD, "pairs", values, wishes, lines, remarks, starter, **told)
