"""Labels in JSON lines, in LeCaRD's JSON and in tables with tabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...sessions.errors import bad_input
from ...texts import t
from .compare import Pair, RaterLevels
from .trec import keep
from .values import (
    CANDIDATE_NAMES,
    LABEL_NAMES,
    QUERY_NAMES,
    first_in,
    id_of,
    level_in,
    level_of,
    lines,
    read_json,
    shown,
)

SKIP = "-"
"""The name of a column that is not read."""

_LABEL = re.compile(r"label\d*")


def json_lines(text: str, name: str) -> dict[Pair, int | None]:
    """One object a line: query and candidate (ids, or objects with an `id`) and a
    label, null for unread. BadInput names the line.
    """
    labels: dict[Pair, int | None] = {}
    for number, line in lines(text):
        where = t("wrong.place.line", name=name, number=number)
        row = read_json(line, where)
        if not isinstance(row, dict):
            raise bad_input("wrong.tables.no_object", where=where)
        pair = (
            id_of(first_in(row, QUERY_NAMES), "query", where),
            id_of(first_in(row, CANDIDATE_NAMES), "candidate", where),
        )
        if "label" not in row:
            raise bad_input("wrong.tables.no_label", where=where)
        keep(labels, pair, level_of(row["label"], where), where)
    return labels


def by_query(value: object, name: str) -> dict[Pair, int | None]:
    """LeCaRD's labels: `{query: {candidate: level}}`. BadInput names the query."""
    if not isinstance(value, dict):
        raise bad_input("wrong.tables.no_labels", name=name)
    labels: dict[Pair, int | None] = {}
    for query, rated in value.items():
        where = t("wrong.place.query", name=name, shown=shown(query))
        if not isinstance(rated, dict):
            raise bad_input("wrong.tables.no_candidates", where=where)
        for candidate, level in rated.items():
            keep(
                labels,
                (query, candidate),
                level_of(
                    level,
                    t("wrong.place.candidate", where=where, shown=shown(candidate)),
                ),
                where,
            )
    return labels


def table(text: str, name: str, columns: Sequence[str]) -> list[RaterLevels]:
    """Columns parted by tabs: query, candidate, then a label a rater.

    One rater a column; an empty label is unread.

    `columns` names them. A name of the first row is that column; `query`, `candidate`,
    `label`, `label2` … are otherwise the column at that place, as every name is where
    the file has no row of names; `-` is skipped. Without `columns` the row of names
    decides.
    """
    rows = [
        (number, [field.strip() for field in line.split("\t")])
        for number, line in lines(text)
    ]
    first = rows[0][1]
    header = first if has_names(first, columns) else []
    names = list(columns) or header
    places = [_place(one, at, header, name) for at, one in enumerate(names)]
    query, candidate = _find(names, QUERY_NAMES, 0), _find(names, CANDIDATE_NAMES, 1)
    rated = [
        at
        for at, name in enumerate(names)
        if at not in (query, candidate) and name != SKIP
    ]
    doubled = len({places[at] for at in (query, candidate, *rated)}) < 2 + len(rated)
    if (
        not rated
        or doubled
        or any(names[at] in (*QUERY_NAMES, *CANDIDATE_NAMES) for at in rated)
    ):
        raise bad_input("wrong.tables.columns", name=name)
    raters = [RaterLevels(header[places[at]] if header else names[at]) for at in rated]
    for number, fields in rows[1:] if header else rows:
        where = t("wrong.place.line", name=name, number=number)
        if len(fields) <= max(places):
            raise bad_input(
                "wrong.tables.few_columns",
                where=where,
                n=len(fields),
                needed=max(places) + 1,
            )
        pair = (
            id_of(fields[places[query]], "query", where),
            id_of(fields[places[candidate]], "candidate", where),
        )
        for rater, at in zip(raters, rated, strict=True):
            keep(
                rater.labels,
                pair,
                level_in(
                    fields[places[at]],
                    t("wrong.place.column", where=where, name=rater.name),
                ),
                where,
            )
    return raters


def has_names(first: Sequence[str], columns: Sequence[str] = ()) -> bool:
    """True if a table's first row names its columns: a usual name is there, or one of
    those given.
    """
    usual = {*QUERY_NAMES, *CANDIDATE_NAMES, *LABEL_NAMES, *columns} - {SKIP}
    return any(one in usual or one.lower() in usual for one in first)


def _place(one: str, at: int, header: Sequence[str], name: str) -> int:
    if one in header:
        if header.count(one) > 1:
            raise bad_input("wrong.tables.same_column", name=name, column=shown(one))
        return header.index(one)
    if (
        header
        and one != SKIP
        and one not in (*QUERY_NAMES, *CANDIDATE_NAMES)
        and not _LABEL.fullmatch(one)
    ):
        raise bad_input(
            "wrong.tables.no_column",
            name=name,
            column=shown(one),
            names=", ".join(header)[:300],
        )
    return at


def _find(names: Sequence[str], usual: Sequence[str], otherwise: int) -> int:
    return next(
        (at for at, name in enumerate(names) if name.lower() in usual), otherwise
    )
