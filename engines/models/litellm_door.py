"""The one place that loads and calls LiteLLM.

LiteLLM is loaded when the first model is asked or by `warm()`, in a daemon thread, so neither start-up nor leaving waits for it.
What it would do unasked is turned off: fetching its price map, reading .env files, printing, logging to the terminal, retrying.
"""

from __future__ import annotations

import asyncio
import atexit
import builtins
import contextlib
import gc
import importlib
import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import AsyncGenerator, Mapping
from functools import lru_cache
from typing import Any

from ...sessions.events import Usage
from .calls import Meter, Route, Target
from .faults import about_parameter, about_schema, fault
from .port import Delta, Message, ModelError, Part, Remark, Reply
from .providers import FREE
from .reasoning import Splitter, apart
from .tokens import estimate, estimate_messages, reported

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_MARGIN = 30.0  # seconds that LiteLLM's own time limit is longer than ours, so that ours speaks first

_lock = threading.Lock()
_thread: threading.Thread | None = None
_litellm: Any = None
_failed: BaseException | None = None
_waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
_without_schema: set[tuple[str, str | None]] = set()  # (model, endpoint) pairs that refused a JSON Schema
_refused: dict[tuple[str, str | None], set[str]] = {}  # (model, endpoint) -> parameters that the server itself refused
_supported: dict[tuple[str, str, str], tuple[str, ...]] = {}


def warm() -> None:
    """Begins loading LiteLLM in the background, once. Returns at once."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_load, daemon=True, name="load-litellm")
            _thread.start()
            atexit.register(_leave)


def _leave() -> None:
    """Ends a loading that is under way, and leaves LiteLLM's million objects to the operating system (collecting them takes a second).

    A daemon thread that Python stops in the middle of an import keeps the import's lock, and the end of the process may wait for it
    for ever: so it is made to raise SystemExit, which unwinds the import. Where it is in the middle of something that does not notice,
    nobody may import any more: LiteLLM's HTTP handlers do so when they are deleted.
    """
    import ctypes

    if _thread is not None and _thread.is_alive():
        sys.unraisablehook = lambda _: None  # where the SystemExit meets a callback, Python would print it
        builtins.__import__ = _no_import
    for _ in range(20):
        if _thread is None or not _thread.is_alive() or _thread.ident is None:
            break
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(_thread.ident), ctypes.py_object(SystemExit))
        _thread.join(0.02)
    gc.disable()
    gc.freeze()


def _no_import(name: str, *_: object, **__: object) -> Any:
    raise ImportError(f"{name} is not loaded while the process ends")


def loaded() -> bool:
    return _litellm is not None


async def module() -> Any:
    """LiteLLM itself, loaded and quiet. ModelError as for `ready`."""
    await ready()
    return _litellm


async def ready() -> None:
    """Waits until LiteLLM is loaded, without holding up the event loop. ModelError `internal` if it cannot be."""
    if _litellm is None:
        warm()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        with _lock:
            if _litellm is None and _failed is None:
                _waiting.append((loop, future))
            else:
                future.set_result(None)
        await future
    if _failed is not None:
        raise ModelError("internal", f"LiteLLM cannot be loaded ({type(_failed).__name__}: {_failed}): install verifytui again.")


def _load() -> None:
    global _litellm, _failed
    module: Any = None
    problem: BaseException | None = None
    try:
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        module = importlib.import_module("litellm")
        _quiet(module)
        _prime(module)  # before anybody calls: two threads importing the same modules at once end in a deadlock error
    except BaseException as error:
        problem = error
    with _lock:
        _litellm, _failed = (None, problem) if problem is not None else (module, None)
        waiting = list(_waiting)
        _waiting.clear()
    for loop, future in waiting:
        try:
            loop.call_soon_threadsafe(_wake, future)
        except RuntimeError:
            continue  # that loop is closed: nobody waits any more


def _prime(litellm: Any) -> None:
    """Loads here what LiteLLM else loads during the first call, on the event loop: half a second in which the screen would stand still."""
    with contextlib.suppress(Exception, SystemExit):  # the call itself will say what is wrong
        litellm.utils.get_optional_params(model="gpt-4", custom_llm_provider="openai")
        for name in ("tenacity", "openai.resources.chat.completions", "litellm._service_logger", "anyio._backends._asyncio"):
            importlib.import_module(name)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _quiet(litellm: Any) -> None:
    """Nothing of LiteLLM's or its libraries' may reach the terminal, which belongs to the screen."""
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.DEFAULT_MAX_RETRIES = 0  # of embeddings: their own parameter is not heeded when it is 0
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp.client"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
    for library in ("pydantic", "litellm", "aiohttp", "openai"):
        warnings.filterwarnings("ignore", module=rf"{library}(\..*)?")
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    # A call that is cancelled before it begins leaves LiteLLM's own coroutine behind, unawaited.
    warnings.filterwarnings("ignore", message=r"coroutine '.*(completion|streaming|embedding|rerank|search).*' was never awaited")


def route(model: str, *, at_own_server: bool) -> Route | None:
    """How a model is reached; None where LiteLLM knows no provider for it. LiteLLM must be loaded.

    A server of the user's own (`at_own_server`) with an id that LiteLLM does not know speaks the OpenAI protocol. Ollama is asked
    through its chat endpoint, where the model's own template is used, also when the id begins with `ollama/`.
    """
    try:
        _, provider, _, base = _litellm.get_llm_provider(model)
    except Exception:
        return Route(provider="openai", call_as=f"openai/{model}") if at_own_server else None
    if provider == "ollama":
        return Route(provider="ollama_chat", call_as="ollama_chat/" + model.removeprefix("ollama/"), base=base)
    return Route(provider=provider, call_as=model, base=base)


def _entry(model: str) -> dict[str, Any] | None:
    """The model's row of LiteLLM's table. (Its own look-up asks a running Ollama over the network, so the table is read directly.)"""
    if _litellm is None:
        return None
    table: dict[str, dict[str, Any]] = _litellm.model_cost
    if model in table:
        return table[model]
    provider, _, bare = model.partition("/")
    row = table.get(bare)
    return row if row is not None and row.get("litellm_provider") == provider else None


def price(model: str) -> tuple[float, float] | None:
    """US dollars per million tokens (in, out); None: unknown, or LiteLLM is not loaded yet."""
    if model.partition("/")[0] in FREE:
        return 0.0, 0.0
    row = _entry(model)
    if row is None or row.get("input_cost_per_token") is None or row.get("output_cost_per_token") is None:
        return None
    return row["input_cost_per_token"] * 1e6, row["output_cost_per_token"] * 1e6


def context(model: str) -> int | None:
    """Tokens that the model can read; None: unknown, or LiteLLM is not loaded yet."""
    row = _entry(model)
    size = row and (row.get("max_input_tokens") or row.get("max_tokens"))
    return size if isinstance(size, int) else None


def money(target: Target, usage: Usage, detailed: Any = None) -> float | None:
    """US dollars of a usage; `detailed` is LiteLLM's own usage object, which knows cached tokens."""
    if usage.input is None or usage.output is None:
        return None
    if target.prices is None and detailed is not None and _entry(target.model) is not None:
        try:
            return float(sum(_litellm.cost_per_token(model=target.model, usage_object=detailed)))
        except Exception:
            detailed = None
    prices = target.prices or price(target.model)
    return None if prices is None else (usage.input * prices[0] + usage.output * prices[1]) / 1e6


def untaken(target: Target) -> tuple[str, ...]:
    """The parameters of `target` that its model does not take: LiteLLM refuses them or would leave them out without a word."""
    key = (target.model, target.provider, repr(sorted(target.params.items(), key=lambda item: item[0])))
    if key not in _supported:
        mapped = _litellm.utils.get_optional_params
        model = target.call_as.removeprefix(f"{target.provider}/")
        bare = mapped(model=model, custom_llm_provider=target.provider)
        out = []
        for name, value in target.params.items():
            try:
                taken = mapped(model=model, custom_llm_provider=target.provider, **{name: value}) != bare
            except Exception:
                taken = False
            if not taken:
                out.append(name)
        _supported[key] = tuple(out)
    return _supported[key] + tuple(sorted(_refused.get((target.model, target.api_base), set()) & target.params.keys()))


async def complete(
    target: Target, role: str, messages: list[Message], schema: dict[str, Any] | None, stream: bool, meter: Meter, env: Mapping[str, str]
) -> AsyncGenerator[Part | Reply, None]:
    """One attempt: deltas as they come, then the reply. Raises ModelError; `meter` then holds what was used. LiteLLM must be loaded."""
    where = (target.model, target.api_base)
    while True:
        structured = schema is not None and where not in _without_schema and _takes_schema(target)
        dropped = untaken(target)
        arguments = _arguments(target, messages, dropped, schema if structured else None)
        if dropped:
            names = ", ".join(dropped)
            yield Remark(role, "dropped", f"{target.model} does not take {names}: left out.", target.model, names)
        try:
            attempt = _streamed(target, role, arguments, meter) if stream else _whole(target, arguments, meter)
            try:
                async for part in attempt:
                    if isinstance(part, Reply):
                        part.dropped = list(dropped)
                        part.structured = structured
                        if part.usage is None:
                            _estimate(target, part, messages)
                    yield part
            finally:
                await attempt.aclose()
            return
        except ModelError:
            raise
        except Exception as error:
            problem = fault(error, target, env)
            if problem.kind == "bad-request" and not meter.received:
                if structured and about_schema(str(error)):
                    _without_schema.add(where)
                    continue
                name = about_parameter(str(error), arguments)
                if name is not None:
                    _refused.setdefault(where, set()).add(name)
                    continue
            raise problem from error


def _takes_schema(target: Target) -> bool:
    if target.schema is not None:
        return target.schema
    return _listed_with_schema(target.call_as.removeprefix(f"{target.provider}/"), target.provider)


@lru_cache(maxsize=256)
def _listed_with_schema(model: str, provider: str) -> bool:
    return bool(_litellm.supports_response_schema(model=model, custom_llm_provider=provider))


def _arguments(target: Target, messages: list[Message], dropped: tuple[str, ...], schema: dict[str, Any] | None) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": target.call_as,
        "messages": messages,
        "max_retries": 0,
        "timeout": target.timeout + _MARGIN,
        **target.extra,
        **{name: value for name, value in target.params.items() if name not in dropped},
    }
    if target.api_base is not None:
        arguments["api_base"] = target.api_base
    if target.api_key is not None:
        arguments["api_key"] = target.api_key
    if schema is not None:
        arguments["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}}
    return arguments


async def _whole(target: Target, arguments: dict[str, Any], meter: Meter) -> AsyncGenerator[Part | Reply, None]:
    began = time.monotonic()
    meter.sent = True
    try:
        async with asyncio.timeout(target.timeout):
            response = await _litellm.acompletion(**arguments)
    except TimeoutError:
        raise _late(target) from None
    choice = response.choices[0]
    text, thought = apart(choice.message.content or "", [getattr(choice.message, "reasoning_content", None) or ""])
    usage = reported(getattr(response, "usage", None))
    cost = None
    if usage is not None:
        cost = money(target, usage) if target.prices is not None else response._hidden_params.get("response_cost")
        meter.usage, meter.cost = usage, cost
    yield Reply(
        text=text,
        reasoning=thought,
        model=target.model,
        usage=usage,
        cost=cost,
        seconds=time.monotonic() - began,
        finish=choice.finish_reason,
    )


async def _streamed(target: Target, role: str, arguments: dict[str, Any], meter: Meter) -> AsyncGenerator[Part | Reply, None]:
    began = time.monotonic()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + target.timeout
    thoughts: list[str] = []
    answer: list[str] = []
    splitter = Splitter()
    stream: Any = None
    meter.sent = True
    try:
        stream = await _in_time(_litellm.acompletion(**arguments, stream=True, stream_options={"include_usage": True}), target, deadline)
        chunks = stream.__aiter__()
        while True:
            try:
                chunk = await _in_time(chunks.__anext__(), target, deadline)
            except StopAsyncIteration:
                break
            delta = chunk.choices[0].delta if chunk.choices else None
            if delta is None:
                continue
            thought = getattr(delta, "reasoning_content", None)
            if thought:
                thoughts.append(thought)
                meter.received.append(thought)
                yield Delta(role, thought, True)
            if delta.content:
                answer.append(delta.content)
                meter.received.append(delta.content)
                for text, thinking in splitter.feed(delta.content):
                    yield Delta(role, text, thinking)
        for text, thinking in splitter.finish():
            yield Delta(role, text, thinking)
        finish = getattr(stream, "received_finish_reason", "stop") or getattr(stream, "intermittent_finish_reason", None)
        detailed = next((chunk.usage for chunk in reversed(stream.chunks) if getattr(chunk, "usage", None) is not None), None)
        usage = reported(detailed)
        if usage is not None:
            meter.usage, meter.cost = usage, money(target, usage, detailed)
        if finish is None:
            raise ModelError("cut", f"{target.host} ended the reply of {target.model} before it was finished: retry.")
        text, reasoning = apart("".join(answer), thoughts)
        yield Reply(
            text=text,
            reasoning=reasoning,
            model=target.model,
            usage=usage,
            cost=meter.cost,
            seconds=time.monotonic() - began,
            finish=finish,
        )
    finally:
        if stream is not None:
            await stream.aclose()


async def _in_time(waiting: Any, target: Target, deadline: float) -> Any:
    """Awaits the next thing of a stream within both limits."""
    now = asyncio.get_running_loop().time()
    stalls = now + target.stall_timeout < deadline
    try:
        async with asyncio.timeout_at(min(now + target.stall_timeout, deadline)):
            return await waiting
    except TimeoutError:
        if not stalls:
            raise _late(target) from None
        raise ModelError(
            "stall", f"{target.model} at {target.host} sent nothing for {target.stall_timeout:g} seconds: retry, or raise stall_timeout."
        ) from None


def _late(target: Target) -> ModelError:
    return ModelError(
        "timeout", f"{target.model} at {target.host} did not finish within {target.timeout:g} seconds: retry, or raise timeout."
    )


def _estimate(target: Target, reply: Reply, messages: list[Message]) -> None:
    reply.usage = Usage(input=estimate_messages(messages), output=estimate(reply.text) + estimate(reply.reasoning or ""), estimated=True)
    reply.cost = money(target, reply.usage)
