"""The words of a paragraph as spans: emphasis, code, links, formulae."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

from .formulae import certain
from .structure import Style, StyledSpan

LONGEST_FORMULA = 2_000

_SPECIAL = re.compile(r"[*_~`\\$<]|!?\[")
_RUN = re.compile(r"`+")
_LINK = re.compile(
    r"(!?\[)([^\[\]\n]{1,1000})(\]\()([^\s()<>]{0,2000}(?:\([^\s()]{0,"
    r'200}\)[^\s()<>]{0,200}){0,8})((?:[ \t]+"[^"\n]{0,200}")?)(\))'
)
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,2000})>")
_DOLLARS = re.compile(
    r"\$\$([^$]{1,2000})\$\$|\$(?![\s$])([^$\n]{0,400}[^\s$\\])\$(?![\d$])"
)
_WORDS = re.compile(r"[^\W\d_]{2}")
_SUBSCRIPT = re.compile(r"_\{\w*\}")
_NUMBERS = re.compile(r"[\d\s,，、;-]+")
"""References: `\\[1, 2\\]` is a citation whose brackets are escaped."""
_SIGN = re.compile(r"[\\^_=+<>/\d]")
_EMPHASIS: dict[str, dict[int, int]] = {
    "*": {1: Style.EMPHASIS, 2: Style.STRONG, 3: Style.STRONG | Style.EMPHASIS},
    "~": {2: Style.STRUCK},
}
_EMPHASIS["_"] = _EMPHASIS["*"]
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

Stacks = dict[tuple[str, int], list[tuple[int, int]]]
"""By sign and size: the piece that opens, and where the words behind it begin."""


def spans_of(text: str, links: bool = True) -> list[StyledSpan]:
    """Returns the spans of some lines; put together they are the text.

    `links`: false inside the words of a link.
    """
    return _Inline(text, links).spans()


class _Inline:
    """Reads from left to right; a sign of emphasis is looked at again when its partner
    is found.
    """

    def __init__(self, text: str, links: bool) -> None:
        self._text = text
        self._links = links
        self._pieces: list[StyledSpan] = []
        self._plain = 0
        """Start of the plain text that is not a piece yet."""
        self._stacks: Stacks = {}
        self._matched: list[tuple[int, int, int]] = []
        runs: dict[int, list[int]] = {}
        for run in _RUN.finditer(text):
            runs.setdefault(len(run[0]), []).append(run.start())
        self._runs = runs
        self._ends = {"\\)": 0, "\\]": 0}
        """Position of the next end of a formula, from where it was last searched for.
        """

    def spans(self) -> list[StyledSpan]:
        text, at = self._text, 0
        while (match := _SPECIAL.search(text, at)) is not None:
            at = self._special(match.start(), match[0])
        self._flush(len(text))
        return _merged(self._styled())

    def _special(self, at: int, sign: str) -> int:
        """Reads what begins with a sign; returns where to continue."""
        if sign in ("*", "_", "~"):
            return self._delimiter(at, sign)
        if sign == "`":
            return self._code(at)
        if sign == "$":
            return self._dollars(at)
        if sign == "\\":
            return self._backslash(at)
        if self._links:
            return self._link(at, sign)
        return at + len(sign)

    def _flush(self, upto: int) -> None:
        if upto > self._plain:
            self._pieces.append(StyledSpan(self._text[self._plain : upto]))
        self._plain = upto

    def _put(self, at: int, *spans: StyledSpan) -> int:
        self._flush(at)
        self._pieces += [span for span in spans if span.text]
        self._plain = at + sum(len(span.text) for span in spans)
        return self._plain

    def _code(self, at: int) -> int:
        run = _RUN.match(self._text, at)
        assert run is not None
        same = self._runs[len(run[0])]
        after = bisect_right(same, at)
        if after == len(same):
            return run.end()
        mark = StyledSpan(run[0], Style.MARK | Style.CODE)
        return self._put(
            at, mark, StyledSpan(self._text[run.end() : same[after]], Style.CODE), mark
        )

    def _backslash(self, at: int) -> int:
        following = self._text[at + 1 : at + 2]
        if following in ("(", "["):
            end = self._end_of_formula("\\)" if following == "(" else "\\]", at + 2)
            tex = self._text[at + 2 : end] if end <= at + LONGEST_FORMULA else ""
            if tex.strip() and (
                following == "(" or (_SIGN.search(tex) and not _NUMBERS.fullmatch(tex))
            ):
                return self._put(
                    at,
                    StyledSpan(self._text[at : end + 2], Style.FORMULA, certain(tex)),
                )
        if following in _ASCII_PUNCTUATION and following:
            return self._put(at, StyledSpan("\\", Style.MARK), StyledSpan(following))
        return at + 1

    def _end_of_formula(self, sign: str, after: int) -> int:
        if self._ends[sign] < after:
            found = self._text.find(sign, after)
            self._ends[sign] = (
                found if found >= 0 else len(self._text) + LONGEST_FORMULA
            )
        return self._ends[sign]

    def _dollars(self, at: int) -> int:
        match = _DOLLARS.match(self._text, at)
        if match is not None and not _ascii_word(self._text[at - 1 : at]):
            tex = match[1] if match[1] is not None else match[2]
            if "\\" in tex or _is_formula(tex):
                said = certain(tex)
                if said is not None or "\\" in tex:
                    return self._put(at, StyledSpan(match[0], Style.FORMULA, said))
        while self._text[at : at + 1] == "$":
            at += 1
        return at

    def _link(self, at: int, sign: str) -> int:
        if sign == "<":
            found = _AUTOLINK.match(self._text, at)
            if found is None:
                return at + 1
            return self._put(
                at,
                StyledSpan("<", Style.MARK),
                StyledSpan(found[1], Style.ADDRESS),
                StyledSpan(">", Style.MARK),
            )
        found = _LINK.match(self._text, at)
        if found is None:
            return at + len(sign)
        words = [
            StyledSpan(span.text, span.style | Style.LINK, span.formula)
            for span in spans_of(found[2], links=False)
        ]
        return self._put(
            at,
            StyledSpan(found[1], Style.MARK),
            *words,
            StyledSpan(found[3], Style.MARK),
            StyledSpan(found[4] + found[5], Style.ADDRESS),
            StyledSpan(found[6], Style.MARK),
        )

    def _delimiter(self, at: int, sign: str) -> int:
        text, end = self._text, at
        while end < len(text) and text[end] == sign:
            end += 1
        size = end - at
        if size not in _EMPHASIS[sign]:
            return end
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        word = str.isalnum if sign == "_" else _ascii_word
        closes = bool(before) and not before.isspace() and not word(after)
        opens = (
            bool(after)
            and not after.isspace()
            and not word(before)
            and before not in (")", "]", "}")
        )
        # a product in Chinese: 成绩*0.5
        if size == 1 and before.isalnum() and after.isalnum():
            opens, closes = (
                opens and not after.isdigit(),
                closes and not before.isdigit(),
            )
        if not (opens or closes):
            return end
        self._put(at, StyledSpan(text[at:end]))
        place = len(self._pieces) - 1
        if not (closes and self._close(sign, size, place, at)) and opens:
            self._stacks.setdefault((sign, size), []).append((place, end))
        return end

    def _close(self, sign: str, size: int, place: int, at: int) -> bool:
        """Finds the partner of a closing sign; what was opened in between stays
        text.
        """
        partners = [(sign, size)]
        if size == 3 and not self._stacks.get((sign, 3)):
            partners = [(sign, 1), (sign, 2)]
        if not all(self._stacks.get(partner) for partner in partners):
            return False
        # __init__ is a name
        if (
            sign == "_"
            and size == 2
            and self._text[self._stacks[partners[0]][-1][1] : at].isidentifier()
        ):
            return False
        for partner in partners:
            opened, _ = self._stacks[partner].pop()
            self._matched.append((opened, place, _EMPHASIS[sign][partner[1]]))
        outermost = min(opened for opened, _, _ in self._matched[-len(partners) :])
        for stack in self._stacks.values():
            while stack and stack[-1][0] > outermost:
                stack.pop()
        return True

    def _styled(self) -> list[StyledSpan]:
        """The pieces with their emphasis."""
        pieces = self._pieces
        if not self._matched:
            return pieces
        begin: dict[int, list[int]] = {}
        end: dict[int, list[int]] = {}
        for opened, closed, style in self._matched:
            begin.setdefault(opened, []).append(style)
            end.setdefault(closed, []).append(style)
        within: list[int] = []
        out = []
        for place, piece in enumerate(pieces):
            for style in end.get(place, ()):
                within.remove(style)
            added = Style.MARK if place in begin or place in end else Style.PLAIN
            for style in set(within):
                added |= style
            out.append(StyledSpan(piece.text, piece.style | added, piece.formula))
            within += begin.get(place, ())
        return out


def _merged(pieces: list[StyledSpan]) -> list[StyledSpan]:
    """Neighbours of one style as one span."""
    if not pieces:
        return []
    cuts = [
        0,
        *(
            at + 1
            for at, (one, other) in enumerate(pairwise(pieces))
            if not _alike(one, other)
        ),
        len(pieces),
    ]
    return [
        pieces[start]
        if end - start == 1
        else StyledSpan(
            "".join(piece.text for piece in pieces[start:end]), pieces[start].style
        )
        for start, end in pairwise(cuts)
    ]


def _alike(span: StyledSpan, other: StyledSpan) -> bool:
    return span.style == other.style and not span.style & Style.FORMULA


def _is_formula(tex: str) -> bool:
    """Whether what is between two dollars is a formula and no prices: `$5 for A and
    B$`, `$20*3=$`.
    """
    if _WORDS.search(_SUBSCRIPT.sub("", tex)) or tex[-1] in "=+-*/<>.,;:(":
        return False
    return any(char.isalpha() for char in tex) or "^" in tex


def _ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()
