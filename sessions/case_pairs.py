"""The pairs of cases that sessions hold, each known by a digest of both texts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..texts import t
from .errors import BadInput, SessionError, unread
from .events import rated
from .events.labels import Label, Reveal
from .label_files import is_level
from .load import LIMIT, chunks, load, read_document, read_header
from .session import Header


class Key(NamedTuple):
    """Identifies the pair that a label is about."""

    subject: str
    """The digest of a pair; or the id of a session, for what is no pair of one."""
    item: str = ""
    """Id in the session: the rated item, or a candidate whose text is unknown."""
    measure: str = ""
    """Empty: the level of relevance."""

    @classmethod
    def of(cls, event: Label | Reveal) -> Key:
        if event.pair:
            return cls(event.pair)
        if isinstance(event, Reveal):
            return cls(event.session, event.candidate)
        return cls(event.session, event.candidate or event.item, event.measure)


def pair_digest(query: str, candidate: str) -> str:
    """The SHA-256 of both texts in UTF-8, with a zero byte between them.

    Line breaks at the end of a text do not count; all else does.
    """
    both = query.rstrip("\n") + "\0" + candidate.rstrip("\n")
    return "sha256:" + hashlib.sha256(both.encode("utf-8", "replace")).hexdigest()


class PairPlace(NamedTuple):
    """A pair as one session holds it."""

    path: Path
    session: str
    query: str
    candidate: str
    pair: str
    """The digest."""
    gold: int | None = None
    """The level that the data give it."""


@dataclass(frozen=True)
class PairAt:
    """A pair of cases, and where it stands."""

    places: tuple[PairPlace, ...]
    """The sessions that hold it: temperatures and repeats, forks, other ids."""

    @property
    def key(self) -> Key:
        """The key of the pair's labels."""
        return Key(self.places[0].pair)

    def label(self, label: Label) -> Label:
        """A label, made to be about this pair."""
        first = self.places[0]
        label.session, label.candidate = first.session, first.candidate
        label.pair = first.pair
        return label

    @property
    def path(self) -> Path:
        """The first session file that holds it."""
        return self.places[0].path

    @property
    def session(self) -> str:
        """The id of that session."""
        return self.places[0].session

    @property
    def query(self) -> str:
        return self.places[0].query

    @property
    def candidate(self) -> str:
        return self.places[0].candidate

    @property
    def gold(self) -> int | None:
        """The level that the data give it."""
        return next((one.gold for one in self.places if one.gold is not None), None)


def session_files(path: Path) -> list[Path]:
    """The session file, or those of a folder, by name."""
    if path.is_dir():
        return sorted(one for one in path.glob("*.yaml") if one.is_file())
    return [path]


def gathered(path: Path, places: Iterable[PairPlace]) -> list[PairAt]:
    """Collect the pairs at these paths, each once. Raises: BadInput if there are
    none.
    """
    found: dict[str, list[PairPlace]] = {}
    for place in places:
        found.setdefault(place.pair, []).append(place)
    if found:
        return [PairAt(tuple(one)) for one in found.values()]
    if not path.is_dir():
        header = load(file_bytes(path), str(path)).header
        if not rated(header.method or header.workspace):
            raise BadInput(
                t("wrong.labels.not_rated", file=path, workspace=header.workspace)
            )
    raise BadInput(t("wrong.labels.nothing_here", path=path))


def digests(header: Header) -> dict[str, str]:
    """Candidate to the digest of its pair, in the order given."""
    return {one.candidate: one.pair for one in _places(Path(), header)}


def places_in(file: Path, data: bytes) -> list[PairPlace]:
    """Return the pairs of a session, reading only its header. Raises: SessionError."""
    quick = _quick(file, data)
    if quick is not None:
        return quick
    bounds = next(chunks(data), None)
    mapping = read_document(data, *bounds, str(file)) if bounds is not None else None
    if mapping is None:
        load(data, str(file))  # says what is wrong
        return []
    header = read_header(mapping, str(file))
    if not rated(header.method or header.workspace):
        return []
    return list(_places(file, header))


def _places(file: Path, header: Header) -> Iterator[PairPlace]:
    query, given = header.task.get("query"), header.task.get("candidates")
    asked: Mapping[str, object] = query if isinstance(query, Mapping) else {}
    text = str(asked.get("text", ""))
    for case in given if isinstance(given, list) else ():
        if not isinstance(case, Mapping) or "id" not in case:
            continue
        level = case.get("gold")
        yield PairPlace(
            file,
            header.id,
            str(asked.get("id", "")),
            str(case["id"]),
            pair_digest(text, str(case.get("text", ""))),
            level if type(level) is int and is_level(level) else None,
        )


_HEAD = re.compile(
    rb"format: verifytui/1\nid: ([\w-]+)\nworkspace: (\w+)\nmethod: (\w+)\n"
)
_ID = rb'([A-Za-z][\w.-]*|"[^"\\\n]*")'
_QUERY = re.compile(
    rb"\ntask:\n  query:\n    id: "
    + _ID
    + rb"\n    text: \|2[+-]?\n((?:      [^\n]*\n|\n)+)(?:    title: [^\n]*\n)?  "
    rb"candidates:\n"
)
_CANDIDATE = re.compile(
    rb"    - id: "
    + _ID
    + rb"\n      text: \|2[+-]?\n((?:        [^\n]*\n|\n)+)((?:      (?:title"
    rb"|gold): [^\n]*\n)*)"
)
_GOLD = re.compile(rb"(?:^|\n)      gold: ([0-3])\n")


def _quick(file: Path, data: bytes) -> list[PairPlace] | None:
    """The same for a file as this program writes it, without reading all of its YAML;
    None for any other layout.
    """
    head = _HEAD.match(data)
    asked = _QUERY.search(data, head.end()) if head is not None else None
    if (
        head is None
        or asked is None
        or not rated(head[3].decode())
        or data.find(b"\n...\n", 0, asked.start()) >= 0
    ):
        return None
    found: list[PairPlace] = []
    session, query = head[1].decode(), _id(asked[1])
    text, end = _text(asked[2], 6), asked.end()
    while (one := _CANDIDATE.match(data, end)) is not None:
        level = _GOLD.search(one[3])
        pair = pair_digest(text, _text(one[2], 8))
        gold = int(level[1]) if level else None
        found.append(
            PairPlace(
                file,
                session,
                query,
                _id(one[1]),
                pair,
                gold,
            )
        )
        end = one.end()
    if found and data.startswith(b"lineup:", end):
        return found
    return None


def _text(block: bytes, indent: int) -> str:
    return "\n".join(
        line[indent:] for line in block.decode("utf-8", "replace").split("\n")
    ).rstrip("\n")


def _id(written: bytes) -> str:
    text = written.decode("utf-8", "replace")
    if text.startswith('"'):
        return str(json.loads(text))
    return text


def file_bytes(file: Path) -> bytes:
    """Read a session file. Raises: SessionError."""
    try:
        if file.stat().st_size > LIMIT:
            raise SessionError(t("wrong.file.over", path=file))
        return file.read_bytes()
    except OSError as error:
        raise unread(file, error, SessionError) from None
