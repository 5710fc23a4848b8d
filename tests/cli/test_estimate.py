"""`--dry-run`: what it says to be an estimate, and what it says to be the most."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models.tokens import estimate
from verifytui.tests.support.commanding import (
    Done,
    annotating,
    answering,
    command,
    debating,
)
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

MOST = 60
"""Tokens that every model of these tests may say."""


@pytest.fixture(autouse=True)
def mine(home: Path, server: Loopback) -> None:
    """`mine` has a price, `openai/lb` has none."""
    home.mkdir(exist_ok=True)
    prices = {"input": 1000, "output": 3000}
    model = {
        "model": "openai/lb",
        "api_base": server.base_url,
        "api_key_env": "OPENAI_API_KEY",
        "prices": prices,
    }
    (home / "config.yaml").write_text(json.dumps({"models": {"mine": model}}))


def run(
    tmp_path: Path, what: list[str], lines: list[dict[str, Any]], *more: str
) -> Done:
    file = tmp_path / "lines.jsonl"
    file.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8"
    )
    return command(*what, file, "--into", tmp_path / "out", *more)


def dry(
    tmp_path: Path, what: list[str], lines: list[dict[str, Any]], *more: str
) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        run(tmp_path, what, lines, *more, "--dry-run", "--output", "json").stdout
    )
    return found


def limits(*roles: str) -> list[str]:
    return [part for role in roles for part in ("--param", f"{role}.max_tokens={MOST}")]


def long(good: Callable[[Body], Answer]) -> Callable[[Body], Answer]:
    """Every reply has as many tokens as the model may say; each that can be unread is
    so at first, and read when it is asked again.
    """
    junk = "word " * (MOST * 4 // 5)
    assert estimate(junk) == MOST

    def reply(body: Body) -> Answer:
        messages = body["messages"]
        assert body["max_tokens"] == MOST
        first = junk not in [
            one["content"] for one in messages[-2:] if one["role"] == "assistant"
        ]
        found = good({**body, "messages": messages[:-2]} if not first else body)
        text = junk if first or not found.text.startswith("{") else found.text
        return Answer(
            text, usage=(sum(estimate(one["content"]) + 8 for one in messages), MOST)
        )

    return reply


THEFT = (
    "On the night of the third the accused took a bicycle by stealth from a yard. " * 6
)
CASES = [
    {
        "id": f"p{n}",
        "query": {"id": "q", "text": THEFT},
        "candidate": {"id": f"c{n}", "text": f"{n} {THEFT}"},
        "without": ["matching"],
    }
    for n in range(2)
]
QUESTIONS = [
    {
        "id": f"q{n}",
        "question": f"When was it built, {n}?",
        "references": [THEFT, "It was built in 1873."],
    }
    for n in range(2)
]
ANSWERS = [{**one, "answer": "In 1873 [2]. It is tall."} for one in QUESTIONS]
TOPICS = [
    {"id": "a", "topic": "Is it so?"},
    {
        "id": "b",
        "topic": "他从后门搞到了不少名酒。",
        "debaters": 3,
        "stop": "forced",
        "rounds": 2,
        "opening": "seeded",
    },
    {
        "id": "c",
        "topic": "How far do they differ?",
        "disagreement": "stance",
        "model": {"observer": "mine"},
        "rounds": 2,
    },
]
BY_CLAIM = ["--revise", "start", "--verify", "--claims"]
DEBATING = ("affirmative", "negative", "judge")


def test_every_passage_counts(tmp_path: Path) -> None:
    line = [{"id": "a", "question": "When was it built?", "corpus": "example"}]
    few, many = (
        dry(
            tmp_path,
            ["ask", "--questions"],
            line,
            "--model",
            "mine",
            "--iterations",
            "0",
            "--k",
            k,
        )
        for k in ("1", "6")
    )
    assert many["usage"]["input"] - few["usage"]["input"] > few["calls"] * 5 * 150


@pytest.mark.parametrize(
    ("what", "lines", "more", "good"),
    [
        (["debate", "--topics"], TOPICS[:1], limits(*DEBATING), debating(decides=False)),
        (["debate", "--topics"], TOPICS[1:2], limits(*DEBATING, "debater3"), debating(decides=False)),
        (["debate", "--topics"], TOPICS[2:], limits(*DEBATING, "observer"), debating(decides=False)),
        (["ask", "--questions"], QUESTIONS, ["--iterations", "3", *limits("generator", "verifier")], answering(again=True)),
        (["ask", "--questions"], QUESTIONS, [*BY_CLAIM, *limits("generator", "verifier")], answering(again=True)),
        (["verify"], ANSWERS, limits("verifier"), answering()),
        (["relevance", "--pairs"], CASES, limits("extractor", "annotator"), annotating()),
        (["relevance", "--pairs"], CASES, ["--long", "pieces", "--case-tokens", "200", *limits("extractor", "annotator")], annotating()),
    ],
)  # fmt: skip
def test_a_batch_never_costs_more_than_at_most(
    what: list[str],
    lines: list[dict[str, Any]],
    more: list[str],
    good: Callable[[Body], Answer],
    server: Loopback,
    tmp_path: Path,
) -> None:
    model = ["--model", "verifier=mine"] if what == ["verify"] else ["--model", "mine"]
    most = dry(tmp_path, what, lines, *model, *more)["at_most"]
    assert most is not None
    server.answer = long(good)
    done = run(tmp_path, what, lines, *model, *more)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["calls"] == len(server.requests) <= most["calls"]
    assert report["usage"]["output"] == MOST * len(server.requests)
    assert report["usage"]["input"] <= most["usage"]["input"]
    assert 0 < report["cost"] <= most["cost"]


def test_what_is_no_bound_is_called_an_estimate(
    server: Loopback, tmp_path: Path
) -> None:
    """With max_tokens set for the judge alone a batch may cost more than the estimate:
    then no upper bound is printed.
    """
    more = ["--model", "mine", *limits("judge")]
    done = run(tmp_path, ["debate", "--topics"], TOPICS[:1], *more, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "Estimate for speeches of" in done.stdout
    assert "t most" not in done.stdout
    assert "max_tokens is not set for affirmative, negative" in done.stdout
    assert dry(tmp_path, ["debate", "--topics"], TOPICS[:1], *more)["at_most"] is None
    whole = run(
        tmp_path,
        ["debate", "--topics"],
        TOPICS[:1],
        "--model",
        "mine",
        *limits(*DEBATING),
        "--dry-run",
    )
    assert "At most $" in whole.stdout
    assert server.requests == []


@pytest.mark.parametrize(
    ("what", "lines", "more", "why"),
    [
        (
            ["ask", "--questions"],
            [{"id": "a", "question": "Why?"}],
            ["--corpus", "example"],
            "passages",
        ),
        (
            ["ask", "--questions"],
            QUESTIONS,
            ["--model", "generator=lexical"],
            "built-in generator",
        ),
    ],
)
def test_why_there_is_no_most(
    what: list[str],
    lines: list[dict[str, Any]],
    more: list[str],
    why: str,
    tmp_path: Path,
) -> None:
    found = dry(
        tmp_path,
        what,
        lines,
        "--model",
        "mine",
        *limits("generator", "verifier", "reviser"),
        *more,
    )
    assert found["at_most"] is None
    assert any(why in clause for clause in found["no_bound"])


def test_an_unknown_price_leaves_the_known_part(
    server: Loopback, tmp_path: Path
) -> None:
    more = ["--model", "mine", "--model", "negative=openai/lb", *limits(*DEBATING)]
    found = dry(tmp_path, ["debate", "--topics"], TOPICS[:1], *more)
    assert (found["cost"], found["unpriced"], found["unknown_prices"]) == (
        None,
        ["negative"],
        ["openai/lb"],
    )
    assert found["cost_known"] > 0
    assert (found["at_most"]["cost"], found["at_most"]["unpriced"]) == (
        None,
        ["negative"],
    )
    told = run(tmp_path, ["debate", "--topics"], TOPICS[:1], *more, "--dry-run").stdout
    assert " + unknown (negative)" in told
    server.answer = debating()
    done = run(tmp_path, ["debate", "--topics"], TOPICS[:1], *more)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    row = json.loads((tmp_path / "out" / "summary.jsonl").read_text())
    known = 2 * (11 * 1000 + 7 * 3000) / 1e6
    for one in (report, row):
        assert (one["cost"], one["cost_known"], one["unpriced"]) == (
            None,
            pytest.approx(known),
            ["negative"],
        )
    assert f"cost ${known:.4f} + unknown (negative)" in done.stdout
    assert f"${known:.2f} + unknown (negative)" in done.stderr, (
        "the progress says the same"
    )


def test_one_session_tells_what_is_known_of_its_cost(
    server: Loopback, tmp_path: Path
) -> None:
    done = command(
        "debate",
        "Is it so?",
        "--model",
        "mine",
        "--model",
        "negative=openai/lb",
        "--save",
        tmp_path / "one.yaml",
    )
    assert done.returncode == 0, done.stderr
    known = 2 * (11 * 1000 + 7 * 3000) / 1e6
    assert f"cost ${known:.4f} + unknown (negative)" in done.stderr
    assert (
        "+ unknown (negative)"
        in command("export", tmp_path / "one.yaml", "--to", "md").stdout
    )
