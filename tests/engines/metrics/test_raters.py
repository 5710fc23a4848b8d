"""Labels read from every kind of file, and every mistake named with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.metrics.raters import read_raters
from verifytui.engines.metrics.trec import qrels
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Change
from verifytui.sessions.events.relevance import (
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
)
from verifytui.tests.support.recording import label, score, session

WANTED = {("1", "a"): 0, ("1", "b"): 3, ("2", "a"): 2}


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


FORMS = {
    "plain.qrels": "1 0 a 0\n1 0 b 3\n2 Q0 a 2\n",
    "tabs.txt": "1\t0\ta\t0\r\n1\t0\tb\t3\r\n\r\n2\t0\ta\t2\r\n",
    "mark.qrels": "\ufeff1 0 a 0\n1 0 b 3\n2 0 a 2\n",
    "rows.jsonl": '{"query": "1", "candidate": "a", "label": 0}\n{"qid": 1, "did": "b", '
    '"label": 3}\n\n'
    '{"id": "x", "query": {"id": 2, "text": "t"}, "candidate": {"id": "a"}, '
    '"label": 2.0}\n',
    "label_top30.json": '{"1": {"a": 0, "b": 3}, "2": {"a": 2}}',
    "table.tsv": "qid\tdocid\thuman\n1\ta\t0\n1\tb\t3\n2\ta\t2\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(tmp_path: Path, name: str) -> None:
    (rater,) = read_raters([written(tmp_path / name, FORMS[name])])
    assert (rater.name, rater.labels) == (name.rpartition(".")[0], WANTED)


def test_qrels_come_back(tmp_path: Path) -> None:
    assert read_raters([written(tmp_path / "back", qrels(WANTED))])[0].labels == WANTED
    with pytest.raises(BadInput, match="contains spaces"):
        qrels({("a case", "x"): 1})


def test_nothing_said_is_unread(tmp_path: Path) -> None:
    rows = written(
        tmp_path / "a.jsonl", '{"query": 1, "candidate": 2, "label": null}\n'
    )
    table = written(tmp_path / "b.tsv", "query\tcandidate\tanna\tbert\n1\t2\t\t3\n")
    assert [rater.labels for rater in read_raters([rows, table])] == [
        {("1", "2"): None},
        {("1", "2"): None},
        {("1", "2"): 3},
    ]


TABLE = "qid\tdocid\thuman\tone\ttwo\n1\ta\t0\t1\t2\n1\tb\t3\t2\t1\n"
BARE = TABLE.partition("\n")[2]


@pytest.mark.parametrize(
    ("text", "columns", "names", "first"),
    [
        (TABLE, "", ["human", "one", "two"], [0, 1, 2]),
        (TABLE, "qid,docid,human,two", ["human", "two"], [0, 2]),
        (TABLE, "query,candidate,two,human", ["two", "human"], [2, 0]),
        (TABLE, "query,candidate,label,label2", ["human", "one"], [0, 1]),
        (TABLE, "query,candidate,-,label,label2", ["one", "two"], [1, 2]),
        (TABLE, "two,human,qid,docid", ["two", "human"], [2, 0]),
        (
            BARE,
            "query,candidate,label,label2,label3",
            ["label", "label2", "label3"],
            [0, 1, 2],
        ),
        (BARE, "query,candidate,anna,-,bert", ["anna", "bert"], [0, 2]),
    ],
)
def test_columns(
    tmp_path: Path, text: str, columns: str, names: list[str], first: list[int]
) -> None:
    raters = read_raters(
        [written(tmp_path / "t.tsv", text)], [one for one in columns.split(",") if one]
    )
    assert [rater.name for rater in raters] == names
    assert [rater.labels["1", "a"] for rater in raters] == first


@pytest.mark.parametrize(
    ("name", "text", "columns", "words"),
    [
        ("a.qrels", "1 0 a 0\n1 0 b 4\n", "", ["line 2", "“4”", "0 to 3"]),
        ("a.qrels", "1 0 a -1\n", "", ["line 1", "“-1”"]),
        ("a.qrels", "1 0 a high\n", "", ["line 1", "“high”"]),
        ("a.qrels", "1 0 a nan\n", "", ["line 1", "“nan”"]),
        ("a.qrels", "1 0 a 1.5\n", "", ["line 1", "“1.5”"]),
        ("a.qrels", "1 0 a 0\n\n1 0 a 1\n", "", ["line 3", "twice"]),
        ("a.qrels", "1 0 a\n", "", ["line 1", "query 0 candidate label"]),
        ("a.qrels", "1 a 2 3\n", "", ["line 1", "--columns"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": 4}\n', "", ["line 1", "“4”"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": true}\n', "", ["line 1", "“true”"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": "2"}\n', "", ["line 1", "“2”"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": NaN}\n', "", ["line 1"]),
        ("a.jsonl", '{"query": 1, "candidate": 2}\n', "", ["line 1", "no label"]),
        ("a.jsonl", '{"query": 1, "label": 2}\n', "", ["line 1", "candidate has no id"]),
        ("a.jsonl", '{"query": " ", "candidate": 2, "label": 2}\n', "", ["line 1", "query has no id"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": 2}\n{"query": "1", "candidate": '
'"2", "label": 2}', "", ["line 2", "twice"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": 2}\n{', "", ["line 2", "JSON"]),
        ("a.jsonl", '{"query": 1, "candidate": 2, "label": 2, "label": 3}', "", ["line 1", "“label”", "twice"]),
        ("a.jsonl", '{"query": ' + "[" * 100_000, "", ["line 1", "JSON"]),
        ("a.json", '{"1": {"a": 9}}', "", ["“1”", "“a”", "“9”"]),
        ("a.json", '{"1": {"a": 1, "a": 2}}', "", ["“a”", "twice"]),
        ("a.json", '{"1": ["a"]}', "", ["“1”"]),
        ("a.json", "[]", "", ["a.json"]),
        ("a.tsv", BARE, "", ["line 1", "--columns"]),
        ("a.tsv", TABLE, "query,candidate,three", ["“three”", "human, one, two"]),
        ("a.tsv", TABLE, "query,candidate", ["--columns"]),
        ("a.tsv", TABLE, "query,candidate,human,human", ["--columns"]),
        ("a.tsv", TABLE, "qid,docid,query", ["--columns"]),
        ("a.tsv", TABLE + "1\tc\t1\n", "", ["line 4", "3 columns", "5 are needed"]),
        ("a.tsv", TABLE + "1\ta\t1\t1\t1\n", "", ["line 4", "twice"]),
        ("a.tsv", TABLE + "1\tc\t1\t4\t1\n", "", ["line 4", "column one", "“4”"]),
        ("a.tsv", TABLE.replace("two", "one"), "qid,docid,one", ["“one”", "twice"]),
        ("a.tsv", BARE.replace("0", "high"), "query,candidate,label", ["line 1", "“high”"]),
        ("empty", " \n", "", ["empty"]),
        ("binary", b"\x00\xff\xfe", "", ["UTF-8"]),
        ("missing", None, "", ["missing", "cannot be read"]),
        ("s.yaml", "format: verifytui/1\n", "", ["s.yaml"]),
    ],
)  # fmt: skip
def test_mistakes_are_named(
    tmp_path: Path, name: str, text: str | bytes | None, columns: str, words: list[str]
) -> None:
    path = tmp_path / name if text is None else written(tmp_path / name, text)
    with pytest.raises(BadInput) as error:
        read_raters([path], [one for one in columns.split(",") if one])
    assert [word for word in (name, *words) if word not in str(error.value)] == []
    assert len(str(error.value)) < 400 + len(str(tmp_path))


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "run.qrels", "1 0 a 0\n")
    one, other = tmp_path / "x" / "run.qrels", tmp_path / "y" / "run.qrels"
    assert [rater.name for rater in read_raters([one, other])] == [
        f"run ({one})",
        f"run ({other})",
    ]
    assert len({rater.name for rater in read_raters([one, one, other])}) == 3


def test_raters_of_a_session(tmp_path: Path) -> None:
    path = session(
        tmp_path / "s.yaml",
        {"a": 3, "b": 0, "c": None},
        score("a", 2),
        score("b", None),
        label("a", 1),
        label("a", 3, seen=True),
        label("b", None),
        label("a", 0, "gold"),
        label("x", 1),
    )
    assert {
        rater.name: (rater.labels, rater.seen_machine) for rater in read_raters([path])
    } == {
        "machine": ({("q1", "a"): 2, ("q1", "b"): None}, 0),
        "gold": ({("q1", "a"): 3, ("q1", "b"): 0}, 0),
        "anna": ({("q1", "a"): 3, ("q1", "b"): None}, 1),
        "gold (annotator)": ({("q1", "a"): 0}, 0),
    }


def test_a_score_falls_with_what_it_rests_on(tmp_path: Path) -> None:
    facts = Facts(
        role="extractor", kind="material", case="b", items=[FactItem(text="一辆汽车")]
    )
    again = Judgement(role="annotator", kind="legal", candidate="a", relevant=True)
    path = session(
        tmp_path / "s.yaml",
        {"a": None, "b": None, "c": None},
        *(score(one, 1) for one in "abc"),
        facts,
        again,
        score("a", 3),
    )
    assert read_raters([path])[0].labels == {("q1", "a"): 3, ("q1", "c"): 1}
    for place, query in enumerate(
        (
            Facts(role="extractor", kind="material", case="query"),
            Demonstrations(step="facts-legal"),
        )
    ):
        path = session(
            tmp_path / f"{place}.yaml",
            {"a": 0, "b": 1},
            score("a", 1),
            query,
            score("b", 2),
        )
        assert read_raters([path])[0].labels == {("q1", "b"): 2}


def test_a_folder_of_pairs_is_one_machine(tmp_path: Path) -> None:
    for one, level in (("a", 1), ("b", 3)):
        session(tmp_path / "all" / f"{one}.yaml", {one: level}, score(one, level))
    session(
        tmp_path / "all" / "debate.yaml",
        {},
        Change(field="title", old="", new="x"),
        workspace="debate",
    )
    written(tmp_path / "all" / "report.json", "{}")
    wanted = {("q1", "a"): 1, ("q1", "b"): 3}
    assert [
        (rater.name, rater.labels) for rater in read_raters([tmp_path / "all"])
    ] == [("machine", wanted), ("gold", wanted)]
    files = [tmp_path / "all" / "a.yaml", tmp_path / "all" / "b.yaml"]
    assert [(rater.name, rater.labels) for rater in read_raters(files)] == [
        ("machine", wanted),
        ("gold", wanted),
    ]


def test_two_runs_over_the_same_pairs_are_two_machines(tmp_path: Path) -> None:
    for run, level in (("x", 1), ("y", 3)):
        session(tmp_path / run / "a.yaml", {"a": 2}, score("a", level))
    names = [rater.name for rater in read_raters([tmp_path / "x", tmp_path / "y"])]
    assert names == [
        f"machine ({tmp_path / 'x'})",
        "gold",
        f"machine ({tmp_path / 'y'})",
    ]


def test_repeats_in_a_folder_are_raters_of_their_own(tmp_path: Path) -> None:
    for temperature in (0, 0.7):
        for repeat in (1, 2):
            session(
                tmp_path / "r" / f"{temperature}-{repeat}.yaml",
                {"a": None},
                score("a", repeat),
                temperature=temperature,
                repeat=repeat,
            )
    names = [rater.name for rater in read_raters([tmp_path / "r"])]
    assert names == [
        f"machine, temperature {temperature}, repeat {repeat + 1}"
        for temperature in (0, 0.7)
        for repeat in (1, 2)
    ]
    session(
        tmp_path / "r" / "again.yaml",
        {"a": None},
        score("a", 1),
        temperature=0,
        repeat=1,
    )
    with pytest.raises(BadInput, match="twice"):
        read_raters([tmp_path / "r"])


@pytest.mark.parametrize("level", [None, 0, 1, 3])
def test_whether_a_pair_was_judged_again_is_no_matter_of_its_level(
    tmp_path: Path, level: int | None
) -> None:
    for repeat in (0, 1):
        session(
            tmp_path / "again" / f"{repeat}.yaml",
            {"a": None},
            score("a", level),
            repeat=repeat,
        )
        session(
            tmp_path / "once" / f"{repeat}.yaml",
            {f"{repeat}": None},
            score(f"{repeat}", level),
            repeat=repeat,
        )
    assert [rater.name for rater in read_raters([tmp_path / "again"])] == [
        "machine, repeat 1",
        "machine, repeat 2",
    ]
    (once,) = read_raters([tmp_path / "once"])
    assert (once.name, once.labels) == (
        "machine",
        {("q1", "0"): level, ("q1", "1"): level},
    )


def test_numbers_that_stand_for_different_cases_are_not_taken_for_one(
    tmp_path: Path,
) -> None:
    for name, level in (("first", 1), ("second", 2)):
        session(
            tmp_path / "p" / f"{name}.yaml",
            {"1": None},
            score("1", level),
            query={"id": "1", "text": name},
            text="案件",
        )
    assert read_raters([tmp_path / "p"])[0].labels == {
        ("first", "1"): 1,
        ("second", "1"): 2,
    }


@pytest.mark.parametrize("bad", [4, -1, "3", True])
def test_gold_that_is_no_level(tmp_path: Path, bad: object) -> None:
    with pytest.raises(BadInput, match=r"s\.yaml, gold"):
        read_raters([session(tmp_path / "s.yaml", {"a": bad}, score("a", 1))])


def test_sessions_without_labels(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="debate"):
        read_raters([session(tmp_path / "d.yaml", {}, workspace="debate")])
    with pytest.raises(BadInput, match="contains no relevance"):
        read_raters([tmp_path])
    cut = written(
        tmp_path / "torn.yaml",
        session(tmp_path / "s.yaml", {"a": None}, score("a", 3)).read_bytes()
        + b"event: sc",
    )
    assert read_raters([cut])[0].labels == {("q1", "a"): 3}


def test_labels_of_lecard(shared: Path) -> None:
    path = shared / "lecard" / "labels_top30.json"
    (rater,) = read_raters([path])
    assert rater.labels == {
        (q, d): level
        for q, rated in json.loads(path.read_text()).items()
        for d, level in rated.items()
    }
