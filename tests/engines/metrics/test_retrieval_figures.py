"""What a search found against what it should find: equal to ir-measures where each
place holds one passage, and defined beyond.
"""

from __future__ import annotations

import random

import ir_measures
import pytest
from ir_measures import AP, RR, R, nDCG
from verifytui.engines.metrics.retrieval import (
    context_precision,
    ndcg,
    recall,
    reciprocal_rank,
)


@pytest.mark.parametrize(("length", "k"), [(1, 1), (3, 3), (10, 10), (2, 5), (1, 10)])
def test_figures_are_those_of_ir_measures(length: int, k: int) -> None:
    chance = random.Random(length)
    for _ in range(40):
        grades = [chance.choice([0, 1, 1, 2, 3]) for _ in range(chance.randint(1, 8))]
        if not any(grades):
            continue
        shown = chance.sample(range(12), length)  # those behind the grades are no gold
        labels = [
            ir_measures.Qrel("q", str(number), grade)
            for number, grade in enumerate(grades)
        ]
        run = [
            ir_measures.ScoredDoc("q", str(number), float(-place))
            for place, number in enumerate(shown)
        ]
        theirs = ir_measures.calc_aggregate([R @ k, RR, nDCG @ k, AP], labels, run)
        places = [[number] if number < len(grades) else [] for number in shown]
        wanted = sum(grade > 0 for grade in grades)
        assert recall(places, grades) == pytest.approx(theirs[R @ k])
        assert reciprocal_rank(places, grades) == pytest.approx(theirs[RR])
        assert ndcg(places, grades, k) == pytest.approx(theirs[nDCG @ k])
        assert context_precision(places, grades) * recall(
            places, grades
        ) * wanted == pytest.approx(theirs[AP] * wanted)


def test_context_precision_is_as_ragas_computes_it() -> None:
    """Of five contexts the third and the fourth are relevant: (1/3 + 2/4) / 2."""
    assert context_precision([[], [], [0], [1], []], [1, 1, 1]) == pytest.approx(
        (1 / 3 + 2 / 4) / 2
    )


def test_two_passages_of_one_gold_document_gain_once_and_are_both_precise() -> None:
    places, grades = [[0], [0], [1]], [1, 1]
    assert recall(places, grades) == 1
    assert context_precision(places, grades) == 1
    assert ndcg(places, grades) == pytest.approx(
        (1 + 0.5) / (1 + 1 / 1.584962500721156)
    )


def test_a_passage_of_two_gold_passages_counts_as_both_and_gains_the_better() -> None:
    assert recall([[0, 1]], [1, 3]) == 1
    assert ndcg([[0, 1]], [1, 3]) == 1.0


def test_gold_passages_that_are_one_passage_keep_nobody_from_the_best_figure() -> None:
    assert ndcg([[0, 1], [2]], [1, 1, 1], 5) == pytest.approx(1.0)
    assert ndcg([[0, 1], [0, 1]], [1, 1], 5) == pytest.approx(1.0)
    assert ndcg([[0, 1]], [1, 1, 1], 5) == pytest.approx(
        1 / (1 + 1 / 1.584962500721156)
    )


def test_nothing_found_is_zero_and_grade_zero_is_not_gold() -> None:
    for figure in (recall, reciprocal_rank, ndcg, context_precision):
        assert figure([], [1]) == 0
        assert figure([[0]], [0, 2]) == 0
