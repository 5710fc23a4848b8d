"""What is wanted of a corpus beside the query: no near-duplicates, few passages of a
document, documents that fit a filter.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.retrieval import where
from verifytui.engines.retrieval.corpus import Corpora, Corpus
from verifytui.engines.retrieval.port import PassageFilter, RetrievalError, passed_over
from verifytui.engines.retrieval.where import ordinal, parse
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths

Make = Callable[[list[dict[str, Any]]], Corpus]
ALL = PassageFilter(duplicates="all")
WORDS = """the broker keeps each segment of a partition until its retention has passed and then deletes the oldest one first
while the cleaner compacts the others in the background so that every key has at least its latest value in the log of the topic"""


@pytest.fixture
def make(home: Path, tmp_path: Path) -> Make:
    def made(rows: list[dict[str, Any]]) -> Corpus:
        (tmp_path / "rows.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), "utf-8"
        )
        corpora = Corpora(paths())
        corpora.build("mine", [tmp_path / "rows.jsonl"])
        return corpora.open("mine")

    return made


def rows(
    corpus: Corpus,
    query: str,
    k: int = 5,
    wanted: PassageFilter = PassageFilter(),  # noqa: B008
) -> list[int]:
    """The rows of what was found, by number."""
    return [
        int(str(one.file).rpartition("#")[2])
        for one in corpus.search(query, k, wanted).references
    ]


def version(number: str) -> dict[str, Any]:
    return {
        "title": "Retention",
        "text": f"{WORDS} since version {number}.",
        "version": number,
    }


def test_one_of_each_group_is_among_the_first(make: Make) -> None:
    corpus = make(
        [
            *(version(f"3.{n}") for n in range(30)),
            {"text": "Retention is set in milliseconds."},
            {"text": "A topic has a retention."},
        ]
    )
    found = corpus.search("retention of the topic", 3)
    assert sorted(int(str(one.file).rpartition("#")[2]) for one in found.references)[
        1:
    ] == [31, 32]
    (group,) = (one for one in found.references if one.alike)
    assert len(group.alike) == 29
    assert found.left_out == {"duplicates": 29}
    assert passed_over(found.left_out) == ["29 near-duplicates left out"]
    assert len(rows(corpus, "retention of the topic", 20, ALL)) == 20


def test_without_near_duplicates_all_is_as_it_was(make: Make) -> None:
    corpus = make(
        [
            {
                "title": f"Item {n}",
                "text": f"walrus {'tusk ' * n} number {n} of the herd lives by itself "
                f"{n * 7}",
            }
            for n in range(9)
        ]
    )
    assert corpus.search("walrus tusk", 5) == corpus.search("walrus tusk", 5, ALL)


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Second quarter", "text": "No incidents."},
        {"title": "First quarter", "text": "Two incidents."},
        {
            "title": "First quarter of the year of the great storm by the sea",
            "text": "One.",
        },
    ],
)
def test_short_texts_under_other_titles_say_something_else(
    make: Make, other: dict[str, Any]
) -> None:
    corpus = make([{"title": "First quarter", "text": "No incidents."}, other])
    assert corpus.search("first quarter incidents", 5).left_out == {}


def test_at_most_so_many_of_a_document(home: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(
        "\n\n".join(
            f"Walrus {n}. " + f"Section {n} has words of its own kind{n}. " * 40
            for n in range(6)
        )
    )
    (tmp_path / "short.txt").write_text("One walrus only.")
    corpora = Corpora(paths())
    corpora.build("mine", [tmp_path / "long.txt", tmp_path / "short.txt"])
    corpus = corpora.open("mine")
    found = corpus.search("walrus", 5, PassageFilter(duplicates="all", per_document=1))
    assert sorted(str(one.file) for one in found.references) == [
        "long.txt",
        "short.txt",
    ]
    assert found.left_out["per_document"] >= 4


DOCUMENTS = [
    {
        "text": "walrus one",
        "title": "Old guide",
        "version": "3.9",
        "lang": "en",
        "created": "13-Jun-2000",
    },
    {
        "text": "walrus two",
        "title": "New guide",
        "version": "3.10",
        "lang": "EN",
        "created": "2024-05-01",
    },
    {"text": "walrus three", "title": "海象指南", "version": "4.0rc1", "lang": "zh"},
    {"text": "walrus four"},
]


@pytest.mark.parametrize(
    ("where", "fitting"),
    [
        ("version >= 3.10", [2, 3]),
        ("version<4", [1, 2, 3]),
        ("version = 3.10.0", [2]),
        ("version != 3.9", [2, 3, 4]),
        ("version ≥ 3.10 and lang=en", [2]),
        ("created < 2001-01-01", [1]),
        ("lang ~ e", [1, 2]),
        ("title ~ *guide and version > 3", [1, 2]),
        ("title ~ 指南", [3]),
        ('title = "old  guide"', [1]),
        ("kind = jsonl", [1, 2, 3, 4]),
        ("path ~ rows.jsonl#*", [1, 2, 3, 4]),
        ("PATH ~ nothing", []),
        ("lang > d and lang < f", [1, 2]),
    ],
)
def test_filters(make: Make, where: str, fitting: list[int]) -> None:
    corpus = make(DOCUMENTS)
    where = where.replace("PATH", "path")
    assert sorted(rows(corpus, "walrus", 5, PassageFilter(where))) == fitting
    if not fitting:
        assert (
            corpus.search("walrus", 5, PassageFilter(where)).message
            == "No document matches the filter."
        )


@pytest.mark.parametrize(
    ("where", "fitting"),
    [
        ("modified >= 2024-05", [1, 2, 3]),
        ("modified < 2024-05-02", [1, 4]),
        ("modified > May 1, 2024 and modified < 2024年6月1日", [1, 2]),
        ("发布（日） = 第一", [1]),
        ('said = say "hi"', [1]),
        ("said ~ *a*a*a*a*a*a*a*a*a*b*", []),
    ],
)
def test_dates_names_and_quotes_as_they_are_written(
    make: Make, where: str, fitting: list[int]
) -> None:
    dates = [
        "2024-05-01T23:30:00+08:00",
        "Thu, 02 May 2024 10:00:00 GMT",
        "June 5, 2024",
        "13-Jun-2000",
    ]
    said = [{"发布（日）": "第一", "said": 'say "hi"'}, {"said": "a" * 190}, {}, {}]
    corpus = make(
        [
            {"text": f"walrus {n}", "modified": date, **said[n]}
            for n, date in enumerate(dates)
        ]
    )
    assert sorted(rows(corpus, "walrus", 5, PassageFilter(where))) == fitting


def test_what_a_document_says_of_itself_comes_with_it(make: Make) -> None:
    corpus = make(DOCUMENTS)
    (found,) = corpus.search("two", 5).references
    assert found.metadata == {"version": "3.10", "lang": "EN", "created": "2024-05-01"}
    assert corpus.fields()[:3] == ["path", "title", "kind"]
    assert set(corpus.fields()[3:]) >= {"version", "lang", "created"}


def test_a_wrong_filter_names_the_fields_that_there_are(make: Make) -> None:
    corpus = make(DOCUMENTS)
    with pytest.raises(
        RetrievalError,
        match=r"No document of the corpus has a field 'versio'; choose one of path, "
        r"title, kind, .*version",
    ):
        corpus.search("walrus", 5, PassageFilter("versio >= 3"))


@pytest.mark.parametrize("text", ["version", "version >=", ">= 3", "and"])
def test_a_filter_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="The filter cannot be read at"):
        parse(text)


def test_fields_are_read_many_documents_at_once(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, "AT_ONCE", 2)
    monkeypatch.setattr(where, "MOST", 1)
    rare = {"text": "walrus five", "Further-Name": "a  \uff22\nc", "lang": "}{"}
    corpus = make(
        [
            *DOCUMENTS[2:],
            {"text": "walrus"},
            {"text": "walrus", "author": 'Ann, "A"'},
            rare,
            *DOCUMENTS[:2],
        ]
    )
    assert corpus.fields() == [
        "path",
        "title",
        "kind",
        "Further-Name",
        "author",
        "created",
        "lang",
        "version",
    ]
    for text, fitting in (
        ('further_name = "a b c"', [5]),
        ("metadata.Further-Name != x", [1, 2, 3, 4, 5, 6, 7]),
        ('author ~ "ann, "', [4]),
        ("lang = }{", [5]),
        ("version >= 3.10", [1, 7]),
        ("version < 4 and created > 2001", [7]),
        ("path ~ *#5", [5]),
    ):
        for _ in range(2):
            assert (
                sorted(rows(corpus, "walrus", 9, PassageFilter(text, duplicates="all")))
                == fitting
            ), text


def test_numbers_versions_and_dates_have_an_order() -> None:
    order = [
        "-5",
        "0",
        "0.9",
        "v3.0rc1",
        "3",
        "3.2",
        "3.10",
        "1,000",
        "1999",
        "13-Jun-2000",
        "2024-05-01",
        "2024年5月2日",
    ]
    found = [ordinal(value) for value in order]
    assert None not in found
    assert sorted(found) == found  # type: ignore[type-var]
    assert [
        ordinal(value) for value in ("", "draft", "a1", "3 of 4 apples are red")
    ] == [None] * 4
