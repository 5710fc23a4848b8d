"""A measure that a model takes: it reads an item and its answer, gives a reason and then a value.

Every reply is on disk before its value counts, with what it cost; nothing is asked twice. Of two answers, which one stands first goes by a
digest of the item, so that neither gains by its place, and each line says which it was.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec

from ...prompts import PromptSet, load, prompt_set_for
from ...sessions.errors import BadInput
from ...sessions.events import Usage, Vote
from ...sessions.new import new_header
from ...sessions.session import Prompts, Seat, Session, Totals
from ...texts import failures, t
from ..models.lineup import BUILTINS
from ..models.port import ModelError, Remark, Waiting
from . import kept
from .judging import ROLE, SCHEMAS, Judgement, judge
from .measure import Measure, Measured
from .outputs import Given, Output, output_of, without_answer

if TYPE_CHECKING:
    from ..models.config import Config

About = Literal["ambiguity", "correctness", "quality", "preference"]
"""`ambiguity`: a translation renders what was ambiguous rightly. `correctness`: an answer is right. `quality`: 1 to 5. `preference`: which
of two answers is better: 1 the first, 0 the second, 0.5 neither."""

KEYS = ("judge", "model", "name", "blind", "repeat", "both", "temperature")


@dataclass(frozen=True)
class Asking:
    """How the judge is asked: every call stands within `step()`, what it cost goes to `spend`."""

    config: Config
    step: Callable[[], AbstractAsyncContextManager[None]]
    """As `Turnstile.step`. What it raises ends the measurement; what was said before is on disk."""
    spend: Callable[[Totals], None] = lambda spent: None
    say: Callable[[str], None] = lambda message: None


class Said(msgspec.Struct, kw_only=True):
    """One line of the file: what the judge said of one answer, or of two."""

    id: str
    """Of all that the reply depends on."""
    item: str
    about: str
    seat: str
    blind: bool
    repeat: int
    second_first: bool = False
    """Of two answers, the second one stood first, as A."""
    value: float | None = None
    """Of two answers that of A. None: the reply could not be read, or there was none (`error`)."""
    reason: str = ""
    read: str = "unread"
    model: str = ""
    text: str = ""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    cached: bool = False
    votes: list[Vote] | msgspec.UnsetType = msgspec.UNSET
    """Of a panel: what each member said."""
    error: str | None = None

    @property
    def totals(self) -> Totals:
        """What it cost."""
        from ...sessions.events import Made

        spent = Made(
            role=ROLE,
            model=self.model,
            usage=self.usage,
            cost=self.cost,
            seconds=self.seconds,
            attempts=self.attempts,
        )
        return Totals.of(spent) or Totals()


class _Question(NamedTuple):
    """What is to be asked once."""

    said: Said
    data: dict[str, Any]
    prompts: PromptSet
    kind: str


@dataclass(frozen=True)
class Judged:
    """What is judged, and by which model."""

    about: About
    seat: Seat
    name: str
    """`judge-ambiguity`, or the name that the study gives."""
    blind: bool = True
    """The judge is not told which method and which models gave the answer."""
    repeat: int = 0
    """Equal judgements with different numbers are asked for apart."""
    both: bool = False
    """Of two answers: asked in both orders, and the mean counts."""

    @classmethod
    def read(cls, spec: Mapping[str, Any], config: Config) -> Judged:
        """The measure of `{judge: ambiguity, model: gpt4, blind: true}`. Raises: BadInput."""
        from ..models.seating import seat_for, with_params

        for key in spec:
            if key not in KEYS:
                raise BadInput(t("wrong.judged.key", key=key, names=", ".join(KEYS)))
        about, model, repeat = (
            spec.get("judge"),
            spec.get("model"),
            spec.get("repeat", 0),
        )
        if about not in SCHEMAS:
            raise BadInput(
                t("wrong.judged.about", about=about, names=", ".join(SCHEMAS))
            )
        if not isinstance(model, str) or not model.strip():
            raise BadInput(t("wrong.judged.model", about=about))
        for key in ("blind", "both"):
            if not isinstance(spec.get(key, False), bool):
                raise BadInput(t("wrong.judged.switch", key=key))
        if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
            raise BadInput(t("wrong.judged.repeat"))
        seat = seat_for(model, config)
        built_in = next(
            (one.model for one in seat.members if one.model in BUILTINS), None
        )
        if built_in is not None:
            raise BadInput(t("wrong.judged.builtin", model=built_in))
        temperature = spec.get("temperature")
        if temperature is not None:
            if (
                isinstance(temperature, bool)
                or not isinstance(temperature, int | float)
                or not 0 <= temperature <= 2
            ):
                raise BadInput(t("wrong.judged.temperature"))
            seat = with_params(seat, {"temperature": temperature})
        name = kept.check_name(spec.get("name") or f"judge-{about}")
        return cls(
            cast(About, about),
            seat,
            name,
            spec.get("blind", True),
            repeat,
            spec.get("both", False),
        )

    @property
    def declared(self) -> Measure:
        """The measure as figures and comparisons take it; its `of` gives nothing, since a session alone does not have it."""
        low, high = (1.0, 5.0) if self.about == "quality" else (0.0, 1.0)
        share = self.about in ("ambiguity", "correctness")
        return Measure(
            self.name,
            "higher",
            lambda session, item: (),
            share=share,
            low=low,
            high=high,
        )

    def left(
        self,
        given: Sequence[Given],
        folder: Path,
        against: Sequence[Given] | None = None,
    ) -> int:
        """How many calls it takes at least to judge what `folder` does not hold yet."""
        known = self._known(folder)
        asked = {
            question.said.id
            for questions in self._questions(given, against)
            for question in questions
        }
        return len(asked - known.keys())

    def spent(self, folder: Path) -> Totals:
        """What all calls of this measure in `folder` have cost, failed ones included."""
        total = Totals()
        for said in _lines(self._file(folder)):
            total.add(said.totals)
        return total

    async def measure(
        self,
        given: Sequence[Given],
        folder: Path,
        asking: Asking,
        against: Sequence[Given] | None = None,
    ) -> list[Measured]:
        """A measurement for each, in order; what `folder` holds is not asked again.

        `against`: for `preference`, the other answer to each. A call that fails, or a reply that cannot be read, gives no value. Raises:
        what `asking.step` raises, when the calls on their way have ended; BadInput where the folder cannot be written.
        """
        listed = self._questions(given, against)
        known = self._known(folder)
        todo = {
            one.said.id: one
            for questions in listed
            for one in questions
            if one.said.id not in known
        }
        writing = asyncio.Lock()

        async def ask(question: _Question) -> None:
            async with asking.step():
                said = await self._ask(question, asking)
                async with writing:
                    await asyncio.to_thread(
                        kept.add, self._file(folder), [msgspec.to_builtins(said)]
                    )
                asking.spend(said.totals)
            known[said.id] = said

        ended = await asyncio.gather(*map(ask, todo.values()), return_exceptions=True)
        for error in ended:
            if isinstance(error, BaseException):
                raise error
        return [
            self._measured(
                one,
                questions,
                known,
                None if against is None else output_of(against[place]),
            )
            for place, (one, questions) in enumerate(
                zip(map(output_of, given), listed, strict=True)
            )
        ]

    # ------------------------------------------------------------- what is asked

    def _questions(
        self, given: Sequence[Given], against: Sequence[Given] | None
    ) -> list[list[_Question]]:
        """What is asked of each: nothing where an answer is missing or two are the same, twice where both orders are wanted."""
        if (self.about == "preference") != (against is not None):
            raise BadInput(t("wrong.judged.against", name=self.name))
        made: list[list[_Question]] = []
        for place, output in enumerate(map(output_of, given)):
            other = None if against is None else output_of(against[place])
            if output.missing is not None or (
                other is not None
                and (other.missing is not None or other.answer == output.answer)
            ):
                made.append([])
            elif other is None:
                made.append([self._question(output)])
            else:
                first = int(kept.digest([output.item.id, self.repeat]), 16) % 2 == 1
                made.append(
                    [
                        self._question(output, other, order)
                        for order in ((first, not first) if self.both else (first,))
                    ]
                )
        return made

    def _question(
        self, output: Output, other: Output | None = None, second_first: bool = False
    ) -> _Question:
        fields = output.item.fields
        kind = str(fields.get("kind") or "question")
        source = next(
            (str(fields[name]) for name in ("topic", "question") if fields.get(name)),
            "",
        )
        prompts = load(prompt_set_for(source, kind), workspace="judging")
        data = self._data(output, source, kind)
        if other is None:
            data["translation" if kind == "translation" else "answer"] = output.answer
            data |= self._origin("given by", output)
        else:
            for name, one in zip(
                "AB", (other, output) if second_first else (output, other), strict=True
            ):
                data |= {name: one.answer, **self._origin(f"{name} given by", one)}
        seat = msgspec.to_builtins(self.seat)
        key = kept.digest([self.about, seat, self.repeat, prompts.hash, data])
        return _Question(
            Said(
                id=key,
                item=output.item.id,
                about=self.about,
                seat=self.seat.name or self.seat.model,
                blind=self.blind,
                repeat=self.repeat,
                second_first=second_first,
            ),
            data,
            prompts,
            kind,
        )

    def _data(self, output: Output, source: str, kind: str) -> dict[str, Any]:
        right, wrong = (
            list(output.listed(name)) for name in ("answers", "wrong_answers")
        )
        if kind != "translation":
            return {
                "question": source,
                **({"accepted answers": right} if right else {}),
            }
        names = (
            "translations with the right reading",
            "translations with a wrong reading",
        )
        right_name = names[0] if self.about == "ambiguity" else "reference translations"
        return {
            "source text": source,
            **({right_name: right} if right else {}),
            **({names[1]: wrong} if wrong and self.about == "ambiguity" else {}),
        }

    def _origin(self, key: str, output: Output) -> dict[str, Any]:
        return (
            {}
            if self.blind or not output.method
            else {key: {"method": output.method, "models": list(output.models)}}
        )

    async def _ask(self, question: _Question, asking: Asking) -> Said:
        from ..models.desk import Desk

        said = question.said
        desk = Desk(_session(self.seat), asking.config, env=os.environ, stream=False)
        try:
            parts = judge(
                desk,
                self.about,
                question.kind,
                question.data,
                question.prompts.templates,
                self.repeat,
            )
            async with aclosing(parts):
                async for part in parts:
                    if isinstance(part, Judgement):
                        for name in (
                            "value",
                            "reason",
                            "read",
                            "model",
                            "text",
                            "usage",
                            "cost",
                            "seconds",
                            "attempts",
                            "cached",
                            "votes",
                        ):
                            setattr(said, name, getattr(part, name))
                    elif isinstance(part, Waiting) or (
                        isinstance(part, Remark) and part.kind == "remote-host"
                    ):
                        asking.say(failures.said(part))
        except ModelError as error:
            said.error = str(error)
            lost = desk.take_spent()
            if lost is not None:
                said.model, said.usage, said.cost, said.seconds = (
                    lost.model,
                    lost.usage,
                    lost.cost,
                    lost.seconds,
                )
            asking.say(t("report.said.not_judged", id=said.item, error=error))
        return said

    # ------------------------------------------------------------- what was said

    def _file(self, folder: Path) -> Path:
        return folder / f"{self.name}.judged.jsonl"

    def _known(self, folder: Path) -> dict[str, Said]:
        return {
            said.id: said for said in _lines(self._file(folder)) if said.error is None
        }

    def _measured(
        self,
        output: Output,
        questions: Sequence[_Question],
        known: Mapping[str, Said],
        other: Output | None,
    ) -> Measured:
        if not questions:
            return (
                without_answer(output, self.declared)
                if other is None
                else _not_asked(output, other)
            )
        said = [known[question.said.id] for question in questions]
        turned = [question.said.second_first for question in questions]
        values = [
            1.0 - one.value if turn else one.value
            for one, turn in zip(said, turned, strict=True)
            if one.value is not None
        ]
        if len(values) < len(said):
            return Measured(
                None, "failed" if any(one.error for one in said) else "unread"
            )
        value = sum(values) / len(values)
        return Measured(
            value,
            ("right" if value == 1 else "wrong") if self.declared.share else "measured",
        )


def _not_asked(output: Output, other: Output) -> Measured:
    """Of two answers, one that is missing is the worse one; equal ones are equally good."""
    if output.missing is None and other.missing is None:
        return Measured(0.5, "measured")
    if output.missing is not None:
        return Measured(0.5 if other.missing is not None else 0.0, output.state)
    return Measured(1.0, "measured")


def _lines(path: Path) -> list[Said]:
    found = []
    for one in kept.objects(path):
        try:
            found.append(msgspec.convert(one, Said))
        except msgspec.ValidationError:
            continue
    return found


def _session(seat: Seat) -> Session:
    prompts = Prompts(set="en", hash="", templates={})
    return Session(
        new_header(
            workspace="",
            title="",
            task={},
            lineup={ROLE: seat},
            settings={},
            prompts=prompts,
        )
    )
