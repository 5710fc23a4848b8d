"""Verdicts of judges on answers: one line per answer.

No request is repeated. Files: `equivalence.jsonl` of a batch, `NAME.judged.jsonl` of a
measure of a study.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from ....prompts import PromptSet, load, render
from ....prompts import again as asked_again
from ....sessions.errors import bad_input
from ....sessions.events import Read, ReplyEvent, Usage, Vote
from ....sessions.new import new_header
from ....sessions.session import Prompts, Seat, Session, Totals
from ....texts import failures, t
from ...model_request import ModelRequest, RequestOutcome, ask
from ...models.lineup import BUILTINS
from ...models.port import (
    Message,
    ModelError,
    ModelRemark,
    ModelReply,
    Models,
    Part,
    Task,
    Waiting,
)
from ...models.preflight import SeatModel, check
from ...models.replies import made_by
from ...reading import Unread, read_object
from ...reading.ownership import texts_in
from .. import records
from ..provenance import name_of
from .tasks import TASKS, About, MeasureJudgement

if TYPE_CHECKING:
    from ...models.config import Config
    from ...models.desk import Desk

EQUIVALENCE = "equivalence.jsonl"

Compared = Literal["answers", "wrong_answers"]
"""The texts that an answer is compared with: the right answers, or the traps."""
COMPARED: tuple[Compared, ...] = ("answers", "wrong_answers")

_CHINESE = re.compile("[\u3400-\u9fff]")
_SAME_ONLY = ("of", "question", "accepted", "answer")
_MEASURE_ONLY = ("item", "blind", "repeat", "second_first", "value")
_SPENT = ("model", "usage", "cost", "seconds")
_READ = ("value", "reason", "read", "text", "votes", "mark", "enforced")
_SAID = (*_SPENT, *_READ, "attempts", "cached")

Key = tuple[object, ...]


class JudgedAnswer(msgspec.Struct, kw_only=True):
    """What a judge said of one answer, or of two."""

    id: str
    """`same`: the id of the line. Else a digest of all that the reply depends on."""
    about: About = "same"
    seat: str
    """What the user calls the judge."""
    prompts: str = ""
    """The digest of the judge's prompts; "" in lines of earlier versions."""

    of: Compared = "answers"
    question: str = ""
    accepted: list[str] = []
    answer: str = ""

    item: str = ""
    blind: bool = True
    repeat: int = 0
    second_first: bool = False
    """The second of two answers stood first, as A."""

    value: float | None = None
    """As `About` says; None without a readable reply. `error`: there was no reply."""
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
    """What each member of a panel said."""
    mark: str | msgspec.UnsetType = msgspec.UNSET
    enforced: bool | msgspec.UnsetType = msgspec.UNSET
    """Both as in `ReplyEvent`."""
    error: str | None = None

    @property
    def key(self) -> Key:
        """Answers with the same key are to the same question."""
        texts = (self.of, self.question, tuple(self.accepted), self.answer)
        return (self.seat, self.id, *texts)

    @property
    def event(self) -> ReplyEvent:
        """The reply as an event, with the votes of a panel."""
        role = TASKS[self.about].role
        return ReplyEvent(
            role=role,
            model=self.model,
            text=self.text,
            votes=self.votes,
        )

    @property
    def same(self) -> bool | None:
        """Whether the answer says the same as an accepted one; None: unknown."""
        if self.value is None or self.about != "same":
            return None
        return self.value == 1

    @property
    def totals(self) -> Totals:
        """What the calls cost."""
        event = ReplyEvent(
            role=TASKS[self.about].role,
            attempts=self.attempts,
            **{name: getattr(self, name) for name in _SPENT},
        )
        return Totals.of(event) or Totals()

    @property
    def line(self) -> dict[str, Any]:
        """The line of the file."""
        other = _MEASURE_ONLY if self.about == "same" else _SAME_ONLY
        line: dict[str, object] = msgspec.to_builtins(self)
        line = {name: value for name, value in line.items() if name not in other}
        if self.about == "same":
            return {**line, "same": self.same}
        return line


class JudgeQuestion(NamedTuple):
    """What a judge is asked once."""

    answer: JudgedAnswer
    """To be filled in; says what is judged, and by whom."""
    data: dict[str, Any]
    """All that the judge reads after its prompts, as a JSON object."""
    prompts: PromptSet
    kind: str = "question"
    """`question` or `translation`."""


def same_question(
    line: str,
    question: str,
    accepted: Sequence[str],
    answer: str,
    *,
    of: Compared = "answers",
    seat: str = "",
) -> JudgeQuestion:
    """Asks whether the answer to a line says the same as one of the accepted ones."""
    language = "zh" if _CHINESE.search(question) else "en"
    prompts = load(language, workspace=TASKS["same"].prompts)
    blank = JudgedAnswer(
        id=line,
        of=of,
        seat=seat,
        prompts=prompts.hash,
        question=question,
        accepted=list(accepted),
        answer=answer,
    )
    data = {
        "question": question,
        "accepted answers": blank.accepted,
        "given answer": answer,
    }
    return JudgeQuestion(blank, data, prompts)


def thread_of(question: JudgeQuestion) -> list[Message]:
    """What a judge is sent."""
    templates, data = question.prompts.templates, question.data
    text = json.dumps(data, ensure_ascii=False, indent=1)
    about = question.answer.about
    system = render(templates, "system", what=about, kind=question.kind)
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": render(templates, "ask", data=text)},
    ]


async def judge(
    models: Models, question: JudgeQuestion
) -> AsyncGenerator[Part | MeasureJudgement, None]:
    """Yields what streams in and then the judgement. Raises: ModelError.

    An unreadable reply is requested again.
    """
    task, sent = TASKS[question.answer.about], texts_in(question.data)

    def again(before: list[Message], reply: str, reason: str) -> list[Message]:
        request = asked_again(question.prompts.templates, reason=reason)
        return [
            *before,
            {"role": "assistant", "content": reply},
            {"role": "user", "content": request},
        ]

    def read(reply: ModelReply) -> tuple[dict[str, Any], Read] | Unread:
        structured = reply.structured
        return read_object(reply.text, task.fields, structured=structured, sent=sent)

    def judgement(replies: list[ModelReply]) -> tuple[MeasureJudgement, str | None]:
        result, made = read(replies[-1]), made_by(task.role, replies)
        if isinstance(result, Unread):
            return MeasureJudgement(**made), result.reason
        fields, how = result
        value, reason = fields[task.key], fields.get("reason", "")
        return MeasureJudgement(**made, value=value, reason=reason, read=how), None

    request = ModelRequest(
        task.role,
        Task(cache=True, repeat=question.answer.repeat),
        thread_of(question),
        task.schema,
        judgement,
        again,
        lambda reply: not isinstance(read(reply), Unread),
        task.ballot,
        question.prompts.templates,
        sent,
    )
    async with aclosing(ask(models, request)) as parts:
        async for part in parts:
            yield part.value if isinstance(part, RequestOutcome) else part


@dataclass(frozen=True)
class JudgeInstructions:
    """How a judge is asked."""

    config: Config
    step: Callable[[], AbstractAsyncContextManager[None]]
    """Around every question, as `CallLimiter.step`. What it raises ends the asking."""
    spend: Callable[[Totals], None] = lambda spent: None
    say: Callable[[str], None] = lambda message: None


def judge_seat(taken: Seat, wrong: str) -> Seat:
    """The seat of a judge. Raises: BadInput with this message for a built-in."""
    for member in taken.members:
        if member.model in BUILTINS:
            raise bad_input(wrong, model=member.model)
    return taken


def read_answers(path: Path) -> list[JudgedAnswer]:
    """All lines of a file; skips those that cannot be read. Raises: BadInput."""
    answers = []
    for line in records.read(path):
        if isinstance(line.get("same"), bool):
            line["value"] = float(line["same"])
        try:
            answers.append(msgspec.convert(line, JudgedAnswer))
        except msgspec.ValidationError:
            continue
    return answers


def known_answers(path: Path) -> dict[Key, JudgedAnswer]:
    """The answers of a file that are not asked for again. Raises: BadInput."""
    return {one.key: one for one in read_answers(path) if one.error is None}


async def ask_missing(
    seat: Seat,
    questions: Iterable[JudgeQuestion],
    path: Path,
    asking: JudgeInstructions,
    heard: Callable[[JudgedAnswer], None] = lambda answer: None,
) -> Mapping[Key, JudgedAnswer]:
    """Asks what the file does not hold yet; returns all answers by key.

    `heard` gets every answer, those of the file first. A new one is on disk before
    that, with its costs and its error.

    Raises: what `asking.step` raises, when all calls have ended; BadInput or WriteError
    if the file cannot be read or written; BadInput if the model cannot be asked.
    """
    known = known_answers(path)
    todo = {}
    for question in questions:
        key = question.answer.key
        if key in known:
            heard(known[key])
        else:
            todo[key] = question
    if todo:
        who = next(iter(todo.values())).answer.about
        await asyncio.to_thread(check, [SeatModel(who, seat)], asking.config)
    writing = asyncio.Lock()

    async def ask_one(key: Key, question: JudgeQuestion) -> None:
        answer = question.answer
        async with asking.step():
            await _ask(seat, question, asking)
            async with writing:
                await asyncio.to_thread(records.append, path, [answer.line])
            known[key] = answer
            asking.spend(answer.totals)
            heard(answer)

    calls = (ask_one(*pair) for pair in todo.items())
    for ended in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(ended, BaseException):
            raise ended
    return known


async def _ask(seat: Seat, question: JudgeQuestion, asking: JudgeInstructions) -> None:
    answer = question.answer
    task = TASKS[answer.about]
    desk = desk_of(seat, task.role, asking.config)
    try:
        async with aclosing(judge(desk, question)) as parts:
            async for part in parts:
                if isinstance(part, MeasureJudgement):
                    _copy(part, answer, _SAID)
                    answer.model = name_of(seat) if seat.panel else answer.model
                elif isinstance(part, Waiting) or (
                    isinstance(part, ModelRemark) and part.kind == "remote-host"
                ):
                    asking.say(failures.said(part))
    except ModelError as error:
        answer.error = str(error)
        lost = desk.take_spent()
        if lost is not None:
            _copy(lost, answer, _SPENT)
        asking.say(t(task.failed, id=answer.item or answer.id, error=error))


def _copy(source: object, target: JudgedAnswer, names: Iterable[str]) -> None:
    for name in names:
        setattr(target, name, getattr(source, name))


def desk_of(seat: Seat, role: str, config: Config) -> Desk:
    """The models of a session in which only this seat answers."""
    from ...models.desk import Desk

    header = new_header(
        workspace="",
        title="",
        task={},
        lineup={role: seat},
        settings={},
        prompts=Prompts(set="en", hash="", templates={}),
    )
    return Desk(Session(header), config, env=os.environ, stream=False)
