"""A question, its references and its verified answers as text for people."""

from __future__ import annotations

from typing import ClassVar

from ..engines.rag.decision import BOUNDED
from ..engines.rag.plan import SCORES
from ..sessions.clean import clean
from ..sessions.events import Check, Clause, Decision, Event, Made, RagAnswer, RagResult, Reference, Retrieval, Verification
from ..sessions.session import Session
from ..tui.texts import t
from .console import out, say
from .text import TextOut, model_name, role_name

FIRST_LINE = 110
"""Characters of a reference that are printed: enough to know it by."""


class RagText(TextOut):
    """Prints a question, with a heading above each iteration."""

    READ_OUT: ClassVar[frozenset[str]] = frozenset({"verifier", "reviser"})
    STREAMED: ClassVar[tuple[type[Event], ...]] = (RagAnswer,)
    SUBJECT: ClassVar[str] = "question"

    def header(self, session: Session) -> None:
        names = [role for role in ("generator", "verifier", "reviser") if role in session.header.lineup]
        seats = "; ".join(f"{role_name(role)}: {model_name(session.seat(role))}" for role in names)
        out(f"{self._about(session)}\n\n{seats}\n")
        if any(session.seat(role).model == "lexical" for role in names):
            out(f"{t('asked.lexical')}\n")

    def event(self, event: Event) -> None:
        super().event(event)
        if isinstance(event, RagResult) and event.stopped_by == "unread":
            say(t("asked.kept"))

    def _text(self, event: Event) -> str:
        match event:
            case Retrieval():
                return _retrieval(event)
            case Check():
                return _check(event)
            case Decision():
                return _decision(event)
            case RagResult():
                return _result(event)
        return super()._text(event)

    def _said(self, event: Made) -> str:
        if isinstance(event, Verification):
            return _verification(event, super()._said(event))
        if isinstance(event, RagAnswer) and event.answer is not None:
            return clean(event.answer)
        return super()._said(event)


def _line(text: str) -> str:
    return clean(text, newlines=False)


def _retrieval(event: Retrieval) -> str:
    lines = ["", t("asked.iteration", n=event.iteration), t("asked.query", query=_line(event.query))]
    lines += [t("asked.unknown", words=t("asked.comma").join(map(_line, event.unknown)))] if event.unknown else []
    lines += [_reference(one) for one in event.references if one.id not in event.dropped]
    lines += [_line(event.message)] if event.message else []
    return "\n".join([*lines, ""])


def _reference(one: Reference) -> str:
    figures = [value for value in (one.rerank_score, one.embed_score, one.score) if value is not None]
    score = f" {figures[0]:.2f}" if figures else ""
    flags = "".join(f" ({t(f'asked.flag_{flag}')})" for flag in one.flags if flag in ("instructions", "marks", "snippet"))
    first = " ".join(clean(one.text).split())
    cut = first if len(first) <= FIRST_LINE else first[: FIRST_LINE - 1].rstrip() + "…"
    return f"[{one.n}] {_line(one.title or one.id)}{score}{flags}\n    {cut}"


def _check(event: Check) -> str:
    told = []
    if event.unknown:
        told.append(t("asked.not_there", numbers=" ".join(f"[{n}]" for n in event.unknown)))
    if event.empty:
        told.append(t("asked.empty", n=event.empty))
    told.append(t("asked.uncited", n=event.uncited, of=len(event.sentences)))
    measured = [one.support for one in event.sentences if one.support is not None]
    if measured:
        told.append(t("asked.support", least=f"{min(measured):.2f}", measure=_line(event.measure)))
    return f"\n{t('asked.check', told=t('asked.joint').join(told))}\n"


def _verification(event: Verification, text: str) -> str:
    lines: list[str] = []
    if event.read == "unread":
        lines += [t("plain.unread"), text]
    elif any(getattr(event, name) is not None for name in SCORES) or event.judgement is not None:
        names = [t(f"asked.{name}") for name in SCORES]
        width = max(map(_columns, names))
        for name, told in zip(SCORES, names, strict=True):
            value = getattr(event, name)
            figure = "-" if value is None else f"{value:.2f}"
            remark = f"  {t('asked.bias_is_bad')}" if name == "bias" else ""
            lines.append(f"  {told}{' ' * (width - _columns(told))}  {figure}{remark}")
        lines.append(t("asked.judgement", value=t(f"asked.judged_{event.judgement or 'unread'}")))
    if event.read != "unread":
        none = t("asked.no_query") if event.revised_query == "" else t("asked.judged_unread")
        lines.append(t("asked.revised", query=_line(event.revised_query or "") or none))
    lines += [_line(problem) for problem in event.problems]
    return "\n".join(lines)


def _decision(event: Decision) -> str:
    said = {True: "asked.again", False: "asked.enough", None: "asked.undecided"}[event.revise]
    return "\n".join([f"\n{t(said, rule=_line(event.rule))}", *map(_clause, event.clauses), ""])


def _clause(one: Clause) -> str:
    value = "-" if one.value is None else f"{one.value:.2f}" if isinstance(one.value, float) else f"“{_line(str(one.value))}”"
    holds = {True: "asked.holds", False: "asked.holds_not", None: "asked.judged_unread"}[one.holds]
    bound = f"{BOUNDED.get(one.name, '')} {one.bound}".strip()
    return f"  {_line(one.name)} {value} ({_line(bound)}): {t(holds)}"


def _result(event: RagResult) -> str:
    answer = clean(event.answer) if event.answer else t("asked.no_answer")
    return f"\n{t('plain.result', answer=answer)}\n{t('asked.stopped_' + event.stopped_by.replace('-', '_'), n=event.iterations)}\n"


def _columns(text: str) -> int:
    """Columns of a terminal: wide signs take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)
