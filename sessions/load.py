"""Reads a session file: from bytes to a header and its events, or one sentence about
what is wrong.

A session file may come from anyone. So: UTF-8 only, 64 MB at most, no aliases, merge
keys or tags, no deep nesting (libyaml's composer recurses in C and would crash), and
values are built from nodes here, never by a general constructor.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..texts import t
from .clean import clean
from .errors import SessionError
from .events import Change, Event, UnknownEvent, event_kinds, event_types
from .fast_yaml import read_written
from .methods import WORKSPACES
from .msgspec_types import known
from .session import FORMAT, Header, Seat

if TYPE_CHECKING:
    import yaml

LIMIT = 64 * 1024 * 1024
"""Most bytes of a session file."""

_MAX_DEPTH = 100
_END = re.compile(rb"\.\.\.(?:[ \t][^\n]*)?\r?(?:\n|\Z)")
"""The end of a document, where a line begins with it."""
_NOTHING = re.compile(rb"(?:[ \t\r]*(?:#[^\n]*)?(?:\n|\Z))*")
_FORMAT_LINE = re.compile(
    rb"^[\"']?format[\"']?:[ \t]*[\"']?verifytui/(\d{1,9}(?:\.\d{1,9}){0,3})",
    re.MULTILINE,
)
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?(?:---[ \t]*\r?\n)?format:")
_NEWLINE = ord("\n")
_NO_SESSION = t("wrong.load.no_format", format=FORMAT)
_OPENERS = (b"[", b"{", b"- ", b"? ")


class LoadedFile(NamedTuple):
    """The content of a session file."""

    header: Header
    events: list[Event]
    ends: list[int]
    """Byte offsets where the header and then each event end."""
    torn: int
    """Bytes of an incomplete document after the last whole one."""


def load_file(path: Path, name: str) -> LoadedFile:
    """As `load`, of a file. Raises: OSError, SessionError."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return load(file.read(min(size, LIMIT) + 1), name)


def load(data: bytes, name: str) -> LoadedFile:
    """Reads a whole file. `name` is its name in errors.

    Raises: SessionError if it is not a session that this version reads.
    """
    if len(data) > LIMIT:
        raise SessionError(t("wrong.file.over", path=name))
    if not data.strip():
        raise SessionError(t("wrong.load.empty", name=name))
    _refuse_newer(data[:65536], name)
    body = memoryview(data)
    ends: list[int] = []
    header: Header | None = None
    events: list[Event] = []
    for start, end in chunks(data):
        mapping = (
            read_document(data, start, end, name)
            if header is not None
            else _first_document(data, start, end, name)
        )
        if mapping is None:
            continue
        if header is None:
            header = read_header(mapping, name)
        else:
            events.append(
                read_event(
                    mapping, header.method or header.workspace, len(events) + 1, name
                )
            )
        ends.append(end)
    if header is None:
        cut = t("wrong.load.first_cut") if _BEGINNING.match(data) else _NO_SESSION
        raise SessionError(t("wrong.load.no_session", name=name, why=cut))
    tail = body[ends[-1] :]
    return LoadedFile(
        header,
        events,
        ends,
        0 if is_nothing(bytes(tail)) else len(tail),
    )


def chunks(data: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
    """Where each whole document from byte `start` on begins and ends."""
    for match in _END.finditer(data, start):
        if match.start() == 0 or data[match.start() - 1] == _NEWLINE:
            yield start, match.end()
            start = match.end()


def is_nothing(data: bytes) -> bool:
    """Whether there are only blank lines and comments."""
    return _NOTHING.fullmatch(data) is not None


def read_header(mapping: dict[str, object], name: str) -> Header:
    """Reads the header.

    Raises: SessionError if it is not that of a session that this version reads.
    """
    form = mapping.get("format")
    if form != FORMAT:
        raise SessionError(t("wrong.load.no_session", name=name, why=_NO_SESSION))
    try:
        header = msgspec.convert(mapping, known(Header))
    except msgspec.ValidationError as error:
        raise SessionError(
            t("wrong.load.header", name=name, why=_brief(error))
        ) from None
    if header.workspace not in WORKSPACES:
        raise SessionError(
            t(
                "wrong.load.workspace",
                name=name,
                workspace=header.workspace[:40],
                names=", ".join(WORKSPACES),
            )
        )
    return header


def read_event(
    mapping: dict[str, object], method: str, number: int, name: str
) -> Event:
    """Reads one event; `UnknownEvent` if the method is not known.

    Raises: SessionError if it is not an event of the method, or not the one with this
    number.
    """
    try:
        event = (
            _raw(mapping) if event_types(method) is None else _typed(mapping, method)
        )
        if (
            isinstance(event, Change)
            and event.field.startswith("lineup.")
            and event.new is not None
        ):
            msgspec.convert(event.new, known(Seat))
    except msgspec.ValidationError as error:
        kind = mapping.get("event")
        if isinstance(kind, str) and kind not in event_kinds(method):
            raise SessionError(
                t("wrong.load.kind", number=number, name=name, kind=kind[:40])
            ) from None
        raise SessionError(
            t("wrong.load.event", number=number, name=name, why=_brief(error))
        ) from None
    if event.number != number:
        raise SessionError(
            t("wrong.load.damaged", name=name, found=event.number, expected=number)
        )
    return event


def _typed(mapping: dict[str, object], method: str) -> Event:
    event: Event = msgspec.convert(mapping, event_types(method))
    return event


def _raw(mapping: dict[str, object]) -> Event:
    """An event of an unknown method.

    Those that all methods share are read as always.
    """
    shared = event_kinds("").get(str(mapping.get("event")))
    if shared is not None:
        return msgspec.convert(mapping, known(shared))
    head = msgspec.convert(
        {name: mapping.get(name) for name in ("event", "number", "time")}, known(_Head)
    )
    return UnknownEvent(
        number=head.number, time=head.time, kind=head.event, fields=mapping
    )


class _Head(msgspec.Struct):
    """The fields at the start of every event."""

    event: str
    number: int
    time: str


def _refuse_newer(head: bytes, name: str) -> None:
    """Checks the format first: this reader may refuse other things in a newer
    format.
    """
    found = _FORMAT_LINE.search(head)
    if found and [int(part) for part in found[1].split(b".")] > [1]:
        newer = f"verifytui/{found[1].decode()}"
        raise SessionError(t("wrong.load.newer", name=name, newer=newer, format=FORMAT))


def read_document(
    data: bytes, start: int, end: int, name: str
) -> dict[str, object] | None:
    """The document between two byte offsets as plain values; None if it has only
    comments.

    Raises: SessionError if it cannot be read.
    """
    written = (
        read_written(data[start:end]) if data.startswith(b"---\n", start) else None
    )
    if written is None:
        return read_yaml(data, start, end, name)
    return written


def read_yaml(data: bytes, start: int, end: int, name: str) -> dict[str, object] | None:
    """As `read_document`, however it is written."""
    import yaml

    chunk = data[start:end]
    reader = _reader(yaml.__with_libyaml__)
    try:
        chunk.decode()
        check_depth(chunk)
        node = reader(chunk).get_single_node()
        if node is None:
            return None
        if node.tag != "mapping":
            raise _refused(
                t(
                    "wrong.load.no_mapping",
                    kind="list" if node.tag == "sequence" else "single value",
                ),
                node,
            )
        built: dict[str, object] = _build(node, 0)
        return built
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        problem = error.problem or error.context or t("wrong.load.no_yaml")
    except yaml.reader.ReaderError as error:
        mark, problem = None, t("wrong.load.control", reason=error.reason)
    except UnicodeDecodeError:
        mark, problem = None, t("wrong.load.no_utf8")
    except ValueError as error:
        mark, problem = None, str(error)
    line = data.count(b"\n", 0, start) + 1 + (mark.line if mark else 0)
    raise SessionError(t("wrong.load.line", name=name, line=line, why=_brief(problem)))


_FIELD = re.compile(rb"([a-z_]+):(?: [^\n]+)?\n(?:[ ][^\n]*\n|\n)*")
"""One field of a document: its line, and the indented and empty lines below."""
_SHARED = frozenset({b"prompts", b"settings", b"lineup", b"versions"})
"""Fields of a header that are most of it, and the same in all sessions of a batch."""
_LONGEST_SHARED = 256 * 1024


def _first_document(
    data: bytes, start: int, end: int, name: str
) -> dict[str, object] | None:
    """As `read_document`, but each field by itself: one read before is not read again.

    A field that is a whole document with one key is the same among others. A header
    with any other field or line is read as a whole, and refused there.
    """
    chunk = bytes(data[start:end])
    try:
        fields = _fields(chunk)
    except SessionError:
        fields = None
    if fields is None:
        return read_document(data, start, end, name)
    return fields


def _fields(chunk: bytes) -> dict[str, object] | None:
    """The fields of a document that is nothing but fields; None for any other one.

    Raises: SessionError if a field cannot be read by itself.
    """
    fields: dict[str, object] = {}
    place = anchored = 0
    while match := _FIELD.match(chunk, place):
        place = match.end()
        name, content = match[1].decode(), match[0]
        shared = match[1] in _SHARED and len(content) <= _LONGEST_SHARED
        field = _shared_field(content) if shared else _field(content)
        anchored += b"&" in content
        if name in fields or list(field) != [name] or anchored > 1:
            return None  # two fields may have one anchor, which is refused
        fields |= field
    if fields and chunk[place:] == b"...\n":
        return fields
    return None


def _field(content: bytes) -> dict[str, object]:
    written = read_written(b"---\n" + content + b"...\n")
    if written is None:
        return read_yaml(content, 0, len(content), "") or {}
    return written


_shared_field = lru_cache(maxsize=64)(_field)


def _brief(problem: object) -> str:
    """The first line of a library's message, since the message may quote the file."""
    text = clean(str(problem), newlines=False)
    if len(text) <= 200:
        return text
    return text[:200] + " …"


def check_depth(chunk: bytes) -> None:
    """Follows the parser's events, which needs no recursion, where a text could be
    nested deeply: libyaml's composer would end the process.

    Raises: yaml.YAMLError for deep nesting, and for what is no YAML.
    """
    if sum(map(chunk.count, _OPENERS)) <= 200 and b" " * 400 not in chunk:
        return
    import yaml

    depth = 0
    event: Any
    for event in yaml.parse(
        chunk, yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    ):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_DEPTH:
            raise yaml.MarkedYAMLError(
                problem=t("wrong.load.deep", most=_MAX_DEPTH),
                problem_mark=event.start_mark,
            )


def _refused(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    import yaml

    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


@cache
def _reader(fast: bool) -> Any:
    """A composer whose nodes keep our own short tags, so that a tag written in the file
    is recognized and rejected.
    """
    import yaml

    resolvers = yaml.resolver.Resolver.yaml_implicit_resolvers
    scalar = yaml.ScalarNode

    class Tags:
        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            if kind is not scalar:
                return str(kind.id)
            if implicit[0]:
                for tag, pattern in resolvers.get(value[:1], ()):
                    if pattern.match(value):
                        return _SHORT.get(tag) or str(tag)
            return "str"

        def descend_resolver(self, *_: object) -> None: ...

        def ascend_resolver(self) -> None: ...

    if fast:
        from yaml._yaml import CParser

        return type("FastReader", (Tags, CParser), {})

    class PlainReader(
        Tags,
        yaml.reader.Reader,
        yaml.scanner.Scanner,
        yaml.parser.Parser,
        yaml.composer.Composer,
    ):
        def __init__(self, stream: bytes) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)
            yaml.composer.Composer.__init__(self)

    return PlainReader


_YAML = "tag:yaml.org,2002:"
_SHORT = {
    _YAML + "null": "null",
    _YAML + "bool": "bool",
    _YAML + "int": "int",
    _YAML + "float": "float",
    _YAML + "timestamp": "str",
}
_PLAIN_INT = re.compile(r"-?(0|[1-9][0-9]*)")
_PLAIN_FLOAT = re.compile(r"-?[0-9]+\.[0-9]+")


def _build(node: Any, depth: int) -> Any:
    """The value of a node.

    Each node is marked when met: one met again was reached through an alias.
    """
    tag, node.tag = node.tag, "met"
    if tag == "str":
        return node.value
    if tag == "mapping":
        return _mapping(node, depth)
    if tag == "sequence":
        _check_depth(node, depth)
        return [_build(item, depth + 1) for item in node.value]
    if tag == "null":
        return None
    if tag == "bool":
        return node.value.lower() in ("yes", "true", "on")
    if tag == "int":
        if _PLAIN_INT.fullmatch(node.value):
            return int(node.value)
        return _odd_number(node, tag)
    if tag == "float":
        if _PLAIN_FLOAT.fullmatch(node.value):
            return float(node.value)
        return _odd_number(node, tag)
    raise _refused(_why_not(tag, t("wrong.load.tag", tag=tag[:60])), node)


def _mapping(node: Any, depth: int) -> dict[str, object]:
    _check_depth(node, depth)
    mapping = {}
    for key, value in node.value:
        if key.tag != "str":
            raise _refused(_why_not(key.tag, t("wrong.load.field_name")), key)
        mapping[key.value] = _build(value, depth + 1)
        key.tag = "met"
    if len(mapping) != len(node.value):
        raise _refused(t("wrong.load.field_twice"), node)
    return mapping


def _check_depth(node: Any, depth: int) -> None:
    if depth >= _MAX_DEPTH:
        raise _refused(t("wrong.load.deep", most=_MAX_DEPTH), node)


def _why_not(tag: str, otherwise: str) -> str:
    if tag == "met":
        return t("wrong.load.alias")
    if tag == _YAML + "merge":
        return t("wrong.load.merge")
    return otherwise


def _odd_number(node: Any, kind: str) -> Any:
    """Numbers as YAML 1.1 also writes them: 1_000, 0x1f, 017, 1:30, .inf."""
    import yaml

    make = yaml.constructor.SafeConstructor()
    if kind == "int":
        return make.construct_yaml_int(node)
    return make.construct_yaml_float(node)
