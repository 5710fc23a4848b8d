"""Reads reply files in the format of OpenAI's batch API and vLLM's `run_batch`. Their
content is not trusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from ...engines.models.keys import hide
from ...sessions.clean import scrub
from ...texts import t

LONGEST = 64 << 20
"""Maximum size of a line in bytes; longer lines are skipped."""
NAMES = 128
"""Maximum length of a request's name in characters."""


class ReplyLine(NamedTuple):
    """A line of a reply file."""

    name: str
    """The request: its `custom_id`."""
    line: bytes
    """The whole line with a line end, and without keys that were sent."""
    good: bool
    """Whether it is a reply; False: the request failed."""


class OddLine(NamedTuple):
    """An invalid line of a reply file."""

    number: int
    why: str


class Fault(Exception):
    """A failed request, with LiteLLM's names and numbers."""

    def __init__(self, status: int | None, message: str, code: str = "") -> None:
        super().__init__(message or code or "no reason is given")
        self.status_code, self.code = status, code


class InternalServerError(Fault):
    """Status 500 from the server."""


def lines(file: BinaryIO) -> Iterator[ReplyLine | OddLine]:
    """The non-blank lines of a file. Memory is limited to the longest valid line."""
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST)
            yield OddLine(number, t("waves.line_long", n=LONGEST >> 20))
        elif line.strip():
            yield _read(line, number)


def said(name: str, status: int | None, message: str, code: str) -> ReplyLine:
    """A line for a failed request, if the provider wrote none."""
    error = {"code": code, "message": message}
    response = (
        None if status is None else {"status_code": status, "body": {"error": error}}
    )
    return ReplyLine(
        name,
        json.dumps({"custom_id": name, "response": response, "error": error}).encode()
        + b"\n",
        False,
    )


def body(line: bytes) -> dict[str, Any]:
    """The reply in a line, as a call would return it.

    Raises: Fault if the request failed.
    """
    found = json.loads(line)
    response = found.get("response")
    if good(found):
        reply: dict[str, object] = response["body"]
        return reply
    status = response.get("status_code") if isinstance(response, dict) else None
    inner = response.get("body") if isinstance(response, dict) else None
    error = (
        (inner.get("error") if isinstance(inner, dict) else None)
        or found.get("error")
        or inner
    )
    message, code = _message(error)
    kind = InternalServerError if status == 500 else Fault
    raise kind(
        status if isinstance(status, int) and status >= 400 else None, message, code
    )


def _read(line: bytes, number: int) -> ReplyLine | OddLine:
    try:
        text = line.decode("utf-8", "replace")
        found = json.loads(text)
    except (ValueError, RecursionError):
        return OddLine(number, t("waves.line_no_json"))
    name = found.get("custom_id") if isinstance(found, dict) else None
    if not isinstance(name, str) or not 0 < len(name) <= NAMES:
        return OddLine(number, t("waves.line_no_id"))
    hidden, altered = hide(text)
    if altered:
        try:
            found = json.loads(hidden)
        except (ValueError, RecursionError):
            return OddLine(number, t("waves.line_no_json"))
    kept = json.dumps(
        {
            "custom_id": name,
            "response": found.get("response"),
            "error": found.get("error"),
        }
    )
    return ReplyLine(name, scrub(kept)[0].encode() + b"\n", good(found))


def good(found: dict[str, Any]) -> bool:
    """Whether a line is a reply and not a failure."""
    response = found.get("response")
    if (
        found.get("error")
        or not isinstance(response, dict)
        or not isinstance(response.get("body"), dict)
    ):
        return False
    return response.get("status_code") in (None, 200) and not response["body"].get(
        "error"
    )


def _message(error: Any) -> tuple[str, str]:
    if isinstance(error, dict):
        return str(error.get("message") or "")[:2000], str(error.get("code") or "")[
            :100
        ]
    return ("" if error is None else str(error)[:2000]), ""
