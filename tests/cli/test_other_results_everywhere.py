"""Every command that reads answers reads the results of other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.cli.label_targets import are_answers
from verifytui.engines.figures.rows import rows
from verifytui.engines.figures.runs import read_run
from verifytui.engines.studies.rating import BlindRater

DATA = Path(__file__).resolve().parents[1] / "data"
INSPECT = DATA / "inspect_ai-0.3.285" / "epochs.json"
HARNESS = DATA / "lm_eval-0.4.13"
PROMPTFOO = DATA / "promptfoo-0.1" / "results.json"
PLAIN = [
    {"id": n, "question": f"{n}?", "answers": ["yes"], "good": n % 2} for n in range(4)
]


def of_kind(kind: str, folder: Path) -> Path:
    """A file of results: one of another program, or PLAIN with answers under a name of
    other tools.
    """
    known = {
        "inspect": INSPECT,
        "harness": HARNESS / "samples_sums.jsonl",
        "choices": HARNESS / "samples_choices.jsonl",
        "promptfoo": PROMPTFOO,
    }
    if kind in known:
        return known[kind]
    name, _, form = kind.partition(".")
    made = [row | {name: "yes" if row["good"] else "no"} for row in PLAIN]
    path = folder / kind
    if form == "parquet":
        pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(made), path)
    elif form == "csv":
        cells = [
            ",".join([*made[0]]),
            *(
                ",".join(x[0] if isinstance(x, list) else str(x) for x in row.values())
                for row in made
            ),
        ]
        path.write_text("\n".join(cells))
    elif form == "json":
        path.write_text(json.dumps(made))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in made))
    return path


KINDS = [
    *("inspect", "harness", "choices", "promptfoo", "answer.csv", "response.json"),
    *("output.jsonl", "prediction.jsonl", "completion.jsonl", "output.parquet"),
]


def done(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[Any]:
    code = main([*map(str, arguments)])
    told = capsys.readouterr()
    assert code == 0, told.err
    return [json.loads(line) for line in told.out.splitlines() if line[:1] == "{"]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_verified_and_their_labels_calibrate(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same file gives the answers, and says which of them are right."""
    path, into = of_kind(kind, tmp_path), tmp_path / "into"
    source = ("--references", sums(tmp_path)) if kind == "promptfoo" else ()
    done(capsys, "verify", path, "--into", into, *source, "--quiet")
    report = json.loads((into / "report.json").read_text("utf-8"))
    read = [one.row for one in rows(path, "", [])]
    assert report["lines"] == len(read)
    assert read_run(into).cases.keys() == {str(row["id"]) for row in read}  # type: ignore[index]
    done(capsys, "calibrate", into, "--labels", path, "--output", "json")


@pytest.mark.parametrize("kind", [one for one in KINDS if one != "promptfoo"])
def test_answers_are_items_of_an_audit(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = of_kind(kind, tmp_path)
    judge = ("--judge", "verifier=lexical", "--items", path)
    done(capsys, "audit", *judge, "--into", tmp_path / "into", "--only", "length")


def sums(folder: Path) -> Path:
    path = folder / "sums.txt"
    path.write_text("0 and 0 is 0.\n\n1 and 1 is 2.\n\n2 and 2 is 4.\n")
    return path


def test_columns_that_differ_are_no_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = of_kind("output.jsonl", tmp_path)
    done(capsys, "verify", path, "--into", tmp_path / "into", "--quiet")
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        "".join(json.dumps({"id": n, "a": n % 2, "b": n > 1}) + "\n" for n in range(4))
    )
    assert main(["calibrate", str(tmp_path / "into"), "--labels", str(labels)]) == 2
    assert "(a, b)" in capsys.readouterr().err


def test_the_likeliest_choice_is_the_answer() -> None:
    read = [one.row for one in rows(HARNESS / "samples_choices.jsonl", "", [])]
    assert all(isinstance(row, dict) for row in read)
    for row in read:
        assert isinstance(row, dict)
        assert row["answers"][0].isdigit()
        assert (row["answer"] in row["answers"]) == (row["acc"] == 1)


def test_a_chat_has_the_last_question_of_the_user(tmp_path: Path) -> None:
    log = json.loads(INSPECT.read_text("utf-8"))
    parts = [{"type": "text", "text": "What is"}, {"type": "text", "text": "it?"}]
    for sample, content in zip(log["samples"], ("Now?", parts) * 2, strict=True):
        sample["input"] = [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Before?"},
            {"role": "assistant", "content": "No."},
            {"role": "user", "content": content},
        ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    asked = {row["question"] for _, _, row in rows(path, "", [])}  # type: ignore[index]
    assert asked <= {"Now?", "What is\nit?"}
    assert asked


def test_a_sample_that_failed_is_an_answer_that_is_missing(tmp_path: Path) -> None:
    """It stays in the list: it is counted where the others are."""
    log = json.loads(INSPECT.read_text("utf-8"))
    failed = log["samples"][0]["id"]
    for sample in log["samples"]:
        if sample["id"] == failed:
            sample |= {"error": {"message": "lost"}, "scores": {}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    read = {row["id"]: row for _, _, row in rows(path, "", [])}  # type: ignore[index]
    assert len(read) == 2
    assert read[failed]["answer"] is None
    assert "match" not in read[failed]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_a_file_are_labelled(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels lie beside the file, and `compare` counts them."""
    given = of_kind(kind, tmp_path)
    paths = [tmp_path / f"{end}{given.suffix}" for end in ("a", "b")]
    total = sum(1 for _ in rows(given, "", []))
    for path in paths:
        path.write_bytes(given.read_bytes())
        (told,) = done(capsys, "label", path, "--team", "Anna", "--output", "json")
        assert (told["all"], told["people"]) == (total, {"Anna": total})
        rater = BlindRater.open(path, "Anna")
        for answer in rater.answers:
            (scale,) = answer.scales
            rater.say(answer, scale, int(path == paths[1]), 1.0, seen=False)
        rater.close()
        (one,) = done(capsys, "label", path, "--progress", "--output", "json")
        assert (one["done"], one["assigned"]) == (total, total)
    measure = ("--measure", "human_correct", "--output", "json")
    told = done(capsys, "compare", *paths, *measure)
    (row,) = (one for one in told if one.get("measure") == "human_correct")
    assert (row["a"]["value"], row["b"]["value"]) == (0, 1)


def test_a_file_of_pairs_is_no_file_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": "a", "query": "q", "candidate": "c"}\n')
    assert not are_answers(path)
