"""LaTeX as Unicode, where it is certain: `t_1` is t₁, `\\frac{1}{2}` is 1/2.

What is not certain stays as it was written.
"""

from __future__ import annotations

import re
from functools import lru_cache

DEEPEST = 12
"""Groups in groups that are read."""

_NAMES = """
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ
iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ
chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ
Psi Ψ Omega Ω times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • le ≤ leq ≤
leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ lt < gt > ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃
cong ≅ equiv ≡ propto ∝ to → rightarrow → Rightarrow ⇒ implies ⇒ leftarrow ← Leftarrow ⇐
leftrightarrow ↔ Leftrightarrow ⇔ iff ⇔ mapsto ↦ longrightarrow → infty ∞ partial ∂
nabla ∇ sum ∑ prod ∏ int ∫ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup
∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ forall ∀ exists ∃ neg ¬ lnot ¬ land ∧ wedge ∧
lor ∨ vee ∨ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ mid | angle ∠ triangle △ degree ° hbar ℏ
ell ℓ Re ℜ Im ℑ aleph ℵ prime ′ ldots … dots … cdots ⋯ vdots ⋮ therefore ∴ because ∵
langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | checkmark ✓
"""
SYMBOLS = dict(
    zip(
        _NAMES.split()[::2],
        _NAMES.split()[1::2],
        strict=True,
    )
)

FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "log",
        "ln",
        "lg",
        "exp",
        "min",
        "max",
        "sup",
        "inf",
        "lim",
        "gcd",
        "det",
        "dim",
        "ker",
        "arg",
        "Pr",
        "deg",
    ]
)
WORDS = frozenset(
    [
        "text",
        "textrm",
        "textbf",
        "textit",
        "mbox",
        "mathrm",
        "mathbf",
        "mathit",
        "mathsf",
        "mathtt",
        "operatorname",
    ]
)
SPACES = {
    "quad": "  ",
    "qquad": "    ",
    ",": " ",
    ";": " ",
    ":": " ",
    " ": " ",
    "!": "",
    "\n": " ",
}
ESCAPED = frozenset("%$#&_{}")
DOUBLE = {
    "R": "ℝ",
    "N": "ℕ",
    "Z": "ℤ",
    "Q": "ℚ",
    "C": "ℂ",
    "P": "ℙ",
}
FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "cfrac"))

_HIGH = dict(
    zip(
        "0123456789+-=()abcdefghijklmnoprstuvwxyz′∘",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ′°",
        strict=True,
    )
)
_LOW = dict(
    zip(
        "0123456789+-=()aehijklmnoprstuvx",
        "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ",
        strict=True,
    )
)
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}

_SPACED = frozenset("×·÷±∓∗⋆∘•≤≥≠<>≪≫≈∼≃≅≡∝→⇒←⇐↔⇔↦∈∉∋⊂⊆⊃⊇∪∩∖∧∨⊕⊗⊥∥∴∵")
"""Signs with a blank on both sides or on none; LaTeX swallows the one behind a command.
"""

_TOKEN = re.compile(r"\\([A-Za-z]+)(?=(\s*))\s*|\\(.)|([{}^_])|(\s+|~)|(.)", re.DOTALL)
_SINGLE = re.compile(r"(?:[0-9]+(?:[.,][0-9]+)*|[^\W\d_])[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ₀₁₂₃₄₅₆₇₈₉ₙᵢ]*")
_SIGN = 3
"""The group of `_TOKEN` that is a brace, `^` or `_`."""
_SPACE = re.compile(r" {2,}")


class _Doubt(Exception):
    """It cannot be said for certain."""


@lru_cache(maxsize=2048)
def certain(tex: str) -> str | None:
    """Returns a formula, without its delimiters, in Unicode; None where it is not
    certain that it says the same.
    """
    try:
        reader = _FormulaReader(tex)
        said = _SPACE.sub(" ", reader.group(closing=False)).strip()
    except _Doubt:
        return None
    return said or None


class _FormulaReader:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        self._tokens = [match.groups() for match in _TOKEN.finditer(tex)]
        self._at = 0
        self._depth = 0

    def group(self, closing: bool = True) -> str:
        """Reads up to the brace that closes the group, or to the end."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Doubt
        said = ""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token[_SIGN] == "}":
                if not closing:
                    raise _Doubt
                self._depth -= 1
                return said
            said = self._add(said, token)
        if closing:
            raise _Doubt
        self._depth -= 1
        return said

    def _add(self, said: str, token: tuple[str | None, ...]) -> str:
        name, swallowed, escaped, sign, blank, plain = token
        if sign is not None and sign in "^_":
            return said + self._script(sign, said)
        if sign == "{":
            inner = self.group()
            if self._next() in ("^", "_") and not _SINGLE.fullmatch(inner):
                raise _Doubt
            return said + inner
        if blank:
            return said + " "
        if name in FRACTIONS:
            return self._joined(said, self._fraction(said))
        if name is not None:
            said = self._joined(said, self._command(name))
            if swallowed and said[-1:] != " " and self._operator_follows():
                said += " "
            return said
        if plain is not None:
            return self._joined(said, self._plain(plain))
        return self._joined(said, self._escape(escaped or ""))

    @staticmethod
    def _plain(char: str) -> str:
        if char in "&%#$\\":
            raise _Doubt
        return char

    @staticmethod
    def _joined(before: str, piece: str) -> str:
        """Separates a word that was a command from adjacent letters."""
        if (
            len(piece) == 1
            and piece in _SPACED
            and (not before or before.endswith(" "))
        ):
            return f"{before}{piece} "
        if len(piece) > 1 and piece[0].isalpha() and before[-1:].isalnum():
            return f"{before} {piece}"
        if len(piece) == 1 and piece.isalnum() and _ends_in_function(before):
            return f"{before} {piece}"
        return before + piece

    def _escape(self, char: str) -> str:
        if char in SPACES:
            return SPACES[char]
        if char in ESCAPED:
            return char
        if char == "|":
            return "‖"
        raise _Doubt

    def _command(self, name: str) -> str:
        if name in SYMBOLS:
            return SYMBOLS[name]
        if name in FUNCTIONS:
            return name
        if name in SPACES:
            return SPACES[name]
        if name in WORDS:
            return self._words()
        if name in (
            "boxed",
            "displaystyle",
            "textstyle",
            "limits",
            "nolimits",
            "bigl",
            "bigr",
            "big",
            "Big",
            "Bigl",
            "Bigr",
        ):
            if name == "boxed":
                return self._argument()
            return ""
        if name == "sqrt":
            return self._root()
        if name == "mathbb":
            said = self._argument()
            if said in DOUBLE:
                return DOUBLE[said]
        if name in ("left", "right"):
            return self._fence()
        raise _Doubt

    def _fence(self) -> str:
        r"""The delimiter after `\left` or `\right`."""
        if self._at >= len(self._tokens):
            raise _Doubt
        name, _, escaped, _, _, plain = self._tokens[self._at]
        self._at += 1
        said = (
            SYMBOLS.get(name or "")
            or (self._plain(plain) if plain else "")
            or (self._escape(escaped) if escaped else "")
        )
        if not said or said == ".":
            raise _Doubt
        return said

    def _words(self) -> str:
        """The words of `\\text{…}`: nothing in them is read."""
        self._skip_blanks()
        if self._next() != "{":
            raise _Doubt
        self._at += 1
        said = ""
        while self._at < len(self._tokens):
            name, _, escaped, sign, blank, plain = self._tokens[self._at]
            self._at += 1
            if sign == "}":
                return said
            if (
                name is not None
                or sign is not None
                or (escaped is not None and escaped not in ESCAPED)
            ):
                raise _Doubt
            said += escaped or (" " if blank else plain) or ""
        raise _Doubt

    def _argument(self) -> str:
        """A group, or a single sign."""
        self._skip_blanks()
        if self._at >= len(self._tokens):
            raise _Doubt
        name, _, escaped, sign, _, plain = self._tokens[self._at]
        self._at += 1
        if sign == "{":
            return self.group().strip()
        if plain is not None:
            return self._plain(plain)
        if name is not None and (name in SYMBOLS or name in WORDS):
            return self._command(name)
        if escaped is not None and escaped in ESCAPED:
            return escaped
        raise _Doubt

    def _skip_blanks(self) -> None:
        while self._at < len(self._tokens) and self._tokens[self._at][4]:
            self._at += 1

    def _next(self) -> str:
        """The next sign or plain character; empty at the end and before a command."""
        if self._at >= len(self._tokens):
            return ""
        _, _, _, sign, _, plain = self._tokens[self._at]
        return sign or plain or ""

    def _fraction(self, before: str) -> str:
        above, below = _single(self._argument(), word=True), _single(self._argument())
        # 2\\frac{1}{2} is two and a half, or one
        if not above or not below or _ends_a_factor(before):
            raise _Doubt
        if self._factor_follows():
            return f"({above}/{below})"
        return f"{above}/{below}"

    def _operator_follows(self) -> bool:
        name = self._tokens[self._at][0] if self._at < len(self._tokens) else None
        return (
            self._next() in ("=", "+", "-", "<", ">")
            or SYMBOLS.get(name or "") in _SPACED
        )

    def _factor_follows(self) -> bool:
        """Whether what follows is multiplied with what has been read: in a formula
        blanks do not count.
        """
        following = next(
            (token for token in self._tokens[self._at :] if not token[4]), None
        )
        if following is None:
            return False
        name, _, escaped, sign, _, plain = following
        if name is not None:
            return (
                SYMBOLS.get(name, "x").isalnum()
                and name not in SPACES
                and name != "right"
            )
        return (
            sign in ("{", "^", "_")
            or (plain or escaped or "").isalnum()
            or plain in ("(", "[")
        )

    def _root(self) -> str:
        degree = ""
        if self._next() == "[":
            self._at += 1
            while self._next() not in ("]", ""):
                degree += self._next()
                self._at += 1
            if self._next() != "]":
                raise _Doubt
            self._at += 1
        if degree not in _ROOTS:
            raise _Doubt
        inner = _single(self._argument())
        if not inner:
            raise _Doubt
        if self._next() in ("^", "_") or (
            self._factor_follows() and not inner.startswith("(")
        ):
            raise _Doubt
        return _ROOTS[degree] + inner

    def _script(self, sign: str, base: str) -> str:
        """A superscript or a subscript."""
        inner = self._argument()
        table = _HIGH if sign == "^" else _LOW
        tight = inner.replace(" ", "")
        if not tight or not base.strip():
            raise _Doubt
        if all(char in table for char in tight):
            return "".join(table[char] for char in tight)
        if self._next() in ("^", "_") or self._next().isalnum():
            raise _Doubt
        if sign == "_":
            if not tight.isalnum():
                raise _Doubt
            return f"_{tight}"
        if any(char in inner for char in "^_"):
            raise _Doubt
        if inner.isalpha():
            return f"^{inner}"
        return f"^({inner})"


def _ends_in_function(text: str) -> bool:
    word = re.search(r"[A-Za-z]+$", text[-8:])
    return word is not None and word[0] in FUNCTIONS


def _ends_a_factor(text: str) -> bool:
    last = text.rstrip()[-1:]
    return last.isalnum() or last in (")", "]", "}", "′", "'")


def _single(text: str, word: bool = False) -> str:
    """The text in parentheses, unless it is one number or one name.

    `word`: several letters need none.
    """
    text = text.strip()
    if not text or _SINGLE.fullmatch(text) or (word and text.isalpha()):
        return text
    return f"({text})"
