"""The rows of a file of a batch: JSON lines, a JSON list, columns as data frames have
them, CSV, or Parquet.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...sessions.errors import bad_input
from ...sessions.files import read_text
from ...sessions.installation import install_command
from ...texts import t
from ..metrics.values import first_in

Row = dict[str, Any]
LISTS = ("samples", "data", "examples", "questions", "rows", "records", "items")
"""Where an object of a JSON file has its rows."""
BINARY = (".eval", ".parquet")
"""Files that are no text."""
LONGEST_CELL = 10_000_000
"""Characters of a cell."""


class PlacedRow(NamedTuple):
    """A row and its place."""

    number: int
    """From 1: of a line in its file, of an item in its list."""
    where: str
    row: object
    """What should be an object."""


def rows(path: Path, form: str, faults: list[str]) -> Iterator[PlacedRow]:
    """Yield the rows of a file in order.

    `faults` gets a sentence for each line that cannot be read; `form` describes a valid
    row.

    `.csv` and `.tsv` start with a line of names. A cell that contains a list or an
    object, as JSON or as Python writes it, is parsed, and an empty one is left out.
    `.json` is a list of objects, an object that has one under a name of LISTS, columns
    (name to values), or JSON lines. `.parquet` needs the extra. Everything else is JSON
    lines. Results of other programs become rows with an id, a question and an answer
    (`other_results`). Raises: BadInput for a file that cannot be read.
    """
    from .other_results import EVAL, converted, is_foreign

    own = path.suffix == EVAL
    read = iter(()) if own else _written(path, form, faults)
    first = next(read, None)
    if not own and (first is None or not is_foreign(first.row)):
        yield from () if first is None else (first,)
        yield from read
        return
    others = [one.row for one in (first, *read) if one is not None]
    for number, row in enumerate(converted(path, others), 1):
        where = t("wrong.place.item", path=path, number=number)
        yield PlacedRow(number, where, row)


def _written(path: Path, form: str, faults: list[str]) -> Iterator[PlacedRow]:
    """The rows as they are written."""
    suffix = path.suffix.lower()
    text = "" if suffix == ".parquet" else read_text(path)
    if suffix in (".csv", ".tsv"):
        yield from _table(path, text, suffix, faults)
        return
    whole: Iterable[object] | None = None
    if suffix == ".parquet":
        whole = _parquet(path)
    elif suffix == ".json":
        whole = _whole(path, text)
    if whole is not None:
        for number, row in enumerate(whole, 1):
            where = t("wrong.place.item", path=path, number=number)
            yield PlacedRow(number, where, row)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield PlacedRow(number, where, json.loads(line))
            except (ValueError, RecursionError):
                faults.append(t("wrong.lines.no_json", where=where, form=form))


def _parquet(path: Path) -> list[Row]:
    """The rows of a Parquet file, without empty cells."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise bad_input(
            "wrong.frame.parquet", install=install_command("parquet")
        ) from None
    try:
        found = parquet.ParquetFile(path).read().to_pylist()
    except (ArrowException, OSError) as error:
        raise bad_input("wrong.results.unread", path=path, why=error) from None
    return [
        {name: cell for name, cell in row.items() if cell is not None} for row in found
    ]


def _whole(path: Path, text: str) -> list[object] | None:
    """The rows of a JSON file; None where it is not one value."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise bad_input("wrong.references.deep", path=path) from None
    except ValueError:
        return None
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value:
        return _held(path, value)
    return [value]


def _held(path: Path, value: Mapping[str, Any]) -> list[object]:
    """The rows in an object: those of the list that it holds, of its columns, or
    itself.
    """
    inner = first_in(value, LISTS, list)
    if inner is not None and all(isinstance(one, dict) for one in inner):
        return list(inner)
    columns = list(value.values())
    # pandas: name to place to value
    if (
        all(isinstance(column, dict) for column in columns)
        and len({tuple(column) for column in columns}) == 1
    ):
        columns = [list(column.values()) for column in columns]
    if not all(isinstance(column, list) for column in columns):
        return [value]
    if len({len(column) for column in columns}) > 1:
        raise bad_input("wrong.lines.columns", path=path)
    return [
        dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)
    ]


def _table(
    path: Path, text: str, suffix: str, faults: list[str]
) -> Iterator[PlacedRow]:
    first = text.partition("\n")[0]
    mark = "\t" if suffix == ".tsv" else max(",;\t", key=first.count)
    csv.field_size_limit(max(LONGEST_CELL, csv.field_size_limit()))
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        reader.fieldnames = [name.strip() for name in reader.fieldnames or []]
        for number, cells in enumerate(reader, 1):
            where = f"{path}, line {reader.line_num}"
            if any(cell.strip() for cell in cells.get(None) or ()):
                faults.append(t("wrong.lines.cells", where=where))
                continue
            row = {
                name: _cell(cell)
                for name, cell in cells.items()
                if name and isinstance(cell, str) and cell.strip()
            }
            if row:
                yield PlacedRow(number, where, row)
    except csv.Error as error:
        raise bad_input("wrong.lines.csv", path=path, why=error) from None


def _cell(text: str) -> Any:
    """A list or an object, as JSON or Python writes it; else the text."""
    bare = text.strip()
    if bare[0] + bare[-1] not in ("[]", "{}"):
        return text
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        pass
    try:
        return _array(bare) or ast.literal_eval(bare)
    except (
        ValueError,
        SyntaxError,
        RecursionError,
        MemoryError,
        TypeError,
        tokenize.TokenError,
    ):
        return text


def _array(text: str) -> list[str] | None:
    """The texts of a list of nothing else.

    An array is printed without commas: Python takes texts that stand side by side for
    one.
    """
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            found.append(ast.literal_eval(token.string))
        elif token.string not in ("[", "]", ",", "") and token.type not in (
            tokenize.NL,
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
        ):
            return None
    if all(isinstance(one, str) for one in found):
        return found
    return None
