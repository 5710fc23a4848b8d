"""The keys that can be used now, at the bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from textual.content import Content
from textual.widgets import Static

from ...texts import t
from .. import actions
from ..state import Kind
from .header import clickable

_NAMES: dict[Kind, str] = {
    "fresh": "next column run new label lineup round library level"
    " unlabelled topic corpora",
    "live": "next column round run label claim_next lineup edit undo back fork"
    " level drop cited retry raw",
    "failed": "retry lineup column next edit undo back raw",
    "running": "stop pause column running label back level lineup search raw",
    "yours": "write stop column running back search raw",
    "back": "last stop fork column back forward claim_next edit retry raw jump"
    " label search copy",
    "replay": "next column run pause claim_next faster slower fork back last jump"
    " raw search",
    "finished": "export twin column claim_next handover new label fork edit undo"
    " back compare raw heatmap",
    "reading": "topic fact_next fact_before together shared fact_jump column label"
    " search",
    "labelling": "label guide next_pair column undo pair_before evidence reasons"
    " blind unlabelled library search undecided note",
    "deciding": "label guide next_pair column undo pair_before reasons blind"
    " unlabelled library search undecided note",
    "read_only": "fork column back raw search copy export compare",
}
ORDER = {kind: tuple(names.split()) for kind, names in _NAMES.items()}
"""The most useful keys of each state, the most important first: the next step, and,
where half of the screen is hidden, the key that shows it.
"""

ANYWHERE = (
    "running",
    "new",
    "library",
    "go",
    "palette",
    "search",
    "unlabelled",
    "topic",
    "quit",
)
"""What is shown of the others where there is room, before all that is left."""


SITTING: tuple[Kind, ...] = ("labelling", "deciding")
"""Modes for pairs only, without other tabs, with their own words for keys."""

ELSEWHERE = ("help", "tab_before", "tab_after", "jump")
"""What has its own place in the line, or needs too much of it."""

STYLE = "bold $footer-key-foreground"


class KeyLine(Static):
    """A line with as many keys as fit, the most useful first; each can be clicked.

    Tabs and help are always among them.
    """

    ALLOW_SELECT = False

    def __init__(self, keys: Mapping[str, str], workspace: str) -> None:
        super().__init__(id="keys")
        self._keys = keys
        self._workspace = workspace
        self._kind: Kind = "empty"
        self._can: Callable[[str], bool] = bool
        self._scale: Mapping[int, str] = {}
        self._drawn = ""

    def tell(
        self,
        workspace: str,
        kind: Kind,
        can: Callable[[str], bool],
        scale: Mapping[int, str] | None = None,
    ) -> None:
        """Shows the keys of the workspace in front.

        `can`: whether an action can be done now; `scale`: a team's own levels with
        names.
        """
        self._workspace, self._kind, self._can = workspace, kind, can
        self._scale = scale or {}
        self._draw()

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        always = (
            [self._piece("help")]
            if self._kind in SITTING
            else [self._tabs(), self._piece("help")]
        )
        # the last cell of the line is a blank
        room = max(self.size.width, 20) + 1 - sum(each.cell_length for each in always)
        pieces: list[Content] = []
        for name in self._useful():
            piece = self._piece(name)
            if piece.cell_length > room:
                break
            pieces.append(piece)
            room -= piece.cell_length
        line = Content.assemble(*pieces, *always)
        if line.plain != self._drawn:
            self._drawn = line.plain
            self.update(line, layout=False)

    def _useful(self) -> Iterator[str]:
        """Yields what can be done now, the most useful first."""
        first, *others = ORDER.get(self._kind, ORDER["fresh"])
        every = (
            first,
            "return",
            *others,
            *ANYWHERE,
            *actions.BY_ID,
        )
        for name in dict.fromkeys(every):
            if (
                name in ELSEWHERE
                or name not in actions.BY_ID
                or not actions.belongs(name, self._workspace)
            ):
                continue
            if self._keys[name] and self._can(name):
                yield name

    def _piece(self, name: str) -> Content:
        key = actions.first(self._keys, name)
        if not key:
            return Content("")
        word = actions.words_of(
            name, self._kind if self._kind in SITTING else self._workspace
        )[0]
        if name in actions.DIGITS:
            digits = [each for each in self._keys[name].split(",") if each.isascii()]
            levels = self._kind in SITTING
            words = {
                digit: self._scale.get(int(digit), "")
                if self._scale
                else t(f"level_word.{digit}")
                for digit in (digits if levels else ())
            }
            if self._scale:
                digits = [digit for digit in digits if words.get(digit)]
            lead = f" {word}:" if self._kind == "deciding" else ""
            each = [
                clickable(
                    Content.assemble(
                        (f" {digit}", STYLE),
                        f" {words[digit]}" if levels else "",
                    ),
                    f"app.do('{name}', '{digit}')",
                )
                for digit in digits
            ]
            return Content.assemble(lead, *each, " " if levels else f" {word} ")
        return clickable(
            Content.assemble((f" {key}", STYLE), f" {word} "), f"app.do('{name}')"
        )

    def _tabs(self) -> Content:
        """Returns one piece for both directions."""
        before, after = (
            actions.first(self._keys, name) for name in ("tab_before", "tab_after")
        )
        if not (before and after):
            return Content.assemble(self._piece("tab_before"), self._piece("tab_after"))
        word = actions.words_of("tab_after", self._workspace)[0]
        return Content.assemble(
            clickable(Content.styled(f" {before}", STYLE), "app.do('tab_before')"),
            clickable(
                Content.assemble((f" {after}", STYLE), f" {word} "),
                "app.do('tab_after')",
            ),
        )
