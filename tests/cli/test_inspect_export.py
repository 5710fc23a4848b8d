"""`export --to inspect`: a log that inspect_ai reads, and `compare` too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.engines.api import table_of
from verifytui.engines.figures.inspect_log import epochs_of
from verifytui.engines.figures.runs import read_run
from verifytui.sessions.events.labels import Label
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, debating, one_sentence, refused
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.pairs import folder_of

pytestmark = pytest.mark.slow
THERE = find_spec("inspect_ai") is not None
needs_inspect = pytest.mark.skipif(not THERE, reason="needs the extra `inspect`")
KEY = "sk-loopback-0123456789"
LINES: list[dict[str, Any]] = [
    {"id": "right", "topic": "One?", "answers": ["1.5"], "wrong_answers": ["4"]},
    {"id": "../wrong/1", "topic": "A trap?", "answers": ["1.5"]},
    {"id": "fails", "topic": "No way?", "answers": ["1.5"]},
    {"id": "same.r1", "topic": "Again?", "answers": ["1.5"]},
    {"id": "same.r2", "topic": "Again?", "answers": ["1.5"]},
    {"id": "free", "topic": "\u202eWhy \x1b]0;x\x07?"},
]


def answer(body: Body) -> Answer:
    """Terminal codes and the key in every speech; one topic fails."""
    asked = str(body)
    if "No way?" in asked:
        return Answer(status=400, error="refused \x1b[31m" + KEY)
    said = debating("4 m/s" if "A trap?" in asked else "1.5 m/s")(body)
    if not said.text.startswith("{"):
        said.text = f"\x1b]52;c;eA==\x07Speech {KEY}\u202e.\n\n{said.text}"
    return said


@pytest.fixture
def batch(server: Loopback, tmp_path: Path) -> Path:
    server.answer = answer
    topics, into = tmp_path / "topics.jsonl", tmp_path / "out"
    topics.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    done = command("debate", "--topics", topics, "--into", into, "--model", "openai/lb")
    assert done.returncode == 1, done.stderr
    return into


def exported(file: Path, target: Path) -> Any:
    from inspect_ai.log import read_eval_log

    assert main(["export", str(file), "--to", "inspect", "-o", str(target)]) == 0
    return read_eval_log(str(target))


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from texts(name)
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


@needs_inspect
def test_a_batch_is_read_by_inspect(batch: Path, tmp_path: Path) -> None:
    log = exported(batch, tmp_path / "debates.eval")
    assert (log.status, log.eval.model) == ("success", "openai/lb")
    assert (log.eval.config.epochs, log.results.total_samples) == (2, 6)
    samples = {(one.id, one.epoch): one for one in log.samples}
    rows, places = table_of([batch]).rows, epochs_of(read_run(batch))
    assert {*samples} == {*places.values()}
    assert {("same", 1), ("same", 2), ("../wrong/1", 1)} < {*samples}
    for row in rows:
        sample = samples[places[str(row["id"])]]
        scores = {name: one.value for name, one in sample.scores.items()}
        for name in ("accuracy", "decided"):
            assert scores.get(name) == row.get(name), (row["id"], name)
        assert not {"tokens", "cost", "seconds", "calls"} & scores.keys()
    right, failed = samples["right", 1], samples["fails", 1]
    assert (right.output.completion, right.target) == ("1.5 m/s", ["1.5"])
    assert right.scores["accuracy"].explanation == "right"
    speech = right.messages[1]
    assert speech.text.startswith("[affirmative, round 1]\n\n]52;c;eA==Speech [key ")
    assert speech.metadata["role"] == "affirmative"
    assert right.model_usage["openai/lb"].total_tokens == rows[0]["tokens"]
    assert right.role_usage["judge"].output_tokens == 7
    assert right.metadata["settings"]["rounds"] == 3
    assert right.started_at < right.completed_at
    assert "refused" in failed.error.message
    assert failed.scores["accuracy"].value == 0, "as in our own table"
    (accuracy,) = (one for one in log.results.scores if one.name == "accuracy")
    assert accuracy.metrics["mean"].value == pytest.approx(2 / 4)


@needs_inspect
def test_no_key_and_no_terminal_code_gets_into_a_log(
    batch: Path, tmp_path: Path
) -> None:
    log = exported(batch, tmp_path / "debates.eval")
    whole = [*texts(json.loads(log.model_dump_json()))]
    assert any("Speech" in text for text in whole)
    assert not [text for text in whole if KEY in text]
    assert not [text for text in whole if {*"\x1b\x07\u202e"} & {*text}]


@needs_inspect
def test_comparing_the_log_gives_the_same_accuracy(
    batch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tmp_path / "first.eval"
    exported(batch, first)
    second = tmp_path / "second.eval"
    second.write_bytes(first.read_bytes())
    capsys.readouterr()
    rows = [row["accuracy"] for row in table_of([batch]).rows if "accuracy" in row]
    assert rows == [1, 0, 0, 1, 1]
    for more in ([], ["--measure", "accuracy"]):
        runs = [str(first), str(second)]
        assert main(["compare", *runs, "--output", "json", *more]) == 0
        read = map(json.loads, capsys.readouterr().out.splitlines())
        (row,) = (one for one in read if one.get("measure") == "accuracy")
        # `same` is one item, right in both epochs
        assert (row["a"]["value"], row["a"]["n"]) == (2 / 4, 4)


@needs_inspect
def test_a_session_is_a_log_of_one_sample(batch: Path, tmp_path: Path) -> None:
    log = exported(batch / "right.yaml", tmp_path / "one.eval")
    (sample,) = log.samples
    assert (sample.id, sample.scores["accuracy"].value) == ("right", 1)


def labeled(folder: Path, names: tuple[str, ...]) -> list[int]:
    """The levels that each of these gives to the pairs of a folder but the last."""
    pairs = pairs_in(folder_of(folder, 4))[:-1]
    for name in names:
        with LabelFile.open(folder, name) as file:
            for number, pair in enumerate(pairs):
                note = "\x1b[2Jby day" if number == 1 else ""
                file.append(pair.label(Label(value=number, note=note)))
    return [*range(len(pairs))]


@needs_inspect
def test_labels_become_scores_in_inspect(tmp_path: Path) -> None:
    from inspect_ai import score
    from inspect_ai.scorer import precomputed_scores

    levels = labeled(tmp_path / "run", ("Anna",))
    log, file = exported(tmp_path / "run", tmp_path / "run.eval"), tmp_path / "s.jsonl"
    done = command("labels", "export", tmp_path / "run", file, "--to", "inspect")
    assert done.returncode == 0, done.stderr
    told = score(
        log,
        precomputed_scores(str(file)),
        action="append",
        display="none",
        model="none/none",
    )
    found = {one.id: one.scores.get("precomputed_scores") for one in told.samples}
    assert [found[f"p0{n}"].value for n in (1, 2, 3)] == levels
    assert found["p02"].explanation == "[2Jby day"
    assert found["p04"] is None


def test_labels_of_several_people_are_under_their_names(tmp_path: Path) -> None:
    labeled(tmp_path / "run", ("Anna", "Bert"))
    file = tmp_path / "scores.json"
    arguments = ("labels", "export", tmp_path / "run", file, "--to", "inspect")
    assert command(*arguments).returncode == 0
    read = json.loads(file.read_text("utf-8"))
    assert [row["id"] for row in read] == ["p01", "p02", "p03"]
    assert read[2]["value"] == {"Anna": 2, "Bert": 2}
    refused(command(*arguments), "scores.json")


def test_lines_about_other_things_are_no_epochs(tmp_path: Path, batch: Path) -> None:
    places = epochs_of(read_run(batch))
    assert places["same.r2"] == ("same", 2)
    for name in ("same.r1", "same.r2"):
        (batch / f"{name}.yaml").unlink()
    assert epochs_of(read_run(batch))["same.r2"] == ("same.r2", 1)


def test_what_cannot_be_written_is_refused(
    batch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ("export", batch, "--to", "inspect")
    refused(command(*start), "-o NAME.eval")
    refused(command(*start, "-o", tmp_path / "a.json"), "-o NAME.eval")
    refused(command(*start, "-o", tmp_path / "a.eval", "--majority"), "--majority")
    (tmp_path / "b.eval").write_text("")
    refused(command(*start, "-o", tmp_path / "b.eval"), "already exists")


@pytest.mark.skipif(THERE, reason="inspect_ai is installed")
def test_the_extra_is_named(
    batch: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "a.eval"
    capsys.readouterr()
    assert main(["export", str(batch), "--to", "inspect", "-o", str(target)]) == 2
    one_sentence(capsys.readouterr().err, "[inspect]")
    assert not target.exists()
