"""A list or a table that has its place in the app's stack: something is opened in it,
and escape comes back to the same row.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget

from ...texts import t
from ..showing import clean_line
from .export import ask_export
from .filtering import FilteredSheet
from .focus import kind_of
from .go import PLACES, GoScreen
from .preview import Preview


class PlaceChoice(NamedTuple):
    """What to do with which session or folder.

    `action`: open, replay, fork, export, compare, sessions (list those of a folder),
    or a place of `GoScreen`; `other` is the second one to compare.
    """

    action: str
    path: Path = Path()
    other: Path | None = None


class Place(FilteredSheet[PlaceChoice]):
    """Dismissed with a `PlaceChoice`, or None."""

    DEFAULT_CSS = """
    Place {
        #split { height: 1fr; }
        #list { width: 3fr; height: 1fr; }
        Preview {
            display: none; width: 2fr; margin-left: 1; padding-left: 1;
            border-left: vkey $panel; scrollbar-size-vertical: 1;
        }
        &.-wide Preview { display: block; }
        &.-wide #sheet.split {
            width: 100%; max-width: 100%; height: 100%; max-height: 100%;
        }
    }
    """
    BINDINGS = [("g", "go"), ("s", "export")]
    CRUMB = ""
    """The text that is the name of the place, where it never changes."""
    ABOUT: ClassVar[str]
    """The text that explains what is listed."""
    previews = False
    """Whether the row at the cursor is previewed next to the list where there is room.
    """
    tall = True
    trail: tuple[str, ...] = ()
    """The names of the places that lead here, the outermost first."""

    @property
    def about(self) -> tuple[Path, ...]:
        """The folders that are shown; none: the library's own, or the machine's."""
        return ()

    @property
    def listed(self) -> set[Path]:
        """The files of the sessions whose results were shown."""
        return set()

    def crumb(self) -> str:
        """Returns the name of the place, as the trail shows it."""
        return t(self.CRUMB)

    @abstractmethod
    def again(self) -> Place:
        """Returns the same place as it was left: its filter, its marks and its row."""

    @property
    def shape(self) -> str:
        return "tall split" if self.previews else "tall"

    def middle(self) -> ComposeResult:
        if not self.previews:
            yield from self.body()
            return
        with Horizontal(id="split"):
            with Vertical(id="list"):
                yield from self.body()
            yield Preview()

    def preview(
        self, of: Hashable = None, read: Callable[[], Content] = Content
    ) -> bool:
        """Shows beside the list what `read` returns, as `Preview.show` does; nothing to
        a person who labels and is not to see yet what others say. Returns whether it is
        seen.
        """
        if getattr(self.app, "annotator", None) is not None:
            return False
        self.query_one(Preview).show(of, read)
        return self.has_class("-wide")

    def purpose(self, focused: Widget | None) -> str:
        lists = kind_of(focused) == "list"
        return t(f"place.{self.ABOUT}") if lists else super().purpose(focused)

    def listing(self) -> Sequence[Mapping[str, object]]:
        """Returns the rows of the list: values by column, as files have them."""
        return []

    def action_export(self) -> None:
        """Writes what the list shows to a file."""
        ask_export(
            self, self.ABOUT.removesuffix("_about"), self.heading(), self.listing()
        )

    def _foot(self) -> dict[str, str]:
        return {
            **super()._foot(),
            "s": t("action.export"),
            "g": t("action.go"),
        }

    def action_go(self) -> None:
        """Leaves for another place, if one is chosen."""

        def chosen(name: str | None) -> None:
            if name is not None:
                self.dismiss(PlaceChoice(name))

        self.app.push_screen(GoScreen(), chosen)

    def commands(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        yield from super().commands()
        for key, (name, text) in PLACES.items():
            go = partial(self.dismiss, PlaceChoice(name))
            yield f"{t('place.go')}: {t(text)}", f"g {key}", go

    def path_title(self) -> str:
        """Returns the title, behind the places that lead here."""
        return clean_line(" › ".join((*self.trail, self.heading())))
