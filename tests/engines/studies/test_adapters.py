"""The adapters on small samples in the form in which each set was published, and on the
real files where they are at hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.settings import settings_of
from verifytui.engines.studies.catalogue import check, data_sets
from verifytui.engines.studies.items import ADAPTERS, line_of, read_items
from verifytui.sessions.errors import BadInput
from verifytui.texts import LANGUAGES, catalogue

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"

COMMONMT = (
    "chinese_source,english_target_correct,english_target_wrong\r\n吃掉敌人一个师。,"
    "Destroy a division.,Eat up a division.\r\n"
)
CIAR = [
    {
        "question": "How fast?",
        "answer": ["1.5", "3/2"],
        "incorrect answer": ["2"],
        "explanation": "…",
    }
]
GSM8K = {"question": "How many?", "answer": "2 + 1,000 = 1,002\n#### 1,002"}
WEBQ = [
    {
        "url": "http://x/jb",
        "targetValue": '(list (description "Jaxon \\"J\\" B") (description Jazmyn))',
        "utterance": "who?",
    }
]
TRIVIAQA = {
    "Data": [
        {
            "Question": "Who?",
            "QuestionId": "tc_1",
            "Answer": {"Value": "Bell", "Aliases": ["Bell", "A. G. Bell"]},
        }
    ]
}
COUNTED = {
    "answerType": "entity",
    "answer": [{"label": "One"}, {"label": "Two"}],
    "mention": "One, Two",
    "answerNum": 2,
}
MINTAKA = [
    {"id": "a", "question": "How many?", "complexityType": "count", "answer": COUNTED}
]
ASKED = {"id": "q1", "question": "What?", "answers": [{"text": "a bear"}]}
SQUAD = {
    "data": [
        {
            "title": "Beorn",
            "paragraphs": [
                {
                    "context": "He is a bear.",
                    "qas": [
                        {
                            "id": "q1",
                            "question": "What?",
                            "answers": [{"text": "a bear"}],
                        }
                    ],
                }
            ],
        }
    ]
}
RETRIEVALQA = {
    "question_id": "r1",
    "question": "Which?",
    "ground_truth": ["England"],
    "context": [{"title": "Homes"}, "A text."],
}
HALUEVAL = {
    "knowledge": "In Delhi.",
    "question": "Where?",
    "right_answer": "Delhi",
    "hallucinated_answer": "Mumbai",
}
RAGCHECKER = [
    {
        "instance_id": n,
        "dataset": "kiwi",
        "query_id": "41",
        "query": "How?",
        "gt_answer": "So.",
        **labels,
    }
    | {f"model{m}": {"model_name": f"m{m}", "response": "So."} for m in (1, 2)}
    for n, labels in enumerate([{"overall_label": 1}, {"overall_label": -1}])
]
QUESTION = {"question": "who turns into a bear", "answer": ["Beorn"]}


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


SAMPLES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "commonmt": (
        "lexical ambiguity.csv",
        COMMONMT,
        {"wrong_answers": ["Eat up a division."], "to": "en"},
    ),
    "ciar": (
        "CIAR.json",
        json.dumps(CIAR),
        {"topic": "How fast?", "answers": ["1.5", "3/2"], "wrong_answers": ["2"]},
    ),
    "gsm8k": ("test.jsonl", lines(GSM8K), {"answers": ["1,002", "1002"]}),
    "openqa": (
        "nq_open.jsonl",
        lines(QUESTION, QUESTION),
        {"question": "who turns into a bear", "answers": ["Beorn"]},
    ),
    "webq": (
        "webquestions.json",
        json.dumps(WEBQ),
        {"question": "who?", "answers": ['Jaxon "J" B', "Jazmyn"]},
    ),
    "triviaqa": (
        "web-dev.json",
        json.dumps(TRIVIAQA),
        {"answers": ["Bell", "A. G. Bell"]},
    ),
    "mintaka": ("mintaka_test.json", json.dumps(MINTAKA), {"answers": ["2"]}),
    "squad": (
        "xquad.en.json",
        json.dumps(SQUAD, indent=1),
        {"answers": ["a bear"], "passage": "00-0"},
    ),
    "retrievalqa": (
        "r.jsonl",
        lines(RETRIEVALQA),
        {
            "references": [
                {"title": "Homes", "text": "Homes"},
                {"title": "", "text": "A text."},
            ]
        },
    ),
    "halueval": ("qa_data.json", lines(HALUEVAL), {"answer": "Delhi", "true": True}),
    "ragchecker": (
        "human.json",
        json.dumps(RAGCHECKER),
        {"labels": {"correctness": [], "completeness": [], "overall": [1, -1]}},
    ),
    "jsonl": (
        "own.jsonl",
        lines({"topic": "Why?", "answers": ["So"]}),
        {"topic": "Why?"},
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_an_adapter_reads_the_form_and_is_found_by_it(
    name: str, tmp_path: Path
) -> None:
    file, text, expected = SAMPLES[name]
    (tmp_path / file).write_bytes(text.encode())
    found = check(tmp_path / file)
    assert (found.adapter, found.left_out) == (name, ())
    assert {key: found.first[key] for key in expected} == expected


def test_answers_to_rank_stand_beside_what_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(RAGCHECKER))
    (item,) = read_items({"adapter": "ragchecker", "file": "a.json"}, tmp_path)
    line = line_of(item, settings_of("rank"), "questions")
    assert (
        line["accepted"],
        [one["name"] for one in line["answers"]],
        line["cluster"],
    ) == ("So.", ["m1", "m2"], "kiwi-41")


def test_every_adapter_has_a_sample() -> None:
    assert set(ADAPTERS) - set(SAMPLES) == {"parallel", "lecard", "qrels", "answered"}


def test_parallel_text_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "a.zh").write_text("一\n二\n", "utf-8")
    (tmp_path / "a.en").write_text("one\ntwo\n", "utf-8")
    spec = {"adapter": "parallel", "file": ["a.zh", "a.en"], "from": "zh", "to": "en"}
    assert [
        (item.id, item.fields["answers"]) for item in read_items(spec, tmp_path)
    ] == [("a-0001", ["one"]), ("a-0002", ["two"])]
    (tmp_path / "a.en").write_text("one\n", "utf-8")
    with pytest.raises(BadInput, match="2 lines and"):
        read_items(spec, tmp_path)


def lecard(folder: Path) -> Path:
    for part in ("query", "label", "candidates/7"):
        (folder / part).mkdir(parents=True)
    (folder / "query/query.json").write_text(
        lines({"path": "x", "ridx": 7, "q": "甲盗窃。", "crime": ["盗窃罪"]})
    )
    (folder / "label/label_top30_dict.json").write_text(
        json.dumps({"7": {"11": 3, "12": 0, "13": 1}})
    )
    for number in (11, 12):
        (folder / f"candidates/7/{number}.json").write_text(
            json.dumps({"ajjbqk": f"乙{number}。", "pjjg": "判决如下。"})
        )
    return folder


def test_the_candidates_of_lecard_are_counted(tmp_path: Path) -> None:
    """Table 1 of the relevance paper."""
    from verifytui.engines.studies.items.lecard import candidates

    folder = lecard(tmp_path)
    found = candidates(folder)
    texts = [
        json.loads(path.read_text("utf-8"))["ajjbqk"]
        for path in (folder / "candidates").rglob("*.json")
    ]
    assert found.queries * found.per_query == len(texts)
    assert found.length == pytest.approx(sum(map(len, texts)) / len(texts))


def test_pairs_of_lecard_as_published_and_pairs_without_a_text(tmp_path: Path) -> None:
    spec = {"adapter": "lecard", "file": "."}
    with pytest.raises(BadInput, match="7-13"):
        read_items(spec, lecard(tmp_path))
    left_out: list[str] = []
    items = read_items({**spec, "unusable": "leave out"}, tmp_path, left_out)
    assert [(item.id, item.cluster, item.fields["label"]) for item in items] == [
        ("7-11", "7", 3),
        ("7-12", "7", 0),
    ]
    assert items[0].fields["candidate"]["text"] == "乙11。"
    assert len(left_out) == 1
    assert {level: one.count for level, one in check(tmp_path).levels.items()} == {
        "0": 1,
        "1": 1,
        "3": 1,
    }


def test_so_many_for_every_value(tmp_path: Path) -> None:
    rows = [{"id": n, "topic": f"Topic {n}?", "level": n % 3} for n in range(12)]
    (tmp_path / "own.jsonl").write_text(lines(*rows))
    spec = {"file": "own.jsonl", "take": {"n": 2, "seed": 1, "each": "level"}}
    taken = [item.fields["level"] for item in read_items(spec, tmp_path)]
    assert sorted(taken) == [0, 0, 1, 1, 2, 2]
    assert read_items(spec, tmp_path) == read_items(spec, tmp_path / "own.jsonl")


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("a.jsonl", lines(QUESTION) + "no\n", "line 2"),
        (
            "a.json",
            '{"neither": 1}\n{"a": 2}\n',
            "a.json has no known form; name its adapter with --adapter",
        ),
        ("a.json", "[1]", "no records"),
        (
            "a.json",
            json.dumps({"data": [{"paragraphs": [{"context": "x", "qas": 1}]}]}),
            "list of objects",
        ),
        (
            "a.json",
            json.dumps([{"question": "q", "answer": [], "incorrect answer": []}]),
            "no items",
        ),
    ],
)
def test_a_wrong_file_is_one_sentence(
    file: str, text: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(BadInput, match=told):
        check(tmp_path / file)


def test_every_set_names_its_adapter_and_says_what_it_is() -> None:
    assert {one.adapter for one in data_sets().values()} <= {*ADAPTERS, ""}
    for language in LANGUAGES:
        assert {f"report.data.about_{name}" for name in data_sets()} <= set(
            catalogue(language, "report")
        )


@pytest.mark.parametrize(
    ("path", "adapter", "items", "clusters"),
    [
        ("mad-commonmt/lexical.jsonl", "commonmt", 200, 100),
        ("mad-ciar/ciar.jsonl", "ciar", 25, 25),
        ("gsm8k-sample/gsm8k.jsonl", "gsm8k", 200, 200),
        ("webglm-qa/nq_open.jsonl", "openqa", 200, 200),
        ("xquad/questions.zh.jsonl", "squad", 605, 120),
        ("retrievalqa/retrievalqa250.jsonl", "retrievalqa", 125, 125),
        ("halueval-qa/qa.jsonl", "halueval", 1000, 500),
        ("ragchecker-human/pairs.jsonl", "ragchecker", 140, 140),
        ("lecard", "lecard", 29, 19),
    ],
)
def test_real_files(path: str, adapter: str, items: int, clusters: int) -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared data are not here")
    found = check(SHARED / path)
    assert (found.adapter, found.items, found.clusters) == (adapter, items, clusters)


def test_the_page_names_every_set_and_adapter() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "data.md").read_text("utf-8")
    sets, adapters = page.partition("## Adapters")[::2]
    assert [name for name in data_sets() if f"| `{name}` |" not in sets] == []
    assert [name for name in ADAPTERS if f"| `{name}` |" not in adapters] == []
