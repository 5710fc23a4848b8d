"""A workspace in columns, of which a narrow screen shows one."""

from __future__ import annotations

from textual.widget import Widget


class ColumnLayout:
    """The columns of a widget: their ids are ids of its children and, with a dash in
    front, its classes.
    """

    def __init__(self, widget: Widget, *ids: str) -> None:
        self._widget = widget
        self._ids = ids
        self.current = ids[0]

    def show(self, name: str) -> None:
        """Shows a column; on a narrow screen it is the only one."""
        self.current = name
        for each in self._ids:
            self._widget.set_class(each == name, f"-{each}")

    def can_column(self) -> bool:
        """Whether there are columns that cannot be seen."""
        return self._widget.app.size.width < 100

    def do_column(self) -> None:
        self.show(self._ids[(self._ids.index(self.current) + 1) % len(self._ids)])
        self._widget.query_one(f"#{self.current}").focus()
