"""A reference at its place in its document."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from .....sessions.events import Reference
from .....texts import t
from ....screens.sheet import Pages
from ....screens.text_sheet import TextSheet
from ....showing import clean, clean_line
from ....title_columns import fit
from ....widgets.hits import HitText
from ..claims import ClaimMark, with_marks
from ..wording import found_by

ROOM = 20_000
"""Characters of a document that are shown before and after a passage: enough to read
on, and quick to lay out.
"""
FIELD, PLACE = 60, 100
"""Cells of one field of a document's metadata, and of the place of a near-duplicate."""
FIELDS, ALIKE = 12, 5
"""Fields and near-duplicates that are named."""


def about(reference: Reference) -> list[str]:
    """Describe a reference, one line per fact.

    Where it was found, the metadata of its file, and the near-duplicates it replaced.
    """
    metadata = reference.metadata if isinstance(reference.metadata, dict) else {}
    said = [
        fit(f"{clean_line(name)} {clean_line(value)}", FIELD).rstrip()
        for name, value in metadata.items()
    ]
    more = [t("rag.more", n=len(said) - FIELDS)] if len(said) > FIELDS else []
    lines = [found_by(reference), " · ".join([*said[:FIELDS], *more])]
    alike = reference.alike if isinstance(reference.alike, list) else []
    if alike:
        lines += [
            t("rag.alike_of", n=len(alike)),
            *(f"  {fit(_placed(one), PLACE).rstrip()}" for one in alike[:ALIKE]),
        ]
        lines += (
            [f"  {t('rag.more', n=len(alike) - ALIKE)}"] if len(alike) > ALIKE else []
        )
    return [line for line in lines if line]


def _placed(passage: str) -> str:
    """The id of a passage as people read it: its document, and where it begins
    there.
    """
    file, _, start = clean_line(passage).rpartition("@")
    if file and start.isdecimal():
        return f"{file}  {t('rag.character_at', start=f'{int(start):,}')}"
    return clean_line(passage)


class DocumentScreen(TextSheet):
    """The document around a reference with the passage marked, or the passage alone;
    `why` says why, if there is something to say.

    `marks`: words of the passage that claims rest on.
    """

    DEFAULT_CSS = """
    DocumentScreen {
        #where { color: $quiet; height: auto; max-height: 50%; margin-bottom: 1; }
        #passage { height: auto; }
    }
    """
    KEYS = {"j k": "help.move", "home end": "help.ends"}
    NAME = "document"
    tall = True

    def __init__(
        self,
        reference: Reference,
        text: str | None,
        why: str = "",
        marks: Sequence[ClaimMark] = (),
    ) -> None:
        super().__init__()
        self._marks = marks
        self._reference = reference
        self._text = text
        self._why = why

    def heading(self) -> str:
        one = self._reference
        return f"[{one.n}] {clean_line(one.title or one.file or t('rag.untitled'))}"

    def body(self) -> ComposeResult:
        one = self._reference
        place = [clean_line(one.place)] if one.file else []
        if one.start is not None and one.end is not None:
            place.append(
                t("rag.characters_at", start=f"{one.start:,}", end=f"{one.end:,}")
            )
        if self._why:
            place.append(clean_line(self._why))
        yield Static(
            "\n".join(filter(None, [" · ".join(place), *about(one)])),
            id="where",
            markup=False,
        )
        with Pages():
            if self._text is None or one.start is None or one.end is None:
                yield HitText(
                    with_marks(Content(clean(one.text)), self._marks), id="passage"
                )
            else:
                first = max(one.start - ROOM, 0)
                yield HitText(
                    clean(self._text[first : one.start]).rstrip("\n"),
                    id="before",
                    markup=False,
                )
                passage = Content.styled(
                    clean(self._text[one.start : one.end]), "on $primary 30%"
                )
                yield HitText(with_marks(passage, self._marks), id="passage")
                yield HitText(
                    clean(self._text[one.end : one.end + ROOM]).lstrip("\n"),
                    id="after",
                    markup=False,
                )

    def on_mount(self) -> None:
        self.call_after_refresh(self._to_passage)

    def _to_passage(self) -> None:
        self.query_one(Pages).scroll_to_widget(
            self.query_one("#passage"), animate=False, top=True
        )
