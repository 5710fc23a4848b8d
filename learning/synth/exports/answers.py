"""Exports answers and their verification as lines for other tools (CoV-RAG, section
2.3).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ..answers.samples import SCORES, Sample, SampleVerdict, same_questions
from . import training_files
from .card import answers_card
from .examples import Preference, TrainingExample
from .exportable import MethodOf, Sessions
from .lines import ExportFolder, ExportRecord
from .options import ExportOptions, parts

ANSWERS, VERIFIES = "generator", "verifier"
"""The roles whose messages and replies are exported."""
BY_RULE = ("repeated-words", "citation-swap")
"""Kinds of negatives that are always worse than their origin, whatever their text says.
"""


def export_answers(
    samples: Iterable[Sample],
    verified: Iterable[SampleVerdict],
    into: Path,
    *,
    folder: Path,
    method_of: MethodOf,
    answering: Collection[str] | None = None,
    options: ExportOptions | None,
) -> ExportRecord:
    """Writes chat lines of both tasks, preference pairs, configurations and a card to
    the folder `into`.

    `folder`: base of the session paths in samples and verifications; messages are read
    from there. `method_of`: the method of a session (`engines.method.method_of`).
    `answering`: ids of the samples to train the answering task on; None: right sampled
    answers of the answering half.

    Raises: BadInput, WriteError.
    """
    options = options or ExportOptions()
    made = ExportFolder(into)
    made_from = _Answers(
        [*samples],
        {one.sample: one for one in verified},
        Sessions(folder, method_of),
        made.exported,
    )
    examples = [*made_from.answering(answering), *made_from.verification()]
    preferences = made_from.preferences()
    where = parts(
        options,
        (preference.group for preference in preferences),
        (example.group for example in examples),
    )
    training_files.write(made, examples, preferences, where, options)
    made.whole("README.md", answers_card(made.exported, options))
    return made.finish()


class _Answers:
    """Samples with the verifier's judgements, and the examples made from them."""

    def __init__(
        self,
        samples: Sequence[Sample],
        verified: Mapping[str, SampleVerdict],
        sessions: Sessions,
        exported: ExportRecord,
    ) -> None:
        self._samples = samples
        self._verified = verified
        self._sessions = sessions
        self._exported = exported
        self._group = same_questions(
            {sample.question_id: sample.question for sample in samples}
        )

    def answering(self, chosen: Collection[str] | None) -> Iterable[TrainingExample]:
        """The answers to train on. Counts what is left out."""
        for sample in self._samples:
            if sample.half != "answering" or sample.kind != "sampled":
                continue
            if (
                sample.id not in chosen
                if chosen is not None
                else not self._right(sample)
            ):
                self._exported.leave_out("answering", "not-right")
            elif not sample.answer.strip():
                self._exported.leave_out("answering", "empty")
            elif (prompt := self._sessions.asked(sample.session, ANSWERS)) is None:
                self._exported.leave_out("answering", "no-messages")
            else:
                self._exported.said_by("answers", sample.models)
                yield TrainingExample(
                    id=sample.id,
                    group=self._group[sample.question_id],
                    task="answering",
                    kind=sample.kind,
                    prompt=prompt,
                    reply=sample.answer,
                )

    def verification(self) -> Iterable[TrainingExample]:
        """The verifications to train on, of right and wrong answers. Counts what is
        left out.
        """
        for sample in self._samples:
            if sample.half != "verification":
                continue
            said = self._verified.get(sample.id)
            why = "unread"
            if said is not None and said.judgement == "undecided":
                why = "undecided"
            elif said is not None and said.judgement and said.read != "unread":
                why = self._against(sample, said)
            found = (
                self._sessions.reply(said.session, VERIFIES)
                if said is not None and not why
                else None
            )
            if why or found is None or said is None:
                self._exported.leave_out("verification", why or "no-messages")
                continue
            prompt, reply = found
            if reply is None:
                self._exported.leave_out("verification", "not-whole")
                continue
            self._exported.said_by("verifications", said.models)
            for name in SCORES:
                if name not in json.loads(reply):
                    self._exported.count("unstated", name)
            yield TrainingExample(
                id=sample.id,
                group=self._group[sample.question_id],
                task="verification",
                kind=sample.kind,
                prompt=prompt,
                reply=reply,
            )

    def preferences(self) -> list[Preference]:
        """Preference pairs of right and wrong answers to a question. Counts what is
        left out.
        """
        right: dict[str, list[Sample]] = {}
        for sample in self._samples:
            if (
                sample.kind == "sampled"
                and sample.answer.strip()
                and self._right(sample)
            ):
                right.setdefault(sample.question_id, []).append(sample)
        found = []
        for one in self._samples:
            if not self._worse(one):
                continue
            better = self._better(one, right.get(one.question_id, []))
            if better is None:
                self._exported.leave_out("preferences", "no-right-answer")
            elif (prompt := self._sessions.asked(better.session, ANSWERS)) is None:
                self._exported.leave_out("preferences", "no-messages")
            else:
                self._exported.said_by("chosen", better.models)
                self._exported.said_by("rejected", one.models)
                pair = {"chosen": better.answer, "rejected": one.answer}
                found.append(
                    Preference(
                        id=one.id,
                        group=self._group[one.question_id],
                        kind=one.kind,
                        prompt=prompt,
                        **pair,
                    )
                )
        return found

    def _right(self, sample: Sample) -> bool:
        """Whether an answer is known to be right, or else judged to be right."""
        if sample.known_judgement is not None:
            return sample.known_judgement == "true"
        said = self._verified.get(sample.id)
        return said is not None and said.judgement == "true"

    def _worse(self, sample: Sample) -> bool:
        """Whether an answer is certainly worse than a right one: by its construction,
        or known and judged to be wrong.
        """
        if sample.kind in BY_RULE:
            return True
        said = self._verified.get(sample.id)
        judged = said.judgement if said is not None else None
        if sample.known_judgement is None:
            return judged == "false"
        if sample.known_judgement == "false" and judged == "true":
            self._exported.leave_out("preferences", "against-known")
        return sample.known_judgement == "false" and judged != "true"

    def _better(self, sample: Sample, right: Sequence[Sample]) -> Sample | None:
        """The right answer to pair with a wrong one: its origin, else the first of its
        question.
        """
        others = [one for one in right if one.answer.strip() != sample.answer.strip()]
        return next(
            (other for other in others if other.id == sample.origin),
            others[0] if others else None,
        )

    def _against(self, sample: Sample, verdict: SampleVerdict) -> str:
        """Why a verification cannot be right: it contradicts what is known by
        construction; otherwise "".
        """
        if sample.known_judgement is not None and (verdict.judgement == "true") != (
            sample.known_judgement == "true"
        ):
            return "against-known"
        for name, value in sample.known.items():
            score = verdict.scores.get(name)
            if score is not None and (score > 0.5) != (value > 0.5):
                return "against-known"
        return ""
