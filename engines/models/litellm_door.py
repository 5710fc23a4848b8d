"""Calls a chat model through LiteLLM: one attempt, whole or streamed.

This is the only place that does; LiteLLM must be loaded.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from typing import Any

from msgspec import UNSET

from ...sessions.events import Usage
from . import litellm_loading
from .calls import CallUsage, Route, Target
from .environment import Environment
from .faults import about_parameter, fault
from .formats import Format, Rung, refused, rung, step_down
from .marking import marked, marks_needed
from .port import (
    Delta,
    Later,
    Message,
    ModelError,
    ModelRemark,
    ModelReply,
    ReplyStream,
)
from .prices import money, saved
from .reasoning import Splitter, apart
from .tokens import estimate, estimate_messages, reported

Sending = Callable[[Target, dict[str, Any], CallUsage], ReplyStream]
"""Another way to one reply: gets what `acompletion` would get.

Raises: ModelError, or what LiteLLM raises.
"""

# seconds by which LiteLLM's time limit is longer than ours, so that ours applies first
_MARGIN = 30.0

_FINGERPRINT = 200  # most characters of a fingerprint

_API_KEY = re.compile(r"_API_?KEY$")
_SIGN_IN = re.compile(r"KEY|TOKEN|API_BASE")
_STEM = 5  # letters of a variable that tell its provider: LiteLLM reads several names
_KEYLESS = frozenset({"huggingface", "infinity"})  # a key is optional there
_ALSO = {"COHERE_API_KEY": "CO_API_KEY"}

_CHUNKS = 200  # most chunks of a stream that LiteLLM keeps
# (model, endpoint) -> parameters that the server itself refused
_refused: dict[tuple[str, str | None], set[str]] = {}
_supported: dict[tuple[str, str, str], tuple[str, ...]] = {}


def route(model: str, *, at_own_server: bool) -> Route | None:
    """How a model is reached; None if LiteLLM knows no provider for it. LiteLLM must be
    loaded.

    A server of the user's own (`at_own_server`) with an id unknown to LiteLLM uses the
    OpenAI protocol. Ollama is called through its chat endpoint, which applies the
    model's own template, also for ids that start with `ollama/`.
    """
    try:
        _, provider, _, base = litellm_loading.now().get_llm_provider(model)
    except Exception:
        if at_own_server:
            return Route(provider="openai", call_as=f"openai/{model}")
        return None
    if provider == "ollama":
        return Route(
            provider="ollama_chat",
            call_as="ollama_chat/" + model.removeprefix("ollama/"),
            base=base,
        )
    return Route(provider=provider, call_as=model, base=base)


def lacking(target: Target, env: Environment) -> tuple[str, ...]:
    """Return the variables that could hold the missing key of another provider.

    Empty if the key is set, if LiteLLM does not know, or if the provider has other ways
    to sign in. LiteLLM must be loaded.
    """
    try:
        told = litellm_loading.now().validate_environment(target.call_as)
        names = tuple(str(name) for name in told.get("missing_keys") or ())
    except Exception:
        return ()
    if told.get("keys_in_environment") or target.provider in _KEYLESS:
        return ()
    if not all(map(_API_KEY.search, names)):
        return ()
    stems = {name[:_STEM] for name in names}
    also = {_ALSO[name] for name in names if name in _ALSO}
    for name, value in env.items():
        known = name in also or (name[:_STEM] in stems and _SIGN_IN.search(name))
        if value and known:
            return ()
    return names


def untaken(target: Target) -> tuple[str, ...]:
    """The parameters of `target` that its model does not take: LiteLLM refuses them, or
    leaves them out silently.
    """
    key = (
        target.model,
        target.provider,
        repr(sorted(target.params.items(), key=lambda item: item[0])),
    )
    if key not in _supported:
        mapped = litellm_loading.now().utils.get_optional_params
        model = target.call_as.removeprefix(f"{target.provider}/")
        bare = mapped(model=model, custom_llm_provider=target.provider)
        out = []
        for name, value in target.params.items():
            try:
                taken = (
                    mapped(
                        model=model,
                        custom_llm_provider=target.provider,
                        **{name: value},
                    )
                    != bare
                )
            except Exception:
                taken = False
            if not taken:
                out.append(name)
        _supported[key] = tuple(out)
    return _supported[key] + tuple(
        sorted(
            _refused.get((target.model, target.api_base), set()) & target.params.keys()
        )
    )


async def complete(
    target: Target,
    role: str,
    messages: list[Message],
    schema: dict[str, object] | None,
    stream: bool,
    meter: CallUsage,
    env: Environment,
    sending: Sending | None = None,
) -> ReplyStream:
    """Makes one attempt: yields deltas as they come, then the reply.

    LiteLLM must be loaded.

    `sending`: brings the reply instead of a call. Raises: ModelError; `meter` then
    holds what was used.
    """
    send = sending or (partial(_streamed, role=role) if stream else whole)
    failed: set[Format] = set()
    while True:
        form = rung(target, messages, schema, failed)
        dropped = untaken(target)
        arguments = _arguments(target, messages, dropped)
        if form is not None:
            arguments |= form.arguments
        if dropped:
            names = ", ".join(dropped)
            yield ModelRemark(
                role,
                "dropped",
                f"{target.model} does not support {names}; left out.",
                target.model,
                names,
            )
        try:
            async with aclosing(send(target, arguments, meter)) as parts:
                async for part in parts:
                    if isinstance(part, ModelReply):
                        _complete(part, target, messages, dropped, form)
                    yield part
            return
        except (ModelError, Later):
            raise
        except Exception as error:
            problem = fault(error, target, env)
            if meter.received:
                raise problem from error
            if form is not None and refused(error, problem.kind):
                step_down(target, form.name, failed, error)
            elif not _learns(target, arguments, error, problem):
                raise problem from error
        if meter.again is not None:
            await meter.again()


def _complete(
    reply: ModelReply,
    target: Target,
    messages: list[Message],
    dropped: tuple[str, ...],
    form: Rung | None,
) -> None:
    """Add the request's form, and an estimate of the usage if none is reported."""
    reply.dropped = list(dropped)
    reply.structured = form is not None and form.name == "json_schema"
    if reply.usage is None:
        reply.usage = usage_of(reply, messages)
        reply.cost = money(target, reply.usage)


def _learns(
    target: Target, arguments: dict[str, object], error: Exception, problem: ModelError
) -> bool:
    """Whether the error is about a parameter, which is left out from now on."""
    if problem.kind != "bad-request":
        return False
    name = about_parameter(str(error), arguments)
    if name is None:
        return False
    _refused.setdefault((target.model, target.api_base), set()).add(name)
    return True


def _arguments(
    target: Target, messages: list[Message], dropped: tuple[str, ...]
) -> dict[str, object]:
    arguments: dict[str, object] = {
        "model": target.call_as,
        "messages": messages,
        "max_retries": 0,
        "timeout": target.timeout + _MARGIN,
        **(
            {"cache_control_injection_points": marked(messages)}
            if marks_needed(target)
            else {}
        ),
        **target.extra,
        **{name: value for name, value in target.params.items() if name not in dropped},
    }
    return arguments | target.address


async def whole(
    target: Target, arguments: dict[str, object], meter: CallUsage
) -> ReplyStream:
    """One call that is not streamed. Raises: ModelError, or what LiteLLM raises."""
    began = time.monotonic()
    meter.sent = True
    try:
        async with asyncio.timeout(target.timeout):
            response = await litellm_loading.now().acompletion(**arguments)
    except TimeoutError:
        raise _late(target) from None
    reply = reply_of(target, response)
    reply.seconds = time.monotonic() - began
    if reply.usage is not None:
        reply.usage.saved = saved(target, reply.usage, response.usage)
        reply.cost = (
            money(target, reply.usage)
            if target.prices is not None
            else response._hidden_params.get("response_cost")
        )
        meter.usage, meter.cost = reply.usage, reply.cost
    yield reply


def reply_of(target: Target, response: Any) -> ModelReply:
    """The reply in LiteLLM's response, without its cost and time."""
    choice = response.choices[0]
    text, thought = apart(
        choice.message.content or "",
        [getattr(choice.message, "reasoning_content", None) or ""],
    )
    usage = reported(getattr(response, "usage", None))
    return ModelReply(
        text=text,
        reasoning=thought,
        model=target.model,
        endpoint=target.endpoint or UNSET,
        fingerprint=_fingerprint(response) or UNSET,
        usage=usage,
        finish=choice.finish_reason,
    )


def _fingerprint(response: object) -> str:
    """The `system_fingerprint` of a reply or a chunk; "" where it has none."""
    value = getattr(response, "system_fingerprint", None)
    if isinstance(value, str):
        return value[:_FINGERPRINT]
    return ""


async def _streamed(
    target: Target, arguments: dict[str, Any], meter: CallUsage, role: str
) -> ReplyStream:
    began = time.monotonic()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + target.timeout
    thoughts = []
    answer = []
    splitter = Splitter()
    fingerprint = ""
    stream: Any = None
    meter.sent = True
    try:
        stream = await _in_time(
            litellm_loading.now().acompletion(
                **arguments, stream=True, stream_options={"include_usage": True}
            ),
            target,
            deadline,
        )
        chunks = stream.__aiter__()
        while True:
            try:
                chunk = await _in_time(chunks.__anext__(), target, deadline)
            except StopAsyncIteration:
                break
            _forget_chunks(stream)
            fingerprint = _fingerprint(chunk) or fingerprint
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
        usage = _stream_usage(stream, target, meter)
        finish = _finish_reason(stream, target)
        text, reasoning = apart("".join(answer), thoughts)
        yield ModelReply(
            text=text,
            reasoning=reasoning,
            model=target.model,
            endpoint=target.endpoint or UNSET,
            fingerprint=fingerprint or UNSET,
            usage=usage,
            cost=meter.cost,
            seconds=time.monotonic() - began,
            finish=finish,
        )
    finally:
        if stream is not None:
            await stream.aclose()


def _forget_chunks(stream: Any) -> None:
    """Lets chunks go: LiteLLM keeps them all, at some kilobytes each, but needs only
    the last ones and those with the usage.
    """
    if len(stream.chunks) > 2 * _CHUNKS:
        with_usage = list(filter(_chunk_usage, stream.chunks[:-_CHUNKS]))
        stream.chunks[:-_CHUNKS] = with_usage[: _CHUNKS // 4]


def _chunk_usage(chunk: object) -> Any:
    return getattr(chunk, "usage", None)


def _stream_usage(stream: Any, target: Target, meter: CallUsage) -> Usage | None:
    """The usage that a stream reported last, if any; `meter` holds it, too."""
    detailed = next(filter(None, map(_chunk_usage, reversed(stream.chunks))), None)
    usage = reported(detailed)
    if usage is not None:
        usage.saved = saved(target, usage, detailed)
        meter.usage, meter.cost = usage, money(target, usage, detailed)
    return usage


def _finish_reason(stream: Any, target: Target) -> str:
    """Why a reply ended. Raises: ModelError where the server says none."""
    reason = getattr(stream, "received_finish_reason", "stop") or getattr(
        stream, "intermittent_finish_reason", None
    )
    if reason is None:
        raise ModelError(
            "cut",
            f"{target.host} ended the reply of {target.model} before it was "
            f"finished: retry.",
        )
    return str(reason)


async def _in_time(waiting: Any, target: Target, deadline: float) -> Any:
    """The next chunk of a stream, within both time limits."""
    now = asyncio.get_running_loop().time()
    stalls = now + target.stall_timeout < deadline
    try:
        async with asyncio.timeout_at(min(now + target.stall_timeout, deadline)):
            return await waiting
    except TimeoutError:
        if not stalls:
            raise _late(target) from None
        raise ModelError(
            "stall",
            f"{target.model} at {target.host} sent nothing for "
            f"{target.stall_timeout:g} seconds: retry, or raise stall_timeout.",
        ) from None


def _late(target: Target) -> ModelError:
    return ModelError(
        "timeout",
        f"{target.model} at {target.host} did not finish within "
        f"{target.timeout:g} seconds: retry, or raise timeout.",
    )


def usage_of(reply: ModelReply, messages: list[Message]) -> Usage:
    """Estimate a reply's usage where the server does not report it."""
    return Usage(
        input=estimate_messages(messages),
        output=estimate(reply.text) + estimate(reply.reasoning or ""),
        estimated=True,
    )
