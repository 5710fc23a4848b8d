"""Figures of a batch whose lines share a topic, a question or a query: their intervals
are over these.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.batches.report import report_of
from verifytui.engines.batches.topics import TopicLine, read_topics
from verifytui.engines.debate.batch import DebateBatch
from verifytui.engines.metrics.intervals import clustered_share
from verifytui.engines.starting import wishes
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.debate import DebateResult
from verifytui.tests.support.batch_rows import debated


def topics(tmp_path: Path, *lines: str) -> list[TopicLine]:
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


def test_repeats_of_a_topic_do_not_narrow_the_interval_of_accuracy_or_of_a_side(
    tmp_path: Path,
) -> None:
    lines = [
        f'{{"id": "{n}-{repeat}", "topic": "Topic {n}", "answers": ["yes"]}}'
        for n in range(10)
        for repeat in range(6)
    ]
    rows = [
        debated(line, result("yes", "negative"))
        if n // 6 < 7
        else debated(line, result("no", "affirmative"))
        for n, line in enumerate(topics(tmp_path, *lines))
    ]
    report = report_of(rows, DebateBatch(), {})
    wanted = clustered_share((str(n // 6), n // 6 < 7) for n in range(60))
    alone = clustered_share((str(n), n // 6 < 7) for n in range(60))
    assert wanted is not None
    assert alone is not None
    for name in ("accuracy", "wins_negative"):
        figure = report.figures[name]
        assert (figure.low, figure.high) == (wanted.low, wanted.high)
        assert (figure.clusters, figure.count, figure.n) == (10, 42, 60)
    assert wanted.high - wanted.low > 2 * (alone.high - alone.low)


def result(answer: str, side: str) -> DebateResult:
    return DebateResult(
        answer=answer,
        decided_by="discriminative",
        supported_side=side,
        side_by="judge",
        rounds=1,
    )
