"""How much of what each method sends begins like something that was sent before, as
Markdown: no model is called.

Replies have an ordinary length and nobody has said them; the prompts are the real ones,
on ../shared/data. Says so and goes on where a set is not there. Requests that the cache
of replies would answer are not counted.

    python benchmarks/prefixes.py
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MANY = 20
SHORTEST = 1024
"""Tokens of the shortest beginning that OpenAI and most of Anthropic's models keep."""


class Sent(NamedTuple):
    session: int
    group: str
    """Sessions of one group are about one query."""
    text: str
    tokens: int


def rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (DATA / name).read_text("utf-8").splitlines()
        if line.strip()
    ]


def prompts(language: str, workspace: str) -> Any:
    from verifytui.prompts import load, with_templates

    found = load(language, workspace=workspace)
    return (
        with_templates(found, load(language, workspace="claims").templates)
        if workspace == "rag"
        else found
    )


def debates(**settings: Any) -> Iterator[tuple[str, Any]]:
    from verifytui.engines.debate.method import new_debate

    for row in rows("mad-ciar/ciar.jsonl")[:MANY]:
        yield (
            "",
            new_debate(
                topic=row["question"],
                lineup=seats("affirmative", "negative", "judge"),
                settings=settings,
                prompts=prompts("en", "debate"),
            ),
        )


def translations(strategy: str) -> Iterator[tuple[str, Any]]:
    from verifytui.engines.solo.method import new_solo

    for row in rows("mad-commonmt/lexical.jsonl")[:MANY]:
        about = {
            "topic": row["source"],
            "kind": "translation",
            "source_lang": "zh",
            "target_lang": "en",
        }
        yield (
            "",
            new_solo(
                **about,
                lineup=seats("solver"),
                settings={"strategy": strategy},
                prompts=prompts("en", "solo"),
            ),
        )


def alone(strategy: str) -> Iterator[tuple[str, Any]]:
    from verifytui.engines.solo.method import new_solo

    for row in rows("mad-ciar/ciar.jsonl")[:MANY]:
        yield (
            "",
            new_solo(
                topic=row["question"],
                lineup=seats("solver"),
                settings={"strategy": strategy},
                prompts=prompts("en", "solo"),
            ),
        )


def questions(language: str, **settings: Any) -> Iterator[tuple[str, Any]]:
    from verifytui.engines.rag.starting import new_question

    for row in rows(f"xquad/questions.{language}.jsonl")[: 7 * MANY : 7]:
        about: dict[str, Any] = {
            "question": row["question"],
            "corpus": language,
            "answers": row["answers"] if settings.get("claims") else None,
        }
        yield (
            "",
            new_question(
                **about,
                lineup=seats("generator"),
                settings=settings,
                prompts=prompts(language, "rag"),
            ),
        )


class Passages:
    """Stands for a corpus: each search finds five passages, two of them again."""

    name = "passages"

    def __init__(self, language: str) -> None:
        self._texts = [row["text"] for row in rows(f"xquad/passages.{language}.jsonl")]
        self._searches = 0

    async def retrieve(self, query: str, k: int, wanted: Any = None) -> Any:
        from verifytui.engines.retrieval.port import RetrievalResult
        from verifytui.sessions.events import Reference

        self._searches += 1
        places = [(3 * self._searches + n) % len(self._texts) for n in range(k)]
        return RetrievalResult(
            references=[
                Reference(n=n, id=f"{place}", text=self._texts[place])
                for n, place in enumerate(places, 1)
            ]
        )

    def lexicon(self) -> None:
        return None


def pairs() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    queries = {row["qid"]: row["fact"] for row in rows("lecard/queries.jsonl")}
    documents = {row["did"]: row["text"] for row in rows("lecard/docs.jsonl")}
    listed = sorted(rows("lecard/pairs_with_text.jsonl"), key=lambda pair: pair["qid"])
    for qid, group in groupby(listed, key=lambda pair: pair["qid"]):
        for pair in list(group)[:5]:
            yield (
                {"id": qid, "text": queries[qid]},
                {"id": pair["did"], "text": documents[pair["did"]]},
            )


def relevance(**settings: Any) -> Iterator[tuple[str, Any]]:
    from verifytui.engines.relevance.starting import new_relevance
    from verifytui.prompts.demonstrations import load

    shown = load("zh-criminal")
    for query, candidate in [*pairs()][:MANY]:
        given = {
            "query": query,
            "candidates": [candidate],
            "demonstrations": shown,
            "settings": settings,
        }
        yield (
            query["id"],
            new_relevance(
                **given, lineup=seats("extractor"), prompts=prompts("zh", "relevance")
            ),
        )


def grades() -> Iterator[tuple[str, Any]]:
    from verifytui.engines.grade.method import new_grade

    for query, candidate in [*pairs()][:MANY]:
        yield (
            query["id"],
            new_grade(
                query=query,
                candidates=[candidate],
                lineup=seats("grader"),
                prompts=prompts("zh", "grade"),
            ),
        )


def rankings() -> Iterator[tuple[str, Any]]:
    from verifytui.engines.rank.method import new_ranking

    for row in rows("ragchecker-human/pairs.jsonl")[:MANY]:
        answers = [
            {"name": name, "text": row[name]["response"]}
            for name in ("model1", "model2")
        ]
        yield (
            "",
            new_ranking(
                question=row["query"],
                answers=answers,
                accepted=[row["gt_answer"]],
                lineup=seats("ranker"),
                prompts=prompts("en", "rank"),
            ),
        )


def seats(*roles: str) -> Any:
    from verifytui.sessions.session import Seat

    return {role: Seat(model="openai/model") for role in roles}


async def sent(method: str, sessions: Iterator[tuple[str, Any]]) -> list[Sent]:
    """What the sessions send, one after another."""
    from verifytui.engines.batches.estimate import AverageReplies
    from verifytui.engines.method import method as find
    from verifytui.engines.models.port import ModelReply
    from verifytui.engines.models.tokens import estimate_messages
    from verifytui.engines.rag.engine import rag_engine
    from verifytui.sessions.events import Event, Usage
    from verifytui.sessions.session import Session

    stand_ins = next(iter(find(method).batches.values())).stand_ins
    made: list[Sent] = []
    held: dict[str, str] = {}
    places = (
        {language: Passages(language) for language in ("en", "zh")}
        if method == "rag"
        else {}
    )

    class Writing(AverageReplies):
        """Answers as in an estimate, and writes down what it was asked."""

        async def ask(self, role, task, messages, schema=None, readable=None):  # type: ignore[no-untyped-def, override]
            if task.cache and (key := json.dumps([messages, task.repeat])) in held:
                text = held[key]
                yield ModelReply(
                    text=text,
                    model="model",
                    usage=Usage(input=0, output=0),
                    cost=0.0,
                    finish="stop",
                )
                return
            text = "".join(
                f"\0{message['role']}\n{message['content']}" for message in messages
            )
            made.append(Sent(number, group, text, estimate_messages(messages)))
            said = stand_ins.ordinary(task, decides=False)
            if task.cache:
                held[json.dumps([messages, task.repeat])] = said
            yield ModelReply(
                text=said,
                model="model",
                usage=Usage(input=0, output=0),
                cost=0.0,
                finish="stop",
            )

    for number, (group, header) in enumerate(sessions):  # noqa: B007
        session = Session(header, [])
        engine = (
            rag_engine(partial(places.__getitem__, header.task["corpus"]))
            if method == "rag"
            else stand_ins.engine(session)
        )
        models = Writing(session, None)  # type: ignore[arg-type]
        while not engine.finished(session):
            async with aclosing(engine.advance(session, models)) as parts:
                async for part in parts:
                    if isinstance(part, Event):
                        part.number = len(session.events) + 1
                        session.events.append(part)
    return made


def common(call: Sent, earlier: Sequence[Sent]) -> int:
    """Tokens of the longest beginning that the call has in common with any of the
    earlier ones.
    """
    from verifytui.engines.models.tokens import estimate

    longest = max(
        (
            len(os.path.commonprefix([call.text, one.text]))  # noqa: RUF071 - texts
            for one in earlier
        ),
        default=0,
    )
    return min(call.tokens, estimate(call.text[:longest]))


def shares(calls: Sequence[Sent]) -> list[str]:
    def share(allowed: Callable[[Sent, Sent], bool], least: int = 0) -> str:
        found = [
            common(call, [one for one in calls[:at] if allowed(one, call)])
            for at, call in enumerate(calls)
        ]
        return f"{sum(tokens for tokens in found if tokens >= least) / whole:.1%}"

    whole = sum(call.tokens for call in calls)
    of_query = (
        share(lambda one, call: one.group == call.group and one.session != call.session)
        if calls[0].group
        else "–"
    )
    return [
        f"{len(calls) / len({call.session for call in calls}):.1f}",
        f"{whole / len(calls):,.0f}",
        share(lambda one, call: one.session == call.session),
        share(lambda one, call: one.session != call.session),
        of_query,
        share(lambda one, call: True),
        share(lambda one, call: True, SHORTEST),
    ]


RUNS: tuple[tuple[str, str, Callable[[], Iterator[tuple[str, Any]]]], ...] = (
    ("debate, two debaters, 3 rounds", "debate", debates),
    ("solo reflect", "solo", lambda: alone("reflect")),
    ("solo maps", "solo", lambda: translations("maps")),
    ("rag, English", "rag", lambda: questions("en")),
    ("rag, Chinese", "rag", lambda: questions("zh")),
    ("rag with claims", "rag", lambda: questions("en", claims=True)),
    ("relevance", "relevance", relevance),
    ("relevance without matching", "relevance", lambda: relevance(matching=False)),
    ("grade", "grade", grades),
    ("rank", "rank", rankings),
)


def main() -> None:
    head = [
        "method",
        "calls a session",
        "tokens a call",
        "(a) session",
        "(b) batch",
        "(c) one query",
        "any",
        f"any, from {SHORTEST:,} tokens",
    ]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for label, method, sessions in RUNS:
        try:
            print(
                "| "
                + " | ".join([label, *shares(asyncio.run(sent(method, sessions())))])
                + " |"
            )
        except FileNotFoundError as error:
            print(f"{label}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
