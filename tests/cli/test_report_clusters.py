"""Figures of a batch whose lines share a topic, a question or a query: their intervals are over these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.batches.lines import Line
from verifytui.engines.batches.report import Row, clustered, clustered_means, share
from verifytui.engines.batches.topics import Topic, read_topics
from verifytui.engines.cases.importers.cases import Case
from verifytui.engines.cases.importers.pairs import Pair
from verifytui.engines.debate import report as report_debate
from verifytui.engines.metrics.shares import clustered_share
from verifytui.engines.relevance import report as report_relevance
from verifytui.engines.relevance.pairs import PairLine
from verifytui.engines.relevance.report import Facts
from verifytui.engines.starting import wishes
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.debate import DebateResult


def topics(tmp_path: Path, *lines: str) -> list[Topic]:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return read_topics(path, wishes("debate"))


def test_lines_about_one_topic_are_a_cluster_and_a_line_can_name_its_own(
    tmp_path: Path,
) -> None:
    found = topics(
        tmp_path,
        '{"id": "a", "topic": "Is it  so?"}',
        '{"id": "b", "topic": "Is it so?", "level": 3}',
        '{"id": "c", "topic": "他从后门进来。", "cluster": "后门"}',
        '{"id": "d", "topic": "他走后门进厂。", "cluster": "后门"}',
        '{"id": "e", "topic": "And this?", "cluster": 7}',
    )
    assert [one.cluster for one in found] == [
        "Is it so?",
        "Is it so?",
        "后门",
        "后门",
        "7",
    ]
    with pytest.raises(BadInput, match="cluster"):
        topics(tmp_path, '{"id": "a", "topic": "x", "cluster": ["y"]}')


def test_lines_of_their_own_have_the_interval_of_independent_items() -> None:
    told = [(Line(str(n), (), ""), n > 2) for n in range(8)]
    assert clustered(told) == share(5, 8)
    assert clustered([]) is None


def test_repeats_of_a_topic_do_not_narrow_the_interval_of_accuracy_or_of_a_side(
    tmp_path: Path,
) -> None:
    lines = [
        f'{{"id": "{n}-{repeat}", "topic": "Topic {n}", "answers": ["yes"]}}'
        for n in range(10)
        for repeat in range(6)
    ]
    rows = [Row(line) for line in topics(tmp_path, *lines)]
    for n, row in enumerate(rows):
        right = n // 6 < 7
        row.status, row.result = (
            "done",
            result("yes" if right else "no", "negative" if right else "affirmative"),
        )
    found = report_debate.report(rows)
    wanted = clustered_share((str(n // 6), n // 6 < 7) for n in range(60))
    assert wanted is not None
    for part in (found["accuracy"], found["side_shares"]["negative"]):
        assert (part["low"], part["high"], part["clusters"]) == pytest.approx(
            (wanted.low, wanted.high, 10)
        )
        independent: Any = share(42, 60)
        assert part["high"] - part["low"] > 2 * (
            independent["high"] - independent["low"]
        )
    assert "over 10 clusters" in report_debate.in_words(found)


def result(answer: str, side: str) -> DebateResult:
    return DebateResult(
        answer=answer,
        decided_by="discriminative",
        supported_side=side,
        side_by="judge",
        rounds=1,
    )


def test_a_mean_over_lines_that_share_a_cluster_is_wider() -> None:
    lines = [Line(str(n), (), "", named_cluster=str(n // 5)) for n in range(20)]
    values = [n // 5 / 4 for n in range(20)]
    found: Any = clustered_means(list(zip(lines, values, strict=True)), 0, 1)
    alone: Any = clustered_means(
        [(Line(str(n), (), ""), value) for n, value in enumerate(values)], 0, 1
    )
    assert found["clusters"] == 4
    assert (
        found["value"],
        found["high"] - found["low"] > 2 * (alone["high"] - alone["low"]),
    ) == (alone["value"], True)
    one: Any = clustered_means(
        [(Line(str(n), (), "", named_cluster="x"), 0.5) for n in range(3)], 0, 1
    )
    assert (one["low"], one["high"]) == (None, None)


def test_repeats_of_pairs_are_pooled_and_their_intervals_are_over_queries() -> None:
    rows = []
    for repeat in range(3):
        for n in range(40):
            query, level = n % 8, (n + repeat * (n % 8 < 3)) % 4
            pair = Pair(Case(str(query), "q", ""), Case(str(n), "c", ""), n % 4)
            row = Row(
                PairLine(f"{n}.r{repeat}", (), "", str(n), pair, None, None, repeat),
                status="done",
            )  # type: ignore[arg-type]
            row.facts = Facts(level, 2, 0, 2)
            rows.append(row)
    found = report_relevance.report(rows)
    assert found["agreement"]["queries"] == 8
    (run,) = found["runs"]
    part = run["reliability"]
    assert (part["pairs"], part["comparisons"], part["levels"]["of"]) == (40, 3, 3)
    assert part["levels"]["low"] < part["levels"]["value"] < part["levels"]["high"]
    assert sum(map(sum, part["confusion"]["levels"])) == 120
    text = report_relevance.in_words(found)
    assert "mean kappa" not in text
    assert text.index("Levels: machine (down), gold (across)") < text.index(
        "quadratic weights"
    )
    assert "material bit set, by repeat: 50.0%, " in text
