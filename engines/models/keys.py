"""Keys never reach a session, the screen, a message or a log.

This module remembers every key that the process sends. `hide` and `KeyRedactor` remove
these keys from all text from outside before it is stored or shown.
"""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from ...texts.patterns import lazy
from .environment import Environment

if TYPE_CHECKING:
    import re

HIDDEN = "[key hidden]"

SHORTEST = 8
"""Fewest characters of a key that is removed: a shorter one may be part of ordinary
words.
"""

_AT_ONCE = 1 << 16
"""Characters of a long text that are searched at once."""
_WIDEST = 64
"""Separators between two characters of a key, at most: characters further apart do not
belong together.
"""
_UNLIKE_WORDS = 16
"""Letters and digits of a key that no ordinary text has by chance, wherever it has its
spaces.
"""
_UNLIKE_WORDS_WITH_DIGITS = 10
"""The same of a key with a digit in it."""

_BLANK = (  # white space, control characters, and characters that are not seen
    r"\s\x00-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    r"\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff"
)
_NO_LETTER = r"\W_\u115f\u1160\u3164\uffa0"
"""Everything but letters and digits; the last four are fillers that nobody sees."""
_HEX = "[0-9A-Fa-f]"
_ESCAPE = (
    rf"%(?:25){{0,3}}(?P<percent>{_HEX}{{2}})"
    rf"|\\u(?P<unicode>{_HEX}{{4}})|\\x(?P<hex>{_HEX}{{2}})"
    rf"|&\#(?:0*(?P<decimal>\d{{1,3}})|[xX]0*(?P<entity>{_HEX}{{1,2}}));"
)
"""A single character that is written as an escape."""
_BEGUN = lazy(
    rf"(?:%(?:25?){{0,4}}{_HEX}?|\\(?:u{_HEX}{{0,3}}|x{_HEX}?)?"
    rf"|&(?:\#(?:\d{{0,6}}|[xX]{_HEX}{{0,6}})?)?)\Z"
)
"""The beginning of an escape, at the end of what has come so far."""
_ESCAPED = rf"\\|%{_HEX}{{2}}|%\Z|%{_HEX}\Z|&#|&\Z"
"""What a text must have to hold an escape or the beginning of one."""
_BYTE = rf"0[xX](?={_HEX}{{2}})"
"""What is before a byte in hexadecimal."""
_BYTE_BEGUN = rf"0[xX](?={_HEX}?\Z)|0\Z"
"""The beginning of that, at the end of what has come so far."""

_SHAPED = lazy(
    r"\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|fw|csk|pplx"
    r"|tgp)[-_][A-Za-z0-9*][A-Za-z0-9_*.-]{9,}|\bAIza[A-Za-z0-9_-]{20,}"
    r"|(?i:\bbearer)\s+(?=\S*\d)\S{8,}"
)
_RANDOM = lazy(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{10,}|\*{3}")
"""What tells a key from a name such as hf_hub_download: a long run of letters with
figures, or the stars of a key half hidden.
"""
_NAMED = lazy(r"(?:_API_KEY|_TOKEN|_SECRET|_ACCESS_KEY)$")
_SECRET_NAME = lazy(
    r"(?i)auth|key|token|secret|password|cookie|credential|\bpwd\b|\bsig"
)

_MOST = 1000
"""Most keys that are remembered: more than anybody has."""
_SCHEMES = frozenset({"bearer", "basic", "token", "key", "apikey", "api-key", "bot"})

_known: set[str] = set()


def sent(*keys: str | None) -> None:
    """Remembers keys that this process sends, until it ends.

    Ignores None and keys shorter than `SHORTEST`.
    """
    for key in keys:
        key = (key or "").strip()
        if len(key) < SHORTEST or key in _known or len(_known) >= _MOST:
            continue
        _known.add(key)
        for form in _written(key):
            if not _spread.add(form):
                _close.add(form)


def sent_from(env: Environment, names: Iterable[str | None] = ()) -> None:
    """Remembers the keys in the environment: the values of the variables with `names`,
    and of those whose name says so (`*_API_KEY` …).
    """
    sent(*(env.get(name) for name in names if name is not None))
    # Only the values that are wanted are read: os.environ decodes each one.
    sent(*(env[name] for name in env if _NAMED.search(name)))


def sent_with(headers: Mapping[str, str] | Iterable[tuple[str, str]], url: str) -> None:
    """Remembers the keys in a request: in headers whose name says so, in the address'
    query and before its `@`.
    """
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

    It finds a key as it is, backwards, in hexadecimal, and in base64 (also inside other
    data); each of these also with escapes for its
    characters (`%73`, `\\u0073`, `&#115;`), in other case, and with anything in between
    that is neither a letter nor a digit, or with
    `0x` before each byte. A key that could be words is found with white space in
    between alone. No other encoding is found.
    """
    if not _known or not text or _without(text):
        return text, False
    hiding = KeyRedactor()
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


class KeyRedactor:
    """Hides keys in a text that arrives in pieces.

    It holds back an ending that may be the beginning of a key.
    """

    def __init__(self) -> None:
        self.altered = False
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that is certain by now, without keys."""
        if not _known:
            return piece
        return self._take(self._held + piece, more=True)

    def finish(self) -> str:
        """The rest that was held back."""
        return self._take(self._held, more=False)

    def _take(self, text: str, *, more: bool) -> str:
        self._held = ""
        if not text or _without(text):
            return text
        spans, done = _places(text, more=more)
        # a whole key may be the first part of a longer one
        while spans and done < spans[-1][1]:
            done = min(done, spans.pop()[0])
        out, last = [], 0
        for start, stop in spans:
            out += [text[last:start], HIDDEN]
            last = stop
            self.altered = True
        self._held = text[done:]
        return "".join([*out, text[last:done]])


def _places(text: str, *, more: bool) -> tuple[list[tuple[int, int]], int]:
    """Ranges of keys, and the index up to which they are final.

    `more`: more text will follow.
    """
    begun = _BEGUN.search(text, max(0, len(text) - 16)) if more else None
    end = begun.start() if begun is not None else len(text)
    spans = []
    done = end
    for forms in (_spread, _close):
        for compact in forms.readings(text, end, more=more):
            spans += [
                (compact.place(start), compact.behind(stop))
                for start, stop in forms.found(compact.text)
            ]
            at = forms.open_from(compact.text)
            if at < len(compact.text) and more:
                done = min(done, compact.place(at))
            elif forms.mostly(compact.text[at:]):
                spans.append((compact.place(at), compact.behind(len(compact.text))))
    spans = [(start, _filled(text, stop)) for start, stop in _joined(spans)]
    if more and spans and spans[-1][1] == len(text):
        done = min(done, spans[-1][0])
    return spans, done


def _filled(text: str, stop: int) -> int:
    """Where a key ends with what fills base64 up."""
    most = min(stop + 2, len(text))
    while stop < most and text[stop] == "=":
        stop += 1
    return stop


def _without(text: str) -> bool:
    """True if a quick search shows that the text holds no key and no beginning of one
    at its end. False decides nothing.
    """
    return _spread.absent(text) and _close.absent(text)


class _Compact:
    """A text without its separators and with its escapes read, and where each character
    of that stands.
    """

    def __init__(self, text: str, pieces: re.Pattern[str], way: _Way) -> None:
        parts = []
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        size = gap = 0
        for piece in pieces.finditer(text):
            kind, value = piece.lastgroup, piece[piece.lastgroup or 0]
            if kind not in ("gap", "plain"):
                value = chr(int(value, 10 if kind == "decimal" else 16))
                kind = "gap" if way.gaps.match(value) else "plain"
            if kind == "gap":
                gap += len(piece[0])
                continue
            if gap > _WIDEST:
                parts.append("\0")
                self._starts.append(size)
                self._places.append((piece.start() - 1, piece.start()))
                size += 1
            gap = 0
            parts.append(value)
            self._starts.append(size)
            self._places.append(piece.span())
            size += len(value)
        self.text = way.folded("".join(parts))

    def place(self, at: int) -> int:
        """Index of a character in the original text."""
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
        if stop == next_:
            return end
        return begin + (stop - self._starts[number])


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges from the first to the last index, with overlapping ones merged."""
    found: list[tuple[int, int]] = []
    for start, stop in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found


class _Way:
    """A way to search for keys: the separators allowed, and whether case counts."""

    def __init__(self, between: str, *, fold: bool) -> None:
        self._fold = fold
        self.gaps = lazy(f"[{between}]+")
        special = [_ESCAPED, *((_BYTE, _BYTE_BEGUN) if fold else ())]
        self._special = lazy("|".join(special))
        self._escaped = self._pieces(between, _BYTE)
        self._begun = self._pieces(between, f"{_BYTE}|{_BYTE_BEGUN}")
        self._literal = lazy(rf"(?P<gap>[{between}]+)|(?P<plain>[^{between}]+)")
        self._forms: list[str] = []
        self._by_first: dict[str, list[str]] = {}
        self._longest = 0

    def _pieces(self, between: str, before_bytes: str) -> re.Pattern[str]:
        """A text in pieces: separators, characters that are written as an escape, and
        runs of plain ones.
        """
        before = f"{before_bytes}|" if self._fold else ""
        return lazy(
            rf"{_ESCAPE}|(?P<gap>{before}(?:(?![\\%&])[{between}])+|\\[nrt]"
            rf"|(?=[{between}])[\\%&])|(?P<plain>[^{between}\\%&0]+|[%&0])"
        )

    def add(self, written: str) -> bool:
        """Looks for a key as it is written here, too.

        False, and nothing done, if it could be words.
        """
        readings = self.readings(written, len(written), more=False)
        forms = [compact.text for compact in readings]
        if self._fold and not all(map(_unlike_words, forms)):
            return False
        for form in forms:
            if len(form) >= SHORTEST - 2 and form not in self._forms:
                self._forms.append(form)
                self._by_first.setdefault(form[0], []).append(form)
                self._longest = max(self._longest, len(form))
        return True

    def folded(self, text: str) -> str:
        """The text as it is compared: as long as it was."""
        if self._fold:
            return text.replace("\u0130", "i").lower()
        return text

    def readings(self, text: str, end: int, *, more: bool) -> Iterator[_Compact]:
        """The text up to `end` with its escapes read, and the whole text where nothing
        is taken for an escape.
        """
        pieces = self._begun if more else self._escaped
        yield _Compact(text[:end], pieces, self)
        yield _Compact(text, self._literal, self)

    def absent(self, text: str) -> bool:
        """As `_without`."""
        if not self._forms:
            return True
        if self._special.search(text):
            return False
        bare = self.folded(self.gaps.sub("", text))
        if any(form in bare for form in self._forms):
            return False
        return self.open_from(bare) == len(bare)

    def found(self, compact: str) -> list[tuple[int, int]]:
        """Where keys stand."""
        places = []
        for form in self._forms:
            at = compact.find(form)
            while at >= 0:
                places.append((at, at + len(form)))
                at = compact.find(form, at + 1)
        return places

    def open_from(self, compact: str) -> int:
        """Index from which more text could complete the ending to a key; the text's
        length if nothing could.
        """
        for at in range(max(0, len(compact) - self._longest), len(compact)):
            forms = self._by_first.get(compact[at])
            if forms is not None and any(
                form.startswith(compact[at:]) for form in forms
            ):
                return at
        return len(compact)

    def mostly(self, ending: str) -> bool:
        """Whether an ending is so much of a key that it must not be shown: three
        quarters.
        """
        return len(ending) >= SHORTEST and any(
            form.startswith(ending) and 4 * len(ending) >= 3 * len(form)
            for form in self._forms
        )


def _unlike_words(form: str) -> bool:
    """Whether no ordinary text has these letters and digits by chance."""
    if any(char.isdigit() for char in form):
        return len(form) >= _UNLIKE_WORDS_WITH_DIGITS
    return len(form) >= _UNLIKE_WORDS


def _ways() -> tuple[_Way, _Way]:
    """For keys that no ordinary text has by chance, and for those that could be
    words.
    """
    return _Way(_NO_LETTER, fold=True), _Way(rf"{_BLANK}\\", fold=False)


_spread, _close = _ways()


def _written(key: str) -> tuple[str, ...]:
    """How a key may be written."""
    raw = key.encode("utf-8", "surrogatepass")
    whole = base64.b64encode(raw).decode()
    found = [
        key,
        key[::-1],
        raw.hex(),
        raw.hex().upper(),
        whole,
        whole.rstrip("="),
    ]
    # amid other data; the characters at either end that hold bits of these too are left
    # out
    for shift in range(3):
        code = base64.b64encode(bytes(shift) + raw).decode()
        found.append(code[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6])
    found += [one.replace("+", "-").replace("/", "_") for one in found[4:]]
    return tuple(dict.fromkeys(found))


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


def without_keys(text: str, env: Environment, key: str | None = None) -> str:
    """What a server says of a fault, with everything hidden that is a key that was sent
    (`key` among them), that has a key's shape, or that is the value of a key variable
    (`*_API_KEY` and the like).
    """
    sent(key)
    sent_from(env)
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
