"""What a dry run says that so many items can show."""

from __future__ import annotations

import pytest
from verifytui.engines.figures.planning import detectable


def test_a_plan_says_what_it_shows_and_what_its_margin_needs() -> None:
    found = detectable([str(n) for n in range(60)], 0.02)
    assert found.difference == pytest.approx(0.162, abs=0.002)
    assert found.items is not None
    first, second = found.in_words().splitlines()
    assert "60 items can show is about 16.2%" in first
    assert f"needs about {found.items:,} items" in second
    assert detectable([str(n) for n in range(60)], 0.2).in_words().endswith("20.0%.")


def test_clusters_and_tests_cost_items_and_repeats_are_worth_some() -> None:
    alone = detectable([str(n) for n in range(100)], 0.02)
    clustered = detectable([str(n // 5) for n in range(100)], 0.02)
    tested = detectable([str(n) for n in range(100)], 0.02, tests=10)
    repeated = detectable([str(n) for n in range(100)], 0.1, repeats=3)
    assert alone.difference is not None
    for wider in (clustered, tested):
        assert wider.difference is not None
        assert wider.difference > alone.difference
    assert repeated.difference is not None
    assert repeated.difference < alone.difference
    assert repeated.repeats is not None
    assert "(20 clusters)" in clustered.in_words()


def test_too_few_items_show_nothing() -> None:
    for items in (0, 3):
        found = detectable([str(n) for n in range(items)], 0.02)
        assert found.difference is None
        assert "too few" in found.in_words()
        assert found.as_json()["difference"] is None


def test_a_mean_has_another_assumption() -> None:
    found = detectable([str(n) for n in range(100)], 0.02, share=False)
    assert "standard deviation of the differences is 30%" in found.in_words()
