"""Where a person has their say in a workspace: one form at a time, which keeps what is
filled in until it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping
from typing import TYPE_CHECKING, Any

from textual.widget import Widget

if TYPE_CHECKING:
    from ..screens.docked_form import DockedForm


class FormHost:
    """The form of a workspace, if there is one."""

    def __init__(self, view: Widget, unsent: MutableMapping[Hashable, Any]) -> None:
        """`unsent` keeps what was filled in and not sent, by what was asked."""
        self.form: DockedForm | None = None
        self.about: object = None
        """What the form is an answer to."""
        self._key: Hashable = None
        self._view = view
        self._unsent = unsent

    @property
    def has_keys(self) -> bool:
        """Whether keys go to the form."""
        return self.form is not None and self.form.has_focus_within

    async def show(
        self, about: object, key: Hashable, make: Callable[[], DockedForm]
    ) -> None:
        """Shows a form, with what was filled in before; nothing happens where it is
        there already.
        """
        if self.about is about:
            return
        while self.form is not None:  # another may come while this one is taken away
            await self.clear()
            if self.about is about:
                return
        form = self.form = make()
        self.about, self._key = about, key
        form.fill(self._unsent.get(key, {}))
        await self._view.mount(form)

    async def clear(self) -> None:
        """Takes the form away and keeps what is filled in, unless it was sent."""
        form, self.form, self.about = self.form, None, None
        if form is None:
            return
        self.keep(form)
        self._view.remove_class("-writing")
        if form.is_attached:
            await form.remove()

    def keep(self, form: DockedForm) -> None:
        """Keeps what is filled in for the next time."""
        if form.sent:
            self._unsent.pop(self._key, None)
        elif form.is_mounted and form.changed:
            self._unsent[self._key] = form.values()
