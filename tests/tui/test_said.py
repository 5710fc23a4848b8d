"""Failures, waits and remarks in the language of the interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from verifytui.engines.debate.blocks import block
from verifytui.engines.models.port import Kind, ModelRemark, Waiting
from verifytui.sessions.events import Failure
from verifytui.sessions.events.debate import DebateResult
from verifytui.sessions.session import Session, Totals
from verifytui.tests.support.small_debate import make_header
from verifytui.texts import LANGUAGES, catalogue, set_language
from verifytui.texts.failures import original
from verifytui.tui import wording
from verifytui.tui.widgets.event_view import outcome
from verifytui.tui.wording import said


@pytest.fixture(autouse=True)
def _chinese() -> Iterator[None]:
    set_language("zh")
    yield
    set_language("en")


def failure(
    kind: str, message: str = 'It failed (the server: "no").', model: str = "openai/lb"
) -> Failure:
    return Failure(role="judge", kind=kind, message=message, model=model)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_name_and_a_sentence(kind: str, language: str) -> None:
    key = f"failure.{kind.replace('-', '_')}"
    texts = catalogue(language)
    assert texts[key]
    assert texts[key + "_say"].endswith("." if language == "en" else "\u3002")


def test_in_chinese_the_kind_is_told_and_the_stored_sentence_follows() -> None:
    shown = wording.line_of(failure("rate-limit")).plain.splitlines()
    assert len(shown) == 4
    assert (
        shown[1]
        == said(failure("rate-limit"))
        == catalogue("zh")["failure.rate_limit_say"].format(model="openai/lb")
    )
    assert (
        shown[2] == original(failure("rate-limit")) == 'It failed (the server: "no").'
    )


def test_in_english_the_stored_sentence_is_all() -> None:
    set_language("en")
    shown = wording.line_of(failure("rate-limit")).plain.splitlines()
    assert len(shown) == 3
    assert shown[1] == 'It failed (the server: "no").'
    assert original(failure("rate-limit")) == ""
    assert said(failure("rate-limit", "")) == catalogue("en")[
        "failure.rate_limit_say"
    ].format(model="openai/lb")


def test_a_kind_of_a_newer_version_keeps_its_sentence() -> None:
    newer = failure("solar-flare", "The sun {did} it.\x1b[2J")
    assert said(newer) == "The sun {did} it.[2J"
    assert original(newer) == ""


def test_nobody_named() -> None:
    assert (
        said(failure("connection", model="")).count(catalogue("zh")["remark.the_model"])
        == 1
    )
    assert catalogue("zh")["remark.the_retriever"] in said(
        Failure(role="retriever", kind="connection", message="x")
    )
    assert catalogue("zh")["model.human"] in said(failure("empty", model="human"))


@pytest.mark.parametrize(
    ("remark", "named"),
    [
        (
            ModelRemark(
                "judge", "remote-host", "All goes to h.example.", "m", "h.example"
            ),
            ["h.example"],
        ),
        (
            ModelRemark(
                "judge", "dropped", "m does not take seed.", "m/x", "seed, stop"
            ),
            ["m/x", "seed, stop"],
        ),
        (ModelRemark("judge", "again", "Once more."), []),
        (
            Waiting("judge", 2.0, 1, "rate-limit", "Too many.", "m/x"),
            ["m/x", catalogue("zh")["failure.rate_limit"]],
        ),
    ],
)
def test_what_passes_by(remark: ModelRemark | Waiting, named: list[str]) -> None:
    told = said(remark)
    assert told.endswith("\u3002")
    assert all(word in told for word in named)
    assert remark.message not in told
    set_language("en")
    assert said(remark) == remark.message


@pytest.mark.parametrize("language", LANGUAGES)
def test_undecided_is_said_once(language: str) -> None:
    set_language(language)
    event = DebateResult(answer=None, decided_by="undecided", rounds=3)
    shown = outcome(block(event, Session(make_header(), []))).plain
    assert shown.count(catalogue(language)["result.undecided"]) == 1


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "$0.1900 + unknown (negative)"),
        ("zh", "$0.1900 + \u672a\u77e5\uff08\u53cd\u65b9\uff09"),
    ],
)
def test_what_is_known_of_a_cost_stands_beside_whose_is_not(
    language: str, told: str
) -> None:
    set_language(language)
    spent = dict(
        wording.spent(
            Totals(input=1, output=1, cost_known=0.19, unpriced=("negative",))
        )
    )
    assert spent[catalogue(language)["side.cost"]] == told
    assert wording.cost_short(
        Totals(cost_known=2.5, unpriced=("negative",))
    ) == told.replace("0.1900", "2.50").replace(wording.role_name("negative"), "N")
    unknown = dict(wording.spent(Totals(input=1, output=1, unpriced=("negative",))))
    assert (
        unknown[catalogue(language)["side.cost"]] == catalogue(language)["side.unknown"]
    )
