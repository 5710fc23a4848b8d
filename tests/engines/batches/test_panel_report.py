"""What a batch's report says of panels: how far the members agree, and what is missing."""

from __future__ import annotations

import json

from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.batches.report import SummaryRow, report_of, verified_by
from verifytui.engines.blocks import block, export
from verifytui.engines.method import method
from verifytui.engines.reports.panels import agreed, in_words, voted
from verifytui.sessions.events import Usage, Vote
from verifytui.sessions.events.grade import Grade
from verifytui.sessions.session import Header, Prompts, Session
from verifytui.texts import speaking

KIND = method("grade").batches["pairs"]


def graded(*levels: int | str | None) -> Grade:
    """An event of a panel: a level each, None for an unread vote, a text for a failed
    one.
    """
    votes = [
        Vote(model=f"m{n}", values={"grade": level}, read="json")
        if isinstance(level, int)
        else Vote(model=f"m{n}", error=level)
        if level is not None
        else Vote(model=f"m{n}")
        for n, level in enumerate(levels)
    ]
    return Grade(
        role="grader",
        model="jury: m0, m1",
        votes=votes,
        candidate="c",
        usage=Usage(input=1, output=1),
        cost=0.0,
    )


def session(*events: Grade) -> Session:
    prompts = Prompts(set="", hash="", templates={})
    task = {
        "query": {"id": "q", "text": "A case."},
        "candidates": [{"id": "c", "text": "Another."}],
    }
    header = Header(
        id="s",
        workspace="relevance",
        method="grade",
        created="",
        title="",
        task=task,
        lineup={},
        settings={},
        prompts=prompts,
    )
    return Session(header, [*events])


def row(name: str, *events: Grade) -> SummaryRow:
    made = SummaryRow(BatchLine(name, (), f"pairs.jsonl, line {name}"))
    made.take(session(*events), KIND)
    return made


def test_unanimity_alpha_and_what_is_missing_stand_in_report_and_text() -> None:
    rows = [
        row("a", graded(3, 3)),
        row("b", graded(0, 1)),
        row("c", graded(0, 0)),
        row("d", graded(2, None)),
        row("e", graded(1, "gone")),
    ]
    report = report_of(rows, KIND, {})
    (found,) = report.panels
    assert (
        found["role"],
        found["panel"],
        found["events"],
        found["unread"],
        found["failed"],
    ) == ("grader", "jury: m0, m1", 5, 1, 1)
    assert (found["unanimous"]["count"], found["unanimous"]["of"]) == (2, 3)
    alpha = found["alpha"]["grade"]
    assert alpha["metric"] == "ordinal"
    assert alpha["of"] == 3
    assert 0 < alpha["value"] < 1
    assert alpha["value"] < alpha["gwet"] < 1
    json.dumps(report.as_json(), allow_nan=False)
    assert verified_by(rows, ["grader"])["grader"] == ["m0", "m1"]
    for language, words in (
        ("en", ["all agree: 66.7% of 3", "alpha of level", "Gwet's AC2 0."]),
        ("zh", ["全体一致", "1 份无法读取"]),
    ):
        with speaking(language):
            said = "\n".join(in_words(report.panels))
        assert all(one in said for one in words), said


def test_without_a_panel_nothing_is_said() -> None:
    assert agreed([]) == []
    assert in_words([]) == []
    assert voted([Grade(role="grader", candidate="c")]) == []


def test_votes_that_are_all_the_same_leave_alpha_undefined() -> None:
    rows = [row("a", graded(3, 3)), row("b", graded(3, 3))]
    (found,) = report_of(rows, KIND, {}).panels
    assert found["alpha"]["grade"]["value"] is None
    with speaking("en"):
        said = "\n".join(in_words([found]))
    assert "not defined" in said
    assert "Gwet's AC2 1.000" in said


def test_every_vote_and_every_reply_stands_in_exports_and_none_of_it_is_markup() -> (
    None
):
    said = Vote(
        model="openai/b",
        name="b",
        text='<img src=x>"\x1b[31m',
        reasoning="Thought <b>",
        read="json",
        values={"grade": 3},
    )
    event = Grade(
        role="grader",
        model="jury: a, b",
        number=1,
        text='{"grade": 3}',
        votes=[Vote(model="a", error="Gone & lost"), said],
        candidate="c",
    )
    with speaking("en"):
        shown, page = block(event, session(event)), export(session(event), "html")
    assert [note.strip() for note in shown.notes] == [
        "votes of 2 members: 1 readable",
        "· a  failed, does not vote: Gone & lost",
        "· b  level: 3",
    ]
    assert shown.raw is not None
    assert said.text in shown.raw
    assert "Thought <b>" in shown.raw
    assert shown.unread
    assert "· b  level: 3" in page, "names stand as they are"
    assert "&lt;img src=x&gt;" in page
    assert "<img" not in page
    assert "\x1b" not in page
