"""Gates of pairs and rankings that version 0.1 called otherwise."""

from __future__ import annotations

import pytest
from verifytui.engines.figures.gates import current_name
from verifytui.engines.method import method

KAPPAS = ("material", "legal", "levels", "levels_linear", "levels_quadratic")
PAIRS = {
    "unscored": "scored",
    **{f"scores.{level}": f"score_{level}" for level in range(4)},
    **{
        f"{family}.{name}": f"{family}_{name.replace('levels', 'level')}"
        for family in ("kappa", "reliability", "validity")
        for name in KAPPAS
    },
    **{
        f"{prefix}raw_agreement.{name}": f"raw_agreement_{name.replace('levels', 'level')}"
        for prefix in ("", "agreement.")
        for name in ("material", "legal", "levels")
    },
}
QUALITY = ("correctness", "citation_accuracy", "truthfulness", "bias", "conciseness")
RANKINGS = {
    **{f"high_quality.{name}": f"high_quality_{name}" for name in QUALITY},
    **{f"consistent.{name}": f"consistent_{name}" for name in (*QUALITY, "revision")},
}


@pytest.mark.parametrize(
    ("name", "kind", "renamed"),
    [
        ("relevance", "pairs", PAIRS),
        ("grade", "pairs", PAIRS),
        ("rank", "questions", RANKINGS),
    ],
)
def test_every_old_name_has_a_new_one(
    name: str, kind: str, renamed: dict[str, str]
) -> None:
    measures = method(name).batches[kind].measures
    assert {old: current_name(old, measures) for old in renamed} == renamed
    assert current_name("kappa.beauty", measures) is None
