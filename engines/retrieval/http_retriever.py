"""A retriever on the user's own server: POST {"query": text, "k": number} returns
passages.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...sessions.clean import scrub
from ...sessions.events import Reference
from ...texts import t
from ..metrics.values import first_in
from ..models.config import Config, NamedRetriever
from ..models.faults import detail
from ..models.keys import without_keys
from ..models.providers import on_this_machine
from .items import LIST_NAMES, WithoutText, reference, without_sent
from .port import ANY, PassageFilter, RetrievalError, RetrievalKind, RetrievalResult

if TYPE_CHECKING:
    import httpx

LARGEST = 8 << 20
"""Most bytes of an answer."""


def http(name: str, url: str | None, config: Config, env: Mapping[str, str]) -> Http:
    """The retriever called `name` in config.yaml, or the one at `url`.

    Raises: RetrievalError if there is none, or if it is not allowed.
    """
    if name:
        named = config.retrievers.get(name)
        if named is None:
            known = ", ".join(config.retrievers) or t("report.word.none")
            raise RetrievalError(
                "bad-request", t("wrong.retriever.unknown", name=name, known=known)
            )
    elif url:
        named = NamedRetriever(url=url)
    else:
        raise RetrievalError("bad-request", t("wrong.retriever.no_address"))
    key = None
    if named.api_key_env is not None:
        key = env.get(named.api_key_env)
        if not key:
            raise RetrievalError(
                "missing-key",
                t("wrong.retriever.no_key", name=name, api_key_env=named.api_key_env),
            )
    return Http(
        named.url,
        key=key,
        timeout=named.timeout,
        env=env,
        allowed=config.private_hosts if config.local_only else None,
    )


class Http:
    """Retriever over HTTP. `key` is sent as `Authorization: Bearer`; `timeout` in
    seconds; `allowed`: under `local_only`, the hosts that count as the user's own
    beside this machine. RetrievalError `bad-request` for what is no address,
    `not-local` for one elsewhere.

    The answer: {"passages": […]} or a bare list; each passage a text, or an object with
    `text` (or `content` …) and, if it likes, `title`, `id`, `score`, `url` or `file`.
    """

    name = "http"

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout: float = 30.0,
        env: Mapping[str, str] | None = None,
        allowed: Collection[str] | None = None,
    ) -> None:
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            host = None
        if not host or parts.scheme not in ("http", "https"):
            raise RetrievalError("bad-request", t("wrong.retriever.bad_address"))
        if parts.username or parts.password:
            raise RetrievalError("bad-request", t("wrong.retriever.password"))
        if allowed is not None and not on_this_machine(host, allowed):
            raise RetrievalError(
                "not-local",
                t("wrong.retriever.not_local", host=host),
            )
        self._url, self._host, self._key, self._timeout, self._env = (
            url,
            host,
            key,
            timeout,
            env or {},
        )

    def lexicon(self) -> None:
        return None

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        """The server's passages in its order, at most k."""
        import httpx

        from ..models.bodies import BodyError, Transport

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            async with (
                asyncio.timeout(self._timeout),
                httpx.AsyncClient(
                    transport=Transport(
                        httpx.AsyncHTTPTransport(trust_env=False), LARGEST
                    ),
                    timeout=self._timeout,
                ) as client,
                client.stream(
                    "POST",
                    self._url,
                    json={"query": scrub(query)[0], "k": k},
                    headers=headers,
                ) as response,
            ):
                body = await self._body(response)
        except (TimeoutError, httpx.TimeoutException):
            raise self._wrong(
                "timeout", t("wrong.retriever.slow", timeout=self._timeout)
            ) from None
        except BodyError as error:
            raise self._wrong(
                "server", t("wrong.retriever.unread", error=error)
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            said = detail(error, self._env, self._key)
            raise self._wrong(
                "connection",
                t("wrong.retriever.unreachable", reason=said or type(error).__name__),
            ) from None
        return await asyncio.to_thread(self._read, body, k)

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
        status = response.status_code
        if status == 200:
            return bytes(body)
        said = without_keys(_message(bytes(body)), self._env, self._key)
        more = f" ({said})" if said else ""
        if response.is_redirect:
            raise self._wrong("bad-request", t("wrong.retriever.redirects"))
        for codes, kind, words in _STATUS:
            if status in codes:
                raise self._wrong(kind, words.format(status=status) + more)
        raise self._wrong(
            "server", t("wrong.retriever.status", status=status, more=more)
        )

    def _read(self, body: bytes, k: int) -> RetrievalResult:
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise self._wrong("server", t("wrong.retriever.no_json")) from None
        if isinstance(data, dict):
            data = first_in(data, LIST_NAMES, list)
        if not isinstance(data, list):
            raise self._wrong("server", t("wrong.retriever.no_passages"))
        found: list[Reference] = []
        altered, empty = False, 0
        for n, item in enumerate(data[:k], 1):
            try:
                one, hidden = without_sent(reference(item, len(found) + 1, "http"))
                found.append(one)
                altered = altered or hidden
            except WithoutText:
                empty += 1
            except ValueError as error:
                raise self._wrong(
                    "server", t("wrong.retriever.bad_passage", number=n, error=error)
                ) from None
        message = (
            None
            if found
            else f"The retriever at {self._host} found nothing for this query."
        )
        if empty:
            message = t("wrong.retriever.empty", host=self._host, n=empty)
        return RetrievalResult(references=found, message=message, altered=altered)

    def _wrong(self, kind: RetrievalKind, words: str) -> RetrievalError:
        return RetrievalError(
            kind, t("wrong.retriever.wrong", host=self._host, problem=words)
        )


_STATUS: tuple[tuple[Collection[int], RetrievalKind, str], ...] = (
    (
        (401, 403),
        "auth",
        "does not accept the key: check the environment variable that api_key_env "
        "names",
    ),
    (
        (404, 405, 410),
        "bad-request",
        "knows no such address (status {status}): check the path",
    ),
    ((408, 504), "timeout", "did not answer in time: retry"),
    ((429,), "rate-limit", "accepts no more queries for now: wait and retry"),
    (range(400, 500), "bad-request", "refuses the query (status {status})"),
)


def _message(body: bytes) -> str:
    """A server's error message: the one in its JSON, if there is one."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message", "detail"):
        value = data.get(name) if isinstance(data, dict) else None
        value = value.get("message") if isinstance(value, dict) else value
        if isinstance(value, str) and value.strip():
            return detail(Exception(value), {})
    return ""
