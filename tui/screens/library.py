"""The saved sessions, and the batches and studies near them: find, open, replay, fork,
rename, bin, export, copy and compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from ...sessions.errors import BadInput
from ...sessions.finding import ranked
from ...sessions.folders import kind_of
from ...texts import t
from ..showing import clean
from .confirm import ConfirmScreen, LinePrompt
from .library_rows import LibraryTable, about, filters
from .sheet import Keys, LazyLine, RowList, Sheet

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


class LibraryChoice(NamedTuple):
    """What to do with which session or folder.

    `action`: open, replay, fork, export or compare; `other` is the second one to
    compare.
    """

    action: str
    path: Path
    other: Path | None = None


class LibraryScreen(Sheet[LibraryChoice]):
    """Dismissed with a `LibraryChoice`, or None.

    Renaming, putting into the bin and duplicating happen here.

    `folder`: the sessions of a batch; `o` goes to the library's own, with the batches
    and studies beside it, and back. `like`: a former one, whose list, filter and place
    are taken up.
    """

    DEFAULT_CSS = """
    LibraryScreen {
        #sheet { max-width: 180; }
        #search { margin-bottom: 1; }
        #filters { height: 1; }
        #head { height: 1; color: $quiet; padding-right: 1; }
        RowList { scrollbar-gutter: stable; }
        #detail { height: 3; color: $quiet; margin-top: 1; }
        &.-low #title, &.-low #search, &.-low #hints { margin: 0; }
        &.-low #detail { height: 2; margin-top: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", show=False),
        Binding("r", "leave_with('replay')", show=False),
        Binding("f", "leave_with('fork')", show=False),
        Binding("s", "leave_with('export')", show=False),
        Binding("e", "rename", show=False),
        Binding("D,delete", "bin", show=False),
        Binding("O", "show_bin", show=False),
        Binding("X", "empty_bin", show=False),
        Binding("y", "duplicate", show=False),
        Binding("o", "other_shelf", show=False),
        Binding("space", "mark", show=False),
        Binding("d", "compare", show=False),
        *(
            Binding(str(number), f"filter('{name}')", show=False)
            for number, name in enumerate(FILTERS, 1)
        ),
    ]
    AUTO_FOCUS = "RowList"
    tall = True

    class Loaded(Message):
        """The list was read."""

        def __init__(
            self, of_bin: bool, entries: list[SessionSummary], problem: str = ""
        ) -> None:
            super().__init__()
            self.of_bin = of_bin
            self.entries = entries
            self.problem = problem

    def __init__(
        self,
        library: Library,
        folder: Path | None = None,
        like: LibraryScreen | None = None,
    ) -> None:
        super().__init__()
        self._library = library
        self._folder = folder
        self.opened = folder
        """The folder whose sessions are listed beside the library's own."""
        self._entries: list[SessionSummary] | None = None
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
        self.listed: set[Path] = set()
        """The files of the sessions whose results were shown."""
        if like is not None and not like._in_bin:
            self._folder, self._filter, self._stand_on = (
                like._folder,
                like._filter,
                like._stand_on,
            )
            self._marked = like._marked

    def heading(self) -> str:
        if self._in_bin:
            return t("library.the_bin")
        if self._folder is None:
            return t("library.title")
        return t("library.folder", folder=clean(str(self._folder), newlines=False))

    def body(self) -> ComposeResult:
        yield Static(id="filters")
        yield Input(id="search", placeholder=t("library.search"))
        yield Static(LazyLine(LibraryTable([], by_id=False).head), id="head")
        yield RowList()
        yield Static(Content(t("library.reading")), id="detail")

    def keys(self) -> list[tuple[str, str]]:
        if self._in_bin:
            return [
                ("enter", t("library.restore")),
                ("X", t("library.empty_bin")),
                ("O esc", t("sheet.back")),
            ]
        names = (
            "open",
            "replay",
            "fork",
            "rename",
            "bin",
            "show_bin",
            "duplicate",
            "export",
            "mark",
            "compare",
            "find",
        )
        keys = ("enter", "r", "f", "e", "D", "O", "y", "s", "space", "d", "/")
        other = (
            [("o", t("library.title" if self._folder is not None else "library.batch"))]
            if self.opened is not None
            else []
        )
        return [
            *(
                (key, t(f"library.{name}"))
                for key, name in zip(keys, names, strict=True)
            ),
            *other,
            ("esc", t("sheet.back")),
        ]

    def on_mount(self) -> None:
        self._load()

    @work(thread=True, group="library", exclusive=True, exit_on_error=False)
    def _load(self) -> None:
        of_bin = self._in_bin
        try:
            entries = (
                self._library.bin() if of_bin else self._library.entries(self._folder)
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
        batch; its neighbours stand in the library.
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
        self._entries = event.entries
        self._draw()
        if event.problem:
            self.tell(event.problem)

    def tell(self, sentence: str) -> None:
        """Shows a sentence in the place of the details of the current session."""
        self.query_one("#detail", Static).update(
            Content.styled(clean(sentence), "$text-warning")
        )

    # Drawing

    @on(Input.Changed)
    def _typed(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if self._entries is None:
            return
        typed = self.query_one("#search", Input).value
        searched = ranked(self._entries, typed) if typed.strip() else self._entries
        self._found = [entry for entry in searched if FILTERS[self._filter](entry)]
        counts = {name: sum(map(test, searched)) for name, test in FILTERS.items()}
        self.query_one("#filters", Static).update(
            LazyLine(partial(filters, counts, self._filter))
        )
        cursor = next(
            (
                number
                for number, entry in enumerate(self._found)
                if entry.path == self._stand_on
            ),
            0,
        )
        table = LibraryTable(
            self._found, by_id=self._folder is not None and not self._in_bin
        )
        self.query_one("#head", Static).update(LazyLine(table.head))
        self.listed |= {entry.path for entry in self._found if entry.result}
        lines = [
            LazyLine(partial(table.line, entry, self._mark(entry)))
            for entry in self._found
        ]
        self.query_one(RowList).show(lines, cursor=cursor)
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

    @on(OptionList.OptionHighlighted)
    def _detail(self) -> None:
        entry = self._current()
        if entry is None:
            return
        self._stand_on = entry.path
        if self._news is not None and self._news[0] != entry.path:
            self._news = None
        detail = self.query_one("#detail", Static)
        width = detail.content_size.width or self.app.size.width
        detail.update(
            about(entry, width, self._news[1] if self._news is not None else "")
        )

    def _mark(self, entry: SessionSummary) -> int:
        if entry.path in self._marked:
            return self._marked.index(entry.path) + 1
        return 0

    def _current(self) -> SessionSummary | None:
        number = self.query_one(RowList).highlighted
        if number is not None and number < len(self._found):
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

    def action_search(self) -> None:
        self.query_one("#search", Input).focus()

    def key_down(self) -> None:
        self.query_one(RowList).focus()

    def action_filter(self, name: str) -> None:
        self._filter = name
        self._draw()

    @on(Input.Submitted)
    def _to_list(self) -> None:
        self.query_one(RowList).focus()

    def action_leave(self) -> None:
        """Leaves the search first, then the library."""
        line = self.query_one("#search", Input)
        if line.has_focus or line.value:
            line.value = ""
            self.query_one(RowList).focus()
        elif self._in_bin:
            self.action_show_bin()
        else:
            self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _open(self) -> None:
        if self._in_bin:
            self._restore()
        else:
            self.action_leave_with("open")

    def action_leave_with(self, action: str) -> None:
        entry = self._usable(run=action == "open")
        if entry is not None:
            self.dismiss(LibraryChoice(action, entry.path))

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
            self.dismiss(LibraryChoice("compare", *pair))

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
            question = t(
                "library.bin_question", title=clean(entry.title, newlines=False)
            )
            self.app.push_screen(
                ConfirmScreen(question, t("library.bin_yes"), t("library.bin_no")),
                partial(self._bin, entry.path),
            )

    def _bin(self, path: Path, yes: bool | None) -> None:
        if yes:
            at = self.query_one(RowList).highlighted or 0
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
        self.query_one("#title", Static).update(self.heading())
        self.query_one("#hints", Static).update(Keys(self.keys()))
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


def _by_number(entry: SessionSummary) -> list[tuple[int, str]]:
    """Returns the sort key of a batch: the file name, its numbers by value."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part)
        for part in re.split(r"(\d+)", entry.path.stem)
    ]
