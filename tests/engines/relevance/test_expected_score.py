"""Repeats of a pair: the level stays that of the first one; their mean is the score of
the exported run, and breaks ties.
"""

from __future__ import annotations

import pytest
from verifytui.engines.relevance.outputs import as_run
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.relevance import Label, Score
from verifytui.sessions.session import Session
from verifytui.tests.support.cases import FLAT, begin
from verifytui.tests.support.telling import add


def judged(
    candidate: str, level: int | None, repeat: int, **settings: object
) -> Session:
    session = begin(candidates=[{"id": candidate, "text": FLAT}])
    session.header.settings = {**session.header.settings, "repeat": repeat, **settings}
    add(session, Score(candidate=candidate, value=level))
    return session


def scores(run: str) -> list[tuple[str, str]]:
    return [(line.split()[2], line.split()[4]) for line in run.splitlines()]


def test_the_mean_of_repeats_is_the_runs_score() -> None:
    told = {"a": (2, 1, 1), "b": (2, 3, 3), "c": (2, None, 2), "d": (None, None, None)}
    run, missing = as_run(
        [
            judged(id_, level, at)
            for id_, levels in told.items()
            for at, level in enumerate(levels)
        ]
    )
    assert scores(run) == [("b", "2.66666667"), ("c", "2"), ("a", "1.33333333")]
    assert missing == 1


def test_what_is_no_repeat_has_no_mean() -> None:
    for other in (judged("a", 1, 0), judged("a", 1, 1, extraction=False)):
        with pytest.raises(BadInput):
            as_run([judged("a", 2, 0), other])
    labelled = judged("a", 2, 1)
    add(labelled, Label(candidate="a", value=3, annotator="Lin"))
    with pytest.raises(BadInput):
        as_run([judged("a", 2, 0), labelled])
    assert scores(as_run([judged("a", 2, 0), labelled], "machine")[0]) == [("a", "2")]
