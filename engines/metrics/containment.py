"""Whether a free text gives an accepted answer, for every method that ends in one.

Citation marks (`[2]`) are removed first. `accepted_step` is the rule of `accuracy`; the
others are rules that papers and other programs use:

- `contains_paper`: the accuracy of CoV-RAG (Appendix D): lower case, punctuation
  dropped.
- `contains`: the same by whole words; accents, possessives and plural years are
  ignored.
- `webglm`: the raw substring that the evaluation code of WebGLM takes.
- `exact_match`, `f1`: SQuAD's normalisation (Rajpurkar et al., 2016); Chinese, Japanese
  and Korean by characters.

No answer repeats a long accepted answer word for word, so containment says nothing
about it: see `is_long`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .equivalence import Step, first_step
from .forms import form_of
from .quantities import plain as unformatted
from .quantities import whole
from .sentences import ends, is_its_own, sentences

_CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_CITATION = re.compile(
    r"(?<!\\sqrt)\s?\[\s?\d{1,4}(?:\s?[,\uff0c\u3001-]\s?\d{1,4}){0,99}\s?\]"
)
_TOKEN = re.compile(rf"[{_CJK}]|\d+(?:\.\d+)+|(?:(?![{_CJK}_])\w)+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W\d_])([^\W\d_])\.(?=[^\W\d_](?![^\W\d_]))")
_APOSTROPHES = re.compile("(?<=\\w)['\u2019](?=\\w)")
_POSSESSIVE = re.compile("(?<=[^\\W\\d_])['\u2019]s(?!\\w)")
_YEARS = re.compile(r"(?<![\w.,])(\d{2,3}0)['\u2019]?s(?!\w)")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"}
)
LONG = {"words": 10, "characters": 20}
"""An accepted answer with more than these is long."""
_HYPHENS = re.compile("(?<=[^\\W\\d_])[-\u2010\u2011](?=[^\\W\\d_])")
_ARTICLES = frozenset({"a", "an", "the"})


_SIGNS = re.compile(r"[=<>≤≥≠±√∞^\\{}\[\]|*+]|\d\s*[-/:]\s*\d")
_PLACE = re.compile(r"[A-Z][\w. '-]{0,40}, [A-Z][\w. '-]{0,40}")
"""`Tampa, Florida`"""
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_CHOICES = frozenset(
    {"yes", "no", "true", "false", "none", "neither", "both", "same"}
    | {"是", "否", "对", "错", "不是", "不", "有", "无", "没有"}
)
"""Answers that also stand in texts which do not give them."""


class Length(NamedTuple):
    """How long a text is: `unit` is `words`, or `characters` (white space not counted)
    for a text mostly in Chinese or the like.
    """

    size: int
    unit: str


def cjk(text: str) -> bool:
    """True for a text mostly in Chinese, Japanese or Korean: as many such characters as
    other words, and at least one.
    """
    characters = len(_CJK_CHARACTER.findall(text))
    return characters > 0 and characters >= len(_CJK_CHARACTER.sub(" ", text).split())


def plain(text: str) -> str:
    """The text without its marks of citations."""
    return _CITATION.sub("", text)


def accepted_step(
    answer: str, accepted: Sequence[str], wrong: Sequence[str] = ()
) -> Step | None:
    """The first step on which an answer is an accepted one; None where it is none.

    `exact` and `value` compare the answer as a whole (`equivalence.first_step`).
    `contains`: the answer is a sentence with an accepted answer in it, which it does
    not deny, and with none of the `wrong` ones. That is only tried with accepted
    answers that are names: a number in a sentence may be another number, and "no" is in
    "no way". The rule depends on the item alone, so equal answers are rated equally
    whichever method gave them.
    """
    brackets = any(
        "[" in unformatted(one) for one in accepted
    )  # [2, 4] is no mark of a citation
    bare = answer if brackets else plain(answer)
    if not any(sign.isalnum() for sign in bare) and "," in answer:
        bare = answer  # [2, 3] alone is a list
    if not bare.strip():
        return None
    if _said_by_choice(answer) is None:
        accepted = [*accepted, *filter(None, map(_said_by_choice, accepted))]
    step = first_step(bare, accepted)
    if step is not None or is_long(accepted):
        return step
    if (
        whole(unformatted(bare)) is not None
    ):  # -1200 is another number, not the year 1200
        return None
    names = [text for text in accepted if _is_name(text)]
    values = [text for text in accepted if text not in names]
    if values and any(first_step(end, values) for end in ends(unformatted(bare))):
        return "contains"
    if not names or not named(bare, names):
        return None
    if contains(bare, [text for text in wrong if _is_name(text)]):
        return None
    return "contains"


def _said_by_choice(text: str) -> str | None:
    """`increases` of `(A) increases`."""
    form = form_of(unformatted(text))
    if form and form.kind == "choice":
        return str(form.value[1])
    return None


def _is_name(text: str) -> bool:
    """True for an accepted answer that a sentence can be searched for.

    A year is one. What has another form is none: signs say much there (`(2,4)` and
    `(2,-4)`), and a search sets them aside.
    """
    bare = unformatted(text).strip(" .。")
    if _YEAR.fullmatch(bare):
        return True
    if len(bare) < 2 or bare.casefold() in _CHOICES or whole(bare) is not None:
        return False
    form = form_of(bare)
    if form is None or form.kind == "list":
        place = form is not None and _PLACE.fullmatch(bare) is not None
        return (form is None or place) and _SIGNS.search(bare) is None
    return form.kind == "date" or (form.kind == "substance" and bare.istitle())


def contains(answer: str, accepted: Sequence[str]) -> bool:
    """True if the answer contains an accepted answer.

    By whole words ("5" is neither in "1950" nor in "3.5"), case-folded, punctuation and
    accents dropped; Chinese, Japanese and Korean without boundaries. A hyphen may be a
    space or nothing, `Beorn's` contains `Beorn`, and `1990s` contains `1990` (but not
    the other way round).
    """
    given = plain(answer)
    texts = (given, _POSSESSIVE.sub("", given))
    ways = dict.fromkeys(
        way for text in texts for way in (text, _YEARS.sub(r"\1", text))
    )
    wanted = dict.fromkeys(
        way for text in accepted for way in (text, _POSSESSIVE.sub("", text))
    )
    return any(_holds(way, list(wanted)) for way in ways)


def named(answer: str, accepted: Sequence[str]) -> bool:
    """Whether a sentence of the answer names an accepted one, and as its own answer.

    By whole words, as `contains` has it; `World War Two` is `World War II`, too.
    """
    for sentence in sentences(plain(answer)):
        if _is_longer_name(sentence, accepted):
            continue
        owned = _POSSESSIVE.sub(" ʼs", sentence)
        for way in dict.fromkeys((sentence, owned)):
            for joint in (" ", "") if _HYPHENS.search(way) else (" ",):
                if _names_one(way, accepted, joint, inflected=way == owned):
                    return True
    return False


def _is_longer_name(sentence: str, accepted: Sequence[str]) -> bool:
    """`Paris Hilton`, which begins with `Paris`."""
    words = sentence.rstrip(".").split()
    return 1 < len(words) < 5 and any(
        words[: len(each.split())] == each.split()
        and all(word.isalpha() and word[0].isupper() for word in words)
        for each in accepted
        if len(each.split()) < len(words) and each.isascii()
    )


def _names_one(
    sentence: str, accepted: Sequence[str], joint: str, inflected: bool
) -> bool:
    text = _of_one_notation(sentence, joint)
    found = list(_TOKEN.finditer(text))
    words = [_numbered(one[0]) for one in found]
    gaps = [
        text[before:after]
        for before, after in zip(
            [0, *(one.end() for one in found)],
            [*(one.start() for one in found), len(text)],
            strict=True,
        )
    ]
    for each in accepted:
        for name in dict.fromkeys((each, _POSSESSIVE.sub(" ʼs", each))):
            wanted = [
                _numbered(one) for one in _TOKEN.findall(_of_one_notation(name, joint))
            ]
            if len(wanted) > 1 and wanted[0] == "the":
                wanted = wanted[1:]
            more = inflected and len("".join(wanted)) > 3
            for start in _places(wanted, words, more):
                end = start + len(wanted)
                around = text[: found[start].start()], text[found[end - 1].end() :]
                if is_its_own(words, gaps, start, end, around):
                    return True
    return False


_SHORT = re.compile(r"\b(?:mt|st|ww)(?=\.?\s|i{1,2}\b)")
_LONG_FORMS = {"mt": "mount", "st": "saint", "ww": "world war "}
_NUMBERED = {
    **{numeral: str(n) for n, numeral in enumerate(("ii", "iii", "iv"), 2)},
    **{numeral: str(n) for n, numeral in enumerate(("vi", "vii", "viii", "ix"), 6)},
    **{numeral: str(n) for n, numeral in enumerate(("xi", "xii", "xiii", "xiv"), 11)},
    **{
        word: str(n)
        for n, word in enumerate(("one", "two", "three", "four", "five"), 1)
    },
}


def _of_one_notation(text: str, joint: str) -> str:
    folded = _HYPHENS.sub(joint, _bare(text))
    return _SHORT.sub(lambda found: _LONG_FORMS[found[0]], folded)


def _numbered(word: str) -> str:
    return _NUMBERED.get(word, word)


def _places(part: list[str], text: list[str], inflected: bool = False) -> Iterator[int]:
    """Where the tokens stand in the text, next to each other. `inflected`: the last one
    may have an s more."""
    width = len(part)
    for place in range(len(text) - width + 1) if part else ():
        if text[place : place + width] == part or (
            inflected and text[place : place + width] == [*part[:-1], f"{part[-1]}s"]
        ):
            yield place


def _holds(text: str, wanted: Sequence[str]) -> bool:
    hyphens = _HYPHENS.search("\n".join((text, *wanted)))
    for joint in (" ", "") if hyphens else (" ",):
        tokens = _tokens(text, joint)
        if any(True for each in wanted for _ in _places(_tokens(each, joint), tokens)):
            return True
    return False


def contains_paper(answer: str, accepted: Sequence[str]) -> bool:
    """True if an accepted answer is a substring of the answer, both in lower case and
    without punctuation: the rule of the paper as it is written, by which "5" is in
    "1950".
    """
    given = _unpunctuated(plain(answer))
    return any(wanted in given for one in accepted if (wanted := _unpunctuated(one)))


def is_long(accepted: Sequence[str]) -> bool:
    """True if every accepted answer has more than ten words (twenty characters of
    Chinese and the like).
    """
    return bool(accepted) and all(
        measured.size > LONG[measured.unit] for measured in map(length, accepted)
    )


def webglm(answer: str, accepted: Sequence[str]) -> bool:
    """True if an accepted answer is a substring of the answer, letter by letter."""
    return any(one != "" and one in plain(answer) for one in accepted)


def exact_match(answer: str, accepted: Sequence[str]) -> bool:
    """True if the answer is an accepted one, but for case, punctuation, articles and
    white space.
    """
    given = _squad(plain(answer))
    return any(given == _squad(one) for one in accepted)


def f1(answer: str, accepted: Sequence[str]) -> float:
    """The harmonic mean of precision and recall in words (characters for Chinese and
    the like), for the accepted answer that fits best.
    """
    given = _squad(plain(answer))
    return max((_f1(given, _squad(one)) for one in accepted), default=0.0)


def length(text: str) -> Length:
    """Words, or characters where those are what one counts."""
    bare = plain(text)
    if cjk(bare):
        return Length(sum(not character.isspace() for character in bare), "characters")
    return Length(len(bare.split()), "words")


def _folded(text: str) -> str:
    """Composed, full-width forms made narrow, case-folded.

    Not NFKC: that would make 61/2 of 6½.
    """
    composed = unicodedata.normalize("NFC", text)
    narrow = "".join(
        unicodedata.normalize("NFKC", one) if "\uff00" <= one <= "\uffef" else one
        for one in composed
    )
    return narrow.casefold()


def _unaccented(text: str) -> str:
    """A folded text without accents on Latin, Greek and Cyrillic letters."""
    return unicodedata.normalize(
        "NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    ).translate(_LETTERS)


def _unpunctuated(text: str) -> str:
    kept = (
        one
        for one in text.lower()
        if one not in string.punctuation
        and not unicodedata.category(one).startswith("P")
    )
    return " ".join("".join(kept).split())


def _bare(text: str) -> str:
    return _APOSTROPHES.sub(
        "", _INITIALS.sub(r"\1", _THOUSANDS.sub("", _unaccented(_folded(text))))
    )


def _tokens(text: str, joint: str) -> list[str]:
    return _TOKEN.findall(_HYPHENS.sub(joint, _bare(text)))


def _squad(text: str) -> list[str]:
    kept = "".join(
        one
        for one in _folded(text)
        if one not in string.punctuation
        and not unicodedata.category(one).startswith("P")
    )
    return [
        word
        for word in _CJK_CHARACTER.sub(r" \g<0> ", kept).split()
        if word not in _ARTICLES
    ]


def _f1(given: list[str], wanted: list[str]) -> float:
    if not given or not wanted:
        return float(given == wanted)
    common = sum((Counter(given) & Counter(wanted)).values())
    return 2 * common / (len(given) + len(wanted))
