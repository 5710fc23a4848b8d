"""The verifier's reason, a score that is not measured and a query that is not used: on
screen, in text, in every export.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from verifytui.cli.printer import Printer
from verifytui.engines.blocks import export
from verifytui.engines.rag.decision import decide
from verifytui.engines.rag.plan import RagIteration
from verifytui.engines.rag.settings import SETTINGS
from verifytui.sessions.events import Event
from verifytui.sessions.events.rag import Verification
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Session
from verifytui.tests.support.questions import begin
from verifytui.texts import set_language
from verifytui.tui.workspaces.rag.wording import column, right

REASON = "The references speak of\nthe largest lake."


def verified(**given: object) -> Verification:
    scores = {
        "reference_correctness": 0.2,
        "correctness": 0.1,
        "citation_accuracy": 1.0,
        "truthfulness": 0.9,
        "conciseness": 0.9,
    }
    told = {
        "reason": REASON,
        "bias": None,
        "unmeasured": ["bias"],
        "judgement": "true",
        "revised_query": "Which lake?",
        "read": "json",
    }
    return Verification(
        role="verifier",
        model="m",
        iteration=1,
        text="{}",
        **{**scores, **told, **given},
    )


def session(*events: Event) -> Session:
    made = begin()
    for number, event in enumerate(events, 1):
        event.number, event.time = number, "2026-11-21T04:44:00.123Z"
        made.events.append(event)
    return made


def test_on_screen() -> None:
    turn = RagIteration(
        1,
        verification=verified(),
        decision=decide(verified(), "nonempty", SETTINGS["bounds"].default),
    )
    for shown in (str(right([turn], "nonempty", 40)), str(column(turn))):
        assert REASON in shown
        assert shown.count("not measured") == 1
        assert "unread" not in shown
        assert "query, not used (judged true)" in shown
    assert "the reply gives no answer" in str(
        right(
            [
                RagIteration(
                    1,
                    decision=decide(
                        verified(),
                        "nonempty",
                        SETTINGS["bounds"].default,
                        abstains=True,
                    ),
                )
            ],
            "nonempty",
            40,
        )
    )


def test_an_unread_score_is_not_called_unmeasured() -> None:
    shown = str(
        right([RagIteration(1, verification=verified(unmeasured=[]))], "nonempty", 40)
    )
    assert shown.count("unread") == 1
    assert "not measured" not in shown


def printed(capsys: pytest.CaptureFixture[str], event: Event) -> str:
    shown, made = Printer(), session(event)
    shown.header(made)
    shown.event(made.events[0])
    return capsys.readouterr().out


def test_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, verified())
    assert f"[verifier · m]\n{REASON}\n" in shown
    assert (
        "bias                   -  not measured: this verifier cannot know what "
        "is right" in shown
    )
    assert (
        "Revised query, not used because the answer is judged true: Which lake?"
        in shown
    )
    assert "Revised query: Which lake?" in printed(capsys, verified(judgement="false"))


def test_a_decision_is_said_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    made = decide(
        verified(judgement="false"), "thresholds-all", SETTINGS["bounds"].default
    )
    set_language("zh")
    try:
        shown = printed(capsys, made)
    finally:
        set_language("en")
    assert "判断：错误（不是正确）" in shown
    assert "改写后的查询：Which lake?（不为空）" in shown


@pytest.mark.parametrize("form", ["md", "html"])
def test_in_the_exports_for_readers(form: str) -> None:
    made = export(session(verified()), form)
    assert "The references speak of" in made
    assert "not measured" in made
    assert "Revised query, not used because the answer is judged true" in made
    assert "Which lake?" in made


def test_in_the_exports_for_programs() -> None:
    names, row = csv.reader(
        io.StringIO(
            export(session(verified()), "csv").removeprefix("\ufeff"), newline=""
        )
    )
    assert dict(zip(names, row, strict=True))["reason"] == REASON
    assert names.index("reason") < names.index("reference_correctness")
    found = json.loads(export(session(verified()), "jsonl").splitlines()[1])
    assert (found["reason"], found["unmeasured"], found["bias"]) == (
        REASON,
        ["bias"],
        None,
    )


def test_a_file_of_before_loads_without_them(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "a.yaml", begin().header) as journal:
        journal.append(verified())
    file = tmp_path / "a.yaml"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    start = next(at for at, line in enumerate(lines) if line.startswith("reason:"))
    stop = next(
        at for at, line in enumerate(lines) if at > start and not line.startswith(" ")
    )
    old = [
        line
        for at, line in enumerate(lines)
        if not (start <= at < stop) and not line.startswith("unmeasured:")
    ]
    file.write_text("".join(old), "utf-8")
    with Journal.open(file) as journal:
        (kept,) = journal.session.events
    assert isinstance(kept, Verification)
    assert (kept.reason, kept.unmeasured, kept.judgement, kept.correctness) == (
        "",
        [],
        "true",
        0.1,
    )
