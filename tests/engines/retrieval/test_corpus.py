"""Corpora: built, brought up to date, listed, searched, deleted."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval import workers
from verifytui.engines.retrieval.corpus import BuildCancelled, Corpora, Corpus
from verifytui.engines.retrieval.port import PassageFilter, RetrievalError
from verifytui.engines.retrieval.readings import FileReading
from verifytui.engines.retrieval.spelling import Spelling, forms, near
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths

PANDA = "\u5927\u718a\u732b\u751f\u6d3b\u5728\u56db\u5ddd\u7684\u7af9\u6797\u91cc\u3002"


@pytest.fixture
def corpora(home: Path) -> Corpora:
    return Corpora(paths())


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of mixed files."""
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "bridge.md").write_text(
        "# The harbour bridge\n\nIt was opened in 1932. It carries eight lanes of "
        "traffic.\n",
        "utf-8",
    )
    (folder / "sub" / "panda.txt").write_bytes(PANDA.encode("gb18030"))
    (folder / "rows.jsonl").write_text(
        json.dumps({"title": "Bees", "text": "Bees dance to tell where flowers are."})
        + "\n"
        + "{\n",
        "utf-8",
    )
    (folder / ".hidden.txt").write_text("hidden", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\0")
    return folder


def top(corpus: Corpus, query: str) -> str | None:
    found = corpus.search(query, 1).references
    if found:
        return found[0].file
    return None


def texts(corpus: Corpus) -> list[str]:
    return [corpus.document(file) for file in corpus.data.files.all()]


def test_a_folder_of_mixed_files(corpora: Corpora, docs: Path) -> None:
    told: list[tuple[int, int, str]] = []
    report = corpora.build("mine", [docs], progress=lambda *step: told.append(step))
    assert report[:3] == (3, 0, 0)
    assert report.skipped == [
        ("docs/picture.png", ".png files are not indexed"),
        ("docs/rows.jsonl", "line 2 is not JSON"),
    ]
    assert told[0] == (0, 4, "")
    assert told[-1] == (4, 4, "")
    assert (3, 4, "docs/sub/panda.txt") in told
    with_opened = corpora.open("mine")
    assert top(with_opened, "When was the bridge opened?") == "docs/bridge.md"
    assert (
        top(with_opened, "\u718a\u732b\u5728\u54ea\u91cc\uff1f") == "docs/sub/panda.txt"
    )
    assert top(with_opened, "dancing BEE") == "docs/rows.jsonl#1"
    info = next(one for one in corpora.list() if one.name == "mine")
    assert (
        info.passages,
        info.documents,
        info.languages,
        info.words,
        info.problem,
    ) == (3, 3, "zh+en", "bigrams", None)
    assert info.sources == [str(docs)]
    assert info.bytes > 1000


async def test_it_is_a_retriever(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    corpus = corpora.open("mine")
    found = await corpus.retrieve("How many lanes?", 5)
    (reference,) = found.references
    assert (reference.n, reference.title, reference.file) == (
        1,
        "The harbour bridge",
        "docs/bridge.md",
    )
    assert reference.start is not None
    assert (
        corpus.document("docs/bridge.md")[reference.start : reference.end]
        == reference.text
    )
    assert reference.id == f"docs/bridge.md@{reference.start}"
    assert reference.score
    assert found.unknown == ["How", "many"]
    assert corpus.name == "corpus"


def test_only_what_changed_is_read_again(
    corpora: Corpora, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora.build("mine", [docs])
    before = {
        file.relative_to(corpora.path("mine"))
        for file in corpora.path("mine").rglob("*")
    }
    read: list[str] = []
    real = workers.read

    def spy(
        path: Path, name: str, limit: int, ocr: tuple[str, ...] = ()
    ) -> FileReading:
        found = real(path, name, limit, ocr)
        read.extend([name] if found.documents else [])
        return found

    monkeypatch.setattr(workers, "read", spy)
    assert corpora.build("mine")[:3] == (0, 3, 0)
    assert {
        file.relative_to(corpora.path("mine"))
        for file in corpora.path("mine").rglob("*")
    } == before
    (docs / "bridge.md").write_text(
        "# The harbour bridge\n\nIt was closed in 1999 and the \u5927\u6865 is blue.\n",
        "utf-8",
    )
    (docs / "new.txt").write_text("A new file on walruses.", "utf-8")
    (docs / "rows.jsonl").unlink()
    (docs / "sub" / "panda.txt").touch()
    assert corpora.build("mine")[:3] == (2, 1, 1)
    assert read == ["docs/bridge.md", "docs/new.txt"]
    corpus = corpora.open("mine")
    assert top(corpus, "1999") == "docs/bridge.md"
    assert top(corpus, "walrus") == "docs/new.txt"
    assert top(corpus, "bees") is None
    assert corpus.lexicon().near("beees") == []
    assert top(corpus, "\u718a\u732b") == "docs/sub/panda.txt"
    fresh = Corpora(paths())
    fresh.build("fresh", [docs])
    assert texts(fresh.open("fresh")) == texts(corpus)
    for query in ("1999 blue file", PANDA, "\u5927\u6865"):
        assert fresh.open("fresh").search(query, 9) == corpus.search(query, 9)


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.lists(
            st.text(alphabet="ab \u4e2d\u6587\u8a9e.\n\u3002\u00e9", max_size=30),
            max_size=4,
        ),
        min_size=2,
        max_size=4,
    )
)
def test_bringing_up_to_date_gives_what_building_anew_gives(
    tmp_path_factory: pytest.TempPathFactory, states: list[list[str]]
) -> None:
    from verifytui.engines.retrieval.build import BuildRequest, build, never, quiet
    from verifytui.engines.retrieval.home import CorpusFolder

    base = tmp_path_factory.mktemp("states")
    folder = base / "docs"
    folder.mkdir()

    def made(name: str) -> Corpus | None:
        try:
            build(CorpusFolder(base / name), BuildRequest([folder]), quiet, never, name)
        except BadInput:
            return None
        return Corpus(CorpusFolder(base / name), name)

    for number, state in enumerate(states):
        for old in folder.iterdir():
            if old.name not in {f"{n}.txt" for n in range(len(state))}:
                old.unlink()
        for n, text in enumerate(state):
            if (
                not (folder / f"{n}.txt").exists()
                or (folder / f"{n}.txt").read_text() != text
            ):
                (folder / f"{n}.txt").write_text(text)
        grown, anew = made("grown"), made(f"anew{number}")
        if grown is None or anew is None:
            assert anew is None
            continue
        assert texts(grown) == texts(anew)
        for query in ("a", "ab b", "\u4e2d\u6587", "\u8a9e", "\u00e9"):
            assert grown.search(query, 9) == anew.search(query, 9)
        for at in range(grown.meta.passages):
            (_, start, end, low, high) = grown.data.passages[at].tolist()
            text = grown.data.texts[grown.data.passages[at][0]]
            assert grown.data.texts.part(low, high) == text[start:end]


def test_files_are_private(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    for path in (corpora.path("mine"), *corpora.path("mine").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (
            0o700 if path.is_dir() else 0o600
        ), path


def test_sources_words_and_limit_are_remembered_and_can_be_changed(
    corpora: Corpora, docs: Path, tmp_path: Path
) -> None:
    big = tmp_path / "big.txt"
    big.write_text("walrus " * 400_000, "utf-8")
    report = corpora.build("mine", [docs, big], words="jieba", limit_mb=1)
    assert report.skipped[-1] == ("big.txt", "it is larger than 1 MB")
    assert corpora.open("mine").words.name == "jieba"
    assert corpora.build("mine")[:3] == (0, 3, 0)
    assert corpora.build("mine", limit_mb=5)[:3] == (1, 3, 0)
    assert corpora.build("mine")[:3] == (0, 4, 0)
    assert corpora.build("mine", words="bigrams")[:3] == (4, 0, 0)
    assert corpora.open("mine").words.name == "bigrams"
    assert corpora.build("mine", [docs / "sub"], replace=True)[:3] == (
        1,
        0,
        3,
    )  # it has another name now


def test_two_folders_of_one_name(corpora: Corpora, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "notes").mkdir(parents=True)
        (tmp_path / name / "notes" / "a.txt").write_text(f"file {name}", "utf-8")
    corpora.build(
        "mine",
        [
            tmp_path / "one" / "notes",
            tmp_path / "two" / "notes",
            tmp_path / "one" / "notes" / "a.txt",
        ],
    )
    corpus = corpora.open("mine")
    assert corpus.data.files.all() == [
        "notes/a.txt",
        str(tmp_path / "two" / "notes" / "a.txt"),
    ]
    assert corpus.document("notes/a.txt") == "file one"


def test_a_path_is_indexed_in_the_cache_and_again_when_it_changes(
    corpora: Corpora, docs: Path
) -> None:
    corpus = corpora.open(str(docs))
    assert top(corpus, "bridge") == "docs/bridge.md"
    assert [info.name for info in corpora.list()] == ["example"]
    (docs / "new.txt").write_text("A walrus.", "utf-8")
    assert top(corpora.open(str(docs)), "walrus") == "docs/new.txt"
    assert top(corpora.open(str(docs / "new.txt")), "walrus") == "new.txt"
    assert top(corpus, "walrus") is None
    with pytest.raises(BuildCancelled):
        corpora.open(str(docs / "sub"), cancelled=lambda: True)


def test_the_example_is_always_there(corpora: Corpora) -> None:
    (info,) = corpora.list()
    assert info.name == "example"
    assert info.problem is None
    assert info.languages == "zh+en"
    assert info.passages >= 20
    assert corpora.open("example").meta.passages == info.passages
    with pytest.raises(BadInput, match="it is the name of the bundled corpus"):
        corpora.build("example", ["."])
    with pytest.raises(BadInput, match="There is no corpus 'example'"):
        corpora.delete("example")


def test_deleting_leaves_the_documents(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    corpora.delete("mine")
    assert [info.name for info in corpora.list()] == ["example"]
    assert (docs / "bridge.md").exists()
    assert not list(paths().corpora.iterdir())
    with pytest.raises(
        BadInput, match="There is no corpus 'mine'; `verifytui corpora`"
    ):
        corpora.delete("mine")


def test_the_lexicon(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    lexicon = corpora.open("mine").lexicon()
    assert lexicon.size == 3
    assert lexicon.words("Dancing \u718a\u732b!") == ["danc", "\u718a\u732b"]
    assert lexicon.frequency("danc") == 1
    assert lexicon.frequency("it") == 1
    assert lexicon.frequency("walrus") == 0
    assert lexicon.near("harbor") == ["harbour"]
    assert lexicon.near("trafifc") == ["traffic"]
    assert lexicon.near("xyz") == []


def test_spelling() -> None:
    counts = {
        "Panthers": 3,
        "panther": 9,
        "panzers": 20,
        "PANTHERS": 1,
        "and": 50,
        "band": 2,
        "a": 9,
        "\u4e2d\u6587": 9,
        "3rd": 4,
        "Pan": 1,
    }
    known = forms(counts, counts.values())
    spelling = Spelling(known)
    for word in ("panthres", "panters", "adn", "sand", "bands", "pan"):
        assert near(
            word,
            lambda low, high: [
                ([form], [known[form]]) for form in known if low <= len(form) <= high
            ],
        ) == spelling.near(word)
    assert spelling.near("panthres") == ["Panthers", "panther"]
    assert spelling.near("panters") == ["panzers", "Panthers", "panther"]
    assert spelling.near("Panthers")[0] == "Panthers"
    assert spelling.near("adn") == ["and"]
    assert spelling.near("sand") == ["and", "band"]
    assert (
        spelling.near("an")
        == spelling.near("\u4e2d\u6587\u5b57")
        == spelling.near("x" * 1000)
        == []
    )


def test_equal_scores_come_in_the_order_of_the_documents(
    corpora: Corpora, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(
            json.dumps({"text": f"walrus number {number % 3}"}) + "\n"
            for number in range(30)
        ),
        "utf-8",
    )
    corpora.build("mine", [rows])
    corpus = corpora.open("mine")
    every = PassageFilter(duplicates="all")
    assert [one.file for one in corpus.search("walrus", 4, every).references] == [
        f"rows.jsonl#{n}" for n in (1, 2, 3, 4)
    ]
    assert [one.file for one in corpus.search("walrus 2", 4, every).references] == [
        f"rows.jsonl#{n}" for n in (3, 6, 9, 12)
    ]
    assert len(corpus.search("2", 50, every).references) == 10


@pytest.mark.parametrize(("name", "least"), [("zh", 0.945), ("en", 0.92)])
def test_as_many_questions_find_their_passage_as_before(
    corpora: Corpora, shared: Path, tmp_path: Path, name: str, least: float
) -> None:
    passages = shared / "xquad" / f"passages.{name}.jsonl"
    corpora.build("mine", [passages])
    ids = [json.loads(line)["pid"] for line in passages.read_text("utf-8").splitlines()]
    corpus = corpora.open("mine")
    questions = [
        json.loads(line)
        for line in (shared / "xquad" / f"questions.{name}.jsonl")
        .read_text("utf-8")
        .splitlines()
    ]
    hits = sum(
        ids[int(top(corpus, question["question"]).rpartition("#")[2]) - 1]
        == question["pid"]
        for question in questions
    )
    assert hits / len(questions) >= least


def test_a_name_that_is_near_is_suggested(home: Path, docs: Path) -> None:
    corpora = Corpora(paths())
    with pytest.raises(RetrievalError, match=r"Did you mean example\?$"):
        corpora.open("exmple")
    corpora.build("harbour", [docs])
    with pytest.raises(BadInput, match=r"Did you mean harbour\?$"):
        corpora.delete("harbor")
    with pytest.raises(BadInput, match=r"lists them\.$"):
        corpora.delete("zzz")


def test_passages_from_all_over_a_corpus(corpora: Corpora, docs: Path) -> None:
    corpora.build("mine", [docs])
    (one,) = (one for one in corpora.list() if one.name == "mine")
    assert len(corpora.sample(one, 9)) == one.passages == 3
    found = corpora.sample(one, 2)
    assert found[0][0] == "The harbour bridge"
    assert "eight lanes" in found[0][1]
    assert len(found) == 2
    assert corpora.sample(one._replace(lives="http://far.test"), 2) == []
