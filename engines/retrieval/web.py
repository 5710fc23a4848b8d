"""Searches the web through LiteLLM: returns the engine's excerpts or, in two stages,
passages of the pages themselves.
"""

from __future__ import annotations

import asyncio
import html
import importlib.util
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ...sessions.clean import clean_line, scrub
from ...sessions.events import Reference
from ...sessions.installation import install_command
from ...texts import t
from ..models.config import Config
from ..models.keys import hide
from ..models.other_endpoints import WebHit, search
from ..models.port import ModelError
from .items import digest, without_sent
from .page_fetching import Address, PageError, fetch, public
from .port import ANY, PassageFilter, RetrievalError, RetrievalResult
from .ranking import refused

if TYPE_CHECKING:
    from urllib.robotparser import RobotFileParser


def _no_library() -> str:
    return t("wrong.web.no_library", install=install_command("documents"))


class SearchEngine(msgspec.Struct, frozen=True):
    """A search engine, by LiteLLM's name of it."""

    keys: tuple[str, ...] = ()
    """Environment variables; one of them holds the key."""
    base: str | None = None
    """Environment variable with another address for it."""
    needs: tuple[str, ...] = ()
    """Further variables that must be set; LiteLLM reads them itself."""
    free: bool = False
    """Whether it works without a key."""
    gives: Literal["results", "answers", "model"] = "results"
    """Search results; instant answers, which most questions have none of; or what a
    model wrote that searched.
    """


ENGINES: dict[str, SearchEngine] = {
    "agentcore": SearchEngine(needs=("AGENTCORE_GATEWAY_URL",), free=True),
    "apiserpent": SearchEngine(("APISERPENT_API_KEY",), "APISERPENT_API_BASE"),
    "bing_grounding": SearchEngine(
        needs=("BING_GROUNDING_PROJECT_ENDPOINT", "BING_GROUNDING_MODEL"),
        free=True,
        gives="model",
    ),
    "brave": SearchEngine(("BRAVE_API_KEY",), "BRAVE_API_BASE"),
    "dataforseo": SearchEngine(
        needs=("DATAFORSEO_LOGIN", "DATAFORSEO_PASSWORD"), free=True
    ),
    "duckduckgo": SearchEngine(base="DUCKDUCKGO_API_BASE", free=True, gives="answers"),
    "exa_ai": SearchEngine(("EXA_API_KEY",), "EXA_API_BASE"),
    "fastcrw": SearchEngine(("CRW_API_KEY",), "CRW_API_BASE"),
    "firecrawl": SearchEngine(("FIRECRAWL_API_KEY",), "FIRECRAWL_API_BASE"),
    "google_pse": SearchEngine(
        ("GOOGLE_PSE_API_KEY",), "GOOGLE_PSE_API_BASE", ("GOOGLE_PSE_ENGINE_ID",)
    ),
    "linkup": SearchEngine(("LINKUP_API_KEY",), "LINKUP_API_BASE"),
    "nimble": SearchEngine(("NIMBLE_API_KEY",), "NIMBLE_API_BASE"),
    "parallel_ai": SearchEngine(
        ("PARALLEL_AI_API_KEY", "PARALLEL_API_KEY"), "PARALLEL_AI_API_BASE"
    ),
    "perplexity": SearchEngine(("PERPLEXITYAI_API_KEY",), "PERPLEXITY_API_BASE"),
    "searchapi": SearchEngine(("SEARCHAPI_API_KEY",), "SEARCHAPI_API_BASE"),
    "searxng": SearchEngine(
        ("SEARXNG_API_KEY",), "SEARXNG_API_BASE", ("SEARXNG_API_BASE",), free=True
    ),
    "serper": SearchEngine(("SERPER_API_KEY",), "SERPER_API_BASE"),
    "tavily": SearchEngine(("TAVILY_API_KEY",), "TAVILY_API_BASE"),
    "tinyfish": SearchEngine(("TINYFISH_API_KEY",), "TINYFISH_API_BASE"),
    "you_com": SearchEngine(("YOUCOM_API_KEY",), "YOUCOM_API_BASE", free=True),
}


def no_results(provider: str) -> str | None:
    """Describe what an engine returned instead of search results, or None."""
    engine = ENGINES.get(provider)
    if engine is None or engine.gives == "results":
        return None
    return t(f"wrong.web.{engine.gives}", provider=provider)


SECONDS = 30.0
"""Seconds for a search."""
MOST = 20
"""Most results of one search."""
PAGES = 10
"""Most pages that are read for a query."""

_DROPPED = re.compile(r"(?is)<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_SPACE = re.compile(r"\s+")


class Web:
    """Retriever over the web.

    With `pages` in two stages, as in CoV-RAG's experiments: coarse search by an engine,
    then fine ranking of the passages of the pages it found (here by BM25, not by a
    trained model). Else, and for pages that cannot be read, the engine's excerpts,
    flagged `snippet`.

    Raises RetrievalError at once for an unknown engine, a missing key, `local_only`, or
    `pages` without the library that reads them. `allowed` says which addresses pages
    may come from; `seconds` are for a search.
    """

    def __init__(
        self,
        provider: str,
        config: Config,
        env: Mapping[str, str],
        pages: bool = False,
        *,
        seconds: float = SECONDS,
        allowed: Callable[[Address], bool] = public,
    ) -> None:
        engine = ENGINES.get(provider)
        if engine is None:
            raise RetrievalError(
                "bad-request",
                t("wrong.web.unknown", provider=provider, names=", ".join(ENGINES)),
            )
        if config.local_only:
            raise RetrievalError("not-local", t("wrong.web.local_only"))
        missing = [name for name in engine.needs if not env.get(name)]
        key = next((env[name] for name in engine.keys if env.get(name)), None)
        if key is None and not engine.free:
            missing.insert(0, " or ".join(engine.keys))
        if missing:
            raise RetrievalError(
                "missing-key",
                t("wrong.web.needs", provider=provider, names=" and ".join(missing)),
            )
        if pages and importlib.util.find_spec("trafilatura") is None:
            raise RetrievalError("bad-request", _no_library())
        self.name = f"web:{provider}"
        self._provider, self._key, self._env, self._pages = provider, key, env, pages
        self._base = env.get(engine.base) if engine.base else None
        self._seconds, self._allowed = seconds, allowed
        self._robots: dict[str, RobotFileParser] = {}

    def lexicon(self) -> None:
        return None

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        """The k best excerpts or passages."""
        most = PAGES if self._pages else max(1, min(k, MOST))
        try:
            hits = await search(
                self._provider,
                query,
                most,
                key=self._key,
                base=self._base or None,
                seconds=self._seconds,
                env=self._env,
            )
        except ModelError as error:
            raise refused(error) from None
        excerpts = [
            one for one in map(_excerpt, hits) if one.text or (self._pages and one.file)
        ]
        unread: list[str] = []
        found = await self._passages(query, excerpts, k, unread) if self._pages else []
        found = found or [one for one in excerpts if one.text][:k]
        cleaned = [without_sent(one) for one in found]
        found = [one for one, _ in cleaned]
        for n, one in enumerate(found, 1):
            one.n = n
        message = (
            None
            if found
            else f"{self._provider} found nothing on the web for this query."
        )
        if message and (instead := no_results(self._provider)):
            message = f"{message} {instead}"
        if unread:
            several = "page" if len(excerpts) == 1 else "pages"
            listed = "; ".join(unread[:3]) + ("; …" if len(unread) > 3 else "")
            said = (
                f"{len(unread)} of {len(excerpts)} {several} could not be read: "
                f"{listed}."
            )
            message = f"{message} {said}" if message else said
        return RetrievalResult(
            references=found,
            message=message,
            altered=any(altered for _, altered in cleaned),
        )

    async def _passages(
        self, query: str, excerpts: list[Reference], k: int, unread: list[str]
    ) -> list[Reference]:
        """Second stage: the best passages of the pages.

        `unread` collects the pages that could not be read, with reasons.
        """
        from .passages import cut

        texts = await asyncio.gather(
            *(self._page(one.file, unread) for one in excerpts)
        )
        passages = []
        for one, text in zip(excerpts, texts, strict=True):
            if not text.strip():
                passages += [one] if one.text else []
                continue
            for piece in cut(text):
                part = text[piece.start : piece.end]
                passages.append(
                    Reference(
                        n=0,
                        id=f"{one.file}@{piece.start}",
                        title=one.title,
                        file=one.file,
                        start=piece.start,
                        end=piece.end,
                        text=part,
                    )
                )
        return await asyncio.to_thread(_best, query, passages, k)

    async def _page(self, url: str | None, unread: list[str]) -> str:
        """The text of a page; empty where it cannot be read."""
        if url is None:
            return ""
        try:
            return scrub(await fetch(url, allowed=self._allowed, robots=self._robots))[
                0
            ]
        except PageError as error:
            unread.append(f"{_short(url)} ({error})")
        except ImportError:  # it is there, but not whole
            raise RetrievalError("bad-request", _no_library()) from None
        except (
            Exception
        ) as error:  # whatever is wrong with one page, the others are read
            unread.append(f"{_short(url)} ({type(error).__name__})")
        return ""


def _short(url: str) -> str:
    """Return an address for a message, shortened to one line."""
    text = clean_line(hide(url)[0])
    if len(text) <= 80:
        return text
    return text[:79] + "…"


def plain(text: str) -> str:
    """An excerpt as people read it: on one line, without HTML's tags and with the
    characters that its entities stand for.
    """
    text = _TAG.sub("", _DROPPED.sub(" ", text))
    text = _TAG.sub("", _DROPPED.sub(" ", html.unescape(text)))
    return _SPACE.sub(" ", scrub(text)[0]).strip()


def _excerpt(hit: WebHit) -> Reference:
    text, url = plain(hit.snippet), hit.url.strip()
    return Reference(
        n=0,
        id=f"web:{digest(url + text)}",
        title=plain(hit.title)[:500],
        file=scrub(url)[0]
        if re.match(r"(?i)https?://[^\s/]", url) and len(url) <= 4000
        else None,
        text=text[:20_000],
        flags=["snippet"],
    )


def _best(query: str, passages: list[Reference], k: int) -> list[Reference]:
    """Return those that share most words with the query by BM25, with scores, best
    first. Those without a shared word are left out.
    """
    import bm25s

    from .tokeniser import Tokeniser

    words = Tokeniser()
    numbers: dict[str, int] = {}
    texts = [
        [
            numbers.setdefault(word, len(numbers))
            for word in words.cut(f"{one.title}\n{one.text}")
        ]
        for one in passages
    ]
    asked = [numbers[word] for word in words.cut(query) if word in numbers]
    if not asked:
        return []
    index: Any = bm25s.BM25()
    index.vocab_dict = {}
    index.scores = index.build_index_from_ids(
        range(len(numbers)), texts, show_progress=False
    )
    scores = index.get_scores_from_ids(asked).tolist()
    order = sorted(range(len(passages)), key=lambda at: -scores[at])[:k]
    return [
        msgspec.structs.replace(passages[at], score=round(scores[at], 4))
        for at in order
        if scores[at] > 0
    ]
