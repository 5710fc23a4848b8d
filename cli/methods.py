"""What a session needs to go on: the engine of its method, and the models that need no provider."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..sessions.errors import BadInput, SessionError
from .console import say

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from ..engines.models.human import Asking
    from ..engines.models.port import Model
    from ..engines.relevance.engine import RelevanceEngine
    from ..engines.retrieval.port import Retriever
    from ..engines.run import Engine
    from ..sessions.paths import Paths
    from ..sessions.session import Header


class Method(NamedTuple):
    """An engine, and the built-in models it may be asked to seat."""

    engine: Engine
    builtins: dict[str, Model]


class Methods:
    """Methods for sessions. What many sessions retrieve with is opened once, when it is first needed; `close` lets it go."""

    def __init__(
        self, config: Config, places: Paths, person: Asking | None = None, *, url: str | None = None, foreign: bool = False
    ) -> None:
        """`person`: who speaks as `human` (None: nobody can be asked). `url`: the retriever of sessions that name none in config.yaml.

        `foreign`: the sessions may come from anybody, so they do not choose which folder is read.
        """
        self._config, self._places, self._person, self._url, self._foreign = config, places, person, url, foreign
        self._opened: dict[object, Retriever] = {}
        self._lexical: dict[object, Model] = {}
        self._relevance: RelevanceEngine | None = None
        """One for all sessions: it keeps the demonstrations."""
        self._lock = threading.Lock()

    def of(self, header: Header) -> Method:
        """BadInput for a workspace that this version has no method for."""
        from ..engines.models.human import Human

        human = {"human": Human(self._person)}
        if header.workspace == "debate":
            from ..engines.debate.engine import DebateEngine
            from ..engines.debate.script import Script

            return Method(DebateEngine(), {**human, "script": Script()})
        if header.workspace == "rag":
            from ..engines.rag.engine import RagEngine
            from ..engines.rag.lexical import Lexical

            retriever = self._retriever(header)
            key = _key(header)
            lexical = Lexical(retriever) if key is None else self._lexical.setdefault(key, Lexical(retriever))
            return Method(RagEngine(retriever), {**human, "lexical": lexical})
        if header.workspace == "relevance":
            from ..engines.relevance.lexical import Lexical as Judging

            return Method(self._judging(), {**human, "lexical": self._lexical.setdefault("relevance", Judging())})
        raise SessionError(f"This version of VerifyTUI cannot go on with a “{header.workspace}” session.")

    def open(self, header: Header) -> None:
        """Opens what a session retrieves or shows, so that what is wrong with it is said before anything is begun. BadInput."""
        from ..engines.retrieval.port import RetrievalError
        from ..sessions.session import Session

        if header.workspace == "relevance":
            self._judging().pool(Session(header))
        if header.workspace == "rag" and _key(header) not in (None, *self._opened):
            where = str(header.task.get("corpus"))
            if os.path.isabs(where) and sys.stderr.isatty():
                say(f"Reading {where} …")  # the first time it may take a while
            try:
                self._retriever(header)()
            except RetrievalError as error:
                raise BadInput(str(error)) from None

    def _judging(self) -> RelevanceEngine:
        from ..engines.relevance.engine import RelevanceEngine
        from ..prompts.demonstrations import load

        if self._relevance is None:
            self._relevance = RelevanceEngine(lambda name: load(name, self._places.demonstrations))
        return self._relevance

    def close(self) -> None:
        """Lets files and connections go."""
        for one in self._opened.values():
            close = getattr(one, "close", None)
            if callable(close):
                close()
        self._opened.clear()

    def _retriever(self, header: Header) -> Callable[[], Retriever]:
        key = _key(header)
        opened = self._opened if key is not None else {}

        def open_once() -> Retriever:
            from ..engines.retrieval.opening import open_retriever

            with self._lock:
                if key not in opened:
                    opened[key] = open_retriever(header, self._config, self._places, os.environ, url=self._url, foreign=self._foreign)
                return opened[key]

        return open_once


def _key(header: Header) -> object:
    """The same for sessions that retrieve with the same. None: the session has references of its own."""
    where = header.task.get("corpus")
    return None if where == "given" else tuple(str(one) for one in (where, *map(header.settings.get, ("embed", "rerank", "web_pages"))))
