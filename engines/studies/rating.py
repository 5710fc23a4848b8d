"""What people say of answers without knowing whose they are: the answers of a batch or
a study, in an order of each person's own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ...sessions.annotators import GOLD
from ...sessions.case_pairs import Key
from ...sessions.errors import bad_input
from ...sessions.events.labels import Assignment, Label
from ...sessions.files import BATCH, has_batch
from ...sessions.label_assignment import ALL, RaterProgress, assigned, in_order, note
from ...sessions.label_store import LabelStore
from ...sessions.labels import LabelFile, Latest
from ..figures.common import answer_of, is_translation, listed
from ..figures.items import asked
from ..figures.rated import AMBIGUITY, CORRECT, QUALITY, RatingScale
from ..figures.runs import RunItem, read_run
from ..figures.verdicts import Verdicts
from .manifest import is_study, read_manifest

WORDS = {True: "right", False: "wrong", None: "unread"}
"""The machine's verdicts that a sample can be drawn by."""


@dataclass(frozen=True)
class RatedAnswer:
    """An answer to one item.

    Equal answers of several systems are not distinguished: the answer is rated once,
    for all of them.
    """

    item: str
    cluster: str
    """Answers to items that are not independent share it, and so do all answers to one
    item.
    """
    asked: str
    answer: str
    references: tuple[str, ...]
    languages: tuple[str, str]
    """From and to; empty for what is no translation."""
    sessions: tuple[str, ...]
    """Ids of the sessions that gave it."""

    @property
    def scales(self) -> tuple[RatingScale, ...]:
        if any(self.languages):
            return (QUALITY, AMBIGUITY)
        return (CORRECT,)


def answers_in(path: Path) -> list[RatedAnswer]:
    """The answers that are in the folder of a batch or a study, each text of an item
    once. Raises: BadInput where there are none.
    """
    found: dict[tuple[str, str], list[RunItem]] = {}
    for folder in folders_in(path):
        for case in read_run(folder).cases.values():
            said = answer_of(case.session)
            if (
                said.missing is None
                and said.text is not None
                and asked(case.item.fields)
            ):
                found.setdefault((case.item.digest, said.text), []).append(case)
    if not found:
        raise bad_input("wrong.labels.no_answers", path=path)
    return [_answer(text, cases) for (_, text), cases in found.items()]


def chosen(
    answers: Sequence[RatedAnswer], annotator: str, assignment: Assignment
) -> list[RatedAnswer]:
    """The answers assigned to one person. Items are assigned whole, so all answers to
    an item have the same rater.
    """
    if assignment.strata:
        drawn_ones = set(assignment.drawn)
        answers = [
            answer for answer in answers if not drawn_ones.isdisjoint(answer.sessions)
        ]
    items = sorted({answer.item for answer in answers})
    if assignment.sample is not None and not assignment.strata:
        items = _sampled(items, assignment.sample, assignment)
    mine = set(assigned(items, annotator, assignment, str))
    return [answer for answer in answers if answer.item in mine]


def _sampled(items: list[str], most: int, assignment: Assignment) -> list[str]:
    if assignment.hashed:
        return in_order(items, "items", assignment, str)[:most]
    drawn = random.Random(f"{assignment.seed}\0items")  # noqa: S311
    return drawn.sample(items, min(most, len(items)))


def verdict_strata(
    path: Path, verdicts_of: Callable[[str], Verdicts | None]
) -> dict[str, list[str]]:
    """By the machine's verdict (`right`, `wrong`, `unread`), a session of each answer.

    `verdicts_of`: how the machine of a method judges. An answer counts under the first
    verdict on it; one without a verdict is left out. Raises: BadInput.
    """
    words = {}
    for folder in folders_in(path):
        for case in read_run(folder).cases.values():
            judges = verdicts_of(case.session.method)
            verdict = judges.of(case.session) if judges is not None else None
            if verdict is not None:
                words[case.session.header.id] = WORDS[verdict.holds]
    found: dict[str, list[str]] = {word: [] for word in WORDS.values()}
    for one in answers_in(path):
        judged = next((id_ for id_ in one.sessions if id_ in words), None)
        if judged is not None:
            found[words[judged]].append(judged)
    return {word: sorted(ids) for word, ids in found.items() if ids}


def drawn_by_verdict(
    strata: Mapping[str, Sequence[str]], most: int, assignment: Assignment
) -> Assignment:
    """The assignment with at most this many answers per verdict, drawn by its seed."""
    drawn = []
    for word, ids in strata.items():
        chance = random.Random(f"{assignment.seed}\0{word}")  # noqa: S311
        drawn += chance.sample(ids, min(most, len(ids)))
    sizes = {word: len(ids) for word, ids in strata.items()}
    return msgspec.structs.replace(assignment, sample=most, strata=sizes, drawn=drawn)


class BlindRater:
    """A person who rates, and their file of labels."""

    def __init__(
        self, answers: Sequence[RatedAnswer], file: LabelFile, *, advance: bool = False
    ) -> None:
        """`advance`: the next answer comes by itself once everything is said of one."""
        self.annotator = file.annotator
        self.answers = answers
        self.advance = advance
        self.scale: dict[int, str] = {}
        self._file = file

    @classmethod
    def open(
        cls,
        path: Path,
        annotator: str,
        assignment: Assignment | None = None,
        *,
        advance: bool = False,
    ) -> BlindRater:
        """Begins or continues a person's rating.

        `assignment`: whose answers, and the seed; None: as the person's file says.

        What counts is written down in the file. Raises: BadInput where there is nothing
        to rate; SessionError of the file of labels.
        """
        answers = answers_in(path)
        if assignment is not None:
            _mine(answers, annotator, assignment)  # before anything is written
        file = LabelFile.open(path, annotator)
        try:
            counts = assignment or file.assignment or ALL
            mine = _mine(answers, annotator, counts)
            note(file, counts)
        except BaseException:
            file.close()
            raise
        return cls(mine, file, advance=advance)

    def said(self, answer: RatedAnswer, scale: RatingScale) -> int | None:
        """What this person has said of an answer; None: nothing that counts."""
        return said(answer, scale, self._file.own)

    def say(
        self,
        answer: RatedAnswer,
        scale: RatingScale,
        value: int | None,
        seconds: float,
        *,
        seen: bool,
    ) -> None:
        """Writes down what this person says of an answer, for every session that gave
        it. None takes it back.

        `seen`: the references were shown. Raises: SessionError.
        """
        for session in answer.sessions:
            label = Label(
                session=session,
                item=answer.item,
                measure=scale.measure,
                value=value,
                seconds=round(seconds, 1),
            )
            label.undone, label.seen_references = value is None, seen
            self._file.append(label)

    def done(self, answer: RatedAnswer) -> bool:
        """Whether everything is said of an answer."""
        return _done(answer, self._file.own)

    def next(self, after: int = -1) -> int:
        """Index of the next answer that is not completely rated; without one, the
        following index.
        """
        places = [*range(after + 1, len(self.answers)), *range(after + 1)]
        return next(
            (place for place in places if not self.done(self.answers[place])),
            min(after + 1, len(self.answers) - 1),
        )

    @property
    def progress(self) -> RaterProgress:
        return _progress(self.annotator, self.answers, self._file.own)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def everyone(store: LabelStore, answers: Sequence[RatedAnswer]) -> list[RaterProgress]:
    """How far everybody is who has rated here or is in the team, by name.

    Answers are assigned as the team, or each person's file, says. Raises: SessionError.
    """
    made = []
    team = store.team.people.keys() if store.team is not None else set()
    for name in sorted(store.people.keys() - {GOLD} | team):
        labels = store.people.get(name, {})
        share = store.share_of(name) or ALL
        one = _progress(name, chosen(answers, name, share), labels)
        made.append(
            one._replace(others=sum(_done(each, labels) for each in answers) - one.done)
        )
    return made


def folders_in(path: Path) -> list[Path]:
    """The folders of sessions: of the batch; of each started condition of the study; or
    of several batches next to each other. A file of outputs is its own.
    """
    if is_study(path):
        return [
            folder
            for one in read_manifest(path)["conditions"]
            if has_batch(folder := path / str(one["folder"]))
        ]
    if has_batch(path):
        return [path]
    if path.is_file():
        return [path]
    return sorted(one.parent for one in path.glob(f"*/{BATCH}"))


def _mine(
    answers: Sequence[RatedAnswer], annotator: str, counts: Assignment
) -> list[RatedAnswer]:
    """A person's answers in order. Raises: BadInput where none is theirs."""
    mine = in_order(chosen(answers, annotator, counts), annotator, counts, _key)
    if not mine:
        items = len({answer.item for answer in answers})
        raise bad_input(
            "wrong.labels.no_items",
            annotator=annotator,
            part=counts.part,
            total=counts.of,
            items=items,
        )
    return mine


def _key(answer: RatedAnswer) -> str:
    return f"{answer.item}\0{answer.answer}"


def said(answer: RatedAnswer, scale: RatingScale, labels: Latest) -> int | None:
    """What one person's labels say of an answer; nothing while one of the sessions that
    gave it is left out, as one that came later is.
    """
    known = [
        labels.get(Key(session, answer.item, scale.measure))
        for session in answer.sessions
    ]
    values = [label.value for label in known if label is not None and not label.undone]
    if len(values) == len(known):
        return values[-1]
    return None


def _done(answer: RatedAnswer, labels: Latest) -> bool:
    return all(said(answer, scale, labels) is not None for scale in answer.scales)


def _progress(
    name: str, answers: Sequence[RatedAnswer], labels: Latest
) -> RaterProgress:
    return RaterProgress(
        name, sum(_done(answer, labels) for answer in answers), 0, len(answers)
    )


def _answer(text: str, cases: Sequence[RunItem]) -> RatedAnswer:
    item = cases[0].item
    languages = (
        (str(item.fields.get("from") or ""), str(item.fields.get("to") or ""))
        if is_translation(item)
        else ("", "")
    )
    return RatedAnswer(
        item.id,
        item.cluster,
        asked(item.fields),
        text,
        listed(item, "answers"),
        languages,
        _ids(cases),
    )


def _ids(cases: Iterable[RunItem]) -> tuple[str, ...]:
    return tuple(case.session.header.id for case in cases)
