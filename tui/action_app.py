"""The actions behind keys and palette entries.

Decides which handler runs an action, whether it is available, and what else applies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ..texts import t
from . import actions
from .host import Host

if TYPE_CHECKING:
    from textual.worker import Worker

    from .play import Scope
    from .workspaces.base import Workspace


class Tabbed(Host, Protocol):
    """An app with a tab for each workspace."""

    workspaces: dict[str, Workspace]
    """Those that have been opened, by name."""

    @property
    def workspace(self) -> Workspace:
        """The workspace in front."""
        ...

    async def bring(self, name: str) -> Workspace:
        """Opens the tab of a workspace."""
        ...


class ActionApp(Tabbed, Protocol):
    """An app whose keys run named actions."""

    front: str
    """Whose tab is open."""

    @property
    def works(self) -> Collection[Worker[object]]:
        """The background tasks, running and finished."""
        ...


class Doing:
    """The actions of an app.

    They take precedence over those of the current workspace, except while a person only
    labels.
    """

    def __init__(self, app: ActionApp, opening: object, sits: bool) -> None:
        """`opening` has actions, too; `sits`: a person goes through something here, and
        nothing else.
        """
        self._app = app
        self._parts = (app, opening)
        self._sits = sits
        self._dialogs: dict[str, list[Worker[object]]] = {}
        """The workers that wait for the dialog which an action has opened."""

    @property
    def _scope(self) -> Scope:
        """What a person goes through here, and nothing else."""
        play = self._app.workspace.play
        if play is not None:
            return play.scope
        return ""

    @property
    def _allowed(self) -> frozenset[str]:
        """The actions there are while a person only labels, or only decides."""
        if self._scope == "deciding":
            return actions.WHILE_DECIDING
        return actions.WHILE_LABELLING

    def can(self, name: str) -> bool:
        """Whether an action can be done now; it is not wrong to try, for then it says
        why not.
        """
        if self._sits:
            return name in self._allowed and (
                self._app.workspace.can(name) or hasattr(self._app, f"do_{name}")
            )
        for part in self._parts:
            if hasattr(part, f"do_{name}"):
                can = getattr(part, f"can_{name}", None)
                return can is None or bool(can())
        return self._app.workspace.can(name)

    async def do(self, name: str, key: str = "") -> None:
        """Does an action; nothing where its dialog is about to open."""
        if any(not worker.is_finished for worker in self._dialogs.get(name, ())):
            return
        if self._sits and name not in self._allowed:
            self._app.say(t(f"{self._scope}.not_here"), "information")
            return
        own = self._own(name)
        before = {*self._app.works}
        result = own(int(key)) if name in actions.DIGITS else own()
        if result is not None and hasattr(result, "__await__"):
            await result
        self._dialogs[name] = [
            worker
            for worker in self._app.works
            if worker.group == "dialog" and worker not in before
        ]

    def _own(self, name: str) -> Callable[..., Any]:
        """Returns what an action does."""
        if not self._sits or not self._app.workspace.can(name):
            for part in self._parts:
                own = getattr(part, f"do_{name}", None)
                if own is not None:
                    return own  # type: ignore[no-any-return]
        return self._app.workspace.action(name)

    def belonging(self) -> Iterator[tuple[actions.Action, str, str, str]]:
        """Yields the actions of the tab in front, each with its keys, its word and what
        it does.
        """
        for action in actions.ACTIONS:
            if actions.belongs(action.id, self._app.front):
                word, about = actions.words_of(
                    action.id, self._scope or self._app.front
                )
                yield action, actions.shown(self._app.keys_of[action.id]), word, about
