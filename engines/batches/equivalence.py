"""`--equivalence MODEL`: a model compares the answers of a batch that neither their text nor their value settles."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Made
from ...sessions.files import write_whole
from ...sessions.new import new_header
from ...sessions.session import Prompts, Seat, Session, Totals
from ...texts import failures, t
from ...texts.settings import listed, word
from ..models.lineup import BUILTINS
from .budget import Budget, OverBudget
from .comparison import ROLE, Compared, Comparison, Opinion, compare
from .turnstile import Turnstile

if TYPE_CHECKING:
    from ..models.config import Config
    from .report import Row

FILE = "equivalence.jsonl"
"""What was asked and said, one comparison a line. Nothing in it is asked again."""


class Question(NamedTuple):
    """One comparison that is to be made: the answer of a row against the texts that its line lists under `of`."""

    row: Row
    of: Compared
    question: str
    accepted: tuple[str, ...]
    answer: str


@dataclass
class Equivalence:
    """The model that compares, and how."""

    seat: Seat
    config: Config

    @classmethod
    def of(cls, model: str | None, config: Config) -> Equivalence | None:
        """The comparison by this model; None where none is named. BadInput for a built-in, which cannot compare."""
        if model is None:
            return None
        from ..models.seating import seat

        found = seat(model, config)
        built_in = next(
            (one.model for one in found.members if one.model in BUILTINS), None
        )
        if built_in is not None:
            raise BadInput(t("wrong.batch.equivalence", model=built_in))
        return cls(found, config)

    @property
    def name(self) -> str:
        return self.seat.name or self.seat.model

    async def compare(
        self,
        questions: Iterable[Question],
        folder: Path,
        turnstile: Turnstile,
        tell: Callable[[str], None],
    ) -> None:
        """Asks what is not in `folder` yet and gives every row what was said. Stops where the budget is reached."""
        earlier = kept(folder / FILE)
        known = {one.key: one for one in earlier if one.error is None}
        todo: list[tuple[Question, Comparison]] = []
        for question in questions:
            said = _blank(self.name, question)
            if said.key in known:
                _hear(question.row, known[said.key], turnstile.budget)
            else:
                todo.append((question, said))

        async def one(question: Question, said: Comparison) -> None:
            try:
                async with turnstile.step():
                    await self._ask(question, said, tell)
            except OverBudget:
                return
            known[said.key] = said
            _hear(question.row, said, turnstile.budget)

        try:
            await asyncio.gather(*(one(*pair) for pair in todo))
        finally:
            if todo:
                write_whole(
                    folder / FILE,
                    "".join(
                        json.dumps(msgspec.to_builtins(said), ensure_ascii=False) + "\n"
                        for said in known.values()
                    ),
                )

    async def _ask(
        self, question: Question, said: Comparison, tell: Callable[[str], None]
    ) -> None:
        from ..models.desk import Desk
        from ..models.port import ModelError, Remark, Waiting

        desk = Desk(_session(self.seat), self.config, env=os.environ, stream=False)
        try:
            async with aclosing(
                compare(desk, question.question, question.accepted, question.answer)
            ) as parts:
                async for part in parts:
                    if isinstance(part, Opinion):
                        _take(said, part)
                    elif isinstance(part, Waiting) or (
                        isinstance(part, Remark) and part.kind == "remote-host"
                    ):
                        tell(failures.said(part))
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
            tell(t("report.said.not_compared", id=said.id, error=error))


def recall(
    model: str,
    questions: Iterable[Question],
    said: Mapping[tuple[Any, ...], Comparison],
) -> None:
    """Gives every row what this model has said of its answer, by `Comparison.key`. Nobody is asked."""
    for question in questions:
        known = said.get(_blank(model, question).key)
        if known is not None:
            _hear(question.row, known, Budget(None, None))


def _blank(model: str, question: Question) -> Comparison:
    """The comparison that answers a question, before anybody was asked."""
    return Comparison(
        id=question.row.line.id,
        of=question.of,
        seat=model,
        question=question.question,
        accepted=list(question.accepted),
        answer=question.answer,
    )


def _take(said: Comparison, opinion: Opinion) -> None:
    for name in (
        "same",
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
        setattr(said, name, getattr(opinion, name))


def _session(seat: Seat) -> Session:
    from ...sessions.session import Session

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


def kept(path: Path) -> list[Comparison]:
    """What was said in earlier runs; a line that cannot be read is asked again."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Comparison))
        except msgspec.MsgspecError:
            continue
    return found


def _hear(row: Row, said: Comparison, budget: Budget) -> None:
    """Gives a row what was said of its answer, with what it cost."""
    event = Made(
        role=ROLE,
        model=said.model,
        usage=said.usage,
        cost=said.cost,
        seconds=said.seconds,
        attempts=said.attempts,
    )
    spent = Totals.of(event) or Totals()
    row.hear(said, spent)
    budget.add(spent)


def compared(rows: Sequence[Row]) -> dict[str, Any]:
    """`equivalence` of a report: {models, asked, same, different, unread, failed}; nothing where no model was asked."""
    said = [one for row in rows for one in row.compared.values()]
    if not said:
        return {}
    failed = sum(one.error is not None for one in said)
    part = {
        "models": list(dict.fromkeys(one.model for one in said if one.model)),
        "asked": len(said),
        "same": sum(one.same is True for one in said),
        "different": sum(one.same is False for one in said),
        "unread": sum(one.same is None for one in said) - failed,
        "failed": failed,
    }
    return {"equivalence": part}


def compared_in_words(found: dict[str, Any]) -> list[str]:
    """`answers compared by gpt-4: 3; same 1, different 2`"""
    part = found.get("equivalence")
    if part is None:
        return []
    told = [
        f"{word(name)} {part[name]}"
        for name in ("same", "different", "unread", "failed")
        if part[name] or name in ("same", "different")
    ]
    return [
        t(
            "report.batch.compared",
            names=", ".join(part["models"]) or t("report.batch.a_model"),
            part=part["asked"],
            names2=listed(told),
        )
    ]
