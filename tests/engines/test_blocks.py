"""Blocks: what an event says, the same for every sink, also of a method that this
version does not know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import verifytui
from textual.app import App, ComposeResult
from textual.widgets import Static
from verifytui.cli.printer import Printer
from verifytui.engines.blocks import blocks, export
from verifytui.sessions.events import Event, UnknownEvent
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.events.relevance import Judgement
from verifytui.sessions.journal import Journal
from verifytui.sessions.methods import METHODS
from verifytui.sessions.session import Session
from verifytui.tests.support.cases import FLAT, begin
from verifytui.tests.support.small_debate import make_events, make_header
from verifytui.texts import set_language
from verifytui.texts.amounts import money
from verifytui.tui import wording
from verifytui.tui.workspaces.debate.widgets.transcript import Transcript

HOSTILE = "<b>x</b> [red]y[/red] \x1b[2J | **z**"


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    set_language("en")


def unknown() -> Session:
    """A session of a method that a later version has."""
    header = make_header()
    header.method = "duel"
    fields = {
        "event": "parry",
        "number": 1,
        "time": "2026-11-21T04:44:00.123Z",
        "blade": HOSTILE,
        "round": 2,
        "scores": [1, None],
    }
    return Session(
        header,
        [
            UnknownEvent(
                number=1, time="2026-11-21T04:44:00.123Z", kind="parry", fields=fields
            )
        ],
    )


def test_an_unknown_event_is_shown_raw_in_markdown_and_html() -> None:
    made = export(unknown(), "md")
    assert "## Round 2\n\n### 1. Parry\n" in made
    assert (
        "- Blade: \\<b\\>x\\</b\\> \\[red\\]y\\[/red\\] \\[2J \\| "
        "\\*\\*z\\*\\*\n- Round: 2\n- Scores: \\[1, null\\]\n" in made
    )
    page = export(unknown(), "html")
    assert '<article class="raw" id="e1"><h3>Parry</h3>' in page
    assert '<dd dir="auto">&lt;b&gt;x&lt;/b&gt; [red]y[/red] [2J | **z**</dd>' in page


def test_an_unknown_event_is_kept_whole_in_json_lines_and_csv() -> None:
    assert (
        json.loads(export(unknown(), "jsonl").splitlines()[1])
        == unknown().events[0].fields
    )  # type: ignore[attr-defined]
    names, row = export(unknown(), "csv").removeprefix("\ufeff").splitlines()
    assert names == "number,time,event,role,model,round,text,answer,blade,scores"
    assert row.startswith("1,2026-11-21T04:44:00.123Z,parry,,,2,,,<b>x</b>")


def test_an_unknown_event_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    printed = print_all(unknown(), capsys)
    assert (
        "\nRound 2\n\nParry\nBlade: <b>x</b> [red]y[/red] [2J | **z**\nRound: "
        "2\nScores: [1, null]\n" in printed
    )


def print_all(session: Session, capsys: pytest.CaptureFixture[str]) -> str:
    shown = Printer()
    shown.header(session)
    for event in session.events:
        shown.event(event)
    return capsys.readouterr().out


async def test_an_unknown_event_stands_in_the_transcript() -> None:
    session = unknown()

    class Host(App[None]):
        def compose(self) -> ComposeResult:
            yield Transcript()

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return {"quiet": "grey"}

    async with Host().run_test() as pilot:
        await pilot.app.query_one(Transcript).show(session, 1)
        shown = [str(line.render()) for line in pilot.app.query(Static)]
    assert [line for line in shown if line.strip()] == [
        "round 2",
        "parry  ",
        "blade: <b>x</b> [red]y[/red] [2J | **z**\nround: 2\nscores: [1, null]",
    ]


def test_the_annotator_has_a_letter_of_its_own_everywhere() -> None:
    session = begin(candidates=[{"id": "a", "text": FLAT}])
    session.events.append(
        Judgement(
            number=1,
            role="annotator",
            kind="material",
            candidate="a",
            relevant=True,
            read="json",
        )
    )
    assert (
        {block.letter for block in blocks(session) if block.role == "annotator"}
        == {"M"}
        == {wording.letter("annotator")}
    )
    assert '<span class="mark">M</span> Annotator' in export(session, "html")


def test_documents_speak_the_language_of_the_interface_or_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = numbered(make_events())
    assert "### 1. Affirmative" in export(session, "md")
    assert "### 1. 正方" in export(session, "md", language="zh")
    assert '<html lang="zh-Hans">' in export(session, "html", language="zh")
    set_language("zh")
    chinese = export(session, "md")
    assert "- 答案：**1.5 m/s**" in chinese
    assert not re.search(
        r"[A-Za-z]",
        re.sub(
            r"(?s)<details>.*|.*?## 阵容",
            "",
            chinese.partition("## 结果")[2].replace("m/s", ""),
        ),
    )
    assert "结果：1.5 m/s" in print_all(session, capsys)


def numbered(events: list[Event]) -> Session:
    for number, event in enumerate(events, 1):
        event.number = number
    return Session(make_header(), events)


def test_a_speech_states_its_answer_once() -> None:
    closed, open_ = (
        Speech(role="negative", round=1, text=text, answer="2")
        for text in ("So.\n**Answer: 2**", "Answer: 2\nSo it is.")
    )
    shown = [
        block for block in blocks(numbered([closed, open_])) if block.kind == "speech"
    ]
    assert [(block.closes, block.answer) for block in shown] == [
        (True, None),
        (False, "2"),
    ]


def test_an_unknown_event_stays_in_a_fork(tmp_path: Path) -> None:
    header = make_header()
    header.method = "duel"
    Journal.create(tmp_path / "a.yaml", header).close()
    with (tmp_path / "a.yaml").open("a") as file:
        file.write(
            "event: parry\nnumber: 1\ntime: 2026-11-21T04:44:00.123Z\nblade: "
            "long\n...\n"
        )
    with (
        Journal.open(tmp_path / "a.yaml") as journal,
        journal.fork(tmp_path / "b.yaml", 1, "fork") as fork,
    ):
        assert fork.session.method == "duel"
    with Journal.open(tmp_path / "b.yaml") as again:
        (kept,) = again.session.events
        assert isinstance(kept, UnknownEvent)
        assert json.loads(export(again.session, "jsonl").splitlines()[1]) == kept.fields
        assert kept.fields["blade"] == "long"


@pytest.mark.parametrize(
    ("dollars", "words"),
    [
        (0, "$0.00"),
        (1234.5, "$1,234.50"),
        (0.19, "$0.1900"),
        (0.0001, "$0.0001"),
        (2e-05, "$0.000020"),
        (1e-300, "$0.00000000"),
        (float("nan"), "$nan"),
        (float("inf"), "$inf"),
        (None, "unknown"),
    ],
)
def test_money(dollars: float | None, words: str) -> None:
    assert money(dollars) == words


HOME = Path(verifytui.__file__).parent
SINKS = [
    *(HOME / "sessions" / "export").glob("*.py"),
    HOME / "cli" / "printer.py",
    HOME / "tui" / "widgets" / "event_view.py",
]


@pytest.mark.parametrize("path", SINKS, ids=lambda path: path.name)
def test_sinks_know_no_method(path: Path) -> None:
    names = "|".join(METHODS)
    named = re.findall(
        rf"(?:events|engines)\.(?:{names})\b|[\"'](?:{names})[\"']",
        path.read_text("utf-8"),
    )
    assert named == []
