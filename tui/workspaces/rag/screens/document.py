"""A reference at its place in its document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from .....engines.retrieval.corpus import Corpus
from .....engines.retrieval.port import RetrievalError
from .....sessions.events import Reference
from .....texts import t
from ....screens.sheet import Pages, Sheet
from ....showing import clean

ROOM = 20_000
"""Characters of a document that are shown before and after a passage: enough to read on, and quick to lay out."""


def around(retriever: Callable[[], Any] | None, reference: Reference) -> tuple[str | None, str]:
    """The text of the document that a reference stands in, None where there is none, and why. May take its time."""
    if retriever is None or reference.file is None or reference.start is None or reference.end is None:
        return None, ""
    try:
        opened = retriever()
        corpus = getattr(opened, "inner", opened)
        if not isinstance(corpus, Corpus):
            return None, ""
        text = corpus.document(reference.file)
    except RetrievalError as error:
        return None, str(error)
    if text[reference.start : reference.end].strip() != reference.text.strip():
        return None, t("rag.document_changed")
    return text, ""


class DocumentScreen(Sheet[None]):
    """The document around a reference with the passage marked, or the passage alone; `why` says why, if there is something to say."""

    DEFAULT_CSS = """
    DocumentScreen {
        #where { color: $quiet; height: auto; margin-bottom: 1; }
        #passage { height: auto; }
    }
    """
    AUTO_FOCUS = "Pages"
    tall = True

    def __init__(self, reference: Reference, text: str | None, why: str = "") -> None:
        super().__init__()
        self._reference = reference
        self._text = text
        self._why = why

    def heading(self) -> str:
        return f"[{self._reference.n}] {clean(self._reference.title or self._reference.file or t('rag.untitled'), newlines=False)}"

    def body(self) -> ComposeResult:
        one = self._reference
        place = [clean(one.file, newlines=False)] if one.file else []
        if one.start is not None and one.end is not None:
            place.append(t("rag.characters_at", start=f"{one.start:,}", end=f"{one.end:,}"))
        if self._why:
            place.append(clean(self._why, newlines=False))
        yield Static(" · ".join(place), id="where", markup=False)
        with Pages():
            if self._text is None or one.start is None or one.end is None:
                yield Static(clean(one.text), id="passage", markup=False)
            else:
                first = max(one.start - ROOM, 0)
                yield Static(clean(self._text[first : one.start]).rstrip("\n"), id="before", markup=False)
                yield Static(Content.styled(clean(self._text[one.start : one.end]), "on $primary 30%"), id="passage")
                yield Static(clean(self._text[one.end : one.end + ROOM]).lstrip("\n"), id="after", markup=False)

    def on_mount(self) -> None:
        self.call_after_refresh(self._to_passage)

    def _to_passage(self) -> None:
        self.query_one(Pages).scroll_to_widget(self.query_one("#passage"), animate=False, top=True)

    def keys(self) -> list[tuple[str, str]]:
        return [("j k", t("help.move")), ("g G", t("rag.start_end")), ("esc", t("sheet.back"))]
