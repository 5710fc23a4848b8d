"""Cuts texts into the words of an index: Latin words folded and stemmed, numbers kept,
Chinese in words or two-character grams.

Text is compared in its NFKC form. Latin words lose case and accents and are stemmed by
Snowball's English stemmer; a word with a digit in it is only folded, and the separators
of thousands are dropped (1,000 is 1000). Runs of Han characters, kana and hangul are
cut into overlapping two-character grams, by jieba (HMM on), or both ways: the grams
and, beside them, the longer words of jieba. An index of grams has the single characters
beside them, for words of one character; `query.py` says when a query asks for them.
"""

from __future__ import annotations

import logging
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from ...sessions.errors import bad_input
from ...sessions.paths import paths, private_dir

NAMES = ("bigrams", "jieba", "jieba+bigrams")
DEFAULT = NAMES[0]

STOP_WORDS = """
a an the this that these those it its he his him she her they their them we our you your
i my is are was were be been being am do does did have has had will would shall should
can could may might must and or but nor not no so if then than as of in on at by for
from to into with about over under after before since until while which who whom whose
what when where why how there here also such one
"""
"""English words without meaning of their own, as written.

An index keeps them; measures of common words leave them out.
"""

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Inside a character class: the scripts that put no space between words, and hangul,
whose endings stick to the word.
"""

_WORD = re.compile(
    f"(?P<cjk>[{CJK}]++)|\\d++(?:[.,]\\d++)++|[^\\W_{CJK}]+(?:['\u2019][^\\W_{CJK}]+)*"
)
_ONE = re.compile(f"[{CJK}]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_LONGEST = 64
"""Characters of a word that count.

Longer ones are keys, checksums and data, which would only swell the vocabulary.
"""


class Tokeniser:
    """Cuts texts and queries alike.

    `name` is one of NAMES. Several threads may use it at once.

    Raises: BadInput for another name.
    """

    def __init__(self, name: str = DEFAULT) -> None:
        if name not in NAMES:
            raise bad_input(
                "wrong.corpus.no_tokeniser", name=name, names=", ".join(NAMES)
            )
        self.name = name
        self.grams = name != "jieba"
        """Whether runs are cut into grams."""
        self.id = f"{name}/2" if self.grams else f"{name}/1"
        """Changes whenever the words do; an index is read only by the tokeniser that
        made it.
        """
        self._known: dict[str, str] = {}

    def cut(self, text: str) -> list[str]:
        """The words in order, as the index has them."""
        return [word for _, word in self.pairs(text)]

    def pairs(self, text: str) -> list[tuple[str, str]]:
        """The words in order, each as it is written and as the index has it."""
        return [(raw, self.word(raw)) for raw in self.raw(text)]

    def word(self, raw: str) -> str:
        """Return a word of `raw` as the index has it.

        Words are cached.
        """
        word = self._known.get(raw)
        if word is None:
            if len(self._known) > 1_000_000:
                self._known.clear()
            word = self._known[raw] = fold(raw)
        return word

    def raw(self, text: str, *, characters: bool = False) -> list[str]:
        """The words in the order in which they are written (in NFKC form); `fold` turns
        them into those of the index.

        `characters`: include the single characters that an index of grams has in
        addition.
        """
        found = []
        for run, joined in runs(text):
            if not joined:
                found.append(run)
            elif not self.grams:
                found += segments(run)
            elif len(run) == 1:
                found.append(run)
            else:
                found += [run[at : at + 2] for at in range(len(run) - 1)]
                if self.name == "jieba+bigrams":
                    found += [word for word in segments(run) if len(word) > 2]
                if characters:
                    found += run
        return found

    def warm(self) -> None:
        """Load the dictionary in a separate thread, if this tokeniser needs one.
        Returns at once.
        """
        if self.name != "bigrams":
            threading.Thread(
                target=_segment, name="verifytui-words", daemon=True
            ).start()


def runs(text: str) -> Iterator[tuple[str, bool]]:
    """The words of scripts with spaces and the runs of those without, in order and NFKC
    form, and whether it is such a run.
    """
    for match in _WORD.finditer(
        text if text.isascii() else unicodedata.normalize("NFKC", text)
    ):
        yield (
            (match[0], True)
            if match.lastgroup is not None
            else (match[0][:_LONGEST], False)
        )


def segments(run: str) -> list[str]:
    """A run cut into words by jieba. The first call loads its dictionary."""
    return _segment()(run)


def places(text: str) -> list[tuple[int, int, str]]:
    """Where the words of scripts with spaces are in a text, and each as the index has
    it: `builds` and `building` are `build`.
    """
    found = []
    for match in _WORD.finditer(text):
        if match.lastgroup is None:
            found.append(
                (
                    match.start(),
                    match.end(),
                    fold(unicodedata.normalize("NFKC", match[0][:_LONGEST])),
                )
            )
    return found


def is_cjk(word: str) -> bool:
    """True for a word of a script that puts no space between words."""
    return word >= "\u2e80" and _ONE.match(word) is not None


def fold(raw: str) -> str:
    """A word of `Tokeniser.raw` as the index has it."""
    if is_cjk(raw):
        return raw
    word = raw.casefold()
    if not word.isascii():
        word = "".join(
            character
            for character in unicodedata.normalize("NFKD", word)
            if not unicodedata.combining(character)
        )
        word = word.replace("\u2019", "'")
    if not word.isalpha() and any(character.isdigit() for character in word):
        if _THOUSANDS.fullmatch(word):
            return word.replace(",", "")
        return word
    if word.replace("'", "").isascii():
        return str(_stemmer()(word))
    return word


_LOADING = threading.Lock()
_STEMMING = threading.local()


def _stemmer() -> Callable[[str], str]:
    """Snowball's stemmers are not safe across threads, so each thread has its own."""
    stem: Callable[[str], str] | None = getattr(_STEMMING, "stem", None)
    if stem is None:
        import Stemmer

        stem = _STEMMING.stem = Stemmer.Stemmer("english").stemWord
    return stem


@cache
def _loaded() -> Callable[[str], list[str]]:
    try:
        import rjieba
    except ImportError:
        folder = paths().cache / "jieba"
        # without a folder to write to, the dictionary is read anew each time
        with suppress(OSError):
            private_dir(folder)
        return _jieba(folder)
    rjieba.cut("\u4e2d\u6587")
    cut: Callable[[str], list[str]] = rjieba.cut
    return cut


def _segment() -> Callable[[str], list[str]]:
    with _LOADING:
        return _loaded()


def _jieba(folder: Path) -> Callable[[str], list[str]]:
    """jieba with its dictionary loaded.

    By itself it would unmarshal a cache from the shared temp folder.
    """
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba

    jieba.setLogLevel(logging.CRITICAL)
    logging.getLogger("jieba").handlers.clear()
    dictionary = jieba.Tokenizer()
    dictionary.tmp_dir = str(folder)
    dictionary.initialize()
    cut: Callable[[str], list[str]] = dictionary.lcut
    return cut
