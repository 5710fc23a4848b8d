"""Everything that can happen in a session, one struct per event: here what all methods
share, beside it a file for each method.

The field names are a public contract: docs/session-format.md lists them, `verifytui
schema` prints them as JSON Schema. Adding a field is free; renaming or dropping one is
not.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Literal, overload

import msgspec

from ..methods import BUILTIN, METHODS, module_of
from ..msgspec_types import known

Read = Literal["schema", "json", "sliced", "literal", "repaired", "unread"]
"""How a value was read from text, best first; `unread` means there is no value."""


class Event(msgspec.Struct, kw_only=True, tag_field="event"):
    """The fields of every event. The journal sets `number` and `time` on writing."""

    number: int = 0
    """Position in the session, from 1."""
    time: str = ""
    """UTC, ISO 8601 with milliseconds and `Z`."""

    rare: ClassVar[frozenset[str]] = frozenset()
    """Fields, as a file names them, that a document has only where they say something.
    """


class Usage(msgspec.Struct, kw_only=True):
    """Tokens of one event, summed over all its attempts.

    None is "unknown", which is not 0.
    """

    input: int | None = None
    output: int | None = None
    estimated: bool = False
    """True where any part of the figures is not the provider's own."""
    cached_input: int | msgspec.UnsetType = msgspec.UNSET
    """Tokens of the input that the provider found in its own cache; unset where it does
    not say.
    """
    saved: float | msgspec.UnsetType = msgspec.UNSET
    """US dollars that this cache made the input cheaper, less what filling it cost;
    unset where nothing was saved, or nobody knows what.
    """
    live_calls: int | msgspec.UnsetType = msgspec.UNSET
    """Calls of a small wave, which were made at once; unset where there were none."""
    live_cost: float | msgspec.UnsetType = msgspec.UNSET
    """US dollars of these calls, at the full price; unset where that is unknown."""


def total_usage(parts: Iterable[Usage | None]) -> Usage:
    """Sum usages.

    A figure that is unknown in one part is unknown in the sum. None is an unknown part.
    """
    known = [part or Usage() for part in parts]
    if len(known) == 1:
        return copy(known[0])
    cached = [
        part.cached_input for part in known if part.cached_input is not msgspec.UNSET
    ]
    saved = [part.saved for part in known if part.saved is not msgspec.UNSET]
    live = [one.live_calls for one in known if one.live_calls is not msgspec.UNSET]
    cost = [one.live_cost for one in known if one.live_cost is not msgspec.UNSET]
    return Usage(
        input=known_sum(part.input for part in known),
        output=known_sum(part.output for part in known),
        estimated=any(part.estimated for part in known),
        cached_input=sum(cached) if cached else msgspec.UNSET,
        saved=sum(saved) if saved else msgspec.UNSET,
        live_calls=sum(live) if live else msgspec.UNSET,
        live_cost=sum(cost) if cost else msgspec.UNSET,
    )


@overload
def known_sum(values: Iterable[int | None]) -> int | None: ...  # type: ignore[overload-overlap]
@overload
def known_sum(values: Iterable[float | None]) -> float | None: ...
def known_sum(values: Iterable[float | None]) -> float | None:
    """The sum of token counts or costs; None (unknown) where any of them is unknown."""
    total: float = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def all_held(
    parts: Iterable[LimitWait | msgspec.UnsetType],
) -> LimitWait | msgspec.UnsetType:
    """How long and how often calls were held up together; unset where none was."""
    known = [part for part in parts if isinstance(part, LimitWait)]
    if known:
        return LimitWait(
            waited=sum(part.waited for part in known),
            slowed=sum(part.slowed for part in known),
        )
    return msgspec.UNSET


class Change(Event, tag="change", kw_only=True):
    """The user changed something in mid-session: `title`, `settings.NAME` or
    `lineup.ROLE`. Holds from the next call.
    """

    field: str
    old: object = None
    new: object = None


class LimitWait(msgspec.Struct, kw_only=True):
    """How the limits of models held the calls of an event up."""

    waited: float = 0.0
    """Seconds before the calls might begin. `seconds` does not count them."""
    slowed: int = 0
    """How many of the calls were refused (429) and had their model slowed down."""


class Failure(Event, tag="failure", kw_only=True):
    """A call that brought nothing to keep.

    Engines ignore it; totals count its usage.
    """

    role: str
    kind: str
    """A word for programs: the kinds are listed in engines/models/port.py."""
    message: str
    """One sentence for people."""
    model: str = ""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    held: LimitWait | msgspec.UnsetType = msgspec.UNSET
    """As in `ReplyEvent`."""


class Note(Event, tag="note", kw_only=True):
    """A remark by a person, about an event (its number), a candidate (its id) or the
    whole session (None).
    """

    text: str
    about: int | str | None = None


class CachedTime(msgspec.Struct, kw_only=True):
    """The recorded duration of replies from the cache, summed. None is unknown."""

    input: int | None = None
    output: int | None = None
    estimated: bool = False
    cost: float | None = None
    seconds: float = 0.0
    calls: int = 0


class Vote(msgspec.Struct, kw_only=True):
    """The reply of one member of a panel, or the reason for a missing reply."""

    model: str
    """The real id that answered; of a member that failed, the one that was asked."""
    endpoint: str | msgspec.UnsetType = msgspec.UNSET
    fingerprint: str | msgspec.UnsetType = msgspec.UNSET
    """Both as in `ReplyEvent`."""
    name: str | msgspec.UnsetType = msgspec.UNSET
    """The user's own name for it; unset where it has none."""
    text: str = ""
    """The reply as it came, without its reasoning."""
    reasoning: str | None = None
    values: dict[str, bool | int | float | str] = {}
    """What it voted, by field of the reply; empty where nothing could be read.

    Answers that say the same are written alike.
    """
    read: Read = "unread"
    error: str | msgspec.UnsetType = msgspec.UNSET
    """Why there is no reply, in one sentence; unset where there is one."""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    finish: str | None = None
    attempts: int = 1
    cached: bool = False


class ReplyEvent(Event, kw_only=True):
    """The fields of events made by a model, a built-in or a person."""

    role: str
    model: str = ""
    """The real id that answered, or `human`, `script`, `lexical`."""
    endpoint: str | msgspec.UnsetType = msgspec.UNSET
    """Host and port that a language model answered at; never a path, a query or a key.
    Unset for built-ins and people, for panels (see `votes`), and in older files."""
    fingerprint: str | msgspec.UnsetType = msgspec.UNSET
    """The reply's `system_fingerprint`; unset where the provider sends none."""
    text: str = ""
    """The reply as it came, without its reasoning."""
    reasoning: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    """US dollars; None is unknown."""
    seconds: float = 0.0
    finish: str | None = None
    """Why the model stopped: `stop`, `length`, `content_filter` …; None if it did not
    say.
    """
    attempts: int = 1
    cached: bool = False
    took: CachedTime | msgspec.UnsetType = msgspec.UNSET
    """Set where a reply came from the cache: `usage`, `cost`, `seconds` and `attempts`
    count it as nothing.
    """
    held: LimitWait | msgspec.UnsetType = msgspec.UNSET
    """Set where the limits of the model held a call up."""
    altered: bool = False
    """True if the text held lone surrogates, which became U+FFFD, or a key that was
    sent, which is hidden.
    """
    dropped: list[str] = []
    """Parameters that the model does not take and that were left out."""
    votes: list[Vote] | msgspec.UnsetType = msgspec.UNSET
    """Set where a panel was asked: what each member said.

    Then `text` is what its rule makes of the votes, `model` names panel and members,
    and `usage`, `cost` and `attempts` are sums; `seconds` is how long the slowest took.
    """
    mark: str | msgspec.UnsetType = msgspec.UNSET
    """The mark that the reply was asked to carry, so that a verdict is known to be its
    own. Several, with spaces between, where a case was read in pieces. Unset where none
    was asked for: built-ins, people, free text, older files.
    """
    enforced: bool | msgspec.UnsetType = msgspec.UNSET
    """False where a JSON Schema was sent and the reply does not follow it: the server
    takes schemas and does not enforce them. Unset otherwise.
    """

    @property
    def ties(self) -> list[str]:
        """The fields on which half of a panel or more voted and no value won."""
        if self.votes is msgspec.UNSET:
            return []
        try:
            decided = msgspec.json.decode(self.text, type=dict[str, object])
        except msgspec.DecodeError:  # a file of others
            return []
        said = [name for vote in self.votes for name in vote.values]
        return [
            name
            for name in dict.fromkeys(said)
            if decided.get(name) is None and 2 * said.count(name) >= len(self.votes)
        ]

    @property
    def unreadable(self) -> bool:
        """Whether it has no value because replies could not be read: a tie is read."""
        return getattr(self, "read", None) == "unread" and not self.ties


class Reference(msgspec.Struct, kw_only=True):
    """One passage that an answer may cite."""

    n: int
    """The number in the brackets of a citation, from 1."""
    id: str
    title: str = ""
    file: str | None = None
    """The document it is in, as the index knows it; an address for a page of the
    web.
    """
    start: int | None = None
    """Offsets into the document's text, in characters; None where there is no document.
    """
    end: int | None = None
    score: float | None = None
    """The retriever's own figure (BM25 for a corpus); None where it gave none."""
    text: str = ""
    embed_score: float | None = None
    """Cosine similarity of the embedding model, with `--embed`."""
    rerank_score: float | None = None
    """The reranking model's figure, with `--rerank`."""
    flags: list[str] = []
    """`instructions`: it talks to the model; `marks`: it carries forged `[n]` marks;
    `snippet`: only a search engine's excerpt.
    """
    pinned: bool = False
    """Kept by the user in every later retrieval."""
    found_by: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    """Where more than one index was searched: its place in each that found it, from 1
    (`bm25`, `dense`).
    """
    dense_score: float | msgspec.UnsetType | None = msgspec.UNSET
    """Cosine similarity in the dense index; unset where none was searched."""
    alike: list[str] | msgspec.UnsetType = msgspec.UNSET
    """Ids of passages that say nearly the same and were left out for this one."""
    metadata: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """Facts that the document's file states, by name: version, author; unset without
    any. Of a corpus, also the `page` of a PDF that the passage begins on, from 1.
    """

    @property
    def place(self) -> str:
        """The file, with the page of a PDF from a corpus."""
        file, about = self.file or "", self.metadata or {}
        if "page" in about and self.id.startswith(f"{file}@"):
            return f"{file} p. {about['page']}"
        return file


class Result(Event, kw_only=True):
    """How a session ended: the last event that a method makes.

    Each method has its own, under the tag `result`.
    """


class UnknownEvent(Event, tag="raw", kw_only=True):
    """An event of a method that this version does not know, as it is in the file:
    it is shown and kept, and nothing acts on it.
    """

    kind: str
    """What the file calls it."""
    fields: dict[str, Any] = {}
    """All of its document, `event`, `number` and `time` included."""


def plain(struct: msgspec.Struct) -> dict[str, object]:
    """An event, or the header, as a mapping of plain values, as its document in the
    file has it.
    """
    if isinstance(struct, UnknownEvent):
        return dict(struct.fields)
    mapping: dict[str, object] = msgspec.to_builtins(struct)
    rare = struct.rare if isinstance(struct, Event) else ()
    if rare:
        return {
            name: value for name, value in mapping.items() if value or name not in rare
        }
    return mapping


@cache
def event_types(method: str) -> Any:
    """The union of a method's event types, as msgspec reads and writes them; None for a
    method that this version does not know.
    """
    if method in METHODS:
        if method in BUILTIN:
            return known(import_module(f".{method}", __name__).EVENTS)
        return known(module_of(method, "events").EVENTS)
    return None


def rated(method: str) -> bool:
    """True if events of this method hold levels of relevance: scores of the machine,
    labels of people.
    """
    return "label" in event_kinds(method)


@cache
def event_kinds(method: str) -> dict[str, type[Event]]:
    """Kind of event (`speech`, …) to its struct; of an unknown method only the kinds
    that all methods share.
    """
    union = event_types(method)
    kinds: tuple[type[Event], ...] = (
        (Change, Failure, Note) if union is None else union.__args__
    )
    return {str(kind.__struct_config__.tag): kind for kind in kinds}
