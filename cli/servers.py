"""Finds model and passage servers that respond.

Checks the usual local ports, config.yaml, and the environment.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ..engines.models.catalogue import MAX_BODY, PORTS
from ..engines.models.config import Config
from ..engines.models.providers import (
    FREE,
    PROVIDERS,
    address_problem,
    base_of,
    host_of,
    key_of,
    no_address,
    on_this_machine,
    variable_of,
)
from ..texts import t

PATIENCE = 2.0
"""Seconds until a server counts as one that does not answer."""


class ModelServer(msgspec.Struct):
    """A server that may be asked."""

    where: str
    """Host and port, as they are printed."""
    url: str
    """What is asked for: a list of models; of a server of passages just its address."""
    host: str
    ollama: bool = False
    key: str | None = None
    named: list[str] = []
    """What names it: variables, entries of config.yaml. Empty: nothing does."""
    models: dict[str, str] = {}
    """Entry of config.yaml -> the model it wants there."""
    lists: bool = True
    """Whether it is a server of models."""


def servers(
    config: Config, env: Mapping[str, str]
) -> tuple[list[ModelServer], list[str]]:
    """All known servers, each address once, unnamed ones last; and a sentence for each
    invalid address.
    """
    wrong: list[str] = []
    found: dict[str, ModelServer] = {}
    add = partial(_add, found)
    for name, named in config.models.items():
        if named.api_base:
            provider, _, model = named.model.rpartition("/")
            key = env.get(named.api_key_env) if named.api_key_env else None
            add(
                named.api_base,
                name,
                provider=provider or "openai",
                key=key,
                model=model,
            )
    for provider in PROVIDERS:
        base, variable = base_of(provider, env), variable_of(provider, env) or provider
        if base and (problem := address_problem(base)):
            wrong.append(no_address(variable, problem))
        elif base:
            add(base, variable, provider=provider, key=key_of(provider, env))
    for name, retriever in config.retrievers.items():
        by = f"http:{name}"
        found.setdefault(
            retriever.url,
            ModelServer(
                _where(retriever.url),
                retriever.url,
                host_of("", retriever.url),
                named=[by],
                lists=False,
            ),
        )
    for port in PORTS:
        add(f"http://127.0.0.1:{port}/v1")
    if not base_of("ollama", env):
        add("http://127.0.0.1:11434", provider="ollama")
    return list(found.values()), list(dict.fromkeys(wrong))


def _add(
    found: dict[str, ModelServer],
    base: str,
    by: str = "",
    *,
    provider: str = "openai",
    key: str | None = None,
    model: str = "",
) -> None:
    """Adds the server of an address to `found`, by URL, or what else names it."""
    ollama = provider in FREE
    base = (base if "//" in base else f"http://{base}").rstrip("/")
    url = f"{base}/api/tags" if ollama else f"{base}/models"
    server = found.setdefault(
        url, ModelServer(_where(base), url, host_of(provider, base), ollama)
    )
    server.named += [by] * bool(by)
    server.key = server.key or key
    if model:
        server.models[by] = model


async def ask_all(
    config: Config, env: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Where -> what was found, and a sentence for each server that something names and
    that does not answer.

    All are asked at once, for `PATIENCE` seconds; asked are those on this machine and
    on hosts that config.yaml calls private.
    """
    import httpx

    known, broken = servers(config, env)
    near = [
        server for server in known if on_this_machine(server.host, config.private_hosts)
    ]
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as client:
        told = dict(
            zip(
                (server.url for server in near),
                await asyncio.gather(*(_ask(client, each) for each in near)),
                strict=True,
            )
        )
    found: dict[str, dict[str, None]] = {}
    for server in known:
        answer = told.get(server.url, t("report.doctor.far"))
        entries = [name for name in dict.fromkeys(server.named) if name not in env]
        if answer is None and server.named:
            names = ", ".join(dict.fromkeys(server.named))
            broken.append(t("report.broken.server", where=server.where, names=names))
        if answer is None and not server.named:
            continue
        sentence = answer or t("report.doctor.silent")
        sentence = (
            t(
                "report.doctor.for",
                answer=sentence,
                names=t("asked.comma").join(entries),
            )
            if entries
            else sentence
        )
        found.setdefault(server.where, {})[sentence] = None
    return {
        where: t("report.batch.semicolon").join(sentences)
        for where, sentences in found.items()
    }, broken


async def _ask(client: Any, server: ModelServer) -> str | None:
    """Fetch a server's response; None if there is none.

    The response is bounded in time and size. None of its text is printed.
    """
    import httpx

    headers = {"Accept": "application/json"} | (
        {"Authorization": f"Bearer {server.key}"} if server.key else {}
    )
    try:
        async with (
            asyncio.timeout(PATIENCE),
            client.stream("GET", server.url, headers=headers) as response,
        ):
            if not server.lists:
                return t("report.doctor.answers")
            if response.status_code in (401, 403):
                return t(
                    "report.doctor.refuses_key"
                    if server.key
                    else "report.doctor.wants_key"
                )
            if response.status_code != 200:
                return t("report.doctor.no_list_status", status=response.status_code)
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MAX_BODY:
                    break
    except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
        return None
    return _list(bytes(body), server)


def _list(body: bytes, server: ModelServer) -> str:
    try:
        field, name = ("models", "name") if server.ollama else ("data", "id")
        names = {str(entry[name]) for entry in json.loads(body)[field]}
    except (ValueError, TypeError, KeyError, RecursionError):
        return t("report.doctor.no_list")
    count = {0: t("report.doctor.no_model"), 1: t("report.doctor.one_model")}.get(
        len(names)
    ) or t("report.doctor.models", n=len(names))
    known = names | {one.removesuffix(":latest") for one in names}
    missing = [
        t("report.doctor.of_entry", model=model, entry=entry)
        for entry, model in server.models.items()
        if model not in known
    ]
    if names and missing:
        return t(
            "report.doctor.missing",
            answer=count,
            models=t("report.batch.and").join(missing),
        )
    return count


def _where(base: str) -> str:
    """Host and port; other parts of an address, such as a password, are secret."""
    parts = urlsplit(base)
    try:
        port = parts.port
    except ValueError:
        port = None
    return (parts.hostname or "?") + (f":{port}" if port else "")
