"""Separates a model's reasoning from its answer.

Providers with a field of their own are easy; others put it into the text: a `<think>`
block at the start, or, where the chat template already opened it, everything up to a
lone `</think>`. Thinking is cut at the start of a reply alone: a tag further on is part
of the answer, most of all inside a string of a JSON object.
"""

from __future__ import annotations

import json
import re
from itertools import islice

_WORDS = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "seed:think",
    "budget:thinking",
)
_NAMES = f"(?:{'|'.join(_WORDS)})"
_OPEN = re.compile(rf"<{_NAMES}>|\[THINK\]|◁think▷", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_NAMES}>|\[/THINK\]|◁/think▷", re.IGNORECASE)
_TAGS = (
    *(f"<{slash}{word}>" for slash in ("", "/") for word in _WORDS),
    "[think]",
    "[/think]",
    "◁think▷",
    "◁/think▷",
)
_LONGEST = max(map(len, _TAGS))
_MOST = 20
"""Most blocks and closing tags that are examined.

What follows them is part of the answer.
"""
_FENCE = re.compile(r"(`{3,}|~{3,})[a-zA-Z]*\n(?P<inside>.*)\n\1", re.DOTALL)


def split(text: str) -> tuple[str, str | None]:
    """A whole reply as (answer, reasoning or None).

    Blocks at the start are taken out, and what precedes a lone closing tag; an opening
    tag at the start that is never closed makes everything reasoning. In a reply that is
    JSON, or begins like JSON or a fence, there is nothing to cut.
    """
    thoughts: list[str] = []
    answer = text
    while (
        len(thoughts) < _MOST and (opened := _OPEN.match(answer.lstrip())) is not None
    ):
        body = answer.lstrip()[opened.end() :]
        close = _end(body)
        thoughts.append(body[: close.start()] if close is not None else body)
        answer = body[close.end() :] if close is not None else ""
    if not thoughts:
        close = _lone(text)
        if close is None:
            return text, None
        thoughts, answer = [text[: close.start()]], text[close.end() :]
    return answer.lstrip(), "\n\n".join(filter(None, map(str.strip, thoughts))) or None


def opens(text: str) -> bool:
    """True if a text begins with a tag that opens thinking."""
    return _OPEN.match(text.lstrip()) is not None


def apart(text: str, thoughts: list[str]) -> tuple[str, str | None]:
    """(answer, reasoning or None) of a reply whose provider sent `thoughts` in a
    separate field; the text can hold more of them.
    """
    answer, inside = split(text)
    reasoning = (
        "\n\n".join(part for part in ("".join(thoughts), inside) if part) or None
    )
    return answer if reasoning is None else answer.lstrip(), reasoning


def _end(body: str) -> re.Match[str] | None:
    """The tag that ends the reasoning at the start of `body`.

    Reasoning can quote a tag, so it is the first one followed by nothing but JSON; else
    the first one that closes as many blocks as were opened; else the first one.
    """
    closing = list(islice(_CLOSE.finditer(body), _MOST))
    for close in closing:
        if _is_json(body[close.end() :]):
            return close
    for close in closing:
        if len(_OPEN.findall(body, 0, close.start())) < len(
            _CLOSE.findall(body, 0, close.end())
        ):
            return close
    if closing:
        return closing[0]
    return None


def _lone(text: str) -> re.Match[str] | None:
    """The closing tag whose opening tag is in the prompt; None without one, or if the
    text seems to mention the tag.
    """
    if (
        text.lstrip()[:1] in ("{", "[")
        or text.lstrip().startswith(("```", "~~~"))
        or _is_json(text)
    ):
        return None
    found = [
        close
        for close in islice(_CLOSE.finditer(text), _MOST)
        if _ends_thinking(text, close)
    ]
    return next(
        (close for close in found if _is_json(text[close.end() :])),
        found[0] if found else None,
    )


def _ends_thinking(text: str, close: re.Match[str]) -> bool:
    before, after = text[: close.start()], text[close.end() :]
    if before.rstrip().endswith((":", "：")):  # the rest is quoted
        return False
    # it closes a block further on
    if len(_OPEN.findall(before)) > len(_CLOSE.findall(before)):
        return False
    if not before.rpartition("\n")[2].strip():
        return True
    if before[-1].isspace() or before[-1] in "\"'`“‘(（「『<":
        return False
    return (
        after[:1] in ("", "\n", "\r")
        or _is_json(after)
        or not re.search(r"[\"'`“”‘’{}]", before + after)
    )


def _is_json(text: str) -> bool:
    """True if a text is JSON as a whole, or a fence with nothing but JSON in it."""
    text = text.strip()
    fenced = _FENCE.fullmatch(text)
    text = fenced["inside"].strip() if fenced is not None else text
    if text[:1] not in ("{", "[", '"'):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class Splitter:
    """The same while the text arrives, for the screen: feed it chunks, it gives (text,
    is reasoning) pieces. Tags may be split.

    What streamed before a lone closing tag was already shown as an answer; the final
    reply (`split` of the whole) puts it right.
    """

    def __init__(self) -> None:
        self._thinking = False
        self._begun = False
        self._held = ""

    def feed(self, chunk: str) -> list[tuple[str, bool]]:
        """The pieces that are certain by now."""
        text = self._held + chunk
        self._held = ""
        pieces: list[tuple[str, bool]] = []
        while text and not self._begun:
            tag = self._tag(text)
            if tag is None:
                keep = self._partial(text)
                self._held = text[len(text) - keep :]
                self._add(pieces, text[: len(text) - keep])
                return pieces
            self._add(pieces, text[: tag.start()])
            self._thinking = not self._thinking
            text = text[tag.end() :]
        self._add(pieces, text)
        return pieces

    def finish(self) -> list[tuple[str, bool]]:
        """Return the text held back because it could have become a tag."""
        held, self._held = self._held, ""
        if held:
            return [(held, self._thinking)]
        return []

    def _tag(self, text: str) -> re.Match[str] | None:
        if self._thinking:
            return _CLOSE.search(text)
        opened = _OPEN.search(text)
        if opened is not None and not text[: opened.start()].strip():
            return opened
        return None

    def _add(self, pieces: list[tuple[str, bool]], text: str) -> None:
        if not text:
            return
        if not self._thinking and text.strip():
            self._begun = True
        pieces.append((text, self._thinking))

    def _partial(self, text: str) -> int:
        """Length of a trailing partial tag. Before the answer starts, of a leading
        one.
        """
        for at in range(max(len(text) - _LONGEST, 0), len(text)):
            if text[at] in "<[◁" and any(
                tag.startswith(text[at:].casefold()) for tag in _TAGS
            ):
                if self._thinking or not text[:at].strip():
                    return len(text) - at
                return 0
        return 0
