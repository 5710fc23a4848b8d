"""Runs are read from the folder of a batch and from files of outputs; their figures are
those of the batch's report.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.figures.aggregate import Aggregate, of_session, whole
from verifytui.engines.figures.common import answer_of, measures
from verifytui.engines.figures.runs import Run, read_run
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.solo_runs import LINES, solo_run, write_lines


def figure(run: Run, name: str) -> Aggregate:
    measure = measures()[name]
    told = [
        (case.item.cluster, one)
        for case in run.cases.values()
        if (one := of_session(measure.of(case.session, case.item))) is not None
    ]
    return whole(measure, told)


async def test_the_figures_of_a_folder_are_those_of_its_report(
    home: Path, tmp_path: Path
) -> None:
    folder = await solo_run(tmp_path / "out")
    run, report = (
        read_run(folder),
        json.loads((folder / "report.json").read_text("utf-8")),
    )
    for name in ("accuracy", "accuracy_decided", "traps"):
        found = figure(run, name)
        assert (found.value, found.low, found.high, found.n) == tuple(
            report[name][part] for part in ("value", "low", "high", "of")
        )
    for name in ("chrf", "bleu"):
        assert figure(run, name).value == report[name]["value"]
    assert figure(run, "calls").value == 1
    assert run.provenance.facts["setting.strategy"] == ["direct"]
    assert [case.item.cluster for case in run.cases.values()] == [
        LINES[0]["topic"],
        "hills",
        LINES[2]["topic"],
    ]


async def test_a_session_that_is_missing_or_damaged_counts_as_wrong(
    home: Path, tmp_path: Path
) -> None:
    folder = await solo_run(tmp_path / "out")
    (folder / "hill.yaml").write_text("format: verifytui/1\n...\n", "utf-8")
    (folder / "again.yaml").unlink()
    run = read_run(folder)
    assert [case.status for case in run.cases.values()] == ["failed", "stopped", "done"]
    item = (
        read_run(write_lines(tmp_path / "theirs.jsonl", [{**LINES[0], "answer": None}]))
        .cases["hill"]
        .item
    )
    assert [
        one[:2] for one in measures()["accuracy"].of(run.cases["hill"].session, item)
    ] == [(0, "failed")]


def test_outputs_bring_their_items_along(tmp_path: Path) -> None:
    lines = [
        {**line, "answer": answer}
        for line, answer in zip(
            LINES, ("1.5 m/s", None, "Destroy a division."), strict=True
        )
    ]
    run = read_run(write_lines(tmp_path / "theirs.jsonl", lines))
    assert figure(run, "accuracy").as_json() | {"low": 0, "high": 0} == {
        "value": 0.5,
        "low": 0,
        "high": 0,
        "n": 2,
        "of": 2,
        "count": 1,
        "unanswered": {"undecided": 1},
    }
    assert figure(run, "tokens") == Aggregate(None)


async def test_an_item_has_one_digest_wherever_it_comes_from(
    home: Path, tmp_path: Path
) -> None:
    ours = read_run(await solo_run(tmp_path / "out"))
    theirs = read_run(
        write_lines(
            tmp_path / "theirs.jsonl", [{**line, "answer": "x"} for line in LINES[:2]]
        )
    )
    assert [
        theirs.cases[id_].item.digest == ours.cases[id_].item.digest
        for id_ in theirs.cases
    ] == [True, True]
    other = read_run(
        write_lines(
            tmp_path / "other.jsonl",
            [{**LINES[0], "answers": ["3 m/s"], "answer": "x"}],
        )
    )
    assert other.cases["hill"].item.digest != ours.cases["hill"].item.digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "contains no output"),
        ("{", "not JSON"),
        ('{"answer": "x"}\n', "not an output"),
        ('{"id": "a", "answer": ["x"]}\n', "not an output"),
        ('{"id": "a"}\n', "line 1 has no answer; name it with one of: answer, resp"),
        ('{"id": "a", "answer": "x"}\n{"id": "b"}\n', "line 2 has no answer"),
        ("[1]\n", "not an output"),
        (
            '{"id": "a", "answer": "x"}\n{"id": "a", "answer": "y"}\n',
            "line 2: the id “a” is already used; give each line its own",
        ),
    ],
)
def test_what_is_no_file_of_outputs_is_refused_in_a_sentence(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=says):
        read_run(path)


@pytest.mark.parametrize("id_name", ["id", "doc_id", "testIdx", "sample_id"])
@pytest.mark.parametrize(
    "name", ["answer", "response", "output", "prediction", "completion"]
)
def test_outputs_of_other_programs_are_read(
    tmp_path: Path, id_name: str, name: str
) -> None:
    file = write_lines(tmp_path / "a.jsonl", [{id_name: 3, name: "x", "score": 0.5}])
    (case,) = read_run(file).cases.values()
    assert (case.item.id, answer_of(case.session).text) == ("3", "x")
    assert case.item.fields == {"score": 0.5, "columns": {"score": 0.5}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"id": "a", "answer": NaN}\n{"id": "b", "answer": 1.5}\n'),
        (
            "a.json",
            '[{"id": "a", "answer": NaN}, {"id": "b", "output": 1, "answer": 1.5}]',
        ),
        ("a.csv", "id,answer,output\na,,7\nb,1.5,7\n"),
        ("a.csv", "id,answer\na,NaN\nb,1.5\n"),
        ("a.tsv", "id\tresponse\na\t\nb\t1.5\n"),
    ],
)
def test_a_missing_answer_is_none_in_every_form(
    tmp_path: Path, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    answers = [answer_of(case.session).text for case in read_run(file).cases.values()]
    assert answers == [None, "1.5"]


def test_a_table_without_answers_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,topic\na,b\n", "utf-8")
    with pytest.raises(BadInput, match="has no answer"):
        read_run(file)


def test_a_folder_that_is_no_batch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"batch\.json"):
        read_run(tmp_path)
    with pytest.raises(
        BadInput, match="nothing does not exist; a run is the folder of a batch"
    ):
        read_run(tmp_path / "nothing")
