"""Whether the negative side is told to oppose (MAD paper, Figure 5), and from when on."""

from __future__ import annotations

import msgspec
import pytest
from verifytui.engines.debate.messages import messages
from verifytui.engines.debate.plan import DebateStep, opposed
from verifytui.prompts import load
from verifytui.sessions.events import Change
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.session import Header, Session
from verifytui.tests.support.playing import begin
from verifytui.tests.support.telling import add

OPPOSES = {
    "en": "You disagree with this answer.",
    "zh": "你不同意这个答案。",
    "small-en": "You disagree.",
    "small-zh": "你不同意。",
}


def first(session: Session, role: str = "negative") -> str:
    """What a debater is told before its first speech."""
    return next(
        turn["content"]
        for turn in messages(session, DebateStep("speech", role, 1))
        if turn["role"] == "user"
    )


def begun(prompts: str = "en", **settings: object) -> Session:
    session = begin(settings, prompts=prompts)
    add(session, Speech(role="affirmative", round=1, text="Eight.\nAnswer: 8"))
    return session


@pytest.mark.parametrize("prompts", OPPOSES)
@pytest.mark.parametrize("level", range(4))
def test_the_negative_side_is_told_to_differ_at_every_level_but_full_consensus(
    prompts: str, level: int
) -> None:
    assert (OPPOSES[prompts] in first(begun(prompts, level=level))) == (level != 0)
    assert OPPOSES[prompts] not in first(
        begun(prompts, level=level, negative="unprompted")
    )


def test_for_a_translation_it_gives_another_translation() -> None:
    session = begin(kind="translation", topic="吃了吗？")
    add(session, Speech(role="affirmative", round=1, text="Have you eaten?"))
    assert "give another translation." in first(session)


def test_no_other_debater_is_told_to_differ() -> None:
    session = begun(debaters=3)
    add(session, Speech(role="negative", round=1, text="Six.\nAnswer: 6"))
    assert "You disagree" not in first(session, "affirmative") + first(
        session, "debater3"
    )
    assert "You disagree" in first(session)


def test_in_later_rounds_it_is_only_told_what_was_said() -> None:
    session = begun()
    add(session, Speech(role="negative", round=1, text="Six."))
    add(session, Speech(role="affirmative", round=2, text="Still eight."))
    users = [
        turn["content"]
        for turn in messages(session, DebateStep("speech", "negative", 2))
        if turn["role"] == "user"
    ]
    assert ["You disagree" in one for one in users] == [True, False]


def test_a_level_changed_later_leaves_what_was_said_before_as_it_was() -> None:
    session = begun()
    before = first(session)
    add(session, Speech(role="negative", round=1, text="Six."))
    add(session, Change(field="settings.level", old=2, new=0))
    add(session, Speech(role="affirmative", round=2, text="Still eight."))
    assert (
        messages(session, DebateStep("speech", "negative", 2))[1]["content"] == before
    )


def test_a_level_lowered_before_it_speaks_is_what_counts() -> None:
    session = begun()
    add(session, Change(field="settings.level", old=2, new=0))
    assert not opposed(session)
    assert "You disagree" not in first(session)


@pytest.mark.parametrize("value", [None, "perhaps", 3])
def test_a_session_without_the_setting_goes_on_as_it_began(value: object) -> None:
    """Sessions of before have neither the setting nor the template."""
    header = msgspec.convert(msgspec.to_builtins(begin().header), Header)
    del header.settings["negative"]
    if value is not None:
        header.settings["negative"] = value
    templates = {
        key: text
        for key, text in load("en").templates.items()
        if key != "debater_opposes"
    }
    header.prompts = msgspec.structs.replace(header.prompts, templates=templates)
    session = Session(header, [])
    add(session, Speech(role="affirmative", round=1, text="Eight."))
    assert first(session) == first(begun(negative="unprompted")).replace(
        "Eight.\nAnswer: 8", "Eight."
    ).replace(mark(begun(negative="unprompted")), mark(session))


def mark(session: Session) -> str:
    return first(session).partition("<<<")[2].partition(">>>")[0]
