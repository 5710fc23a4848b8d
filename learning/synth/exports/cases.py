"""Exports pairs of cases for training and evaluating retrievers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..cases.judged_pairs import JudgedPair, PairSet
from . import beir, pairs
from .beir import BeirIds, LabeledPair
from .card import cases_card
from .lines import ExportFolder, ExportRecord
from .options import ExportOptions

NO_TRIPLES = "test"
"""The set that is not used for training."""


def export_cases(
    texts: Mapping[str, str],
    drawn: Iterable[PairSet],
    into: Path,
    *,
    queries: Mapping[str, str],
    titles: Mapping[str, str] | None = None,
    options: ExportOptions | None = None,
) -> ExportRecord:
    """Writes a BEIR folder, TREC qrels, scored pairs, triples and a card to the folder
    `into`.

    `texts`: the cases by id. `queries`: the labelled queries by id; the query of a
    machine-judged pair is a case. `titles`: of cases, if they have one. An id is
    changed in the files if it names both a query and a different case, or contains a
    blank. Pairs without a level or a text are left out and counted.

    Raises: BadInput, WriteError.
    """
    options, titles = options or ExportOptions(), titles or {}
    folder = ExportFolder(into)
    cases = _Cases(texts, queries, folder.exported)
    sets: dict[str, list[LabeledPair]] = {}
    for one in drawn:
        sets[one.name] = cases.labelled(one)
        judged = sum(pair.by == "machine" for pair in one.pairs)
        if judged and options.judges:
            folder.exported.models[one.name] = dict.fromkeys(options.judges, judged)
    corpus = (
        (cases.case(name), titles.get(name, ""), text) for name, text in texts.items()
    )
    beir.write(folder, corpus, cases.asked.items(), sets)
    trained = {name: labelled for name, labelled in sets.items() if name != NO_TRIPLES}
    similar = cases.similar(
        {
            pair: None
            for labelled in trained.values()
            for pair in pairs.hard(labelled, options.positive)
        }
    )
    for name, labelled in sets.items():
        folder.lines(
            f"pairs/{name}.jsonl", pairs.scored(labelled, cases.asked, cases.text)
        )
    for name, labelled in trained.items():
        _triples(folder, name, labelled, cases, similar, options)
    folder.exported.changed_ids = cases.names.changed
    folder.whole("README.md", cases_card(folder.exported, options))
    return folder.finish()


def _triples(
    folder: ExportFolder,
    name: str,
    labelled: list[LabeledPair],
    cases: _Cases,
    similar: Mapping[tuple[str, str], float],
    options: ExportOptions,
) -> None:
    """Writes the triples of a set."""
    found, without = pairs.triples(labelled, options.positive, similar)
    rows = (
        {
            "anchor": cases.asked[query],
            "positive": cases.text(positive),
            "negative": cases.text(negative),
        }
        for query, positive, negative in found
    )
    if folder.lines(f"triples/{name}.jsonl", rows):
        folder.exported.count("triples", name, len(found))
    folder.exported.leave_out("triples", "no-negative", without)


class _Cases:
    """The texts by their ids in the files."""

    def __init__(
        self,
        texts: Mapping[str, str],
        queries: Mapping[str, str],
        exported: ExportRecord,
    ) -> None:
        self._texts = texts
        self._queries = queries
        self._exported = exported
        self._originals: dict[str, str] = {}
        self.names = BeirIds()
        self.asked: dict[str, str] = {}
        """The queries that occur in a pair."""
        for query in queries:
            self.names.of("query", query)

    def case(self, id_: str) -> str:
        """The id of a case in the files."""
        name = self.names.of("case", id_)
        self._originals[name] = id_
        return name

    def text(self, name: str) -> str:
        """The text of a case by its id in the files."""
        return self._texts[self._originals[name]]

    def labelled(self, drawn: PairSet) -> list[LabeledPair]:
        """The pairs of a set, each once. Pairs without a level or a text are left out
        and counted.
        """
        found: dict[tuple[str, str], LabeledPair] = {}
        for pair in drawn.pairs:
            query = self._query(pair)
            if pair.level is None:
                self._exported.leave_out("pairs", "no-level")
            elif query is None or pair.case not in self._texts:
                self._exported.leave_out("pairs", "no-text")
            else:
                labelled = LabeledPair(
                    query=query, case=self.case(pair.case), level=pair.level
                )
                if (
                    found.setdefault((labelled.query, labelled.case), labelled)
                    is not labelled
                ):
                    self._exported.leave_out("pairs", "twice")
                    continue
                self._exported.count("levels", f"{drawn.name}, level {pair.level}")
        return [*found.values()]

    def similar(
        self, wanted: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], float]:
        """BM25 scores of pairs over their texts."""
        from ..cases.presort import Bm25
        from ..cases.words import WordNumbers

        listed, words, index = [*wanted], WordNumbers(), Bm25()
        for case in dict.fromkeys(case for _, case in listed):
            index.add(f"case {case}", words.of(self.text(case)))
        for query in dict.fromkeys(query for query, _ in listed):
            index.add(f"query {query}", words.of(self.asked[query]))
        scores = (
            index.scores([(f"query {query}", f"case {case}") for query, case in listed])
            if listed
            else []
        )
        return dict(zip(listed, scores, strict=True))

    def _query(self, pair: JudgedPair) -> str | None:
        """The id of a pair's first text in the files: a labelled query, or a case in
        its place. None without a text.
        """
        if pair.query in self._queries and (
            pair.by == "people" or pair.query not in self._texts
        ):
            name, text = self.names.of("query", pair.query), self._queries[pair.query]
        elif pair.query in self._texts:
            name, text = self.case(pair.query), self._texts[pair.query]
        else:
            return None
        self.asked.setdefault(name, text)
        return name
