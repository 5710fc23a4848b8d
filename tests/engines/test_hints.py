"""Hints at the traps of the test sets: every role gets them, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.debate import messages as debating
from verifytui.engines.debate.plan import DebateStep
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.solo import messages as alone
from verifytui.engines.starting import Starter, wishes
from verifytui.prompts import again, load
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Session
from verifytui.texts import catalogue

HINT = re.compile(
    "literal|comes to mind|first thought|word for word|idiom"
    "|\u5b57\u9762|\u6700\u5148\u60f3\u5230|\u4e60\u8bed"
    "|\u60ef\u7528\u8bed"
)
SETS = ("en", "zh", "small-en", "small-zh")
TOPICS: list[dict[str, Any]] = [
    {"topic": "How fast was Alice?"},
    {"topic": "\u5403\u9971", "kind": "translation", "from": "zh", "to": "en"},
]


def begin(name: str, topic: str, **options: Any) -> Session:
    wanted = wishes(name, {"model": "openai/x", **options}, topic=topic)
    starter = Starter(Config(), paths(), many=True)
    return Session(method(name).begin(wanted, starter), [])


def instructions(about: dict[str, Any], **options: Any) -> Iterator[str]:
    """What each role is told first: debaters, judge, blind judge, baseline; the roles
    of an answer alone.
    """
    debate = begin("debate", **about, **options)
    for step in (
        DebateStep("baseline", "baseline", 0),
        DebateStep("speech", "affirmative", 1),
        DebateStep("speech", "negative", 1),
        DebateStep("verdict", "judge", 1),
    ):
        yield debating.messages(debate, step)[0]["content"]
    blind = begin("debate", **about, **options, control="judge-blind")
    yield debating.messages(blind, DebateStep("blind", "judge", 0))[0]["content"]
    translated = about.get("kind") == "translation"
    for strategy in ("direct", "cot", "reflect", "rerank" if translated else "sc"):
        solo = begin("solo", **about, **options, strategy=strategy)
        yield alone.attempt_thread(solo, None)[0]["content"]
    if translated:
        maps = begin("solo", **about, **options, strategy="maps")
        yield alone.attempt_thread(maps, "topics")[0]["content"]
        yield alone.analysis_thread(maps, "topics")[0]["content"]
        yield alone.rating_thread(maps, "Eat.")[0]["content"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("prompts", SETS)
@pytest.mark.parametrize("about", TOPICS)
def test_every_role_gets_the_hint_or_none_does(
    about: dict[str, Any], prompts: str
) -> None:
    assert not [
        text for text in instructions(about, prompts=prompts) if HINT.search(text)
    ]
    kind = about.get("kind", "question")
    hint = load(prompts).templates[f"hint_{kind}"]
    told = list(instructions(about, prompts=prompts, hints="all"))
    assert [text.count(hint) for text in told] == [1] * len(told)
    assert all(text.startswith(hint + "\n\n") for text in told)


@pytest.mark.parametrize("prompts", SETS)
@pytest.mark.parametrize("workspace", ["debate", "solo"])
def test_no_template_of_a_contest_gives_a_hint(workspace: str, prompts: str) -> None:
    told = load(prompts, workspace=workspace).templates
    assert [key for key, text in told.items() if HINT.search(str(text))] == [
        "hint_translation",
        "hint_question",
    ]


def test_a_chinese_prompt_says_in_chinese_why_a_reply_could_not_be_read() -> None:
    templates = load("zh", workspace="relevance").templates
    why = "the reply says neither that the cases are relevant nor that they are not"
    assert why not in again(templates, reason=why)
    assert "\u6ca1\u6709\u8bf4\u4e24\u6848\u662f\u5426\u76f8\u5173" in again(
        templates, reason=why
    )
    assert why in again(load("en", workspace="relevance").templates, reason=why)
    several = again(
        load("zh", workspace="rag").templates,
        reason="Claim 2: there is no reference 9. bias is not there. judgement: not a text",
    )
    assert not re.search("[a-z]{3,} [a-z]{2,} [a-z]+", several)
    assert "9" in several


def test_every_reason_that_readers_give_is_known_in_chinese() -> None:
    known = [
        re.sub(r"\\\{\w+\\\}", ".+", re.escape(text))
        for key, text in catalogue("en", "report").items()
        if key.startswith("report.unread.")
    ]
    engines = Path(__file__).resolve().parents[2] / "engines"
    raised = re.compile(r'(?:Unread|Doubt)\(\s*f?"([^"]+)"')
    missing = {
        said
        for path in engines.rglob("*.py")
        for said in raised.findall(path.read_text("utf-8"))
        if " " in said
        and not any(re.fullmatch(one, re.sub(r"\{[^}]*\}", "x", said)) for one in known)
    }
    assert not missing
