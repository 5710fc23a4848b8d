"""The lines of a batch: forms of files, and all that is wrong named at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.batches.batch import headers_of
from verifytui.engines.batches.topics import read_topics
from verifytui.engines.rag.questions import QuestionLine, read_answers, read_questions
from verifytui.engines.starting import wishes
from verifytui.sessions.errors import BadInput

RAGAS = [
    {
        "user_input": "When?",
        "response": "In 1873.",
        "retrieved_contexts": ["Built in 1873.", "It's old."],
        "reference": "1873",
    },
    {
        "user_input": "Who?",
        "response": "Ada, “the first”.",
        "retrieved_contexts": ["Ada Holm built it."],
        "reference": "Ada",
    },
]
COLUMNS = {name: [row[name] for row in RAGAS] for name in RAGAS[0]}
CSV = """user_input,response,retrieved_contexts,reference
When?,In 1873.,"['Built in 1873.', ""It's old.""]",1873
Who?,"Ada, “the first”.","['Ada Holm built it.']",Ada
"""
ARRAYS = CSV.replace("1873.', \"", "1873.'\n \"")


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(
        content
        if isinstance(content, str)
        else json.dumps(content, ensure_ascii=False),
        "utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", RAGAS),
        ("a.json", COLUMNS),
        (
            "a.json",
            {
                name: {str(n): value for n, value in enumerate(values)}
                for name, values in COLUMNS.items()
            },
        ),
        ("a.json", {"version": 1, "samples": RAGAS}),
        ("a.json", "\n".join(map(json.dumps, RAGAS))),
        ("a.jsonl", "\n".join(map(json.dumps, RAGAS))),
        ("a.csv", CSV),
        ("a.csv", ARRAYS),
        ("a.tsv", CSV.replace(", ", "; ").replace(",", "\t").replace("; ", ", ")),
    ],
)
def test_answers_are_read_as_ragas_writes_them(
    tmp_path: Path, name: str, content: Any
) -> None:
    lines, _ = read_answers(written(tmp_path, name, content), wishes("rag"))
    assert [(one.id, one.question, one.answer, one.answers) for one in lines] == [
        ("1", "When?", "In 1873.", ("1873",)),
        ("2", "Who?", "Ada, “the first”.", ("Ada",)),
    ]
    assert [[one.text for one in line.references or ()] for line in lines] == [
        ["Built in 1873.", "It's old."],
        ["Ada Holm built it."],
    ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "a.json",
            {"user_input": ["When?"], "response": []},
            "columns of different lengths",
        ),
        ("a.json", [1], "item 1 is not a JSON object"),
        ("a.csv", "", "has no lines; each line is"),
        (
            "a.csv",
            "question,answer\nWhen?,In May, 1873.\n",
            "line 2 has more cells than the first line has names",
        ),
        ("a.json", "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: Any, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        read_answers(written(tmp_path, name, content), wishes("rag"))


GOOD = {"id": "good", "question": "Who?", "references": ["Beorn."]}
BAD = [
    {"id": "good", "question": "Twice?"},
    {"question": 1},
    {"question": "Who?", "k": 99},
    ["no object"],
]


def test_all_bad_lines_are_named_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "q.jsonl",
        "\n".join([json.dumps(GOOD), *map(json.dumps, BAD), "no json"]),
    )
    with pytest.raises(BadInput) as caught:
        read_questions(path, wishes("rag"))
    told = str(caught.value).splitlines()
    assert [sentence.split(", line ")[1][:1] for sentence in told] == [
        "2",
        "3",
        "4",
        "5",
        "6",
    ]
    left_out: list[str] = []
    assert [line.id for line in read_questions(path, wishes("rag"), left_out)] == [
        "good"
    ]
    assert left_out == told


def test_at_most_twenty_bad_lines_are_named_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path,
        "q.jsonl",
        "\n".join(
            [json.dumps(GOOD), *(json.dumps({**GOOD, f"x{n}": 1}) for n in range(25))]
        ),
    )
    with pytest.raises(BadInput) as caught:
        read_questions(path, wishes("rag"))
    told = str(caught.value).splitlines()
    assert len(told) == 21
    assert told[-1] == (
        "5 more lines are invalid; fix these first, or skip them with --skip-bad."
    )


def test_lines_with_the_same_fault_are_named_once_with_a_count_and_the_known_fields(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path,
        "t.jsonl",
        "\n".join(
            json.dumps({"topic": f"{n}?", "gold" if n != 2 else "expect": "x"})
            for n in range(40)
        ),
    )
    with pytest.raises(BadInput) as caught:
        read_topics(path, wishes("debate"))
    first, second = str(caught.value).splitlines()
    assert first == (
        f"{path}, line 1: “gold” is not an option of a debate; the other fields of a "
        "line are answers, cluster, id, topic, wrong_answers. "
        "(Other lines with this fault: 38.)"
    )
    assert "line 3: “expect”" in second
    assert "Other" not in second


def test_lines_that_cannot_begin_are_named_and_what_is_wrong_with_all_is_said_once(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path,
        "q.jsonl",
        "\n".join(
            json.dumps({"question": f"{n}?", "references": ["A."]}) for n in range(3)
        ),
    )
    lines = read_questions(path, wishes("rag"))

    def begin(wanted: Any) -> Any:
        if wanted.task["question"] != "1?" or everything:
            raise BadInput("No seat.")
        return _Header()

    everything = False
    left_out: list[str] = []
    kept, _ = headers_of(lines, begin, left_out)
    assert ([line.id for line in kept], len(left_out)) == (["2"], 2)
    with pytest.raises(BadInput, match=r"line 1: No seat\.\n.*line 3: No seat\.$"):
        headers_of(lines, begin)
    everything = True
    with pytest.raises(BadInput) as caught:
        headers_of(lines, begin, [])
    assert str(caught.value) == f"{lines[0].where}: No seat."


class _Header:
    lineup: dict[str, Any] = {}


def test_documents_of_other_tools_are_references(tmp_path: Path) -> None:
    rows = [
        {
            "query": "Who?",
            "result": "Beorn.",
            "source_documents": [
                {"page_content": "Beorn.", "metadata": {"source": "a/b.md", "page": 3}}
            ],
        },
        {
            "query": "Who?",
            "response": "Beorn.",
            "source_nodes": [
                {"node": {"text": "Beorn.", "metadata": {"title": "B"}}, "score": 0.5}
            ],
        },
    ]
    lines, _ = read_answers(written(tmp_path, "a.json", rows), wishes("rag"))
    assert [_first(line) for line in lines] == [
        ("Beorn.", "b.md", "a/b.md", None),
        ("Beorn.", "B", None, 0.5),
    ]
    assert lines[0].references is not None
    assert lines[0].references[0].metadata == {"source": "a/b.md", "page": "3"}


def _first(line: QuestionLine) -> tuple[Any, ...]:
    assert line.references is not None
    one = line.references[0]
    return one.text, one.title, one.file, one.score
