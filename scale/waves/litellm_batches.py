"""Batches of OpenAI-compatible providers through LiteLLM: request bodies, files, and
status.

LiteLLM must be loaded. There are no retries. Functions that call a provider raise
ModelError.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

import msgspec

from ...engines.models import litellm_loading
from ...engines.models.bodies import allowing
from ...engines.models.calls import Target
from ...engines.models.faults import fault
from ...engines.models.keys import hide, sent
from ...engines.models.port import TRANSIENT, ModelError
from ...engines.models.prices import money
from ...engines.models.providers import base_of
from ...engines.models.tokens import reported
from ...sessions.events import Usage

PROVIDERS = ("openai", "hosted_vllm")
"""Providers whose batches LiteLLM supports with any endpoint."""
URL = "/v1/chat/completions"
MARK = "verifytui"
"""Metadata key of a batch's mark."""
LARGEST = 1 << 30
"""Maximum size of a reply file in bytes."""
SECONDS = 600.0
"""Seconds to upload or download a file."""
_PAGES = 20
_AT_ONCE = 100

_T = TypeVar("_T")

Env = Mapping[str, str]
"""Environment variables with the keys."""


class ProviderBatch(msgspec.Struct, kw_only=True):
    """A batch at its provider."""

    id: str
    status: str
    """`validating`, `in_progress`, `finalizing`, `completed`, `failed`, `expired`,
    `cancelling`, `cancelled`.
    """
    answered: int = 0
    failed: int = 0
    output: str | None = None
    """Id of the reply file."""
    errors: str | None = None
    """Id of the file of failed requests."""
    until: float | None = None
    """Expiry time, in seconds since 1970."""
    why: str = ""
    """Why the whole batch failed, in the provider's words."""

    @property
    def ended(self) -> bool:
        return self.status in ("completed", "failed", "expired", "cancelled")


def body_of(target: Target, arguments: Mapping[str, object]) -> dict[str, object]:
    """The body that LiteLLM would send for these arguments of `acompletion`."""
    litellm = litellm_loading.now()
    model = target.call_as.removeprefix(f"{target.provider}/")
    ours = ("model", "messages", "max_retries", "timeout", "api_base", "api_key")
    given = {name: value for name, value in arguments.items() if name not in ours}
    optional = litellm.utils.get_optional_params(
        model=model, custom_llm_provider=target.provider, **given
    )
    more = optional.pop("extra_body", None) or {}
    optional.pop("stream", None)
    kind = litellm.types.utils.LlmProviders(target.provider)
    config = litellm.utils.ProviderConfigManager.get_provider_chat_config(model, kind)
    body = {"model": model, "messages": arguments["messages"], **optional}
    if config is not None:
        body = config.transform_request(
            model=model,
            messages=arguments["messages"],
            optional_params=optional,
            litellm_params={},
            headers={},
        )
    body.pop("extra_body", None)
    return {**body, **more}


def response_of(body: Mapping[str, object]) -> Any:
    """LiteLLM's response object for the body of a reply.

    Raises: ValueError if it is invalid.
    """
    from litellm.litellm_core_utils.llm_response_utils.convert_dict_to_response import (
        convert_to_model_response_object,
    )

    try:
        response = convert_to_model_response_object(
            response_object=dict(body),
            model_response_object=litellm_loading.now().ModelResponse(),
        )
        choice = response.choices[0]
        whole = choice.message.content is None or isinstance(
            choice.message.content, str
        )
    except Exception:
        raise ValueError("its body is no reply") from None
    if not whole:
        raise ValueError("its text is none")
    return response


async def call(
    target: Target, arguments: Mapping[str, object], env: Env
) -> tuple[int, dict[str, object], Usage | None, float | None]:
    """Sends a request as a call. Returns status and body as in a reply file, the usage,
    and the cost.

    Raises: ModelError for errors without a status and for temporary ones.
    """
    sent(target.api_key)
    try:
        async with asyncio.timeout(target.timeout):
            response = await litellm_loading.now().acompletion(**arguments)
    except TimeoutError:
        raise ModelError(
            "timeout",
            f"{target.model} at {target.host} did not finish within "
            f"{target.timeout:g} seconds: retry, or raise timeout.",
        ) from None
    except Exception as error:
        problem = fault(error, target, env)
        status = getattr(error, "status_code", None)
        if problem.kind in TRANSIENT or not isinstance(status, int):
            raise problem from error
        return status, {"error": {"message": str(error)}}, None, 0.0
    used = reported(getattr(response, "usage", None))
    cost = None if used is None else money(target, used, response.usage)
    return 200, response.model_dump(mode="json"), used, cost


async def upload(target: Target, name: str, data: bytes, env: Env) -> str:
    """Uploads a file of requests and returns its id."""
    asked = litellm_loading.now().acreate_file(
        file=(name, data, "application/jsonl"), purpose="batch", **_common(target, env)
    )
    return str((await _called(asked, target, env)).id)


async def create(target: Target, file: str, mark: str, env: Env) -> ProviderBatch:
    """Starts a batch for an uploaded file. `mark`: identifies the batch if its id is
    lost.
    """
    asked = litellm_loading.now().acreate_batch(
        completion_window="24h",
        endpoint=URL,
        input_file_id=file,
        metadata={MARK: mark},
        **_common(target, env),
    )
    return _batch(await _called(asked, target, env))


async def by_mark(target: Target, mark: str, env: Env) -> ProviderBatch | None:
    """Finds the batch with this mark among the provider's latest ones; None if there is
    none, or the provider does not list batches.
    """
    after: str | None = None
    for _ in range(_PAGES):
        more = {} if after is None else {"after": after}
        try:
            page = await _called(
                litellm_loading.now().alist_batches(
                    limit=_AT_ONCE, **more, **_common(target, env)
                ),
                target,
                env,
            )
        except ModelError as error:
            if error.kind in ("not-found", "bad-request"):
                return None
            raise
        listed = list(page.data or [])
        for one in listed:
            if isinstance(one.metadata, dict) and one.metadata.get(MARK) == mark:
                return _batch(one)
        if len(listed) < _AT_ONCE:
            return None
        after = listed[-1].id
    return None


async def look(target: Target, batch: str, env: Env) -> ProviderBatch:
    """The status of a batch."""
    quiet = {
        "batch_ignore_default_logging": True
    }  # else LiteLLM reads the files of one that is complete, to count what it cost
    asked = litellm_loading.now().aretrieve_batch(
        batch_id=batch, litellm_metadata=quiet, **_common(target, env)
    )
    return _batch(await _called(asked, target, env))


async def content(target: Target, file: str, env: Env) -> bytes:
    """The content of a file at the provider."""
    with allowing(LARGEST):
        found = await _called(
            litellm_loading.now().afile_content(file_id=file, **_common(target, env)),
            target,
            env,
        )
    return bytes(found.content)


def address(target: Target, env: Env) -> str | None:
    """The endpoint for a model's batches; None: OpenAI.

    Raises: ModelError if it cannot be determined.
    """
    base = target.api_base or base_of(target.provider, env)
    if (
        base is None and target.provider != "openai"
    ):  # LiteLLM would take OpenAI's, and its key
        raise ModelError(
            "address",
            f"The address of {target.model} is unknown: set api_base in config.yaml.",
        )
    return base


def _common(target: Target, env: Env) -> dict[str, object]:
    base = address(target, env)
    sent(target.api_key)
    return {
        "custom_llm_provider": target.provider,
        "api_key": target.api_key or "none",
        "timeout": SECONDS,
        "max_retries": 0,
        **({} if base is None else {"api_base": base}),
    }


async def _called(asked: Awaitable[_T], target: Target, env: Env) -> _T:
    try:
        async with asyncio.timeout(SECONDS):
            return await asked
    except TimeoutError:
        raise ModelError(
            "timeout", f"{target.host} did not answer within {SECONDS:g} seconds."
        ) from None
    except ModelError:
        raise
    except Exception as error:
        raise fault(error, target, env) from error


def _batch(found: Any) -> ProviderBatch:
    counts, faults = found.request_counts, getattr(found.errors, "data", None) or []
    said = "; ".join(str(getattr(fault, "message", "") or "") for fault in faults[:3])
    return ProviderBatch(
        id=str(found.id),
        status=str(found.status),
        answered=int(getattr(counts, "completed", 0) or 0),
        failed=int(getattr(counts, "failed", 0) or 0),
        output=found.output_file_id or None,
        errors=found.error_file_id or None,
        until=float(found.expires_at)
        if isinstance(found.expires_at, int | float)
        else None,
        why=hide(said)[0][:300],
    )
