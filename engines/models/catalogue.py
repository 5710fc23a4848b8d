"""Lists the models that can be used now: built-ins, named models, models with a key,
and servers on this machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncGenerator, Coroutine, Iterable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...sessions.events import known_sum
from ...texts import t
from ...texts.settings import listed
from . import prices
from .commands import command_problem
from .config import Config, NamedCommand, NamedModel, NamedPanel
from .environment import Environment
from .limits import RateLimits
from .lineup import BUILTINS, COMMAND, SHORTHANDS
from .panels import PANEL
from .providers import (
    KNOWN_COMMANDS,
    OLLAMA,
    PROVIDERS,
    WELL_KNOWN,
    base_of,
    host_of,
    key_of,
    on_this_machine,
)

ABOUT_BUILTINS = {
    "script": "lines written by hand for the example topics",
    "human": "a person at this keyboard",
}

PORTS = (8000, 1234, 8080)
"""Where vLLM, LM Studio and llama.cpp usually listen."""

MAX_BODY = 1 << 20

_NAME = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]{1,190}")


class ModelRow(msgspec.Struct, kw_only=True):
    """One line of the list of models."""

    name: str
    """What to write for it: `--model NAME`."""
    model: str
    """The real id."""
    provider: str
    """`built-in`, or LiteLLM's provider; for a named model with an endpoint, its host.
    """
    server: str = ""
    """Host and port, where the user's own server or one on this machine answers for it.
    """
    usable: bool = True
    why_not: str = ""
    price_input: float | None = None
    """US dollars per million tokens; None is unknown."""
    price_output: float | None = None
    context: int | None = None
    """Tokens; None is unknown."""
    max_rps: float | None = None
    """This one and the next two: as in `limits.RateLimits`."""
    max_tpm: int | None = None
    concurrency: int | None = None
    about: str = ""

    @property
    def pace(self) -> RateLimits:
        """The rate limits of the model's calls."""
        return RateLimits(
            max_rps=self.max_rps, max_tpm=self.max_tpm, concurrency=self.concurrency
        )


def pace_in_words(pace: RateLimits) -> str:
    """`at most 5 calls a second, 200,000 tokens a minute`; empty where there is no
    limit.
    """
    names = ("max_rps", "max_tpm", "concurrency")
    told = [
        t(f"report.said.{name}", n=value)
        for name in names
        if (value := getattr(pace, name)) is not None
    ]
    if told:
        return t("report.said.at_most", limits=listed(told))
    return ""


def choices(config: Config, env: Environment) -> list[ModelRow]:
    """What is known without a request: built-ins, named models, well-known ids.

    In each group the usable ones come first.

    Prices and context sizes of LiteLLM's table are filled in once that is read
    (`prices.read_table`) or LiteLLM is loaded; this list reads and loads nothing.
    """
    builtins = [
        ModelRow(
            name=name,
            model=name,
            provider="built-in",
            price_input=0.0,
            price_output=0.0,
            about=ABOUT_BUILTINS[name],
        )
        for name in ABOUT_BUILTINS
    ]
    shorthands = {
        name: NamedModel(model=model)
        for name, model in SHORTHANDS.items()
        if name not in config.models
    }
    named = [
        _named(name, model, config, env)
        for name, model in {**config.models, **shorthands}.items()
    ]
    known = [
        _known(provider, model, config, env)
        for provider, models in WELL_KNOWN.items()
        for model in models
    ]
    named += [
        _command(
            name,
            one,
            config,
            env,
        )
        for name, one in config.commands.items()
    ]
    named += [
        _panel(
            name,
            panel,
            config,
            env,
        )
        for name, panel in config.panels.items()
    ]
    return (
        builtins
        + sorted(named, key=lambda choice: not choice.usable)
        + sorted(known, key=lambda choice: not choice.usable)
    )


def add_known_commands(config: Config, env: Environment) -> None:
    """Adds the known commands that are on the PATH to the commands of a configuration
    that has no model of their name.
    """
    for name, words in KNOWN_COMMANDS.items():
        entry = NamedCommand(command=words)
        if name not in config.models and command_problem(name, entry, env) is None:
            config.commands.setdefault(name, entry)


def sources(rows: Iterable[ModelRow]) -> dict[str, list[ModelRow]]:
    """The models that can be used now by where they come from, in words: `deepseek
    (key)`, `ollama (3 models)`, `claude (command)`. Built-ins and panels come from
    nowhere. Where a provider's address is a server that lists its models, those count
    instead of the well-known ones.
    """
    rows = [row for row in rows if row.usable]
    replaced = {
        name
        for row in rows
        if row.server and row.name == row.model
        for name in WELL_KNOWN.get(row.name.partition("/")[0], ())
    }
    found: dict[tuple[str, str], list[ModelRow]] = {}
    for row in rows:
        if row.name not in replaced and row.provider not in ("built-in", PANEL):
            if row.provider == COMMAND[:-1]:
                where = row.name, "command"
            else:
                where = row.provider, "models" if row.server else "key"
            if row.name not in SHORTHANDS:
                found.setdefault(where, []).append(row)

    def counted(kind: str, n: int) -> str:
        one = kind == "models" and n == 1
        return t(f"models.{kind}_one" if one else f"models.{kind}", n=n)

    return {
        f"{name} ({counted(kind, len(listed))})": listed
        for kind in ("key", "models", "command")
        for (name, of), listed in found.items()
        if of == kind
    }


def _known(provider: str, model: str, config: Config, env: Environment) -> ModelRow:
    choice = _priced(ModelRow(name=model, model=model, provider=provider))
    base = base_of(provider, env)
    host = host_of(provider, base)
    if config.local_only and not on_this_machine(host, config.private_hosts):
        return _not(choice, t("wrong.models.not_local", host=host))
    if key_of(provider, env) is None and not (base and on_this_machine(host)):
        return _not(
            choice,
            t("wrong.models.not_set", names=" or ".join(PROVIDERS[provider].keys)),
        )
    return choice


def _command(
    name: str, entry: NamedCommand, config: Config, env: Environment
) -> ModelRow:
    """Return the entry of a command, whose price is unknown."""
    program = os.path.basename(entry.command[0])
    choice = ModelRow(
        name=name,
        model=f"{COMMAND}{name}",
        provider="command",
        concurrency=entry.concurrency,
        about=" ".join(entry.command),
    )
    if config.local_only and not on_this_machine(program, config.private_hosts):
        return _not(choice, t("wrong.models.not_local", host=program))
    problem = command_problem(name, entry, env)
    if problem is None:
        return choice
    return _not(choice, problem)


def _panel(name: str, panel: NamedPanel, config: Config, env: Environment) -> ModelRow:
    """A panel: it costs what all members cost together, and can be used where all
    can.
    """
    members = [_member(one, config, env) for one in panel.panel]
    about = t(f"vote.rule_{panel.rule}", members=t("asked.comma").join(panel.panel))
    made = ModelRow(name=name, model=PANEL, provider=PANEL, about=about)
    made.price_input = known_sum(one.price_input for one in members)
    made.price_output = known_sum(one.price_output for one in members)
    missing = next((one for one in members if not one.usable), None)
    if missing is None:
        return made
    return _not(made, t("block.fact", label=missing.name, value=missing.why_not))


def _member(name: str, config: Config, env: Environment) -> ModelRow:
    if name in BUILTINS:
        return ModelRow(
            name=name,
            model=name,
            provider="built-in",
            price_input=0.0,
            price_output=0.0,
        )
    if name in config.commands:
        return _command(name, config.commands[name], config, env)
    if name in config.models:
        return _named(name, config.models[name], config, env)
    model = SHORTHANDS.get(name, name)
    provider = model.partition("/")[0] if "/" in model else "openai"
    if provider in PROVIDERS:
        return _known(provider, model, config, env)
    return _priced(ModelRow(name=name, model=model, provider=provider))


def _named(name: str, model: NamedModel, config: Config, env: Environment) -> ModelRow:
    provider = model.model.partition("/")[0] if "/" in model.model else "openai"
    base = model.api_base or base_of(provider, env)
    host = host_of(provider, base)
    choice = _priced(
        ModelRow(
            name=name,
            model=model.model,
            provider=host if model.api_base else provider,
            context=model.context,
        )
    )
    choice.max_rps, choice.max_tpm, choice.concurrency = (
        model.max_rps,
        model.max_tpm,
        model.concurrency,
    )
    choice.server = (
        urlsplit(model.api_base).netloc.rpartition("@")[2] if model.api_base else ""
    )
    if model.prices is not None:
        choice.price_input, choice.price_output = (
            model.prices.input,
            model.prices.output,
        )
    if config.local_only and not on_this_machine(host, config.private_hosts):
        return _not(choice, t("wrong.models.not_local", host=host))
    if model.api_key_env is not None and not env.get(model.api_key_env):
        return _not(
            choice, t("wrong.models.not_set_one", api_key_env=model.api_key_env)
        )
    known = PROVIDERS.get(provider)
    if (
        model.api_key_env is None
        and model.api_base is None
        and known is not None
        and known.keys
        and key_of(provider, env) is None
    ):
        return _not(choice, t("wrong.models.not_set", names=" or ".join(known.keys)))
    return choice


def _not(choice: ModelRow, why: str) -> ModelRow:
    choice.usable, choice.why_not = False, why
    return choice


def _priced(choice: ModelRow) -> ModelRow:
    known = prices.price(choice.model)
    if known is not None:
        choice.price_input, choice.price_output = known
    choice.context = choice.context or prices.context(choice.model)
    return choice


async def local_choices(
    env: Environment,
    timeout: float = 0.3,  # noqa: ASYNC109
) -> list[ModelRow]:
    """The models of servers on this machine that answer within `timeout` seconds:
    Ollama, and OpenAI-compatible ones.

    It tries the usual ports, and what `OLLAMA_API_BASE` and `OPENAI_API_BASE` name if
    that is on this machine. Raises nothing.
    """
    return [
        choice
        for found in await asyncio.gather(*_servers(env, timeout))
        for choice in found
    ]


async def local_servers(
    env: Environment,
    timeout: float = 1.0,  # noqa: ASYNC109
) -> AsyncGenerator[list[ModelRow], None]:
    """Yield the models of each local server as soon as it responds."""
    for answered in asyncio.as_completed(_servers(env, timeout)):
        if found := await answered:
            yield found


def _servers(
    env: Environment, timeout: float
) -> list[Coroutine[Any, Any, list[ModelRow]]]:
    """The questions to ask, one a server."""
    ollama = base_of("ollama", env) or OLLAMA
    mine = base_of("openai", env)
    servers = [
        base
        for base in ([mine] if mine else [])
        + [f"http://127.0.0.1:{port}/v1" for port in PORTS]
        if on_this_machine(host_of("openai", base))
    ]
    asked = (
        [_ollama(ollama, timeout)] if on_this_machine(host_of("ollama", ollama)) else []
    )
    return asked + [
        _compatible(base, base == mine, env, timeout) for base in dict.fromkeys(servers)
    ]


async def _ollama(base: str, limit: float) -> list[ModelRow]:
    names = await _listed(f"{base.rstrip('/')}/api/tags", {}, "models", "name", limit)
    row = partial(
        ModelRow,
        provider="ollama",
        server=urlsplit(base).netloc,
        price_input=0.0,
        price_output=0.0,
    )
    return [row(name=f"ollama/{name}", model=f"ollama/{name}") for name in names]


async def _compatible(
    base: str, by_environment: bool, env: Environment, limit: float
) -> list[ModelRow]:
    key = env.get("OPENAI_API_KEY") if by_environment else None
    names = await _listed(
        f"{base.rstrip('/')}/models",
        {"Authorization": f"Bearer {key}"} if key else {},
        "data",
        "id",
        limit,
    )
    where = urlsplit(base).netloc
    found = [
        ModelRow(
            name=f"openai/{name}", model=f"openai/{name}", provider=where, server=where
        )
        for name in names
    ]
    if by_environment:
        return found
    return [_not(choice, t("wrong.models.set_base", base=base)) for choice in found]


async def _listed(
    url: str, headers: dict[str, str], field: str, name: str, limit: float
) -> list[str]:
    """Parse the names in a server's list of models; empty if there is none.

    Uses a plain socket, because importing an HTTP library takes longer.
    """
    try:
        async with asyncio.timeout(limit):
            data = json.loads(await _get(url, headers))
        return [entry[name] for entry in data[field] if _NAME.fullmatch(entry[name])][
            :200
        ]
    except (
        OSError,
        TimeoutError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        asyncio.IncompleteReadError,
        asyncio.LimitOverrunError,
    ):
        return []


async def _get(url: str, headers: dict[str, str]) -> bytes:
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(
        parts.hostname, parts.port or (443 if secure else 80), ssl=secure or None
    )
    try:
        lines = [
            f"GET {parts.path or '/'} HTTP/1.0",
            f"Host: {parts.netloc}",
            "Accept: application/json",
            "Connection: close",
        ]
        lines += [f"{field}: {value}" for field, value in headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "ignore"))
        head = await reader.readuntil(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            raise ValueError("no list")
        fields = dict(
            _field(line)
            for line in head.decode("latin-1").split("\r\n")[1:]
            if ":" in line
        )
        if "content-length" in fields:
            return await reader.readexactly(
                min(int(fields["content-length"]), MAX_BODY)
            )
        body = bytearray()
        while len(body) < MAX_BODY and (
            piece := await reader.read(MAX_BODY - len(body))
        ):
            body += piece
        return bytes(body)
    finally:
        writer.close()


def _field(line: str) -> tuple[str, Any]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()
