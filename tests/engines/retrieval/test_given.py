"""References that are given: read in every form, used whole and in their order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.retrieval.given_references import (
    MOST,
    GivenReferences,
    parse_references,
    pasted_references,
    read_references,
    references_from,
)
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Reference


def texts(references: list[Reference]) -> list[str]:
    return [one.text for one in references]


def write(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


async def test_all_are_used_and_numbered_whatever_k_is() -> None:
    found = await GivenReferences(
        [Reference(n=7, id="a", text="one"), Reference(n=7, id="b", text="two")]
    ).retrieve("anything", 1)
    assert [(one.n, one.id, one.text) for one in found.references] == [
        (1, "a", "one"),
        (2, "b", "two"),
    ]


async def test_none_is_said_and_no_fault() -> None:
    found = await GivenReferences([]).retrieve("anything", 5)
    assert found.references == []
    assert found.message == "No references were given."


def test_paragraphs_with_the_headings_above_them(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "a.md",
        "First words\nof a paragraph.\n\n# The sea\n\nIt is wet.\r\n\r\nIt is "
        "salty.\n## Tides\nTwice a day.\n",
    )
    assert [(one.title, one.text) for one in read_references(path)] == [
        ("", "First words\nof a paragraph."),
        ("The sea", "It is wet."),
        ("The sea", "It is salty."),
        ("Tides", "Twice a day."),
    ]


def test_numbered_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "a.txt",
        "[1] One line\nand its next.\n\nStill one.\n[2] Two [5] of them.\n  [4]Four.",
    )
    assert texts(read_references(path)) == [
        "One line\nand its next.\n\nStill one.",
        "Two [5] of them.",
        "Four.",
    ]


def test_numbers_in_the_middle_of_paragraphs_cut_nothing() -> None:
    assert texts(parse_references("As said.\n[1] is a mark.\n\nMore.")) == [
        "As said.\n[1] is a mark.",
        "More.",
    ]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("list.json", ["one", {"title": "T", "text": "two"}]),
        ("held.json", {"references": ["one", {"title": "T", "content": "two"}]}),
        ("ragas.json", {"user_input": "Q", "retrieved_contexts": ["one", "two"]}),
        (
            "old-ragas.json",
            [
                {"question": "Q", "contexts": ["one"]},
                {"question": "R", "contexts": ["two"]},
            ],
        ),
    ],
)
def test_json(tmp_path: Path, name: str, data: object) -> None:
    assert texts(read_references(write(tmp_path, name, json.dumps(data)))) == [
        "one",
        "two",
    ]


def test_json_lines(tmp_path: Path) -> None:
    lines = [
        '{"title": "T", "text": "one\u2028more", "url": "https://a.example/", '
        '"score": 2, "id": 5}',
        "",
        '"two"',
        '{"contexts": ["three"]}',
    ]
    found = read_references(write(tmp_path, "a.jsonl", "\n".join(lines)))
    assert texts(found) == ["one\u2028more", "two", "three"]
    assert (found[0].title, found[0].file, found[0].score, found[0].id) == (
        "T",
        "https://a.example/",
        2.0,
        "5",
    )


@pytest.mark.parametrize("score", ["7", True, None, float("nan"), 10**400])
def test_a_score_that_is_no_figure_is_unknown(score: object) -> None:
    assert references_from([{"text": "a", "score": score}])[0].score is None


def test_what_a_session_stores_comes_back(tmp_path: Path) -> None:
    before = Reference(
        n=1, id="x", title="T", file="f.md", start=3, end=9, score=0.5, text="words"
    )
    stored: list[Any] = [
        {
            "n": 1,
            "id": "x",
            "title": "T",
            "file": "f.md",
            "start": 3,
            "end": 9,
            "score": 0.5,
            "text": "words",
        }
    ]
    assert references_from(stored) == [before]


def test_the_same_text_has_the_same_id() -> None:
    one, two, three = parse_references("Same.\n\nSame.\n\nOther.")
    assert one.id == two.id != three.id


def test_other_encodings(tmp_path: Path) -> None:
    for name, encoding in (
        ("a.txt", "gb18030"),
        ("b.txt", "utf-16"),
        ("c.txt", "utf-8-sig"),
    ):
        assert texts(
            read_references(write(tmp_path, name, "海水是咸的。".encode(encoding)))
        ) == ["海水是咸的。"]


def test_lone_surrogates_become_storable() -> None:
    assert references_from(json.loads('["a\\ud800b"]'))[0].text == "a\ufffdb"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", "  \n\n ", "contains no references"),
        ("a.bin", b"\x00\x01\x02", "is not a text file"),
        ("a.txt", b"\xff\x81 \xff", "neither UTF-8 nor GB18030"),
        ("a.json", "[1, 2", "is not JSON at line 1"),
        ("a.jsonl", '"one"\n{oops}', "is not JSON at line 2"),
        ("a.json", "[]", "has no references; give a list of texts, or of"),
        ("a.json", "[17]", "reference 1 is neither a text nor an object"),
        ("a.json", '["ok", {"title": "no text"}]', "reference 2 has no text"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        (
            "a.txt",
            "\n\n".join(map(str, range(MOST + 1))),
            f"{MOST + 1} references exceed the limit of {MOST};",
        ),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_bad_file_is_one_sentence(
    tmp_path: Path, name: str, content: str | bytes, words: str
) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        read_references(write(tmp_path, name, content))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="cannot be read: no such file"):
        read_references(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="cannot be read"):
        read_references(tmp_path)
    monkeypatch.setattr("verifytui.engines.retrieval.given_references.LARGEST", 3)
    with pytest.raises(BadInput, match="is larger than"):
        read_references(write(tmp_path, "a.txt", "four"))


def test_the_words_of_the_references() -> None:
    lexicon = GivenReferences(
        parse_references(
            "The lighthouse keeper sleeps.\n\nLighthouses shine. 灯塔在岛上。"
        )
    ).lexicon()
    assert lexicon.size == 2
    lighthouse, unheard = lexicon.words("lighthouse zebra")
    assert lexicon.frequency(lighthouse) == 2
    assert lexicon.frequency(unheard) == 0
    assert "lighthouse" in lexicon.near("lighthuose")
    assert lexicon.near("xqzzk") == []
    assert all(lexicon.frequency(word) == 1 for word in lexicon.words("灯塔"))


def test_what_is_pasted_in() -> None:
    assert texts(pasted_references("[1] The sea is wet.\n[2] It is salty.")) == [
        "The sea is wet.",
        "It is salty.",
    ]
    with pytest.raises(
        BadInput, match=r"^The pasted text contains no references: give paragraphs"
    ):
        pasted_references(" \n\n")
    with pytest.raises(BadInput, match=r"^What came in: 501 references"):
        pasted_references(
            "\n\n".join(f"Paragraph {n}." for n in range(MOST + 1)), "What came in"
        )


WRAPPED = [
    {
        "page_content": "Beorn.",
        "metadata": {"source": "https://a.example/b.md", "page": 3, "title": "B"},
    },
    [{"page_content": "Beorn.", "metadata": {"title": "B"}}, 0.5],
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain"],
        "kwargs": {"page_content": "Beorn.", "metadata": {"title": "B"}},
    },
    {
        "node": {"text": "Beorn.", "id_": "n1", "metadata": {"file_name": "B"}},
        "score": 0.5,
    },
    {"document": {"content": "Beorn.", "meta": {"title": "B"}}, "score": 0.5},
    {"id_": "d1", "text_resource": {"text": "Beorn."}, "metadata": {"title": "B"}},
]


@pytest.mark.parametrize("item", WRAPPED)
def test_documents_of_other_tools_are_references(item: object) -> None:
    (one,) = references_from([item], "here")
    assert (one.text, one.title) == ("Beorn.", "B")
    assert isinstance(one.metadata, dict)
    if isinstance(item, dict) and "page_content" in item:
        assert (one.file, one.metadata["page"]) == ("https://a.example/b.md", "3")


def test_metadata_is_clean_and_in_bounds() -> None:
    deep: dict[str, object] = {"text": "Beorn."}
    for _ in range(900):
        deep = {"node": deep}
    with pytest.raises(BadInput):
        references_from([deep], "here")
    (one,) = references_from(
        [
            {
                "text": "A.",
                "metadata": {
                    "bad\ud800": "x" * 5000,
                    **{f"n{n}": n for n in range(99)},
                },
            }
        ],
        "here",
    )
    assert isinstance(one.metadata, dict)
    assert (len(one.metadata), one.metadata["bad\ufffd"]) == (50, "x" * 500)
