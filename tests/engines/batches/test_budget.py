"""What a budget lets begin, with the calls under way counted."""

from __future__ import annotations

import pytest
from verifytui.engines.batches.budget import Budget
from verifytui.sessions.session import Totals


def spent(tokens: int, usd: float = 0.0) -> Totals:
    return Totals(input=tokens, output=0, cost_known=usd, calls=1)


def begun(budget: Budget) -> int:
    """How many calls begin side by side."""
    return next(n for n in range(1000) if not budget.has_room(n))


@pytest.mark.parametrize(
    ("limit", "calls"), [(1, 0), (99, 0), (100, 1), (199, 1), (1000, 10)]
)
def test_before_the_first_reply_the_estimate_is_reserved(
    limit: int, calls: int
) -> None:
    budget = Budget(limit, None, likely_tokens=100)
    assert begun(budget) == calls
    assert budget.is_below_one_call == (calls == 0)
    in_dollars = Budget(None, limit / 100, likely_usd=1.0)
    assert begun(in_dollars) == calls


def test_calls_that_have_told_count_in_place_of_the_estimate() -> None:
    budget = Budget(1000, 1.0, likely_tokens=100, likely_usd=0.1)
    budget.add(spent(400, 0.1))
    assert begun(budget) == 1, "600 tokens are left, a call takes 400"
    budget.add(spent(400, 0.1))
    assert begun(budget) == 0
    assert not budget.is_below_one_call


def test_one_call_begins_alone_while_nobody_knows_what_it_takes() -> None:
    budget = Budget(50, None)
    assert begun(budget) == 1
    budget.add(spent(20))
    assert begun(budget) == 1
    budget.add(spent(30))
    assert begun(budget) == 0


def test_a_limit_that_is_met_exactly_in_dollars_is_used_up() -> None:
    budget = Budget(None, 0.3)
    for _ in range(2):
        budget.add(spent(1, 0.1))
    assert begun(budget) == 1, "0.1 + 0.1 + 0.1 is more than 0.3 in binary"
