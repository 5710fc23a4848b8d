"""Building a corpus: what it is made of, who reads the files, how far it is, what it
says it holds.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from verifytui.engines.retrieval import readings, workers
from verifytui.engines.retrieval.corpus import (
    BuildCancelled,
    Corpora,
    Corpus,
    CorpusInfo,
    OtherSources,
)
from verifytui.engines.retrieval.documents import Document
from verifytui.engines.retrieval.kinds import FileFormat, mostly_left_out
from verifytui.engines.retrieval.pace import ReadingSpeed
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths


@pytest.fixture
def corpora(home: Path) -> Corpora:
    return Corpora(paths())


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return folder(tmp_path / "docs", "The harbour bridge.", "Bees dance.")


@pytest.fixture
def more(tmp_path: Path) -> Path:
    return folder(tmp_path / "more", "Walruses sleep.")


def folder(path: Path, *texts: str) -> Path:
    path.mkdir()
    for number, text in enumerate(texts):
        (path / f"{number}.txt").write_text(text, "utf-8")
    return path


def files(corpora: Corpora, name: str = "mine") -> list[str]:
    corpus = corpora.open(name)
    try:
        return corpus.data.files.all()
    finally:
        corpus.close()


def listed(corpora: Corpora, name: str = "mine") -> CorpusInfo | None:
    return next((one for one in corpora.list() if one.name == name), None)


# what it is made of


def test_another_source_under_an_existing_name_is_refused(
    corpora: Corpora, docs: Path, more: Path
) -> None:
    corpora.build("mine", [docs])
    with pytest.raises(
        OtherSources,
        match=f"mine was made from {docs}, not from {more}; use --add to index both, "
        f"or --replace",
    ) as caught:
        corpora.build("mine", [more])
    assert (caught.value.before, caught.value.asked) == ([docs], [more])
    assert files(corpora) == ["docs/0.txt", "docs/1.txt"]
    index = corpora.path("mine") / "index.json"
    index.write_text(json.dumps({**json.loads(index.read_text()), "format": 99}))
    with pytest.raises(OtherSources):
        corpora.build("mine", [more])


def test_a_corpus_grows_and_keeps_what_it_was_made_of(
    corpora: Corpora, docs: Path, more: Path
) -> None:
    corpora.build("mine", [docs])
    assert corpora.build("mine", [more], add=True)[:3] == (1, 2, 0)
    assert files(corpora) == ["docs/0.txt", "docs/1.txt", "more/0.txt"]
    assert corpora.build("mine", [more], add=True)[:3] == (0, 3, 0)
    assert corpora.build("mine", [more, docs])[:3] == (0, 3, 0)  # the same paths
    assert corpora.build("mine")[:3] == (0, 3, 0)
    assert corpora.build("mine", [more], replace=True)[:3] == (0, 1, 2)
    assert files(corpora) == ["more/0.txt"]
    assert corpora.build("new", [docs], add=True).indexed == 2


def test_what_cannot_be_added(corpora: Corpora, docs: Path, more: Path) -> None:
    corpora.build("mine", [docs])
    with pytest.raises(BadInput, match="cannot be used together"):
        corpora.build("mine", [more], add=True, replace=True)
    docs.rename(docs.with_name("elsewhere"))
    with pytest.raises(
        BadInput,
        match="docs, a source of the corpus mine, no longer exists; give all its",
    ):
        corpora.build("mine", [more], add=True)
    assert files(corpora) == ["docs/0.txt", "docs/1.txt"]


# how far it is


def test_a_corpus_being_built_is_said_to_be_that(corpora: Corpora, docs: Path) -> None:
    seen: list[tuple[CorpusInfo | None, str]] = []

    def meanwhile(done: int, total: int, file: str) -> None:
        try:
            corpora.open("mine").close()
            why = ""
        except RetrievalError as error:
            why = str(error)
        seen.append((listed(corpora), why))

    corpora.build("mine", [docs], progress=meanwhile)
    info, why = seen[0]
    assert info is not None
    assert info.building is not None
    assert info.building[:2] == (0, 2)
    assert info.problem == why
    assert why.startswith("The corpus mine is being indexed: 0 of 2 files since 20")
    seen.clear()
    (docs / "new.txt").write_text("New.")
    corpora.build("mine", progress=meanwhile)
    info, why = seen[0]
    assert info is not None
    assert info.building is not None
    assert info.building[:2] == (2, 3)
    assert (info.problem, why, info.documents) == (None, "", 2)
    info = listed(corpora)
    assert info is not None
    assert info.building is None
    seen.clear()
    index = corpora.path("mine") / "index.json"
    index.write_text(
        json.dumps({**json.loads(index.read_text()), "words_id": "bigrams/0"})
    )
    corpora.build(
        "mine", progress=meanwhile
    )  # all of it, as its words are cut in another way now
    assert seen[0][1].startswith("The corpus mine is being indexed: 0 of 3 files")


def test_a_build_that_was_killed_is_not_said_to_go_on(
    corpora: Corpora, docs: Path
) -> None:
    corpora.build("mine", [docs])
    (paths().corpora / ".mine.lock").write_text('[1,9,"2026-01-01T00:00:00+00:00"]')
    (paths().corpora / ".never.lock").write_text('[1,9,"2026-01-01T00:00:00+00:00"]')
    info = listed(corpora)
    assert info is not None
    assert info.building is None
    assert listed(corpora, "never") is None


def test_how_long_the_rest_takes() -> None:
    now = 0.0
    pace = ReadingSpeed(lambda: now)
    assert pace.left(100, 1000) is None
    now = 10.0
    assert pace.left(200, 1000) == pytest.approx(80)
    now = 100.0
    assert pace.left(200, 1000) is None  # nothing for half a minute


def test_a_large_file_of_rows_counts_by_its_bytes() -> None:
    now = 0.0
    pace = ReadingSpeed(lambda: now)
    pace.rows(0, 1_000_000_000)
    assert pace.left(0, 1) is None
    now = 10.0
    pace.rows(250_000_000, 1_000_000_000)
    assert pace.left(0, 1) == pytest.approx(30, rel=1e-3)


# who reads


@pytest.fixture
def by_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever there is to read is read by two processes.

    `dies.txt` ends its reader, `hangs.txt` takes for ever.
    """
    monkeypatch.setattr(workers, "TRIED", 0)
    monkeypatch.setattr(workers, "WORTH", 0)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    faults = (
        "import os, signal, sys, time; sys.path[:] = sys.argv[3:]\n"
        "worker = __import__(sys.argv[1], fromlist=['serve']); real = worker.read\n"
        "def read(path, name, limit, ocr):\n"
        "    if name.endswith('dies.txt'): os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    while name.endswith('hangs.txt'): time.sleep(9)\n"
        "    return real(path, name, limit)\n"
        "worker.read = read; worker.serve(sys.argv[2])\n"
    )
    monkeypatch.setattr(workers, "_PROGRAM", faults)


def children() -> set[str]:
    found = set[str]()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread may end meanwhile
            found.update((task / "children").read_text().split())
    return found


@pytest.mark.usefixtures("by_processes")
def test_read_by_processes_the_index_is_the_same_and_a_dead_one_costs_its_file(
    corpora: Corpora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = folder(
        tmp_path / "many",
        *(
            f"Text number {number} of the harbour. \u5927\u718a\u732b"
            for number in range(30)
        ),
    )
    (docs / "binary.txt").write_bytes(b"\0" * 9)
    (docs / "rows.jsonl").write_text(
        '{"text": "A row.", "author": "Ada"}\n{\n', "utf-8"
    )
    before = children()
    report = corpora.build("mine", [docs])
    assert children() == before
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert corpora.build("alone", [docs]) == report
    there, alone = (corpora.open(name) for name in ("mine", "alone"))
    assert [there.document(file) for file in there.data.files.all()] == [
        alone.document(file) for file in alone.data.files.all()
    ]
    assert there.data.tokens.tolist() == alone.data.tokens.tolist()
    assert there.data.metadata(30) == {"author": "Ada"}
    monkeypatch.setattr(workers, "cores", lambda: 2)
    (docs / "dies.txt").write_text("x")
    report = corpora.build("mine")
    assert report[:3] == (0, 31, 0)
    assert (
        dict(report.skipped)["many/dies.txt"]
        == "the process that read it crashed (SIGSEGV); index again to retry"
    )
    (docs / "dies.txt").unlink()
    (docs / "later.txt").write_text("Later.")
    assert corpora.build("mine").indexed == 1


@pytest.mark.usefixtures("by_processes")
def test_it_stops_at_once_while_a_process_hangs(corpora: Corpora, docs: Path) -> None:
    (docs / "hangs.txt").write_text("x")
    before = children()
    stop = threading.Event()

    def cancelled() -> bool:
        if children() - before:
            stop.set()
        return stop.is_set()

    began = time.monotonic()
    with pytest.raises(BuildCancelled):
        corpora.build("mine", [docs], cancelled=cancelled)
    assert children() == before
    assert time.monotonic() - began < 30
    assert not corpora.path("mine").exists()


@pytest.mark.usefixtures("by_processes")
def test_where_no_process_can_be_started_it_reads_by_itself(
    corpora: Corpora, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers.sys, "executable", os.devnull)
    assert corpora.build("mine", [docs]).indexed == 2


def test_large_files_of_rows_are_read_as_they_are_indexed(
    corpora: Corpora, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        json.dumps({"text": f"Walrus number {number}", "n": number})
        for number in range(2500)
    ]
    (docs / "rows.jsonl").write_text("\n".join([*rows, "{"]), "utf-8")
    expected = corpora.build("whole", [docs])
    monkeypatch.setattr(readings, "SMALL", 9)
    told: list[tuple[int, int, str]] = []
    assert (
        corpora.build(
            "mine", [docs], limit_mb=0.01, progress=lambda *step: told.append(step)
        )
        == expected
    )
    assert (2, 3, "docs/rows.jsonl#2001 (80%)") in told
    assert files(corpora) == files(corpora, "whole")
    assert corpora.build("mine")[:3] == (0, 3, 0)
    (docs / "rows.jsonl").write_text("\n".join(rows[:9]), "utf-8")

    def breaks(self: readings.Stream) -> Iterator[Document]:
        yield Document("", "Walruses", "x")
        raise ValueError

    monkeypatch.setattr(readings.RowDocuments, "__iter__", breaks)
    report = corpora.build("mine")
    assert report[:4] == (
        0,
        2,
        1,
        [("docs/rows.jsonl", "reading it failed (ValueError)")],
    )
    assert [kind.left_out for kind in report.kinds] == [0, 1]
    assert files(corpora) == ["docs/0.txt", "docs/1.txt"]


# what it says it holds


def test_the_kinds_of_files(corpora: Corpora, docs: Path) -> None:
    (docs / "rows.jsonl").write_text('{"text": "one two"}\n{"text": "three"}\n{\n')
    (docs / "picture.png").write_bytes(b"\x89PNG")
    (docs / "strange").write_bytes(b"\0" * 20)
    (docs / ".hidden").write_text("x")
    expected = [
        FileFormat(".txt", 2, 2, 2, 5 + 2, 0),
        FileFormat(".jsonl", 1, 2, 2, 3, 0),
        FileFormat("", 0, 0, 0, 0, 1),
        FileFormat(".png", 0, 0, 0, 0, 1),
    ]
    report = corpora.build("mine", [docs])
    assert report.kinds == expected
    assert corpora.build("mine").kinds == expected
    assert mostly_left_out(expected) is None


def test_more_than_half_left_out() -> None:
    def kind(ending: str, files: int, left_out: int) -> FileFormat:
        return FileFormat(ending, files, files, files, 9, left_out)

    assert mostly_left_out(
        [kind(".md", 2, 0), kind(".rst", 0, 840), kind(".png", 0, 99)]
    ) == (840, 842)
    assert (
        mostly_left_out(
            [kind(".md", 2, 2), kind(".zip", 0, 1), kind(".SVG".lower(), 0, 9)]
        )
        is None
    )
    assert mostly_left_out([]) is None


def test_patterns_say_which_files_are_taken_and_are_kept(
    corpora: Corpora, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    for name in ("a.md", "b.txt", "data/c.csv", "data/d.md", "old/e.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("name\nA harbour.\n")

    def files() -> list[str]:
        corpus = corpora.open("some")
        assert isinstance(corpus, Corpus)
        return sorted(name.partition("#")[0] for name in corpus.data.files)

    corpora.build("some", [folder], include=["*.md"], exclude=["old"])
    assert files() == ["docs/a.md", "docs/data/d.md"]
    (folder / "f.md").write_text("A pier.")
    (folder / "f.csv").write_text("name\nA pier.")
    assert corpora.build("some")[:2] == (1, 2)
    assert files() == ["docs/a.md", "docs/data/d.md", "docs/f.md"]
    corpora.build("some", include=[""], exclude=["data/*.csv", "f.*"])
    assert files() == ["docs/a.md", "docs/b.txt", "docs/data/d.md", "docs/old/e.md"]
    assert corpora.build("some", exclude=["data/*.csv"]).indexed == 2
