"""The file of a batch or a study is edited while it runs: what was read at its
beginning is what runs, and a later run notices.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.loopback import Answer, Body, Loopback

WORDS = ["--model", "openai/lb", "--concurrency", "1", "--into", "out"]


@pytest.fixture(autouse=True)
def _elsewhere(
    home: Path, loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.chdir(tmp_path)


def write(*whys: str) -> None:
    lines = [{"id": f"t{n}", "topic": f"Why {why}?"} for n, why in enumerate(whys)]
    Path("topics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))


def edits_at_once(loopback: Loopback, edit: Callable[[], None]) -> None:
    """The first call edits the file; the second one fails, so that something is left."""

    def answer(body: Body) -> Answer:
        if len(loopback.requests) == 1:
            edit()
        if len(loopback.requests) == 2:
            return Answer(status=400, error="not now")
        return Answer(text="42")

    loopback.answer = answer


def asked(loopback: Loopback) -> list[str]:
    texts = [str(body["messages"]) for body in loopback.requests]
    whys = ("one", "two", "three", "new")
    return [why for text in texts for why in whys if f"Why {why}?" in text]


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (("new", "new", "new"), "topics.jsonl, line 1"),
        (("one", "two"), "The lines lack “t2”, which out was started with"),
    ],
)
def test_a_batch_runs_what_it_read_and_another_file_is_refused(
    later: tuple[str, ...],
    told: str,
    loopback: Loopback,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("one", "two", "three")
    edits_at_once(loopback, lambda: write(*later))
    assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 1
    assert asked(loopback) == ["one", "two", "three"]
    capsys.readouterr()
    assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 2
    said = capsys.readouterr().err
    print(said)
    assert len(said.splitlines()) == 1
    assert told in said
    assert len(loopback.requests) == 3
    write("one", "two", "three")
    assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 0
    assert asked(loopback) == ["one", "two", "three", "two"]


def test_a_batch_whose_file_is_gone_or_cut_runs_to_its_end(
    loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    write("one", "two", "three")
    edits_at_once(loopback, lambda: Path("topics.jsonl").write_text('{"id": "t0", "to'))
    assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 1
    assert asked(loopback) == ["one", "two", "three"]
    for ruin in (lambda: None, Path("topics.jsonl").unlink):
        ruin()
        capsys.readouterr()
        assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 2
        assert "topics.jsonl" in capsys.readouterr().err
    assert len(loopback.requests) == 3


def test_lines_that_are_new_are_run_by_the_next_run(loopback: Loopback) -> None:
    write("one", "two", "three")
    edits_at_once(loopback, lambda: write("one", "two", "three", "new"))
    assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 1
    assert asked(loopback) == ["one", "two", "three"]
    assert main(["solo", "--topics", "topics.jsonl", *WORDS]) == 0
    assert asked(loopback)[3:] == ["two", "new"]


@pytest.mark.scale
def test_waves_ask_what_was_read_and_another_file_is_refused_between_them(
    loopback: Loopback,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from verifytui.scale.waves import waves

    monkeypatch.setattr(waves, "FIRST_PAUSE", 0.01)
    write("one", "two", "three")

    def answer(body: Body) -> Answer:
        write("new", "new", "new")
        return Answer(text="42")

    loopback.answer = answer
    words = ["solo", "--topics", "topics.jsonl", *WORDS, "--batch-api"]
    assert main(words) == 0
    bodies = [str(body) for body in loopback.batches.bodies]
    assert len(bodies) == 3
    assert not [body for body in bodies if "Why new?" in body]
    capsys.readouterr()
    assert main(words) == 2
    assert "line 1" in capsys.readouterr().err


@pytest.mark.parametrize("which", ["study.yaml", "topics.jsonl"])
def test_a_study_runs_what_it_read_and_another_one_is_refused(
    which: str, loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    write("one", "two", "three")
    study = (
        "format: verifytui-study/1\nname: small\ntitle: Small\n"
        "items: {adapter: jsonl, file: topics.jsonl}\n"
        "base: {method: solo, model: {'*': openai/lb}}\n"
        "conditions: {direct: {strategy: direct}}\nmeasures: [decided]\n"
    )
    Path("study.yaml").write_text(study)

    def edit() -> None:
        if which == "study.yaml":
            Path(which).write_text(study.replace("strategy: direct", "strategy: cot"))
        else:
            write("new", "new", "new")

    edits_at_once(loopback, edit)
    words = ["study", "study.yaml", "--into", "out", "--concurrency", "1"]
    code = main(words)
    assert code == 1, capsys.readouterr().err
    assert sorted(asked(loopback)) == ["one", "three", "two"]
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    print(said)
    assert len(said.splitlines()) == 1
    assert len(loopback.requests) == 3
