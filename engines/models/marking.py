"""Marks in a prompt for providers that keep only what is marked in their caches: those
of Claude.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from . import litellm_loading
from .calls import Target
from .port import Message

_PROVIDERS = ("anthropic", "bedrock", "vertex_ai", "azure_ai", "openrouter")
"""Who hands marks on to Claude."""
_NAME = "claude"


def marks_needed(target: Target) -> bool:
    """Whether the model keeps marked beginnings, and only those.

    LiteLLM must be loaded.
    """
    return (
        target.provider in _PROVIDERS
        and _NAME in target.call_as.lower()
        and _keeps(target.call_as, target.provider)
    )


def filling(model: str) -> float:
    """How many times the price of its input a model may take for what it keeps."""
    if _NAME in model.lower():
        return 1.25
    return 1.0


def marked(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Where the marks go, as LiteLLM takes it: after the system turn, and in a
    conversation also at its end, where the next call continues.

    A mark makes what is before it cost a quarter more at the first time, so a
    question that is asked once gets none at its end.
    """
    places = [0] if messages[0]["role"] == "system" else []
    if any(message["role"] == "assistant" for message in messages):
        places.append(len(messages) - 1)
    return [{"location": "message", "index": place} for place in places]


@lru_cache(maxsize=256)
def _keeps(model: str, provider: str) -> bool:
    try:
        return bool(
            litellm_loading.now().utils.supports_prompt_caching(
                model=model.removeprefix(f"{provider}/"), custom_llm_provider=provider
            )
        )
    except Exception:
        return False
