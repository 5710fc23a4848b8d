"""Keys never reach a session, the screen, a message or a log.

This module remembers every key that the process sends. `hide` and `Hiding` remove these keys from all text from outside before it is
stored or shown.
"""

from __future__ import annotations

import base64
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

HIDDEN = "[key hidden]"

SHORTEST = 8
"""Fewest characters of a key that is removed: a shorter one may be part of ordinary words."""

_AT_ONCE = 1 << 16
"""Characters of a long text that are searched at once."""
_WIDEST = 64
"""Spaces and the like between two characters of a key, at most: characters further apart do not belong together."""

_GAP = (  # white space, control characters, and characters that are not seen
    r"\s\x00-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
_TAGS = "\U000e0000-\U000e0fff"
_HEX = "[0-9A-Fa-f]"
_PIECES = re.compile(
    rf"(?P<gap>(?:[{_GAP}{_TAGS}]|\\[nrt]|\\(?!u{_HEX}{{4}}|x{_HEX}{{2}}))+)"
    rf"|%(?:25){{0,3}}(?P<percent>{_HEX}{{2}})|\\u(?P<unicode>{_HEX}{{4}})|\\x(?P<hex>{_HEX}{{2}})"
    rf"|&\#(?:0*(?P<decimal>\d{{1,3}})|[xX]0*(?P<entity>{_HEX}{{1,2}}));"
    rf"|(?P<plain>[^{_GAP}{_TAGS}\\%&]+|[%&])"
)
"""A text in pieces: gaps, single characters that are written as an escape, and runs of plain ones."""
_AS_IT_IS = re.compile(rf"(?P<gap>[{_GAP}{_TAGS}\\]+)|(?P<plain>[^{_GAP}{_TAGS}\\]+)")
"""The same where nothing is taken for an escape."""
_BEGUN = re.compile(
    rf"(?:%(?:25?){{0,4}}{_HEX}?|\\(?:u{_HEX}{{0,3}}|x{_HEX}?)?|&(?:\#(?:\d{{0,6}}|[xX]{_HEX}{{0,6}})?)?)\Z"
)
"""The beginning of an escape, at the end of what has come so far."""
_SPECIAL = re.compile(rf"[{_GAP}{_TAGS}\\\\]|%{_HEX}{{2}}|%\Z|%{_HEX}\Z|&#|&\Z")
"""What a text must have, when its spaces are taken out, to hold a gap or an escape."""
_IS_GAP = re.compile(f"[{_GAP}{_TAGS}\\\\]")

_SHAPED = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|fw|csk|pplx|tgp)[-_][A-Za-z0-9*][A-Za-z0-9_*.-]{9,}|\bAIza[A-Za-z0-9_-]{20,}"
    r"|(?i:\bbearer)\s+(?=\S*\d)\S{8,}"
)
_RANDOM = re.compile(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{10,}|\*{3}")
"""What tells a key from a name such as hf_hub_download: a long run of letters with figures, or the stars of a key half hidden."""
_NAMED = re.compile(r"(?:_API_KEY|_TOKEN|_SECRET|_ACCESS_KEY)$")
_SECRET_NAME = re.compile(
    r"(?i)auth|key|token|secret|password|cookie|credential|\bpwd\b|\bsig"
)

_MOST = 1000
"""Most keys that are remembered: more than anybody has."""
_SCHEMES = frozenset({"bearer", "basic", "token", "key", "apikey", "api-key", "bot"})

_known: set[str] = set()
_forms: list[str] = []
"""The ways in which the sent keys may be written."""
_by_first: dict[str, list[str]] = {}
"""The same by their first character."""
_longest = 0


def sent(*keys: str | None) -> None:
    """Remembers keys that this process sends, until it ends. Ignores None and keys shorter than `SHORTEST`."""
    global _longest
    for key in keys:
        key = (key or "").strip()
        if len(key) < SHORTEST or key in _known or len(_known) >= _MOST:
            continue
        _known.add(key)
        for form in _written(key):
            if form not in _forms:
                _forms.append(form)
                _by_first.setdefault(form[0], []).append(form)
                _longest = max(_longest, len(form))


def sent_with(
    headers: Mapping[str, str] | Iterable[tuple[str, str]], url: str = ""
) -> None:
    """Remembers the keys in a request: in headers whose name says so, in the address' query and before its `@`."""
    for name, value in headers.items() if isinstance(headers, Mapping) else headers:
        if _SECRET_NAME.search(name) and "idempotency" not in name.lower():
            scheme, _, rest = value.strip().partition(" ")
            if not rest or scheme.lower() in _SCHEMES:  # others sign each request anew
                sent(rest or scheme)
            if scheme.lower() == "basic":
                sent(*_basic(rest))
    try:
        parts = urlsplit(url)
        sent(
            unquote(parts.password or ""),
            *(
                value
                for name, value in parse_qsl(parts.query)
                if _SECRET_NAME.search(name)
            ),
        )
    except ValueError:
        pass


def hide(text: str) -> tuple[str, bool]:
    """The text with `HIDDEN` in place of every sent key, and whether there was any.

    It finds a key as it is, backwards, in hexadecimal, and in base64 (also inside other data); each of these also with escapes for its
    characters (`%73`, `\\u0073`, `&#115;`) and with spaces, line breaks or invisible characters in between. No other encoding is found.
    """
    if not _forms or not text or _plain(text):
        return text, False
    hiding = Hiding()
    whole = "".join(
        [
            *(
                hiding.feed(text[at : at + _AT_ONCE])
                for at in range(0, len(text), _AT_ONCE)
            ),
            hiding.finish(),
        ]
    )
    return whole, hiding.altered


class Hiding:
    """Hides keys in a text that arrives in pieces. It holds back an ending that may be the beginning of a key."""

    def __init__(self) -> None:
        self.altered = False
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that is certain by now, without keys."""
        if not _forms:
            return piece
        return self._take(self._held + piece, more=True)

    def finish(self) -> str:
        """The rest that was held back."""
        return self._take(self._held, more=False)

    def _take(self, text: str, *, more: bool) -> str:
        self._held = ""
        if not text or _plain(text):
            return text
        begun = _BEGUN.search(text, max(0, len(text) - 16)) if more else None
        end = begun.start() if begun is not None else len(text)
        spans: list[tuple[int, int]] = []
        done = end
        for pieces, part in ((_PIECES, text[:end]), (_AS_IT_IS, text)):
            compact = _Compact(part, pieces)
            spans += [
                (compact.place(start), compact.behind(stop))
                for start, stop in _found(compact.text)
            ]
            at = _open_from(compact.text)
            if at < len(compact.text) and more:
                done = min(done, compact.place(at))
            elif _mostly(compact.text[at:]):
                spans.append((compact.place(at), len(part)))
        spans = _joined(spans)
        while (
            spans and done < spans[-1][1]
        ):  # a whole key may be the first part of a longer one
            done = min(done, spans.pop()[0])
        out, last = [], 0
        for start, stop in spans:
            out += [text[last:start], HIDDEN]
            last = stop
            self.altered = True
        self._held = text[done:]
        return "".join([*out, text[last:done]])


def _plain(text: str) -> bool:
    """True if a quick search shows that the text holds no key and no beginning of one at its end. False decides nothing."""
    joined = "".join(text.split())
    if _SPECIAL.search(joined) or any(form in joined for form in _forms):
        return False
    return _open_from(joined) == len(joined)


class _Compact:
    """A text without its gaps and with its escapes read, and where each character of that stands."""

    def __init__(self, text: str, pieces: re.Pattern[str]) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        size = 0
        for piece in pieces.finditer(text):
            kind, value = piece.lastgroup, piece[piece.lastgroup or 0]
            if kind == "gap":
                if len(value) <= _WIDEST:
                    continue
                value = "\0"
            elif kind != "plain":
                value = chr(int(value, 10 if kind == "decimal" else 16))
                if _IS_GAP.match(value):
                    continue
            parts.append(value)
            self._starts.append(size)
            self._places.append(piece.span())
            size += len(value)
        self.text = "".join(parts)

    def place(self, at: int) -> int:
        """Where a character begins in the text as it was."""
        number = bisect_right(self._starts, at) - 1
        return self._places[number][0] + (at - self._starts[number])

    def behind(self, stop: int) -> int:
        """Where the last character before `stop` ends in the text as it was."""
        number = bisect_right(self._starts, stop - 1) - 1
        begin, end = self._places[number]
        next_ = (
            self._starts[number + 1]
            if number + 1 < len(self._starts)
            else len(self.text)
        )
        return end if stop == next_ else begin + (stop - self._starts[number])


def _found(text: str) -> list[tuple[int, int]]:
    """Where keys stand."""
    places: list[tuple[int, int]] = []
    for form in _forms:
        at = text.find(form)
        while at >= 0:
            places.append((at, at + len(form)))
            at = text.find(form, at + 1)
    return places


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """From the first to the last; those that overlap become one."""
    found: list[tuple[int, int]] = []
    for start, stop in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found


def _open_from(text: str) -> int:
    """Where the ending begins that more text could complete to a key; the text's length if there is none."""
    for at in range(max(0, len(text) - _longest), len(text)):
        forms = _by_first.get(text[at])
        if forms is not None and any(form.startswith(text[at:]) for form in forms):
            return at
    return len(text)


def _mostly(ending: str) -> bool:
    """Whether an ending is so much of a key that it must not be shown: three quarters."""
    return len(ending) >= SHORTEST and any(
        form.startswith(ending) and 4 * len(ending) >= 3 * len(form) for form in _forms
    )


def _written(key: str) -> tuple[str, ...]:
    """How a key may be written, as `_Compact` gives it."""
    raw = key.encode("utf-8", "surrogatepass")
    whole = base64.b64encode(raw).decode()
    found = [key, key[::-1], raw.hex(), raw.hex().upper(), whole, whole.rstrip("=")]
    for shift in range(
        3
    ):  # amid other data; the characters at either end that hold bits of these too are left out
        code = base64.b64encode(bytes(shift) + raw).decode()
        found.append(code[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6])
    found += [one.replace("+", "-").replace("/", "_") for one in found[4:]]
    forms = (
        _Compact(one, pieces).text for one in found for pieces in (_PIECES, _AS_IT_IS)
    )
    return tuple(dict.fromkeys(form for form in forms if len(form) >= SHORTEST - 2))


def _basic(code: str) -> list[str]:
    try:
        return (
            base64.b64decode(code + "=" * (-len(code) % 4))
            .decode("utf-8", "replace")
            .split(":", 1)[1:]
        )
    except ValueError:
        return []


def looks_like_key(text: str) -> bool:
    """True if a string has the shape of a provider's key."""
    return any(map(_key_shaped, _SHAPED.finditer(text)))


def without_keys(text: str, env: Mapping[str, str], key: str | None = None) -> str:
    """What a server says of a fault, with everything hidden that is a key that was sent (`key` among them), that has a key's shape, or that
    is the value of a key variable (`*_API_KEY` and the like).
    """
    sent(key)
    text = hide(text)[0]
    for value in (
        key or "",
        *(value for name, value in env.items() if _NAMED.search(name)),
    ):
        if len(value) >= 6:
            text = text.replace(value, HIDDEN)
    return _SHAPED.sub(lambda found: HIDDEN if _key_shaped(found) else found[0], text)


def _key_shaped(found: re.Match[str]) -> bool:
    return found[0][:6].lower() == "bearer" or _RANDOM.search(found[0]) is not None
