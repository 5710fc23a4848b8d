"""What goes wrong with corpora: bad sources, broken indexes, interruptions, two at
once, odd queries. Each is one sentence.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from verifytui.engines.retrieval import home as home_module
from verifytui.engines.retrieval.corpus import BuildCancelled, Corpora
from verifytui.engines.retrieval.index import Data
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.engines.retrieval.tokeniser import Tokeniser
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths
from verifytui.texts import set_language

pytestmark = pytest.mark.slow


@pytest.fixture
def corpora(home: Path) -> Corpora:
    return Corpora(paths())


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("The harbour bridge was opened in 1932.", "utf-8")
    (folder / "b.txt").write_text("Bees dance.\n\n\u5927\u718a\u732b\u3002", "utf-8")
    return folder


def left(corpora: Corpora) -> list[str]:
    """What lies in the folder of corpora, lock files aside."""
    folder = paths().corpora
    if folder.exists():
        return sorted(
            entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock")
        )
    return []


# sources


def test_an_empty_folder(corpora: Corpora, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        BadInput,
        match=r"There is nothing to index in .*empty: it contains no readable file; give "
        r"files that end in \.txt, \.md",
    ):
        corpora.build("mine", [tmp_path / "empty"])
    assert left(corpora) == []


def test_why_there_is_nothing_in_chinese(corpora: Corpora, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "broken.md").symlink_to(tmp_path / "none.md")
    set_language("zh")
    try:
        with pytest.raises(
            BadInput,
            match=r"中没有可建索引的内容：docs/broken\.md 未收入，原因是链接指向的文件不"
            r"存在。$",
        ):
            corpora.build("mine", [tmp_path / "docs"])
        assert (
            corpora.open("example").search(" ", 1).message == "查询为空，因此没有检索。"
        )
    finally:
        set_language("en")


def test_a_folder_of_nothing_readable(corpora: Corpora, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "b.txt").write_bytes(b"\0\1\2")
    with pytest.raises(
        BadInput,
        match=r"a\.png was left out because .*\.png files are not indexed \(and 1 "
        r"more\)\.",
    ):
        corpora.build("mine", [tmp_path / "a.png", tmp_path / "b.txt"])
    assert left(corpora) == []


def test_text_without_a_single_word(corpora: Corpora, tmp_path: Path) -> None:
    (tmp_path / "dots.jsonl").write_text('{"text": "... !!! ---"}', "utf-8")
    corpora.build("mine", [tmp_path / "dots.jsonl"])
    assert corpora.open("mine").search("anything", 5).references == []
    assert corpora.open("mine").meta.languages == ""


@pytest.mark.parametrize(
    "name", ["", "a/b", "..", ".hidden", "x" * 65, "a b", "a\0", "-dash", "example"]
)
def test_names_that_are_none(corpora: Corpora, docs: Path, name: str) -> None:
    with pytest.raises(BadInput, match="is not a valid corpus name:"):
        corpora.build(name, [docs])
    assert left(corpora) == []


def test_nothing_given_nothing_there_and_bad_limits(
    corpora: Corpora, docs: Path
) -> None:
    with pytest.raises(
        BadInput,
        match="There is nothing to index: run `verifytui index PATH --name mine`",
    ):
        corpora.build("mine")
    with pytest.raises(
        BadInput, match="/nowhere does not exist; give a folder or a file"
    ):
        corpora.build("mine", ["/nowhere"])
    for limit in (0, -1, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="limit must be"):
            corpora.build("mine", [docs], limit_mb=limit)
    with pytest.raises(BadInput, match="choose one of bigrams"):
        corpora.build("mine", [docs], words="unknown")
    assert left(corpora) == []


def test_binary_large_unreadable_and_odd_files_are_listed_and_the_rest_indexed(
    corpora: Corpora, docs: Path
) -> None:
    (docs / "binary.txt").write_bytes(bytes(range(256)))
    (docs / "large.txt").write_text("x " * 600_000, "utf-8")
    (docs / "nothing.txt").write_text(" \n", "utf-8")
    os.mkfifo(docs / "pipe.txt")
    (docs / "broken.md").symlink_to(docs / "none.md")
    (docs / "itself.md").symlink_to(docs / "itself.md")
    (docs / "sub").mkdir()
    (docs / "sub" / "up").symlink_to(docs, target_is_directory=True)
    (docs / "sub" / "c.txt").write_text("Walruses.", "utf-8")
    (docs / "twin").symlink_to(docs / "sub", target_is_directory=True)
    report = corpora.build("mine", [docs], limit_mb=1)
    assert report.indexed == 3
    reasons = dict(report.skipped)
    assert reasons["docs/binary.txt"] == "it is a binary file"
    assert reasons["docs/large.txt"] == "it is larger than 1 MB"
    assert reasons["docs/nothing.txt"] == "it has no text"
    assert reasons["docs/pipe.txt"] == "it is not a regular file"
    assert reasons["docs/broken.md"] == "it is a broken link"
    assert "link" in reasons["docs/itself.md"]
    assert reasons["docs/sub/up"] == "it is a link that leads back to a folder above it"
    assert reasons["docs/twin"] == "it is the same folder as docs/sub"
    assert len(reasons) == len(report.skipped) == 8
    assert corpora.build("mine")[:3] == (0, 3, 0)


def test_a_file_and_a_folder_that_may_not_be_read(
    corpora: Corpora, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "sub").mkdir()
    open_file, list_folder = os.open, os.scandir

    def refuse(real: Callable[..., object], name: str) -> Callable[..., object]:
        def call(path: object, *rest: object) -> object:
            if str(path).endswith(name):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *rest)

        return call

    monkeypatch.setattr(os, "open", refuse(open_file, "b.txt"))
    monkeypatch.setattr(os, "scandir", refuse(list_folder, "sub"))
    report = corpora.build("mine", [docs])
    assert report.indexed == 1
    assert report.skipped == [
        ("docs/sub", "it cannot be read: permission denied"),
        ("docs/b.txt", "it cannot be read: permission denied"),
    ]


def test_a_name_that_is_no_utf8(corpora: Corpora, docs: Path) -> None:
    strange = os.fsencode(docs) + b"/caf\xe9.txt"
    with open(strange, "wb") as file:
        file.write(b"Walruses sleep.")
    assert corpora.build("mine", [docs]).indexed == 3
    assert corpora.build("mine")[:3] == (0, 3, 0)
    (reference,) = corpora.open("mine").search("walrus", 5).references
    assert reference.file == "docs/caf\ufffd.txt"


def test_a_file_that_can_no_longer_be_read_goes_and_the_rest_stays(
    corpora: Corpora, docs: Path
) -> None:
    corpora.build("mine", [docs])
    (docs / "b.txt").write_bytes(b"\0" * 40)
    report = corpora.build("mine")
    assert report[:4] == (0, 1, 1, [("docs/b.txt", "it is a binary file")])
    (docs / "a.txt").write_bytes(b"\0" * 40)
    with pytest.raises(BadInput, match="nothing to index"):
        corpora.build("mine")
    assert corpora.open("mine").search("bridge", 1).references


# stopping


def test_stopped_at_any_moment_the_corpus_is_as_it_was(
    corpora: Corpora, docs: Path
) -> None:
    def stop_after(steps: int) -> Callable[[], bool]:
        count = iter(range(steps))
        return lambda: next(count, None) is None

    steps = 0
    while True:
        try:
            corpora.build("mine", [docs], cancelled=stop_after(steps))
        except BuildCancelled:
            assert left(corpora) == []
            steps += 1
            continue
        break
    assert steps > 6
    before = corpora.open("mine").search("bees bridge", 5)
    (docs / "c.txt").write_text("Walruses.", "utf-8")
    for at in range(steps):
        with pytest.raises(BuildCancelled):
            corpora.build("mine", cancelled=stop_after(at))
        assert corpora.open("mine").search("bees bridge", 5) == before
        assert len(list(corpora.path("mine").iterdir())) == 2


def test_ctrl_c_leaves_no_half_index(corpora: Corpora, docs: Path) -> None:
    def interrupt(done: int, total: int, file: str) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        corpora.build("mine", [docs], progress=interrupt)
    assert left(corpora) == []
    assert corpora.build("mine", [docs]).indexed == 2


def test_killed_in_the_middle_the_next_build_clears_up(
    corpora: Corpora, docs: Path
) -> None:
    code = (
        "import os, sys\n"
        "from verifytui.engines.retrieval.corpus import Corpora\n"
        "from verifytui.sessions.paths import paths\n"
        "Corpora(paths()).build('mine', [sys.argv[1]], progress=lambda done, "
        "total, file: os._exit(9) if done == 1 else None)\n"
    )
    assert (
        subprocess.run([sys.executable, "-c", code, str(docs)], check=False).returncode
        == 9
    )
    assert left(corpora) == ["mine"]
    with pytest.raises(
        RetrievalError,
        match="was deleted or never finished; run `verifytui index PATH --name mine`",
    ):
        corpora.open("mine")
    assert corpora.build("mine", [docs]).indexed == 2
    assert len(list(corpora.path("mine").iterdir())) == 2


def test_a_full_disk_is_one_sentence(
    corpora: Corpora, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora.build("mine", [docs])
    (docs / "c.txt").write_text("Walruses.", "utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(home_module.os, "replace", full)
    with pytest.raises(
        BadInput,
        match="The index of mine could not be written: no space left on device",
    ):
        corpora.build("mine")
    assert corpora.open("mine").search("walrus", 5).references == []
    assert (
        len([entry for entry in corpora.path("mine").iterdir() if entry.is_dir()]) == 1
    )


# two at once


def test_two_builds_at_once(corpora: Corpora, docs: Path) -> None:
    sentences: list[str] = []

    def meanwhile(done: int, total: int, file: str) -> None:
        for action in (
            lambda: corpora.build("mine", [docs]),
            lambda: corpora.delete("mine"),
        ):
            with pytest.raises(BadInput) as caught:
                action()
            sentences.append(
                re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", str(caught.value))
            )

    corpora.build("mine", [docs])
    corpora.build("mine", [docs], progress=meanwhile)
    told = "2 of 2 files since TIME UTC"
    assert set(sentences) == {
        f"Another VerifyTUI process is indexing the corpus mine ({told}); wait until it "
        f"is done."
    }


def test_two_who_open_a_path_at_once_both_get_it(corpora: Corpora, docs: Path) -> None:
    inside, go = threading.Event(), threading.Event()
    found: list[int] = []

    def first(done: int, total: int, file: str) -> None:
        inside.set()
        assert go.wait(30)

    def ask(progress: Callable[[int, int, str], None]) -> None:
        found.append(
            len(
                corpora.open(str(docs), progress=progress)
                .search("bridge bees", 5)
                .references
            )
        )

    one = threading.Thread(target=ask, args=(first,))
    one.start()
    assert inside.wait(30)
    asked = []

    def enough() -> bool:
        asked.append(1)
        go.set()
        return False

    two = corpora.open(str(docs), cancelled=enough)
    one.join()
    assert asked
    assert [*found, len(two.search("bridge bees", 5).references)] == [2, 2]


def test_an_open_corpus_outlives_a_rebuild_and_a_deletion(
    corpora: Corpora, docs: Path
) -> None:
    corpora.build("mine", [docs])
    corpus = corpora.open("mine")
    before = corpus.search("bridge bees", 5)
    (docs / "a.txt").write_text("Nothing of that kind.", "utf-8")
    corpora.build("mine")
    corpora.delete("mine")
    assert corpus.search("bridge bees", 5) == before
    assert corpus.document("docs/a.txt") == "The harbour bridge was opened in 1932."
    corpus.close()


# broken indexes


def damage(corpora: Corpora, kind: str) -> None:
    folder = corpora.path("mine")
    index = folder / "index.json"
    meta = json.loads(index.read_text())
    if kind == "deleted":
        index.unlink()
    elif kind == "no json":
        index.write_bytes(b'{"format": 3, "gener')
    elif kind == "a list":
        index.write_text("[]")
    elif kind == "fields missing":
        index.write_text('{"format": 3}')
    elif kind == "other version":
        index.write_text(json.dumps({**meta, "format": 99}))
    elif kind == "other words":
        index.write_text(json.dumps({**meta, "words_id": "bigrams/0"}))
    elif kind == "unknown words":
        index.write_text(json.dumps({**meta, "words": "trigrams"}))
    elif kind == "outside":
        index.write_text(
            json.dumps({**meta, "generation": "../mine/" + meta["generation"]})
        )
    elif kind == "generation gone":
        (folder / meta["generation"]).rename(folder / "elsewhere")
    else:
        file = (
            folder
            / meta["generation"]
            / kind.removeprefix("short ").removeprefix("wrong ")
        )
        data = file.read_bytes()
        if kind.startswith("wrong "):
            file.write_bytes(b"\xff" * len(data))
        elif kind.startswith("short "):
            file.write_bytes(data[: len(data) // 2])
        else:
            file.unlink()


SENTENCES = {
    "deleted": "was deleted or never finished",
    "other version": "was made by another version of VerifyTUI",
    "other words": r"were split by another tokenizer \(bigrams/0\)",
    "unknown words": r"were split by another tokenizer \(bigrams/2\)",
    "short texts.bin": "is incomplete or damaged",
    "passages.npy": "is incomplete or damaged",
    "short bm25/data.csc.index.npy": "is incomplete or damaged",
    "outside": "is incomplete or damaged",
    "generation gone": "is incomplete or damaged",
}
OTHERS = (
    "no json",
    "a list",
    "fields missing",
    "wrong bm25/params.index.json",
    "wrong passages.npy",
    "wrong bm25/indptr.csc.index.npy",
)


@pytest.mark.parametrize("kind", [*SENTENCES, *OTHERS])
def test_a_broken_index_says_what_to_do_and_can_be_made_again(
    corpora: Corpora, docs: Path, kind: str
) -> None:
    corpora.build("mine", [docs])
    damage(corpora, kind)
    with pytest.raises(
        RetrievalError,
        match=SENTENCES.get(kind, "is damaged")
        + ".*; run `verifytui index PATH --name mine` to",
    ) as caught:
        corpora.open("mine")
    assert caught.value.kind == "corpus"
    assert str(caught.value).count(". ") == 0
    if not kind.startswith("wrong"):
        info = next(one for one in corpora.list() if one.name == "mine")
        assert info.problem == str(caught.value)
        assert corpora.build("mine", [docs]).indexed == 2
        assert corpora.open("mine").search("bridge", 1).references


def test_a_broken_index_in_the_cache_is_made_again_without_a_word(
    corpora: Corpora, docs: Path
) -> None:
    corpora.open(str(docs))
    (index,) = (paths().cache / "indexes").glob("*/index.json")
    index.write_text("{")
    assert corpora.open(str(docs)).search("bridge", 1).references


@pytest.mark.parametrize(
    "name",
    ["nothing", "", "/no/such/folder", "a\0b", "x" * 5000, "../corpora", "~nobody/x"],
)
def test_a_corpus_that_is_not_there(corpora: Corpora, name: str) -> None:
    with pytest.raises(
        RetrievalError,
        match=r"There is no corpus, folder or file .*; `verifytui corpora`",
    ) as caught:
        corpora.open(name)
    assert caught.value.kind == "corpus"
    assert len(str(caught.value)) < 500


def test_deleted_in_between(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    corpora.delete("mine")
    with pytest.raises(RetrievalError, match="There is no corpus"):
        corpora.open("mine")


def test_a_generation_replaced_while_it_is_opened(
    corpora: Corpora, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora.build("mine", [docs])
    real = Data.__init__
    calls = []

    def replaced(self: Data, folder: Path) -> None:
        if not calls:
            calls.append(folder)
            (docs / "c.txt").write_text("Walruses.", "utf-8")
            corpora.build("mine")
        real(self, folder)

    monkeypatch.setattr(Data, "__init__", replaced)
    assert corpora.open("mine").search("walrus", 1).references


def test_a_document_that_is_not_there(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    with pytest.raises(
        RetrievalError,
        match=r"The corpus mine has no document '\.\./\.\./etc/passwd'",
    ):
        corpora.open("mine").document("../../etc/passwd")


# queries


def test_queries_that_find_nothing_say_why(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    corpus = corpora.open("mine")
    for query in ("", " \n\t", "\u3000"):
        assert (
            corpus.search(query, 5).message
            == "The query is empty, so nothing was searched."
        )
    for query, unknown in (
        ("xyzzy plugh", ["xyzzy", "plugh"]),
        ("\u91cf\u5b50\u7ea0\u7f20", ["\u91cf\u5b50", "\u7ea0\u7f20"]),
        ("?!", []),
    ):
        found = corpus.search(query, 5)
        assert (found.references, found.unknown) == ([], unknown)
        assert (
            found.message == "No passage contains a word of the query; use other words."
        )
    found = corpus.search("Xyzzy bridge Xyzzy \u5927\u718a\u5154", 5)
    assert len(found.references) == 2
    assert found.unknown == ["Xyzzy", "\u5154"]
    assert found.message is None
    assert corpus.search("bridge", 0).references == []


def test_k_beyond_the_corpus_and_a_query_of_100_kb(
    corpora: Corpora, docs: Path
) -> None:
    corpora.build("mine", [docs])
    corpus = corpora.open("mine")
    assert len(corpus.search("bridge bees", 10**9).references) == 2
    before = time.process_time()
    assert (
        len(corpus.search("bridge \u5927\u718a\u732b walrus " * 5000, 5).references)
        == 2
    )
    assert time.process_time() - before < 3


def test_many_threads_ask_at_once(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    corpus = corpora.open("mine")
    expected = corpus.search("bridges opened \u718a\u732b", 5)
    wrong: list[object] = []

    def ask() -> None:
        for number in range(100):
            if corpus.search(
                "bridges opened \u718a\u732b", 5
            ) != expected or Tokeniser().cut(f"running{number}es") != [
                f"running{number}es"
            ]:
                wrong.append(number)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_nothing_is_printed(
    corpora: Corpora, docs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (docs / "bad.pdf").write_bytes(b"%PDF-1.7\nxref\n0 1\ntrailer << /Root 99 0 R >>")
    (docs / "bad.html").write_bytes(b"<html><<<" + b"\xff" * 30)
    corpora.build("mine", [docs], words="jieba+bigrams")
    corpora.open("mine").search("bridge \u5927\u718a\u732b", 5)
    assert capfd.readouterr() == ("", "")
