"""Reads data sets in the form of BEIR: documents, queries, and levels of pairs of them.

A folder: `corpus.jsonl` {"_id", "title", "text"}, `queries.jsonl` {"_id", "text"}, and
`qrels/NAME.tsv` with the columns query-id, corpus-id and score (Thakur et al. 2021,
BEIR). A score is a level from 0 to 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...sessions.errors import bad_input, unread
from ...sessions.files import PLAIN_NAME
from ...texts import t

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
HEAD = ("query-id", "corpus-id", "score")
"""The first line of a file of levels."""
HIGHEST = 3
"""The highest level."""


class PairLevel(NamedTuple):
    """The level of a pair, 0 to 3."""

    query: str
    document: str
    level: int


class _TextLine(msgspec.Struct):
    id: str = msgspec.field(name="_id")
    text: str
    title: str = ""


@dataclass(frozen=True)
class EncoderTexts:
    """Texts by id. A document's text starts with its title, if it has one."""

    folder: Path
    documents: dict[str, str]
    queries: dict[str, str]
    digests: dict[str, str] = field(default_factory=dict)
    """File, relative to the folder → its SHA-256 in hexadecimal. Contains a file once
    it has been read.
    """

    def names(self) -> list[str]:
        """The names of the sets of levels in the folder."""
        return sorted(path.stem for path in (self.folder / QRELS).glob("*.tsv"))

    def labels(self, name: str) -> list[PairLevel]:
        """Reads the levels in `qrels/NAME.tsv`, in file order.

        Raises: BadInput if the file is missing or empty, for a malformed line or level,
        a duplicate pair, or an id without a text.
        """
        if not PLAIN_NAME.fullmatch(name) or name not in self.names():
            raise bad_input(
                "wrong.encoder.no_set",
                folder=self.folder,
                name=name,
                known=", ".join(self.names()) or "–",
            )
        file = f"{QRELS}/{name}.tsv"
        levels: dict[tuple[str, str], PairLevel] = {}
        for number, line in _lines(self.folder / file, self.digests, file):
            where = t("wrong.place.path_line", path=self.folder / file, number=number)
            columns = tuple(line.split("\t"))
            if number == 1:
                if columns != HEAD:
                    raise bad_input(
                        "wrong.encoder.head", where=where, header=" ".join(HEAD)
                    )
                continue
            label = self._label(columns, where)
            if levels.setdefault(label[:2], label) is not label:
                raise bad_input(
                    "wrong.encoder.twice_pair",
                    where=where,
                    query=label.query,
                    document=label.document,
                )
        if not levels:
            raise bad_input("wrong.encoder.empty", path=self.folder / file)
        return list(levels.values())

    def _label(self, columns: Sequence[str], where: str) -> PairLevel:
        if len(columns) != len(HEAD) or columns[2] not in [
            str(level) for level in range(HIGHEST + 1)
        ]:
            raise bad_input(
                "wrong.encoder.level",
                where=where,
                header=" ".join(HEAD),
                highest=HIGHEST,
            )
        query, document, level = columns
        for name, texts, file in (
            (query, self.queries, QUERIES),
            (document, self.documents, CORPUS),
        ):
            if name not in texts:
                raise bad_input(
                    "wrong.encoder.unknown", where=where, name=name, file=file
                )
        return PairLevel(query, document, int(level))


def read(folder: Path) -> EncoderTexts:
    """Reads the texts of a data set. Levels are read on request.

    Raises: BadInput if a folder or file is missing, or for a malformed line or
    duplicate id.
    """
    if not folder.is_dir():
        raise bad_input("wrong.encoder.no_folder", folder=folder)
    digests: dict[str, str] = {}
    documents = {
        text.id: f"{text.title}\n{text.text}" if text.title else text.text
        for text in _texts(folder, CORPUS, digests)
    }
    queries = {text.id: text.text for text in _texts(folder, QUERIES, digests)}
    return EncoderTexts(folder, documents, queries, digests)


def by_query(labels: Sequence[PairLevel]) -> dict[str, dict[str, int]]:
    """Levels by query and document, in the form that ranking measures take."""
    found: dict[str, dict[str, int]] = {}
    for label in labels:
        found.setdefault(label.query, {})[label.document] = label.level
    return found


def _texts(folder: Path, file: str, digests: dict[str, str]) -> Iterator[_TextLine]:
    decoder, seen = msgspec.json.Decoder(_TextLine), set()
    for number, line in _lines(folder / file, digests, file):
        where = t("wrong.place.path_line", path=folder / file, number=number)
        try:
            found = decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise bad_input("wrong.encoder.line", where=where, why=str(error)) from None
        if not found.id or found.id.split() != [found.id]:
            raise bad_input("wrong.encoder.id", where=where)
        if found.id in seen:
            raise bad_input("wrong.encoder.twice", where=where, name=found.id)
        seen.add(found.id)
        yield found
    if not seen:
        raise bad_input("wrong.encoder.empty", path=folder / file)


def _lines(path: Path, digests: dict[str, str], name: str) -> Iterator[tuple[int, str]]:
    """Yields non-blank lines with their numbers from 1. Records the digest of the file
    after the last one.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                digest.update(raw)
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip(
                    "\r\n"
                )
                if line.strip():
                    yield number, line
    except OSError as error:
        raise unread(path, error) from None
    except UnicodeDecodeError:
        raise bad_input("wrong.file.not_utf8", path=path) from None
    digests[name] = digest.hexdigest()
