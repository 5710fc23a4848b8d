"""Opens the retriever of a session, from its header and the user's configuration."""

from __future__ import annotations

from collections.abc import Mapping

from ...sessions.errors import BadInput, bad_input
from ...sessions.paths import Paths
from ...sessions.session import Header, Seat
from ...texts import t
from ..models.config import Config
from ..models.lineup import BUILTINS
from ..models.seating import seat
from .embedders import absolute, is_local
from .plugin import plugin_of
from .port import RetrievalError, Retriever

NO_CORPUS = t("wrong.corpus.not_named")


def open_retriever(
    header: Header,
    config: Config,
    places: Paths,
    env: Mapping[str, str],
    *,
    url: str | None = None,
    foreign: bool = False,
) -> Retriever:
    """The retriever of a session, from `task["corpus"]` (a corpus' name or a path,
    `given`, `web:NAME`, `http`, `http:NAME`) and the settings `embed`, `rerank` (models
    as the user writes them) and `web_pages`.

    `foreign`: the session may come from anybody, so a folder that has not been indexed
    here before is not read, and no encoder is loaded that config.yaml does not name.
    `url` is the retriever of `http`; that of `http:NAME`, and all keys, come from
    config and environment, never from the session. A folder without an index is indexed
    here, which may take long: call this in a thread. Raises: RetrievalError, with one
    sentence for whatever is wrong.
    """
    try:
        inner = _inner(header, config, places, env, url, foreign)
        embed, rerank = (
            _seat(header.settings.get(name), name, config, foreign)
            for name in ("embed", "rerank")
        )
    except BadInput as error:
        raise RetrievalError("bad-request", error.args[0]) from None
    if embed is None and rerank is None:
        return inner
    from .ranking import Reranker

    return Reranker(inner, embed=embed, rerank=rerank, config=config, env=env)


def place_of(header: Header) -> tuple[str, ...] | None:
    """Return a value that is equal for sessions with the same retriever; None if the
    session has its own references.
    """
    where = header.task.get("corpus")
    if where == "given":
        return None
    return tuple(
        str(part)
        for part in (
            where,
            *map(header.settings.get, ("embed", "rerank", "web_pages")),
        )
    )


def _inner(
    header: Header,
    config: Config,
    places: Paths,
    env: Mapping[str, str],
    url: str | None,
    foreign: bool,
) -> Retriever:
    corpus = header.task.get("corpus")
    if not isinstance(corpus, str) or not corpus.strip():
        raise RetrievalError("corpus", NO_CORPUS)
    kind, _, name = corpus.partition(":")
    if corpus == "given":
        from .given_references import GivenReferences, references_from

        listed = header.task.get("references")
        return GivenReferences(references_from(listed) if listed else [])
    if kind == "web":
        from .web import Web

        return Web(name, config, env, pages=header.settings.get("web_pages") is True)
    if kind == "http" and not name.startswith("//"):
        from .http_retriever import http

        return http(name, url, config, env)
    from .corpus import Corpora
    from .embedding import embedder

    plugin = plugin_of(corpus)
    if plugin is not None:
        found = plugin.open(corpus, places, env)
        if hasattr(found, "embedder"):
            found.embedder = embedder(config, env)
        return found
    opened = Corpora(places).open(corpus, known=foreign)
    opened.embedder = embedder(config, env)
    return opened


def _seat(value: object, setting: str, config: Config, foreign: bool) -> Seat | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise bad_input("wrong.ranking.no_model", setting=setting, value=value)
    found = seat(value, config)
    if (
        foreign
        and is_local(found.model)
        and absolute(found.model)
        not in {absolute(one.model) for one in config.models.values()}
    ):
        raise bad_input("wrong.encoder.foreign", model=found.model)
    if found.model in BUILTINS:
        raise bad_input(
            "wrong.ranking.wrong_model",
            setting=setting,
            model=found.model,
            condition="embeds" if setting == "embed" else "ranks",
        )
    return found
