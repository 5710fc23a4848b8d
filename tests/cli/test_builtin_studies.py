"""The studies that come along, from the published form of their data to the table, with
a model on the loopback or the built-in one.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import command, debating
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

MT = "chinese_source,english_target_correct,english_target_wrong\n" + "".join(
    f"第{n}句。,Sentence {n}.,Saying {n}.\n" for n in range(4)
)
CIAR = [
    {
        "question": f"What is the number {n}?",
        "answer": [str(n)],
        "incorrect answer": ["0"],
    }
    for n in range(1, 5)
]
QUESTIONS = [
    {
        "id": n,
        "question": "Who turns into a bear?",
        "answers": ["Beorn"],
        "references": ["Beorn is a bear."],
    }
    for n in (1, 2)
]
ANSWERED = """
format: verifytui-study/1
name: small
items: {file: questions.jsonl}
base: {method: rag, model: {"*": lexical}}
conditions: {closed-book: {k: 1}, rag: {iterations: 0}, cov-rag: {}}
measures: [accuracy]
"""


def answers(body: Body) -> Answer:
    """Everybody is right on odd numbers; a debate always.

    Whoever is asked for an object gets one with all that may be asked for.
    """
    asked = "".join(message["content"] for message in body["messages"])
    last = body["messages"][-1]["content"]
    number = int(found[1]) if (found := re.search(r"number (\d+)", asked)) else 0
    if any(
        name in last for name in ('"preference"', '"supported_side"', '"candidates"')
    ):
        verdict: Answer = debating(str(number))(body)
        return verdict
    if any(f'"{name}"' in asked for name in ("right", "reason", "score")):
        return Answer(
            json.dumps(
                {
                    "reason": "So.",
                    "right": True,
                    "value": 1,
                    "score": 4,
                    "disagreement": 0.5,
                    "satisfied": True,
                    "answer": str(number),
                }
            )
        )
    return Answer(f"So it is.\n\nAnswer: {number if number % 2 else 'wrong'}")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    for part in ("query", "label", "candidates/7"):
        (folder / part).mkdir(parents=True)
    (folder / "lexical ambiguity.csv").write_text(MT)
    (folder / "CIAR.json").write_text(json.dumps(CIAR))
    (folder / "query/query.json").write_text(
        json.dumps({"ridx": 7, "q": "被告人甲盗窃他人手机一部，价值三千元。"}) + "\n"
    )
    (folder / "label/label_top30_dict.json").write_text(
        json.dumps({"7": {"11": 3, "12": 0}})
    )
    for name, text in (
        ("11", "被告人乙盗窃他人手机一部，价值二千元。"),
        ("12", "被告人丙酒后驾驶机动车。"),
    ):
        (folder / f"candidates/7/{name}.json").write_text(json.dumps({"ajjbqk": text}))
    return folder


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("mad-3", "openai/lb"),
        ("mad-5", "openai/lb"),
        ("mad-fig1", "openai/lb"),
        ("mad-fig4", "openai/lb"),
        ("mad-7", None),
        ("lcr-fig9", "lexical"),
        ("lcr-fig11", "lexical"),
        ("lcr-ablation", "lexical"),
        ("cov-3", "lexical"),
    ],
)
def test_a_built_in_study_runs_to_its_table(
    name: str, model: str | None, data: Path, server: Loopback, tmp_path: Path
) -> None:
    server.answer = answers
    if name == "cov-3":
        (data / "questions.jsonl").write_text(
            "".join(json.dumps(question) + "\n" for question in QUESTIONS)
        )
        (data / "small.yaml").write_text(ANSWERED)
        assert (
            command("study", data / "small.yaml", "--into", data / "cov-2").returncode
            == 0
        )
    chosen = ["--model", model] if model else []
    done = command(
        "study",
        name,
        "--data",
        data,
        "--into",
        tmp_path / "out",
        "--take",
        "2",
        *chosen,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [one["sessions"].get("failed", 0) for one in found["conditions"]] == [
        0
    ] * len(found["conditions"])
    assert "paper" in done.stdout or name == "lcr-fig11"


def verified(body: Body) -> Answer:
    """Whoever answers says Beorn; the verifier finds it right."""
    if '"judgement"' not in body["messages"][-1]["content"]:
        return Answer("Beorn [1].\n\nAnswer: Beorn")
    scores = ("reference_correctness", "correctness", "citation_accuracy")
    kept = dict.fromkeys((*scores, "truthfulness", "conciseness"), 1)
    made = {"reason": "So.", **kept, "bias": 0, "judgement": "true"}
    return Answer(json.dumps({**made, "revised_query": ""}))


@pytest.fixture
def bears(data: Path) -> Path:
    """NQ's form of two questions, and a folder that answers one of them."""
    rows = [
        {"question": "Who turns into a bear?", "answer": ["Beorn"]},
        {"question": "Who is the skin-changer?", "answer": ["Beorn"]},
    ]
    (data / "nq_open.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    web = {"utterance": "who is a bear?", "targetValue": '(list (description "Beorn"))'}
    (data / "web_questions.jsonl").write_text(json.dumps(web) + "\n")
    (data / "docs").mkdir()
    (data / "docs" / "bear.txt").write_text(
        "Beorn, the skin-changer, turns into a bear."
    )
    return data


@pytest.mark.parametrize("name", ["cov-2", "cov-5", "cov-6"])
def test_a_study_of_retrieval_runs_over_a_corpus_of_the_user(
    name: str, bears: Path, server: Loopback, tmp_path: Path
) -> None:
    """Without a key of a search engine; the report finds the corpus again."""
    server.answer = verified
    model = "openai/lb" if name == "cov-2" else "lexical"
    options = ["--data", bears, "--corpus", bears / "docs", "--model", model]
    done = command("study", name, *options, "--into", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "paper" in done.stdout
    report = command("study", "report", tmp_path / "out", "--to", "json").stdout
    made = json.loads(report)
    assert list(made["sets"]) == ["NQ", "WebQ"]
    assert [one["items"] for one in made["sets"].values()] == [2, 1]
    assert "Mintaka: left out, since mintaka_test.json is not there." in done.stderr
    if name == "cov-5":
        web = made["sets"]["WebQ"]["figures"]["contains_paper"]["End-Revise"]
        assert (web["n"], web["paper"]) == (1, 0.61)
    if name == "cov-2":
        assert "Self-RAG, Llama2-13b" in done.stdout
    given = [one["options"] for one in made["conditions"]]
    assert [one["corpus"] for one in given if "k" in one] == [
        str(bears / "docs")
    ] * sum("k" in one for one in given)


def test_a_study_whose_questions_find_nothing_fails(
    bears: Path, tmp_path: Path
) -> None:
    (bears / "docs" / "bear.txt").write_text("Nichts davon.")
    options = ["--data", bears, "--corpus", bears / "docs", "--model", "lexical"]
    done = command("study", "cov-5", *options, "--into", tmp_path / "out")
    assert done.returncode == 1
    assert re.search(r"\d of 9 first searches found nothing", done.stderr)


def test_a_check_names_the_engine_key_and_the_models_that_are_missing(
    bears: Path,
) -> None:
    for name, words in (
        ("cov-2", ["BRAVE_API_KEY", "OPENAI_API_KEY"]),
        ("cov-fig4", ["7b-rag", "7b-cov", "13b-rag", "13b-cov"]),
    ):
        done = command("study", "check", name, "--data", bears)
        assert done.returncode == 2
        assert [word for word in words if word not in done.stderr] == []
    options = ["--data", bears, "--web", "duckduckgo", "--model", "lexical"]
    done = command("study", "check", "cov-5", *options)
    assert done.returncode == 0, done.stderr
    assert "duckduckgo gives instant answers, not search results" in done.stderr
    done = command("study", "check", "cov-7", "--data", bears, "--corpus", "docs")
    assert done.returncode == 2
    assert "cov-7 compares sources" in done.stderr


def test_a_sweep_over_the_search_measures_gold_passages(tmp_path: Path) -> None:
    """The bundled sweep over a corpus without vectors: the user's own copy leaves out
    what needs a model.
    """
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bear.txt").write_text("Beorn turns into a bear.")
    (tmp_path / "docs" / "bears.txt").write_text(
        "A bear is a bear, and who turns into it is another question."
    )
    lines = [
        {
            "question": "Who turns into a bear?",
            "gold": ["bear.txt", "bears.txt"],
            "answers": ["Beorn"],
        }
    ]
    (tmp_path / "questions.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    text = command("study", "show", "rag-sweep").stdout
    for old, new in (
        ("corpus: mine", f"corpus: {tmp_path / 'docs'}"),
        (", dense, hybrid]", "]"),
        ("[3, 5, 10]", "[1, 5]"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "mine.yaml").write_text(
        "".join(
            line
            for line in text.splitlines(keepends=True)
            if line[0] == "#"
            or not line.strip().startswith(("rerank:", "small:", "large:", "overlap:"))
        )
    )
    done = command("study", tmp_path / "mine.yaml", "--into", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    scores = [
        json.loads(line)
        for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()
    ]
    recall = {
        one["condition"]: one["value"] for one in scores if one["measure"] == "recall"
    }
    assert recall == {
        "k=1,search=bm25": 0.5,
        "k=5,search=bm25": 1.0,
        "again": 1.0,
        "merge": 1.0,
        "neighbors": 1.0,
        "section": 1.0,
    }
