"""The built-in `lexical` on labelled data, and how many questions a second it answers
with every session on disk.

Reads ../shared/data; says so and ends where that is not there. Each set's passages are
pooled into one corpus by the project's own index.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import contextlib
import cProfile
import json
import os
import pstats
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (DATA / name).read_text("utf-8").splitlines()
        if line.strip()
    ]


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """The chance that a right one scores above a wrong one, ties half: the area under
    the ROC curve.
    """
    ordered = sorted(wrong)
    above = sum(
        bisect.bisect_left(ordered, one) + bisect.bisect_right(ordered, one)
        for one in right
    )
    return above / 2 / len(right) / len(ordered)


@contextlib.contextmanager
def corpus(passages: Iterable[tuple[str, str]]) -> Iterator[Any]:
    """An open corpus of (title, text)."""
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.sessions.paths import paths

    with tempfile.TemporaryDirectory() as folder:
        os.environ["VERIFYTUI_HOME"] = f"{folder}/home"
        file = Path(folder) / "passages.jsonl"
        lines = (
            json.dumps({"title": title, "text": text}, ensure_ascii=False)
            for title, text in dict.fromkeys(passages)
        )
        file.write_text("\n".join(lines), "utf-8")
        opened = Corpora(paths()).open(str(file))
        try:
            yield opened
        finally:
            opened.close()


async def played(retriever: Any, lexical: Any, question: str, file: Path | None) -> Any:
    """A question from beginning to end with default settings; the session."""
    from verifytui.engines.models.config import Config
    from verifytui.engines.models.desk import Desk
    from verifytui.engines.rag.engine import rag_engine
    from verifytui.engines.rag.starting import new_question
    from verifytui.engines.step import step
    from verifytui.prompts import load
    from verifytui.sessions.events import Failure
    from verifytui.sessions.journal import Journal

    header = new_question(
        question=question, corpus="benchmark", prompts=load("en", workspace="rag")
    )
    with Journal.create(file, header) as journal:
        engine = rag_engine(lambda: retriever)
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


async def accuracy(
    name: str,
    passages: Iterable[tuple[str, str]],
    questions: Sequence[tuple[str, list[str]]],
) -> None:
    """Prints accuracy of the first and of the last answer, and the lengths."""
    from verifytui.engines.metrics.containment import contains, length
    from verifytui.engines.rag.lexical.model import LexicalVerifier
    from verifytui.sessions.events.rag import RagAnswer, Verification

    first, last, sizes, units, revised, judged = (
        [],
        [],
        [],
        set(),
        0,
        {"true": [0, 0], "unclear": [0, 0], "false": [0, 0]},
    )
    with corpus(passages) as retriever:
        lexical = LexicalVerifier(lambda: retriever)
        for question, accepted in questions:
            session = await played(retriever, lexical, question, None)
            answers = [
                event.answer or ""
                for event in session.events
                if isinstance(event, RagAnswer)
            ]
            held = [contains(answer, accepted) for answer in answers] or [False]
            first.append(held[0])
            last.append(held[-1])
            revised += len(answers) > 1
            if answers:
                size, unit = length(answers[-1])
                sizes.append(size)
                units.add(unit)
                verification = next(
                    event for event in session.events if isinstance(event, Verification)
                )
                judged[verification.judgement or "unclear"][0] += 1
                judged[verification.judgement or "unclear"][1] += held[0]
        passages_held = retriever.meta.passages
    told = ", ".join(
        f"{right} of {count} judged {word}"
        for word, (count, right) in judged.items()
        if count
    )
    print(
        f"  {name}: {len(first)} questions, {passages_held} passages: contains "
        f"{statistics.mean(first):.3f} at first, "
        f"{statistics.mean(last):.3f} at last ({revised} revised); mean length "
        f"{statistics.mean(sizes):.1f} {'/'.join(sorted(units))}; "
        f"first answers right: {told}"
    )


def xquad(language: str) -> tuple[list[tuple[str, str]], list[tuple[str, list[str]]]]:
    passages = [
        (row["title"].replace("_", " "), row["text"])
        for row in rows(f"xquad/passages.{language}.jsonl")
    ]
    return passages, [
        (row["question"], row["answers"])
        for row in rows(f"xquad/questions.{language}.jsonl")
    ]


def retrievalqa() -> tuple[list[tuple[str, str]], list[tuple[str, list[str]]]]:
    found = rows("retrievalqa/retrievalqa250.jsonl")
    passages = [
        (one.get("title") or "", one.get("text") or "")
        for row in found
        for one in row["context"]
    ]
    return passages, [(row["question"], row["ground_truth"]) for row in found]


def halueval() -> None:
    """Right against hallucinated answers; the reference is the knowledge they were made
    from.
    """
    from verifytui.engines.rag.lexical.claims import claims
    from verifytui.engines.rag.lexical.overlap import Glossary
    from verifytui.engines.rag.lexical.scores import LexicalScores, scores
    from verifytui.engines.rag.messages import CheckClaims
    from verifytui.engines.retrieval.citations import cited
    from verifytui.sessions.events import Reference

    right: list[LexicalScores] = []
    wrong: list[LexicalScores] = []
    faithful: dict[bool, list[float]] = {True: [], False: []}
    found = rows("halueval-qa/qa.jsonl")
    for row in found:
        references = [Reference(n=1, id="1", text=row["knowledge"])]
        glossary = Glossary(None, references)
        for answer, kept in (
            (row["right_answer"], right),
            (row["hallucinated_answer"], wrong),
        ):
            kept.append(scores(glossary, row["question"], answer, references))
            texts = [one.text for one in cited(answer, references)]
            found_in = claims(
                glossary,
                CheckClaims(
                    question=row["question"],
                    references=references,
                    of="answer",
                    texts=texts,
                ),
            )["claims"]
            if found_in:
                faithful[kept is right].append(
                    sum(one["verdict"] == "supported" for one in found_in)
                    / len(found_in)
                )
    for name in ("truthfulness", "correctness"):
        print(
            f"  HaluEval QA, {name}: "
            f"{auc([getattr(one, name) for one in right], [getattr(one, name) for one in wrong]):.3f}"
        )
    print(
        f"  HaluEval QA, unsupported (1 is bad): "
        f"{auc([-one.unsupported for one in right], [-one.unsupported for one in wrong]):.3f}"
    )
    means = [f"{sum(kept) / len(kept):.3f}" for kept in faithful.values()]
    print(
        f"  HaluEval QA, faithfulness of claims: "
        f"{auc(faithful[True], faithful[False]):.3f}",
        end="",
    )
    print(f" (mean {means[0]} of right, {means[1]} of wrong answers)")
    shorter = auc(
        [-len(row["right_answer"]) for row in found],
        [-len(row["hallucinated_answer"]) for row in found],
    )
    print(
        f"  HaluEval QA, for comparison: the shorter answer is the right one: "
        f"{shorter:.3f}"
    )


def rgb() -> None:
    """The same question with five passages that hold its answer, and with five that do
    not.
    """
    from verifytui.engines.rag.lexical.extract import answer
    from verifytui.engines.rag.lexical.overlap import Glossary
    from verifytui.engines.rag.lexical.scores import LexicalScores, scores
    from verifytui.sessions.events import Reference

    for name in ("en_fact", "zh_fact", "zh_int", "zh_refine"):
        found = [
            (row["query"], _flat(row["positive"])[:5], _flat(row["negative"])[:5])
            for row in rows(f"rgb/{name}.jsonl")
        ]
        with corpus(
            ("", text) for _, held, other in found for text in (*held, *other)
        ) as retriever:
            glossary = Glossary(retriever.lexicon())
            with_it: list[LexicalScores] = []
            without: list[LexicalScores] = []
            for question, held, other in found:
                if not held or not other:
                    continue
                for texts, kept in ((held, with_it), (other, without)):
                    references = [
                        Reference(n=n, id=str(n), text=text)
                        for n, text in enumerate(texts, 1)
                    ]
                    kept.append(
                        scores(
                            glossary,
                            question,
                            answer(glossary, question, references),
                            references,
                        )
                    )
        figures = ", ".join(
            f"{score} "
            f"{auc([getattr(one, score) for one in with_it], [getattr(one, score) for one in without]):.3f}"
            for score in ("reference_correctness", "correctness")
        )
        print(f"  RGB {name}, {len(with_it)} questions: {figures}")


def _flat(texts: Any) -> list[str]:
    return (
        [texts]
        if isinstance(texts, str)
        else [text for one in texts for text in _flat(one)]
    )


async def speed(count: int, profiled: bool) -> None:
    """Questions one after another in one process, every session on disk."""
    from verifytui.engines.rag.lexical.model import LexicalVerifier

    passages, questions = xquad("en")
    passages_zh, questions_zh = xquad("zh")
    mixed = [one for pair in zip(questions, questions_zh, strict=True) for one in pair][
        :count
    ]
    with (
        corpus([*passages, *passages_zh]) as retriever,
        tempfile.TemporaryDirectory() as folder,
    ):
        lexical = LexicalVerifier(lambda: retriever)
        await played(retriever, lexical, questions[-1][0], Path(folder) / "warm.yaml")
        profile = cProfile.Profile()
        if profiled:
            profile.enable()
        began, worked = time.perf_counter(), time.process_time()
        for number, (question, _) in enumerate(mixed):
            await played(retriever, lexical, question, Path(folder) / f"{number}.yaml")
        took, worked = time.perf_counter() - began, time.process_time() - worked
        profile.disable()
    print(
        f"  {len(mixed)} questions, each session on disk: {len(mixed) / took:.0f} "
        f"a second, {1000 * worked / len(mixed):.1f} ms of CPU each"
        f" (load {os.getloadavg()[0]:.1f})"
    )
    if profiled:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--profile",
        action="store_true",
        help="where the time of the speed run goes (it is slower then)",
    )
    parser.add_argument("--only", choices=["accuracy", "verifier", "speed"])
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"{DATA} is not here; nothing was measured.")
        return
    if options.only in (None, "accuracy"):
        print("Accuracy, end to end:")
        await accuracy("XQuAD en", *xquad("en"))
        await accuracy("XQuAD zh", *xquad("zh"))
        await accuracy("RetrievalQA", *retrievalqa())
    if options.only in (None, "verifier"):
        print("Area under the ROC curve:")
        halueval()
        rgb()
    if options.only in (None, "speed"):
        print("Speed:")
        await speed(500, options.profile)


if __name__ == "__main__":
    asyncio.run(main())
