"""The topics of a batch: its lines, and how the answers to them are scored. What every method that answers topics shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...texts import own_words, t
from ..metrics import translation
from ..metrics.equivalence import STEPS, Step, first_step
from ..starting import Wishes
from ..topic import DEFAULT_TARGET
from .comparison import Compared
from .equivalence import Question
from .gates import Figure, Figures, mean_of
from .lines import Line, cluster_of, id_of, read_lines, text_of, texts_of
from .report import Loss, Row, by_step, right_or_wrong, share_in_words, unanswered
from .rows import Row as JsonRow

OWN_FIELDS = frozenset({"id", "topic", "answers", "wrong_answers", "cluster"})
FIGURES: Figures = {
    "accuracy": Figure("accuracy"),
    "accuracy_decided": mean_of("accuracy_decided"),
    "traps": Figure(
        "traps", left_out="traps_decided.excluded", counted="traps_decided.of"
    ),
    "traps_decided": mean_of("traps_decided"),
    "chrf": Figure("translation.*.chrf", most=100),
    "bleu": Figure("translation.*.bleu", most=100),
}
"""The figures of `answered` that a gate can hold to a bound."""
FORM = '{"id": "…", "topic": "…"}'


@dataclass(frozen=True)
class Topic(Line):
    """One topic of a batch."""

    topic: str
    wishes: Wishes
    """The wishes of this line for its session."""
    kind: str
    """`question` or `translation`."""
    target: str
    """The language wanted of a translation."""
    wrong_answers: tuple[str, ...] = ()
    """The traps."""

    @property
    def wanted(self) -> Wishes:
        return self.wishes.about(
            topic=self.topic,
            answers=self.answers or None,
            wrong_answers=self.wrong_answers or None,
        )

    @property
    def about(self) -> str:
        return " ".join(self.topic.split())


def read_topics(
    path: Path, base: Wishes, left_out: list[str] | None = None
) -> list[Topic]:
    """All topics of a file, in order. What is wrong with lines as for `read_lines`."""

    def read(row: JsonRow, number: int, where: str) -> Iterable[Topic]:
        wishes = base.with_line(
            {key: value for key, value in row.items() if key not in OWN_FIELDS}
        )
        topic, accepted, traps = (
            text_of(row, "topic"),
            texts_of(row, "answers"),
            texts_of(row, "wrong_answers"),
        )
        kind, target = (
            wishes.get("kind") or "question",
            wishes.get("target") or DEFAULT_TARGET,
        )
        yield Topic(
            id_of(row, number),
            accepted,
            where,
            topic,
            wishes,
            kind,
            target,
            traps,
            named_cluster=cluster_of(row),
        )

    return read_lines(path, read, FORM, left_out)


def answer_of(row: Row) -> str | None:
    """The answer that a session ended with."""
    return getattr(row.result, "answer", None) if row.status == "done" else None


def why_unanswered(row: Row) -> str | None:
    """Why a session has no answer; None where it has one."""
    if row.status != "done":
        return row.status
    return "undecided" if answer_of(row) is None else None


def is_translation(row: Row) -> bool:
    """True for a topic that is to be translated: its answers are references, and none of them is the right one."""
    return getattr(row.line, "kind", None) == "translation"


def listed(row: Row, of: Compared) -> tuple[str, ...]:
    """The right answers of a question, or its traps."""
    return () if is_translation(row) else tuple(getattr(row.line, of, ()))


def step_of(row: Row, of: Compared) -> Step | None:
    """The step on which a session's answer is one of those listed; None where it is none of them."""
    answer = answer_of(row)
    found = first_step(answer, listed(row, of)) if answer is not None else None
    said = row.compared.get(of)
    return found or (
        "model" if said is not None and said.same and said.answer == answer else None
    )


def holds(row: Row, of: Compared) -> bool | None:
    """Whether a session's answer is one of those listed; None where it has none, or where none is listed."""
    return (
        None
        if answer_of(row) is None or not listed(row, of)
        else step_of(row, of) is not None
    )


def questions(rows: Sequence[Row], of: Compared) -> list[Question]:
    """What a model is to compare: the answers that are not settled by text or value."""
    return [
        Question(row, of, str(getattr(row.line, "topic", "")), listed(row, of), answer)
        for row in rows
        if (answer := answer_of(row)) is not None
        and holds(row, of) is False
        and not holds(row, "answers")
    ]


def right(row: Row, of: Compared) -> bool | None:
    """True if the answer is one of those listed, False if it is not or is missing; None where none is listed."""
    return bool(holds(row, of)) if listed(row, of) else None


def hits(name: str, rows: Sequence[Row], of: Compared) -> dict[str, Any]:
    """The share of all questions that list what is right (or a trap), and of those with an answer."""
    known = [row for row in rows if listed(row, of)]
    found = [(row.line, holds(row, of)) for row in known]
    whole = right_or_wrong([(line, bool(one)) for line, one in found])
    missing = unanswered((row, why_unanswered(row)) for row in known)
    by = by_step([step_of(row, of) for row in known], STEPS)
    return {
        name: whole and {**whole, "by": by, "missing": missing},
        f"{name}_decided": right_or_wrong(found),
    }


def _target(row: Row) -> str:
    return str(getattr(row.line, "target", ""))


def scores(row: Row) -> dict[str, float | None]:
    """chrF and BLEU of one translation; nothing for a question."""
    if not is_translation(row):
        return {}
    cut, answer = translation.tokenizer_for(_target(row)), answer_of(row) or ""
    return {
        "chrf": translation.sentence_chrf(answer, row.line.answers)
        if row.line.answers
        else None,
        "bleu": translation.sentence_bleu(answer, row.line.answers, cut)
        if row.line.answers and cut is not None
        else None,
    }


def translations(rows: Sequence[Row]) -> dict[str, Any]:
    """chrF and BLEU by target language, over the topics that have references. A session without an answer is an empty translation."""
    made: dict[str, Any] = {}
    referenced = [row for row in rows if is_translation(row) and row.line.answers]
    for target in dict.fromkeys(map(_target, referenced)):
        known = [row for row in referenced if _target(row) == target]
        answers, references = (
            [answer_of(row) or "" for row in known],
            [row.line.answers for row in known],
        )
        clusters = [row.line.cluster for row in known]
        found = {
            "chrf": translation.chrf_figure(answers, references, clusters),
            "bleu": translation.bleu_figure(
                answers, references, translation.tokenizer_for(target), clusters
            ),
        }
        parts = {
            name: {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "of": len(known),
            }
            | (
                {"clusters": len(set(clusters))}
                if len(set(clusters)) < len(known)
                else {}
            )
            | ({"reason": one.reason} if one.reason else {})
            for name, one in found.items()
        }
        made[target] = {
            **parts,
            "missing": unanswered((row, why_unanswered(row)) for row in known),
        }
    return made


def translation_in_words(found: dict[str, Any]) -> list[str]:
    """The figures of `translations` for people, a line for each language."""
    lines = []
    for target, part in found.items():
        told = []
        for name, label in (("chrf", "chrF"), ("bleu", "BLEU")):
            one = part[name]
            interval = (
                ""
                if one["low"] is None
                else t("report.batch.score_interval", one=one["low"], one2=one["high"])
            )
            told.append(
                t("report.batch.no_score", label=label, one=own_words(one["reason"]))
                if one["value"] is None
                else f"{label} {one['value']:.1f}{interval}"
            )
        count = sum(part["missing"].values())
        left = t("report.batch.no_translation", count=count) if count else ""
        clusters = part["chrf"].get("clusters")
        over = f"{part['chrf']['of']}" + (
            t(
                "report.batch.in_clusters",
                clusters=clusters,
                which="s" if clusters != 1 else "",
            )
            if clusters
            else ""
        )
        lines.append(
            t(
                "report.batch.translations",
                target=target,
                names=", ".join(told),
                over=over,
                left=left,
            )
        )
    return lines


def losses(rows: Sequence[Row], *, failed: Sequence[str] = ()) -> list[Loss]:
    """The lines that figures of the answers leave out. `failed`: further figures that a line without a result has no part in."""
    found = []
    labelled = any(listed(row, "answers") for row in rows)
    for row in rows:
        why = why_unanswered(row)
        names = [
            ("accuracy_decided", listed(row, "answers")),
            ("traps_decided", listed(row, "wrong_answers")),
        ]
        of = tuple(name for name, texts in names if texts)
        if why is not None:
            found.append(Loss(row, why, (*of, *failed) if row.status != "done" else of))
        if is_translation(row) and not row.line.answers:
            found.append(Loss(row, "unlabelled", ("translation",)))
        elif labelled and not listed(row, "answers"):
            found.append(
                Loss(
                    row,
                    "translation" if is_translation(row) else "unlabelled",
                    ("accuracy",),
                )
            )
    return found


def details(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For each line of summary.jsonl what it came to under each measure; null where the line does not say what is right, or a trap."""
    return [
        {
            "measures": {
                "accuracy": right(row, "answers"),
                "traps": right(row, "wrong_answers"),
                **scores(row),
            },
            "accepted_by": step_of(row, "answers"),
            "left_out": why_unanswered(row),
        }
        for row in rows
    ]


def answered(rows: Sequence[Row]) -> dict[str, Any]:
    """How good the answers are.

    `accuracy` counts every line that says what is right: one without an answer is wrong, `missing` says how many there are and why.
    `accuracy_decided` counts those with an answer alone; `excluded` says how many it leaves out. The same for `traps`. `by` says how many
    answers each step of the ladder accepted. Translations have no accuracy; `translation` holds their chrF and BLEU.
    """
    return {
        **hits("accuracy", rows, "answers"),
        **hits("traps", rows, "wrong_answers"),
        "translation": translations(rows),
    }


def answered_in_words(report: dict[str, Any]) -> list[str]:
    """The shares of right answers and of traps for people."""
    lines = []
    for name, label, as_what in (
        ("accuracy", t("report.share.accuracy"), t("report.batch.wrong")),
        ("traps", t("report.batch.in_trap"), t("report.batch.not_in_trap")),
    ):
        whole, decided = report[name], report[f"{name}_decided"]
        if whole is not None:
            lines.append(share_in_words(label, {**whole, "missing_as": as_what}))
            if whole["missing"] and decided is not None:
                lines.append(
                    share_in_words(
                        t("report.batch.decided", partition=label.partition(",")[0]),
                        decided,
                    )
                )
    return lines
