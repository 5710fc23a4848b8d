"""Days of work on a disk, each with one part of the program: what it promises to keep,
and what is found.

A day can be lived again: it goes on with what is there.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from verifytui.engines.api import batch
from verifytui.engines.batches.registry import enlist, forget, records
from verifytui.engines.batches.run import Outcome
from verifytui.engines.debate.method import new_debate
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.compare import CompareOptions, compare
from verifytui.engines.figures.runs import read_run
from verifytui.engines.models.cache import Cache
from verifytui.engines.models.port import ModelError, ModelReply
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.engines.retrieval.home import CorpusFolder
from verifytui.engines.retrieval.index import Data
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.events import Note
from verifytui.sessions.events.labels import Label
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.sessions.library import Library
from verifytui.sessions.paths import Paths, paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.solo_runs import LINES, solo_run, write_lines
from verifytui.tests.support.worlds import told as without_times

SENTENCES = (BadInput, RetrievalError, ModelError)
"""What a command or the app shows as one sentence."""

Found = dict[str, str]
Made = TypeVar("Made")


class Stopped(Exception):
    """The disk failed twice at the same thing: the day is over."""


class Told:
    """What the program has said so far: `begun KEY VALUE`, `kept KEY VALUE`, and
    sentences.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        """`descriptor`: where each is written at once, so that it outlives a kill."""
        self._descriptor = descriptor
        self._write = os.write

    def begin(self, key: str, value: str) -> None:
        self.note("begun", key, value)

    def keep(self, key: str, value: str) -> None:
        self.note("kept", key, value)

    def attempt(self, call: Callable[[], Made]) -> Made:
        """Calls, and once more after a sentence. Raises: Stopped after a second one."""
        try:
            return call()
        except SENTENCES as error:
            self.note("said", str(error))
        try:
            return call()
        except SENTENCES as error:
            self.note("said", str(error))
            raise Stopped from None

    def note(self, kind: str, key: str, value: str = "") -> None:
        if self._descriptor is not None:
            line = json.dumps([kind, key, value]) + "\n"
            self._write(self._descriptor, line.encode())


class Day(Protocol):
    """A day of work below a folder."""

    def prepare(self, root: Path) -> None:
        """What is there before."""

    def live(self, root: Path, told: Told) -> None: ...

    def found(self, root: Path) -> Found:
        """What is on the disk, by key."""


class SessionsDay:
    """Sessions are written, forked, renamed, copied, deleted and brought back."""

    EVENTS = 8

    def prepare(self, root: Path) -> None:
        _places(root).sessions.mkdir(parents=True)

    def live(self, root: Path, told: Told) -> None:
        one, two = (_places(root).sessions / name for name in ("one.yaml", "two.yaml"))
        journal = told.attempt(lambda: self._open(one))
        try:
            self._write(journal, told)
            if not two.exists():
                fork = told.attempt(lambda: self._fork(journal, two, told))
                told.attempt(fork.close)
                self._kept(two, told.keep)
        finally:
            journal.close()
        self._tidy(root, one, told)

    def _open(self, path: Path) -> Journal:
        journal = Journal.open(path) if path.exists() else self._create(path)
        if not journal.writable:
            journal.close()
            raise SessionError(journal.why_read_only or "")
        return journal

    def _create(self, path: Path) -> Journal:
        seats = {
            role: Seat(model="script")
            for role in ("affirmative", "negative", "judge", "observer", "baseline")
        }
        return Journal.create(
            path, new_debate(topic="Why?", lineup=seats, prompts=load("en"))
        )

    def _write(self, journal: Journal, told: Told) -> None:
        for number in range(len(journal.session.events) + 1, self.EVENTS + 1):
            journal.sync_later = number > self.EVENTS // 2
            key, text = f"one.yaml {number}", f"event {number}"
            told.begin(key, text)
            told.attempt(lambda text=text: journal.append(Note(text=text)))  # type: ignore[misc]
            told.attempt(journal.sync)
            told.keep(key, text)

    def _fork(self, journal: Journal, path: Path, told: Told) -> Journal:
        for number in range(1, 5):
            told.begin(f"two.yaml {number}", f"event {number}")
        told.begin("two.yaml 5", "change lineup.judge")
        judge = {"judge": Seat(model="script", params={"seed": 1})}
        return journal.fork(path, 4, "fork", lineup=judge)

    def _kept(self, path: Path, keep: Callable[[str, str], None]) -> None:
        with Journal.open(path, write=False) as journal:
            for event in journal.session.events:
                words = getattr(event, "text", None)
                what = words or f"change {getattr(event, 'field', '')}"
                keep(f"{path.name} {event.number}", what)

    def _tidy(self, root: Path, one: Path, told: Told) -> None:
        library = Library(_places(root))
        with Journal.open(one, write=False) as journal:
            title = journal.session.title
        if title != "Renamed":
            told.begin("one.yaml 9", "change title")
            told.attempt(lambda: library.rename(one, "Renamed"))
            told.keep("one.yaml 9", "change title")
        if not self._copies(root):
            told.begin("copy", "sessions")
            told.attempt(lambda: library.duplicate(one))
            told.keep("copy", "sessions")
        (copy,) = self._copies(root)
        if copy.parent == _places(root).sessions:
            told.begin("copy", "bin")
            copy = told.attempt(lambda: library.delete(copy))
            told.keep("copy", "bin")
        told.begin("copy", "sessions")
        told.attempt(lambda: library.restore(copy))
        told.keep("copy", "sessions")

    def _copies(self, root: Path) -> list[Path]:
        places = _places(root)
        known = (places.sessions / "one.yaml", places.sessions / "two.yaml")
        return [
            path
            for folder in (places.sessions, places.bin)
            for path in sorted(folder.glob("*.yaml"))
            if path not in known and path.stat().st_size
        ]

    def found(self, root: Path) -> Found:
        made: Found = {}
        for name in ("one.yaml", "two.yaml"):
            path = _places(root).sessions / name
            if path.exists() and path.stat().st_size:
                self._kept(path, made.__setitem__)
        copies = self._copies(root)
        if copies:
            made["copy"] = " and ".join(path.parent.name for path in copies)
        return made


class LabelsDay:
    """Two people label the cases of a folder."""

    def prepare(self, root: Path) -> None: ...

    def live(self, root: Path, told: Told) -> None:
        for name in ("Anna", "Bo"):
            file = told.attempt(lambda name=name: LabelFile.open(root, name))  # type: ignore[misc]
            with file:
                for number in range(len(file.own) + 1, 7):
                    key, value = f"{name} c{number}", number % 4
                    told.begin(key, str(value))
                    label = Label(session="s", candidate=f"c{number}", value=value)
                    told.attempt(lambda label=label, file=file: file.append(label))  # type: ignore[misc]
                    told.keep(key, str(value))

    def found(self, root: Path) -> Found:
        return {
            f"{name} {key.item}": str(label.value)
            for name, labels in read_labels(root).items()
            for key, label in labels.items()
        }


class CacheDay:
    """Replies are kept and read, the file closed and opened."""

    KEYS = tuple(f"key {number}" for number in range(5))

    def prepare(self, root: Path) -> None: ...

    def live(self, root: Path, told: Told) -> None:
        for part in (self.KEYS[:3], self.KEYS):
            cache = Cache(root / "cache")
            for key in part:
                if cache.get(key.encode()) is None:
                    told.begin(key, f"reply to {key}")
                    cache.put(
                        key.encode(), ModelReply(text=f"reply to {key}", model="m")
                    )
                if cache.problem() is None:
                    told.keep(key, f"reply to {key}")
            cache.close()

    def found(self, root: Path) -> Found:
        cache = Cache(root / "cache")
        replies = {key: cache.get(key.encode()) for key in self.KEYS}
        cache.close()
        return {key: one.text for key, one in replies.items() if one is not None}


class CorpusDay:
    """A corpus is built, a document changes and one comes, it is built again; another
    one is deleted.
    """

    def prepare(self, root: Path) -> None:
        _documents(root / "docs", ("one", "two", "three"))
        _documents(root / "more", ("four",))

    def live(self, root: Path, told: Told) -> None:
        corpora = Corpora(_places(root))
        before = told.attempt(lambda: self.found(root))
        if before.get("mine") != "2":
            if "mine" not in before:
                self._build(root, corpora, "mine", [root / "docs"], told, "1")
            both = [root / "docs", root / "more"]
            self._build(root, corpora, "mine", both, told, "2")
        if "other" not in before:
            self._build(root, corpora, "other", [root / "more"], told, "1")
        told.begin("other", "")
        told.attempt(lambda: corpora.delete("other"))
        told.keep("other", "")

    def _build(
        self,
        root: Path,
        corpora: Corpora,
        name: str,
        sources: Sequence[Path],
        told: Told,
        stage: str,
    ) -> None:
        told.begin(name, stage)
        report = told.attempt(lambda: corpora.build(name, sources, replace=True))
        if report.skipped:  # said, and read again by the next build
            told.begin(name, self.found(root).get(name, ""))
            raise Stopped
        told.keep(name, stage)

    def found(self, root: Path) -> Found:
        made: Found = {}
        for name in ("mine", "other"):
            home = CorpusFolder(_places(root).corpora / name)
            if home.path.is_dir() and (home.path / "index.json").exists():
                _, data, _ = home.open(name)
                made[name] = self._stage(name, data)
        return made

    def _stage(self, name: str, data: Data) -> str:
        texts = sorted(text.split()[0] for text in data.texts.all())
        data.close()
        wanted = {
            ("mine", "one three two"): "1",
            ("mine", "four one three two"): "2",
            ("other", "four"): "1",
        }
        return wanted.get((name, " ".join(texts)), f"holds {texts}")


class MeasurementsDay:
    """Two runs are compared, twice: the second time from the store."""

    def prepare(self, root: Path) -> None:
        for name in ("first", "second"):
            asyncio.run(solo_run(root / name, LINES[:2]))

    def live(self, root: Path, told: Told) -> None:
        for _ in range(2):
            told.attempt(lambda: _compared(root))

    def found(self, root: Path) -> Found:
        return {"figures": _compared(root)}


class RegistryDay:
    """Runs are noted down, found, and one is taken off the list."""

    def prepare(self, root: Path) -> None:
        for name in ("a", "b", "c"):
            (root / name).mkdir()

    def live(self, root: Path, told: Told) -> None:
        places = _places(root)
        for name in ("a", "b", "c"):
            told.begin(name, "listed")
            enlist(root / name, places)
            if (root / name) in [one.path for one in records(places)]:
                told.keep(name, "listed")
        told.begin("a", "")
        told.attempt(lambda: forget(root / "a", places))
        told.keep("a", "")

    def found(self, root: Path) -> Found:
        return {one.path.name: "listed" for one in records(_places(root))}


class BatchDay:
    """A batch of two sessions, with its files."""

    def prepare(self, root: Path) -> None:
        write_lines(root / "lines.jsonl", LINES[:2])

    def live(self, root: Path, told: Told) -> None:
        self._promised(told)
        outcome = told.attempt(lambda: asyncio.run(self._run(root)))
        for line in outcome.summary:
            error = line.get("error") or ""
            if "inside VerifyTUI" in error:
                told.note("defect", error)

    def _promised(self, told: Told) -> None:
        """What is synced is promised. It is heard of for the rest of the process."""
        sync = Journal.sync

        def heard(journal: Journal) -> None:
            events = without_times(journal.session.events)
            sync(journal)
            for number, event in enumerate(events):
                key = f"{journal.path and journal.path.name} {number}"
                told.keep(key, json.dumps(event, sort_keys=True))

        Journal.sync = heard  # type: ignore[method-assign, assignment]

    async def _run(self, root: Path) -> Outcome:
        lines = root / "lines.jsonl"
        return await batch("solo", lines, into=root / "runs", models="script")

    def found(self, root: Path) -> Found:
        made: Found = {}
        for path in sorted((root / "runs").glob("*.yaml")):
            if path.stat().st_size:
                with Journal.open(path, write=False) as journal:
                    events = without_times(journal.session.events)
                for number, event in enumerate(events):
                    made[f"{path.name} {number}"] = json.dumps(event, sort_keys=True)
        return made


DAYS: dict[str, Day] = {
    "sessions": SessionsDay(),
    "labels": LabelsDay(),
    "cache": CacheDay(),
    "corpus": CorpusDay(),
    "measurements": MeasurementsDay(),
    "registry": RegistryDay(),
    "batch": BatchDay(),
}


def _places(root: Path) -> Paths:
    return paths({"VERIFYTUI_HOME": str(root / "home")})


def _documents(folder: Path, names: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.txt").write_text(f"{name} lighthouse by the sea", "utf-8")


def _compared(root: Path) -> str:
    runs = [read_run(root / name) for name in ("first", "second")]
    found = compare(runs, measures(), CompareOptions())
    return json.dumps([[one.a.value, one.b.value] for _, one in found.differences])
