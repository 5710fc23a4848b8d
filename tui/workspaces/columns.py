"""A workspace in columns, of which a narrow screen shows one."""

from __future__ import annotations

from typing import ClassVar

from .base import Workspace


class InColumns(Workspace):
    """`columns` are the ids of the columns and, with a dash in front, classes of the workspace."""

    columns: ClassVar[tuple[str, ...]]
    _column = ""

    def show_column(self, name: str) -> None:
        """On a narrow screen only this column is shown."""
        self._column = name
        for each in self.columns:
            self.set_class(each == name, f"-{each}")

    def do_column(self) -> None:
        self.show_column(self.columns[(self.columns.index(self._column) + 1) % len(self.columns)])
        self.query_one(f"#{self._column}").focus()

    def _invitation(self) -> str:
        """What stands there before the first step, or at the beginning of a recording."""
        play = self.play
        if play is not None and play.session.events:
            return self.told("replay_invitation")
        lexical = play is not None and all(seat.model == "lexical" for seat in play.session.header.lineup.values())
        return self.told("invitation_lexical" if lexical else "invitation")
