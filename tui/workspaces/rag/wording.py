"""Sentences, references, scores and decisions of the RAG screen, made from events.

Nothing here is a widget.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from rich.cells import cell_len
from textual.content import Content, Span

from ....engines.rag.decision import BOUNDED
from ....engines.rag.plan import RagIteration, setting
from ....engines.rag.settings import SETTINGS
from ....engines.retrieval.port import passed_over, places_in
from ....sessions.events import Reference
from ....sessions.events.rag import (
    Check,
    Claim,
    Clause,
    Decision,
    RagAnswer,
    RagResult,
    Retrieval,
    Verification,
)
from ....sessions.session import Seat, Session, Totals
from ....texts import has, t
from ....texts.settings import setting_name, setting_value
from ... import wording
from ...showing import clean, clean_line
from ...title_columns import fit, fit_lines
from ...widgets.flowing import flowing
from ...widgets.hits import HIT
from . import scores
from .claims import ClaimMark, Place, claim_at, marks_of, with_marks
from .passages import marked_passage, readable, sentences_of
from .scores import LABEL

Parts = list["str | Content | tuple[str, str]"]

_CITED = re.compile(r"[\[［【][^\[\]［］【】\n]{0,60}[\]］】]")
_CITATION = "not italic not strike not underline bold $primary"


class PassageMarks(NamedTuple):
    """The marks in passages."""

    words: frozenset[str] = frozenset()
    """Of the query."""
    claim: Place | None = None
    """The claim that is looked at."""
    hit: re.Pattern[str] | None = None
    """What is searched for."""


class QuestionView(msgspec.Struct):
    """The screen's view of a question at one event."""

    turn: RagIteration | None
    earlier: list[RagIteration]
    result: RagResult | None = None
    baseline: str = ""
    """The baseline's answer, for an example."""


def named(section: str, name: str) -> str:
    """The text `section_name`, or the name itself where a newer version knows more."""
    key = f"rag.{section}_{name.replace('-', '_')}"
    if has(key):
        return t(key)
    return clean_line(name)


# References


def reference_row(
    reference: Reference, turn: RagIteration, width: int, lines: int, look: PassageMarks
) -> Content:
    """One row of the list: number, title, score, and this many lines of the passage,
    whole where `is_whole`; words of the query, and what claims and sentences of the
    answer rest on, are marked.
    """
    cited = is_cited(reference, turn)
    dropped = turn.retrieval is not None and reference.id in turn.retrieval.dropped
    number = (f"[{reference.n}] ", "bold $primary" if cited else "$quiet")
    score = "" if reference.score is None else f" {reference.score:.2f}"
    title = clean_line(reference.title or reference.file or t("rag.untitled"))
    room = max(width - cell_len(number[0]) - cell_len(score) - 1, 8)
    style = "bold" if cited else "$quiet strike" if dropped else ""
    parts: Parts = [
        number,
        (fit(title, min(room, cell_len(title))).rstrip(), style),
        (score, "$quiet"),
    ]
    for label in notes(reference, dropped):
        parts.append((f"\n  {label}", "$warning"))
    for line in origins(reference):
        parts.append((f"\n  {line}", "$quiet"))
    text = readable(reference)
    marks = marks_of(turn, reference.n, look.claim)
    if is_whole(reference, turn, look):
        sentences = () if turn.claims else sentences_of(reference, turn.check)
        parts += ["\n", with_marks(marked_passage(text, sentences, look.words), marks)]
    elif lines and not dropped:
        shown = with_marks(
            marked_passage(fit_lines(text, width, lines), (), look.words), marks
        )
        parts += [
            "\n",
            shown.stylize_before("$quiet") if turn.answer is not None else shown,
        ]
    row = Content.assemble(*parts, "\n")
    found = look.hit.finditer(row.plain) if look.hit is not None else ()
    return row.add_spans([Span(*hit.span(), HIT) for hit in found])


def is_whole(reference: Reference, turn: RagIteration, look: PassageMarks) -> bool:
    """Whether the passage is shown whole: where the answer cites it, the claim that
    is looked at rests on it, or a search has found something in it.
    """
    claim = claim_at(turn, look.claim)
    return (
        is_cited(reference, turn)
        or (claim is not None and claim.n == reference.n)
        or (look.hit is not None and look.hit.search(reference.text) is not None)
    )


def origins(reference: Reference) -> list[str]:
    """Where a reference was found, a line each: its places in the indexes, the figures
    of models, what was left out for it.
    """
    alike = [t("rag.alike", n=len(reference.alike))] if reference.alike else []
    return [line for line in (found_by(reference), *alike) if line]


def found_by(reference: Reference) -> str:
    """The places of a reference in the indexes, and the figures of models; "" where
    there are none.
    """
    found = clean_line(places_in(reference.found_by)) if reference.found_by else ""
    scores = [
        ("dense", reference.dense_score),
        ("embed", reference.embed_score),
        ("rerank", reference.rerank_score),
    ]
    figures = [
        f"{t(f'rag.score_{name}')} {value:.2f}"
        for name, value in scores
        if isinstance(value, float | int)
    ]
    return "  ".join(filter(None, [found, *figures]))


def is_cited(reference: Reference, turn: RagIteration) -> bool:
    """Whether the answer of an iteration cites a reference."""
    return turn.answer is not None and reference.n in turn.answer.citations


def notes(reference: Reference, dropped: bool) -> list[str]:
    """Return the notes on a reference."""
    found = [named("flag", flag) for flag in reference.flags]
    if reference.pinned:
        found.append(t("rag.pinned"))
    if dropped:
        found.append(t("rag.dropped"))
    return found


def marked(text: str, spans: Sequence[tuple[int, int]]) -> Content:
    """A text with some of it marked."""
    parts: Parts = []
    at = 0
    for start, end in sorted(set(spans)):
        start = max(start, at)
        if start < end:
            parts += [
                clean(text[at:start]),
                (clean(text[start:end]), "on $primary 30%"),
            ]
            at = end
    return Content.assemble(*parts, clean(text[at:]))


# The answer


def cited_text(text: str, style: str = "", width: int = 0) -> Content:
    """A text read as Markdown, with its `[n]` to be seen at once."""
    shown = flowing(clean(text), style, width)
    found = [
        one
        for one in _CITED.finditer(shown.plain)
        if any(sign.isdigit() for sign in one[0])
    ]
    return shown.add_spans([Span(*one.span(), _CITATION) for one in found])


def middle(
    shown: QuestionView, question: str, coming: str | None, width: int = 0
) -> Content:
    """The answer, unless the result shows it; what it was searched with; what the
    iterations before said.
    """
    turn, parts = shown.turn, list[str | Content | tuple[str, str]]()
    if (
        shown.result is not None
        and turn is not None
        and kept_turn(shown, shown.result) is turn
    ):
        pass  # its answer stands in the box of the result
    elif turn is not None and turn.answer is not None:
        parts += [with_marks(_answer(turn.answer, width), _against(turn)), "\n"]
        parts += _contradictions(turn)
    elif turn is not None and turn.retrieval is not None:
        parts += [_found(turn.retrieval), "\n"]
    if (
        turn is not None
        and turn.retrieval is not None
        and turn.retrieval.query != question
    ):
        parts += [
            ("\n" + t("rag.searched") + "\n", "$quiet"),
            clean(turn.retrieval.query),
            "\n",
        ]
    if shown.result is None and coming:
        parts.append(
            ("\n" + t("rag.coming", what=named("step", coming)) + "\n", "$quiet")
        )
    for before in reversed(shown.earlier):
        parts += ["\n", earlier(before, width)]
    if shown.baseline:
        parts += [
            ("\n" + t("rag.baseline") + "\n", "$quiet"),
            flowing(clean(shown.baseline), "$quiet", width),
            "\n",
        ]
    return Content.assemble(*parts)


def _answer(answer: RagAnswer, width: int = 0) -> Content:
    if answer.answer is None:
        return Content.assemble(
            (t("rag.no_answer") + "\n", "$warning"), clean(answer.text)
        )
    return cited_text(answer.answer, width=width)


def _found(retrieval: Retrieval) -> Content:
    if not retrieval.references:
        why = clean_line(retrieval.message or t("rag.nothing_found"))
        return Content.assemble((t("rag.nothing_found") + "\n", "bold $warning"), why)
    parts: Parts = [
        (
            t(
                "rag.found",
                n=len(retrieval.references),
                by=named("by", retrieval.retriever.partition(":")[0]),
            ),
            "bold",
        )
    ]
    if retrieval.message:
        parts.append(("\n" + clean_line(retrieval.message), "$quiet"))
    if retrieval.unknown:
        parts.append(
            (
                "\n"
                + t(
                    "rag.unknown_words",
                    terms=clean_line(", ".join(retrieval.unknown)),
                ),
                "$quiet",
            )
        )
    parts += [(f"\n{words}", "$quiet") for words in passed_over(retrieval.left_out)]
    return Content.assemble(*parts)


def earlier(turn: RagIteration, width: int = 0) -> Content:
    """Summarise an earlier iteration: its answer, and the revised query."""
    parts: Parts = []
    if turn.answer is not None:
        parts += [
            (t("rag.said", n=turn.iteration) + "\n", "$quiet"),
            with_marks(
                cited_text(turn.answer.answer or turn.answer.text, "$quiet", width),
                _against(turn),
            ),
            "\n",
            *_contradictions(turn),
        ]
    revised = turn.verification.revised_query if turn.verification is not None else None
    if revised:
        who = (
            t("rag.revised_by_you")
            if turn.verification is not None and turn.verification.edited
            else t("rag.revised")
        )
        parts += [
            (who + "\n", "$quiet"),
            (clean_line(revised), "bold"),
            "\n",
        ]
    return Content.assemble(*parts)


def result(
    shown: QuestionView, event: RagResult, width: int = 0
) -> tuple[Content, str]:
    """Return the result of the question, with its style.

    `accepted`; `refused` by the verifier; `open` if it was not judged, or if a claim is
    contradicted.
    """
    kept = kept_turn(shown, event)
    judgement = (
        kept.verification.judgement
        if kept is not None and kept.verification is not None
        else None
    )
    look = {"true": "accepted", "false": "refused", "unclear": "refused"}.get(
        judgement or "", "open"
    )
    against = _contradicted(kept)
    if event.answer is None:
        look = "refused"
    heading = t(f"rag.result_{look}")
    if against and look == "accepted":
        look, heading, against = "open", against, ""
    badge = (f" {t('result.title')} ", "bold reverse")
    told = [
        _unrevised(kept)
        if look == "refused" and event.stopped_by == "indicator"
        else named("stopped", event.stopped_by),
        t("rag.answers_given", n=event.iterations),
    ]
    if event.kept is not None and event.kept != event.iterations:
        told.append(t("rag.kept", n=event.kept))
    if against:
        told.append(against)
    answer = (
        with_marks(cited_text(event.answer, "bold", width), _against(kept))
        if event.answer is not None
        else Content.styled(t("rag.no_answer"), "bold")
    )
    by = "" if kept is None or kept.answer is None else f"\n{wording.meta(kept.answer)}"
    notes = (" · ".join(told) + by, "$quiet")
    return Content.assemble(
        badge, (f"  {heading}", "bold"), "\n", answer, "\n", notes
    ), look


def _unrevised(turn: RagIteration | None) -> str:
    """Why an answer that was not accepted was not revised."""
    verification = turn.verification if turn is not None else None
    judged = (verification and verification.judgement) or "undecided"
    offered = verification is not None and (verification.revised_query or "").strip()
    key = "rag.stopped_in_bounds" if offered else "rag.stopped_no_query"
    return t(key, judged=named("judged", judged))


def _claims(turn: RagIteration | None) -> list[Claim]:
    """The claims of an answer."""
    made = turn.claims.get("answer") if turn is not None else None
    return made.items if made is not None else []


def _contradicted(turn: RagIteration | None) -> str:
    """Format `2 of 5 claims contradicted`; "" if there are none."""
    items = _claims(turn)
    n = sum(claim.verdict == "contradicted" for claim in items)
    return t("rag.claims_contradicted", n=n, total=len(items)) if n else ""


def _contradictions(turn: RagIteration) -> Parts:
    """The same, on a line of its own."""
    told = _contradicted(turn)
    return [(told + "\n", "$error")] if told else []


def _against(turn: RagIteration | None) -> list[ClaimMark]:
    """Marks for the sentences of an answer whose claims are contradicted or not
    found; the contradicted count where a sentence has both.
    """
    check = turn.check if turn is not None else None
    sentences = check.sentences if check is not None else []
    styles = {"not-found": "on $warning 25%", "contradicted": "on $error 25%"}
    worst = {
        claim.sentence: style
        for verdict, style in styles.items()
        for claim in _claims(turn)
        if claim.verdict == verdict
    }
    return [
        ClaimMark(clean(sentences[n - 1].text), style)
        for n, style in worst.items()
        if n is not None and n <= len(sentences)
    ]


def kept_turn(shown: QuestionView, event: RagResult) -> RagIteration | None:
    """The iteration whose answer the result is."""
    every = [*shown.earlier, *([shown.turn] if shown.turn is not None else [])]
    return next(
        (turn for turn in every if turn.iteration == (event.kept or event.iterations)),
        None,
    )


# Verification, decision, check


def right(every: Sequence[RagIteration], rule: str, width: int) -> Content:
    """Six scores, judgement, decision, check; the scores of all iterations where there
    are several.
    """
    turn = every[-1] if every else None
    verification = turn.verification if turn is not None else None
    parts: Parts = []
    verified = [one for one in every if one.verification is not None]
    if len(verified) > 1:
        parts += scores.over(verified, width)
    else:
        shown = verified[0].verification if verified else None
        cells = width - scores.LABEL - scores.FIGURE
        parts += scores.one(shown, min(max(cells, 1), scores.BAR))
        parts += [
            (fit(t("rag.judgement"), LABEL), "$quiet"),
            scores.judged(shown),
            "\n",
        ]
    if verification is not None:
        parts += _reason(verification)
        parts.append(_revised(verification, turn))
        parts += [
            (f"! {clean_line(problem)}\n", "$warning")
            for problem in verification.problems[:4]
        ]
        parts += wording.votes(verification)
    parts += [
        "\n",
        (t("rag.decision"), "bold"),
        (
            "  "
            + named("rule", turn.decision.rule if turn and turn.decision else rule)
            + "\n",
            "$quiet",
        ),
    ]
    parts.append(
        decision(turn.decision)
        if turn is not None and turn.decision is not None
        else Content.styled(t("rag.not_yet") + "\n", "$quiet")
    )
    parts += [
        "\n",
        (t("rag.check"), "bold"),
        ("  " + t("rag.no_model") + "\n", "$quiet"),
    ]
    parts.append(
        checked(turn.check)
        if turn is not None and turn.check is not None
        else Content.styled(t("rag.not_yet") + "\n", "$quiet")
    )
    return Content.assemble(*parts)


def _reason(verification: Verification) -> Parts:
    reason = clean(verification.reason).strip()
    if reason:
        return [flowing(reason, "$quiet"), "\n"]
    return []


def _revised(verification: Verification, turn: RagIteration | None) -> Content:
    query = verification.revised_query
    if query is None:
        return Content.assemble(
            (fit(t("rag.query"), LABEL), "$quiet"), (t("rag.unread") + "\n", "$warning")
        )
    if not query.strip():
        return Content.assemble(
            (fit(t("rag.query"), LABEL), "$quiet"), t("rag.none_needed") + "\n"
        )
    label = t("rag.revised_by_you") if verification.edited else t("rag.revised")
    used = turn is not None and turn.decision is not None and turn.decision.revise
    if verification.judgement == "true" and not (verification.edited or used):
        label = t("rag.revised_unused")
    return Content.assemble(
        (label + "\n", "$quiet"), ("  " + clean_line(query) + "\n", "bold")
    )


def decision(event: Decision) -> Content:
    """Format each clause with its value and bound, and the decision."""
    parts: Parts = []
    for clause in event.clauses:
        mark, colour = {
            True: ("✓", "$warning"),
            False: ("–", "$quiet"),
            None: ("?", "$warning"),
        }[clause.holds]
        parts += [(f"{mark} ", f"bold {colour}"), clause_text(clause) + "\n"]
    told = {True: t("rag.again"), False: t("rag.done"), None: t("rag.undecided")}[
        event.revise
    ]
    return Content.assemble(
        *parts,
        ("→ " + told + "\n", "bold $warning" if event.revise is None else "bold"),
    )


def clause_text(clause: Clause) -> str:
    """`bias 0.12 > 0.70`, `a revised query`."""
    if clause.name == "revised_query":
        none = clause.holds is False
        return t("rag.clause_no_query" if none else "rag.clause_query")
    if clause.name == "abstention":
        return t("rag.clause_abstention")
    if clause.name == "claims":
        value = clean_line(str(clause.value or t("rag.unread")))
        return t("rag.clause_claims", value=value)
    name = (
        t(f"rag.{clause.name}")
        if has(f"rag.{clause.name}")
        else clean_line(clause.name)
    )
    if clause.name == "judgement":
        value = (
            named("judged", str(clause.value))
            if clause.value is not None
            else t("rag.unread")
        )
        return t("rag.clause_judgement", value=value)
    value = (
        f"{clause.value:.2f}"
        if isinstance(clause.value, float | int)
        else t("rag.unread")
    )
    bound = (
        f"{clause.bound:.2f}"
        if isinstance(clause.bound, float | int)
        else clean_line(str(clause.bound))
    )
    return f"{name} {value} {BOUNDED.get(clause.name, '')} {bound}"


def checked(check: Check) -> Content:
    """The second opinion on the citations."""
    cited = sorted(
        {number for sentence in check.sentences for number in sentence.citations}
    )
    there = len(cited) - len(set(check.unknown) & set(cited))
    parts: Parts = [
        _tick(not check.unknown),
        t("rag.cited", n=there, total=len(cited)) + "\n",
    ]
    if check.unknown:
        parts.append(
            (
                t(
                    "rag.unknown_citations",
                    numbers=", ".join(map(str, check.unknown[:9])),
                )
                + "\n",
                "$warning",
            )
        )
    if check.empty:
        parts.append((t("rag.empty_brackets", n=check.empty) + "\n", "$warning"))
    parts += [_tick(not check.uncited), t("rag.uncited", n=check.uncited) + "\n"]
    found = [
        sentence.support for sentence in check.sentences if sentence.support is not None
    ]
    if found:
        parts += [
            (t("rag.support") + " ", "$quiet"),
            " ".join(f"{value:.2f}" for value in found[:8]) + "\n",
        ]
    measure = named("measure", check.measure)
    return Content.assemble(*parts, (measure + "\n", "$quiet") if found else "")


def _tick(good: bool) -> tuple[str, str]:
    if good:
        return ("✓ ", "bold $success")
    return ("✗ ", "bold $warning")


# The rest of the screen


def plain(text: str) -> Content:
    """Text of ours that invites to something."""
    return Content.styled(text, "$quiet")


def titles(turn: RagIteration | None) -> list[Content]:
    """Return the titles of the answer and its verification, with their models."""
    return [
        Content.assemble(
            t(f"rag.{name}"),
            ("" if made is None else f"  {wording.meta(made)}", "not bold $quiet"),
        )
        for name in ("answer", "verification")
        for made in [getattr(turn, name, None)]
    ]


def references_title(
    turn: RagIteration | None, iterations: int, corpus: str
) -> Content:
    """The title above the references."""
    place = (
        t("rag.iteration_of", n=turn.iteration, total=iterations)
        if turn is not None and turn.iteration
        else corpus
    )
    return Content.assemble(t("rag.references"), ("  " + place, "not bold $quiet"))


def left_out(turn: RagIteration | None) -> str:
    """Summarise the passages that the search left out, in one line."""
    retrieval = turn.retrieval if turn is not None else None
    return " · ".join(passed_over(retrieval.left_out)) if retrieval is not None else ""


def about(
    seats: Sequence[tuple[str, Seat]],
    speaking: str,
    totals: Totals,
    rows: Sequence[tuple[str, str]] = (),
) -> Content:
    """Return the line-up, the settings and the cost."""
    parts: Parts = ["\n", (t("side.lineup") + "\n", "bold $quiet")]
    for role, seat in seats:
        mark = "▸" if role == speaking else " "
        parts += [
            f"{mark}{wording.role_name(role)}",
            (f"  {wording.model_name(seat)}\n", "$quiet"),
        ]
    parts.append("\n")
    for label, value in [*rows, *wording.spent(totals)]:
        parts += [(f" {label}", "$quiet"), f"  {value}\n"]
    return Content.assemble(*parts)


def settings(view: Session) -> list[tuple[str, str]]:
    """The corpus and the settings, those of the search that are not as usual too."""
    corpus = clean_line(str(view.header.task.get("corpus", "")))
    return [
        (t("rag.corpus"), corpus),
        ("k", str(setting(view, "k"))),
        (setting_name("iterations"), str(setting(view, "iterations"))),
        *(
            (setting_name(name), clean_line(str(setting_value(name, value))))
            for name in ("search", "where", "duplicates", "per_document")
            if (value := setting(view, name)) != SETTINGS[name].default
        ),
    ]


def column(turn: RagIteration) -> Content:
    """Return one column of the comparison: query, titles, answer, scores, decision."""
    parts: Parts = [(t("rag.iteration", n=turn.iteration) + "\n", "bold")]
    if turn.retrieval is not None:
        parts += [
            (t("rag.searched") + " ", "$quiet"),
            clean_line(turn.retrieval.query) + "\n\n",
        ]
        cited = turn.answer.citations if turn.answer is not None else []
        for one in turn.retrieval.references:
            title = clean_line(one.title or one.file or t("rag.untitled"))
            parts += [
                (f"[{one.n}] ", "bold $primary" if one.n in cited else "$quiet"),
                title + "\n",
            ]
    if turn.answer is not None:
        parts += ["\n", with_marks(_answer(turn.answer), _against(turn)), "\n"]
        parts += [*_contradictions(turn), "\n"]
    if turn.verification is not None:
        parts += scores.one(turn.verification, scores.SHORT_BAR)
        parts += [
            (fit(t("rag.judgement"), LABEL), "$quiet"),
            scores.judged(turn.verification),
            "\n",
        ]
        parts += _reason(turn.verification)
        parts.append(_revised(turn.verification, turn))
    if turn.decision is not None:
        parts += ["\n", decision(turn.decision)]
    return Content.assemble(*parts)
