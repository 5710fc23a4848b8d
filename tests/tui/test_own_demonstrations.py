"""The user's own set of demonstrations: what an expert has to say comes from people,
and what is unfinished is a draft.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from verifytui.engines.relevance.plan import RelevanceState
from verifytui.prompts.demonstrations import BUILTIN, load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.labels import Label, Reasons
from verifytui.sessions.events.relevance import Judgement
from verifytui.sessions.session import Session
from verifytui.tests.support.cases import begin, engine_with, play, some
from verifytui.tui.workspaces.relevance.own_demonstrations import (
    Level,
    doubts,
    drafted,
    level_of,
    save,
)


async def judged(language: str = "en") -> Session:
    session = begin(demonstrations=some(language=language), prompts=language)
    await play(session, engine=engine_with(some(language=language)))
    return session


def offered(session: Session) -> dict[str, Any]:
    text = drafted(session, RelevanceState(session), "a", 3)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


async def test_no_machine_gives_an_experts_reason(home: Path) -> None:
    session = await judged()
    (one,) = offered(session)["candidates"]
    assert (one["material_judgement"]["reason"], one["legal_judgement"]["reason"]) == (
        "",
        "",
    )
    assert one["legal"][0]["from"] == []
    session.events.append(
        Label(
            candidate="a",
            value=3,
            annotator="ann",
            reasons=Reasons(material="Both took things at night."),
        )
    )
    spoken = next(
        event
        for event in session.events
        if isinstance(event, Judgement)
        and event.kind == "legal"
        and event.candidate == "a"
    )
    session.events.append(
        msgspec.structs.replace(
            spoken, model="human", reason="Both meant to keep them.", relevant=True
        )
    )
    (one,) = offered(session)["candidates"]
    assert one["material_judgement"]["reason"] == "Both took things at night."
    assert one["legal_judgement"]["reason"] == "Both meant to keep them."


async def test_a_demonstration_begins_with_ones_own_level_else_with_the_machines(
    home: Path,
) -> None:
    session = await judged()
    scored = RelevanceState(session).candidates["a"].score
    assert scored is not None
    assert scored.value is not None
    session.events.append(Label(candidate="a", value=0, annotator="ben"))
    assert level_of(RelevanceState(session).candidates["a"], "ann") == Level(
        scored.value, own=False
    )
    session.events.append(Label(candidate="a", value=2, annotator="ann"))
    assert level_of(RelevanceState(session).candidates["a"], "ann") == Level(
        2, own=True
    )
    assert level_of(RelevanceState(begin()).candidates["a"], "ann") is None


async def test_what_is_unfinished_is_a_draft_and_says_so_in_the_language_of_the_set(
    home: Path,
) -> None:
    session = await judged("zh")
    text = drafted(session, RelevanceState(session), "a", 3)
    file, missing = save(text, session)
    assert yaml.safe_load(file.read_text("utf-8"))["draft"] is True
    assert any("0 到 3 必须各有一个" in one for one in missing)
    with pytest.raises(BadInput, match="contains only drafts; finish one, or choose"):
        load(file.parent)
    whole = (
        (BUILTIN / "zh-criminal" / "01-theft.yaml")
        .read_text("utf-8")
        .replace("id: theft-1", f"id: {file.stem}")
    )
    assert doubts(whole, session) == []
    group = yaml.safe_load(whole)
    group["query"]["text"] = "太短"
    (doubt,) = doubts(yaml.safe_dump(group), session)
    assert doubt.startswith(f"{file.stem}/query 只有 2 字")
    group = yaml.safe_load(whole)
    group["query"]["legal"][0]["from"] = []
    _, missing = save(yaml.safe_dump(group, allow_unicode=True), session)
    assert missing == [
        f"1 条法律事实没有写明依据（from）：{file.stem}/query L1；请写出各自所依据"
        f"的实质事实，如 from: [M1, M3]。"
    ]
    assert save(f"draft: true\n{whole}", session) == (file, [])
    assert file.read_text("utf-8") == whole.rstrip() + "\n", (
        "as it was typed, without the mark"
    )
    assert [one.id for one in load(file.parent).groups] == [file.stem]


async def test_a_case_in_another_language_goes_to_a_set_of_its_own(home: Path) -> None:
    folders = []
    for language in ("zh", "en", "zh"):
        session = await judged(language)
        file, _ = save(drafted(session, RelevanceState(session), "a", 3), session)
        folders.append(file.parent.name)
    assert folders == ["own", "own-en", "own"]
