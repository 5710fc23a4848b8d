"""Collects samples from sessions: sampled answers, and negatives made from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ....engines.batches.lines import texts_of
from ....engines.figures.rows import Row
from ....engines.retrieval.citations import citations
from ....prompts import mainly_chinese
from ....sessions.events import Reference
from ....sessions.session import Session
from . import rag_answers
from .negatives import NegativeSample, citation_swap, repeated_words
from .plan import BY_RULE, AnswerSynthesis
from .port import SampledAnswer
from .samples import Kind, Sample, SampleVerdict

MOST_DONORS = 200
"""Maximum number of questions searched for unrelated references."""

Answers = Mapping[str, list[Sample]]
"""Question → its sampled answers, in order."""


class SavedSession(NamedTuple):
    """A session, and its path in the folder of the synthesis."""

    session: Session
    path: str
    imagined: bool = False
    """A placeholder in an estimate; no model was called."""


Find = Callable[[str], SavedSession | None]
"""Returns the session of a line by id, or None."""


class SampleCollection(NamedTuple):
    """Samples, and the number left out per reason."""

    samples: list[Sample]
    left_out: Counter[str]


def sampled(plan: AnswerSynthesis, find: Find) -> SampleCollection:
    """The answers of the first step. Equal ones from the same references count once."""
    made, left_out = [], Counter[str]()
    halves = plan.halves
    for line in plan.lines:
        known = set()
        for n in range(1, plan.samples + 1):
            name = f"{line.id}.{n}"
            saved, found = _answered(find(name))
            if saved is None or found is None:
                left_out["no-answer"] += 1
                continue
            same = (found.answer, *(reference.id for reference in found.references))
            if same in known and not saved.imagined:
                left_out["same-answer"] += 1
                continue
            known.add(same)
            one = _sample(name, line.id, found, "sampled", saved.path)
            one.half = halves[line.id]
            one.known_judgement = "true" if is_right(one) else None
            made.append(one)
    return SampleCollection(made, left_out)


def is_right(sample: Sample) -> bool:
    """Whether the sample is a known positive: the answer is an accepted one, and a
    cited reference contains an accepted one.
    """
    if not sample.accepted or not rag_answers.right(
        sample.answer, sample.accepted, sample.question
    ):
        return False
    cites = set(citations(sample.answer))
    return any(
        reference.n in cites
        and rag_answers.holds(f"{reference.title}\n{reference.text}", sample.accepted)
        for reference in sample.references
    )


def by_rule(plan: AnswerSynthesis, answers: Answers) -> SampleCollection:
    """The negatives made from sampled answers by rule."""
    made, left_out = [], Counter[str]()
    for question, kinds in plan.kinds.items():
        for kind in (kind for kind in kinds if kind in BY_RULE):
            found = next(_changes(plan, kind, answers.get(question, ())), None)
            if found is None:
                answered = bool(answers.get(question))
                bare = answered and kind == "citation-swap"
                left_out[f"{kind}: {'no-citation' if bare else 'no-answer'}"] += 1
                continue
            origin, changed = found
            made.append(
                msgspec.structs.replace(
                    origin,
                    id=f"{question}.{kind}",
                    kind=kind,
                    origin=origin.id,
                    answer=changed.answer,
                    how=changed.how,
                    known=changed.known,
                    known_judgement="false",
                )
            )
    return SampleCollection(made, left_out)


def _changes(
    plan: AnswerSynthesis, kind: Kind, answers: Iterable[Sample]
) -> Iterator[tuple[Sample, NegativeSample]]:
    for answer in answers:
        if not rag_answers.abstains(answer.answer):
            draw = plan.draw(answer.id, kind)
            changed = (
                repeated_words(answer.answer, draw)
                if kind == "repeated-words"
                else citation_swap(answer.answer, answer.references, draw)
            )
            if changed is not None:
                yield answer, changed


def rows_to_worsen(
    plan: AnswerSynthesis, answers: Answers
) -> tuple[list[Row], Counter[str]]:
    """The lines of the second step, for negatives that a model makes, and what is left
    out.

    Each is answered from another question's references, or from a search with a bad
    query, which is requested first. `synth` in a line names the origin of the negative.
    """
    rows = []
    left_out = Counter[str]()
    donors = sorted(answers)
    plan.draw("donors").shuffle(donors)
    sources = {
        option.name for option in plan.steps.answering.declared.options if option.group
    }
    for question, kinds in plan.kinds.items():
        row, given = plan.rows[question], answers.get(question, [])
        origin = {"origin": given[0].id} if given else {}
        if "retrieval-error" in kinds:
            donor = _donor(question, row, donors, answers)
            if donor is None:
                left_out["retrieval-error: no-other-references"] += 1
            else:
                own = {
                    name: value for name, value in row.items() if name not in sources
                }
                made = {
                    "references": as_given(donor[1]),
                    "negative": "references",
                    "synth": {**origin, "question": question, "donor": donor[0]},
                }
                rows.append({**own, "id": f"{question}.retrieval-error", **made})
        if "bad-query" in kinds and row.get("references") is not None:
            left_out["bad-query: references-given"] += 1
        elif "bad-query" in kinds:
            rows.append(
                {
                    **row,
                    "id": f"{question}.bad-query",
                    "negative": "query",
                    "synth": {**origin, "question": question},
                }
            )
    return rows, left_out


def _donor(
    question: str, row: Row, donors: Sequence[str], answers: Answers
) -> tuple[str, list[Reference]] | None:
    """Another question, and its references that contain nothing about this one: neither
    a reference of this question nor an accepted answer.

    Questions in the same language are preferred, because references in another language
    are easily recognized as wrong; then those with the most such references.
    """
    given = answers.get(question, ())
    own = {reference.id for one in given for reference in one.references}
    accepted = texts_of(row, "answers", "reference")
    chinese = mainly_chinese(given[0].question if given else "")
    start = donors.index(question) + 1 if question in donors else 0
    best: tuple[bool, int, str, list[Reference]] | None = None
    for name in (*donors[start:], *donors[:start])[:MOST_DONORS]:
        other = answers[name][0]
        left = [
            reference
            for reference in other.references
            if reference.id not in own
            and not (
                accepted
                and rag_answers.holds(f"{reference.title}\n{reference.text}", accepted)
            )
        ]
        alike = mainly_chinese(other.question) == chinese
        if (
            name != question
            and left
            and (best is None or (alike, len(left)) > best[:2])
        ):
            best = alike, len(left), name, left
        if (
            best is not None
            and best[0]
            and best[1] == len(answers[best[2]][0].references)
        ):
            break
    if best is None:
        return None
    return best[2:]


def as_given(references: Iterable[Reference]) -> list[dict[str, object]]:
    """References in the format of a batch line."""
    return [
        {
            "id": reference.id,
            "title": reference.title,
            "text": reference.text,
            **({"file": reference.file} if reference.file else {}),
        }
        for reference in references
    ]


def worsened(rows: Sequence[Row], find: Find) -> SampleCollection:
    """The negatives of the second step, without answers that abstain or are right after
    all.
    """
    made, left_out = [], Counter[str]()
    for row in rows:
        name, about = str(row["id"]), row["synth"]
        kind: Kind = "retrieval-error" if "donor" in about else "bad-query"
        saved, found = _answered(find(name))
        why = "no-answer" if found is None else _no_bad_one(kind, found)
        if saved is None or found is None or why is not None:
            left_out[f"{kind}: {why}"] += 1
            continue
        one = _sample(name, str(about["question"]), found, kind, saved.path)
        one.half, one.origin, one.donor = (
            "verification",
            about.get("origin"),
            about.get("donor"),
        )
        one.how = "question" if one.donor else None
        held = (rag_answers.holds(each.text, one.accepted) for each in one.references)
        one.known_judgement = "false" if one.accepted and not any(held) else None
        made.append(one)
    return SampleCollection(made, left_out)


def rows_to_verify(samples: Iterable[Sample]) -> list[Row]:
    """The lines of the third step: the original question, the answer, and the
    references of the answer.
    """
    return [
        {
            "id": sample.id,
            "cluster": sample.question_id,
            "question": sample.question,
            "answer": sample.answer,
            "references": as_given(sample.references),
            **({"answers": sample.accepted} if sample.accepted else {}),
        }
        for sample in samples
    ]


def to_verify(plan: AnswerSynthesis, samples: Iterable[Sample]) -> list[Sample]:
    """The samples to verify: those for verification, and all of them if the verifier's
    judgement selects the answers.
    """
    return [
        sample
        for sample in samples
        if sample.half == "verification" or plan.keep == "true"
    ]


def said(samples: Iterable[Sample], find: Find) -> list[SampleVerdict]:
    """The verifier's judgements of the samples."""
    made = []
    for sample in samples:
        found = find(sample.id)
        told = (
            SampleVerdict(sample=sample.id)
            if found is None
            else rag_answers.verified(found.session, sample.id)
        )
        made.append(
            msgspec.structs.replace(
                told, session=found.path if found is not None else None
            )
        )
    return made


def kept_answers(
    plan: AnswerSynthesis,
    samples: Iterable[Sample],
    verified: Mapping[str, SampleVerdict],
) -> list[str]:
    """The ids of the answers that the answering task is trained on."""
    rules: dict[str, Callable[[Sample], bool]] = {
        "right": lambda one: (
            bool(one.accepted)
            and rag_answers.right(one.answer, one.accepted, one.question)
        ),
        "true": lambda one: one.id in verified and verified[one.id].judgement == "true",
        "all": lambda one: True,
    }
    return [
        sample.id
        for sample in samples
        if sample.half == "answering"
        and sample.kind == "sampled"
        and rules[plan.keep](sample)
    ]


def _answered(
    saved: SavedSession | None,
) -> tuple[SavedSession | None, SampledAnswer | None]:
    return saved, None if saved is None else rag_answers.answered(saved.session)


def _no_bad_one(kind: Kind, answer: SampledAnswer) -> str | None:
    """Why an answer of the second step is not a negative; None if it is one, as far as
    is known.
    """
    if kind == "bad-query" and _plain(answer.query) == _plain(answer.question):
        return "same-query"
    if rag_answers.abstains(answer.answer):
        return "abstains"
    right = rag_answers.right(answer.answer, answer.accepted, answer.question)
    if right or rag_answers.mentions(answer.answer, answer.accepted):
        return "right"
    return None


def _sample(
    name: str, question: str, answer: SampledAnswer, kind: Kind, path: str
) -> Sample:
    return Sample(
        id=name,
        question_id=question,
        question=answer.question,
        half="verification",
        kind=kind,
        query=answer.query if _plain(answer.query) != _plain(answer.question) else None,
        references=answer.references,
        answer=answer.answer,
        models=answer.models,
        accepted=answer.accepted,
        session=path,
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
