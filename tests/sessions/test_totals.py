"""What calls have cost, summed in one way for events, sessions and batches."""

from __future__ import annotations

import pytest
from verifytui.sessions.events import Failure, Note, Usage
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.events.rag import Retrieval
from verifytui.sessions.export.about import spent
from verifytui.sessions.session import Totals


def total(*events: object) -> Totals:
    found = Totals()
    for event in events:
        one = Totals.of(event)  # type: ignore[arg-type]
        if one is not None:
            found.add(one)
    return found


PRICED = Speech(
    role="affirmative", round=1, usage=Usage(input=10, output=5), cost=0.19, seconds=1.0
)
UNPRICED = Speech(
    role="negative",
    round=1,
    usage=Usage(input=1, output=1, estimated=True),
    cost=None,
    attempts=2,
)


def test_what_is_known_of_a_cost_stays_known() -> None:
    found = total(
        PRICED,
        UNPRICED,
        UNPRICED,
        Failure(role="judge", kind="cut", message="", cost=None),
    )
    assert (found.cost, found.cost_known, found.unpriced) == (
        None,
        0.19,
        ("negative", "judge"),
    )
    assert (found.calls, found.seconds, found.estimated) == (1 + 2 + 2 + 1, 1.0, True)
    assert (
        found.cost_in_words(lambda dollars: f"${dollars}")
        == "$0.19 + unknown (negative, judge)"
    )


def test_a_cost_that_is_all_known_is_a_number() -> None:
    found = total(PRICED, PRICED, Note(text="dear"))
    assert found.cost == pytest.approx(0.38)
    assert (found.unpriced, found.calls) == ((), 2)
    assert total().cost_in_words(str) == "0.0"
    assert total(UNPRICED).cost_in_words(str) == "unknown (negative)"


def test_the_sum_of_sums_is_the_sum() -> None:
    parts = Totals()
    parts.add(total(PRICED))
    parts.add(total(UNPRICED, PRICED))
    assert parts == total(PRICED, UNPRICED, PRICED)


def test_a_search_without_a_model_is_no_call() -> None:
    assert Totals.of(Retrieval(iteration=1, query="x")) is None
    asked = total(Retrieval(iteration=1, query="x", usage=Usage(input=3, output=0)))
    assert (asked.calls, asked.unpriced, asked.input) == (1, ("retriever",), 3)


def test_names_of_roles_cannot_steer_a_terminal() -> None:
    hostile = Speech(role="\x1b[2Jjudge", round=1)
    assert "\x1b" not in total(hostile).cost_in_words(str)


def test_documents_say_what_caches_had_only_where_a_provider_says_so() -> None:
    def told(**known: float) -> str:
        usage = Usage(input=100, output=1, **known)  # type: ignore[arg-type]
        return spent(
            total(
                Failure(
                    role="judge",
                    kind="cut",
                    message="",
                    usage=usage,
                    cost=0.5,
                    seconds=1.0,
                )
            )
        )

    plain = "1 calls, 100 tokens in, 1 out, cost $0.5000, 1.0 s"
    assert told() == plain
    assert told(cached_input=40) == f"{plain}, input 40% cached"
    assert (
        told(cached_input=40, saved=0.25)
        == f"{plain}, input 40% cached, this saved $0.2500"
    )
