"""Chooses the form of a reply: JSON Schema, any JSON object, or text.

The best form comes first. Where a server refuses a form, the next one is used, and the
refusal is remembered for its model until the process ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from . import litellm_loading
from .calls import Target
from .port import Kind, Message

Format = Literal["json_schema", "json_object"]
"""Forms that a call must request. Text needs no request."""

LADDER: tuple[Format, ...] = ("json_schema", "json_object")

_NAMED = re.compile(
    r"(?i)response[_ .]?format|response_mime|response_schema|output[_ ](?:format"
    r"|config)|json[_ ]?schema|json[_ ](?:mode|object)|structured"
    r"|\bschema\b|grammar|guided|invalid format|\.format\b|json_validate_failed"
    r"|failed_generation|tool_use_failed|tool_choice"
)
"""Words in a refusal of the form; servers use many."""
_SURE = re.compile(
    r"(?i)response_format|json[_ ]?schema|json[_ ]object|output_format|grammar"
)
_REFUSING = re.compile(
    r"(?i)not (?:yet )?(?:support|implement|permit|allow|available)|unsupported"
    r"|unimplemented|must be|invalid|unavailable|unknown|unrecogni"
    r"|failed to"
)
_THIS_TIME = re.compile(r"json_validate_failed|failed_generation|tool_use_failed")
"""The server accepts the form, but the model failed to write in it."""

_ways: dict[tuple[str, str, bool, Format], dict[str, object] | None] = {}
_refused: dict[tuple[str, str, str | None], set[Format]] = {}


class Rung(NamedTuple):
    """One form, and the arguments of the call that ask for it."""

    name: Format
    arguments: dict[str, Any]


def rung(
    target: Target,
    messages: Sequence[Message],
    schema: dict[str, object] | None,
    failed: Collection[Format] = (),
) -> Rung | None:
    """The best form that remains for a reply by `schema`; None is text.

    LiteLLM must be loaded.

    `failed` are the forms that failed in this call. Servers demand the word JSON in a
    message; without it, `json_object` is left out.
    """
    if schema is None or target.schema is False:
        return None
    out = {*failed, *_refused.get(_place(target), ())}
    if target.schema == "json_object":
        out.add("json_schema")
    if not any("json" in message["content"].lower() for message in messages):
        out.add("json_object")
    for name in LADDER:
        if name not in out:
            more = _way(target, name)
            if more is not None:
                return Rung(name, {"response_format": _wanted(name, schema), **more})
    return None


def refused(error: BaseException, kind: Kind) -> bool:
    """Whether a failure is the server's refusal of the form.

    A fault of the server counts only where it says so in clear words.
    """
    text = str(error)
    if kind == "bad-request":
        return _NAMED.search(text) is not None
    return (
        kind in ("server", "internal")
        and _SURE.search(text) is not None
        and _REFUSING.search(text) is not None
    )


def step_down(
    target: Target, name: Format, failed: set[Format], error: BaseException
) -> None:
    """Removes a form for this call (`failed`), and for all later calls unless only this
    reply failed.
    """
    failed.add(name)
    if not _THIS_TIME.search(str(error)):
        _refused.setdefault(_place(target), set()).add(name)


def _place(target: Target) -> tuple[str, str, str | None]:
    return target.call_as, target.host, target.api_base


def _wanted(name: Format, schema: dict[str, object]) -> dict[str, object]:
    if name == "json_object":
        return {"type": name}
    return {
        "type": name,
        "json_schema": {"name": "reply", "schema": schema, "strict": True},
    }


def _way(target: Target, name: Format) -> dict[str, object] | None:
    """Further arguments that LiteLLM needs to send the form to the server; None if it
    cannot.
    """
    key = (
        target.call_as,
        target.provider,
        target.api_base is not None or target.schema is True,
        name,
    )
    if key not in _ways:
        _ways[key] = _find_way(*key)
    return _ways[key]


def _find_way(
    call_as: str, provider: str, try_all: bool, name: Format
) -> dict[str, object] | None:
    litellm = litellm_loading.now()
    model = call_as.removeprefix(f"{provider}/")
    mapped = litellm.utils.get_optional_params
    bare = mapped(model=model, custom_llm_provider=provider)
    try:
        sent = mapped(
            model=model,
            custom_llm_provider=provider,
            response_format=_wanted(name, {"type": "object", "properties": {}}),
        )
    except Exception:
        # LiteLLM's list for this provider lacks it. Servers that speak OpenAI's
        # protocol may accept it even so; for OpenAI's own models the list is complete.
        if provider == "openai" and not try_all:
            return None
        openai = provider == "openai" or provider in litellm.openai_compatible_providers
        if openai:
            return {"allowed_openai_params": ["response_format"]}
        return None
    added = {each for each, value in sent.items() if bare.get(each) != value} - {
        "json_mode",
        "fake_stream",
    }
    if not added:
        return None
    if "tools" in added and not litellm.supports_response_schema(
        model=model, custom_llm_provider=provider
    ):
        return None  # no schema mode: LiteLLM would use a tool call instead
    return {}
