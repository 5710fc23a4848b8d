"""`verifytui relevance`: legal cases judged in stages: one query with its candidates,
or many pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from ...engines.relevance.settings import SETTINGS
from ...sessions.errors import BadInput, Faults, bad_input
from ...texts import t
from .. import console, run_commands
from ..command import command
from ..flags import (
    PATH,
    Command,
    events_option,
    flag_option,
    many_option,
    option_flags,
    typed_option,
    whole_option,
    wishes_of,
    workshop,
)

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.cases.importers.cases import CaseFile
    from ...engines.method import Method
    from ...engines.relevance.pairs import Labels, PairLine
    from ...engines.settings import Settings
    from ...engines.starting import Starter, Wishes


class CaseMethod(Protocol):
    """Case options of a method: its bundled example, and remarks before the start."""

    def example(
        self, wishes: Wishes, starter: Starter
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]: ...

    def remarks(self, text: str, wishes: Wishes, starter: Starter) -> list[str]: ...


def cases_command(name: str, declared: Settings, shown: CaseMethod) -> click.Command:
    """The command of a method that judges candidate cases: one query with its
    candidates, or many pairs.
    """

    def asked_for(more: tuple[Path, ...], **values: Any) -> int:
        from ...engines.method import method as method_named

        method, wishes = method_named(declared.method), wishes_of(declared, values)
        paths = (*values["candidates"], *more)
        _one_source(values, paths)
        if values["pairs"] is not None or values["into"] is not None:
            return run_commands.run_batch(
                values,
                method.batches["pairs"],
                lambda faults: _batch(method, shown, values, wishes, paths, faults),
            )
        run_commands.refuse(
            values,
            (*run_commands.OF_A_BATCH, "repeats", "temperatures", "sample", "seed"),
            t("wrong.command.of_pairs"),
        )
        asked = []

        def make(starter: Starter) -> Wishes:
            query, candidates = _cases(shown, values, paths, wishes, starter)
            asked.append(query)
            return _about(wishes, query, candidates).about(bundled=values["example"])

        return run_commands.run_new(
            method,
            make,
            values,
            lambda starter: shown.remarks(asked[0].text, wishes, starter),
        )

    return command(name)(_with_options(asked_for, declared))


def _with_options(run: Command, declared: Settings) -> Command:
    """The options of a method that judges cases; `more` are further candidates."""
    if "seed" not in declared.names:
        run = whole_option("--seed", 0)(run)
    for option in (
        run_commands.batch_options,
        events_option,
        run_commands.one_option,
        click.option("--sample", metavar="K/level"),
        click.option("--temperatures", metavar="T,…"),
        whole_option("--repeats", 1, 1000, metavar="R"),
        option_flags(declared),
        typed_option("--labels", PATH, "FILE"),
        typed_option("--pairs", PATH, "FILE.jsonl"),
        flag_option("--example"),
        many_option("--candidates", "FILE|DIR…", PATH),
        typed_option("--query", PATH, "FILE[#ID]"),
        click.argument("more", nargs=-1, type=PATH, metavar=""),
    ):
        run = option(run)
    return run


class _StagedMethod:
    """The example belongs to the set of demonstrations, and has its language."""

    def example(
        self, wishes: Wishes, starter: Starter
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        from ...engines.relevance.starting import example_of, shape_of

        return example_of(shape_of(wishes, starter).demonstrations)

    def remarks(self, text: str, wishes: Wishes, starter: Starter) -> list[str]:
        from ...engines.relevance.starting import remarks_on_language

        return remarks_on_language(text, wishes, starter)


relevance = cases_command("relevance", SETTINGS, _StagedMethod())


def _one_source(values: dict[str, object], paths: tuple[Path, ...]) -> None:
    given = [f"--{name}" for name in ("query", "pairs", "example") if values[name]]
    if len(given) > 1:
        raise bad_input("wrong.command.exclude", first=given[0], second=given[1])
    if not given:
        raise bad_input("wrong.cases.nothing")
    if values["query"] is None and paths:
        raise bad_input(
            "wrong.cases.no_candidates_here", option=given[0], paths=paths[0]
        )
    if values["query"] is not None and not paths:
        raise bad_input("wrong.cases.candidates")


def _cases(
    shown: CaseMethod,
    values: dict[str, Any],
    paths: tuple[Path, ...],
    wishes: Wishes,
    starter: Starter,
) -> tuple[CaseFile, list[tuple[CaseFile, int | None]]]:
    """A query, and its candidates with the levels that are known."""
    from ...engines.cases.importers.cases import (
        CaseFile,
        case_of,
        read_candidates,
        read_query,
    )

    if values["example"]:
        asked, listed = shown.example(wishes, starter)
        known = [
            (case_of(one, t("wrong.cases.the_example")), one.get("gold"))
            for one in listed
        ]
        query = case_of(asked, t("wrong.cases.the_example"))
    else:
        query = read_query(values["query"])
        known = [(one, None) for one in read_candidates(paths, query.id)]
    labels = _labels(values, [(query.id, one.id) for one, _ in known])
    return CaseFile(*query), [
        (one, labels.get((query.id, one.id), gold)) for one, gold in known
    ]


def _labels(values: dict[str, Any], pairs: list[tuple[str, str]]) -> Labels:
    """Read the levels of `--labels`.

    Raises: BadInput if no label matches these pairs. Prints a note on stderr if some
    pairs have none.
    """
    if values["labels"] is None:
        return {}
    from ...engines.cases.importers.labels import read_labels

    found = read_labels(values["labels"])
    wanted = set(pairs)
    known = sum(pair in found for pair in wanted)
    if not known:
        raise bad_input(
            "wrong.labels.none_fit",
            values=values["labels"],
            names=" and ".join(pairs[0]),
        )
    if known < len(wanted):
        console.tell(
            "wrong.labels.some_missing",
            missing=len(wanted) - known,
            pairs=len(wanted),
            values=values["labels"],
        )
    return found


def _about(
    wishes: Wishes, query: CaseFile, candidates: Sequence[tuple[CaseFile, int | None]]
) -> Wishes:
    """The wishes for a query and its candidates, each with its level if that is
    known.
    """
    listed = [
        case.as_json() | ({} if gold is None else {"gold": gold})
        for case, gold in candidates
    ]
    return wishes.about(query=query.as_json(), candidates=listed)


def _temperatures(text: str | None) -> tuple[float, ...]:
    """`0,.3,.7,1` as temperatures, each once. Raises: BadInput."""
    if text is None:
        return ()
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if (
        not numbers
        or len(set(numbers)) < len(numbers)
        or not all(0 <= number <= 2 for number in numbers)
    ):
        raise bad_input("wrong.command.temperatures")
    return numbers


def _lines(
    shown: CaseMethod,
    values: dict[str, Any],
    wishes: Wishes,
    paths: tuple[Path, ...],
    starter: Starter,
    faults: list[str],
) -> list[PairLine]:
    """The pairs of a batch with the levels that are known. BadInput."""
    from ...engines.cases.importers.cases import (
        CandidateFiles,
        read_queries,
        read_query,
    )
    from ...engines.relevance.pairs import (
        AnnotationRuns,
        labelled,
        pairs_of,
        read_pairs,
    )

    runs = AnnotationRuns(_temperatures(values["temperatures"]), values["repeats"] or 1)
    if values["pairs"] is not None:
        lines = read_pairs(values["pairs"], wishes, runs, faults)
    elif values["example"]:
        query, known = _cases(shown, values, paths, wishes, starter)
        lines = pairs_of(
            [(query, [one for one, _ in known])],
            wishes,
            runs,
            t("wrong.cases.the_example"),
        )
        lines = labelled(
            lines, {(query.id, one.id): gold for one, gold in known if gold is not None}
        )
    else:
        file = values["query"]
        queries = read_queries(file) if file.exists() else [read_query(file)]
        found = CandidateFiles(paths)
        lines = pairs_of(
            ((query, found.of(query.id)) for query in queries), wishes, runs, str(file)
        )
    lines = labelled(
        lines,
        _labels(
            values, [(line.pair.query.id, line.pair.candidate.id) for line in lines]
        ),
    )
    if values["sample"] is None:
        return lines
    return _sampled(
        lines, values["sample"], wishes.get("seed") or values.get("seed") or 0
    )


def _sampled(lines: list[PairLine], sample: str, seed: int) -> list[PairLine]:
    """The pairs of a sample by known level, with all their temperatures and repeats.

    BadInput where no pair has a level.
    """
    from ...engines.relevance.queue import drawn_by_level
    from ..samples import per_level, sample_told

    most = per_level(sample)
    levels = {line.of: line.pair.label for line in lines if line.pair.label is not None}
    if not levels:
        raise bad_input("wrong.labels.no_strata_known")
    drawn = set(drawn_by_level(levels.items(), most, seed))
    counts = {level: sum(one == level for one in levels.values()) for level in range(4)}
    console.say(
        sample_told(
            "gold", counts, most, len({line.of for line in lines}) - len(levels)
        )
    )
    return [line for line in lines if line.of in drawn]


def _batch(
    method: Method,
    shown: CaseMethod,
    values: dict[str, Any],
    wishes: Wishes,
    paths: tuple[Path, ...],
    wrong: Faults,
) -> Batch:
    from ...engines.all_wrong import wrong_lines

    starter = workshop(many=True, faults=wrong)
    faults: list[str] = []
    try:
        lines = _lines(shown, values, wishes, paths, starter, faults)
    except BadInput as error:
        said = str(error).splitlines()
        raise wrong_lines(said, wishes, starter, method.roles) from None
    told = {
        name: values[name]
        for name in ("temperatures", "repeats", "sample", "seed")
        if values.get(name) is not None
    }
    remarks = []
    with suppress(BadInput):  # whoever begins the lines says so
        first = lines[0]
        remarks = shown.remarks(first.pair.query.text, first.wishes, starter)
    return run_commands.batch_of(
        method, "pairs", values, wishes, lines, remarks, starter, faults, **told
    )
