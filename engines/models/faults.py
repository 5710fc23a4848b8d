"""Turns LiteLLM's exceptions into our kinds of failure, each with one sentence for
people.

Classes are compared by name, so that LiteLLM is not imported.
"""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime

from ...sessions.clean import clean_line
from .calls import Target
from .environment import Environment
from .keys import without_keys
from .port import Kind, ModelError

_PREFIX = re.compile(
    r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?:\s*:\s*|\s+-\s+|\Z)"
    r"|^\w+Exception\s+-\s+"
)
_NO_KEY = re.compile(
    r"(?i)missing credentials|missing \w+ api key|no api[_ ]key|api_key client "
    r"option must be set"
    r"|api[_ ]key (?:is )?(?:required|not (?:set|provided|found))"
)
_CONTEXT = re.compile(
    r"(?i)context.{0,12}(?:length|window|size)|maximum context|too many tokens"
    r"|prompt is too long"
)
_FILTER = re.compile(
    r"(?i)content.{0,3}(?:filter|policy|management)|flagged|moderation"
    r"|data_inspection_failed|inappropriate content"
)
_CUT = frozenset(
    {
        "ClientPayloadError",
        "ContentLengthError",
        "TransferEncodingError",
        "RemoteProtocolError",
        "IncompleteRead",
        "IncompleteReadError",
    }
)
_UNREACHED = frozenset(
    {
        "APIConnectionError",
        "ConnectError",
        "ReadError",
        "WriteError",
        "ClientConnectionError",
        "ConnectionError",
    }
)

_BY_CLASS: tuple[tuple[str, Kind], ...] = (
    ("ContextWindowExceededError", "context"),
    ("ContentPolicyViolationError", "content-filter"),
    ("AuthenticationError", "auth"),
    ("PermissionDeniedError", "auth"),
    ("NotFoundError", "not-found"),
    ("RateLimitError", "rate-limit"),
    ("Timeout", "timeout"),
    ("APITimeoutError", "timeout"),
    ("TimeoutException", "timeout"),
    ("MidStreamFallbackError", "cut"),
    ("UnsupportedParamsError", "bad-request"),
    ("BadRequestError", "bad-request"),
    ("UnprocessableEntityError", "bad-request"),
    ("APIConnectionError", "connection"),
    ("InternalServerError", "server"),
    ("ServiceUnavailableError", "server"),
    ("BadGatewayError", "server"),
    ("APIError", "server"),
)


def kind_of(error: BaseException) -> Kind:
    """The kind of an exception that LiteLLM raised.

    LiteLLM reports many other errors as a 500, so the causes count, too.
    """
    own = _names(error)
    causes = frozenset().union(*map(_names, chain(error)))
    if too_large(error) is not None:
        return "too-large"
    text = f"{error} {getattr(error, 'code', None) or ''}"
    found: Kind = next((kind for name, kind in _BY_CLASS if name in own), "internal")
    status = getattr(error, "status_code", None)
    if found in (
        "auth",
        "server",
        "bad-request",
        "connection",
        "internal",
    ) and _NO_KEY.search(text):
        return "missing-key"
    if "HTTPStatusError" not in causes and found in (
        "connection",
        "server",
        "internal",
        "cut",
    ):
        if causes & _CUT or found == "cut":
            return "cut"
        if causes & _UNREACHED:
            return "connection"
    if isinstance(status, int) and (
        found in ("bad-request", "server", "internal", "connection") or status == 504
    ):
        found = _by_status(status, found)
    if found == "bad-request":
        if _CONTEXT.search(text):
            return "context"
        if _FILTER.search(text):
            return "content-filter"
    return found


def chain(error: BaseException | None) -> list[BaseException]:
    """The exception and what caused it."""
    found: list[BaseException] = []
    while error is not None and error not in found and len(found) < 10:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def too_large(error: BaseException) -> str | None:
    """Find the `BodyError` among the causes; None if there is none."""
    return next(
        (str(each) for each in chain(error) if "BodyError" in _names(each)), None
    )


def _names(error: BaseException) -> frozenset[str]:
    return frozenset(each.__name__ for each in type(error).__mro__)


def _by_status(status: int, otherwise: Kind) -> Kind:
    if status in (401, 403):
        return "auth"
    if status in (404, 410):
        return "not-found"
    if status == 408:
        return "timeout"
    if status == 429:
        return "rate-limit"
    if status in (400, 402, 405, 409, 413, 415, 422):
        return "bad-request"
    if status > 500:
        return "server"
    return otherwise


def retry_after(error: BaseException) -> float | None:
    """Seconds that the provider asks to wait, from the headers that LiteLLM kept; None
    if it asks for nothing.
    """
    sources: list[object] = [
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
    ]
    for headers in sources:
        if not headers or not hasattr(headers, "items"):
            continue
        lower = {
            str(name).lower().removeprefix("llm_provider-"): str(value)
            for name, value in headers.items()
        }
        if "retry-after-ms" in lower:
            seconds = _seconds(lower["retry-after-ms"])
            if seconds is None:
                return None
            return seconds / 1000
        if "retry-after" in lower:
            return _seconds(lower["retry-after"], lower.get("date"))
    return None


def _seconds(text: str, sent: str | None = None) -> float | None:
    """`sent`: when the server sent that, by its own clock, which may differ from
    ours.
    """
    try:
        seconds = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text).timestamp()
            seconds = until - (_moment(sent) or time.time())
        except (ValueError, TypeError):
            return None
    if seconds == seconds:
        return min(max(seconds, 0.0), 1e9)
    return None


def _moment(text: str | None) -> float | None:
    try:
        if text is None:
            return None
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return None


def detail(error: BaseException, env: Environment, key: str | None = None) -> str:
    """The provider's own message: one short line without control characters and without
    keys (the one that was sent, `key`, or others).
    """
    text = str(error)
    while True:
        shorter = _PREFIX.sub("", text, count=1).lstrip()
        if shorter == text or not shorter:
            break
        text = shorter
    text = re.split(r"Original exception:|Traceback \(most recent", text)[0]
    text = re.sub(r" ssl:(?:<[^>]*>|\w+)", "", text)
    text = clean_line(without_keys(text, env, key)).strip().rstrip(".")
    text = re.sub(r" {2,}", " ", text)
    return text[:240] + ("…" if len(text) > 240 else "")


def fault(error: BaseException, target: Target, env: Environment) -> ModelError:
    """The `ModelError` for an exception of LiteLLM's."""
    kind = kind_of(error)
    if kind == "missing-key":
        return missing_key(target.model, target.keys)
    said = too_large(error) or detail(error, env, target.api_key)
    # without a port, the host's own words: "the provider azure"
    host = target.endpoint if ":" in target.endpoint else target.host
    keys = " or ".join(target.keys) or "the key"
    sentence = _SENTENCES[kind].format(model=target.model, host=host, keys=keys)
    return ModelError(
        kind,
        f"{sentence} ({said})" if said else sentence,
        retry_after=retry_after(error),
    )


def missing_key(model: str, keys: tuple[str, ...]) -> ModelError:
    names = " or ".join(keys) or "its provider's variable"
    return ModelError(
        "missing-key",
        f"There is no key for {model}: set {names} in the environment, or choose "
        f"another model.",
    )


def about_parameter(text: str, arguments: dict[str, object]) -> str | None:
    """The parameter that a refusal names, if we sent it."""
    lower = text.lower()
    if not any(
        word in lower
        for word in (
            "support",
            "unknown",
            "unrecognized",
            "unexpected",
            "not permitted",
            "extra",
            "deprecated",
            "only the default",
        )
    ):
        return None
    names = (
        "temperature",
        "top_p",
        "max_tokens",
        "seed",
        "stop",
        "presence_penalty",
        "frequency_penalty",
        "reasoning_effort",
    )
    return next((name for name in names if name in arguments and name in lower), None)


_SENTENCES: dict[str, str] = {
    "auth": "{host} does not accept the key for {model}: check {keys} in the "
    "environment.",
    "not-found": "{host} does not serve {model}, or no longer does: choose another "
    "model.",
    "rate-limit": "{host} accepts no more calls of {model} for now: wait and retry, or "
    "check your quota.",
    "server": "{host} failed while answering for {model}: retry later.",
    "connection": "{host} cannot be reached for {model}: check the network, and "
    "whether the server is running.",
    "timeout": "{model} at {host} did not finish in time: retry, or give it a longer "
    "timeout.",
    "cut": "The connection to {host} ended before {model} had finished: retry.",
    "too-large": "{host} sends a reply for {model} that cannot be read: choose another "
    "model, or check the server.",
    "context": "The conversation exceeds the context of {model}: choose a model with "
    "a longer one, or use fewer rounds.",
    "content-filter": "{host} refused to answer for {model} because of its content "
    "rules: change the text or the model.",
    "bad-request": "{host} rejects the call for {model}: check its parameters.",
    "internal": "The call of {model} failed in an unexpected way: retry, and report it "
    "if it persists.",
}
