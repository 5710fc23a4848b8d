"""A measure taken by a model: it reads an answer, gives a reason, then a value.

A digest of the item decides which of two answers comes first, so that position favours
neither; each line records the order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ....prompts import load, prompt_set_for
from ....sessions.errors import bad_input
from ....sessions.session import Seat
from .. import records
from ..measure import Measure, MeasuredValue
from ..outputs import Given, OutputRow, output_of, without_answer
from .answers import (
    JudgedAnswer,
    JudgeInstructions,
    JudgeQuestion,
    Key,
    ask_missing,
    judge_seat,
    known_answers,
)
from .tasks import TASKS, About

if TYPE_CHECKING:
    from ...models.config import Config

KEYS = ("judge", "model", "name", "blind", "repeat", "both", "temperature")
OUTSIDE = "outside_judge"
"""The role of a judge outside the sessions."""
ABOUT = tuple(name for name in TASKS if name != "same")


@dataclass(frozen=True)
class JudgeMeasure:
    """What is judged, and by which model."""

    about: About
    seat: Seat
    name: str
    """`judge-ambiguity`, or the name that the study gives."""
    blind: bool = True
    """Hides from the judge which method and which models gave the answer."""
    repeat: int = 0
    """Equal judgements with different numbers are asked for separately."""
    both: bool = False
    """Asks about two answers in both orders and takes the mean."""

    @classmethod
    def read(cls, spec: Mapping[str, Any], config: Config) -> JudgeMeasure:
        """The measure of `{judge: ambiguity, model: gpt4}`. Raises: BadInput."""
        from ...models.seating import seat_for, with_params

        for key in spec:
            if key not in KEYS:
                raise bad_input("wrong.judged.key", key=key, names=", ".join(KEYS))
        about, model = spec.get("judge"), spec.get("model")
        if about not in ABOUT:
            names = ", ".join(ABOUT)
            raise bad_input("wrong.judged.about", about=about, names=names)
        if not isinstance(model, str) or not model.strip():
            raise bad_input("wrong.judged.model", about=about)
        blind, both = spec.get("blind", True), spec.get("both", False)
        for key, switch in (("blind", blind), ("both", both)):
            if not isinstance(switch, bool):
                raise bad_input("wrong.judged.switch", key=key)
        repeat = spec.get("repeat", 0)
        if type(repeat) is not int or repeat < 0:
            raise bad_input("wrong.judged.repeat")
        seat = judge_seat(seat_for(model, config), "wrong.judged.builtin")
        temperature = spec.get("temperature")
        if temperature is not None:
            if type(temperature) not in (int, float) or not 0 <= temperature <= 2:
                raise bad_input("wrong.judged.temperature")
            seat = with_params(seat, {"temperature": temperature})
        name = records.check_name(spec.get("name") or f"judge-{about}")
        return cls(about, seat, name, blind, repeat, both)

    @property
    def declared(self) -> Measure:
        """The measure as figures take it. Its `of` gives nothing."""
        low, high = (1.0, 5.0) if self.about == "quality" else (0.0, 1.0)
        share = self.about in ("ambiguity", "correctness")
        return Measure(
            self.name,
            "higher",
            lambda session, item: (),
            share=share,
            low=low,
            high=high,
            judge=f"{OUTSIDE}.{self.name}",
        )

    def left(
        self,
        given: Sequence[Given],
        folder: Path,
        against: Sequence[Given] | None = None,
    ) -> int:
        """How many questions about these answers `folder` has no answer to yet."""
        known = known_answers(self._file(folder))
        cases = self._cases(given, against)
        return len(
            {one.answer.key for case in cases for one in case.asked} - set(known)
        )

    def said(
        self, given: Sequence[Given], folder: Path, against: Sequence[Given] | None
    ) -> list[JudgedAnswer]:
        """What the judge has said of these answers, as far as `folder` holds it."""
        known = known_answers(self._file(folder))
        asked = [one for case in self._cases(given, against) for one in case.asked]
        return [known[one.answer.key] for one in asked if one.answer.key in known]

    async def measure(
        self,
        given: Sequence[Given],
        folder: Path,
        asking: JudgeInstructions,
        against: Sequence[Given] | None = None,
    ) -> list[MeasuredValue]:
        """A measurement for each, in order; asks what `folder` does not hold yet.

        `against`: for `preference`, the other answer to each. A call that fails, or a
        reply that cannot be read, gives no value. Raises: as `ask_missing`.
        """
        cases = self._cases(given, against)
        asked = [question for case in cases for question in case.asked]
        known = await ask_missing(self.seat, asked, self._file(folder), asking)
        return [self._measured(case, known) for case in cases]

    def _file(self, folder: Path) -> Path:
        return folder / f"{self.name}.judged.jsonl"

    # ------------------------------------------------------------- what is asked

    def questions(
        self, given: Given, against: Given | None = None
    ) -> list[JudgeQuestion]:
        """What is asked of an answer; of two, the first of which stands first."""
        output = output_of(given)
        if against is None:
            return self._asked(output)
        return [self._ordered(output, output_of(against), False)]

    def _cases(
        self, given: Sequence[Given], against: Sequence[Given] | None
    ) -> list[_ItemToJudge]:
        if (self.about == "preference") != (against is not None):
            raise bad_input("wrong.judged.against", name=self.name)
        outputs = map(output_of, given)
        if against is None:
            return [
                _ItemToJudge(output, None, self._asked(output)) for output in outputs
            ]
        return [
            _ItemToJudge(output, other, self._compared(output, other))
            for output, other in zip(outputs, map(output_of, against), strict=True)
        ]

    def _asked(self, output: OutputRow) -> list[JudgeQuestion]:
        if output.missing is not None:
            return []
        name = "translation" if output.kind == "translation" else "answer"
        data = {name: output.answer, **self._origin("given by", output)}
        return [self._question(output, data)]

    def _compared(self, output: OutputRow, other: OutputRow) -> list[JudgeQuestion]:
        """Nothing if an answer is missing or both are equal."""
        missing = output.missing is not None or other.missing is not None
        if missing or output.answer == other.answer:
            return []
        digest = records.digest([output.item.id, self.repeat])
        first = int(digest, 16) % 2 == 1
        orders = (first, not first) if self.both else (first,)
        return [self._ordered(output, other, order) for order in orders]

    def _ordered(
        self, output: OutputRow, other: OutputRow, second_first: bool
    ) -> JudgeQuestion:
        data: dict[str, object] = {}
        pair = (other, output) if second_first else (output, other)
        for name, one in zip("AB", pair, strict=True):
            data |= {name: one.answer, **self._origin(f"{name} given by", one)}
        return self._question(output, data, second_first)

    def _question(
        self, output: OutputRow, answers: dict[str, object], second_first: bool = False
    ) -> JudgeQuestion:
        language = prompt_set_for(output.source, output.kind)
        prompts = load(language, workspace=TASKS[self.about].prompts)
        data = {**self._held_to(output), **answers}
        seat = msgspec.to_builtins(self.seat)
        depends_on = [self.about, seat, self.repeat, prompts.hash, data]
        answer = JudgedAnswer(
            id=records.digest(depends_on),
            item=output.item.id,
            about=self.about,
            seat=self.seat.called,
            prompts=prompts.hash,
            blind=self.blind,
            repeat=self.repeat,
            second_first=second_first,
        )
        return JudgeQuestion(answer, data, prompts, output.kind)

    def _held_to(self, output: OutputRow) -> dict[str, object]:
        """What was asked of the system, and what counts as right."""
        right, wrong = output.listed("answers"), output.listed("wrong_answers")
        if output.kind != "translation":
            texts = {"question": output.source, "accepted answers": right}
        elif self.about == "ambiguity":
            texts = {
                "source text": output.source,
                "translations with the right reading": right,
                "translations with a wrong reading": wrong,
            }
        else:
            texts = {"source text": output.source, "reference translations": right}
        return {name: text for name, text in texts.items() if text != ()}

    def _origin(self, key: str, output: OutputRow) -> dict[str, object]:
        if self.blind or not output.method:
            return {}
        return {key: {"method": output.method, "models": list(output.models)}}

    # ------------------------------------------------------------- what it comes to

    def _measured(
        self, case: _ItemToJudge, known: Mapping[Key, JudgedAnswer]
    ) -> MeasuredValue:
        if not case.asked:
            return self._not_asked(case)
        answers = [known[question.answer.key] for question in case.asked]
        values = []
        for answer in answers:
            if answer.value is None:
                if any(answer.error for answer in answers):
                    return MeasuredValue(None, "failed")
                return MeasuredValue(
                    None, "undecided" if answer.event.ties else "unread"
                )
            values.append(1 - answer.value if answer.second_first else answer.value)
        value = sum(values) / len(values)
        if not self.declared.share:
            return MeasuredValue(value, "measured")
        return MeasuredValue(value, "right" if value == 1 else "wrong")

    def _not_asked(self, case: _ItemToJudge) -> MeasuredValue:
        """A missing answer is worse than any other; equal answers are equally good."""
        if case.other is None:
            return without_answer(case.output, self.declared)
        missing, other_missing = case.output.missing, case.other.missing
        if missing is None:
            return MeasuredValue(0.5 if other_missing is None else 1.0, "measured")
        return MeasuredValue(0.0 if other_missing is None else 0.5, case.output.state)


class _ItemToJudge(NamedTuple):
    """One answer to judge."""

    output: OutputRow
    other: OutputRow | None
    """For `preference`, the answer to compare it with."""
    asked: list[JudgeQuestion]
    """Empty if an answer is missing or both are equal."""
