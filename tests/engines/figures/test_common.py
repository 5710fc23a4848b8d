"""What all methods have in common to be measured."""

from __future__ import annotations

import pytest
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.measure import Item
from verifytui.engines.figures.runs import StatedAnswer
from verifytui.engines.models.port import ModelReply
from verifytui.engines.models.replies import made_by
from verifytui.sessions.events import CachedTime, Usage
from verifytui.sessions.events.solo import Attempt
from verifytui.sessions.session import Header, Prompts, Session

ASKED = ModelReply(
    text="4", model="m", usage=Usage(input=10, output=2), cost=0.5, seconds=1.0
)
HELD = ModelReply(
    text="4", model="m", usage=Usage(input=0, output=0), cost=0.0, attempts=0, cached=True,
    took=CachedTime(input=100, output=20, cost=2.0, seconds=3.0, calls=1),
)  # fmt: skip
HELD_LONG_AGO = ModelReply(
    text="4",
    model="m",
    usage=Usage(input=0, output=0),
    cost=0.0,
    attempts=0,
    cached=True,
)


@pytest.mark.parametrize(
    ("replies", "took"),
    [
        ([[ASKED], [HELD]], (132, 2.5, 4.0, 2)),
        ([[HELD, ASKED]], (132, 2.5, 4.0, 2)),
        ([[HELD]], (120, 2.0, 3.0, 1)),
        ([[ASKED], [HELD_LONG_AGO]], (None, None, None, None)),
    ],
)
def test_a_reply_from_the_cache_takes_what_it_took_when_it_was_asked_for(
    replies: list[list[ModelReply]], took: tuple[float | None, ...]
) -> None:
    prompts = Prompts(set="en", hash="", templates={})
    header = Header(
        id="s",
        workspace="debate",
        created="",
        title="s",
        task={},
        lineup={},
        settings={},
        prompts=prompts,
    )
    attempts = [Attempt(**made_by("solver", each)) for each in replies]
    session = Session(header, [*attempts, StatedAnswer(number=9, answer="4")])
    known = measures()
    found = [
        [one.value for one in known[name].of(session, Item("s", "s", ""))]
        for name in ("tokens", "cost", "seconds", "calls")
    ]
    assert [one for (one,) in found] == list(took)


def test_what_providers_had_in_their_caches_is_measured_where_one_says_so() -> None:
    def found(
        name: str, *usages: Usage
    ) -> list[tuple[float | None, tuple[float, ...]]]:
        replies = [
            ModelReply(text="4", model="m", usage=usage, cost=0.5) for usage in usages
        ]
        prompts = Prompts(set="en", hash="", templates={})
        header = Header(
            id="s",
            workspace="debate",
            created="",
            title="s",
            task={},
            lineup={},
            settings={},
            prompts=prompts,
        )
        session = Session(
            header, [Attempt(**made_by("solver", [reply])) for reply in replies]
        )
        return [
            (one.value, one.counts)
            for one in measures()[name].of(session, Item("s", "s", ""))
        ]

    known, silent = (
        Usage(input=100, output=1, cached_input=60, saved=0.25),
        Usage(input=900, output=1),
    )
    unpriced = Usage(input=100, output=1, cached_input=20)
    assert found("cached", known, silent, unpriced) == [(0.4, (80, 200))]
    assert found("saved", known, silent) == [(0.25, ())]
    assert found("saved", known, unpriced) == [(None, ())]
    assert found("cached", silent) == found("saved", silent) == []
