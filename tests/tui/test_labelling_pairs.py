"""A person labels pair by pair: the queue, what stays hidden, evidence and reasons, and
deciding between people.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea
from verifytui.engines.metrics.raters import read_raters
from verifytui.engines.models.config import Config
from verifytui.engines.relevance.adjudication import disputes
from verifytui.engines.relevance.labeling_overview import notes, reply_to
from verifytui.engines.relevance.queue import Queue, level_of
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.events.labels import Assignment, Evidence, Label, Reasons
from verifytui.sessions.label_store import LabelStore, read_labels
from verifytui.sessions.label_team import Team, read_team, write_team
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.pairs import QUERY, TELLS, folder_of, judged, labelled
from verifytui.tests.support.piloting import everything, press, said, wait
from verifytui.tests.support.saved import documents, saved
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.confirm import ConfirmScreen, LinePrompt
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.workspaces.relevance.drafts import example_draft
from verifytui.tui.workspaces.relevance.labeling.all_labeled import AllLabelled
from verifytui.tui.workspaces.relevance.labeling.labelers import PairLabeler
from verifytui.tui.workspaces.relevance.labeling.overview_screen import OverviewScreen
from verifytui.tui.workspaces.relevance.labeling.pairs_screen import PairsScreen
from verifytui.tui.workspaces.relevance.labeling.selection_bar import ChoosingBar
from verifytui.tui.workspaces.relevance.labeling.start import adjudication, labelling
from verifytui.tui.workspaces.relevance.screens.levels_guide import LevelsGuide
from verifytui.tui.workspaces.relevance.screens.reasons import ReasonsScreen
from verifytui.tui.workspaces.relevance.widgets.case_pane import CasePane

pytestmark = pytest.mark.slow


@asynccontextmanager
async def sitting(
    begin: Callable[[Config], Any], size: tuple[int, int] = (120, 36)
) -> AsyncIterator[Pilot[None]]:
    """The app of a person who goes through pairs."""
    work = begin(Config())
    app = VerifyTui(Config(), sitting=work)
    async with app.run_test(size=size, notifications=True) as pilot:
        await wait(pilot, lambda: app.is_open and "of" in line(pilot))
        yield pilot
        assert app.defects == []
    work.close()


def staying(begin: Callable[[Config], Any]) -> Callable[[Config], Any]:
    """The same, where a decision does not lead to the next pair."""

    def begun(config: Config) -> Any:
        work = begin(config)
        work.advance = False
        return work

    return begun


def line(pilot: Pilot[None]) -> str:
    """The line above the cases."""
    if len(pilot.app.screen_stack) == 1:
        return everything(pilot.app).splitlines()[1]
    return ""


def labels(folder: Path, annotator: str = "Mei") -> list[dict[str, Any]]:
    """The events of a person's file."""
    return [
        one
        for one in documents(folder / "labels" / f"{annotator}.yaml")[1:]
        if one["event"] == "label"
    ]


def labels_beside(session: Path) -> list[dict[str, Any]]:
    """The labels in the only file of labels beside a session."""
    (file,) = Path(f"{session}.labels").glob("*.yaml")
    return [one for one in documents(file)[1:] if one["event"] == "label"]


def hidden(pilot: Pilot[None]) -> bool:
    """Whether nothing on the whole screen tells what the machine or the data say."""
    shown = everything(pilot.app)
    return not [word for word in TELLS if word in shown]


async def top(pilot: Pilot[None], screen: type) -> None:
    await wait(pilot, lambda: isinstance(pilot.app.screen, screen))


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    set_language("en")
    return folder_of(tmp_path / "run", 4)


async def test_a_queue_is_gone_through_and_taken_up_again_where_it_was_left(
    folder: Path,
) -> None:
    before = {path: path.read_bytes() for path in folder.glob("*.yaml")}
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        assert "Mei · 1 of 4 · you: - · blind · 0 labelled" in line(pilot)
        assert "pair" not in line(pilot)
        first = pilot.app.workspace.where()  # type: ignore[attr-defined]
        await press(pilot, "2")
        assert "you: 2 MF ✗ LF ✓" in line(pilot)
        await press(pilot, "full_stop")
        assert "2 of 4 · you: -" in line(pilot)
        assert "previous: pair " in line(pilot)
        await press(pilot, "1")
        await press(pilot, "M", "comma")
        assert "1 of 4 · you: 2" in line(pilot)
        await press(pilot, "Z")  # the bit of the second pair, whichever is on screen
        assert "2 of 4 · you: 1" in line(pilot)
        await press(pilot, "Z")
        assert "2 of 4 · you: -" in line(pilot)
        await press(pilot, "Z")
        assert "1 of 4 · you: -" in line(pilot)
        await press(pilot, "3", "o")
        await top(pilot, PairsScreen)
        assert "1 of 4 labelled" in everything(pilot.app)
        await press(pilot, "escape")
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        assert "2 of 4 · you: -" in line(pilot)
        await press(pilot, "comma")
        assert pilot.app.workspace.where() == first  # type: ignore[attr-defined]
        assert "you: 3" in line(pilot)
    async with sitting(labelling(folder, "Tom", None)) as pilot:
        assert "Tom · 1 of 4 · you: -" in line(pilot)
    assert {path: path.read_bytes() for path in folder.glob("*.yaml")} == before
    assert [one["value"] for one in labels(folder)] == [2, 1, 0, 1, None, None, 3]


async def test_a_pairs_place_in_the_folder_is_not_shown(folder: Path) -> None:
    """Where files are sorted by level, it tells the level."""
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        order = [int(one.candidate[1:]) for one in pilot.app._sitting.queue()]  # type: ignore[attr-defined]
        assert order != sorted(order)
        await press(pilot, "o")
        await top(pilot, PairsScreen)
        rows = everything(pilot.app)
        assert [rows.index(f"Pair {n} ") for n in range(1, 5)] == sorted(
            rows.index(f"Pair {n} ") for n in range(1, 5)
        )


async def test_undecided_does_not_look_like_unlabelled(folder: Path) -> None:
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        await press(pilot, "U")
        assert "1 of 4 · you: undecided · blind · 0 labelled · 1 undecided" in line(
            pilot
        )
        await press(pilot, "full_stop")
        assert "2 of 4 · you: - · blind" in line(pilot)
        assert "previous: pair 1 → undecided" in line(pilot)
        await press(pilot, "V", "M", "escape")
        assert "2 of 4 · you: - · blind" in line(pilot)
        assert labels(folder)[-1]["words_only"] is True
        await press(pilot, "U")
        assert "2 of 4 · you: undecided" in line(pilot)
        assert "words_only" not in labels(folder)[-1]
        await press(pilot, "Z")
        assert "2 of 4 · you: -" in line(pilot)
        await press(pilot, "o")
        await top(pilot, PairsScreen)
        assert "undecided" in everything(pilot.app)


async def test_the_teams_guideline_is_one_key_away(folder: Path) -> None:
    team = Team(people={"Mei": 1}, guideline="Motive [/b] decides.\n")
    write_team(folder, team)
    with pytest.raises(BadInput, match="mei is not in the team"):
        labelling(folder, "mei", None)(Config())
    labelled(folder, "Zoe", {1: 1})
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        assert "Not in the team, but with labels here: Zoe." in everything(pilot.app)
        await press(pilot, "I")
        await top(pilot, LevelsGuide)
        assert "Motive [/b] decides." in everything(pilot.app)


async def test_a_team_labels_and_decides_on_its_own_scale(folder: Path) -> None:
    people = {"Mei": 1.0, "Tom": 1.0}
    names = {"0": "not relevant", "1": "[/b] relevant"}
    write_team(folder, Team(people=people, overlap=1, levels=names))
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        shown = everything(pilot.app)
        assert "0 not relevant 1 [/b] relevant" in shown.splitlines()[-1]
        assert "2 legal" not in shown
        await press(pilot, "2")
        assert "2 is not on the team's scale: 0 (not relevant)" in said(pilot)
        assert not labels(folder)
        await press(pilot, "1")
        assert "1 [/b] relevant" in line(pilot)
        assert "MF" not in line(pilot)
        await press(pilot, "I")
        await top(pilot, LevelsGuide)
        shown = everything(pilot.app)
        assert "1  [/b] relevant" in shown
        assert "Material facts" not in shown
    (given,) = labels(folder)
    (pair,) = (one for one in pairs_in(folder) if one.key.subject == given["pair"])
    with LabelFile.open(folder, "Tom") as file:
        file.append(pair.label(Label(value=0)))
    async with sitting(staying(adjudication(folder, "Wu"))) as pilot:
        await press(pilot, "3")
        assert "3 is not on the team's scale" in said(pilot)
        await press(pilot, "1")
    (decided,) = labels(folder, "gold")
    assert decided["value"] == 1


async def test_a_training_round_comes_first_and_counts_nowhere(folder: Path) -> None:
    pairs = {one.candidate: one.key.subject for one in pairs_in(folder)}
    training = {pairs["c3"]: 3, pairs["c4"]: 0}
    write_team(folder, Team(people={"Mei": 1}, training=training))
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        first = int(pilot.app.workspace.where().candidate[1:])  # type: ignore[attr-defined]
        known = first % 4
        await press(pilot, str(known))
        assert f"Training: right, level {known}." in everything(pilot.app)
        await press(pilot, "full_stop", "2")
        shown = everything(pilot.app)
        assert f"the known level is {3 - known}, yours is 2." in shown
        assert "1 of 2 right" in shown
        pilot.app.clear_notifications()
        await press(pilot, "full_stop", "1")
        assert pilot.app.workspace.where().candidate in ("c1", "c2")  # type: ignore[attr-defined]
        assert "Training" not in everything(pilot.app)
    assert [one.get("training", False) for one in labels(folder)] == [True, True, False]
    labelled(folder, "Tom", {1: 0, 2: 3, 3: 0, 4: 2})
    store = LabelStore.of_pairs(folder)
    found = disputes(store.pairs, store.people)
    assert {one.pair.candidate for one in found} <= {"c1", "c2"}
    (mei,) = (one for one in read_raters([folder]) if one.name == "Mei")
    assert {candidate for _, candidate in mei.labels} <= {"c1", "c2"}


async def test_a_note_comes_back_with_the_leads_reply(folder: Path) -> None:
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        order = [pair.candidate for pair in pilot.app._sitting.queue()]  # type: ignore[attr-defined]
        await press(pilot, "1", "N")
        await top(pilot, LinePrompt)
        await press(pilot, *"why", "enter")
        await press(pilot, "full_stop", "0", "full_stop", "0", "full_stop", "0")
        await top(pilot, AllLabelled)
    store = LabelStore.of_pairs(folder)
    (note,) = notes(store)
    assert (note.annotator, note.text, note.reply) == ("Mei", "why", "")
    with LabelFile.open(folder, "gold", adjudicator=True) as file:
        reply_to(file, note, "Wu", "Read [/b] the motive.")
    (note,) = notes(LabelStore.of_pairs(folder))
    assert note.reply == "Read [/b] the motive."
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        assert pilot.app.workspace.where().candidate == order[0]  # type: ignore[attr-defined]
        shown = everything(pilot.app)
        assert "Reply by Wu" in shown
        assert "Read [/b] the motive." in shown
        await press(pilot, "full_stop", "a")
        assert pilot.app.workspace.where().candidate == order[0]  # type: ignore[attr-defined]
        await press(pilot, "2", "full_stop", "a")
        await top(pilot, AllLabelled)
    assert labels(folder)[-1]["note"] == "why"


async def test_assisted_labels_show_the_machine_and_say_so(folder: Path) -> None:
    async with sitting(labelling(folder, "Mei", None, assisted=True)) as pilot:
        assert "machine shown" in line(pilot)
        assert "The machine finds" in everything(pilot.app)
        await press(pilot, "3", "full_stop")
        assert "machine shown" in line(pilot)
    (label,) = labels(folder)
    assert label["seen_machine"] is True
    kinds = [one["event"] for one in documents(folder / "labels" / "Mei.yaml")[1:]]
    assert kinds == ["reveal", "label", "reveal"]


async def test_going_on_by_itself_to_the_end_says_what_to_do_next(folder: Path) -> None:
    async with sitting(
        labelling(
            folder, "Mei", Assignment(part=2, of=2, overlap=0.5, seed=3), advance=True
        )
    ) as pilot:
        assert "1 of 3" in line(pilot)
        await press(pilot, "1")
        assert "2 of 3" in line(pilot)
        await press(pilot, "J", "1")
        assert "2 of 3 · you: 1" in line(pilot)
        await press(pilot, "a", "0")
        await top(pilot, AllLabelled)
        assert "Mei has labelled all 3 pairs" in everything(pilot.app)
        await press(pilot, "escape", "2")
        assert not isinstance(pilot.app.screen, AllLabelled)  # it is said once
        assert hidden(pilot)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20)])
async def test_blind_shows_nothing_until_asked_and_what_was_shown_is_kept(
    size: tuple[int, int], folder: Path
) -> None:
    async with sitting(labelling(folder, "Mei", None), size) as pilot:
        keys = (
            "2",
            "b",
            "o",
            "escape",
            "question_mark",
            "escape",
            "v",
            "K",
            "G",
            "A",
            "C",
            "s",
            "d",
            "h",
            "e",
            "f",
            "P",
            "R",
            "y",
            "space",
        )
        for key in keys:
            await press(pilot, key)
            assert hidden(pilot), key
        for key in (
            "right_square_bracket",
            "n",
            "r",
            "c",
            "u",
            "m",
            "l",
            "t",
            "slash",
            "escape",
            "comma",
            "full_stop",
            "full_stop",
        ):
            await press(pilot, key)
            assert hidden(pilot), key
        pilot.app.clear_notifications()
        assert len(pilot.app.screen_stack) == 1
        assert pilot.app.front == "relevance"  # type: ignore[attr-defined]
        await press(pilot, "1", "B")
        await top(pilot, ConfirmScreen)
        await press(pilot, "n")
        assert hidden(pilot)
        await press(pilot, "B")
        await top(pilot, ConfirmScreen)
        await press(pilot, "y")
        await wait(pilot, lambda: "machine shown" in line(pilot))
        assert "burglary" in everything(pilot.app)
        assert size[0] < 80 or "The machine finds" in everything(pilot.app)
        await press(pilot, "3", "full_stop")
        assert hidden(pilot)  # one pair was asked for
        await press(pilot, "0")
    assert [(one["value"], one["seen_machine"]) for one in labels(folder)] == [
        (2, False),
        (1, False),
        (3, True),
        (0, False),
    ]
    kinds = [one["event"] for one in documents(folder / "labels" / "Mei.yaml")[1:]]
    assert kinds == ["label", "label", "reveal", "label", "label"]
    async with sitting(labelling(folder, "Mei", None), size) as pilot:
        await press(pilot, *["comma"] * 3)
        places = []
        for _ in range(4):
            places.append("machine shown" in line(pilot))
            await press(pilot, "full_stop")
        assert places == [False, False, True, False]  # it cannot be unseen


async def test_evidence_and_reasons_are_kept_in_the_label(folder: Path) -> None:
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        await press(pilot, "V", "b", "down", "right", "space", "right", "M")
        assert '"He sold"' in everything(pilot.app)
        await press(pilot, "up", "L", "escape", "3", "Y")
        await top(pilot, ReasonsScreen)
        pilot.app.screen.query_one(
            "#legal", TextArea
        ).text = "Both took [/] it for gain."
        await press(pilot, "f10")
        await wait(pilot, lambda: "Both took [/] it for gain." in everything(pilot.app))
        await press(pilot, "0")
        last = labels(folder)[-1]
        assert (last["value"], last["reasons"]["legal"]) == (
            0,
            "Both took [/] it for gain.",
        )
        assert [(one["case"], one["kind"]) for one in last["facts"]] == [
            ("query", "material"),
            ("query", "legal"),
        ]
        assert all(
            QUERY[one["start"] : one["end"]] == one["text"] for one in last["facts"]
        )
        await press(pilot, "D")
        await press(pilot, "enter", "Z", "Z", "Z")
        assert [len(one.get("facts", [])) for one in labels(folder)[-4:]] == [
            1,
            2,
            2,
            2,
        ]
        assert "reasons" not in labels(folder)[-1]
        await press(pilot, "N")
        await top(pilot, LinePrompt)
        await press(pilot, *"odd", "enter")
        await wait(pilot, lambda: labels(folder)[-1].get("note") == "odd")
        assert len(labels(folder)[-1]["facts"]) == 2


async def test_what_people_wrote_is_text(folder: Path) -> None:
    labelled(folder, "Mei", {1: 1})
    with LabelFile.open(folder, "[/x]") as file:
        reasons = Reasons(material="[bold]one[/] \x1b[31m red", legal="[/]")
        facts = [Evidence(case="query", text="[a=b]two\nthree", start=0, end=3)]
        said = Label(
            session=documents(folder / "p01.yaml")[0]["id"],
            candidate="c1",
            value=2,
            reasons=reasons,
            facts=facts,
            note="[/note]",
        )
        file.append(said)
    async with sitting(adjudication(folder, "[/by]")) as pilot:
        shown = everything(pilot.app)
        assert all(
            text in shown
            for text in (
                "[/x]  2",
                "[bold]one[/] ",
                "[a=b]two three",
                "[/note]",
                "[/by] · 1 of 1",
            )
        )
        assert "\x1b" not in shown
        await press(pilot, "Y")
        await top(pilot, EditScreen)
        pilot.app.screen.query_one(TextArea).text = "[/why]"
        await press(pilot, "f10")
        await press(pilot, "1")
        await top(pilot, AllLabelled)
    assert [(one["value"], one["reason"]) for one in labels(folder, "gold")] == [
        (None, "[/why]"),
        (1, "[/why]"),
    ]


async def test_names_can_be_hidden_from_who_decides(folder: Path) -> None:
    people = {"Mei": 3, "Tom": 0, "Ann": 1, "李雷": 2, "Zoe": 1}
    for name, level in people.items():
        labelled(folder, name, dict.fromkeys(range(1, 5), level))
    begin = staying(adjudication(folder, "Wu", anonymous=True))
    async with sitting(begin, (80, 24)) as pilot:
        orders = set()
        for _ in range(4):
            shown = everything(pilot.app)
            assert not [name for name in people if name in shown]
            orders.add(line(pilot).split("gold: - · ")[1].split(" · ")[0])
            columns = [f"{letter}  " for letter in "ABCDE"]
            assert [one for one in columns if one in shown] == columns
            await press(pilot, "full_stop")
        assert len(orders) > 1
        await press(pilot, "K")
        assert "Names are hidden" in everything(pilot.app)
        await press(pilot, "1")
        await press(pilot, "o")
        await top(pilot, PairsScreen)
        assert not [name for name in people if name in everything(pilot.app)]
    (gold,) = labels(folder, "gold")
    assert {one["annotator"]: one["value"] for one in gold["from"]} == people


async def test_who_decides_sees_the_overview(folder: Path) -> None:
    labelled(folder, "Mei", {1: 1, 2: 2, 3: 3, 4: 0})
    labelled(folder, "Tom", {1: 1, 2: 0})
    async with sitting(adjudication(folder, "Ann"), (80, 24)) as pilot:
        await press(pilot, "K")
        await top(pilot, OverviewScreen)
        await wait(pilot, lambda: "4 pairs; 0 without" in everything(pilot.app))
        shown = everything(pilot.app)
        assert "Mei" in shown
        assert "Agreement by week" in shown
        await press(pilot, "escape")
        assert "Ann · 1 of 1" in line(pilot)


async def test_the_lead_changes_the_team_from_the_overview(folder: Path) -> None:
    names = ("Mei", "Tom", "Ann", "李雷", "Bartholomew")
    for name in names:
        labelled(folder, name, {1: 1, 2: len(name) % 4})
    people = dict.fromkeys(names, 1.0)
    async with sitting(adjudication(folder, "Wu"), (80, 24)) as pilot:
        await press(pilot, "o")
        await top(pilot, PairsScreen)
        await press(pilot, "K")
        await top(pilot, OverviewScreen)
        await wait(pilot, lambda: "4 pairs; 2 without" in everything(pilot.app))
        shown = everything(pilot.app)
        assert all(name in shown for name in names)
        assert "change the team" in shown.splitlines()[-1]
        assert shown.count("Labeling") == 1
        await press(pilot, "pagedown")
        await wait(pilot, lambda: "People" not in everything(pilot.app))
        await press(pilot, "e")
        await wait(pilot, lambda: "no team here yet" in said(pilot))
        write_team(folder, Team(people=people, guideline="Keep me."))
        await press(pilot, "e")
        await top(pilot, LinePrompt)
        assert "Mei,Tom,Ann,李雷,Bartholomew" in everything(pilot.app)
        await press(pilot, *"=x", "enter")
        await top(pilot, OverviewScreen)
        await wait(pilot, lambda: "The share of Bartholomew" in said(pilot))
        await press(pilot, "e")
        await top(pilot, LinePrompt)
        await press(pilot, *"=2", "enter")
        await top(pilot, OverviewScreen)
        await wait(pilot, lambda: "The team is changed." in said(pilot))
    team = read_team(folder)
    assert team == Team(people={**people, "Bartholomew": 2}, guideline="Keep me.")


async def test_who_labels_has_no_overview_in_the_list(folder: Path) -> None:
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        await press(pilot, "o")
        await top(pilot, PairsScreen)
        await press(pilot, "K")
        await top(pilot, PairsScreen)


async def test_people_who_differ_are_decided_between(folder: Path) -> None:
    labelled(folder, "Mei", {1: 1, 2: 2, 3: 3, 4: 0})
    labelled(folder, "Tom", {1: 1, 2: 0, 3: 0, 4: 0})
    async with sitting(staying(adjudication(folder, "Ann"))) as pilot:
        assert "Ann · 1 of 2 · gold: - · Mei 3, Tom 0 · blind · 0 decided" in line(
            pilot
        )
        shown = everything(pilot.app)
        assert "Mei  3" in shown
        assert "Tom  0" in shown
        assert hidden(pilot)
        await press(pilot, "3", "Z")
        assert "gold: -" in line(pilot)
        await press(pilot, "2", "a")
        assert (
            "2 of 2 · gold: - · Mei 2, Tom 0 · blind · 1 decided · previous: pair 1 → 2"
            in line(pilot)
        )
        await press(pilot, "0")
        await top(pilot, AllLabelled)
        await press(pilot, "escape")
    gold = read_labels(folder)["gold"]
    assert [(one.candidate, one.value, one.by) for one in gold.values()] == [
        ("c3", 2, "Ann"),
        ("c2", 0, "Ann"),
    ]
    assert [
        (vote.annotator, vote.value) for vote in next(iter(gold.values())).decides
    ] == [("Mei", 3), ("Tom", 0)]


async def test_a_session_is_labelled_beside_it_where_others_have(
    home: Path, tmp_path: Path
) -> None:
    set_language("en")
    path = judged(tmp_path / "one.yaml", 1)

    async def label(key: str) -> None:
        app = VerifyTui(Config(annotator="Lin"))
        async with app.run_test(size=(120, 36)) as pilot:
            await wait(pilot, lambda: app.is_open)
            assert await app.open_path(path)
            await press(pilot, key)
            await wait(pilot, lambda: f"you {key}" in everything(app))
            assert app.defects == []

    await label("2")
    inside = path.read_bytes()
    assert b"annotator: Lin" not in inside
    with LabelFile.open(path, "Tom") as file:
        file.append(Label(session=documents(path)[0]["id"], candidate="c1", value=0))
    await label("3")
    assert path.read_bytes() == inside
    assert documents(path.with_name("one.yaml.labels") / "Lin.yaml")[-1]["value"] == 3
    assert level_of(pairs_in(path)[0], read_labels(path)["Lin"]) == 3


@pytest.mark.parametrize("listed", ["batch", "library"])
async def test_a_level_that_a_list_has_shown_counts_as_seen(
    listed: str, folder: Path
) -> None:
    if listed == "library":
        (folder / "batch.json").unlink()
    app = VerifyTui(Config(annotator="Lin"), folder=folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(
            pilot, lambda: "p01" in everything(app) and len(app.screen_stack) > 1
        )
        await press(pilot, "enter")
        await wait(
            pilot,
            lambda: (
                app.workspace.play is not None
                and app.workspace.play.journal.path == folder / "p01.yaml"
            ),
        )
        await press(pilot, "B")
        assert hidden(pilot)
        await press(pilot, "2")
        assert app.defects == []
    in_batch = listed == "batch"
    (label,) = labels(folder, "Lin") if in_batch else labels_beside(folder / "p01.yaml")
    assert (label["annotator"], label["seen_machine"]) == ("Lin", True)


async def test_what_the_mouse_has_selected_is_where_choosing_begins(
    folder: Path,
) -> None:
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        pane = pilot.app.screen.query_one("#query", CasePane)
        x, y = pane.gutter.left, pane.gutter.top + 1
        await pilot.mouse_down(pane, offset=(x, y))
        await pilot.hover(pane, offset=(x + 14, y))
        await pilot.mouse_up(pane, offset=(x + 14, y))
        await press(pilot, "V", "M")
    (fact,) = labels(folder)[-1]["facts"]
    assert fact["case"] == "query"
    assert fact["text"] in QUERY[:16]
    assert len(fact["text"]) in (14, 15)
    assert QUERY[fact["start"] : fact["end"]] == fact["text"]


async def test_a_session_that_cannot_be_read_is_passed_over(folder: Path) -> None:
    begin = labelling(folder, "Mei", None)
    work = begin(Config())
    first, second = work.queue()[:2]
    pairs = LabelStore.of_pairs(folder).pairs
    work.close()
    first.path.write_bytes(
        first.path.read_bytes().replace(
            b"workspace: relevance", b"workspace: elsewhere"
        )
    )
    work = PairLabeler(
        Queue(pairs, "Mei"),
        LabelFile.open(folder, "Mei"),
        LabelStore.of_pairs(folder, "Mei"),
    )
    async with sitting(lambda _: work) as pilot:
        assert "2 of 4" in line(pilot)
        assert pilot.app.workspace.where() == second  # type: ignore[attr-defined]
        await press(pilot, "comma")
        assert "2 of 4" in line(pilot)


def test_one_person_labels_in_one_place_at_a_time(folder: Path) -> None:
    work = labelling(folder, "Mei", None)(Config())
    with pytest.raises(BadInput, match="open in another VerifyTUI"):
        labelling(folder, "Mei", None)(Config())
    work.close()
    labelling(folder, "Mei", None)(Config()).close()


async def test_evidence_in_a_session_of_ones_own_stands_in_the_session(
    home: Path,
) -> None:
    set_language("en")
    app = VerifyTui(Config(annotator="Lin"), example_draft(Config()))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "V", "down", "L", "down", "down", "escape")
        await wait(pilot, lambda: "Yours" in everything(app))
        await press(pilot, "V")
        await app.workspace.action(
            "next_pair"
        )()  # other cases come: the passage is none of theirs
        await wait(pilot, lambda: not app.query(ChoosingBar))
        await press(pilot, "2")
        assert app.defects == []
    (path,) = saved(home)
    first, second = labels_beside(path)
    assert (first["candidate"], first["value"], first["facts"][0]["kind"]) == (
        "c1",
        None,
        "legal",
    )
    assert (second["candidate"], second["value"], "facts" in second) == ("c2", 2, False)


@pytest.mark.parametrize("size", [(80, 24), (72, 24), (60, 20)])
async def test_both_cases_are_in_sight_from_the_start(
    size: tuple[int, int], folder: Path
) -> None:
    labelled(folder, "Lin", {1: 1})
    labelled(folder, "Tom", {1: 3})
    for begin, state in (
        (labelling(folder, "Mei", None, advance=True), "LABELLING"),
        (adjudication(folder, "Ann"), "DECIDING"),
    ):
        async with sitting(begin, size) as pilot:
            query, candidate = (
                pilot.app.query_one(f"#{name}", CasePane)
                for name in ("query", "candidate")
            )
            assert QUERY.split()[0] in everything(pilot.app)
            assert "of the shelf" in everything(pilot.app)
            beside = query.region.y == candidate.region.y
            assert beside == (size[0] >= 72)
            assert query.region.width + candidate.region.width == (
                size[0] * 2 if not beside else size[0]
            )
            assert state in everything(pilot.app)
            assert "auto next" in line(pilot)
            if state == "DECIDING":
                assert "Lin 1, Tom 3" in line(pilot)
            await press(pilot, "b")
            assert query.has_focus


async def test_the_key_that_takes_back_reaches_what_was_given_before_the_start(
    folder: Path,
) -> None:
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        await press(pilot, "Z")
        assert "You have no label here to undo." in said(pilot)
        await press(pilot, "2", "full_stop", "V", "M", "escape", "1")
    async with sitting(labelling(folder, "Mei", None)) as pilot:
        assert "3 of 4 · you: -" in line(pilot)
        assert "→ 1" in line(pilot)
        await press(pilot, "Z")
        assert "2 of 4 · you: -" in line(pilot)
        assert "Removed: level 1 of Pair" in said(pilot)
        await press(pilot, "Z")
        assert "1 of 4 · you: -" in line(pilot)
    assert [
        (one["value"], one.get("undone", False)) for one in labels(folder)[-2:]
    ] == [(None, True), (None, True)]
    labelled(folder, "Lin", {1: 1, 2: 2})
    labelled(folder, "Tom", {1: 3, 2: 0})
    async with sitting(adjudication(folder, "Ann")) as pilot:
        await press(pilot, "Z")
        assert "There is no decision here to undo." in said(pilot)
        await press(pilot, "3")
    async with sitting(adjudication(folder, "Ann")) as pilot:
        assert "1 decided" in line(pilot)
        await press(pilot, "Z")
        assert "gold: -" in line(pilot)
        assert "0 decided" in line(pilot)
        assert ", from an earlier visit. The pair is undecided" in said(pilot)


async def test_deciding_has_words_of_its_own_and_is_for_one_at_a_time(
    folder: Path,
) -> None:
    labelled(folder, "Mei", {1: 1, 2: 2})
    labelled(folder, "Tom", {1: 3, 2: 0})
    async with sitting(adjudication(folder, "Ann")) as pilot:
        with pytest.raises(SessionError, match="Somebody else is adjudicating here"):
            adjudication(folder, "Bo")(Config())
        assert "decide" in everything(pilot.app).splitlines()[-1]
        for _ in range(3):
            await press(pilot, "s")
        assert said(pilot).count("Not available while you decide. Press q to") == 1
        await press(pilot, "U", "B")
        assert "counts as not decided" in said(pilot)
        await top(pilot, ConfirmScreen)
        assert "recorded as made after seeing" in everything(pilot.app)
        await press(pilot, "n", "o")
        assert "0 of 2 decided" in everything(pilot.app)
        pilot.app.clear_notifications()
        await press(pilot, "escape")
        assert "label" not in everything(pilot.app).lower()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_keys_say_what_each_level_means(
    size: tuple[int, int], folder: Path
) -> None:
    async with sitting(labelling(folder, "Mei", None), size) as pilot:
        keys = everything(pilot.app).splitlines()[-1]
        assert "0 neither 1 material 2 legal 3 both  I levels" in keys
        assert " b " in keys


async def test_while_a_passage_is_chosen_only_its_keys_are_shown(folder: Path) -> None:
    async with sitting(labelling(folder, "Mei", None), (80, 24)) as pilot:
        await press(pilot, "b", "V")
        assert "▸ Query" in everything(pilot.app)
        assert "next pair" not in everything(pilot.app)
        await press(pilot, "b")
        assert "▸ Candidate" in everything(pilot.app)
        assert "▸ Query" not in everything(pilot.app)
        await press(pilot, "M", "D")
        assert [len(one.get("facts", [])) for one in labels(folder)] == [1, 0]
        await press(pilot, "escape")
        assert "next pair" in everything(pilot.app)


async def test_a_note_on_a_candidate_is_seen(home: Path) -> None:
    set_language("en")
    app = VerifyTui(Config(annotator="Lin"), example_draft(Config()))
    async with app.run_test(size=(120, 36)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "N", *"odd", "enter")
        await wait(pilot, lambda: "note: odd" in everything(app))
        assert "Yours" in everything(app)
