"""Texts of labelling pair by pair: the status line, and the labels of a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from textual.content import Content

from .....sessions.case_pairs import PairAt
from .....sessions.events.labels import Evidence, Label, Reply
from .....texts import t
from ....showing import clean
from ....title_columns import fit
from ..wording import Parts
from .labelers import PairQueue, last_label

KINDS = ("material", "legal")
TICKS = {True: "\u2713", False: "\u2717"}


def level(value: int | None) -> str:
    """A level as a person gave it; without one, that is undecided."""
    return t("action.undecided") if value is None else str(value)


def of_label(label: Label | None) -> str:
    """Format a label's level; a dash if there is none."""
    if label is None or label.undone or label.words_only:
        return "-"
    return level(label.value)


def bits(value: int | None, scale: Mapping[int, str] | None = None) -> str:
    """`MF ✓ LF ✗`, or the level's name on a team's own scale; empty without a level."""
    if value is None:
        return ""
    if scale:
        return scale.get(value, "")
    return f"MF {TICKS[bool(value & 1)]} LF {TICKS[bool(value & 2)]}"


def number(sitting: PairQueue, pair: PairAt) -> int:
    """A pair's number among the person's own, from 1. Its place among all could tell
    the level, where files are sorted.
    """
    return sitting.place(pair)[0]


def pair_name(sitting: PairQueue, pair: PairAt) -> str:
    """`Pair 31`."""
    return t("labelling.pair", n=number(sitting, pair))


def line(sitting: PairQueue, pair: PairAt, width: int, *, machine: bool) -> Content:
    """Whose pair this is, how far they are, their level and the one before it: as much
    as there is room for, the most useful first.
    """
    at, of = sitting.place(pair)
    label, before = sitting.label(pair), last_label(sitting, pair)
    if sitting.decides and label is not None and label.value is None:
        label = None  # a reason that comes before the decision
    name = fit(
        sitting.name,
        min(cell_len(clean(sitting.name, newlines=False)), max(width // 4, 8)),
    )
    named = bits(label.value, sitting.scale) if label is not None else ""
    own = f"{of_label(label)} {named}".rstrip()
    level, done = ("gold_level", "decided") if sitting.decides else ("yours", "done")
    style = ""
    if own != "-":
        style = (
            "bold $primary" if label and label.value is not None else "bold $warning"
        )
    pieces = [
        (name, "bold"),
        (t("labelling.place", n=at, total=of), "bold"),
        (
            t(f"labelling.{level}", level=own),
            style,
        ),
    ]
    people = sitting.people(pair)
    if people:
        words = told(people)
        room = width - cell_len(" · ".join(piece for piece, _ in pieces)) - 3
        pieces.append((fit(words, min(cell_len(words), max(room, 8))), ""))
    shown_to, style = (
        ("machine_shown", "bold $warning") if machine else ("blind", "$quiet")
    )
    pieces.append((t(f"labelling.{shown_to}"), style))
    quiet = [t("labelling.advances")] if sitting.advance else []
    progress = sitting.progress()
    quiet.append(t(f"labelling.{done}", n=progress.done))
    if progress.undecided:
        quiet.append(t("labelling.undecided_count", n=progress.undecided))
    if before is not None:
        n, given = number(sitting, before[0]), of_label(before[1])
        quiet.append(t("labelling.before", n=n, level=given))
    pieces += [(words, "$quiet") for words in quiet]
    shown: Parts = []
    room = width
    for words, style in pieces:
        gap = " · " if shown else ""
        if cell_len(gap + words) > room:
            break
        shown += [(gap, "$quiet"), (words, style)]
        room -= cell_len(gap + words)
    return Content.assemble(*shown)


# People's labels of a pair


def own_words(label: Label | None, notes: Sequence[str] = ()) -> Content | None:
    """The user's evidence, reasons and notes; None without any.

    `notes`: those stored next to the label.
    """
    parts = [
        *(_words(label) if label is not None else []),
        *(part for note in notes for part in _noted(note)),
    ]
    if parts:
        return Content.assemble((t("labelling.own"), "bold"), *parts)
    return None


def words_of(
    name: str, label: Label, scale: Mapping[int, str] | None = None
) -> Content:
    """Format one person's label: level, bits or name, reasons, evidence."""
    value = "" if label.value is None else f"  {bits(label.value, scale)}"
    head: Parts = [
        (clean(name, newlines=False), "bold"),
        ("  " + level(label.value), "bold $primary"),
        (value, "$quiet"),
    ]
    if label.seen_machine:
        head.append(("  " + t("labelling.saw_machine"), "$warning"))
    rest = _words(label)
    return Content.assemble(
        *head, *(rest or [("  " + t("labelling.no_words"), "$quiet")])
    )


def _words(label: Label) -> Parts:
    parts: Parts = []
    for kind in KINDS:
        reason = getattr(label.reasons, kind) if label.reasons is not None else ""
        facts = [one for one in label.facts if (one.kind or "material") == kind]
        if not (reason or facts):
            continue
        parts.append(("\n" + t(f"relevance.facts_{kind}"), "$quiet"))
        if reason:
            parts.append("\n" + clean(reason))
        for one in facts:
            parts += [
                "\n",
                (f"{_case(one)} ", "$quiet"),
                t("labelling.quoted", text=clean(one.text, newlines=False)),
            ]
    if label.reason:
        parts.append("\n" + clean(label.reason))
    if label.note:
        parts += _noted(label.note)
    return parts


def reply_words(reply: Reply) -> Content:
    """Format the lead's reply to a note."""
    head = t("labelling.reply", by=clean(reply.by, newlines=False))
    note = t("labelling.quoted", text=clean(reply.note, newlines=False))
    return Content.assemble(
        (head, "bold $warning"), "\n", clean(reply.text), "\n", (note, "$quiet")
    )


def _noted(note: str) -> Parts:
    return [("\n" + t("labelling.noted") + " ", "$quiet"), clean(note)]


def _case(one: Evidence) -> str:
    return t("labelling.in_query" if one.case == "query" else "labelling.in_candidate")


def passages(label: Label | None) -> list[str]:
    """Format the user's evidence, one line per passage."""
    facts = label.facts if label is not None else []
    return [
        f"{t('relevance.' + (one.kind or 'material'))} · {_case(one)}: {one.text}"
        for one in facts
    ]


def told(people: Mapping[str, Label]) -> str:
    """Format each person's level: `Mei 1, Tom 3`."""
    return ", ".join(
        f"{clean(name, newlines=False)} {of_label(label)}"
        for name, label in people.items()
    )
