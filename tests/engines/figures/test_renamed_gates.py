"""Gates of version 0.1 are gates still, or are refused with the name they have now."""

from __future__ import annotations

from itertools import product

import pytest
from verifytui.engines.figures.gates import RUN_TOTALS, parse_gates
from verifytui.engines.method import method
from verifytui.sessions.errors import BadInput

TOPICS = {name: name for name in ("accuracy", "accuracy_decided", "traps")} | {
    "chrf": "chrf",
    "bleu": "bleu",
    "traps_decided": "traps",
    "undecided": "decided",
}
SIDES = (
    *("affirmative", "negative", "debater3", "debater4", "debater5", "debater6"),
    *("tie", "none"),
)
SCORES = (
    *("reference_correctness", "correctness", "citation_accuracy", "truthfulness"),
    *("bias", "conciseness"),
)
GOLD = ("recall", "mrr", "ndcg", "context_precision", "hit_rate")
KINDS = ("material", "legal", "levels")
KAPPAS = (*KINDS, "levels_linear", "levels_quadratic")


def family(old: str, new: str, names: tuple[str, ...]) -> dict[str, str]:
    """`old.NAME` that became `new_NAME`."""
    return {f"{old}.{name}": f"{new}_{name}".replace("-", "_") for name in names}


def of_levels(name: str, kinds: tuple[str, ...]) -> dict[str, str]:
    renamed = {kind: kind.replace("levels", "level") for kind in kinds}
    return {f"{name}.{kind}": f"{name}_{new}" for kind, new in renamed.items()}


DEBATE = {
    **TOPICS,
    "rounds": "rounds",
    "disagreement": "disagreement",
    "disagreement.answer": "disagreement",
    "disagreement.stance": "disagreement",
    **family("decided_by", "decided_by", ("discriminative", "extractive", "undecided")),
    **family("wins", "wins", SIDES),
    **family("side_by", "side_by", ("judge", "match", "none")),
    **family("swap", "swap", ("same_model", "same_side", "same_answer")),
}
SAME_IN_RAG = (
    *("accuracy", "accuracy_decided", "webglm", "exact_match", "f1", "contains"),
    *("contains_paper", "accuracy_first", "accuracy_last", "reference_accuracy_first"),
    *("reference_accuracy_last", *SCORES, "uncited", "unknown", "support"),
    *("empty_marks", *GOLD, "faithfulness", "contradicted", "citation_recall"),
    *("citation_precision", "context_recall", "nugget_recall", "nugget_recall_vital"),
    *("unquoted", "iterations"),
)
STOPPED = ("indicator", "limit", "repeated-query", "unread", "no-references", "single")
RAG = {
    **{name: name for name in SAME_IN_RAG},
    "verified.judgement": "judgement_accuracy",
    "verified.revision": "revision_accuracy",
    **{f"scores.{name}": name for name in SCORES},
    **{f"check.{name}": name for name in ("uncited", "unknown", "support")},
    "check.empty": "empty_marks",
    **{f"claims.{name}": name for name in ("faithfulness", "unquoted")},
    **{f"retrieval.{name}": name for name in GOLD},
    **{f"retrieval_first.{name}": f"{name}_first" for name in GOLD},
    "undecided": "decided",
    "empty": "decided",
    "no_references": "stopped_by_no_references",
    **family("length", "length", ("words", "characters")),
    **family("judgements", "judged", ("true", "false", "unclear", "unread")),
    **family("stopped_by", "stopped_by", STOPPED),
    # No rule of a decision looks at `citation_accuracy` and `conciseness`: these two
    # gates could never be measured.
    **family(
        "clauses",
        "clause",
        (*SCORES[:2], "truthfulness", "bias", "judgement", "revised_query"),
    ),
}
PAIRS = {
    "unscored": "scored",
    **family("scores", "score", ("0", "1", "2", "3")),
    **of_levels("kappa", KAPPAS),
    **of_levels("raw_agreement", KINDS),
    **of_levels("reliability", KAPPAS),
    **of_levels("validity", KAPPAS),
}
RANKED = {
    **family("high_quality", "high_quality", SCORES[1:]),
    **family("consistent", "consistent", (*SCORES[1:], "revision")),
}
OLD = {
    ("debate", "topics"): DEBATE,
    ("solo", "topics"): TOPICS,
    ("rag", "questions"): RAG,
    ("rag", "answers"): RAG,
    ("relevance", "pairs"): PAIRS,
    ("grade", "pairs"): PAIRS,
    ("rank", "questions"): RANKED,
}
CASES = [(*kind, old, new) for kind, names in OLD.items() for old, new in names.items()]


@pytest.mark.parametrize(("name", "kind", "old", "new"), CASES)
def test_a_gate_of_old_is_known_or_refused_with_its_name_of_now(
    name: str, kind: str, old: str, new: str
) -> None:
    measures = method(name).batches[kind].measures
    assert new in measures
    if old == new:
        assert parse_gates([f"{old}=1"], [], None, None, measures).bounds
        return
    with pytest.raises(BadInput) as refused:
        parse_gates([f"{old}=1"], [], None, None, measures)
    assert new in str(refused.value)
    assert old in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "total"), [*product(OLD, (*RUN_TOTALS, "unread"))], ids=str
)
def test_gates_on_the_run_stay(kind: tuple[str, str], total: str) -> None:
    measures = method(kind[0]).batches[kind[1]].measures
    assert parse_gates([], [f"{total}=1"], None, None, measures).bounds
