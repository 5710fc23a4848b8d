"""What methods share: configuration, folders, the person at the keyboard, and open
sources.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from ..prompts.demonstrations import DemonstrationSet
    from ..sessions.paths import Paths
    from ..sessions.session import Header
    from .models.config import Config
    from .models.human import AskPerson
    from .retrieval.port import Retriever

T = TypeVar("T")


class SessionRetriever:
    """The retriever of sessions with the same source, opened on the first call, from
    any thread.
    """

    def __init__(self, open_: Callable[[], Retriever]) -> None:
        self._open = open_
        self._opened: Retriever | None = None
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        return self._opened is not None

    def __call__(self) -> Retriever:
        """The open retriever. Tries again after a failure.

        Raises: RetrievalError, BadInput.
        """
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def close(self) -> None:
        """Closes files and connections."""
        opened, self._opened = self._opened, None
        close = getattr(opened, "close", None)
        if callable(close):
            close()


class Tools:
    """Tools for the sessions of one run, of any method.

    `close` releases files and connections.
    """

    def __init__(
        self,
        config: Config,
        places: Paths,
        person: AskPerson | None = None,
        *,
        url: str | None = None,
        foreign: bool = False,
        focus: Callable[[], str | None] | None = None,
        say: Callable[[str], None] = lambda message: None,
        wrong: Sequence[str] = (),
    ) -> None:
        """`person`: who speaks as `human`; None: nobody can be asked.

        `url`: the retriever of sessions that name none in config.yaml.

        `foreign`: the sessions may come from anybody, so they do not choose which
        folder is read. `focus`: the part of the session that the person looks at and
        that goes first, such as a candidate's id. `say`: takes a sentence for the user.
        `wrong`: what is wrong in the configuration, a sentence each.
        """
        self.config, self.places, self.person = config, places, person
        self.focus, self.say, self.wrong = focus, say, wrong
        self._url, self._foreign = url, foreign
        self._kept: dict[Hashable, Any] = {}

    def retriever(self, header: Header) -> SessionRetriever:
        """The retriever of a session. Sessions with the same source share it; a session
        with its own references has its own.
        """
        from .retrieval.opening import open_retriever, place_of

        def open_() -> Retriever:
            return open_retriever(
                header,
                self.config,
                self.places,
                os.environ,
                url=self._url,
                foreign=self._foreign,
            )

        place = place_of(header)
        if place is None:
            return SessionRetriever(open_)
        return self.shared(place, lambda: SessionRetriever(open_))

    def demonstrations(self, name: str) -> DemonstrationSet:
        """The set of demonstrations of this name or path. Raises: BadInput."""
        from ..prompts.demonstrations import load

        return load(name, self.places.demonstrations)

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached value for `key`; `make` creates it on first use."""
        if key not in self._kept:
            self._kept[key] = make()
        return cast(T, self._kept[key])

    def close(self) -> None:
        """Closes everything opened for the sessions."""
        for value in self._kept.values():
            if isinstance(value, SessionRetriever):
                value.close()
        self._kept.clear()
