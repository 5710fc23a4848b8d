"""The screen of agreement: people alone unless the others are added, base rates beside
every kappa, no kappa of a few candidates.
"""

from __future__ import annotations

from verifytui.engines.relevance.plan import RelevanceState
from verifytui.sessions.events.relevance import Label, Score
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Session
from verifytui.tests.support.screens_host import shown, text_of
from verifytui.tests.support.telling import add
from verifytui.tui.workspaces.relevance.screens.agreement import AgreementScreen


def rated(*people: str, candidates: int = 12) -> Session:
    """Candidates of the levels 0 to 3 in turn; each person is right about them, but for
    the first, who gives 2 to all.
    """
    ids = [f"c{n}" for n in range(candidates)]
    task = {
        "query": {"id": "q", "text": "q"},
        "candidates": [
            {"id": one, "text": one, "gold": n % 4} for n, one in enumerate(ids)
        ],
    }
    header = new_header(
        workspace="relevance",
        title="",
        task=task,
        lineup={},
        settings={},
        prompts=Prompts(set="", hash="", templates={}),
    )
    session = Session(header)
    for n, one in enumerate(ids):
        add(session, Score(candidate=one, value=n % 4))
        for place, name in enumerate(people):
            add(
                session,
                Label(
                    candidate=one,
                    value=n % 4 if place else 2,
                    annotator=name,
                    seen_machine=False,
                    seconds=0,
                ),
            )
    return session


def screen(session: Session) -> AgreementScreen:
    fold = RelevanceState(session)
    return AgreementScreen(session, fold, "anna", set(fold.candidates), gold_shown=True)


async def test_two_people_are_compared_alone_until_the_others_are_added() -> None:
    async with shown(screen(rated("anna", "bert")), (120, 60)) as (host, pilot):
        seen = text_of(host)
        assert "bert down, you across" in seen
        assert "machine across" not in seen
        assert (
            "Only people are compared. Press B to add the machine and the data." in seen
        )
        await pilot.press("B")
        await pilot.pause()
        assert "bert down, machine across" in text_of(host)
        await pilot.press("B")
        await pilot.pause()
        assert "machine across" not in text_of(host)


async def test_one_person_is_compared_with_the_machine_and_the_data() -> None:
    async with shown(screen(rated("anna")), (120, 60)) as (host, _):
        assert "you down, machine across" in text_of(host)
        assert "people, or all" not in text_of(host)


async def test_base_rates_stand_beside_every_kappa_and_whoever_gave_one_level_is_named() -> (
    None
):
    async with shown(screen(rated("anna", "bert")), (120, 60)) as (host, _):
        seen = text_of(host)
        assert "base rates of bert: 0: 25% 1: 25% 2: 25% 3: 25%; MF 50%, LF 50%" in seen
        assert "base rates of you: 0: 0% 1: 0% 2: 100% 3: 0%; MF 0%, LF 100%" in seen
        assert "you gave level 2 to all, so kappa is not meaningful." in seen
        assert "four levels: kappa 0.00" in seen
        assert "Gwet's AC2: four levels (quadratic) 0.64, MF 0.20, LF 0.20" in seen


async def test_below_ten_candidates_the_table_stands_without_a_kappa() -> None:
    async with shown(screen(rated("anna", "bert", candidates=9)), (120, 60)) as (
        host,
        _,
    ):
        seen = text_of(host)
        assert "Kappa is not shown below 10 candidates" in seen
        assert "kappa 0.00" not in seen
        assert "Candidates rated by both: 9" in seen
