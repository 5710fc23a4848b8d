"""What people edited and retried in sessions, as pairs of preferences."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
import yaml
from verifytui.cli.app import main
from verifytui.engines.method import method_of
from verifytui.engines.rag.verification import read
from verifytui.learning.synth.exports.lines import ExportRecord
from verifytui.learning.synth.exports.options import ExportOptions
from verifytui.learning.synth.exports.preferences import (
    WHYS,
    export_preferences,
    session_files,
)
from verifytui.prompts.demonstrations import load
from verifytui.sessions.events import Event, Usage
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.events.rag import RagAnswer, Verification
from verifytui.sessions.events.relevance import FactItem, Facts
from verifytui.sessions.journal import Journal
from verifytui.tests.learning.support.synthesised import both, lines, saved
from verifytui.tests.support import cases, playing, questions


def export(into: Path, *paths: Path, kinds: Sequence[str] = WHYS) -> ExportRecord:
    """What is made of the sessions in these files and folders."""
    files = [
        file
        for path in paths
        for file in ([path] if path.is_file() else session_files(path))
    ]
    beside = session_files(paths[0].parent)
    return export_preferences(
        files,
        into,
        method_of=method_of,
        elsewhere=beside,
        kinds=kinds,
        options=ExportOptions(validation=0.0),
    )


def fork(origin: Path, into: Path, number: int, why: str, *events: Event) -> Path:
    """A fork with these events behind the first `number`."""
    with (
        Journal.open(origin, write=False) as journal,
        journal.fork(into, number, why) as made,
    ):
        for event in events:
            made.append(event)
    return into


async def debate(folder: Path) -> Path:
    """A debate, played to its end."""
    session = playing.begin(lineup=playing.seats("affirmative", "negative", "judge"))
    await playing.play(
        session,
        lambda role, *_: (
            playing.verdict(True, "8")
            if role == "judge"
            else f"I am {role}.\n\nAnswer: 8"
        ),
    )
    return saved(folder / "debate.yaml", session)


def speech(text: str, model: str = "human", role: str = "negative") -> Speech:
    return Speech(
        role=role,
        round=1,
        model=model,
        text=text,
        usage=Usage(input=0, output=0),
        cost=0.0,
    )


async def test_an_edited_speech_is_chosen_and_the_one_before_rejected(
    tmp_path: Path,
) -> None:
    origin = await debate(tmp_path)
    fork(origin, tmp_path / "edit.yaml", 1, "edit", speech("No: eight.\n\nAnswer: 8"))
    fork(origin, tmp_path / "retry.yaml", 1, "retry", speech("Yes.", "openai/other"))
    fork(
        origin,
        tmp_path / "fork.yaml",
        1,
        "fork",
        speech("A fork says nothing of what is better."),
    )
    made = export(tmp_path / "out", tmp_path)
    rows = {
        row["chosen"][0]["content"]: row for row in both(tmp_path / "out", "preference")
    }
    assert set(rows) == {"No: eight.\n\nAnswer: 8", "Yes."}
    for row in rows.values():
        assert row["rejected"][0]["content"] == "I am negative.\n\nAnswer: 8"
        assert row["prompt"][0]["role"] == "system"
        assert "I am affirmative." in row["prompt"][-1]["content"]
    assert made.counts == {
        "methods": {"debate": 2},
        "preferences": {"edit": 1, "retry": 1},
    }
    assert export(tmp_path / "edits", tmp_path, kinds=["edit"]).counts == {
        "methods": {"debate": 1},
        "preferences": {"edit": 1},
    }


async def test_what_is_no_pair_is_counted_by_its_reason(tmp_path: Path) -> None:
    origin = await debate(tmp_path)
    edit = fork(origin, tmp_path / "edit.yaml", 1, "edit", speech("Mine."))
    fork(edit, tmp_path / "own.yaml", 1, "edit", speech("Mine, in other words."))
    fork(
        origin, tmp_path / "same.yaml", 1, "edit", speech("I am negative.\n\nAnswer: 8")
    )
    fork(
        origin,
        tmp_path / "other.yaml",
        1,
        "edit",
        speech("As the other side.", role="affirmative"),
    )
    fork(origin, tmp_path / "begun.yaml", 1, "retry")
    (tmp_path / "notes.yaml").write_text("a: b\n")
    with Journal.open(
        fork(origin, tmp_path / "gone.yaml", 1, "fork", speech("Lost."))
    ) as journal:
        journal.fork(tmp_path / "orphan.yaml", 1, "edit").close()
    (tmp_path / "gone.yaml").unlink()
    made = export(tmp_path / "out", tmp_path)
    assert made.counts == {"methods": {"debate": 1}, "preferences": {"edit": 1}}
    assert made.left_out == {
        "sessions": {"no-session": 1},
        "preferences": {
            "not-a-model": 1,
            "same": 1,
            "other-prompt": 1,
            "unfinished": 1,
            "no-parent": 1,
        },
    }


async def test_an_edited_query_is_in_the_form_that_the_verifier_is_asked_for(
    tmp_path: Path,
) -> None:
    session = questions.begin(lineup=questions.seats("generator", "verifier"))
    prose = (
        "Well:\n```json\n"
        + questions.verification("Who is big?", "false", reason="It is not.")
        + "\n```"
    )
    await questions.play(session, questions.replies(prose))
    origin = saved(tmp_path / "question.yaml", session)
    at = next(event for event in session.events if isinstance(event, Verification))
    edited = msgspec.structs.replace(
        at, revised_query="Who turns into a bear at night?", edited=True
    )
    fork(origin, tmp_path / "edit.yaml", at.number - 1, "edit", edited)
    answer = next(event for event in session.events if isinstance(event, RagAnswer))
    fork(
        origin,
        tmp_path / "answer.yaml",
        answer.number - 1,
        "edit",
        msgspec.structs.replace(answer, text="Beorn [1].", model="human"),
    )
    export(tmp_path / "out", tmp_path / "edit.yaml", tmp_path / "answer.yaml")
    rows = {
        row["rejected"][0]["content"]: row["chosen"][0]["content"]
        for row in both(tmp_path / "out", "preference")
    }
    assert rows.pop("Beorn does [1].") == "Beorn [1]."
    [(rejected, chosen)] = rows.items()
    assert read(rejected).revised_query == "Who is big?"
    assert read(chosen).revised_query == "Who turns into a bear at night?"
    assert list(json.loads(rejected)) == list(json.loads(chosen))
    assert next(iter(json.loads(chosen))) == "reason"


async def relevance(
    path: Path, *more: Callable[[Facts], Event], **settings: object
) -> Path:
    """A query whose facts were extracted, and what is made of its first facts behind."""
    session = cases.begin(demonstrations=load("en-common-law"))
    await cases.play(session, engine=cases.engine_with(load("en-common-law")))
    session.header.settings |= settings
    first = next(event for event in session.events if isinstance(event, Facts))
    return saved(path, session, *(make(first) for make in more))


def edited(facts: Facts) -> Facts:
    items = [FactItem(text="He climbed through a window.")]
    return msgspec.structs.replace(
        facts, model="human", text="", items=items, edited=True
    )


async def test_facts_in_other_words_are_chosen_unless_they_were_put_back(
    tmp_path: Path,
) -> None:
    changed = await relevance(tmp_path / "edited.yaml", edited)
    back = await relevance(tmp_path / "back.yaml", edited, lambda facts: facts)
    other = await relevance(
        tmp_path / "other.yaml", edited, demonstrations_digest="sha256:of another set"
    )
    made = export(tmp_path / "out", changed, back, other)
    [row] = both(tmp_path / "out", "preference")
    assert json.loads(row["chosen"][0]["content"]) == {
        "facts": ["He climbed through a window."]
    }
    assert len(json.loads(row["rejected"][0]["content"])["facts"]) == 2
    assert cases.QUERY in row["prompt"][-1]["content"]
    assert made.counts["methods"] == {"relevance": 1}
    assert made.left_out["preferences"] == {"same": 1, "no-messages": 1}


async def test_the_command_says_what_it_made_and_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    origin = await debate(tmp_path / "here")
    fork(origin, tmp_path / "here" / "edit.yaml", 1, "edit", speech("No: eight."))
    named = [
        str(tmp_path / "here" / "edit.yaml"),
        "--into",
        str(tmp_path / "out"),
        "--base",
        "org/model",
    ]
    assert main(["synth", "preferences", *named]) == 0
    said = capsys.readouterr().out
    assert "Preference pairs by kind" in said
    assert "1  edit" in said
    config = yaml.safe_load((tmp_path / "out" / "trl-dpo.yaml").read_text("utf-8"))
    assert (config["model_name_or_path"], config["dataset_name"]) == (
        "org/model",
        "preference",
    )
    assert (
        main(["synth", "preferences", *named, "--only", "retry", "--lang", "zh"]) == 1
    )
    told = capsys.readouterr()
    assert "没有会话含有偏好对" in told.err
    assert lines(tmp_path / "out" / "preference" / "train.jsonl") == []


def test_what_cannot_be_read_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.yaml").write_text("a: b\n")
    for words in (
        [str(tmp_path / "x.yaml"), "--into", str(tmp_path / "out")],
        [str(tmp_path / "gone"), "--into", str(tmp_path / "out")],
        [],
    ):
        assert main(["synth", "preferences", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()
