"""Formulas in one notation: `E = mc^2` and `E=m c²`, `2x + 3` and `3 + 2*x`.

Spacing, the sign of a product, the order of sums and products and the side of an
equation say nothing. Products of a few sums are multiplied out; nothing is solved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ...texts.patterns import lazy

LONGEST = 120
DEEPEST = 12
LARGEST_POWER = 20
MOST_PARTS = 24
MOST_FACTORIAL = 20

_NAMES = "sqrt|sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|log|lg|ln|exp"
_TOKEN = lazy(
    rf"\s*(?:(?P<number>\d{{1,15}}(?:\.\d{{1,15}})?)"
    rf"|(?P<name>(?:{_NAMES})(?:_?\d{{1,2}})?(?![a-z])|pi(?![a-z]))"
    r"|(?P<letter>[A-Za-zα-ωΑ-Ω](?:_(?:\d{1,3}|[a-z]))?)"
    r"|(?P<power>\*\*|\^)|(?P<relation><=|>=|=|<|>|≤|≥|≠)|(?P<sign>[-+*×·/()√!|]))"
)
_FUNCTION = lazy(_NAMES)
_ROOT_OF = lazy(r"根号|(?:the\s+)?square root of\s", re.IGNORECASE)
_NAMED = lazy(r"^([a-zA-Z])\([a-z]\)\s*=")
_FACTORIAL = lazy(r"\d{1,2}!(?:\s*=\s*\d{1,20})?")
_WORDS = lazy(
    r"[A-Za-z]{4,}|[A-Za-z]{2,}!"
    r"|\b(?:or|so|and|is|are|not|no|to|of|in|the|if|per|mod|ago|but|at|on|by|am|pm"
    r"|yes|all"
    r"|any|bc|ad|bce|ce|than|for|it|we|he|as)\b",
    re.IGNORECASE,
)
_RUN = lazy(r"[A-Za-z]{2}")
_SIGN = lazy(r"[=+*×·/^√<>≤≥≠]")
_OPERATOR = lazy(r"[=<>≤≥≠+*×·/^√!|(]|-|\d\s*[A-Za-zα-ω]|log|sin|cos|tan|ln")
_TURNED = {">": "<", ">=": "<=", "≥": "<=", "≤": "<="}

Atom = tuple[object, ...]
Product = frozenset[tuple[Atom, Fraction]]


class _NoFormula(Exception):
    """The text is no formula that can be read."""


class Sum(NamedTuple):
    """A sum of products, each with its factor."""

    parts: frozenset[tuple[Product, Fraction]]


def _sum(parts: Iterable[tuple[Product, Fraction]]) -> Sum:
    total: dict[Product, Fraction] = {}
    for product, factor in parts:
        total[product] = total.get(product, Fraction(0)) + factor
    return Sum(frozenset((one, factor) for one, factor in total.items() if factor))


def _number(value: Fraction) -> Sum:
    return _sum([(frozenset(), value)])


def _atom(*of: object) -> Sum:
    return _sum([(frozenset({(of, Fraction(1))}), Fraction(1))])


def _single(of: Sum) -> tuple[Product, Fraction] | None:
    """The only product of a sum; None where there are more."""
    if not of.parts:
        return frozenset(), Fraction(0)
    if len(of.parts) == 1:
        return next(iter(of.parts))
    return None


def _constant(of: Sum) -> Fraction | None:
    """The number that a sum is; None for one with letters."""
    found = _single(of)
    if found is not None and not found[0]:
        return found[1]
    return None


def _times(one: Sum, other: Sum) -> Sum:
    if len(one.parts) > 1 or len(other.parts) > 1:
        if len(one.parts) * len(other.parts) > MOST_PARTS:
            raise _NoFormula
        return _sum(
            part
            for first in one.parts
            for second in other.parts
            for part in _product_of(first, second).parts
        )
    return _product_of(_factor(one), _factor(other))


def _product_of(one: tuple[Product, Fraction], other: tuple[Product, Fraction]) -> Sum:
    (first, one_factor), (second, other_factor) = one, other
    powers = dict(first)
    for atom, power in second:
        powers[atom] = powers.get(atom, Fraction(0)) + power
    factor = one_factor * other_factor
    for atom, power in list(powers.items()):
        # √2 · √2 is 2, and 1/√2 is √2/2
        if atom[0] == "root" and not 0 <= power <= 1 / 2:
            whole = (power * 2).__floor__() // 2
            factor *= Fraction(str(atom[1])) ** whole
            powers[atom] = power - whole
    kept = frozenset((atom, power) for atom, power in powers.items() if power)
    return _sum([(kept, factor)])


def _factor(of: Sum) -> tuple[Product, Fraction]:
    """A sum as one factor of a product; one of several parts is an atom."""
    found = _single(of)
    if found is not None:
        return found
    return frozenset({(("sum", of), Fraction(1))}), Fraction(1)


def _raised(base: Sum, power: Fraction) -> Sum:
    if len(base.parts) > 1 and power in (2, 3, 4):
        made = base
        for _ in range(int(power) - 1):
            made = _times(made, base)
        return made
    product, factor = _factor(base)
    if power.denominator == 1:
        if abs(power) > LARGEST_POWER or (factor == 0 and power <= 0):
            raise _NoFormula
        if factor.numerator.bit_length() + factor.denominator.bit_length() > 200:
            raise _NoFormula
        if len(product) == 1 and factor == 1:
            ((atom, each),) = product
            if atom[0] == "power" and isinstance(atom[2], Sum):  # (e^x)^2 is e^(2x)
                return _atom("power", atom[1], _times(_number(each * power), atom[2]))
        lifted = Sum(
            frozenset(
                {
                    (
                        frozenset((atom, each * power) for atom, each in product),
                        factor ** int(power),
                    )
                }
            )
        )
        return _times(_number(Fraction(1)), lifted)
    if power != Fraction(1, 2):
        return _atom("power", base, power)
    outer, inner = _square_free(factor)
    rooted = frozenset((atom, each * power) for atom, each in product)
    if inner != 1:
        rooted |= {(("root", inner), power)}
    return _sum([(rooted, outer)])


def _square_free(value: Fraction) -> tuple[Fraction, int]:
    """a and b of a√b, which is the root of the value; b has no square in it."""
    if value < 0 or value.numerator * value.denominator > 10**6:
        raise _NoFormula
    inner, outer = value.numerator * value.denominator, 1
    for each in range(2, 1001):
        while inner and inner % (each * each) == 0:
            inner, outer = inner // (each * each), outer * each
        if each * each > inner:
            break
    return Fraction(outer, value.denominator) * (inner > 0), inner or 1


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise _NoFormula
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()
        self._at = self._depth = 0

    def _next(self) -> str:
        if self._at < len(self._tokens):
            return self._tokens[self._at][1]
        return ""

    def _kind(self) -> str:
        if self._at < len(self._tokens):
            return self._tokens[self._at][0]
        return ""

    def _take(self) -> str:
        taken = self._next()
        self._at += 1
        return taken

    def all(self) -> tuple[object, ...]:
        """The sides of the formula with what is between them."""
        sides, signs = [self._terms()], []
        while self._kind() == "relation":
            signs.append(self._take())
            sides.append(self._terms())
        if self._at < len(self._tokens):
            raise _NoFormula
        if set(signs) == {"="}:
            return ("=", frozenset(sides))
        if signs and all(sign in ">≥" or sign == ">=" for sign in signs):
            sides.reverse()
            signs.reverse()
        return (*(_TURNED.get(sign, sign) for sign in signs), *sides)

    def _terms(self) -> Sum:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _NoFormula
        parts: list[tuple[Product, Fraction]] = []
        sign = 1
        if self._next() in ("+", "-"):
            sign = -1 if self._take() == "-" else 1
        while True:
            parts += [(one, sign * factor) for one, factor in self._product().parts]
            if self._next() not in ("+", "-"):
                break
            sign = -1 if self._take() == "-" else 1
        self._depth -= 1
        return _sum(parts)

    def _product(self) -> Sum:
        made = self._power()
        while True:
            sign = self._next()
            if sign in ("*", "×", "·", "/"):
                self._take()
                factor = self._power()
                made = _times(
                    made, _raised(factor, Fraction(-1)) if sign == "/" else factor
                )
            elif self._kind() in ("letter", "name") or sign in ("(", "√"):
                made = _times(made, self._power())
            else:
                return made

    def _power(self) -> Sum:
        base = self._postfix()
        if self._kind() != "power":
            return base
        self._take()
        negative = self._next() == "-"
        if negative:
            self._take()
        exponent = self._postfix()
        value = _constant(exponent)
        if value is None:
            return _atom(
                "power", base, _times(_number(Fraction(1 - 2 * negative)), exponent)
            )
        return _raised(base, -value if negative else value)

    def _postfix(self) -> Sum:
        made = self._primary()
        while self._next() == "!":
            self._take()
            value = _constant(made)
            made = _atom("!", made) if value is None else _factorial(value)
        return made

    def _primary(self) -> Sum:
        kind, taken = self._kind(), self._take()
        if kind == "number":
            return _number(Fraction(taken))
        if kind == "letter":
            return _atom("letter", taken.replace("_", ""))
        if kind == "name":
            return self._function(taken)
        if taken == "√":
            return _raised(self._postfix(), Fraction(1, 2))
        if taken in ("(", "|"):
            inner = self._terms()
            if self._take() != (")" if taken == "(" else "|"):
                raise _NoFormula
            if taken == "(":
                return inner
            return _atom("absolute", inner)
        raise _NoFormula

    def _function(self, name: str) -> Sum:
        if name == "pi":
            return _atom("letter", "π")
        power = Fraction(1)
        if self._kind() == "power":
            self._take()
            found = _constant(self._postfix())
            if found is None:
                raise _NoFormula
            power = found
        if self._next() in ("(", "√"):
            argument = self._power()
        else:  # sin 2x
            argument = self._power()
            while self._kind() == "letter":
                argument = _times(argument, self._power())
        if name == "exp":
            return _atom("power", _atom("letter", "e"), argument)
        if name == "sqrt":
            return _raised(argument, Fraction(1, 2))
        return _raised(_atom(name.replace("_", ""), argument), power)


def _factorial(value: Fraction) -> Sum:
    if value.denominator != 1 or not 0 <= value <= MOST_FACTORIAL:
        raise _NoFormula
    made = 1
    for each in range(2, int(value) + 1):
        made *= each
    return _number(Fraction(made))


Formula = tuple[object, ...]
"""Its one side, or the signs between its sides and these."""


@lru_cache(maxsize=2048)
def formula(text: str) -> Formula | None:
    """A plain text in one notation; None if it is no formula.

    Words are none: of letters in a row at most three are a product. Nor is a sum of
    numbers alone, which may be a range or a score (`2-3`).
    """
    text = _NAMED.sub(r"\1 =", _ROOT_OF.sub("√", text.strip()))
    if not 1 < len(text) <= LONGEST or _OPERATOR.search(text) is None:
        return None
    bare = _FUNCTION.sub("", text)
    letters = re.search(r"[^\W\d_]", text) or "√" in text or "^(" in text
    if _RUN.search(bare.replace("pi", "")) and not _SIGN.search(text):
        return None
    if _WORDS.search(bare) or not (letters or _FACTORIAL.fullmatch(text)):
        return None
    try:
        return _Parser(text).all()
    except (_NoFormula, ZeroDivisionError, OverflowError):
        return None


def same_formula(one: str, other: str) -> bool:
    """Whether two formulas are the same. The case of letters counts only where one of
    them has a letter in both; `y = 2x` is also `2x`."""
    if _mixed(one) or _mixed(other):
        return _equal(formula(one), formula(other))
    return _equal(formula(one.casefold()), formula(other.casefold()))


def _mixed(text: str) -> bool:
    letters = {sign for sign in text if sign.isalpha()}
    return any(sign.lower() in letters and sign.isupper() for sign in letters)


def _equal(one: Formula | None, other: Formula | None) -> bool:
    if one is None or other is None:
        return False
    first, second = _side(one), _side(other)
    if first == second:
        return True
    return _defined(first) == second or first == _defined(second)


def _side(of: Formula) -> Formula:
    """`7! = 5040` says what 5040 says."""
    if of[0] == "=" and isinstance(of[1], frozenset) and len(of[1]) == 1:
        return tuple(of[1])
    return of


def _defined(of: Formula) -> Formula | None:
    """The side that defines a letter: `2x` in `y = 2x`."""
    if of[0] != "=" or not isinstance(of[1], frozenset) or len(of[1]) != 2:
        return None
    for side in of[1]:
        found = _single(side)
        if found is not None and found[1] == 1 and len(found[0]) == 1:
            ((atom, power),) = found[0]
            (other,) = of[1] - {side}
            if atom[0] == "letter" and power == 1 and repr(atom) not in repr(other):
                return (other,)
    return None


def constant(text: str) -> Fraction | None:
    """The number that a factorial or a root of a square is."""
    found = formula(text)
    side = None if found is None else _side(found)
    if side is None or len(side) != 1 or not isinstance(side[0], Sum):
        return None
    return _constant(side[0])
