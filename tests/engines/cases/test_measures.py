"""What is counted of pairs of cases: levels and bits against those of the data, and kappa of a whole run."""

from __future__ import annotations

import pytest
from sklearn.metrics import cohen_kappa_score
from verifytui.engines.cases.measures import MEASURES
from verifytui.engines.measures.measure import Item
from verifytui.engines.studies.figures import whole
from verifytui.sessions.events import Failure
from verifytui.sessions.events.relevance import RelevanceResult
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Session

GOLD = [3, 3, 2, 1, 0, 0, 2, 3]
JUDGED = [3, 2, 2, 0, 0, 1, 2, 3]
TIME = "2026-11-22T00:00:00.000Z"


def judged(level: int | None) -> Session:
    header = new_header(
        workspace="relevance",
        title="x",
        task={},
        lineup={},
        settings={},
        prompts=Prompts(set="zh", hash="", templates={}),
    )
    return Session(
        header, [RelevanceResult(number=1, time=TIME, ranking=["1"], scores=[level])]
    )


def item(gold: int | None) -> Item:
    return Item("a", "a", "", {"candidates": [{"id": "1", "text": "x", "gold": gold}]})


def figure(name: str, judgements: list[int | None]) -> object:
    measure = MEASURES[name]
    told = [
        ("q", one)
        for gold, level in zip(GOLD, judgements, strict=True)
        for one in measure.of(judged(level), item(gold))
    ]
    return whole(measure, told)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("level", lambda n: n),
        ("material", lambda n: n % 2),
        ("legal", lambda n: n // 2),
    ],
)
def test_kappa_of_a_run_is_that_of_its_table(name: str, part: object) -> None:
    one, other = ([part(level) for level in levels] for levels in (GOLD, JUDGED))
    found = figure(f"kappa_{name}", list(JUDGED))
    assert (found.value, found.n) == (pytest.approx(cohen_kappa_score(one, other)), 8)


def test_what_is_not_read_is_counted_and_left_out_and_no_variation_is_undefined() -> (
    None
):
    found = figure("kappa_level", [*JUDGED[:7], None])
    assert (found.n, dict(found.missing)) == (7, {"unread": 1})
    assert (
        whole(
            MEASURES["kappa_level"],
            [("q", one) for one in MEASURES["kappa_level"].of(judged(2), item(2))],
        ).value
        is None
    )
    assert list(MEASURES["kappa_level"].of(judged(2), item(None))) == []
    failed = Session(
        judged(2).header,
        [
            Failure(
                number=1, time=TIME, role="annotator", kind="timeout", message="late"
            )
        ],
    )
    assert [
        (one.value, one.state) for one in MEASURES["kappa_level"].of(failed, item(2))
    ] == [(None, "failed")]
