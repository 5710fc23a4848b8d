"""The corpora: what is in them; added to, brought up to date, searched by hand, deleted. Nothing here blocks the screen."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from .....engines.retrieval.build import Cancelled
from .....engines.retrieval.corpus import EXAMPLE, Corpora, CorpusInfo
from .....engines.retrieval.port import Found, RetrievalError
from .....engines.threads import in_thread
from .....sessions.errors import BadInput
from .....sessions.events import Reference
from .....sessions.paths import paths
from .....texts import t
from ....fitting import fit
from ....screens.form import field
from ....screens.paths import PathSuggester
from ....screens.sheet import Line, Rows, Sheet
from ....showing import clean

if TYPE_CHECKING:
    from .....engines.retrieval.corpus import BuildReport

MOST = 20
"""Passages that a search by hand shows."""


class CorporaScreen(Sheet[None]):
    """A list, a place to type below it, a line that says what goes on."""

    DEFAULT_CSS = """
    CorporaScreen {
        #head { height: 1; color: $quiet; }
        #detail { height: auto; max-height: 4; color: $quiet; margin-top: 1; }
        #add, #find { height: auto; display: none; margin-top: 1; }
        #add.shown, #find.shown { display: block; }
        #found { height: 2fr; display: none; margin-top: 1; }
        #found.shown { display: block; }
        &.-low #title { margin-bottom: 0; }
        &.-low #detail { margin-top: 0; max-height: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "add", show=False),
        Binding("t", "rebuild", show=False),
        Binding("D,delete", "delete", show=False),
        Binding("slash", "find", show=False),
        Binding("x", "cancel", show=False),
    ]
    AUTO_FOCUS = "#corpora"
    tall = True

    def __init__(self) -> None:
        super().__init__()
        self._corpora = Corpora(paths())
        self._listed: list[CorpusInfo] = []
        self._found: list[Reference] = []
        self._searched = ""
        self._stop: threading.Event | None = None
        self._doing = ""

    def heading(self) -> str:
        return t("corpora.title")

    def body(self) -> ComposeResult:
        yield Static(_head(), id="head", markup=False)
        yield Rows(id="corpora")
        yield Static("", id="detail", markup=False)
        with Vertical(id="add"):
            yield field(t("corpora.path"), id="path", placeholder=t("rag.path_how"))
            yield field(t("corpora.name"), id="name", placeholder=t("corpora.name_how"))
        with Vertical(id="find"):
            yield field(t("corpora.query"), id="query")
        yield Rows(id="found")
        yield Static(id="note", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        words = [("c", "add"), ("t", "rebuild"), ("D", "delete"), ("/", "search"), ("x", "cancel")]
        return [*((key, t(f"corpora.{word}")) for key, word in words), ("esc", t("sheet.back"))]

    def on_mount(self) -> None:
        self.query_one("#path", Input).suggester = PathSuggester()
        self.say(t("corpora.reading"), warning=False)
        self._list()
        self.set_interval(0.25, self._tell)

    def on_unmount(self) -> None:
        if self._stop is not None:
            self._stop.set()

    @property
    def chosen(self) -> CorpusInfo | None:
        at = self.query_one("#corpora", Rows).highlighted
        return self._listed[at] if at is not None and at < len(self._listed) else None

    # The list

    @work(group="corpora-list", exclusive=True, exit_on_error=False)
    async def _list(self, said: str = "", warning: bool = False) -> None:
        listed = await in_thread(lambda: list(self._corpora.list()))
        before = self.chosen.name if self.chosen is not None else ""
        self._listed = listed
        at = next((number for number, one in enumerate(listed) if one.name == before), 0)
        self.query_one("#corpora", Rows).show([Line(partial(_row, one)) for one in listed], cursor=at)
        self.say(said, warning)

    @on(OptionList.OptionHighlighted, "#corpora")
    def _detail(self) -> None:
        one = self.chosen
        if one is None:
            return
        if one.problem:
            told = clean(one.problem, newlines=False)
        else:
            told = t("corpora.detail", words=clean(one.words, newlines=False), size=f"{one.bytes / 1e6:.1f}")
            told += "".join(f"\n{clean(str(source), newlines=False)}" for source in one.sources[:3] if one.name != EXAMPLE)
        self.query_one("#detail", Static).update(told)

    # Adding and bringing up to date

    def action_add(self) -> None:
        self.query_one("#find").remove_class("shown")
        self.query_one("#add").add_class("shown")
        self.query_one("#path").focus()

    def action_rebuild(self) -> None:
        one = self.chosen
        if one is None or one.name == EXAMPLE:
            self.say(t("corpora.bundled"))
        else:
            self._start(one.name, [])

    @on(Input.Submitted, "#path")
    def _path_given(self, event: Input.Submitted) -> None:
        name = self.query_one("#name", Input)
        if not name.value.strip():
            name.value = _name_for(event.value)
        name.focus()

    @on(Input.Submitted, "#name")
    def _name_given(self, event: Input.Submitted) -> None:
        path = self.query_one("#path", Input).value.strip()
        if not path:
            self.say(t("rag.no_path"))
            self.query_one("#path").focus()
            return
        self._start(event.value.strip(), [Path(path).expanduser()])

    def _start(self, name: str, sources: list[Path]) -> None:
        if self._stop is not None:
            self.say(t("corpora.busy"))
            return
        self._stop = threading.Event()
        self._build(name, sources, self._stop)

    @work(group="corpora-build", exit_on_error=False)
    async def _build(self, name: str, sources: list[Path], stop: threading.Event) -> None:
        def progress(done: int, total: int, file: str) -> None:
            self._doing = t("corpora.progress", n=done, of=total, file=fit(file, 40).rstrip())

        try:
            report = await in_thread(lambda: self._corpora.build(name, sources, progress=progress, cancelled=stop.is_set))
        except Cancelled:
            said, warning = t("corpora.cancelled"), True
        except (BadInput, RetrievalError, OSError) as error:
            said, warning = str(error), True
        else:
            said, warning = _report(report), bool(report.skipped)
            self._fold()
        finally:
            stop.set()
            self._stop, self._doing = None, ""
        if self.is_attached:
            self._list(said, warning)

    def _tell(self) -> None:
        if self._doing:
            self.say(self._doing, warning=False)

    def action_cancel(self) -> None:
        if self._stop is None:
            self.say(t("corpora.nothing_runs"))
        else:
            self._stop.set()

    # Deleting

    def action_delete(self) -> None:
        from ....screens.confirm import ConfirmScreen

        one = self.chosen
        if one is None or one.name == EXAMPLE:
            self.say(t("corpora.bundled"))
            return
        question = t("corpora.delete_question", name=clean(one.name, newlines=False))

        def answered(sure: bool | None) -> None:
            if sure:
                self._delete(one.name)

        self.app.push_screen(ConfirmScreen(question, t("corpora.delete"), t("library.bin_no")), answered)

    @work(group="corpora-build", exit_on_error=False)
    async def _delete(self, name: str) -> None:
        try:
            await in_thread(lambda: self._corpora.delete(name))
        except (BadInput, OSError) as error:
            self._list(str(error), True)
        else:
            self._list(t("corpora.deleted", name=clean(name, newlines=False)))

    # Searching by hand

    def action_find(self) -> None:
        self.query_one("#add").remove_class("shown")
        self.query_one("#find").add_class("shown")
        self.query_one("#query").focus()

    @on(Input.Submitted, "#query")
    def _query_given(self, event: Input.Submitted) -> None:
        one = self.chosen
        if one is not None and event.value.strip():
            self._search(one.name, event.value)

    @work(group="corpora-search", exclusive=True, exit_on_error=False)
    async def _search(self, name: str, query: str) -> None:
        try:
            found = await in_thread(lambda: _searched(self._corpora, name, query))
        except RetrievalError as error:
            self.say(str(error))
            return
        self._found, self._searched = found.references, name
        rows = self.query_one("#found", Rows)
        rows.add_class("shown")
        rows.show([_found_row(one) for one in self._found])
        unknown = t("rag.unknown_words", words=", ".join(found.unknown)) if found.unknown else ""
        self.say(" ".join(part for part in (found.message or "", unknown) if part), warning=not found.references)
        if self._found:
            rows.focus()

    @on(OptionList.OptionSelected, "#found")
    async def _open(self, event: OptionList.OptionSelected) -> None:
        from .document import DocumentScreen, around

        reference, name = self._found[event.option_index], self._searched

        def read() -> tuple[str | None, str]:
            corpus = self._corpora.open(name)
            try:
                return around(lambda: corpus, reference)
            finally:
                corpus.close()

        try:
            text, why = await in_thread(read)
        except RetrievalError as error:
            text, why = None, str(error)
        self.app.push_screen(DocumentScreen(reference, text, why))

    # Leaving

    def _fold(self) -> None:
        for name in ("add", "find", "found"):
            self.query_one(f"#{name}").remove_class("shown")
        for name in ("path", "name", "query"):
            self.query_one(f"#{name}", Input).value = ""
        self.query_one("#corpora").focus()

    def action_leave(self) -> None:
        """First out of what is open below the list, then out of the screen; what is being read in goes on only while the screen is open."""
        if any(self.query_one(f"#{name}").has_class("shown") for name in ("add", "find", "found")):
            self._fold()
        else:
            self.dismiss(None)


def _searched(corpora: Corpora, name: str, query: str) -> Found:
    corpus = corpora.open(name)
    try:
        return corpus.search(query, MOST)
    finally:
        corpus.close()


NUMBERS = (11, 10, 10, 17)
"""Cells of the columns behind the name."""


def _head() -> str:
    names = [t(f"corpora.{name}") for name in ("documents", "passages", "languages", "built")]
    return fit(t("corpora.name"), 24) + "".join(fit(name, cells) for name, cells in zip(names, NUMBERS, strict=True))


def _row(one: CorpusInfo, width: int) -> Content:
    if one.problem is not None:
        return Content.assemble((fit(one.name, 24), "bold"), (fit(one.problem, max(width - 24, 8)), "$warning"))
    figures = [f"{one.documents:,}", f"{one.passages:,}", one.languages, one.built[:16].replace("T", " ")]
    if one.name == EXAMPLE:
        figures[3] = t("corpora.comes_along")
    return Content.assemble((fit(one.name, 24), "bold"), *(fit(text, cells) for text, cells in zip(figures, NUMBERS, strict=True)))


def _found_row(one: Reference) -> Content:
    title = clean(one.title or one.file or t("rag.untitled"), newlines=False)
    score = "" if one.score is None else f" {one.score:.2f}"
    text = clean(one.text, newlines=False)
    return Content.assemble((f"[{one.n}] {title}", "bold"), (score, "$quiet"), "\n", text if cell_len(text) <= 300 else fit(text, 300))


def _name_for(path: str) -> str:
    """A name for the corpus of a path: that of the folder or file, as far as a corpus may be called so."""
    stem = Path(path.strip().rstrip("/")).expanduser().stem
    return "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in stem).strip("-.")[:64]


def _report(report: BuildReport) -> str:
    told = t("corpora.report", indexed=report.indexed, unchanged=report.unchanged, removed=report.removed)
    if not report.skipped:
        return told
    shown = "; ".join(f"{clean(str(file), newlines=False)}: {clean(str(why), newlines=False)}" for file, why in report.skipped[:3])
    return f"{told} {t('corpora.skipped', n=len(report.skipped))} {shown}"
