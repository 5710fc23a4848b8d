"""The saved sessions, and the batches and studies near them: find, open, replay, fork,
rename, bin, export, copy and compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from ...sessions.entry_store import without_collecting
from ...sessions.errors import BadInput
from ...sessions.finding import SessionFinder
from ...sessions.folders import kind_of
from ...sessions.text_index import TextIndex
from ...texts import t
from ..showing import clean, clean_line
from ..widgets.long_list import LongList, Row
from .confirm import ConfirmScreen, LinePrompt
from .library_rows import LibraryTable, about, filters
from .pick import PickScreen
from .place import Place, PlaceChoice
from .preview import of_path
from .sheet import LazyLine

if TYPE_CHECKING:
    from ...sessions.library import Library
    from ...sessions.summary import SessionSummary

FILTERS: dict[str, Callable[[SessionSummary], bool]] = {
    "all": lambda entry: True,
    "failed": lambda entry: entry.status == "failed" or entry.broken is not None,
    "undecided": lambda entry: entry.undecided,
    "unread": lambda entry: entry.unread > 0,
    "unfinished": lambda entry: entry.status == "unfinished" and entry.broken is None,
}


class LibraryScreen(Place):
    """Renaming, putting into the bin and duplicating happen here.

    `folder`: the sessions of a batch; `o` goes to the library's own, with the batches
    and studies beside it, and back.
    """

    DEFAULT_CSS = """
    LibraryScreen {
        #filters { height: 1; }
        #head { height: 1; color: $quiet; padding-right: 1; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #title, &.-low #hints { margin: 0; }
        &.-low #detail { height: 2; margin-top: 0; }
    }
    """
    BINDINGS = [
        ("r", "leave_with('replay')"),
        ("f", "leave_with('fork')"),
        ("e", "rename"),
        ("D,delete", "bin"),
        ("6", "show_bin"),
        ("X", "empty_bin"),
        ("y", "duplicate"),
        ("o", "other_shelf"),
        ("i", "mark"),
        ("d", "compare"),
        *((str(number), f"filter('{name}')") for number, name in enumerate(FILTERS, 1)),
    ]
    KEYS = {
        "enter": "library.open",
        "r": "library.replay",
        "f": "library.fork",
        "e": "library.rename",
        "D": "library.bin",
        "6": "library.show_bin",
        "y": "library.duplicate",
        "i": "library.mark",
        "d": "library.compare",
    }
    ABOUT = "library_about"
    previews = True
    AUTO_FOCUS = "LongList"
    HINT = "library.search"

    class Loaded(Message):
        """The list was read."""

        def __init__(
            self, of_bin: bool, entries: list[SessionSummary], problem: str = ""
        ) -> None:
            super().__init__()
            self.of_bin = of_bin
            self.entries = entries
            self.problem = problem

    class Indexed(Message):
        """So many of so many sessions are in the index of what they say."""

        def __init__(self, done: int, of: int) -> None:
            super().__init__()
            self.done = done
            self.of = of

    class Said(Message):
        """By word, the files of the sessions that say it."""

        def __init__(self, found: dict[str, set[str]]) -> None:
            super().__init__()
            self.found = found

    def __init__(self, library: Library, folder: Path | None = None) -> None:
        super().__init__()
        self._library = library
        self._folder = folder
        self.opened = folder
        """The folder whose sessions are listed in addition to the library's own."""
        self._entries: list[SessionSummary] | None = None
        self._finder = SessionFinder([])
        self._said: dict[str, set[str]] = {}
        """By word, the files of the sessions that say it."""
        self._table = LibraryTable([], by_id=False)
        self._found: list[SessionSummary] = []
        self._filter = "all"
        self._marked: list[Path] = []
        """Those marked to be compared, in the order of marking; two at most."""
        self._stand_on: Path | None = None
        self._in_bin = False
        self._news: tuple[Path, str] | None = None
        """A session, and what has just been done about it: said in its details until
        the cursor leaves it.
        """
        self._results: set[Path] = set()

    @property
    def listed(self) -> set[Path]:
        return self._results

    @property
    def about(self) -> tuple[Path, ...]:
        return (self.opened,) if self.opened is not None else ()

    def crumb(self) -> str:
        return t("place.sessions") if self._folder is None else self._folder.name

    def again(self) -> LibraryScreen:
        new = LibraryScreen(self._library, self.opened)
        if not self._in_bin:
            new._folder, new._filter = self._folder, self._filter
            new._stand_on, new._marked = self._stand_on, self._marked
        return new

    def heading(self) -> str:
        if self._in_bin:
            return t("library.the_bin")
        if self._folder is None:
            return t("library.title")
        return t("library.folder", folder=clean_line(str(self._folder)))

    def body(self) -> ComposeResult:
        yield Static(id="filters")
        yield Static(LazyLine(self._table.head), id="head")
        yield LongList(self._row)
        yield Static(Content(t("library.reading")), id="detail")

    def keys(self) -> dict[str, str]:
        if self._in_bin:
            return {
                "enter": t("library.restore"),
                "X": t("library.empty_bin"),
                "6 esc": t("sheet.back"),
            }
        keys = super().keys()
        if self.opened is not None:
            keys["o"] = t("library.batch" if self._folder is None else "library.title")
        return keys

    def on_mount(self) -> None:
        self._load()

    @work(thread=True, group="library", exclusive=True, exit_on_error=False)
    def _load(self) -> None:
        of_bin = self._in_bin
        try:
            with without_collecting():
                entries = (
                    self._library.bin()
                    if of_bin
                    else self._library.entries(self._folder)
                )
                if self._folder is not None and not of_bin:
                    entries.sort(key=_by_number)
            if not of_bin:
                entries = [*self._library.runs(*self._places()), *entries]
            self.post_message(self.Loaded(of_bin, entries))
        except (OSError, BadInput) as error:
            self.post_message(self.Loaded(of_bin, [], str(error)))

    def _places(self) -> list[Path]:
        """Returns the folders whose batches and studies are listed: none inside of a
        batch; its neighbours are in the library.
        """
        if self._folder is not None:
            if kind_of(self._folder) == "batch":
                return []
            return [self._folder]
        beside = [self.opened.absolute().parent] if self.opened is not None else []
        return [self._library.paths.sessions, *beside, Path.cwd()]

    @on(Loaded)
    def _show(self, event: Loaded) -> None:
        if event.of_bin != self._in_bin:
            return
        self._entries, self._finder = event.entries, SessionFinder(event.entries)
        self._table = LibraryTable(
            self._entries, by_id=self._folder is not None and not self._in_bin
        )
        self.query_one("#head", Static).update(LazyLine(self._table.head))
        self._draw()
        self.call_after_refresh(self._read_for_search, self._finder)
        if event.problem:
            self.tell(event.problem)

    @work(thread=True, group="finder", exclusive=True, exit_on_error=False)
    def _read_for_search(self, finder: SessionFinder) -> None:
        with without_collecting():
            _ = finder.texts
        worker = get_current_worker()

        def progress(done: int, of: int) -> bool:
            self.post_message(self.Indexed(done, of))
            return not worker.is_cancelled

        self._index.fill(progress)

    @property
    def _index(self) -> TextIndex:
        paths = self._library.paths
        folder = paths.bin if self._in_bin else self._folder or paths.sessions
        return TextIndex(folder, paths.cache)

    @on(Indexed)
    def _tell_indexed(self, event: Indexed) -> None:
        """Says how far the index is; once it is whole, searches again."""
        more = (
            ""
            if event.done == event.of
            else t("library.indexing", done=event.done, total=event.of)
        )
        title = " ".join(filter(None, [self.path_title(), more]))
        self.query_one("#title", Static).update(title)
        if not more:
            self.narrow()

    @work(thread=True, group="texts", exclusive=True, exit_on_error=False)
    def _look_in_texts(self, words: list[str], index: TextIndex) -> None:
        self.post_message(self.Said({word: index.find(word) for word in words}))

    @on(Said)
    def _take_said(self, event: Said) -> None:
        if {*event.found} == {*self.typed.casefold().split()}:
            self._said = event.found
            self._draw()

    def tell(self, sentence: str) -> None:
        """Shows a sentence in the place of the details of the current session."""
        self.query_one("#detail", Static).update(
            Content.styled(clean(sentence), "$text-warning")
        )

    # Drawing

    def narrow(self) -> None:
        self._draw()
        self._look_in_texts(self.typed.casefold().split(), self._index)

    def _draw(self) -> None:
        if self._entries is None:
            return
        typed = self.typed.strip()
        searched = self._finder.find(typed, self._said) if typed else self._entries
        test = FILTERS[self._filter]
        self._found = searched if self._filter == "all" else [*filter(test, searched)]
        counts = {name: sum(map(test, searched)) for name, test in FILTERS.items()}
        self.query_one("#filters", Static).update(
            LazyLine(partial(filters, counts, self._filter))
        )
        self.query_one(LongList).show(len(self._found), self._place())
        self._detail()
        if not self._found:
            self.tell(
                t(
                    "library.nothing"
                    if self._entries
                    else "library.empty_bin_already"
                    if self._in_bin
                    else "library.empty"
                )
            )

    def _place(self) -> int:
        """Returns the row to be on."""
        wanted = self._stand_on
        if wanted is None:
            return 0
        return next(
            (
                number
                for number, entry in enumerate(self._found)
                if entry.file == wanted.name and entry.path == wanted
            ),
            0,
        )

    def _row(self, number: int, width: int) -> Row:
        entry = self._found[number]
        if entry.result:
            self._results.add(entry.path)
        return self._table.line(entry, self._mark(entry), width)

    @on(LongList.Moved)
    def _detail(self) -> None:
        entry = self._current()
        if entry is None:
            self.preview()
            return
        self._stand_on = entry.path
        if self._news is not None and self._news[0] != entry.path:
            self._news = None
        detail = self.query_one("#detail", Static)
        width = detail.content_size.width or self.app.size.width
        detail.update(
            about(entry, width, self._news[1] if self._news is not None else "")
        )
        of = entry.path, entry.events
        if self.preview(of, partial(of_path, entry.path)):
            self._results.add(entry.path)

    def _mark(self, entry: SessionSummary) -> int:
        if self._marked and entry.path in self._marked:
            return self._marked.index(entry.path) + 1
        return 0

    def _current(self) -> SessionSummary | None:
        number = self.query_one(LongList).cursor
        if number < len(self._found):
            return self._found[number]
        return None

    def _usable(self, *, run: bool = False) -> SessionSummary | None:
        """Returns the current entry; None, with a message, if it is in the bin or
        cannot be read. `run`: it may be a folder.
        """
        entry = self._current()
        if entry is None:
            return None
        why = (
            t("library.restore_first")
            if self._in_bin
            else entry.broken or (t("library.is_run") if entry.run and not run else "")
        )
        if why:
            self.tell(why)
            return None
        return entry

    # Keys

    def action_filter(self, name: str) -> None:
        self._filter = name
        self._draw()

    def action_leave(self) -> None:
        """Leaves the search first, then the bin, then the library."""
        if self._in_bin and not self.searching:
            self.action_show_bin()
        else:
            super().action_leave()

    @on(LongList.Chosen)
    def _open(self) -> None:
        if self._in_bin:
            self._restore()
        else:
            self.action_leave_with("open")

    def action_leave_with(self, action: str) -> None:
        entry = self._usable(run=action == "open")
        if entry is not None:
            self.dismiss(PlaceChoice(action, entry.path))

    def listing(self) -> list[dict[str, object]]:
        return [*map(asdict, self._found)]

    def action_export(self) -> None:
        """Exports the session under the cursor, or the list."""

        def chosen(row: int | None) -> None:
            if row == 0:
                self.action_leave_with("export")
            elif row == 1:
                super(LibraryScreen, self).action_export()

        if self._usable(run=True) is not None:
            rows = [t("library.export_one"), t("library.export_list")]
            self.app.push_screen(PickScreen(t("export.title"), rows), chosen)

    def action_mark(self) -> None:
        """Marks the current one, or takes its mark away.

        Of three, the one marked first loses its mark.
        """
        entry = self._usable(run=True)
        if entry is None:
            return
        if entry.path in self._marked:
            self._marked.remove(entry.path)
        else:
            self._marked = [*self._marked[-1:], entry.path]
        self._draw()

    def action_compare(self) -> None:
        """Compares the two that are marked.

        With one mark: that one and the current one; without any: the current one with
        its origin.
        """
        entry = self._usable(run=True)
        if entry is None:
            return
        pair = self._pair(entry)
        if len(pair) < 2:
            self.tell(
                t("library.compare_how_runs" if entry.run else "library.compare_how")
            )
            return
        kinds = {each.path: each.run for each in self._entries or []}
        runs = {kinds.get(path) for path in pair}
        if "study" in runs:
            self.tell(t("library.compare_study"))
        elif len(runs) > 1:
            self.tell(t("library.compare_mixed"))
        else:
            self.dismiss(PlaceChoice("compare", *pair))

    def _pair(self, entry: SessionSummary) -> list[Path]:
        """Returns the two to be compared, the reference first; fewer where that is not
        said.
        """
        if not self._marked:
            origin = [
                each.path
                for each in self._entries or []
                if entry.parent is not None and each.id == entry.parent
            ]
            return [*origin[:1], entry.path]
        if len(self._marked) == 2 or entry.path in self._marked:
            return self._marked
        return [*self._marked, entry.path]

    def action_rename(self) -> None:
        entry = self._usable()
        if entry is not None:
            try:
                title = self._library.whole_title(entry.path)
            except (OSError, BadInput) as error:
                self.tell(str(error))
                return
            self.app.push_screen(
                LinePrompt(t("library.new_title"), title),
                partial(self._rename, entry.path),
            )

    def _rename(self, path: Path, title: str | None) -> None:
        if title is not None:
            self._do(lambda: self._library.rename(path, title))

    def action_bin(self) -> None:
        entry = self._current()
        if entry is not None and entry.run:
            self.tell(t("library.is_run"))
        elif entry is not None and not self._in_bin:
            question = t("library.bin_question", title=clean_line(entry.title))
            self.app.push_screen(
                ConfirmScreen(question, t("library.bin_yes"), t("library.bin_no")),
                partial(self._bin, entry.path),
            )

    def _bin(self, path: Path, yes: bool | None) -> None:
        if yes:
            at = self.query_one(LongList).cursor
            after = [*self._found[at + 1 : at + 2], *self._found[max(at - 1, 0) : at]]
            self._stand_on = after[0].path if after else None
            self._do(lambda: self._library.delete(path))

    def action_show_bin(self) -> None:
        """Shows the bin, or the library again."""
        self._in_bin = not self._in_bin
        self._turn()

    def action_other_shelf(self) -> None:
        """Goes from a batch to the library's own sessions, where its forks are, and
        back.
        """
        if self.opened is not None and not self._in_bin:
            self._folder = self.opened if self._folder is None else None
            self._turn()

    def _turn(self) -> None:
        self._filter = "all"
        self.query_one("#title", Static).update(self.path_title())
        self.show_keys()
        self._load()

    def _restore(self) -> None:
        entry = self._current()
        if entry is not None:
            self._do(lambda: self._library.restore(entry.path))

    def action_empty_bin(self) -> None:
        if self._in_bin and self._entries:
            question = t("library.empty_bin_question", n=len(self._entries))
            self.app.push_screen(
                ConfirmScreen(question, t("library.empty_bin"), t("library.bin_no")),
                self._empty_bin,
            )

    def _empty_bin(self, yes: bool | None) -> None:
        if yes:
            self._do(self._library.empty_bin)

    def action_duplicate(self) -> None:
        entry = self._usable()
        if entry is not None:
            self._do(
                lambda: self._copied(entry.path, self._library.duplicate(entry.path))
            )

    def _copied(self, path: Path, copy: Path) -> None:
        """Says where a copy is, and goes to it where it is in the list."""
        if self._folder is None:
            self._stand_on = copy
            self._news = copy, t("library.duplicated")
        else:
            self._news = path, t("library.duplicated_elsewhere")

    def _do(self, change: Callable[[], object]) -> None:
        try:
            change()
        except (OSError, BadInput) as error:
            self.tell(str(error))
        else:
            self._load()


def _by_number(entry: SessionSummary) -> list[int | str]:
    """Returns the sort key of a batch: the file name, its numbers by value."""
    parts: list[int | str] = [*_DIGITS.split(entry.file.rpartition(".")[0])]
    parts[1::2] = map(int, parts[1::2])  # each second part is one
    return parts


_DIGITS = re.compile(r"(\d+)")
