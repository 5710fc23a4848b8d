"""Keeps what a model thought apart from what it answered.

Providers with a field of their own are easy; others put it into the text: a `<think>` block at the start, or, where the chat template
already opened it, everything up to a lone `</think>`.
"""

from __future__ import annotations

import re

_OPEN = re.compile(r"<think(?:ing)?>")
_CLOSE = re.compile(r"</think(?:ing)?>")
_BLOCK = re.compile(r"<think(?:ing)?>(.*?)</think(?:ing)?>", re.DOTALL)
_LONGEST = len("</thinking>")


def split(text: str) -> tuple[str, str | None]:
    """A whole reply as (answer, reasoning or None).

    Blocks are taken out wherever they stand; what precedes a lone closing tag is reasoning; an opening tag at the very start that is never
    closed makes everything reasoning. An opening tag in the middle that is never closed is a word of the answer.
    """
    if "<" not in text or (_CLOSE.search(text) is None and _OPEN.match(text.lstrip()) is None):
        return text, None
    thoughts = [block.strip() for block in _BLOCK.findall(text)]
    answer = _BLOCK.sub("", text)
    lone = _CLOSE.search(answer)
    if lone is not None:
        thoughts.insert(0, answer[: lone.start()].strip())
        answer = answer[lone.end() :]
    opened = _OPEN.match(answer.lstrip())
    if opened is not None:
        thoughts.append(answer.lstrip()[opened.end() :].strip())
        answer = ""
    return answer.lstrip(), "\n\n".join(filter(None, thoughts)) or None


def apart(text: str, thoughts: list[str]) -> tuple[str, str | None]:
    """(answer, reasoning or None) of a reply whose provider gave `thoughts` in a field of their own; the text may hold more of them."""
    answer, inside = split(text)
    reasoning = "\n\n".join(part for part in ("".join(thoughts), inside) if part) or None
    return answer if reasoning is None else answer.lstrip(), reasoning


class Splitter:
    """The same while the text arrives, for the screen: feed it chunks, it gives (text, is reasoning) pieces. Tags may be split.

    What streamed before a lone closing tag was already shown as an answer; the final reply (`split` of the whole) puts it right.
    """

    def __init__(self) -> None:
        self._thinking = False
        self._begun = False
        self._held = ""

    def feed(self, chunk: str) -> list[tuple[str, bool]]:
        """The pieces that are certain by now."""
        text = self._held + chunk
        self._held = ""
        if "<" not in text and self._begun:
            return [(text, self._thinking)] if text else []
        pieces: list[tuple[str, bool]] = []
        while text:
            tag = self._tag(text)
            if tag is None:
                keep = self._partial(text)
                self._held = text[len(text) - keep :] if keep else ""
                self._add(pieces, text[: len(text) - keep] if keep else text)
                break
            self._add(pieces, text[: tag.start()])
            self._thinking = tag.re is _OPEN
            text = text[tag.end() :]
        return pieces

    def finish(self) -> list[tuple[str, bool]]:
        """What was held back because it might have become a tag."""
        held, self._held = self._held, ""
        return [(held, self._thinking)] if held else []

    def _tag(self, text: str) -> re.Match[str] | None:
        if self._thinking:
            return _CLOSE.search(text)
        if not self._begun:
            opened = _OPEN.search(text)
            if opened is not None and not text[: opened.start()].strip():
                return opened
        return _CLOSE.search(text)

    def _add(self, pieces: list[tuple[str, bool]], text: str) -> None:
        if not text:
            return
        if not self._thinking and text.strip():
            self._begun = True
        pieces.append((text, self._thinking))

    def _partial(self, text: str) -> int:
        """Length of an ending that may be the beginning of a tag."""
        at = text.rfind("<", -_LONGEST)
        if at < 0:
            return 0
        ending = text[at:]
        tags = ("<think>", "<thinking>", "</think>", "</thinking>")
        return len(ending) if any(tag.startswith(ending) for tag in tags) else 0
