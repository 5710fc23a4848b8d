"""Panels: what a rule makes of votes, and members that are asked at the same time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from verifytui.engines.batches.estimate import CallPrices, estimate
from verifytui.engines.figures.measure import without_verdict
from verifytui.engines.grade.grading import grade_engine
from verifytui.engines.grade.lexical import LexicalGrader
from verifytui.engines.grade.method import new_grade
from verifytui.engines.method import method
from verifytui.engines.models.config import Config, NamedModel, NamedPanel, load_config
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.litellm_door import Sending
from verifytui.engines.models.panels import Ballot, Rule, outcome
from verifytui.engines.models.port import (
    Later,
    ModelCall,
    ModelError,
    ModelRemark,
    ModelReply,
    Part,
    Task,
)
from verifytui.engines.models.seating import seat_for, seated
from verifytui.engines.reports.panels import agreed, voted
from verifytui.engines.settings import settings_of
from verifytui.engines.step import step
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Event, Failure, Usage, Vote
from verifytui.sessions.events.grade import Grade
from verifytui.sessions.export.block import shared
from verifytui.sessions.export.votes import votes_of
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Seat
from verifytui.tests.support.loopback import Answer, Loopback

GRADES: Ballot[Any] = Ballot({"reason": "text", "grade": "level"}, dict)
CASES = [
    {
        "id": "near",
        "text": "The accused climbed through a window at night and took a watch.",
        "gold": 3,
    }
]


def grade(level: int, reason: str = "") -> dict[str, Any]:
    return {"grade": level, "reason": reason or f"It is {level}."}


@pytest.mark.parametrize(
    ("levels", "rule", "decided"),
    [
        ([2, 3, 3], "majority", 3),
        ([1, 2], "majority", None),
        ([0, 1, 2, 2], "majority", None),  # the most, but not more than half
        ([0, 3, 3, 3], "mean", 2),
        ([1, 2], "mean", None),
        ([1, 2], "median", None),
        ([1, 3], "median", 2),
        ([0, 2, 3], "median", 2),
    ],
)
def test_a_level_without_a_clear_outcome_is_left_out(
    levels: list[int], rule: Rule, decided: int | None
) -> None:
    made = outcome(GRADES, [grade(level) for level in levels], rule, len(levels))
    assert made.get("grade") == decided
    assert decided is not None or made == {}, "no reason without a decision"


def test_the_reason_is_that_of_a_member_who_voted_as_the_panel_decided() -> None:
    assert outcome(
        GRADES, [grade(2), grade(3, "Both broke in."), grade(3)], "majority", 3
    ) == grade(3, "Both broke in.")


def test_numbers_go_by_the_rule_and_choices_by_the_majority() -> None:
    ballot: Ballot[Any] = Ballot({"true": "choice", "score": "number"}, dict)
    votes = [
        {"true": True, "score": 0.9},
        {"true": True, "score": 0.8},
        {"true": False, "score": 0.1},
    ]
    assert outcome(ballot, votes, "mean", 3) == {
        "true": True,
        "score": pytest.approx(0.6),
    }
    assert outcome(ballot, votes, "median", 3) == {"true": True, "score": 0.8}
    assert outcome(ballot, votes, "majority", 3) == {"true": True, "score": 0.8}
    assert outcome(
        ballot, [{"true": True, "score": 0.9}, {"true": True}], "mean", 4
    ) == {"true": True}, "fewer than half gave a score"
    assert outcome(ballot, votes[:1], "mean", 3) == {}, "fewer than half were read"


def test_whether_there_is_a_query_is_voted_on_and_its_words_are_of_one_who_agrees() -> (
    None
):
    ballot: Ballot[Any] = Ballot({"judgement": "choice", "query": "query"}, dict)
    no, yes = (
        {"judgement": "false", "query": "who built it?"},
        {"judgement": "true", "query": ""},
    )
    assert (
        outcome(ballot, [yes, no, {**no, "query": "built by whom?"}], "majority", 3)
        == no
    )
    assert outcome(ballot, [yes, no, yes], "majority", 3) == yes
    assert outcome(ballot, [yes, no], "majority", 2) == {}


# ------------------------------------------------------------- asked


def served(
    loopback: Loopback, *names: str, rule: Rule = "majority", **more: Any
) -> Config:
    """Members that have servers, and the panel `jury` of them; `lexical` can be a
    member.
    """
    known = {
        name: NamedModel(model=f"openai/{name}", api_base=loopback.base_url)
        for name in names
        if name != "lexical"
    }
    return Config(
        models=known,
        panels={"jury": NamedPanel(panel=list(names), rule=rule)},
        retries=0,
        **more,
    )


def begun(config: Config) -> Journal:
    header = new_grade(
        query="At night the accused climbed through a window and took a ring.",
        candidates=CASES,
        prompts=load("en", workspace="grade"),
        lineup={"grader": seat_for("jury", config)},
    )
    return Journal.create(None, header)


async def one_step(journal: Journal, config: Config) -> Event:
    desk = Desk(lambda: journal.session, config, builtins={"lexical": LexicalGrader()})
    made: list[Event] = []
    async for part in step(journal, grade_engine(), desk):
        made += [part] if isinstance(part, Event) else []
    return made[-1]


def by_member(**levels: Any) -> Any:
    """What each member answers: a level, a text, or a status."""

    def answer(body: dict[str, Any]) -> Answer:
        said = levels[body["model"]]
        if isinstance(said, str):
            return Answer(text=said)
        if said > 3:
            return Answer(status=said, error="broken")
        return Answer(text=json.dumps(grade(said)))

    return answer


async def test_the_votes_stand_in_the_event_and_its_costs_are_sums(
    loopback: Loopback,
) -> None:
    loopback.answer = by_member(a=3, b=3, c=1)
    config = served(loopback, "a", "b", "c", "lexical")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert isinstance(made.votes, list)
    assert [vote.model for vote in made.votes][3] == "lexical"
    assert [vote.values.get("grade") for vote in made.votes][:3] == [3, 3, 1]
    assert made.model == "jury: a, b, c, lexical"
    assert made.attempts == 4
    assert made.usage is not None
    assert made.usage.input == 33
    assert made.seconds == max(vote.seconds for vote in made.votes)


async def test_a_member_that_fails_or_cannot_be_read_does_not_vote(
    loopback: Loopback,
) -> None:
    loopback.answer = by_member(a=3, b=500, c=3, d="Cannot say.")
    config = served(loopback, "a", "b", "c", "d")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert isinstance(made.votes, list)
    assert made.value == 3
    assert [vote.read for vote in made.votes] == [
        "schema",
        "unread",
        "schema",
        "unread",
    ]
    assert "broken" in str(made.votes[1].error)
    assert made.votes[3].attempts == 2, "it was asked once more"


async def test_with_fewer_than_half_of_the_replies_the_call_has_failed(
    loopback: Loopback,
) -> None:
    loopback.answer = by_member(a=3, b=500, c=500)
    config = served(loopback, "a", "b", "c")
    made = await one_step(begun(config), config)
    assert isinstance(made, Failure)
    assert "only 1 replied" in made.message
    assert made.attempts == 3
    assert made.usage is not None
    assert made.usage.output == 7


async def test_with_fewer_than_half_read_it_is_unread(loopback: Loopback) -> None:
    loopback.answer = by_member(a=3, b="Cannot say.", c="Nor can I.")
    config = served(loopback, "a", "b", "c")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert made.read == "unread"
    assert made.value is None


async def test_members_are_asked_at_the_same_time(loopback: Loopback) -> None:
    both, asked = threading.Event(), list[str]()

    def answer(body: dict[str, Any]) -> Answer:
        asked.append(body["model"])
        if len(asked) == 2:
            both.set()
        return Answer(text=json.dumps(grade(3)), hold=both)

    loopback.answer = answer
    config = served(loopback, "a", "b")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert made.value == 3


async def test_votes_are_read_from_the_file_as_they_were(
    loopback: Loopback, tmp_path: Path
) -> None:
    loopback.answer = by_member(a=3, b=2, c=500)
    config = served(loopback, "a", "b", "c", rule="median")
    journal = Journal.create(tmp_path / "g.yaml", begun(config).session.header)
    made = await one_step(journal, config)
    journal.close()
    again = Journal.open(tmp_path / "g.yaml").session
    assert again.events[0] == made
    assert isinstance(made, Grade)
    assert again.seat("grader") == seat_for("jury", config)
    assert isinstance(made.votes, list)
    assert isinstance(made.votes[0], Vote)


# ------------------------------------------------------------- who may sit


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{panel: [a]}", "2 to 9 members"),
        ("{panel: [a, human]}", "person"),
        ("{panel: [a, other]}", "a panel itself"),
        ("{panel: [a, a]}", "the same twice"),
        ("{panel: [warm, warm, 'http://x']}", "address"),
        ("{panel: [a, b], rule: most}", "majority, mean, median"),
        ("{panel: [a, b], model: x}", "model"),
    ],
)
def test_a_panel_that_cannot_be_is_refused_in_a_sentence(
    entry: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        f"models:\n  warm: {{model: openai/a, params: {{temperature: 0.7}}}}\n  "
        f"other: {{panel: [warm, warm]}}\n  jury: {entry}\n"
    )
    with pytest.raises(BadInput, match=said) as raised:
        load_config(path, {})
    assert "models" in str(raised.value)


def test_a_panel_sits_only_where_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("models: {jury: {panel: [openai/a, openai/b, lexical]}}\n")
    config, rag = load_config(path, {}), settings_of("rag")
    found = seated(
        rag,
        config,
        ("generator", "verifier"),
        ("generator",),
        ["verifier=jury"],
        ["verifier.temperature=0.5"],
    )
    assert [one.params for one in found["verifier"].panel] == [
        {"temperature": 0.5},
        {"temperature": 0.5},
        {},
    ]
    with pytest.raises(BadInput, match="verifier"):
        seated(rag, config, ("generator", "verifier"), ("generator",), ["jury"], [])


async def test_a_panel_from_a_file_of_others_is_refused_where_nobody_can_vote() -> None:
    session = begun(
        Config(panels={"jury": NamedPanel(panel=["openai/a", "openai/b"])})
    ).session
    desk = Desk(session, Config(retries=0))
    with pytest.raises(ModelError, match="can only judge"):
        async for _ in desk.ask("grader", Task(), []):
            pass


def test_a_seat_of_one_is_written_as_before() -> None:
    assert msgspec.to_builtins(Seat(model="m")) == {"model": "m"}


async def test_all_members_go_out_in_one_wave(loopback: Loopback) -> None:
    """Where replies come later, every member's request is made before the step gives
    up.
    """
    config = served(loopback, "a", "b", "c")
    journal, wanted = begun(config), list[str]()

    def sending(call: ModelCall) -> Sending:
        async def send(*_: object) -> AsyncGenerator[Part | ModelReply, None]:
            wanted.append(call.seat.called)
            raise Later
            yield

        return send

    desk = Desk(lambda: journal.session, config, sending=sending, retries=0)
    async with aclosing(step(journal, grade_engine(), desk)) as parts:
        with pytest.raises(Later):
            await anext(parts)
    assert sorted(wanted) == ["a", "b", "c"]
    assert journal.session.events == []


async def test_an_estimate_counts_every_member_and_waits_for_one(
    loopback: Loopback,
) -> None:
    config = served(loopback, "a", "b", "lexical")
    prices = CallPrices(
        lambda model, name: (0.0, 0.0) if model == "lexical" else (1.0, 1.0)
    )
    found = await estimate(
        method("grade").batches["pairs"], [begun(config).session], prices, cache=True
    )
    assert (found.spent.calls, found.deepest) == (2, 1)


async def test_what_a_member_said_before_it_failed_is_counted(
    loopback: Loopback,
) -> None:
    """It is asked once more, and that call fails: the first one was paid for."""
    asked = list[str]()

    def answer(body: dict[str, Any]) -> Answer:
        asked.append(body["model"])
        if body["model"] == "c":
            if asked.count("c") == 1:
                return Answer(text="Cannot say.")
            return Answer(status=400, error="broken")
        return Answer(text=json.dumps(grade(3)))

    loopback.answer = answer
    config = served(loopback, "a", "b", "c")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert isinstance(made.votes, list)
    assert made.votes[2].usage == Usage(input=11, output=7)
    assert (made.attempts, made.votes[2].attempts) == (4, 2)
    assert made.usage is not None
    assert made.usage.output == 21


async def test_a_remark_names_the_member(loopback: Loopback) -> None:
    loopback.answer = by_member(a=3, b="Cannot say.")
    config = served(loopback, "a", "b")
    journal, said = begun(config), list[str]()
    async for part in step(
        journal, grade_engine(), Desk(lambda: journal.session, config)
    ):
        said += (
            [part.message]
            if isinstance(part, ModelRemark) and part.kind == "again"
            else []
        )
    assert [message.startswith("b: ") for message in said] == [True]


async def test_a_panel_that_is_stopped_after_a_member_failed_was_stopped(
    loopback: Loopback,
) -> None:
    loopback.answer = lambda body: (
        Answer(status=400, error="broken")
        if body["model"] == "c"
        else Answer(stall_after=0)
    )
    config = served(loopback, "a", "b", "c")
    journal = begun(config)
    desk = Desk(lambda: journal.session, config)

    async def play() -> None:
        async for _ in step(journal, grade_engine(), desk):
            pass

    playing = asyncio.ensure_future(play())
    assert await loopback.until(lambda server: len(server.requests) == 3)
    while not any(account.kind != "cancelled" for account in desk._accounts):
        await asyncio.sleep(0)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    stopped = journal.session.events[-1]
    assert isinstance(stopped, Failure)
    assert stopped.kind == "cancelled"
    assert "broken" not in stopped.message


def test_there_is_no_reason_where_nothing_is_decided() -> None:
    ballot: Ballot[Any] = Ballot(
        {"reason": "text", "true": "choice", "score": "number"}, dict
    )
    votes = [
        {"reason": "It is.", "true": True, "score": 0.9},
        {"reason": "It is not.", "true": False, "score": 0.1},
    ]
    assert outcome(ballot, votes, "mean", 2) == {"score": 0.5}
    assert outcome(ballot, [{"reason": "So.", "score": 0.9}], "mean", 2) == {
        "reason": "So.",
        "score": 0.9,
    }


async def test_it_is_said_on_what_there_is_no_outcome(loopback: Loopback) -> None:
    loopback.answer = by_member(a=3, b=1)
    config = served(loopback, "a", "b")
    assert votes_of(await one_step(begun(config), config))[0::3] == [
        "votes of 2 members: 2 readable, all different",
        "no outcome: level",
    ]


async def test_nobody_is_asked_where_a_member_is_gone_from_the_configuration(
    loopback: Loopback,
) -> None:
    loopback.answer = by_member(a=3, b=3, c=3)
    config = served(loopback, "a", "b", "c")
    journal = begun(config)
    del config.models["c"]
    made = await one_step(journal, config)
    assert isinstance(made, Failure)
    assert (made.kind, made.cost) == ("unknown-model", 0.0)
    assert made.message.startswith("config.yaml no longer has a model named c; ")
    assert loopback.requests == []


@pytest.mark.scale
async def test_members_of_one_model_at_two_servers_are_two_requests_of_a_wave(
    loopback: Loopback,
) -> None:
    """Whoever asks first: the name of a request says whose it is."""
    from verifytui.scale.waves.pending import Door

    config = served(loopback, "a", "b")
    config.models["b"] = NamedModel(model="openai/a", api_base=f"{loopback.base_url}/")
    session = begun(config).session

    async def names(*members: int) -> list[str]:
        wave = Waiting()
        desk = Desk(session, config, sending=Door(session, wave).sending, retries=0)
        for number in members:
            with pytest.raises(Later):
                async for _ in desk.ask(
                    "grader",
                    Task(member=number),
                    [{"role": "user", "content": "Which?"}],
                ):
                    pass
        return wave.names

    first, second = await names(1, 2)
    assert await names(2, 1) == [second, first]


class Waiting:
    """A wave to which no reply has come."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.outbox: Any = self

    def reply(self, name: str) -> None:
        return None

    def waits(self, name: str) -> bool:
        return False

    def queue(self, request: Any) -> None:
        self.names.append(request.name)


async def test_a_tie_is_undecided_not_unread(loopback: Loopback) -> None:
    loopback.answer = by_member(a=3, b=1)
    config = served(loopback, "a", "b")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert made.value is None
    assert made.ties == ["grade"]
    assert not made.unreadable
    assert without_verdict([made]) == "undecided"
    assert not shared(made).unread
    assert agreed([("x", vote) for vote in voted([made])])[0]["undecided"] == 1

    loopback.answer = by_member(a=3, b="Cannot say.", c="Nor can I.")
    config = served(loopback, "a", "b", "c")
    made = await one_step(begun(config), config)
    assert isinstance(made, Grade)
    assert made.ties == []
    assert made.unreadable
