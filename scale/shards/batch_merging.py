"""Merges the folders of all shards of a batch into one folder. Calls no model, and
leaves the shards unchanged.

Call it again to continue after an interruption. If the shards and the merged folder
have the same session, and one continues the other, the longer one counts. So a merged
folder can be continued, and shards can be merged into it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...engines.batches import equivalence, run_journal
from ...engines.batches.batch import Player
from ...engines.batches.changes import join_changes
from ...engines.batches.folder import FORMAT, locked
from ...engines.batches.kind import BatchKind
from ...engines.batches.part import part_in
from ...engines.batches.report import SummaryRow
from ...engines.batches.results import document_of, write_page, write_results
from ...engines.figures.judge.answers import (
    COMPARED,
    EQUIVALENCE,
    Compared,
    read_answers,
)
from ...engines.reports.batch import BatchReport
from ...sessions.clean import json_line
from ...sessions.errors import (
    SessionError,
    bad_input,
    not_saved,
    unread,
)
from ...sessions.files import BATCH, FAILURES, PAGE, REPORT, SUMMARY, write_whole
from ...sessions.label_files import BESIDE, FOLDER
from ...sessions.label_join import joined_labels
from ...sessions.load import LIMIT, load
from ...sessions.session import Session
from ...texts import t
from .shard_lines import LINES, ShardLine, kept_lines
from .shards import Shard

MERGE = "merge.json"
"""Present in a folder from the start of a merge; names the merged shards."""
MERGE_FORMAT = "verifytui-merge/1"

Watch = Callable[[int, int], None]
"""Called with the number of sessions read and of all sessions."""


class ShardFolder(NamedTuple):
    """The folder of a shard, with its `batch.json`."""

    path: Path
    options: Mapping[str, Any]
    marks: Mapping[str, str]
    """Line → digest of what determines its session; lines without text have none."""
    clusters: Mapping[str, str]
    told: Mapping[str, Any]
    """The shard, as text."""

    @property
    def shard(self) -> Shard:
        return Shard(self.told["index"], self.told["of"])


def read_source(path: Path) -> ShardFolder:
    """Reads the shard in a folder. Raises: BadInput if there is none."""
    try:
        begun = json.loads((path / BATCH).read_bytes())
        told = begun.get("shard")
        if told is None:
            raise bad_input(
                "wrong.merge.merged"
                if (path / MERGE).exists()
                else "wrong.merge.whole",
                path=path,
            )
        source = ShardFolder(
            path,
            dict(begun["options"]),
            dict(begun["lines"]),
            dict(begun.get("clusters") or {}),
            dict(told),
        )
        if part_in(told, path / BATCH) is not None and _is_whole(told):
            return source
    except FileNotFoundError:
        raise bad_input("wrong.merge.no_shard", path=path) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise bad_input("wrong.merge.unread", path=path / BATCH)


def _is_whole(told: Mapping[str, object]) -> bool:
    return (
        isinstance(told["digest"], str)
        and isinstance(told["lines"], int)
        and isinstance(told["skipped"], int)
    )


def check_shards(shards: Sequence[tuple[Path, Shard]]) -> None:
    """Raises: BadInput if two folders are the same shard, or one is missing."""
    seen: dict[Shard, Path] = {}
    for path, shard in shards:
        if shard in seen:
            raise bad_input(
                "wrong.merge.same_shard", path=path, other=seen[shard], shard=shard
            )
        seen[shard] = path
    of = shards[0][1].of
    missing = [str(index) for index in range(1, of + 1) if Shard(index, of) not in seen]
    if missing:
        more = ", …" if len(missing) > 20 else ""
        raise bad_input(
            "wrong.merge.missing", names=", ".join(missing[:20]) + more, total=of
        )


def check_alike(sources: Sequence[ShardFolder]) -> None:
    """Raises: BadInput, with the difference, if the shards are of different batches."""
    first = sources[0]
    for source in sources[1:]:
        names = sorted(
            name
            for name in {*first.options, *source.options}
            if first.options.get(name) != source.options.get(name)
        )
        what = [t("wrong.merge.options", names=", ".join(names))] if names else []
        known = {
            "method": "method",
            "kind": "method",
            "of": "of",
            "equivalence": "equivalence",
            "lines": "digest",
            "digest": "digest",
        }
        what += [
            t(f"wrong.merge.{word}")
            for name, word in known.items()
            if first.told.get(name) != source.told.get(name)
        ]
        if what:
            raise bad_input(
                "wrong.merge.other", path=first.path, other=source.path, what=what[0]
            )


@dataclass
class Member:
    """A line of the merged batch, and the file of its session."""

    kept: ShardLine
    source: ShardFolder
    row: SummaryRow = field(init=False)
    longer: bool = False
    """The session in the merged folder continues that of the shard."""

    def __post_init__(self) -> None:
        self.row = SummaryRow(self.kept.line)


class Merge:
    """The shards of a batch, and the folder to merge them into."""

    def __init__(
        self, sources: Sequence[ShardFolder], into: Path, played: Player
    ) -> None:
        """`sources`: all shards of one batch.

        Raises: BadInput if their lines cannot be read.
        """
        self.sources = sorted(sources, key=lambda source: source.shard.index)
        self.into = into
        self.kind = _kind(self.sources[0], played)
        self._members = sorted(self._read(), key=lambda one: one.kept.place)
        self.rows = [member.row for member in self._members]
        self.report: BatchReport
        """Set by `write`, like `summary`."""
        self.summary: list[dict[str, object]] = []

    def _read(self) -> Iterator[Member]:
        seen: dict[str, Path] = {}
        for source in self.sources:
            kept = kept_lines(source.path, self.kind.line_types)
            if {one.line.id for one in kept if not one.empty} != set(source.marks):
                raise bad_input(
                    "wrong.shard.lines", path=source.path / LINES, number=len(kept)
                )
            for one in kept:
                if one.line.id in seen:
                    raise bad_input(
                        "wrong.merge.same_line",
                        path=source.path,
                        other=seen[one.line.id],
                        id=one.line.id,
                    )
                seen[one.line.id] = source.path
                yield Member(one, source)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the shards during the merge. Raises: BadInput."""
        with ExitStack() as locks:
            for source in self.sources:
                locks.enter_context(locked(source.path, BATCH))
            yield

    def check(self, watch: Watch) -> None:
        """Reads all sessions; writes nothing.

        Raises: BadInput if one is missing, unfinished or duplicate, or `into` has a
        different one.
        """
        begun: dict[tuple[str, str], Path] = {}
        left: dict[Path, int] = {}
        for number, member in enumerate(self._members, 1):
            watch(number, len(self._members))
            if member.kept.empty:
                member.row.leave_out(self.kind)
                continue
            session = self._session(member)
            if session is not None:
                member.row.take(session, self.kind)
            if session is None or member.row.status == "stopped":
                left[member.source.path] = left.get(member.source.path, 0) + 1
                continue
            path = member.source.path / member.kept.line.file
            other = begun.setdefault((session.header.id, session.header.created), path)
            if other != path:
                raise bad_input("wrong.merge.same_session", path=path, other=other)
        for source in self.sources:
            if source.path in left:
                lines = sum(member.source is source for member in self._members)
                raise bad_input(
                    "wrong.merge.unfinished",
                    path=source.path,
                    shard=source.shard,
                    n=left[source.path],
                    lines=lines,
                )

    def _session(self, member: Member) -> Session | None:
        """The session that counts; None if there is none."""
        path, here = (
            member.source.path / member.kept.line.file,
            self.into / member.kept.line.file,
        )
        data, old = _bytes(path), _bytes(here)
        if data is None:
            return None
        if old is not None and not data.startswith(old):
            if not old.startswith(data):
                raise bad_input("wrong.merge.apart", path=here, other=path)
            member.longer, data = True, old
        return _loaded(data, here if member.longer else path)

    def copy(self) -> None:
        """Copies sessions, labels and models' comparisons of answers.

        Raises: BadInput, SessionError, WriteError.
        """
        for member in self._members:
            file = member.kept.line.file
            if not member.kept.empty and not member.longer:
                put(self.into / file, _bytes(member.source.path / file) or b"")
            torn = _bytes(member.source.path / f"{file}.torn")
            if torn is not None:
                put(self.into / f"{file}.torn", torn)
        beside = {
            path.name
            for source in self.sources
            for path in source.path.glob(f"*{BESIDE}")
        }
        for place in (FOLDER, *sorted(beside)):
            join_labels(
                [source.path / place for source in self.sources], self.into / place
            )
        self._join_comparisons()
        join_changes([source.path for source in self.sources], self.into)

    def _join_comparisons(self) -> None:
        """Merges models' comparisons of answers, and adds them to their rows."""
        places = [*(source.path for source in self.sources), self.into]
        said = {}
        for one in (
            answer for place in places for answer in read_answers(place / EQUIVALENCE)
        ):
            if one.error is None or one.key not in said:
                said[one.key] = one
        if said:
            put(
                self.into / EQUIVALENCE,
                "".join(json_line(one.line) for one in said.values()).encode(),
            )
        model = self.sources[0].told.get("equivalence")
        if isinstance(model, str):
            for compared in COMPARED:
                found = equivalence.questions(model, self.rows, compared, {})
                equivalence.recall(found, said)
                self._measure_again(compared)

    def _measure_again(self, compared: Compared) -> None:
        """Takes the measures of answers that a model accepted."""
        for member in self._members:
            said = member.row.compared.get(compared)
            session = self._session(member) if said is not None and said.same else None
            if session is not None:
                member.row.measure(session, self.kind)

    def write(self, silence: Sequence[str] = ()) -> None:
        """Writes summary, report and page, and finally `batch.json`.

        Raises: BadInput, WriteError.
        """
        more: dict[str, object] = {
            "skipped": max(source.told["skipped"] for source in self.sources),
            "silence": silence,
        }
        self.report, self.summary = write_results(
            self.into,
            self.kind,
            self.rows,
            more,
        )
        document = document_of(
            self.report,
            self.kind,
            self.into.resolve().name,
            self.rows,
            lambda row: _loaded(_bytes(path := self.into / row.line.file) or b"", path),
        )
        write_page(self.into, document)
        marks = {
            member.kept.line.id: member.source.marks[member.kept.line.id]
            for member in self._members
            if not member.kept.empty
        }
        clusters = {
            name: cluster
            for source in self.sources
            for name, cluster in source.clusters.items()
        }
        kept = {"format": FORMAT, "options": self.sources[0].options, "lines": marks}
        if clusters:
            kept["clusters"] = {
                name: clusters[name] for name in marks if name in clusters
            }
        os.sync()  # once for all copies: the next file says that they are there
        write_whole(self.into / BATCH, json.dumps(kept, indent=1) + "\n")

    @property
    def left_behind(self) -> list[Path]:
        """Files in the shards that do not belong to the batch."""
        own = {
            BATCH,
            LINES,
            SUMMARY,
            FAILURES,
            REPORT,
            PAGE,
            EQUIVALENCE,
            run_journal.FILE,
            "control.jsonl",
            "run.log",
            "waves",
            FOLDER,
        }
        own |= {
            f"{member.kept.line.file}{end}"
            for member in self._members
            for end in ("", ".torn", ".lock", BESIDE)
        }
        found = (
            path for source in self.sources for path in sorted(source.path.iterdir())
        )
        return [
            path
            for path in found
            if path.name not in own
            and not path.name.startswith(".")
            and not path.name.endswith(".lock")
        ]


def merge_batch(
    folders: Sequence[Path],
    into: Path,
    methods: Callable[[str], Player],
    watch: Watch,
    silence: Sequence[str] = (),
) -> Merge:
    """Merges the folders of all shards of a batch. `silence`: ids of warnings.

    Raises: BadInput, SessionError, WriteError.
    """
    sources = [read_source(path) for path in folders]
    check_alike(sources)
    check_shards([(source.path, source.shard) for source in sources])
    merge = Merge(sources, into, methods(str(sources[0].told.get("method"))))
    digest, of = str(sources[0].told["digest"]), sources[0].shard.of
    check_target(into, folders, digest, of, BATCH)
    with merge.locked():
        merge.check(watch)
        with locked(into, BATCH):
            begin(into, digest, of)
            merge.copy()
            merge.write(silence)
    return merge


def check_target(
    into: Path, folders: Iterable[Path], digest: str, of: int, marker: str
) -> None:
    """Raises: BadInput if the merged batch cannot be written to this folder. `marker`:
    the file that names the present content.
    """
    if into.exists() and not into.is_dir():
        raise bad_input("wrong.batch.not_a_folder", path=into)
    if any(into.resolve() == path.resolve() for path in folders):
        raise bad_input("wrong.merge.into_shard", path=into)
    try:
        before = json.loads((into / MERGE).read_bytes())
        same = (before["format"], before["digest"], before["of"]) == (
            MERGE_FORMAT,
            digest,
            of,
        )
    except FileNotFoundError:
        same = not (into / marker).exists() and not any(into.glob("*.yaml"))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        same = False
    if not same:
        raise bad_input("wrong.merge.into", path=into)


def begin(into: Path, digest: str, of: int) -> None:
    """Records what is merged into a folder. Raises: BadInput, WriteError."""
    write_whole(
        into / MERGE,
        json.dumps({"format": MERGE_FORMAT, "digest": digest, "of": of}) + "\n",
    )


def join_labels(places: Iterable[Path], into: Path) -> None:
    """Merges the label files in folders by person, including those in `into`.

    Raises: BadInput, SessionError, WriteError.
    """
    found: dict[str, list[Path]] = {}
    for place in (*places, into):
        if place.is_dir():
            for path in sorted(place.glob("*.yaml")):
                found.setdefault(path.name, []).append(path)
    for name, paths in found.items():
        streams = [(str(path), _bytes(path) or b"") for path in paths]
        into.mkdir(mode=0o700, exist_ok=True)
        put(into / name, streams[0][1] if len(streams) == 1 else joined_labels(streams))


def put(path: Path, data: bytes) -> None:
    """Writes a file atomically, unless it already has this content.

    Raises: BadInput, WriteError on a full disk.
    """
    if _bytes(path) == data:
        return
    draft = path.with_name(f".{path.name}.merge")
    try:
        with os.fdopen(
            os.open(
                draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600
            ),
            "wb",
        ) as file:
            file.write(data)
        os.replace(draft, path)
    except OSError as error:
        raise not_saved(path, error) from None


def _bytes(path: Path) -> bytes | None:
    """The content of a file; None if it does not exist.

    Raises: BadInput if it cannot be read.
    """
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > LIMIT:
            raise SessionError(t("wrong.file.over", path=path))
        return path.read_bytes()
    except OSError as error:
        raise unread(path, error) from None


def _loaded(data: bytes, path: Path) -> Session:
    found = load(data, str(path))
    return Session(found.header, found.events)


def _kind(source: ShardFolder, played: Player) -> BatchKind:
    kind = played.batches.get(str(source.told.get("kind")))
    if kind is None:
        raise bad_input("wrong.merge.unread", path=source.path / BATCH)
    return kind
