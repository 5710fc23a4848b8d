"""Assigns the lines of a batch to shards, and stores what is needed to merge them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...engines.batches.batch import Batch, mark_of
from ...engines.batches.lines import BatchLine
from ...engines.settings import Settings, settings_of
from ...engines.starting import Wishes
from ...sessions.errors import BadInput, bad_input
from ...sessions.files import read_text, write_whole
from ...sessions.methods import METHODS
from ...texts import t
from .shards import Shard

LINES = "lines.jsonl"
"""File with the lines of a shard, one per line, as read by the batch: reports need more
than their sessions contain.
"""


class ShardLine(NamedTuple):
    """A line of a shard, as stored in its folder."""

    place: int
    line: BatchLine
    empty: bool
    """The line has nothing to work on, so it has no session."""


@dataclass(frozen=True)
class ShardPart:
    """A shard of a batch. Implements `BatchPart`."""

    shard: Shard
    digest: str
    """Digest of all lines of the batch, including those of other shards."""
    lines: int
    """Number of lines in the batch."""
    places: Sequence[int]
    """Indexes of the shard's lines in the batch, from 0."""

    def entry(self, batch: Batch) -> dict[str, object]:
        """See `BatchPart`."""
        equivalence = batch.equivalence
        return {
            "index": self.shard.index,
            "of": self.shard.of,
            "digest": self.digest,
            "lines": self.lines,
            "method": batch.method.name,
            "kind": batch.lines_are,
            "skipped": batch.skipped,
            "equivalence": None if equivalence is None else equivalence.name,
        }

    def keep(self, folder: Path, batch: Batch) -> None:
        """See `BatchPart`. Writes the lines."""
        rows = zip(self.places, batch.lines, batch.headers, strict=True)
        write_whole(
            folder / LINES,
            "".join(_text(place, line, header is None) for place, line, header in rows),
        )


def deal(batch: Batch, shard: Shard) -> tuple[Batch, Sequence[int]]:
    """Returns the shard's part of a batch, and the indexes of its lines.

    Raises: BadInput if the part is empty.
    """
    places = [place for place in range(len(batch.lines)) if shard.has(place)]
    if not places:
        raise bad_input("wrong.shard.no_lines", shard=shard, lines=len(batch.lines))
    part = ShardPart(shard, digest_of([batch]), len(batch.lines), places)
    return replace(
        batch,
        lines=[batch.lines[place] for place in places],
        headers=[batch.headers[place] for place in places],
        part=part,
    ), places


def digest_of(batches: Iterable[Batch], *more: str) -> str:
    """A digest of all lines of these batches, and of everything that determines their
    sessions.
    """
    found = hashlib.sha256(json.dumps(more).encode())
    for batch in batches:
        for line, header in zip(batch.lines, batch.headers, strict=True):
            shape = [
                line.stored_as,
                _plain(line),
                None if header is None else mark_of(header),
            ]
            found.update(json.dumps(shape, sort_keys=True).encode() + b"\n")
    return f"sha256:{found.hexdigest()}"


def kept_lines(folder: Path, types: Sequence[type[BatchLine]]) -> list[ShardLine]:
    """Reads the lines of a shard. `types`: the line types of its kind of batch.

    Raises: BadInput if they are missing or cannot be read.
    """
    return list(_read(folder / LINES, {one.stored_as: one for one in types}))


def _read(path: Path, types: dict[str, type[BatchLine]]) -> Iterator[ShardLine]:
    for number, text in enumerate(read_text(path).split("\n"), 1):
        if text:
            try:
                row = json.loads(text)
                line = msgspec.convert(
                    row["line"], types[row["type"]], dec_hook=_settings
                )
                yield ShardLine(
                    int(row["place"]),
                    replace(
                        line, where=t("wrong.place.path_line", path=path, number=number)
                    ),
                    bool(row["empty"]),
                )
            except (ValueError, KeyError, TypeError, RecursionError, BadInput):
                raise bad_input("wrong.shard.lines", path=path, number=number) from None


def _text(place: int, line: BatchLine, empty: bool) -> str:
    row = {
        "place": place,
        "type": line.stored_as,
        "empty": empty,
        "line": _plain(line),
    }
    text = json.dumps(row, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(row)
    return text + "\n"


def _plain(line: BatchLine) -> Any:
    """The line as JSON. Omits its place, because the file may be elsewhere on another
    machine, and its options, which are in its session.
    """
    wishes = getattr(line, "wishes", None)
    less: dict[str, Any] = {
        "where": "",
        **({} if wishes is None else {"wishes": Wishes(wishes.declared)}),
    }
    return msgspec.to_builtins(replace(line, **less), enc_hook=_name)


def _name(value: Any) -> str:
    if isinstance(value, Settings):
        return value.method
    raise TypeError(type(value).__name__)


def _settings(type_: type, value: Any) -> Any:
    if type_ is Settings and value in METHODS:
        return settings_of(value)
    raise ValueError(type_.__name__)
