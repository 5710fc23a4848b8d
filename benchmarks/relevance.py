"""Relevance without a language model: `lexical` on labelled cases, matching by charge,
and ten thousand pairs in one process.

Reads ../shared/data (LeCaRD and LawBench); says so and ends where that is not there.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import itertools
import json
import os
import random
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

KINDS = ("material", "legal")
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (DATA / name).read_text("utf-8").splitlines()
        if line.strip()
    ]


def header(
    query: dict[str, Any],
    candidates: Sequence[dict[str, Any]],
    settings: dict[str, Any] | None = None,
) -> Any:
    from verifytui.engines.relevance.starting import new_relevance
    from verifytui.prompts import load
    from verifytui.prompts.demonstrations import load as demonstrations

    one = new_relevance(
        query=query,
        candidates=candidates,
        demonstrations=demonstrations("zh-criminal"),
        prompts=load("zh", workspace="relevance"),
        settings=settings,
    )
    return one


async def played(engine: Any, lexical: Any, made: Any, file: Path | None) -> Any:
    """A query with its candidates from beginning to end; the session."""
    from verifytui.engines.models.config import Config
    from verifytui.engines.models.desk import Desk
    from verifytui.engines.step import step
    from verifytui.sessions.events import Failure
    from verifytui.sessions.journal import Journal

    with Journal.create(file, made) as journal:
        desk = Desk(
            lambda: journal.session,
            Config(),
            builtins={"lexical": lexical},
            stream=False,
        )
        while not engine.finished(journal.session):
            async for part in step(journal, engine, desk):
                if isinstance(part, Failure):
                    raise SystemExit(part.message)
        return journal.session


def scores(session: Any) -> dict[str, int | None]:
    from verifytui.engines.relevance.plan import RelevanceState

    return {
        name: one.score.value
        for name, one in RelevanceState(session).candidates.items()
        if one.score is not None
    }


async def labelled() -> None:
    """Part a: scores of `lexical` against LeCaRD's labels, and of the pool that nobody
    has labelled.
    """
    from verifytui.engines.relevance.engine import RelevanceEngine
    from verifytui.engines.relevance.lexical.model import LexicalAnnotator

    queries = {row["qid"]: row["fact"] for row in rows("lecard/queries.jsonl")}
    documents = {row["did"]: row["text"] for row in rows("lecard/docs.jsonl")}
    pairs = rows("lecard/pairs_with_text.jsonl")
    engine, lexical = RelevanceEngine(), LexicalAnnotator()
    given: list[tuple[int | None, int | None]] = []
    for qid, group in itertools.groupby(
        sorted(pairs, key=lambda pair: pair["qid"]), key=lambda pair: pair["qid"]
    ):
        own = list(group)
        cases = [{"id": pair["did"], "text": documents[pair["did"]]} for pair in own]
        made = scores(
            await played(
                engine, lexical, header({"id": qid, "text": queries[qid]}, cases), None
            )
        )
        given += [(pair["label"], made[pair["did"]]) for pair in own]
    graded = [(label, score) for label, score in given if label is not None]
    pool = Counter(score for label, score in given if label is None)
    print(
        f"LeCaRD: {len(graded)} labelled pairs, {sum(pool.values())} pairs of the "
        f"pool without a label"
    )
    print("  label -> scores 0 1 2 3")
    for label in range(4):
        counts = Counter(score for known, score in graded if known == label)
        print(f"  {label}     -> {[counts[score] for score in range(4)]}")
    total = sum(pool.values())
    print(
        f"  pool  -> {[pool[score] for score in range(4)]}, shares "
        f"{[round(pool[score] / total, 3) for score in range(4)]}"
    )
    for name, of in (
        (
            "levels, agreement",
            lambda table: statistics.mean(label == score for label, score in table),
        ),
        (
            "levels, quadratic kappa",
            lambda table: kappa(table, lambda one, other: (one - other) ** 2),
        ),
        (
            "material bit, kappa",
            lambda table: kappa(
                [(one % 2, other % 2) for one, other in table],
                lambda one, other: float(one != other),
            ),
        ),
        (
            "legal bit, kappa",
            lambda table: kappa(
                [(one // 2, other // 2) for one, other in table],
                lambda one, other: float(one != other),
            ),
        ),
    ):
        low, high = interval(graded, of)
        print(f"  {name}: {of(graded):.2f} [{low:.2f}, {high:.2f}]")


def kappa(table: Sequence[tuple[int, int]], weight: Any) -> float:
    """Cohen's kappa by its definition; nan without variation."""
    expected = statistics.mean(
        weight(one, other) for one, _ in table for _, other in table
    )
    return (
        1 - statistics.mean(weight(one, other) for one, other in table) / expected
        if expected
        else float("nan")
    )


def interval(table: Sequence[Any], of: Any, draws: int = 2000) -> tuple[float, float]:
    """95 % percentile bootstrap over pairs, seeded."""
    drawing = random.Random(0)
    found = sorted(
        value
        for _ in range(draws)
        if (value := of(drawing.choices(table, k=len(table)))) == value
    )
    return found[int(0.025 * len(found))], found[int(0.975 * len(found)) - 1]


def demonstrated() -> None:
    """The bundled demonstrations, from the experts' facts and from its own.

    The rarity of words is counted on these same cases.
    """
    from verifytui.engines.relevance.lexical.model import (
        LEGAL,
        MATERIAL,
        LexicalAnnotator,
        legal,
        material,
    )
    from verifytui.engines.relevance.messages import JudgeFactsTask
    from verifytui.prompts.demonstrations import load

    lexical = LexicalAnnotator()

    def facts(case: Any, own: bool) -> tuple[list[str], list[str]]:
        found = (
            material("zh", case.text) if own else [fact.fact for fact in case.material]
        )
        return found, legal("zh", found) if own else [fact.fact for fact in case.legal]

    for own in (False, True):
        found: dict[str, list[tuple[bool, float]]] = {"material": [], "legal": []}
        for group in load("zh-criminal").groups:
            mine, my_legal = facts(group.query, own)
            for one in group.candidates:
                theirs, their_legal = facts(one, own)
                common = {"language": "zh"}
                found["material"].append(
                    (
                        one.level in (1, 3),
                        lexical.score(
                            JudgeFactsTask(
                                kind="material", query=mine, candidate=theirs, **common
                            )
                        ),
                    )
                )
                task = JudgeFactsTask(
                    kind="legal",
                    query=my_legal,
                    candidate=their_legal,
                    query_material=mine,
                    candidate_material=theirs,
                    **common,
                )
                found["legal"].append((one.level in (2, 3), lexical.score(task)))
        for kind, bound in (("material", MATERIAL), ("legal", LEGAL)):
            low, high = interval(found[kind], auc, 500)
            hits = statistics.mean(
                (score >= bound) is bit for bit, score in found[kind]
            )
            whose = "its own" if own else "the experts'"
            print(
                f"Demonstrations, {whose} facts, {kind}: area "
                f"{auc(found[kind]):.3f} [{low:.3f}, {high:.3f}], right {hits:.3f}"
            )


def auc(scored: Sequence[tuple[bool, float]]) -> float:
    """The chance that a relevant pair scores above one that is not, ties half."""
    right, wrong = (
        [score for bit, score in scored if bit],
        sorted(score for bit, score in scored if not bit),
    )
    above = sum(
        bisect.bisect_left(wrong, one) + bisect.bisect_right(wrong, one)
        for one in right
    )
    return above / 2 / len(right) / len(wrong) if right and wrong else float("nan")


def charges(names: str) -> set[str]:
    """Charges as LawBench or a demonstration writes them, in comparable words: `A;B`,
    joined charges taken apart.
    """
    return {
        part.removesuffix("\u7f6a")
        for name in re.split("[;\uff1b]", names)
        for part in [name.strip()]
        if part
    }


def agree(one: set[str], other: set[str]) -> bool:
    """Whether a charge is the same, or one of several joined in the other's name (`A,
    B` for B).
    """
    return any(
        mine == theirs or mine in split(theirs) or theirs in split(mine)
        for mine in one
        for theirs in other
    )


def split(charge: str) -> set[str]:
    return set(re.split("[\u3001\uff0c,]", charge))


def matched() -> None:
    """Part b: how often the demonstrations matched to a case are of a group of its
    charge; a group's charge is its query's.

    The peer is rank-bm25 as it comes: whole texts, every word as often as it stands.
    """
    from rank_bm25 import BM25Plus
    from verifytui.engines.relevance.matching import DemonstrationPool
    from verifytui.engines.relevance.settings import SETTINGS
    from verifytui.engines.retrieval.tokeniser import Tokeniser
    from verifytui.prompts.demonstrations import load

    made = load("zh-criminal")
    pool, words = DemonstrationPool(made), Tokeniser("jieba")
    of = {group.id: charges(group.query.charge) for group in made.groups}
    cases = [
        (row["fact"], charges(row["answer"].partition(":")[2]))
        for row in rows("lawbench-charges/charges.jsonl")
    ]
    covered = [
        (fact, own) for fact, own in cases if agree(own, set().union(*of.values()))
    ]
    unnamed = [
        (fact, own)
        for fact, own in covered
        if not any(part in fact for name in own for part in split(name))
    ]
    settings = {**SETTINGS.defaults(), "shots": 2}
    ids = list(pool.cases)
    plain = BM25Plus([words.cut(case.text) for case in pool.cases.values()])

    def ours(fact: str) -> list[str]:
        return [
            item.id
            for item in pool.match("facts-material", fact, [fact], settings.__getitem__)
        ]

    def theirs(fact: str) -> list[str]:
        scores = plain.get_scores(words.cut(fact))
        return [
            ids[at] for at in sorted(range(len(ids)), key=lambda at: -scores[at])[:2]
        ]

    print(
        f"LawBench: {len(cases)} cases, {len(covered)} with a charge of a group, "
        f"{len(unnamed)} of them without the charge's name"
    )
    for about, listed in (("all", covered), ("unnamed", unnamed)):
        hits = {
            name: [
                [agree(own, of[id_.rpartition("/")[0]]) for id_ in find(fact)]
                for fact, own in listed
            ]
            for name, find in (("ours", ours), ("rank-bm25", theirs))
        }
        for name, found in hits.items():
            for which, values in (
                ("top 1", [one[0] for one in found]),
                ("either of 2", [any(one) for one in found]),
            ):
                low, high = interval(values, statistics.mean)
                print(
                    f"  {about}, {name}: {which} {statistics.mean(values):.3f} "
                    f"[{low:.3f}, {high:.3f}]"
                )
        for which, fold in (("top 1", lambda one: one[0]), ("either of 2", any)):
            print(
                f"  {about}: ratio {which} "
                f"{sum(map(fold, hits['ours'])) / sum(map(fold, hits['rank-bm25'])):.2f}"
            )
    judged = [
        (row["fact"], {name.removesuffix("\u7f6a") for name in row["crime"]})
        for row in rows("lecard/queries.jsonl")
    ]
    asked = [
        (fact, own) for fact, own in judged if agree(own, set().union(*of.values()))
    ]
    for name, listed in (("LawBench", covered), ("LeCaRD's queries", asked)):
        by_stage(name, listed, pool, of)


def by_stage(
    name: str, cases: Sequence[tuple[str, set[str]]], pool: Any, of: dict[str, set[str]]
) -> None:
    """In each stage, how often what is shown is of a group of the case's charge. The
    case stands on both sides of a pair.
    """
    from verifytui.engines.relevance.settings import SETTINGS

    settings = {**SETTINGS.defaults(), "shots": 2}
    stages = [f"{step}-{kind}" for step in ("facts", "judgement") for kind in KINDS]
    for stage in stages:
        shown = [
            [
                agree(own, of[item.id.rpartition("/")[0]])
                for item in pool.match(stage, fact, [fact], settings.__getitem__)
            ]
            for fact, own in cases
        ]
        told = (
            {"top 1": [one[0] for one in shown], "either of 2": list(map(any, shown))}
            if stage.startswith("facts")
            else {"relevant": [one[0] for one in shown]}
            | {"irrelevant": [one[-1] for one in shown]}
        )
        for which, values in told.items():
            low, high = interval(values, statistics.mean)
            print(
                f"  {name} ({len(cases)}), {stage}: {which} "
                f"{statistics.mean(values):.3f} [{low:.3f}, {high:.3f}]"
            )


def memory() -> float:
    """Resident MB of this process now."""
    return (
        int(Path("/proc/self/statm").read_text().split()[1])
        * os.sysconf("SC_PAGE_SIZE")
        / 1e6
    )


def endless() -> Iterator[tuple[str, str]]:
    """Pairs of a query and a document, each document a text of its own: cut off at the
    front by a few more signs every time round.
    """
    queries = [row["fact"] for row in rows("lecard/queries.jsonl")]
    documents = [row["text"] for row in rows("lecard/docs.jsonl")]
    for number in itertools.count():
        yield (
            queries[number % len(queries)],
            documents[number % len(documents)][number // len(documents) :],
        )


async def many(count: int, *, disk: bool) -> None:
    """Part c: pairs one after another, each a session of its own."""
    from verifytui.engines.relevance.engine import RelevanceEngine
    from verifytui.engines.relevance.lexical.model import LexicalAnnotator

    engine, lexical = RelevanceEngine(), LexicalAnnotator()
    with tempfile.TemporaryDirectory() as folder:
        began = cpu = 0.0
        for number, (query, candidate) in enumerate(
            itertools.islice(endless(), count + 50)
        ):
            if number == 50:  # all that is loaded once is loaded
                began, cpu = time.perf_counter(), time.process_time()
                print(f"  after {number} pairs {memory():.0f} MB")
            made = header({"id": "q", "text": query}, [{"id": "c", "text": candidate}])
            await played(
                engine, lexical, made, Path(folder) / f"{number}.yaml" if disk else None
            )
            if number > 50 and (number - 50) % (count // 5) == 0:
                print(f"  after {number} pairs {memory():.0f} MB")
        seconds, spent = time.perf_counter() - began, time.process_time() - cpu
        print(
            f"  {count} pairs {'with' if disk else 'without'} session files: "
            f"{count / seconds:.0f} a second, "
            f"{spent / count * 1e3:.1f} ms CPU each"
        )
        print(f"  at the end {memory():.0f} MB; load {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", choices=["labelled", "demonstrated", "matched", "many"]
    )
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--no-disk", action="store_true")
    arguments = parser.parse_args()
    if not (DATA / "lecard").is_dir():
        raise SystemExit("../shared/data is not here: nothing was measured.")
    with tempfile.TemporaryDirectory() as home:
        os.environ["VERIFYTUI_HOME"] = home
        if arguments.only in (None, "labelled"):
            asyncio.run(labelled())
        if arguments.only in (None, "demonstrated"):
            demonstrated()
        if arguments.only in (None, "matched"):
            matched()
        if arguments.only in (None, "many"):
            asyncio.run(many(arguments.pairs, disk=not arguments.no_disk))


if __name__ == "__main__":
    main()
