"""Names in one notation: `World War II` and `World War 2`, `Mt.

Everest` and `Mount Everest`, `Kennedy, John F.` and `John Fitzgerald Kennedy`.

Accents, a leading article and the plural of the last word say nothing. A title counts
only where both names have one: `Queen Elizabeth II` is `Elizabeth II`, but no king is a
prince.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ...texts.patterns import lazy
from ..reading import numerals
from .aliases import aliases

LONGEST = 120

_WORD = lazy(
    rf"{numerals.NUMERAL}+|(?:(?!{numerals.NUMERAL})[^\W\d_])+|\d+(?:[.,]\d+)*|[^\w\s]"
)
_INITIALS = lazy(r"(?<![A-Za-z.])(?:[A-Za-z]\.){1,9}[A-Za-z](?![A-Za-z])\.?")
_SPACED = lazy(r"(?<=\b[A-Z]\.)(?=(?:[A-Z]\.)*\s?[A-Z][a-z]+$)")
"""`J.F. Kennedy` has a first and a middle name."""
_HYPHEN = lazy(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_HONOUR = lazy(
    r"(?:(?:his|her)\s+(?:royal\s+)?(?:majesty|highness|holiness)|the\s+late)\s+",
    re.IGNORECASE,
)
_NUMBERED = lazy(r" the (\d{1,2})(?:st|nd|rd|th)$")
"""`Henry the 8th`"""
_WAR = lazy(r"\bWW\s?(II|I|1|2)\b")
_ACCENTS = lazy("[\u0300-\u036f]")
_HAN_NUMBER = lazy(f"{numerals.NUMERAL}+")
_SHORT = {
    "junior": "jr",
    "mt": "mount",
    "st": "saint",
    "&": "and",
}
_ROMAN = {
    numeral: str(number)
    for number, numeral in enumerate(
        numerals.listed(
            """
            I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI
            XXII XXIII
            """
        ),
        1,
    )
}
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        numerals.listed(
            """zero one two three four five six seven eight nine ten eleven twelve"""
        )
    )
}
_TITLES = frozenset(
    numerals.listed(
        """
        president king queen prince princess emperor empress sir lord lady count
        countess duke dr doctor prof professor mr mrs ms miss general captain senator
        pope saint chancellor minister judge justice
        """
    )
)
_LEADING = lazy(r"(?:(?:on|in|at|by|to)\s+)?(?:the|an?)\s+|(?:on|in|at|by|to)\s+")
_KEPT_SIGNS = frozenset("#+%$€£¥°/*^=<>≤≥≠±√∞-−!≈~|\\?")


_BRITISH = lazy(r"(?<=[a-z]{2}l)our|(?<=[a-z]{3})is(?=e[ds]?$|ing$|ation$)")


def _american(found: re.Match[str]) -> str:
    return "or" if found[0] == "our" else "iz"


@lru_cache(maxsize=4096)
def folded(text: str) -> tuple[str, ...] | None:
    """The words of a plain text in one notation; None where a sign may change them."""
    if not 0 < len(text) <= LONGEST:
        return None
    text = _SPACED.sub(" ", text.strip())
    text = _INITIALS.sub(lambda found: found[0].replace(".", ""), text)
    text = _NUMBERED.sub(r" \1", text)
    text = _HONOUR.sub("", _WAR.sub(r"World War \1", _HYPHEN.sub(" ", text)))
    words: list[str] = []
    for place, word in enumerate(_WORD.findall(_unaccented(text))):
        low = _BRITISH.sub(_american, word.casefold())
        if word in _KEPT_SIGNS:
            return None
        if place and word in _ROMAN:
            words.append(_ROMAN[word])
        elif low in _SHORT:
            words += _SHORT[low].split()
        elif place and low in _NUMBERS:
            words.append(_NUMBERS[low])
        elif any(sign.isalnum() for sign in word):
            words.append(_HAN_NUMBER.sub(_han, low))
    return _shortened(tuple(words))


def _unaccented(text: str) -> str:
    """Without accents on Latin letters, and without what leads in."""
    decomposed = unicodedata.normalize("NFD", text)
    made = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    match = _LEADING.match(made.casefold())
    digits = any(sign.isdigit() for sign in made[:20])
    if match and match.end() < len(made) and not digits:
        return made[match.end() :]
    return re.sub(r"^[Tt]he\s+(?=\S)", "", made)


def _han(found: re.Match[str]) -> str:
    read = numerals.chinese(found[0])
    if read is None or read[1] is None:
        return found[0]
    return str(int(read[0]))


def _shortened(words: tuple[str, ...]) -> tuple[str, ...]:
    if len(words) > 2 and words[-2] == "the" and words[-1] in numerals.ORDINALS:
        words = (*words[:-2], str(numerals.ORDINALS[words[-1]]))  # Henry the Eighth
    if not words:
        return words
    last = words[-1]
    if len(last) > 4 and last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    if len(last) > 2 and last.endswith("市"):
        last = last[:-1]
    return (*words[:-1], last)


def same_name(one: str, other: str) -> bool:
    """Whether two plain texts are the same name."""
    if (names := aliases(one)) and names == aliases(other):
        return True
    first, second = folded(one), folded(other)
    if not first or not second:
        return False
    if first == second:
        return True
    joined = "".join(first)
    if joined == "".join(second) and joined.isalpha():
        return True
    titles = [name[0] in _TITLES for name in (first, second)]
    if titles[0] != titles[1]:
        first, second = (_untitled(name) for name in (first, second))
        if first == second:
            return True
        if (names := aliases(" ".join(first))) and names == aliases(" ".join(second)):
            return True
    turned = _turned(one), _turned(other)
    if turned != (None, None):
        return same_name(turned[0] or one, turned[1] or other)
    if not _PLACES.isdisjoint(first) and {one.rstrip("s") for one in first} == {
        one.rstrip("s") for one in second
    }:
        return True  # River Thames
    return _same_initials(first, second) or _surname(one, other) or _surname(other, one)


_PLACES = frozenset(numerals.listed("river lake mount mountain sea"))
_OTHER_PLACE = frozenset(
    numerals.listed("new north south east west northern southern great united papua")
)


def _surname(short: str, name: str) -> bool:
    """`Hugo` of `Victor Hugo`, but not `Korea` of `South Korea`."""
    first, *rest = name.replace("·", " ").split()
    short = short.strip(" .").removeprefix("the ")
    if not rest or len(rest) > 3 or len(short) < 4 or not short.isalpha():
        return False
    if rest[-1].casefold() in _PLACES:
        return short == first  # the Adriatic
    return (
        rest[-1] == short
        and not any(word[0].islower() for word in (first, *rest))
        and first.casefold() not in _OTHER_PLACE
        and not aliases(short)
    )


def _untitled(name: tuple[str, ...]) -> tuple[str, ...]:
    return name[1:] if len(name) > 1 and name[0] in _TITLES else name


def _turned(name: str) -> str | None:
    """`William Shakespeare` of `Shakespeare, William`."""
    last, comma, first = name.partition(",")
    words = [*last.split(), *first.split()]
    if not comma or not 2 <= len(words) <= 5 or not first.strip() or "," in first:
        return None
    if not all(word[:1].isupper() and word[:1].isalpha() for word in words):
        return None
    return f"{first.strip()} {last.strip()}"


def _same_initials(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """`J. F. Kennedy` and `John Fitzgerald Kennedy`: of other names than the last, one
    may be short.
    """
    if len(one) != len(other) or len(one) < 2 or one[-1] != other[-1]:
        return False
    return all(
        first == second or (min(len(first), len(second)) == 1 and first[0] == second[0])
        for first, second in zip(one[:-1], other[:-1], strict=True)
        if not (first.isdigit() or second.isdigit()) or first != second
    )


_TITLE_WORDS = frozenset(
    numerals.listed(
        """
        war peace crime punishment pride prejudice sense sensibility sons lovers fathers
        mice men beauty beast sound fury fire ice light shadow darkness death life love
        hate heaven hell god man nature truth lies sin virtue good evil power glory
        blood honor honour time being nothingness north south master margarita angels
        demons lock stock law order decline fall fear trembling cat mouse guns roses
        rise cloak dagger
        """
    )
)
_PAIRS = frozenset(
    frozenset(pair.split("/"))
    for pair in numerals.listed(
        """romeo/juliet antony/cleopatra troilus/cressida tom/jerry hansel/gretel
        bonnie/clyde simon/garfunkel johnson/johnson procter/gamble marks/spencer
        ernst/young barnes/noble dungeons/dragons trinidad/tobago bosnia/herzegovina
        antigua/barbuda tristan/isolde thelma/louise dolce/gabbana black/decker
        smith/wesson starsky/hutch batman/robin lilo/stitch orpheus/eurydice
        hamilton/jacobi sturm/drang rosencrantz/guildenstern daphnis/chloe"""
    )
)


def keeps_its_order(items: list[str]) -> bool:
    """Whether `A and B` is a title or the name of a firm or a country, which its parts
    make only in this order: `War and Peace`. Alice and Bob may change places.
    """
    if len(items) != 2 or not all(item[:1].isupper() for item in items):
        return any(item.casefold().startswith("the ") for item in items) and all(
            any(word[:1].isupper() for word in item.split()) for item in items
        )
    first, second = (item.casefold().removeprefix("the ") for item in items)
    if frozenset((first, second)) in _PAIRS or items[1].startswith(("The ", "the ")):
        return True
    return first in _TITLE_WORDS or second in _TITLE_WORDS
