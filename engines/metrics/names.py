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

from . import numerals

LONGEST = 120

_WORD = re.compile(
    rf"{numerals.NUMERAL}+|(?:(?!{numerals.NUMERAL})[^\W\d_])+|\d+(?:[.,]\d+)*|[^\w\s]"
)
_INITIALS = re.compile(r"(?<![A-Za-z.])(?:[A-Za-z]\.){1,9}[A-Za-z](?![A-Za-z])\.?")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_WAR = re.compile(r"\bWW\s?(II|I|1|2)\b")
_ACCENTS = re.compile("[\u0300-\u036f]")
_HAN_NUMBER = re.compile(f"{numerals.NUMERAL}+")
_SHORT = {
    "mt": "mount",
    "st": "saint",
    "wwi": "world war 1",
    "wwii": "world war 2",
    "ww1": "world war 1",
    "ww2": "world war 2",
    "usa": "united states",
    "uk": "united kingdom",
    "us": "united states",
    "un": "united nations",
    "eu": "european union",
    "&": "and",
}
_LONG = {
    ("united", "states", "of", "america"): ("united", "states"),
    ("world", "war", "one"): ("world", "war", "1"),
    ("first", "world", "war"): ("world", "war", "1"),
    ("second", "world", "war"): ("world", "war", "2"),
}
_ROMAN = {
    numeral: str(number)
    for number, numeral in enumerate(
        numerals.listed(
            """I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI
            XXII XXIII"""
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
        """president king queen prince princess emperor empress sir lord lady count countess
        duke dr doctor prof professor mr mrs ms miss general captain senator pope saint
        chancellor minister judge justice"""
    )
)
_LEADING = re.compile(r"(?:(?:on|in|at|by|to)\s+)?(?:the|an?)\s+|(?:on|in|at|by|to)\s+")
_KEPT_SIGNS = frozenset("#+%$€£¥°/*^=<>≤≥≠±√∞-−!≈~|\\?")


@lru_cache(maxsize=4096)
def folded(text: str) -> tuple[str, ...] | None:
    """The words of a plain text in one notation; None where a sign may change them."""
    if not 0 < len(text) <= LONGEST:
        return None
    text = _INITIALS.sub(lambda found: found[0].replace(".", ""), text.strip())
    text = _WAR.sub(r"World War \1", _HYPHEN.sub(" ", text))
    words: list[str] = []
    for place, word in enumerate(_WORD.findall(_unaccented(text))):
        low = word.casefold()
        if word in _KEPT_SIGNS:
            return None
        if place and word in _ROMAN:
            words.append(_ROMAN[word])
        elif low in _SHORT and (low not in ("us", "un", "eu") or word.isupper()):
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
    found = _LEADING.match(made.casefold())
    digits = any(sign.isdigit() for sign in made[:20])
    if found and found.end() < len(made) and not digits:
        return made[found.end() :]
    return re.sub(r"^[Tt]he\s+(?=\S)", "", made)


def _han(found: re.Match[str]) -> str:
    read = numerals.chinese(found[0])
    if read is None or read[1] is None:
        return found[0]
    return str(int(read[0]))


def _shortened(words: tuple[str, ...]) -> tuple[str, ...]:
    for long, short in _LONG.items():
        for place in range(len(words) - len(long) + 1):
            if words[place : place + len(long)] == long:
                words = words[:place] + short + words[place + len(long) :]
                break
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
    first, second = folded(one), folded(other)
    if not first or not second:
        return False
    if first == second:
        return True
    joined = "".join(first)
    if joined == "".join(second) and joined.isalpha():
        return True
    if first[0] in _TITLES and first[1:] == second:
        return second[0] not in _TITLES
    if second[0] in _TITLES and second[1:] == first:
        return first[0] not in _TITLES
    if _is_short_for(one, second) or _is_short_for(other, first):
        return True
    turned = _turned(one), _turned(other)
    if turned != (None, None):
        return same_name(turned[0] or one, turned[1] or other)
    return _same_initials(first, second)


def _is_short_for(name: str, words: tuple[str, ...]) -> bool:
    """`JFK` of `John F. Kennedy`: at least three capitals."""
    name = name.strip().replace(".", "")
    if not 3 <= len(name) <= 6 or not (name.isalpha() and name.isupper()):
        return False
    kept = [word for word in words if word not in ("of", "the", "and", "for")]
    return len(kept) == len(name) and all(
        word.startswith(sign) for word, sign in zip(kept, name.casefold(), strict=True)
    )


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
    """`John F. Kennedy` and `John Fitzgerald Kennedy`: of middle names one may be
    short.
    """
    if len(one) != len(other) or len(one) < 3:
        return False
    if one[0] != other[0] or one[-1] != other[-1]:
        return False
    return all(
        first == second or (min(len(first), len(second)) == 1 and first[0] == second[0])
        for first, second in zip(one, other, strict=True)
        if not (first.isdigit() or second.isdigit()) or first != second
    )


_TITLE_WORDS = frozenset(
    numerals.listed(
        """war peace crime punishment pride prejudice sense sensibility sons lovers fathers
        mice men beauty beast sound fury fire ice light shadow darkness death life love hate
        heaven hell god man nature truth lies sin virtue good evil power glory blood honor
        honour time being nothingness north south master margarita angels demons lock stock
        law order decline fall fear trembling cat mouse guns roses rise cloak dagger"""
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
