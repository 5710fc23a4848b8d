"""The line in which a passage of a case is chosen as evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from .....texts import t
from ....screens.sheet import Keys
from ....showing import clean
from ....title_columns import fit
from .text_selection import TextSelection

Kind = Literal["material", "legal"]


class _SelectionPrompt(Static, can_focus=True):
    """Receives the keys while a passage is selected."""

    ALLOW_SELECT = False


class ChoosingBar(Vertical):
    """Posts `Moved` whenever the passage is another one, `Taken` when it is evidence,
    `Withdrawn` for one to be taken away, `Turned` for the other case, `Left` for
    escape.
    """

    DEFAULT_CSS = """
    ChoosingBar {
        dock: bottom; height: auto; width: 1fr; background: $panel; padding: 0 1;
        _SelectionPrompt { height: 1; width: 1fr; }
        #choosing-keys { height: auto; color: $quiet; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "word(1)", show=False),
        Binding("left", "word(-1)", show=False),
        Binding("down,j", "sentence(1)", show=False),
        Binding("up,k", "sentence(-1)", show=False),
        Binding("end", "all(1)", show=False),
        Binding("home", "all(-1)", show=False),
        Binding("space,V", "hold", show=False),
        Binding("enter,M", "take('material')", show=False),
        Binding("L", "take('legal')", show=False),
        Binding("D", "withdraw", show=False),
        Binding("b,tab", "turn", show=False),
        Binding("escape,q", "leave", show=False),
    ]
    takes_keys = True
    """Whether the app's keys do nothing here."""

    class Moved(Message):
        """Another passage is chosen."""

    class Taken(Message):
        """The passage is evidence."""

        def __init__(self, kind: Kind) -> None:
            super().__init__()
            self.kind: Kind = kind

    class Withdrawn(Message):
        """A passage is to be evidence no more."""

    class Turned(Message):
        """The passage is to be in the other case."""

    class Left(Message):
        """Nothing more is chosen."""

    def __init__(self, case: str | None, passage: TextSelection) -> None:
        """`case`: whose text it is, None for the query's."""
        super().__init__(id="choosing")
        self.case = case
        self.passage = passage
        self._taken = 0
        """How many passages are kept, as long as no other one is chosen."""

    def compose(self) -> ComposeResult:
        yield _SelectionPrompt("", markup=False)
        yield Static(Keys(self._keys()), id="choosing-keys")

    def on_mount(self) -> None:
        self.take_keys()
        self._tell()

    def take_keys(self) -> None:
        self.query_one(_SelectionPrompt).focus()

    @property
    def has_keys(self) -> bool:
        return self.screen.focused in [*self.query(_SelectionPrompt)]

    def turn_to(self, case: str | None, passage: TextSelection) -> None:
        """Chooses in another case."""
        self.case, self.passage = case, passage
        self._tell()

    def taken(self, count: int) -> None:
        """Report that the passage was added to the evidence, with the new total."""
        self.passage.held = False
        self._taken = count
        self._tell()

    def on_resize(self) -> None:
        self._tell()

    def _tell(self) -> None:
        held = t("labelling.held" if self.passage.held else "labelling.choosing")
        chosen = clean(self.passage.chosen, newlines=False)
        count = (
            t("labelling.taken", n=self._taken)
            if self._taken
            else t("relevance.characters", n=len(self.passage.chosen))
        )
        room = max(self.size.width - 6 - len(held) * 2 - len(count) * 2, 12)
        shown = fit(chosen, room).rstrip()
        line = Content.assemble(
            (f"{held} ", "bold $warning" if self.passage.held else "bold"),
            f"{shown} ",
            (count, "$quiet"),
        )
        self.query_one(_SelectionPrompt).update(line)

    @staticmethod
    def _keys() -> list[tuple[str, str]]:
        return [
            ("← →", t("labelling.by_word")),
            ("↑ ↓", t("labelling.by_sentence")),
            ("space", t("labelling.hold")),
            ("M", t("relevance.material")),
            ("L", t("relevance.legal")),
            ("D", t("action.withdraw")),
            ("b", t("labelling.other_case")),
            ("esc", t("sheet.back")),
        ]

    def _moved(self, move: Callable[[], None]) -> None:
        move()
        self._taken = 0
        self._tell()
        self.post_message(self.Moved())

    def action_word(self, by: int) -> None:
        self._moved(lambda: self.passage.word(by))

    def action_sentence(self, by: int) -> None:
        self._moved(lambda: self.passage.sentence(by))

    def action_all(self, by: int) -> None:
        self._moved(lambda: self.passage.all(by))

    def action_hold(self) -> None:
        self._moved(self.passage.hold)

    def action_take(self, kind: Kind) -> None:
        self.post_message(self.Taken(kind))

    def action_withdraw(self) -> None:
        self._taken = 0
        self._tell()
        self.post_message(self.Withdrawn())

    def action_turn(self) -> None:
        self.post_message(self.Turned())

    def action_leave(self) -> None:
        self.post_message(self.Left())
