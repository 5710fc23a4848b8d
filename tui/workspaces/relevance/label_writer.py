"""Gives labels: each is written before anything else happens, and the last one can be
taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....sessions.errors import BadInput
from ....sessions.events import Note
from ....sessions.events.labels import Label
from ....texts import t
from ...showing import clean_line
from .labeling_state import SAID

if TYPE_CHECKING:
    from ..session_context import SessionContext
    from .cases import CasesView


class LabelWriter:
    """Writes labels: to the person's file next to the session, or to that of the pairs
    being labelled.
    """

    def __init__(self, bench: SessionContext, view: CasesView) -> None:
        self._bench = bench
        self._view = view

    def can(self) -> bool:
        """Whether labels can be given here."""
        play, cases = self._bench.play, self._view.cases
        if play is None or cases is None or play.replaying:
            return False
        return self._view.pairs is not None or cases.aside is not None

    @property
    def said(self) -> Label | None:
        """The person's label of the candidate in front; None where nothing counts."""
        cases = self._view.cases
        label = (
            cases.labelling.said(cases.fold(), cases.front)
            if cases is not None and cases.front is not None
            else None
        )
        if label is None or label.undone:
            return None
        return label

    async def give(self, what: str, **changed: object) -> bool:
        """Changes what the person says of the candidate in front; False, after a
        message, where nothing could be kept.

        `what` names it for the key that takes it back.
        """
        cases = self._view.cases
        if cases is None or cases.front is None:
            return False
        where, before = self._view.where(), self.said
        if not self._keep(
            cases.labelling.label(
                cases.fold(),
                cases.front,
                **changed,
            )
        ):
            return False
        self._bench.undo.did(what, lambda: self._restore(where, before))
        self._view.show_label()
        return True

    async def _restore(self, where: object, before: Label | None) -> bool:
        """Goes back to the label before; the one taken back stays in the file."""
        if not await self._view.go_to(where):
            return False
        cases = self._view.cases
        if cases is None or cases.front is None:
            return False
        again = before if before is not None else Label(candidate=cases.front)
        fields = {name: getattr(again, name) for name in (*SAID, "words_only")}
        kept = self._keep(
            cases.labelling.label(
                cases.fold(), cases.front, **fields, undone=before is None
            )
        )
        self._view.show_label()
        return kept

    def note(self, text: str) -> None:
        """Keeps a remark on the candidate in front, in the session itself."""
        cases = self._view.cases
        if cases is not None and cases.front is not None:
            self._keep(Note(text=text, about=cases.front))
            self._view.show_label()

    def _keep(self, said: Label | Note) -> bool:
        """Writes a label to its file, regardless of the cursor and of running calls."""
        play, cases = self._bench.play, self._view.cases
        if play is None or cases is None:
            return False
        if not self.can():
            self._bench.say("read_only")
            return False
        try:
            if isinstance(said, Label) and self._view.pairs is not None:
                self._view.pairs.keep(said)
                return True
            play.keep(self._bench.host.library)
            if isinstance(said, Label) and cases.aside is not None:
                cases.aside.keep(play.journal.path, said)
                return True
            at_end = play.at_end
            play.journal.append(said)
            if at_end:
                play.cursor = len(play.session.events)
        except BadInput as error:
            self._bench.refuse(error)
            return False
        return True


def label_name(view: CasesView, value: int | None) -> str:
    """A level of what is in front, for the key that takes it back."""
    front = view.cases.front if view.cases is not None else None
    name = view.pairs.name if view.pairs is not None else clean_line(front or "")
    return t(
        "undo.label",
        level=t("action.undecided") if value is None else str(value),
        case=name,
    )
