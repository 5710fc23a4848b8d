"""Cases, pairs and labels from files of every kind, and the sentences about those that
are wrong.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.cases.importers.cases import (
    CandidateFiles,
    CaseFile,
    read_candidates,
    read_queries,
    read_query,
)
from verifytui.engines.cases.importers.labels import read_labels
from verifytui.engines.cases.importers.pairs import pair_of
from verifytui.engines.cases.language import is_chinese
from verifytui.engines.relevance.matching import DemonstrationPool
from verifytui.engines.relevance.settings import SETTINGS
from verifytui.engines.relevance.starting import example_of
from verifytui.prompts.demonstrations import load
from verifytui.sessions.errors import BadInput

THEFT = "经审理查明，被告人张某于2020年3月1日凌晨进入李某家中，窃得现金五千元。"
ROBBERY = "被告人王某持刀拦住路人，抢走其手机一部。"


def dump(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8"
    )
    return path


def judgment(facts: str, name: str = "ajjbqk") -> dict[str, Any]:
    """A candidate as LeCaRD publishes it: the whole judgment, of which only the basic
    facts count.
    """
    return {
        "ajId": "dca1",
        "ajName": "张某盗窃一案",
        name: facts,
        "cpfxgc": "本院认为，其行为构成盗窃罪。",
        "qw": "全文",
        "writId": "w",
    }


def lecard(folder: Path) -> tuple[Path, Path]:
    """query.json and the candidate folders."""
    queries = lines(
        folder / "query.json",
        [
            {"path": "x", "ridx": 5156, "q": THEFT, "crime": ["盗窃罪"]},
            {"path": "y", "ridx": -992, "q": ROBBERY, "crime": ["抢劫罪"]},
        ],
    )
    for did, name in ((10, "ajjbqk"), (9, "ajbqk")):
        dump(
            folder / "candidates" / "5156" / f"{did}.json",
            judgment(f"第{did}号案件的基本案情。", name),
        )
    dump(folder / "candidates" / "-992" / "10.json", judgment("另一案件的基本案情。"))
    (folder / "candidates" / ".DS_Store").write_bytes(b"\0\0")
    return queries, folder / "candidates"


def test_lecard_as_published(tmp_path: Path) -> None:
    queries, folder = lecard(tmp_path)
    assert read_queries(queries) == [
        CaseFile("5156", THEFT, "", tmp_path.name),
        CaseFile("-992", ROBBERY, "", tmp_path.name),
    ]
    assert read_query(Path(f"{queries}#-992")).text == ROBBERY
    found = read_candidates([folder], "5156")
    assert found == [
        CaseFile("9", "第9号案件的基本案情。", "张某盗窃一案", "5156"),
        CaseFile("10", "第10号案件的基本案情。", "张某盗窃一案", "5156"),
    ]
    assert [one.text for one in CandidateFiles([folder]).of("-992")] == [
        "另一案件的基本案情。"
    ]


def test_the_same_in_a_zip_beside_what_a_mac_puts_there(tmp_path: Path) -> None:
    _, folder = lecard(tmp_path)
    with zipfile.ZipFile(tmp_path / "candidates1.zip", "w") as archive:
        for file in sorted(folder.rglob("*.json")):
            archive.write(file, f"candidates1/{file.relative_to(folder)}")
        archive.writestr("__MACOSX/candidates1/5156/._9.json", b"\0\5\x16\7")
    assert [
        one.id for one in read_candidates([tmp_path / "candidates1.zip"], "5156")
    ] == ["9", "10"]


def test_lecardv2(tmp_path: Path) -> None:
    queries = lines(
        tmp_path / "query.jsonl",
        [{"id": 730, "query": "标题" + THEFT + "判决如下", "fact": THEFT}],
    )
    assert read_query(queries)[:2] == ("730", THEFT)
    dump(
        tmp_path / "c" / "x.json",
        {
            "pid": 2499215,
            "qw": "全文",
            "fact": ROBBERY,
            "reason": "本院认为",
            "charge": ["抢劫罪"],
        },
    )
    assert read_candidates([tmp_path / "c"], "730")[0][:2] == ("2499215", ROBBERY)


def test_the_real_queries_and_labels(shared: Path) -> None:
    assert len(read_queries(shared / "lecard" / "queries.jsonl")) == 53
    assert len(read_queries(shared / "lecardv2-queries" / "queries.jsonl")) == 80
    labels = read_labels(shared / "lecard" / "labels_top30.json")
    assert len(labels) == 1596
    golden = read_labels(shared / "lecard" / "golden_labels.json")
    assert golden
    assert {labels.get(pair, 3) for pair in golden} == {3}
    assert set(read_labels(shared / "lecardv2-queries" / "qrels.trec").values()) == {
        0,
        1,
        2,
        3,
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_text_file_a_case(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "zhang_san.txt").write_text(THEFT + "\n", encoding)
    assert read_query(tmp_path / "zhang_san.txt")[:3] == ("zhang_san", THEFT, "")


def test_a_word_file_a_case(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph(THEFT)
    document.save(str(tmp_path / "a.docx"))
    assert read_query(tmp_path / "a.docx")[:2] == ("a", THEFT)


def test_files_folders_and_json_in_the_order_given(tmp_path: Path) -> None:
    (tmp_path / "z.txt").write_text("第一个案件。", "utf-8")
    for name in ("c2.txt", "c10.txt"):
        (tmp_path / "more").mkdir(exist_ok=True)
        (tmp_path / "more" / name).write_text(f"{name} 的案情。", "utf-8")
    rows = lines(
        tmp_path / "rows.jsonl",
        [{"did": "7", "text": "第七个案件。", "title": "七"}, "没有编号的案件。"],
    )
    listed = dump(tmp_path / "list.json", [{"id": "x", "text": "列表中的案件。"}])
    found = read_candidates([tmp_path / "z.txt", tmp_path / "more", rows, listed], "q")
    assert [one.id for one in found] == ["z", "c2", "c10", "7", "rows-2", "x"]
    assert found[3].as_json() == {"id": "7", "text": "第七个案件。", "title": "七"}


def test_half_characters_do_not_pass(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": "a", "text": "盗窃\\ud800案"}')
    assert read_query(tmp_path / "a.json").text == "盗窃\ufffd案"


WRONG: list[tuple[str, bytes, str]] = [
    ("empty.txt", b"", "is empty"),
    ("blank.txt", b" \n\n ", "is empty"),
    ("signs.txt", "。。！".encode(), "is empty"),
    ("binary.txt", bytes(range(256)) * 20, "binary"),
    ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(500), "binary"),
    (
        "latin.txt",
        ("Le prévenu a été arrêté près de là. " * 20).encode("latin-1"),
        "neither UTF-8",
    ),
    ("no.docx", b"not a zip", "it is not a readable Word document ("),
    ("old.doc", b"text", ".doc"),
    ("a.json", b'{"id": "a"}', "no basic facts"),
    ("a.json", b'{"id": "a", "text": ""}', "is empty"),
    ("a.json", b'{"id": "a", "text": 7}', "the value of “text” is not text"),
    ("a.json", b'{"id": ["a"], "text": "x"}', "neither a text nor a whole number"),
    ("a.json", b'{"id": true, "text": "x"}', "neither a text nor a whole number"),
    ("a.json", '{"text": "盗\\u0000窃"}'.encode(), "binary"),
    ("a.json", b'{"qw": "the whole judgment", "ajName": "x"}', "ajjbqk"),
    ("a.json", b"[7]", "is not a case"),
    ("a.json", b'{"text": "x"', "not JSON"),
    ("a.jsonl", b'{"text": "x"}\nnonsense\n', "line 2 is not JSON"),
    ("a.zip", b"PK\3\4 broken", "is not a readable zip"),
]


@pytest.mark.parametrize(
    ("name", "data", "told"), WRONG, ids=[f"{name}-{told}" for name, _, told in WRONG]
)
def test_each_file_that_is_wrong_has_its_sentence(
    name: str, data: bytes, told: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    for read in (
        lambda path: read_query(path),
        lambda path: read_candidates([path], "q"),
    ):
        with pytest.raises(BadInput) as caught:
            read(tmp_path / name)
        assert told in str(caught.value)
        assert name in str(caught.value)


def test_other_mistakes(tmp_path: Path) -> None:
    queries, folder = lecard(tmp_path)
    with pytest.raises(BadInput, match="contains 2 queries"):
        read_query(queries)
    with pytest.raises(BadInput, match="no query with the id"):
        read_query(Path(f"{queries}#7"))
    with pytest.raises(BadInput, match="cannot be read"):
        read_query(tmp_path / "missing.txt")
    with pytest.raises(BadInput, match="Two cases have the id “10”"):
        read_candidates([folder], "a query without a folder")
    with pytest.raises(BadInput, match="no candidates"):
        CandidateFiles([]).of("q")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(BadInput, match="contains no files"):
        read_candidates([tmp_path / "nothing"], "q")


def test_a_pair_is_two_texts_or_two_records() -> None:
    made = pair_of(
        {
            "query": THEFT,
            "candidate": {"id": 7, "text": ROBBERY, "title": "劫"},
            "label": 2,
        }
    )
    assert (made.candidate, made.label) == (CaseFile("7", ROBBERY, "劫"), 2)
    assert (
        made.query.id
        == pair_of({"query": THEFT, "candidate": ROBBERY}).query.id
        != made.candidate.id
    )
    assert pair_of({"query": THEFT, "candidate": ROBBERY, "label": None}).label is None


@pytest.mark.parametrize("label", [4, -1, "2", 1.5, True, [1]])
def test_a_label_that_is_no_level(label: object) -> None:
    with pytest.raises(BadInput, match="not one of the levels"):
        pair_of({"query": THEFT, "candidate": ROBBERY, "label": label})


@pytest.mark.parametrize(
    "row", [{"query": THEFT}, {"candidate": THEFT}, {"query": None, "candidate": THEFT}]
)
def test_a_pair_that_lacks_a_side(row: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="there is no “"):
        pair_of(row)


def test_golden_labels_and_several_raters(tmp_path: Path) -> None:
    assert read_labels(dump(tmp_path / "golden.json", {"1": [10, "11"]})) == {
        ("1", "10"): 3,
        ("1", "11"): 3,
    }
    table = tmp_path / "t.tsv"
    table.write_text("query\tcandidate\tlabel\tlabel2\n1\t10\t0\t3\n")
    with pytest.raises(BadInput, match="several raters"):
        read_labels(table)


def test_which_texts_are_chinese() -> None:
    assert is_chinese(THEFT)
    assert is_chinese("被告人持 iPhone 逃走")
    assert not is_chinese("The defendant took the wallet.")
    assert not is_chinese("2020-01-01")


def test_no_case_of_the_example_is_shown_as_a_demonstration_of_itself() -> None:
    query, candidates = example_of(load("zh-criminal"))
    assert len(candidates) >= 8
    assert sorted(one["gold"] for one in candidates if "gold" in one) == [0, 1, 2, 3]
    assert len({one["text"] for one in (query, *candidates)}) == len(candidates) + 1
    pool = DemonstrationPool(load("zh-criminal"))
    texts = [query["text"], candidates[0]["text"]]
    items = pool.match(
        "facts-material", "\n".join(texts), texts, SETTINGS.defaults().__getitem__
    )
    assert len(items) == 2
    assert not {item.id for item in items} & {
        id_ for id_, case in pool.cases.items() if case.text in texts
    }
