"""Calls of LiteLLM other than chats: embeddings, reranking, web search.

There are no retries. Models are asked within their limits.

Raises: all three raise ModelError.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

import msgspec

from ...sessions.clean import clean_line, scrub
from ...sessions.events import Usage, known_sum, total_usage
from . import litellm_loading, prices
from .attempt_permits import in_turn
from .calls import Target
from .environment import Environment
from .faults import chain, detail, fault, kind_of, missing_key, too_large
from .keys import hide, sent
from .port import Kind, ModelError
from .providers import FREE
from .tokens import estimate, reported

AT_ONCE = 96
"""Texts in one embedding call: as many as the strictest provider takes."""

# seconds by which LiteLLM's time limit is longer than ours, so that ours applies first
_MARGIN = 30.0
_UNSUPPORTED = re.compile(
    r"(?i)unsupported provider|unmapped llm provider|is not supported for provider"
)
_UNSET = re.compile(r"(?i)_[A-Z]+ is not set\b|no credential available")
_TRANSPORT = frozenset({"OSError", "TransportError", "ClientError"})
_UNREADABLE = frozenset(
    {
        "JSONDecodeError",
        "ValidationError",
        "TypeError",
        "KeyError",
        "IndexError",
        "AttributeError",
    }
)


class Embeddings(msgspec.Struct):
    """Embeddings, in the order of the texts, all of one length."""

    values: list[list[float]]
    usage: Usage | None
    cost: float | None
    model: str = ""
    """The id that answered, as it called itself; empty where it did not."""


class Relevance(msgspec.Struct):
    """A reranker's scores, in the order of the texts; None for a text without one."""

    scores: list[float | None]
    usage: Usage | None
    cost: float | None


class WebHit(msgspec.Struct):
    """One result of a search engine, as it gave it."""

    title: str
    url: str
    snippet: str


async def embed(target: Target, texts: Sequence[str], env: Environment) -> Embeddings:
    """One vector for each text, in order."""
    litellm = await litellm_loading.module()
    model = target.call_as.replace("ollama_chat/", "ollama/", 1)
    values = []
    usages = []
    costs = []
    answered = ""
    for at in range(0, len(texts), AT_ONCE):
        part = [scrub(text)[0] for text in texts[at : at + AT_ONCE]]
        async with in_turn(
            target, sum(map(estimate, part)) if target.pace.max_tpm else 0
        ) as used:
            response = await _called(
                litellm.aembedding(model=model, input=part, **_common(target)),
                target,
                env,
            )
            usage = reported(getattr(response, "usage", None))
            used.append(usage)
        values += _vectors(response, len(part), target)
        answered = _id_of(response)
        usages.append(usage)
        costs.append(_embedding_cost(target, usage, response))
    if len({len(vector) for vector in values}) > 1:
        raise _unreadable(target, "vectors of different lengths")
    return Embeddings(values, total_usage(usages), known_sum(costs), answered)


async def rerank(
    target: Target, query: str, texts: Sequence[str], env: Environment
) -> Relevance:
    """How relevant each text is to the query, on the model's own scale: higher is
    better.
    """
    litellm = await litellm_loading.module()
    # A server of the user's own speaks the protocol that vLLM, Infinity and llama.cpp
    # share; OpenAI's has no reranking.
    model = (
        f"hosted_vllm/{target.model}"
        if target.provider == "openai" and target.api_base is not None
        else target.call_as
    )
    documents = [scrub(text)[0] for text in texts]
    async with in_turn(
        target, sum(map(estimate, (query, *documents))) if target.pace.max_tpm else 0
    ) as used:
        asked = litellm.arerank(
            model=model,
            query=scrub(query)[0],
            documents=documents,
            top_n=len(texts),
            return_documents=False,
            **_common(target),
        )
        response = await _called(asked, target, env)
        used.append(_ranking_usage(response))
    scores: list[float | None] = [None] * len(texts)
    try:
        for result in response.results or []:
            index, score = result["index"], float(result["relevance_score"])
            if (
                not math.isfinite(score)
                or not 0 <= index < len(texts)
                or scores[index] is not None
            ):
                raise ValueError
            scores[index] = score
    except (KeyError, TypeError, ValueError):
        raise _unreadable(target, "a ranking of other texts") from None
    if not any(score is not None for score in scores):
        raise _unreadable(target, "no ranking")
    return Relevance(
        scores, _ranking_usage(response), _ranking_cost(litellm, target, response)
    )


async def search(
    provider: str,
    query: str,
    most: int,
    *,
    key: str | None,
    base: str | None,
    seconds: float,
    env: Environment,
) -> list[WebHit]:
    """At most `most` results of a search engine, best first.

    `provider` is LiteLLM's name for it.
    """
    litellm = await litellm_loading.module()
    target = Target(
        model="the search",
        call_as=provider,
        provider=provider,
        host=provider,
        api_key=key,
        timeout=seconds,
    )
    given = {
        name: value for name, value in (("api_key", key), ("api_base", base)) if value
    }
    asked = litellm.asearch(
        query=scrub(query)[0],
        search_provider=provider,
        max_results=most,
        timeout=seconds + _MARGIN,
        **given,
    )
    sent(key)
    response = await _called(asked, target, env, _SEARCHING)
    return [
        WebHit(result.title, result.url, result.snippet)
        for result in response.results[:most]
    ]


def _common(target: Target) -> dict[str, object]:
    arguments = {"timeout": target.timeout + _MARGIN, "max_retries": 0, **target.extra}
    return arguments | target.address


async def _called(
    asked: Awaitable[Any],
    target: Target,
    env: Environment,
    sentences: Mapping[Kind, str] | None = None,
) -> Any:
    try:
        async with asyncio.timeout(target.timeout):
            return await asked
    except TimeoutError:
        raise ModelError(
            "timeout",
            f"{target.host} did not answer for {target.model} within "
            f"{target.timeout:g} seconds: retry.",
        ) from None
    except Exception as error:
        if too_large(error) is not None:
            raise fault(error, target, env) from error
        said = detail(error, env, target.api_key)
        if _UNSUPPORTED.search(str(error)):
            raise ModelError(
                "bad-request",
                f"{target.model} cannot do this: LiteLLM has no such call for its "
                f"provider ({said}).",
            ) from error
        if _UNSET.search(str(error)):
            raise ModelError(
                "missing-key", f"{target.host} needs more in the environment ({said})."
            ) from error
        causes = {
            name
            for cause in chain(error)
            for name in (each.__name__ for each in type(cause).__mro__)
        }
        kind = kind_of(error)
        if (kind == "connection" and not causes & _TRANSPORT) or (
            kind in ("server", "internal") and causes & _UNREADABLE
        ):
            raise _unreadable(target, said) from error
        problem = fault(error, target, env)
        if problem.kind == "missing-key":
            problem = missing_key(
                target.model, target.keys or (f"{target.provider.upper()}_API_KEY",)
            )
        elif sentences is not None and problem.kind in sentences:
            problem = ModelError(
                problem.kind,
                sentences[problem.kind].format(host=target.host)
                + (f" ({said})" if said else ""),
            )
        raise problem from error


def _unreadable(target: Target, what: str) -> ModelError:
    return ModelError(
        "server",
        f"{target.host} sent an answer for {target.model} that cannot be "
        f"read ({what}): retry later.",
    )


def _vectors(response: Any, count: int, target: Target) -> list[list[float]]:
    found: list[list[float] | None] = [None] * count
    try:
        for at, item in enumerate(response.data):
            vector = [float(value) for value in item["embedding"]]
            index = item.get("index", at)
            if (
                not vector
                or not all(map(math.isfinite, vector))
                or found[index] is not None
            ):
                raise ValueError
            found[index] = vector
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise _unreadable(target, "no vectors") from None
    whole = [vector for vector in found if vector is not None]
    if len(whole) != count:
        raise _unreadable(target, f"{len(whole)} vectors for {count} texts")
    return whole


def _id_of(response: object) -> str:
    """Return the model's reported name, on one line, with any keys removed."""
    said = getattr(response, "model", None)
    if isinstance(said, str):
        return " ".join(hide(clean_line(said))[0].split())[:200]
    return ""


def _embedding_cost(target: Target, usage: Usage | None, response: Any) -> float | None:
    if target.prices is not None:
        if usage is None:
            return None
        return prices.money(target, usage)
    if target.provider in FREE:
        return 0.0
    cost = response._hidden_params.get("response_cost")
    if isinstance(cost, int | float) and usage is not None:
        return float(cost)
    return None


def _ranking_usage(response: Any) -> Usage | None:
    """Tokens, of those providers that count them; LiteLLM writes 0 for those that do
    not.
    """
    meta = response.meta or {}
    tokens = (meta.get("tokens") or {}).get("input_tokens") or (
        meta.get("billed_units") or {}
    ).get("total_tokens")
    if isinstance(tokens, int) and tokens > 0:
        return Usage(input=tokens, output=0)
    return None


def _ranking_cost(litellm: Any, target: Target, response: Any) -> float | None:
    """LiteLLM's cost if its table has a price for the model; for others it reports 0,
    which is not true.
    """
    usage = _ranking_usage(response)
    if target.prices is not None:
        if usage is None:
            return None
        return prices.money(target, usage)
    bare = target.model.partition("/")[2]
    row = litellm.model_cost.get(target.model) or litellm.model_cost.get(bare) or {}
    cost = response._hidden_params.get("response_cost")
    own = target.api_base is not None or row.get("litellm_provider") != target.provider
    if isinstance(cost, int | float) and cost > 0 and not own:
        return float(cost)
    return None


_SEARCHING: dict[Kind, str] = {
    "auth": "{host} does not accept the key: check the key in the environment.",
    "not-found": "{host} does not offer this search: check the address in the "
    "environment.",
    "rate-limit": "{host} accepts no more searches for now: wait and retry, or check "
    "your quota.",
    "server": "{host} failed while searching: retry later.",
    "connection": "{host} cannot be reached: check the network, and the address in the "
    "environment.",
    "cut": "The connection to {host} ended before the results were complete: retry.",
    "bad-request": "{host} rejects the search: rephrase the query.",
    "internal": "The search at {host} failed in an unexpected way: retry, and report "
    "it if it persists.",
}
