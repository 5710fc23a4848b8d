"""Reads filters such as `version >= 3.10 and path ~ guide/*`, and finds the documents
that match one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...sessions.errors import BadInput, bad_input
from ...texts import t

if TYPE_CHECKING:
    from .index import Data
    from .store import Array, Strings

OWN = ("path", "title", "kind")
"""Fields of every document: its name in the index, its title, and the ending of its
file. The others are its metadata's.
"""

AT_ONCE = 1 << 15
"""Documents whose metadata is in memory at once."""

MOST = 100_000
"""Most values of a field that is kept in memory, to be asked for again."""

_FIELD = r"(?:\"[^\"]+\"|[^\s\"=!<>~]+)"
_OPERATOR = r"(?:!=|>=|<=|==|=|>|<|~)"
_CONDITION = re.compile(
    rf"\s*(?P<field>{_FIELD})\s*(?P<operator>{_OPERATOR})\s*(?P<value>\"[^\"]*\""
    rf"|(?![=!<>~]).+?)\s*(?:\sand\s(?=\s*{_FIELD}\s*{_OPERATOR})|$)",
    re.IGNORECASE,
)
_SIGNS = str.maketrans(
    {"\u2265": ">=", "\u2264": "<=", "\u2260": "!=", "\u201c": '"', "\u201d": '"'}
)


class FieldCondition(NamedTuple):
    """One comparison."""

    field: str
    operator: str
    """One of = != > >= < <= ~."""
    value: str


def parse(text: str) -> list[FieldCondition]:
    """The conditions of a filter, which must all hold.

    Raises: BadInput if it cannot be read.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_SIGNS)).strip()
    found, place = [], 0
    while place < len(plain):
        match = _CONDITION.match(plain, place)
        if match is None:
            raise bad_input("wrong.where.unread", text=plain[place : place + 80])
        field, operator, value = match.group("field", "operator", "value")
        found.append(
            FieldCondition(
                _unquoted(field), operator.replace("==", "="), _unquoted(value)
            )
        )
        place = match.end()
    return found


def _unquoted(part: str) -> str:
    """Without the quotes around it; others belong to it."""
    if re.fullmatch('"[^"]*"', part):
        return part[1:-1]
    return part


class Fields:
    """The filterable fields of an index's documents, read on first use."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._columns: dict[str, FieldValues] = {}
        self._known: list[str] | None = None

    @property
    def names(self) -> list[str]:
        """All fields: those of every document, then those of their metadata, by
        name.
        """
        return [*OWN, *sorted(name for name in self.of_metadata() if name not in OWN)]

    def of_metadata(self) -> list[str]:
        """The names in the metadata, in the order in which they first occur."""
        if self._known is None:
            self._of_metadata(None)
        return self._known or []

    def fitting(self, conditions: list[FieldCondition]) -> Array:
        """For each document whether all conditions hold.

        Raises: BadInput if no document has such a field.
        """
        import numpy

        fits = numpy.ones(len(self._data.files), dtype=bool)
        for condition in conditions:
            column = self._column(condition.field)
            test = _test(
                condition.operator, condition.value, path=condition.field == "path"
            )
            # A document without the field is at -1, the last place: it has no value, so
            # it is not equal to one.
            known = numpy.array(
                [*map(test, _all_plain(column.values)), condition.operator == "!="],
                dtype=bool,
            )
            fits &= known[column.numbers]
        return fits

    def _column(self, name: str) -> FieldValues:
        column = self._columns.get(name)
        if column is None:
            column = self._own(name) if name in OWN else self._of_metadata(name)
            if column is None:
                raise _no_field(name, self.names)
            if len(column.values) < MOST:
                self._columns[name] = column
        return column

    def _own(self, name: str) -> FieldValues:
        values: Iterable[str] = (
            self._data.titles if name == "title" else self._data.files
        )
        column = FieldValues(len(self._data.files))
        column.put(slice(None), map(kind, values) if name == "kind" else values)
        return column

    def _of_metadata(self, name: str | None) -> FieldValues | None:
        """The column of a field of the metadata: the first that is called so; None if
        there is none. On the way all names become known.
        """
        import numpy

        column, called = FieldValues(len(self._data.files)), None
        names: dict[str, None] = {}
        for places, rows in _rows(self._data.metas):
            before = len(names)
            for shape in dict.fromkeys(map(tuple, rows)):
                names.update(dict.fromkeys(shape))
            if called is None and name is not None and len(names) > before:
                called = next((known for known in names if _means(name, known)), None)
            if called is not None:
                having = [at for at, row in enumerate(rows) if called in row]
                column.put(
                    places[numpy.array(having, dtype="int64")],
                    [rows[at][called] for at in having],
                )
        self._known = list(names)
        if called is None:
            return None
        return column


class FieldValues:
    """The values of one field, each once, and for each document which of them it has;
    -1: none.
    """

    def __init__(self, documents: int) -> None:
        import numpy

        self.numbers: Array = numpy.full(documents, -1, dtype="int32")
        self._places: dict[str, int] = {}

    @property
    def values(self) -> list[str]:
        return list(self._places)

    def put(self, documents: Array | slice, values: Iterable[str]) -> None:
        """Sets the values of some documents."""
        import numpy

        places = self._places
        self.numbers[documents] = numpy.fromiter(
            (places.setdefault(value, len(places)) for value in values), dtype="int32"
        )


def _rows(metas: Strings) -> Iterator[tuple[Array, list[dict[str, str]]]]:
    """The metadata of all documents that have some, many at once, with their
    numbers.
    """
    import msgspec
    import numpy

    decoder = msgspec.json.Decoder(list[dict[str, str]])
    for low in range(0, len(metas), AT_ONCE):
        ends = metas.ends(low, min(low + AT_ONCE, len(metas)))
        places = numpy.flatnonzero(ends[1:] > ends[:-1])
        data, start = metas.raw_part(int(ends[0]), int(ends[-1])), int(ends[0])
        pieces = zip(
            (ends[places] - start).tolist(),
            (ends[places + 1] - start).tolist(),
            strict=True,
        )
        yield (
            places + low,
            decoder.decode(
                b"[" + b",".join(data[first:last] for first, last in pieces) + b"]"
            ),
        )


def fits(
    conditions: list[FieldCondition], known: Sequence[str]
) -> Callable[[str, str, Mapping[str, str]], bool]:
    """Whether all conditions hold for a document: its path, its title, its metadata.

    As `Fields.fitting`, one document at a time.

    `known`: the names in the metadata of all documents, in the order in which they
    first occur. Raises: BadInput if no document has such a field.
    """
    tests = []
    for condition in conditions:
        own = condition.field in OWN
        called = (
            condition.field
            if own
            else next((name for name in known if _means(condition.field, name)), None)
        )
        if called is None:
            raise _no_field(
                condition.field,
                [*OWN, *sorted(name for name in known if name not in OWN)],
            )
        test = _test(
            condition.operator, condition.value, path=condition.field == "path"
        )
        tests.append((own, called, test, condition.operator == "!="))

    def fitting(path: str, title: str, metadata: Mapping[str, str]) -> bool:
        for own, called, test, without in tests:
            value = (
                {"path": path, "title": title, "kind": kind(path)}[called]
                if own
                else metadata.get(called)
            )
            if not (without if value is None else test(_plain(value))):
                return False
        return True

    return fitting


def _no_field(name: str, names: Sequence[str]) -> BadInput:
    more = t("wrong.where.more_fields", n=len(names) - 30) if len(names) > 30 else ""
    return bad_input(
        "wrong.where.no_field",
        field=name[:80],
        names=", ".join(one[:80] for one in names[:30]),
        more=more,
    )


def _means(name: str, known: str) -> bool:
    """Whether a field of the metadata may be called so."""
    return name in (known, f"metadata.{known}") or _plain_name(name) == _plain_name(
        known
    )


def kind(path: str) -> str:
    """The ending of a document's file without its dot, in small letters: `jsonl` of
    `rows.jsonl#12`.
    """
    file, mark, row = path.rpartition("#")
    name = (file if mark and row.isdigit() else path).rpartition("/")[2]
    if "." in name:
        return name.rpartition(".")[2].casefold()
    return ""


def _plain_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", unicodedata.normalize("NFKC", name).casefold())


def _plain(value: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split())


_BLANKS = re.compile(r"[^\S\n ]|  |^ | $", re.MULTILINE)


def _all_plain(values: list[str]) -> Iterator[str]:
    """`_plain` of each, many at once."""
    for low in range(0, len(values), AT_ONCE):
        some = values[low : low + AT_ONCE]
        text = "\n".join(some)
        if text.count("\n") >= len(some):  # in a value
            yield from map(_plain, some)
            continue
        text = unicodedata.normalize("NFKC", text).casefold()
        lines = text.split("\n")
        yield from (
            (" ".join(line.split()) for line in lines)
            if _BLANKS.search(text)
            else lines
        )


def _test(operator: str, value: str, *, path: bool) -> Callable[[str], bool]:
    """Return the test that a value, as from `_plain`, must pass."""
    wanted, rank = _plain(value), ordinal(value)
    if operator == "~":
        return _pattern(wanted, path=path)
    if operator in ("=", "!="):
        equal = operator == "="
        return lambda one: (
            (one == wanted or (rank is not None and _ordinal(one) == rank)) is equal
        )
    holds: Callable[[int], bool] = {
        ">": lambda sign: sign > 0,
        ">=": lambda sign: sign >= 0,
        "<": lambda sign: sign < 0,
        "<=": lambda sign: sign <= 0,
    }[operator]
    if rank is None:
        return lambda one: holds(_sign(one, wanted))
    return lambda one: (
        (number := _ordinal(one)) is not None and holds(_sign(number, rank))
    )


def _sign(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


def _pattern(wanted: str, *, path: bool) -> Callable[[str], bool]:
    """With `*`, which stands for anything, the whole value (of a path also what follows
    a `/`); without, a part of it.
    """
    if "*" not in wanted:
        return lambda one: wanted in one
    first, *middle, last = map(re.escape, re.sub(r"\*+", "*", wanted).split("*"))
    # Each piece is looked for once: a pattern that tried all places of each would take
    # forever over a text that repeats itself.
    inner = "".join(f"(?>.*?{piece})" for piece in middle)
    pattern = re.compile(
        f"{'(?:.*/)?' if path else ''}{first}{inner}.*{last}", re.DOTALL
    )
    return lambda one: pattern.fullmatch(one) is not None


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
_DAY = re.compile(
    r"(?:[a-z]+,\s*)?(?:(\d{1,2})[-\s.]+([a-z]{3})[a-z]*"
    r"|([a-z]{3})[a-z]*[-\s.]+(\d{1,2}))[-\s.,]+(\d{4})(?:\s+\d{1,2}:\d{2}.*)?"
)
"""13-Jun-2000, 13 June 2000, June 13, 2000; a time behind it does not count."""
_ZONE = re.compile(r"(?<=\d)([t ]\d{1,2}:[\d:.]+)\s?[+-]\d{2}:?\d{2}")
"""Of a date with a time. Times are compared as they are written."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)")
_NUMBERS = re.compile(
    r"(-?)v?\.?(\d+(?:[./:_\-\u5e74\u6708\u65e5\s]t?\d+"
    r"|t\d+)*)[z\u65e5\u5e74\u6708]?(?:[-+.\s]?([a-z][\w.+-]*))?"
)

Ordinal = tuple[tuple[int, ...], tuple[int, str]]


def ordinal(value: str) -> Ordinal | None:
    """The place of a number, version or date in their order; None for other texts.

    The parts between dots are compared one after another, so 3.10 is above 3.9; zeros
    at the end do not count, and 3.0rc1 is below 3.0.
    """
    return _ordinal(_plain(value))


def _ordinal(text: str) -> Ordinal | None:
    if text.isascii() and text.isdigit() and len(text) <= 80:
        return (int(text),), (1, "")
    if (day := _DAY.fullmatch(text)) is not None and (
        month := day[2] or day[3]
    ) in _MONTHS:
        return (int(day[5]), _MONTHS.index(month) + 1, int(day[1] or day[4])), (1, "")
    text = _ZONE.sub(r"\1", text)
    match = _NUMBERS.fullmatch(
        _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)[:80]
    )
    if match is None:
        return None
    parts = [int(part) for part in re.findall(r"\d+", match[2])]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(-part for part in parts) if match[1] else tuple(parts), (
        (0, match[3]) if match[3] else (1, "")
    )
