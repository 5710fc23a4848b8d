"""The relevance workspace with a pilot at the keys: the example, labels, blind mode,
edited facts, agreement, hand-over.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea
from verifytui.engines.cases.task import text_of
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.starting import wishes
from verifytui.prompts.demonstrations import load
from verifytui.sessions.events import Change, Note
from verifytui.sessions.events.relevance import (
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Label,
    RelevanceResult,
    Score,
)
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.piloting import (
    events,
    everything,
    labels_given,
    press,
    said,
    tui,
    wait,
)
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.confirm import LinePrompt
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.form import ChoiceField
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.pick import PickScreen
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.workspaces.drafts import draft
from verifytui.tui.workspaces.relevance.drafts import NewRelevance, example_draft
from verifytui.tui.workspaces.relevance.people import FactsForm
from verifytui.tui.workspaces.relevance.screens.agreement import AgreementScreen
from verifytui.tui.workspaces.relevance.screens.demonstrations import (
    DemonstrationsScreen,
)
from verifytui.tui.workspaces.relevance.screens.judgement_form import RelevantForm
from verifytui.tui.workspaces.relevance.screens.levels_guide import LevelsGuide
from verifytui.tui.workspaces.relevance.screens.new_cases import JudgeCasesScreen
from verifytui.tui.workspaces.relevance.screens.settings import JudgingSettings
from verifytui.tui.workspaces.relevance.widgets.candidates import CandidateTable
from verifytui.tui.workspaces.relevance.widgets.case_pane import CasePane
from verifytui.tui.workspaces.relevance.workspace import RelevanceWorkspace

pytestmark = pytest.mark.slow

QUERY = ["Demonstrations", "Facts"] * 2
ONE = [
    "Demonstrations",
    "Facts",
    "Demonstrations",
    "Facts",
    "Demonstrations",
    "Judgement",
    "Demonstrations",
    "Judgement",
    "Score",
]


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app on its example query."""
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 40)) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


@pytest.fixture
async def by_lexical(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app on its example query, judged by `lexical`, which takes facts from
    anybody.
    """
    app = VerifyTui(
        Config(),
        draft(
            wishes(
                "relevance", {"demonstrations": "en-common-law", "model": "lexical"}
            ),
            Config(),
        ),
    )
    async with app.run_test(size=(120, 40)) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


def relevance(pilot: Pilot[None]) -> RelevanceWorkspace:
    workspace = tui(pilot).workspace
    assert isinstance(workspace, RelevanceWorkspace)
    return workspace


def kinds(pilot: Pilot[None]) -> list[str]:
    return [type(event).__name__ for event in events(pilot)]


def labels(pilot: Pilot[None]) -> list[tuple[str, int | None]]:
    assert not any(isinstance(event, Label) for event in events(pilot))
    return [(label.candidate, label.value) for label in labels_given(pilot)]


async def top(pilot: Pilot[None], screen: type) -> None:
    await wait(pilot, lambda: isinstance(pilot.app.screen, screen))


async def test_the_example_is_stepped_stage_by_stage(
    pilot: Pilot[None], home: Path
) -> None:
    assert "handwritten" in " ".join(everything(pilot.app).split())
    assert not list(home.rglob("*.yaml"))
    for number, kind in enumerate([*QUERY, *ONE], 1):
        await press(pilot, "space")
        assert (len(events(pilot)), kinds(pilot)[-1]) == (number, kind)
    assert "judgement of legal facts" in everything(pilot.app), "the newest is in sight"
    shown = str(pilot.app.query_one("#stage-settled", Static).render())
    assert "judgement of material facts" in shown
    assert "demonstrations" in shown
    (kept,) = (home / "sessions").glob("*.yaml")
    assert "event: score" in kept.read_text(encoding="utf-8")


async def test_a_candidate_then_all_of_them(pilot: Pilot[None]) -> None:
    await press(pilot, "down", "n")
    assert relevance(pilot).front == "c2"
    assert kinds(pilot) == [*QUERY, *ONE]
    assert {event.candidate for event in events(pilot) if isinstance(event, Score)} == {
        "c2"
    }
    await press(pilot, "r")
    assert kinds(pilot)[-1] == "RelevanceResult"
    result = events(pilot)[-1]
    assert isinstance(result, RelevanceResult)
    table = relevance(pilot).query_one(CandidateTable)
    assert table._order == result.ranking
    assert relevance(pilot).front == "c2"  # it was looked at, and still is
    await press(pilot, "space")
    assert "judged" in said(pilot)


async def test_a_run_by_the_built_in_leaves_keys_their_turn(
    home: Path, tmp_path: Path
) -> None:
    """It answers at once; the screen still paints, and a key still stops it."""
    (tmp_path / "q.txt").write_text(
        "A man took a bicycle from a yard at night and sold it.", encoding="utf-8"
    )
    many = tmp_path / "many"
    many.mkdir()
    for n in range(2000):
        (many / f"{n}.txt").write_text(
            f"On day {n} a woman took a car from a street and drove it to the sea.",
            encoding="utf-8",
        )
    app = VerifyTui(
        Config(),
        draft(
            NewRelevance(str(tmp_path / "q.txt"), str(many), "en-common-law").wishes(),
            Config(),
        ),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("r")
        await wait(pilot, lambda: len(events(pilot)) > 50)
        assert app.workspace.running
        await pilot.press("p")
        await wait(pilot, lambda: not app.workspace.running)
        stopped = len(events(pilot))
        assert stopped < 9 * 2000
        assert app.workspace.play.cursor == stopped  # type: ignore[union-attr]
        await pilot.pause()
        assert relevance(pilot).cases.row("0").standing.score is not None
        assert app.defects == []


async def test_labels_are_given_by_digits_bits_and_taken_back(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "3", "\uff11", "U", "M", "L", "M")
    assert labels(pilot) == [
        ("c1", 3),
        ("c1", 1),
        ("c1", None),
        ("c1", 1),
        ("c1", 3),
        ("c1", 2),
    ]
    assert "1 of 8 labelled" in everything(pilot.app)
    assert "c1: undecided" in said(pilot)
    await press(pilot, "Z", "backspace")
    assert labels(pilot)[-2:] == [("c1", 3), ("c1", 1)]
    await press(pilot, "a")
    assert relevance(pilot).front == "c2"
    await press(pilot, "0", "a")
    assert relevance(pilot).front == "c3"
    await press(pilot, "Z")
    assert (relevance(pilot).front, labels(pilot)[-1]) == ("c2", ("c2", None))
    last = labels_given(pilot)[-1]
    assert last.annotator
    assert not last.seen_machine


async def test_labels_stay_possible_after_the_result_and_the_agreement_follows(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "r")
    await wait(pilot, lambda: "machine - baseline (lexical)" in everything(pilot.app))
    scores = {
        event.candidate: event.value
        for event in events(pilot)
        if isinstance(event, Score)
    }
    front = relevance(pilot).front
    assert front is not None
    own = scores[front]
    assert own is not None
    await press(pilot, str(own))
    assert "1 of 1" in everything(pilot.app)
    await press(pilot, "down")
    other = relevance(pilot).front
    await press(pilot, str((scores[other or ""] or 0) ^ 1), "down", "A")
    assert relevance(pilot).front == other
    last = labels_given(pilot)[-1]
    assert last.seen_machine
    assert "you - machine" in everything(pilot.app) or "machine - you" in everything(
        pilot.app
    )
    await press(pilot, "K")
    await top(pilot, AgreementScreen)
    assert "Kappa is not shown below 10 candidates" in everything(pilot.app)
    assert "base rates of you: " in everything(pilot.app)
    assert "How often each level was given" in everything(pilot.app)
    assert "you down, machine across" in everything(pilot.app)
    await press(pilot, "escape", "space")
    assert tui(pilot).workspace.play.finished  # type: ignore[union-attr]


async def test_heatmaps_fit_a_narrow_screen(home: Path) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "n", "1", "K")
        await top(pilot, AgreementScreen)
        shown = app.screen.query_one("Pages > Static", Static)
        lines = str(shown.content).split("\n")
        assert max(map(cell_len, lines[:9])) <= shown.size.width
        assert [line.split()[0] for line in lines[1:9]] == [
            "0",
            "0",
            "1",
            "2",
            "3",
            "MF",
            "0",
            "1",
        ]


async def test_blind_hides_what_the_machine_said_until_all_is_labelled(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "B", "n")
    workspace = relevance(pilot)
    assert workspace.cases is not None
    judged = workspace.front
    said_by_machine = [
        event.reason for event in events(pilot) if isinstance(event, Judgement)
    ]
    said_by_machine += [
        item.text
        for event in events(pilot)
        if isinstance(event, Facts)
        for item in event.items
        if event.kind == "legal"
    ]
    said_by_machine += [
        str(case["title"])
        for case in workspace.cases.by_id.values()
        if case.get("title")
    ]
    assert len(said_by_machine) > 4

    def shown() -> list[str]:
        text = everything(pilot.app)
        return [words for words in said_by_machine if words[:20] in text]

    assert "hidden" in everything(pilot.app)
    assert not shown()
    for key in ("v", "K", "A", "C", "y", "e", "h"):
        await press(pilot, key)
        assert "Blind: shown after you label every candidate (0" in said(pilot), key
        pilot.app.clear_notifications()
        assert len(pilot.app.screen_stack) == 1
        assert not shown()
    for _ in range(7):
        await press(pilot, "2")
        assert not shown()
        await press(pilot, "a")
    seen = {label.candidate: label.seen_machine for label in labels_given(pilot)}
    assert len(seen) == 7
    assert not any(seen.values())
    await press(pilot, "1")
    await workspace.bring_front(judged)
    await wait(pilot, lambda: bool(shown()))
    assert "you, blind" in everything(pilot.app)
    await press(pilot, "3")
    last = labels_given(pilot)[-1]
    assert last.seen_machine


async def test_edited_facts_have_later_stages_made_again(
    by_lexical: Pilot[None],
) -> None:
    pilot = by_lexical
    await press(pilot, "n", "1", "e")
    await top(pilot, PickScreen)
    await press(pilot, "enter")
    await top(pilot, EditScreen)
    area = pilot.app.screen.query_one(TextArea)
    first = area.text.splitlines()[0]
    area.text = first + "\nsomething that nobody wrote\n\n" + first
    await press(pilot, "f10")
    await wait(pilot, lambda: kinds(pilot)[-1] == "Facts")
    edited = events(pilot)[-1]
    assert isinstance(edited, Facts)
    assert (edited.edited, edited.case, edited.kind, len(edited.items)) == (
        True,
        "c1",
        "material",
        2,
    )
    assert edited.items[1].start is None
    before = len(events(pilot))
    await press(pilot, "n")
    assert kinds(pilot)[before:] == [
        "Demonstrations",
        "Facts",
        "Demonstrations",
        "Judgement",
        "Demonstrations",
        "Judgement",
        "Score",
    ]
    assert labels(pilot) == [("c1", 1)]


async def test_a_stage_is_made_again_in_place(pilot: Pilot[None]) -> None:
    await press(pilot, "n")
    before = len(events(pilot))
    await press(pilot, "t")
    await wait(pilot, lambda: len(events(pilot)) == before + 2)
    assert kinds(pilot)[before:] == ["Demonstrations", "Judgement"]


async def test_settings_change_in_mid_session_and_what_is_judged_stays(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "n", "l")
    await top(pilot, JudgingSettings)
    form = pilot.app.screen
    form.query_one("#shots", Input).value = "11"
    await press(pilot, "f10")
    assert "from 0 to 10" in everything(pilot.app)
    form.query_one("#shots", Input).value = "1"
    form.query_one("#matching", ChoiceField).value = False
    before = len(events(pilot))
    await press(pilot, "f10")
    await wait(pilot, lambda: len(events(pilot)) == before + 2)
    changes = {
        event.field: (event.old, event.new)
        for event in events(pilot)[before:]
        if isinstance(event, Change)
    }
    assert changes == {"settings.shots": (2, 1), "settings.matching": (True, False)}
    assert ". Applies from the next call; finished" in said(pilot)
    assert relevance(pilot).cases.row("c1").standing.score is not None
    await press(pilot, "down", "n")
    made = [
        event for event in events(pilot)[before:] if isinstance(event, Demonstrations)
    ]
    assert [len(event.items) for event in made if event.step == "facts-material"] == [1]
    assert {one.score for event in made for one in event.items} == {None}
    # an escape changes nothing, nor does what was there before
    before = len(events(pilot))
    for key in ("escape", "f10"):
        await press(pilot, "l")
        await top(pilot, JudgingSettings)
        await press(pilot, key)
        await wait(pilot, lambda: not isinstance(pilot.app.screen, JudgingSettings))
    assert len(events(pilot)) == before


async def test_demonstrations_chosen_and_not_used_yet_are_chosen_anew(
    pilot: Pilot[None], home: Path
) -> None:
    """Another set, of the same language; what was chosen of the first for a call not
    made yet is void.
    """
    group = next(one for one in load("en-common-law").groups if one.id != "theft-en-1")
    folder = home / "demonstrations" / "mine"
    folder.mkdir(parents=True)
    (folder / "set.yaml").write_text("language: en\nlaw: none\n")
    (folder / "a.yaml").write_text(json.dumps(msgspec.to_builtins(group)))
    await press(pilot, "space", "l")
    await top(pilot, JudgingSettings)
    pilot.app.screen.query_one("#demonstrations", ChoiceField).value = "mine"
    await press(pilot, "f10")
    await wait(pilot, lambda: kinds(pilot)[1:] == ["Change", "Change"])
    await press(pilot, "space", "space")
    assert kinds(pilot)[3:] == ["Demonstrations", "Facts"]
    chosen = events(pilot)[3]
    assert isinstance(chosen, Demonstrations)
    assert {one.id.split("/")[0] for one in chosen.items} == {group.id}
    assert "have changed since" not in said(pilot)


async def test_settings_after_the_result_hold_for_a_stage_made_again(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "r", "1", "l")
    await top(pilot, JudgingSettings)
    pilot.app.screen.query_one("#annotation", ChoiceField).value = False
    before = len(events(pilot))
    await press(pilot, "f10")
    await wait(pilot, lambda: kinds(pilot)[-1] == "Change")
    await press(pilot, "t")
    await wait(
        pilot,
        lambda: kinds(pilot)[before:] == ["Change", "Demonstrations", "Judgement"],
    )
    chosen = events(pilot)[before + 1]
    assert isinstance(chosen, Demonstrations)
    assert chosen.items == []


async def test_extraction_turned_on_gives_the_extractor_a_seat(home: Path) -> None:
    app = VerifyTui(
        Config(),
        draft(
            NewRelevance(
                demonstrations="en-common-law", settings={"extraction": False}
            ).wishes(),
            Config(),
        ),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "n", "l")
        await top(pilot, JudgingSettings)
        app.screen.query_one("#extraction", ChoiceField).value = True
        await press(pilot, "f10")
        await wait(pilot, lambda: kinds(pilot)[-1] == "Change")
        await press(pilot, "down", "n")
        assert [event.role for event in events(pilot) if isinstance(event, Facts)] == [
            "extractor"
        ] * 4
        assert app.defects == []


async def test_a_query_that_cannot_be_read_costs_nothing_more(
    home: Path, loopback: Loopback
) -> None:
    told = Answer("I would rather not say.")
    loopback.answer = lambda _: told
    config = Config(
        models={"mine": NamedModel(model="openai/x", api_base=loopback.base_url)},
        model="mine",
    )
    app = VerifyTui(
        config, draft(NewRelevance(demonstrations="en-common-law").wishes(), config)
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "r")
        assert kinds(pilot)[-1] == "RelevanceResult"
        assert len(loopback.requests) == 2
        assert "facts could not be read, so candidates get no" in str(
            app.screen.query_one("#stage-settled", Static).render()
        )
        told = Answer(json.dumps({"facts": ["one fact"]}))
        before = len(events(pilot))
        await press(pilot, "t")
        await wait(pilot, lambda: kinds(pilot)[before:] == ["Demonstrations", "Facts"])
        assert relevance(pilot).cases.fold().query.facts("material").items  # type: ignore[union-attr]
        assert app.defects == []


async def test_a_long_case_is_read_on_by_scrolling_and_by_searching(
    home: Path, tmp_path: Path
) -> None:
    """The marked fact at its end can be reached either way; how much is hidden is said."""
    ending = "At last he signed the pledge."
    long = (
        "".join(f"On day {n} he took {n} coins from the box. " for n in range(1500))[
            :54_000
        ]
        + ending
    )
    (tmp_path / "q.txt").write_text("A man took coins from a box.", encoding="utf-8")
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(long, encoding="utf-8")
    files = NewRelevance(
        str(tmp_path / "q.txt"),
        f"{tmp_path / 'a.txt'};{tmp_path / 'b.txt'}",
        "en-common-law",
    )
    app = VerifyTui(Config(), draft(files.wishes(), Config()))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        play = app.workspace.play
        assert play is not None
        item = FactItem(text=ending, start=54_000, end=54_000 + len(ending))
        play.keep(app.library)
        play.journal.append(
            Facts(
                role="extractor", kind="material", case="a", items=[item], edited=True
            )
        )
        play.cursor = 1
        await app.workspace.refresh_view()
        pane = relevance(pilot).query_one("#candidate", CasePane)

        def text() -> str:
            return pane.page.shown

        assert "34,029 more characters with 1 marked facts" in text()
        pane.focus()
        for shown in (40_000, 54_029):
            before = text()
            pane.scroll_end(animate=False)
            await wait(pilot, lambda before=before: text() != before)
            assert ("more characters" in text()) == (shown < len(long))
        (fact,) = pane.page.facts
        assert fact.text is not None
        assert text()[slice(*fact.text)] == ending
        # another case begins at its beginning; a search goes to where it has found
        # something
        await relevance(pilot).bring_front("b")
        await wait(pilot, lambda: pane.scroll_y == 0)
        assert "34,029 more" in text()
        await press(pilot, "slash", *"pledge", "enter")
        await wait(pilot, lambda: "signed" in everything(app) and pane.scroll_y > 100)
        assert app.defects == []


async def test_raw_replies_notes_search_and_the_guide(pilot: Pilot[None]) -> None:
    await press(pilot, "n", "v")
    await top(pilot, RawScreen)
    await press(pilot, "escape", "N")
    await top(pilot, LinePrompt)
    pilot.app.screen.query_one(Input).value = "a hard one"
    await press(pilot, "enter")
    await wait(pilot, lambda: kinds(pilot)[-1] == "Note")
    note = events(pilot)[-1]
    assert isinstance(note, Note)
    assert (note.text, note.about) == ("a hard one", "c1")
    await press(pilot, "I")
    await top(pilot, LevelsGuide)
    await press(pilot, "escape", "slash", *"the", "enter")
    await wait(pilot, lambda: "1 of" in everything(pilot.app))


async def test_looking_back_shows_what_was_in_force(pilot: Pilot[None]) -> None:
    await press(pilot, "n", "left", "left")
    assert relevance(pilot).cases.row("c1").standing.score is None
    assert relevance(pilot).cases.row("c1").standing.judgement("material") is not None
    await press(pilot, "2")
    assert labels(pilot) == [("c1", 2)]
    await press(pilot, "e")
    assert "end" in said(pilot)
    await press(pilot, "end")
    assert relevance(pilot).cases.row("c1").standing.score is not None


async def test_demonstrations_are_browsed_and_one_is_written(
    pilot: Pilot[None], home: Path
) -> None:
    await press(pilot, "n", "C")
    await top(pilot, DemonstrationsScreen)
    await wait(pilot, lambda: "\u2713" in everything(pilot.app))
    await press(pilot, "e")
    await top(pilot, EditScreen)
    await press(pilot, "f10")
    await top(pilot, DemonstrationsScreen)
    await wait(
        pilot,
        lambda: "A draft, not used in prompts. Still missing:" in everything(pilot.app),
    )
    (file,) = home.rglob("own-*.yaml")
    written = file.read_text(encoding="utf-8")
    assert written.startswith("draft: true\n")
    assert written.count("reason: ''") == 2, "no machine speaks for an expert"


async def test_a_pair_is_debated_with_all_that_is_known_of_it(
    pilot: Pilot[None],
) -> None:
    """The criteria in the topic; both cases whole, the numbered facts of both and the
    reasons as evidence.
    """
    await press(pilot, "n")
    asked, front = relevance(pilot).play, relevance(pilot).front
    await press(pilot, "h")
    await wait(pilot, lambda: tui(pilot).front == "debate")
    play = tui(pilot).workspace.play
    assert asked is not None
    assert play is not None
    task = play.session.header.task
    assert "the victim's fault" in task["topic"]
    titles = [one["title"] for one in task["evidence"]]
    assert titles[:2] == ["Case A", "Case B"]
    assert [one["text"] for one in task["evidence"][:2]] == [
        text_of(asked.session, None),
        text_of(asked.session, front),
    ]
    assert titles[2:] == [
        "Facts of case A",
        "Facts of case B",
        "Reason given for the material facts",
        "Reason given for the legal facts",
    ]
    assert task["evidence"][2]["text"].startswith("M1 ")
    judged = [event for event in asked.session.events if isinstance(event, Judgement)]
    assert all(
        event.reason in piece["text"]
        for event, piece in zip(judged, task["evidence"][4:], strict=True)
    )


async def test_other_cases_are_taken_from_files(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    (tmp_path / "q.txt").write_text(
        "A man took a bicycle from a yard at night and sold it.", encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text(
        "A woman took a car from a street and drove it to the sea.", encoding="utf-8"
    )
    await press(pilot, "c")
    await top(pilot, JudgeCasesScreen)
    form = pilot.app.screen
    form.query_one("#query-file", Input).value = str(tmp_path / "q.txt")
    await press(pilot, "f10")
    assert "Enter the candidates: files, folders or zips." in everything(pilot.app)
    form.query_one("#candidate-files", Input).value = str(tmp_path / "none.txt")
    await press(pilot, "f10")
    await wait(
        pilot,
        lambda: "none.txt" in everything(pilot.app) and pilot.app.screen is not form,
    )
    pilot.app.screen.query_one("#candidate-files", Input).value = str(
        tmp_path / "a.txt"
    )
    await press(pilot, "f10")
    await wait(pilot, lambda: "bicycle" in everything(pilot.app))
    assert list(relevance(pilot).cases.by_id) == ["a"]


async def test_a_model_extracts_and_judges(home: Path, loopback: Loopback) -> None:
    def says(body: Body) -> Answer:
        asked = str(body["messages"])
        facts = {"facts": ["one fact", "another"]}
        return Answer(
            json.dumps(
                {"reason": "Same deed.", "relevant": True}
                if '"relevant"' in asked
                else facts
            )
        )

    loopback.answer = says
    config = Config(
        models={"mine": NamedModel(model="openai/x", api_base=loopback.base_url)},
        model="mine",
    )
    app = VerifyTui(
        config, draft(NewRelevance(demonstrations="en-common-law").wishes(), config)
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "n")
        assert kinds(pilot) == [*QUERY, *ONE]
        assert "Same deed." in everything(pilot.app)
        assert app.defects == []


async def test_a_refused_key_opens_the_line_up_and_the_stage_goes_on(
    home: Path, loopback: Loopback
) -> None:
    loopback.answer = lambda _: Answer(status=401)
    config = Config(
        models={"mine": NamedModel(model="openai/x", api_base=loopback.base_url)},
        model="mine",
    )
    app = VerifyTui(
        config, draft(NewRelevance(demonstrations="en-common-law").wishes(), config)
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space", "space")
        await top(pilot, LineupScreen)
        await press(pilot, "escape", "2")
        assert kinds(pilot) == ["Demonstrations", "Failure"]
        assert labels(pilot) == [("c1", 2)]
        assert tui(pilot).workspace.play.failed is not None  # type: ignore[union-attr]
        assert app.defects == []


async def test_a_person_extracts_and_judges(home: Path) -> None:
    config = Config(model="human")
    app = VerifyTui(
        config, draft(NewRelevance(settings={"annotation": False}).wishes(), config)
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        for _ in range(4):
            await pilot.press("space")
            await wait(pilot, lambda: kinds(pilot)[-1:] == ["Demonstrations"])
            await pilot.press("space")
            await wait(pilot, lambda: bool(app.query(FactsForm)))
            app.query_one(FactsForm).query_one(TextArea).text = "a fact\nanother"
            await pilot.press("f10")
            await wait(
                pilot, lambda: kinds(pilot)[-1] == "Facts" and not app.workspace.running
            )
        await pilot.press("space")
        await wait(
            pilot,
            lambda: (
                bool(app.query(RelevantForm)) and app.query_one("#relevant").has_focus
            ),
        )
        await pilot.press("f10")
        assert "Choose relevant or not" in everything(pilot.app)
        await pilot.press("right", "f10")
        await wait(pilot, lambda: kinds(pilot)[-1] == "Judgement")
        made = events(pilot)[-1]
        assert isinstance(made, Judgement)
        assert (made.relevant, made.model) == (True, "human")
        assert app.defects == []


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 30)])
async def test_every_column_at_every_size(home: Path, size: tuple[int, int]) -> None:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=size) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "n", "b", "b", "b", "b", "b", "down", "2")
        assert labels(pilot)
        assert app.defects == []


async def test_who_labels_fast_is_not_led_back_to_the_last_candidate(
    pilot: Pilot[None],
) -> None:
    """The next key may come before the label is shown."""
    workspace = relevance(pilot)
    first = workspace.front
    await workspace.action("label")(3)
    await workspace.action("unlabelled")()
    await wait(pilot, lambda: "1 of 8 labelled" in everything(pilot.app))
    assert workspace.front != first
    await workspace.action("label")(0)
    assert labels(pilot) == [(first, 3), (workspace.front, 0)]
