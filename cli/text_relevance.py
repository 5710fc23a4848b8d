"""A query and its candidates as text for people: facts, judgements with reasons, scores, the ranking, and how far raters agree."""

from __future__ import annotations

from typing import ClassVar

from ..engines.relevance.plan import KINDS, QUERY, Fold, Kind, candidates, facts_stage, gold, kind_of
from ..sessions.clean import clean
from ..sessions.events import Demonstrations, Event, Facts, Judgement, Label, Made, RelevanceResult, Score
from ..sessions.session import Session
from ..tui.texts import t
from .console import out
from .text import TextOut, model_name, role_name

FIRST_LINE = 110
"""Characters of a case or a fact that are printed: enough to know it by."""


class RelevanceText(TextOut):
    """Prints a query, with a heading above each candidate."""

    READ_OUT: ClassVar[frozenset[str]] = frozenset({"extractor", "annotator"})

    def __init__(self, *, stream: bool = False) -> None:
        super().__init__(stream=stream)
        self._session: Session | None = None
        self._bits: dict[str, dict[Kind, bool | None]] = {}
        """Candidate to kind to the judgement in force."""
        self._about_case: str | None = None

    def header(self, session: Session) -> None:
        self._session = session
        asked = session.header.task.get("query")
        query = asked if isinstance(asked, dict) else {}
        names = [role for role in ("extractor", "annotator") if role in session.header.lineup]
        seats = "; ".join(f"{role_name(role)}: {model_name(session.seat(role))}" for role in names)
        told = [clean(session.title, newlines=False), t("judged.query", text=_short(str(query.get("text", ""))))]
        told += [t("judged.candidates", n=len(candidates(session)), set=_short(str(session.header.settings.get("demonstrations", ""))))]
        out("\n".join(told) + f"\n\n{seats}\n")
        if any(session.seat(role).model == "lexical" for role in names):
            out(f"{t('judged.lexical')}\n")

    def _text(self, event: Event) -> str:
        case = getattr(event, "candidate", None) or getattr(event, "case", None)
        heading = ""
        if isinstance(event, Demonstrations | Facts | Judgement):
            name = QUERY if case is None or case == QUERY else str(case)
            if name != self._about_case:
                self._about_case = name
                heading = f"\n{self._heading(name)}\n"
            if not isinstance(event, Judgement):
                self._void(event, name)
        match event:
            case Demonstrations():
                return heading + _demonstrations(event)
            case Facts():
                return heading + _facts(event)
            case Judgement():
                self._bits.setdefault(event.candidate, {})[event.kind] = event.relevant
                return heading + _judgement(event)
            case Score():
                return self._score(event)
            case Label():
                value = t("judged.no_level") if event.value is None else str(event.value)
                return f"\n{t('judged.label', annotator=_short(event.annotator), case=_short(event.candidate), value=value)}\n"
            case RelevanceResult():
                return self._result(event)
        return super()._text(event)

    def _void(self, event: Demonstrations | Facts, name: str) -> None:
        """Judgements that rested on what is made anew are no longer in force."""
        stage = event.step if isinstance(event, Demonstrations) else facts_stage(event.kind)
        kinds = KINDS if stage == "facts-material" else (kind_of(stage),)
        for judged in self._bits.values() if name == QUERY else [self._bits.get(name, {})]:
            for kind in kinds:
                judged.pop(kind, None)

    def _heading(self, name: str) -> str:
        if name == QUERY:
            return t("judged.the_query")
        known = candidates(self._session) if self._session is not None else {}
        title = str(known.get(name, {}).get("title", ""))
        return t("judged.candidate", case=_short(name)) + (f" · {_short(title)}" if title else "")

    def _score(self, event: Score) -> str:
        judged = self._bits.get(event.candidate, {})
        bits = {kind: _bit(judged.get(kind)) for kind in KINDS}
        value = t("judged.unread") if event.value is None else str(event.value)
        return f"{t('judged.score', value=value, **bits)}\n"

    def _result(self, event: RelevanceResult) -> str:
        lines = ["", t("judged.ranking")]
        known = candidates(self._session) if self._session is not None else {}
        levels = gold(self._session) if self._session is not None else {}
        fold = Fold(self._session) if self._session is not None else None
        width = max((len(_short(one, 30)) for one in event.ranking), default=0)
        for place, (name, value) in enumerate(zip(event.ranking, event.scores, strict=False), 1):
            standing = fold.candidates.get(name) if fold is not None else None
            bits = [standing.judgement(kind) if standing is not None else None for kind in ("material", "legal")]
            told = " ".join(
                f"{kind} {_bit(bit.relevant if bit is not None else None)}" for kind, bit in zip(("MF", "LF"), bits, strict=True)
            )
            score = "-" if value is None else str(value)
            gold_level = f"  {t('judged.gold', value=levels[name])}" if name in levels else ""
            title = _short(str(known.get(name, {}).get("title", "")), 40)
            lines.append(f"{place:>4}. {_short(name, 30):<{width}}  {told}  {score}{gold_level}  {title}".rstrip())
        lines += [t("judged.left_unread", n=event.unread)] if event.unread else []
        for one in event.agreement:
            figures = {"material": one.material, "legal": one.legal, "levels": one.levels}
            first, second = map(_short, (*one.raters, "", "")[:2])
            kappas = {name: t("judged.undefined") if value is None else f"{value:.2f}" for name, value in figures.items()}
            lines.append(t("judged.kappa", one=first, other=second, pairs=one.pairs, **kappas))
        return "\n".join([*lines, ""])


def _demonstrations(event: Demonstrations) -> str:
    items = [f"{_short(one.id)}{'' if one.score is None else f' ({one.score:.1f})'}" for one in event.items]
    step = t(f"judged.step_{event.step.replace('-', '_')}")
    return f"{t('judged.demonstrations', step=step, items=', '.join(items) or t('judged.none'))}\n"


def _facts(event: Facts) -> str:
    lines = [_made(event, t(f"judged.facts_{event.kind}"))]
    if event.read == "unread" and not event.edited:
        lines += [t("plain.unread"), clean(event.text).strip("\n")]
        lines += [t("judged.query_unread")] if event.case == QUERY else []
    elif not event.items:
        lines.append(f"  {t('judged.none')}")
    lines += [f"  - {clean(one.text, newlines=False)}" for one in event.items]
    lines += [t("judged.left_out", n=f"{event.left_out:,}")] if event.left_out else []
    lines += [t("judged.pieces", n=event.pieces)] if event.pieces > 1 else []
    return "\n".join([*lines, ""])


def _judgement(event: Judgement) -> str:
    told = {True: "judged.relevant", False: "judged.irrelevant", None: "judged.unread"}[event.relevant]
    lines = [f"{_made(event, t(f'judged.judgement_{event.kind}'))} {t(told)}"]
    if event.relevant is None:
        lines += [t("plain.unread"), clean(event.text).strip("\n")]
    else:
        lines += [f"  {line}" for line in clean(event.reason).strip("\n").splitlines()]
    lines += [t("judged.left_out", n=f"{event.left_out:,}")] if event.left_out else []
    return "\n".join([*lines, ""])


def _made(event: Made, what: str) -> str:
    told = [clean(event.model, newlines=False)] if event.model else []
    told += [t("judged.cached")] if event.cached else []
    return f"[{' · '.join(told)}] {what}" if told else what


def _bit(value: bool | None) -> str:
    return "-" if value is None else str(int(value))


def _short(text: str, most: int = FIRST_LINE) -> str:
    line = " ".join(clean(text, newlines=False).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
