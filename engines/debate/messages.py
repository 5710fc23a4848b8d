"""What each role receives: the rendered messages, the task as data, and the JSON Schema
of the reply.

For a debater (MAD paper, Figure 5), its own speeches are assistant turns, and all
speeches of others since then are one user turn. Debaters never see the judge's replies.
The judge has its own thread, with its earlier verdicts as assistant turns. At the end
it reads the whole history again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...prompts import mainly_chinese, render
from ...prompts.marks import mark
from ...sessions.events.debate import Baseline, Candidates, Speech, Verdict
from ...sessions.session import Session
from ..models.port import Message, Task
from ..reading.ownership import texts_in
from ..thread import assistant, instructed, object_schema, system, user
from .plan import LEVELS, DebateStep, asked_again, debaters, opposed, setting


class SpeechText(msgspec.Struct, frozen=True):
    """One speech of the debate so far."""

    role: str
    round: int
    text: str
    model: str
    """Who said it: a model's id, `human` or `script`."""


class DebateTask(Task, kw_only=True):
    """The fields common to all tasks."""

    topic: str
    kind: str
    """`question` or `translation`."""
    source: str | None = None
    """Language codes of a translation, else None."""
    target: str | None = None
    round: int = 0
    """From 1; 0 before the first round."""
    history: list[SpeechText] = []
    """The speeches that the reply may use, in order."""
    control: str = "none"
    """`judge-blind`, `consultancy`, or `none`: a debate."""


class BaselineTask(DebateTask, kw_only=True):
    """Role `baseline`: answer alone, before the debate."""


class Speak(DebateTask, kw_only=True):
    """A debater's speech of this round."""

    defended: SpeechText | None = None
    """Seeded opening, first debater: the baseline's answer."""


class VerdictTask(DebateTask, kw_only=True):
    """Discriminative verdict after this round."""

    sides: list[str]


class ListCandidates(DebateTask, kw_only=True):
    """Extractive judge, first step."""


class Choose(DebateTask, kw_only=True):
    """Extractive judge, second step."""

    sides: list[str]
    candidates: list[str]
    """As read from the first step; empty if it could not be read."""


class JudgeAlone(DebateTask, kw_only=True):
    """A blind judge: answer without a debate."""


class OppositionTask(DebateTask, kw_only=True):
    """Role `observer`: how far the speeches of this round oppose each other, 0 to 1."""


def speeches(session: Session) -> list[Speech]:
    return [event for event in session.events if isinstance(event, Speech)]


def name_of(session: Session, role: str) -> str:
    """Return the name of a role in the prompts."""
    return _word(session.header.prompts.templates, "names", role)


def messages(session: Session, step: DebateStep) -> list[Message]:
    """Return the thread for this step: a system turn, then user and assistant turns in
    strict alternation, ending with a user turn.
    """
    step = asked_again(session, step)
    build = {
        "baseline": _baseline,
        "speech": _speech,
        "stance": _stance,
        "verdict": _verdict,
        "candidates": _candidates,
        "extraction": _extraction,
        "blind": _blind,
    }[step.what]
    return build(_Texts(session, step), session, step)


def again(
    session: Session, step: DebateStep, thread: Sequence[Message], reply: str
) -> list[Message]:
    """Return the messages that repeat the request after an unreadable reply."""
    return [*thread, assistant(reply), user(_Texts(session, step)("again"))]


def task(session: Session, step: DebateStep) -> DebateTask:
    """Return the task of a step as data."""
    step = asked_again(session, step)
    about = session.header.task
    common: dict[str, Any] = {
        "topic": str(about.get("topic", "")),
        "kind": str(about.get("kind", "question")),
        "source": _code(about.get("from")),
        "target": _code(about.get("to")),
        "round": step.round,
        "control": setting(session, "control"),
        "repeat": step.sample - 1,
    }
    said = [_said(event) for event in speeches(session)]
    sides = list(debaters(session))
    if step.what == "baseline":
        return BaselineTask(**common)
    if step.what == "speech":
        base = _base(session) if step.role == sides[0] else None
        defended = SpeechText("baseline", 0, base.text, base.model) if base else None
        return Speak(**common, history=said, defended=defended)
    if step.what == "stance":
        return OppositionTask(
            **common, history=[one for one in said if one.round == step.round]
        )
    if step.what == "verdict":
        return VerdictTask(**common, history=said, sides=sides)
    if step.what == "blind":
        return JudgeAlone(**common)
    shown = [_said(event) for event in _shown_at_end(session)]
    if step.what == "candidates":
        return ListCandidates(**common, history=shown)
    listed = _listed(session, step.round)
    return Choose(
        **common,
        history=shown,
        sides=sides,
        candidates=list(listed.items) if listed else [],
    )


def sent(session: Session, step: DebateStep) -> list[str]:
    """Return the texts by others in the messages of this step: speeches, candidates,
    the topic, the evidence.
    """
    return [
        *texts_in(task(session, step)),
        *(text for _, text in _evidence(session.header.task.get("evidence"))),
    ]


def schema(session: Session, step: DebateStep) -> dict[str, Any] | None:
    """Return the JSON Schema of the requested object; None for free text.

    The reason comes first: in a schema mode the keys are written in this order, so the
    decision can be based on the reason.
    """
    text = {"type": "string"}
    side = {"type": "string", "enum": [*debaters(session), "none"]}
    wanted: dict[str, dict[str, object]] = {
        "verdict": {
            "reason": text,
            "preference": {"type": "boolean"},
            "supported_side": side,
            "answer": text,
        },
        "candidates": {"candidates": {"type": "array", "items": text}},
        "extraction": {"reason": text, "supported_side": side, "answer": text},
        "blind": {"reason": text, "answer": text},
        "stance": {"reason": text, "disagreement": {"type": "number"}},
    }
    properties = wanted.get(asked_again(session, step).what)
    if properties is None:
        return None
    return object_schema(properties)


class _Texts:
    """Renders templates, with all values that they can refer to."""

    def __init__(self, session: Session, step: DebateStep) -> None:
        about = session.header.task
        self._session = session
        sides = debaters(session)
        self._templates = session.header.prompts.templates
        others = [name_of(session, role) for role in sides if role != step.role]
        self._values: dict[str, object] = {
            "topic": about.get("topic", ""),
            "kind": about.get("kind", "question"),
            "source": self._language(_code(about.get("from"))),
            "target": self._language(_code(about.get("to"))),
            "count": len(sides),
            "rounds": setting(session, "rounds"),
            "round": step.round,
            "me": name_of(session, step.role),
            "others": ("、" if mainly_chinese("".join(others)) else ", ").join(others),
            "sides": sides,
            "side_names": {role: name_of(session, role) for role in sides},
            "level": "",
            "speeches": "",
            "defended": "",
            "mark": "",
            "name": "",
            "speech": "",
            "evidence": "",
        }
        self._evidence = _evidence(about.get("evidence"))

    def __call__(self, key: str, **values: object) -> str:
        return render(self._templates, key, **{**self._values, **values})

    def _language(self, code: str | None) -> str:
        if code:
            return _word(self._templates, "languages", code)
        return ""

    def system(self, key: str, **values: object) -> Message:
        """Return the system turn, followed by the evidence if there is any: each piece
        between marks that cannot occur in it.
        """
        text = self(key, **values)
        if self._evidence:
            shown = [
                self("enclosed", mark=mark(piece), name=f"[{n}]", speech=piece)
                for n, piece in self._evidence
            ]
            text += "\n\n" + self("evidence", evidence="\n\n".join(shown))
        return instructed(self._session, text, setting(self._session, "hints"))

    def enclosed(self, session: Session, said: Sequence[Speech], *, names: bool) -> str:
        """Return speeches one after another, each between marks that cannot occur in
        its text.
        """
        return "\n\n".join(
            self(
                "enclosed",
                mark=mark(event.text),
                name=name_of(session, event.role) if names else "",
                speech=event.text,
            )
            for event in said
        )


def _baseline(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    told = texts("baseline_system")
    instructions = instructed(session, told, setting(session, "hints"))
    return [instructions, user(texts("baseline_ask"))]


def _speech(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    sides = debaters(session)
    names = len(sides) > 2
    level = texts(f"levels.{LEVELS.get(setting(session, 'level'), LEVELS[2])}")
    thread = [texts.system("debater_system", level=level)]
    heard: list[Speech] = []

    def user_turn(asked: Session) -> Message:
        """`asked`: the session at the time of the call, so that a later change of level
        does not alter it.
        """
        enclosed = texts.enclosed(session, heard, names=names)
        if len(thread) > 1:
            return user(texts("debater_goes_on", speeches=enclosed))
        if heard:
            return user(
                texts(
                    "debater_opposes"
                    if step.role == "negative" and opposed(asked)
                    else "debater_joins",
                    speeches=enclosed,
                )
            )
        base = _base(session)
        if base is not None and step.role == sides[0]:
            return user(
                texts("debater_first_seeded", defended=base.answer or base.text)
            )
        return user(texts("debater_first"))

    for event in speeches(session):
        if event.role == step.role:
            thread += [
                user_turn(
                    session.prefix(event.number - 1) if len(thread) == 1 else session
                ),
                assistant(event.text),
            ]
            heard = []
        else:
            heard.append(event)
    return [*thread, user_turn(session)]


def _verdict(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    thread = [texts.system("judge_system")]
    waiting = []
    for number in range(1, step.round + 1):
        said = [event for event in speeches(session) if event.round == number]
        waiting.append(
            texts(
                "judge_round",
                round=number,
                speeches=texts.enclosed(session, said, names=True),
            )
        )
        verdict = _readable(session, number) if number < step.round else None
        if verdict is not None:
            thread += [user("\n\n".join(waiting)), assistant(verdict.text)]
            waiting = []
    return [*thread, user("\n\n".join([*waiting, texts("judge_ask")]))]


def _candidates(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    rounds: dict[int, list[Speech]] = {}
    for event in _shown_at_end(session):
        rounds.setdefault(event.round, []).append(event)
    history = "\n\n".join(
        texts(
            "judge_round",
            round=number,
            speeches=texts.enclosed(session, said, names=True),
        )
        for number, said in rounds.items()
    )
    return [
        texts.system("judge_system"),
        user(texts("judge_candidates", speeches=history)),
    ]


def _extraction(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    listed = _listed(session, step.round)
    thread = _candidates(texts, session, step)
    return [
        *thread,
        assistant(listed.text if listed else ""),
        user(texts("judge_choose")),
    ]


def _blind(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    return [texts.system("judge_system"), user(texts("judge_ask"))]


def _stance(texts: _Texts, session: Session, step: DebateStep) -> list[Message]:
    said = [event for event in speeches(session) if event.round == step.round]
    asked = texts("observer_ask", speeches=texts.enclosed(session, said, names=True))
    return [system(texts("observer_system")), user(asked)]


def _shown_at_end(session: Session) -> list[Speech]:
    """Return what the extractive judge reads: everything, or only round 1, as in the
    paper's own code.
    """
    said = speeches(session)
    if setting(session, "judge_history") == "first-round":
        return [event for event in said if event.round == 1]
    return said


def _readable(session: Session, number: int) -> Verdict | None:
    for event in reversed(session.events):
        if (
            isinstance(event, Verdict)
            and event.mode == "discriminative"
            and event.round == number
        ):
            if event.read != "unread":
                return event
            return None
    return None


def _listed(session: Session, number: int) -> Candidates | None:
    for event in reversed(session.events):
        if isinstance(event, Candidates) and event.round == number:
            return event
    return None


def _base(session: Session) -> Baseline | None:
    return next(
        (event for event in session.events if isinstance(event, Baseline)), None
    )


def _evidence(listed: object) -> list[tuple[int, str]]:
    """Return number and text of each piece, starting with its title. Invalid pieces in
    a foreign file are omitted.
    """
    pieces = (
        [one for one in listed if isinstance(one, Mapping)]
        if isinstance(listed, list)
        else []
    )
    made = [
        (one.get("n"), str(one.get("title") or ""), str(one.get("text") or ""))
        for one in pieces
    ]
    return [
        (n if isinstance(n, int) else at, f"{title}\n{text}".strip())
        for at, (n, title, text) in enumerate(made, 1)
    ]


def _word(templates: Mapping[str, object], kind: str, name: str) -> str:
    """Return the prompt set's name for a role or a language; its plain name if the set
    has none.
    """
    words = templates.get(kind)
    if isinstance(words, Mapping):
        return str(words.get(name, name))
    return name


def _code(language: object) -> str | None:
    if language:
        return str(language)
    return None


def _said(event: Speech) -> SpeechText:
    return SpeechText(event.role, event.round, event.text, event.model)
