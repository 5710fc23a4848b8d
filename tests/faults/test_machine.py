"""A machine that fails: a disk that is full, a home that is read-only, a clock that is
set back, signals.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest
import verifytui.sessions.library
import verifytui.sessions.new
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.sessions.events import Failure, Note
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.tests.support.beginning import Words, commands, fill, read, said
from verifytui.tests.support.fork_server import ForkServer
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.worlds import told, truth, world

pytestmark = pytest.mark.slow

WORKSPACES = ("debate", "rag", "relevance")


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_a_full_disk_ends_a_session_and_with_room_it_goes_on(
    workspace: str,
    forks: ForkServer,
    env: dict[str, str],
    loopback: Loopback,
    disk: Path,
    tmp_path: Path,
) -> None:
    out, log, into = tmp_path / "out", tmp_path / "log", disk / "into"
    loopback.answer = lambda body: replace(truth(body), reasoning="Well. " * 2000)
    (tmp_path / "smooth").mkdir()
    assert (
        forks.wait(
            forks.start(
                commands(workspace, False, tmp_path / "smooth", tmp_path)[0],
                env,
                out,
                log,
            )
        )
        == 0
    ), said(out)
    header = (tmp_path / "smooth" / "one.yaml").read_bytes().index(b"\n---\n")
    into.mkdir()
    begin, go_on = commands(workspace, False, into, tmp_path)
    full = {**env, "VERIFYTUI_HOME": str(disk / "home")}
    filler = fill(disk, header + 24_000)
    assert forks.wait(forks.start(begin, full, out, log)) == 1
    assert "could not be written (no space left on device)" in said(out)
    assert len(said(out).splitlines()) <= 4
    kept = read(into / "one.yaml")
    assert kept
    assert not any(isinstance(event, Failure) for event in kept)
    filler.unlink()
    assert forks.wait(forks.start(go_on, full, out, log)) == 0, said(out)
    assert told(read(into / "one.yaml"))[: len(kept)] == told(kept)
    assert told(read(into / "one.yaml")) == told(read(tmp_path / "smooth" / "one.yaml"))


def test_a_full_disk_and_a_batch(
    forks: ForkServer,
    env: dict[str, str],
    loopback: Loopback,
    disk: Path,
    tmp_path: Path,
) -> None:
    out, log, into = tmp_path / "out", tmp_path / "log", disk / "into"
    loopback.answer = lambda body: replace(truth(body), reasoning="Well. " * 2000)
    begin, _ = commands("debate", True, tmp_path / "smooth", tmp_path)
    assert forks.wait(forks.start(begin, env, out, log)) == 0, said(out)
    begin, _ = commands("debate", True, into, tmp_path)
    filler = fill(disk, 120_000)
    assert forks.wait(forks.start(begin, env, out, log)) == 1
    assert "no space left on device" in said(out) + out.read_text()
    kept = {path.name: told(read(path)) for path in into.glob("*.yaml")}
    filler.unlink()
    assert forks.wait(forks.start(begin, env, out, log)) == 0, said(out)
    whole = {path.name: told(read(path)) for path in into.glob("*.yaml")}
    assert whole == {
        path.name: told(read(path)) for path in (tmp_path / "smooth").glob("*.yaml")
    }
    assert any(kept.values())
    assert all(whole[name][: len(events)] == events for name, events in kept.items())


def test_a_full_disk_and_an_index(
    forks: ForkServer, env: dict[str, str], disk: Path, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(60):
        (docs / f"{n}.txt").write_text(
            f"The lighthouse number {n} stands by the sea. " * 200
        )
    full = {**env, "VERIFYTUI_HOME": str(disk / "home")}
    out, log = tmp_path / "out", tmp_path / "log"
    filler = fill(disk, 200_000)
    assert forks.wait(
        forks.start(["index", docs, "--name", "mine"], full, out, log)
    ) in (1, 2)
    assert "no space left on device" in said(out)
    filler.unlink()
    assert [one.name for one in Corpora(paths(full)).list()] == ["example"]
    (docs / "1.txt").write_text("Now it is small.")
    for n in range(2, 60):
        (docs / f"{n}.txt").unlink()
    assert (
        forks.wait(forks.start(["index", docs, "--name", "mine"], full, out, log)) == 0
    ), said(out)


def test_a_home_that_is_read_only(
    forks: ForkServer, env: dict[str, str], disk: Path, tmp_path: Path
) -> None:
    """What needs no place to write works; the rest is one sentence."""
    out, log = tmp_path / "out", tmp_path / "log"
    home = {**env, "VERIFYTUI_HOME": str(disk / "home")}
    (disk / "into").mkdir()
    (tmp_path / "saved").mkdir()
    begin, go_on = commands("debate", False, disk / "into", tmp_path)
    Journal.create(disk / "into" / "one.yaml", world("debate", 1).header).close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    unsaved = begin[: begin.index("--save")]
    works: list[Words] = [
        [*unsaved, "--no-save"],
        ["sessions"],
        ["corpora"],
        ["cache"],
        ["locate"],
        ["models"],
        ["demonstrations", "list"],
    ]
    works += [
        commands(workspace, False, tmp_path / "saved", tmp_path)[0]
        for workspace in ("rag", "relevance")
    ]
    works[-2][works[-2].index("--save") + 1] = tmp_path / "saved" / "two.yaml"
    works.append(["relevance", "--example", "--no-save"])
    works.append(["replay", disk / "into" / "one.yaml", "--plain"])
    relevance = commands("relevance", False, tmp_path / "saved", tmp_path)[0]
    relevance[relevance.index("none")] = "all"
    relevance[relevance.index("--save") + 1] = tmp_path / "saved" / "three.yaml"
    works.append(relevance)
    for arguments in works:
        assert forks.wait(forks.start(arguments, home, out, log)) == 0, (
            arguments,
            said(out),
        )
    assert "The reply cache cannot be used" in said(out)
    refused: list[Words] = [
        unsaved,
        go_on,
        [*begin[:-3], disk / "x.yaml"],
        ["index", tmp_path / "saved", "--name", "mine"],
    ]
    refused += [
        ["ask", "Who keeps bees?", "--corpus", corpus, "--no-save"]
        for corpus in ("example", tmp_path / "saved")
    ]
    for arguments in refused:
        code = forks.wait(forks.start(arguments, home, out, log))
        assert code in (1, 2), (arguments, said(out))
        assert len(said(out).splitlines()) == 1
        assert "read-only" in said(out)


class SetBack(datetime):
    """A clock that goes back by a day each time it is read."""

    at = datetime(2026, 5, 17, 12)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        cls.at -= timedelta(days=1)
        return cls.at.replace(tzinfo=tz)


def test_a_clock_that_is_set_back(
    forks: ForkServer,
    env: dict[str, str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verifytui.sessions.new, "datetime", SetBack)
    monkeypatch.setattr(verifytui.sessions.library, "datetime", SetBack)
    library = Library(paths(env))
    for n in range(3):
        with library.create(world("debate", n).header) as journal:
            for text in ("first", "second"):
                journal.append(Note(text=text))
        assert journal.path is not None
        events = read(journal.path)
        assert [
            (event.number, event.text) for event in events if isinstance(event, Note)
        ] == [(1, "first"), (2, "second")]
        assert events[0].time > events[1].time
    entries = library.entries()
    assert len({entry.id for entry in entries}) == 3
    assert [entry.title for entry in entries] == ["Why 0?", "Why 1?", "Why 2?"], (
        "the newest by the clock first"
    )
    out, log = tmp_path / "out", tmp_path / "log"
    followed: list[Words] = [
        ["replay", entries[0].path, "--plain", "--speed", "4"],
        ["export", entries[0].path, "--to", "html", "--out", tmp_path / "a.html"],
        ["resume", entries[0].path],
    ]
    for arguments in followed:
        assert forks.wait(forks.start(arguments, env, out, log)) == 0, (
            arguments,
            said(out),
        )


def test_a_document_changed_while_the_clock_was_back_is_read_again(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "docs" / "a.txt"
    file.parent.mkdir()
    file.write_text("The bridge is red.")
    corpora = Corpora(paths())
    corpora.build("mine", [file.parent])
    before = file.stat()
    file.write_text("The bees are busy.")
    os.utime(file, (before.st_atime, before.st_mtime - 86_400))
    assert corpora.build("mine", [file.parent]).indexed == 1
    corpus = corpora.open("mine")
    assert len(corpus.search("bees", 5).references) == 1
    corpus.close()


@pytest.mark.parametrize(
    ("number", "batch"),
    [(signal.SIGTERM, False), (signal.SIGHUP, False), (signal.SIGTERM, True)],
)
@pytest.mark.parametrize("workspace", ["rag", "relevance"])
def test_a_signal_ends_a_session_cleanly_and_it_goes_on(
    workspace: str,
    number: signal.Signals,
    batch: bool,
    forks: ForkServer,
    env: dict[str, str],
    loopback: Loopback,
    tmp_path: Path,
) -> None:
    out, log = tmp_path / "out", tmp_path / "log"
    (tmp_path / "into").mkdir()
    begin, go_on = commands(workspace, batch, tmp_path / "into", tmp_path)
    never = threading.Event()
    loopback.answer = lambda body: (
        Answer(hold=never) if len(loopback.requests) > 2 else truth(body)
    )
    pid = forks.start(begin, env, out, log)
    assert loopback.wait_until(lambda server: len(server.requests) > 2, 60)
    os.kill(pid, number)
    assert forks.wait(pid) == 130, said(out)
    said(out)
    assert loopback.wait_until(lambda server: server.open_connections == 0)
    ended = [
        event
        for path in (tmp_path / "into").glob("*.yaml")
        for event in read(path)
        if isinstance(event, Failure)
    ]
    assert ended
    assert {event.kind for event in ended} == {"cancelled"}
    loopback.answer = truth
    assert forks.wait(forks.start(go_on, env, out, log)) == 0, said(out)
    (tmp_path / "smooth").mkdir()
    assert (
        forks.wait(
            forks.start(
                commands(workspace, batch, tmp_path / "smooth", tmp_path)[0],
                env,
                out,
                log,
            )
        )
        == 0
    ), said(out)
    for path in (tmp_path / "smooth").glob("*.yaml"):
        assert told(read(tmp_path / "into" / path.name)) == told(read(path))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_an_index_and_leaves_none(
    number: signal.Signals,
    forks: ForkServer,
    env: dict[str, str],
    home: Path,
    tmp_path: Path,
) -> None:
    docs, out, log = tmp_path / "docs", tmp_path / "out", tmp_path / "log"
    docs.mkdir()
    for n in range(3000):
        (docs / f"{n}.txt").write_text(
            f"The lighthouse number {n} stands by the sea. " * 30
        )
    pid = forks.start(["index", docs, "--name", "mine"], env, out, log)
    while not (home / "corpora").exists():
        time.sleep(0.002)
    os.kill(pid, number)
    assert forks.wait(pid) == 130, said(out)
    assert said(out) == ""
    assert [one.name for one in Corpora(paths(env)).list()] == ["example"]


@pytest.mark.parametrize("workspace", [*WORKSPACES, "index"])
def test_a_reader_who_leaves(
    workspace: str,
    forks: ForkServer,
    env: dict[str, str],
    loopback: Loopback,
    tmp_path: Path,
) -> None:
    """SIGPIPE is nothing to die of: what is kept is whole, nothing is said, and the
    session goes on later.
    """
    out, log = tmp_path / "out", tmp_path / "log"
    os.mkfifo(out)
    (tmp_path / "into").mkdir()
    if workspace == "index":
        (tmp_path / "into" / "a.txt").write_text("The lighthouse stands by the sea.")
        begin: list[str | Path] = ["index", tmp_path / "into", "--name", "mine"]
    else:
        begin, go_on = commands(workspace, False, tmp_path / "into", tmp_path)
    go = threading.Event()
    loopback.answer = lambda body: Answer(truth(body).text, hold=go)
    pid = forks.start(begin, env, out, log)
    with out.open() as reader:
        if workspace != "index":
            assert '"format"' in reader.readline()
    go.set()
    code = forks.wait(pid)
    told_so = [
        line
        for line in said(out).splitlines()
        if not line.startswith(("Saved in ", "The texts of this session are sent to"))
    ]
    assert told_so == []
    out.unlink()
    if workspace == "index":
        assert code in (0, 1)
        assert [
            one.documents for one in Corpora(paths(env)).list() if one.name == "mine"
        ] == [1]
        return
    assert code == 1
    read(tmp_path / "into" / "one.yaml")
    assert forks.wait(forks.start(go_on, env, out, log)) == 0, said(out)
