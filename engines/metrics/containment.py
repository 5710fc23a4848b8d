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
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...texts.patterns import lazy
from ..reading.numerals import listed
from . import clauses, questions
from .aliases import aliases, other_names
from .dates import only_date
from .equivalence import LONGEST, Step, first_step, same
from .forms import form_of
from .quantities import plain as unformatted
from .quantities import whole
from .questions import AskedQuestion
from .sentences import ends, is_its_own, sentences, unhedged, unsure
from .units import table

_CJK = (
    "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_CJK_CHARACTER = lazy(f"[{_CJK}]")
_CITATION = lazy(
    r"(?<!\\sqrt)\s?\[\s?\d{1,4}(?:\s?[,\uff0c\u3001-]\s?\d{1,4}){0,99}\s?\]"
    r"|~~[^~\n]{1,200}~~"
)
_TOKEN = lazy(rf"[{_CJK}]|\d+(?:\.\d+)+|(?:(?![{_CJK}_])\w)+")
_THOUSANDS = lazy(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = lazy(r"(?<![^\W\d_])([^\W\d_])\.\s?(?=[^\W\d_](?:\.|(?![\w ])))")
_APOSTROPHES = lazy("(?<=\\w)['\u2019](?=\\w)")
_POSSESSIVE = lazy("(?<=[^\\W\\d_])['\u2019]s(?!\\w)")
_YEARS = lazy(r"(?<![\w.,])(\d{2,3}0)['\u2019]?s(?!\w)")
_ACCENTS = lazy("[\u0300-\u036f]")
_LETTERS = str.maketrans(table("ø=o ł=l đ=d æ=ae œ=oe ı=i ð=d þ=th"))
LONG = {"words": 10, "characters": 20}
"""An accepted answer with more than these is long."""
_HYPHENS = lazy("(?<=[^\\W\\d_])[-\u2010\u2011](?=[^\\W\\d_])")
_ARTICLES = frozenset({"a", "an", "the"})


_SIGNS = lazy(r"[=<>≤≥≠±√∞^\\{}\[\]|*+]|\d\s*[-/:]\s*\d")
_PLACE = lazy(r"[A-Z][\w. '-]{0,40}, [A-Z][\w. '-]{0,40}")
"""`Tampa, Florida`"""
_YEAR = lazy(r"(?:1\d{3}|20\d{2})年?")
_CHOICES = frozenset(
    listed("yes no true false none neither both same 是 否 对 错 不是 不 有 无 没有")
)
"""Answers that also are in texts which do not give them."""


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
    answer: str, accepted: Sequence[str], wrong: Sequence[str] = (), question: str = ""
) -> Step | None:
    """The first step on which an answer is an accepted one; None where it is none.

    `exact` and `value` compare the answer as a whole (`equivalence.first_step`).
    `contains`: the answer is a sentence with an accepted answer in it, which it does
    not deny, and with none of the `wrong` ones. That is only tried with accepted
    answers that are names: a number in a sentence may be another number, and "no" is in
    "no way".

    `question`: what the answer is to, "" where it is not known. Its choices and its
    unit, and what it says itself, count on both sides; a clause that says less of it
    than another one gives no answer. The rule depends on the item alone, so equal
    answers are rated equally whichever method gave them.
    """
    asked = questions.read(question)
    bare = _counting(questions.part(answer, asked), accepted)
    if not bare.strip():
        return None
    long = is_long(accepted)
    if _said_by_choice(answer) is None:
        accepted = [*accepted, *filter(None, map(_said_by_choice, accepted))]
    if first_step(bare, accepted) == "exact":
        return "exact"
    if asked.words:
        if _contradicts(bare, asked):
            return None
        bare, accepted, others = _in_view_of(asked, bare, accepted)
        wrong = [*wrong, *others]
    step = first_step(bare, accepted) or first_step(unhedged(bare), accepted)
    if step is not None or long:
        return step and "value"
    return "contains" if _gives(bare, accepted, wrong, asked) else None


def _in_view_of(
    asked: AskedQuestion, answer: str, accepted: Sequence[str]
) -> tuple[str, list[str], list[str]]:
    """An answer and the accepted ones as a question has them, with its unit and its
    choices and without what it says itself; and the other choices."""
    answer = questions.with_unit(questions.chosen(answer, asked), asked)
    made, others = _offered(accepted, asked)
    made = [questions.with_unit(one, asked) for one in made]
    for change in (questions.without_kind, questions.as_truth):
        made += [change(one, asked) for one in made]
    if asked.unordered:
        made += [f"{{{one}}}" for one in made if _is_list(one)]
    return questions.without_kind(answer, asked), list(dict.fromkeys(made)), others


def _gives(
    answer: str, accepted: Sequence[str], wrong: Sequence[str], asked: AskedQuestion
) -> bool:
    """Whether a sentence gives an accepted answer."""
    if asked.words and _UNKNOWN.search(unhedged(answer)):
        return False
    if _follows(answer, accepted, wrong, asked):
        return True
    if whole(unformatted(answer)) is not None:
        return False  # -1200 is another number, not the year 1200
    givers = [
        _given_by(one) for one in accepted if not (asked.closed and _is_truth(one))
    ]
    if any(given(answer) for given in givers if given):
        return True
    others = [name for text in accepted for name in other_names(text)]
    accepted = list(dict.fromkeys((*accepted, *others)))
    accepted += clauses.surnames(answer, accepted, asked)
    names = [text for text in accepted if _is_name(text)]
    values = [text for text in accepted if text not in names]
    if names:
        answer = _REMARK.sub(
            lambda found: found[0] if found[1] in names else " ",
            _emphasised(answer, names),
        )
        if _gives_another(answer, names) or (
            asked.words and not clauses.asserts(answer, names, asked)
        ):
            return False
    if _RELATIVE.search(answer) is None:
        values += [text for text in names if other_names(text) != aliases(text)]
    if values and any(first_step(end, values) for end in ends(unformatted(answer))):
        return True
    if contains(answer, [text for text in wrong if _is_name(text)]):
        return False
    return bool(names) and (
        named(answer, names)
        or (contains(answer, names) and clauses.repeats(answer, names, asked))
    )


def _offered(
    accepted: Sequence[str], asked: AskedQuestion
) -> tuple[list[str], list[str]]:
    """The accepted answers, with their letters and texts where a question offers
    choices; and the other choices."""
    taken = set()
    for text in accepted:
        form = form_of(unformatted(text))
        letter = str(form.value[0]) if form and form.kind == "choice" else ""
        for key, choice in asked.choices.items():
            if key == (letter or unformatted(text).strip("() .")) or first_step(
                text, [choice]
            ):
                taken.add(key)
    if len(taken) != 1:
        return list(accepted), []
    key = taken.pop()
    others = [text for other, text in asked.choices.items() if other != key]
    letters = [] if "0" in asked.choices else [f"({key.upper()})"]
    return [*accepted, asked.choices[key], *letters], others


_UNKNOWN = lazy(
    r"\b(?:not sure|unsure|uncertain|unclear|no idea"
    r"|(?:can|could)(?:not|'t) (?:tell|say|find))\b"
    r"|不确定|不清楚",
    re.IGNORECASE,
)


def _contradicts(answer: str, asked: AskedQuestion) -> bool:
    """Whether an answer tells of another event, or is `(B) bird` where a question
    offers `(B) dog`."""
    if not asked.closed and questions.other_event(answer, asked):
        return True
    form = form_of(unformatted(answer))
    if form is None or form.kind != "choice" or not form.value[1]:
        return False
    choice = asked.choices.get(str(form.value[0]))
    said = str(form.value[1])
    return choice is not None and not (contains(said, [choice]) or same(said, choice))


def _is_truth(text: str) -> bool:
    form = form_of(unformatted(text))
    return form is not None and form.kind == "polarity"


def _is_list(text: str) -> bool:
    form = form_of(unformatted(text))
    return form is not None and form.kind == "list" and not form.value[0]


def _follows(
    answer: str, accepted: Sequence[str], wrong: Sequence[str], asked: AskedQuestion
) -> bool:
    """Whether an answer is an accepted one in view of the question alone."""
    if not asked.words or len(answer) > LONGEST:
        return False
    truth = questions.truth(answer, asked)
    for text in accepted if truth else ():
        form = form_of(unformatted(text))
        if form and form.kind == "polarity":
            return bool(form.value[0] == truth)
        if truth == "yes" and len(text) < 3 and text in asked.text:
            return True
    if questions.counts(answer, accepted, asked):
        return True
    return "0" in asked.choices and any(
        questions.outdoes(answer, mine, other, asked)
        for mine in accepted
        for other in wrong
    )


_RETRACTION = lazy(
    r"(?<=\S)\s*\b(?:sorry\b|scratch that|on reflection|no, wait|wait, no|correction:"
    r"|(?<!\w )wait\b|on second thoughts?\b|edit:|my mistake|I meant?\b"
    r"|(?:wait,? )?that(?:'s| is| was) (?:wrong|incorrect|not right|a mistake)\b[.,;]?)"
    r"|(?<=[.…])\s*(?:hmm,? )?(?:no,|actually,?)"
    r"|(?<=[—–])\s*no,|(?<=[。，,])\s*(?:抱歉|更正|说错了|不对)[,，:：]?"
    r"(?:说错了[,，])?",
    re.IGNORECASE,
)
"""Matches a retraction: the text before it no longer counts."""
_REMARK = lazy(
    r"(?<=[^\s(（])\s*[(（]([^()（）]*(?:\b(?:is|are|was|were|has|had|says?)\b|[是为有])"
    r"[^()（）]*)[)）]"
)
_HEAD = lazy(
    r"(?P<name>[A-Z][\w'-]+(?: (?:of |the |de |von |van )*[A-Z][\w'-]+){0,3})"
    r"(?:[.;] +|,(?= (?:\S+ ){3}))|(?P<han>[\u3400-\u9fff]{2,6})[.;,。；，]"
)
_NO_NAME = lazy(
    r"^Not |^(?:[A-Z][a-z]{0,2}|Well|Sure|Okay|Correct|Right|True|False|Hence|Thus"
    r"|Then|Answer|Therefore|However|\w+(?:ly|day))$|[是为由在有了于被会说我以因其此答据最根对不正先后当从到之]"
)


_BOLD = lazy(r"\*\*([^*\n]{2,80})\*\*")
_LEAF = lazy(r"\{[^:{}]*:\s*[\"']?([^\"',{}]*)")


def _emphasised(answer: str, names: Sequence[str]) -> str:
    """The only bold name of an answer that has one, or the first value of an object."""
    leaf, bold = _LEAF.match(answer), list(map(str, _BOLD.findall(answer)))
    if leaf is not None:
        return leaf[1]
    if len(bold) == 1 and bold[0][0].isupper() and not contains(bold[0], names):
        return bold[0]
    return answer


_ALIAS = lazy(r"\b(?:known|called|alias|aka)\b")


def _gives_another(answer: str, names: Sequence[str]) -> bool:
    """Whether an answer begins with another name as its own: `Korea. Japan is …`"""
    head = _HEAD.match(answer)
    if head is None:
        return False
    said = head["name"] or head["han"]
    if _NO_NAME.search(said) or _ALIAS.search(answer):
        return False
    return not contains(said, names)


def _counting(answer: str, accepted: Sequence[str]) -> str:
    """The part of an answer that counts: behind a retraction, without citations."""
    # [2, 4] is no mark of a citation where numbers are asked for
    if not any(_NUMBERS.search(unformatted(one)) for one in accepted):
        bare = plain(answer)
        if any(sign.isalnum() for sign in bare) or "," not in answer:
            answer = bare  # [2, 3] alone is a list
    return answer[max((one.end() for one in _RETRACTION.finditer(answer)), default=0) :]


_NUMBERS = lazy(r"\[|\d\s*[,，、;]\s*-?\d")
_RELATIVE = lazy(r"\b(?:who|whose|which|where)\b")
_KIND = lazy(r"(?P<name>\w[\w. '-]{0,40}) \((?P<kind>[a-z]+)\)")


def _given_by(accepted: str) -> Callable[[str], bool] | None:
    """Whether a reply gives a date or the letter of a choice, or names both parts of
    `Mercury (planet)` and `Cambridge, Massachusetts`.
    """
    form, parts = form_of(unformatted(accepted)), accepted.split(", ")
    kind = _KIND.fullmatch(accepted.strip())
    if form is not None and form.kind == "date" and form.value[0]:
        return lambda answer: _only_date(answer) == form.value
    if form is not None and form.kind == "choice" and not form.value[1]:
        return lambda answer: _chosen(answer) == form.value[0]
    if form is not None and form.kind == "polarity" and form.value == ("no", ""):
        return lambda answer: _NEGATIVE.fullmatch(unformatted(answer)) is not None
    if _SEVERAL.fullmatch(accepted):
        letters = _letters(accepted)
        return lambda answer: not unsure(answer) and _letters(answer) == letters
    if kind is not None:
        name, other = kind["name"], kind["kind"]
        both = rf"\b{name}\b.{{1,60}}\b{other}\b|\b{other}\b.{{1,20}}\b{name}\b"
    elif len(parts) == 2 and _PLACE.fullmatch(accepted):
        name, other = parts
        both = rf"\b{name}\b,? \b(?:in|of)\b(?: \w+){{0,6}} {other}\b"
    else:
        return None
    pattern = re.compile(both)
    return lambda answer: bool(pattern.search(answer)) and named(answer, [name, other])


_LETTER = lazy(r"(?<![A-Za-z\d'.-])(?!A [a-z]{2})[A-H](?![A-Za-z\d'-])")
_SEVERAL = lazy(r"[A-H](?:\s*(?:,|and|&|、|和)?\s*[A-H])+")
_JOINED = lazy(r"(?<![A-Za-z])([A-H])(?=[A-H]{0,4}(?![A-Za-z]))")
_NEGATIVE = lazy(
    r"(?!.*\b(?:no|could|false|wrong|doubt|sure|know|say|mention|tell|only|all"
    r"|every)\b)"
    r"[^,.;?，。；]{1,60}?(?:\b(?:not|cannot|never)\b|n't\b|不是|不会|不能|没有"
    r"|并非)[^,.;?，。；]{0,60}"
    r"(?:[,.;，。；](?!.*\b(?:but|false|untrue)\b).*)?",
    re.IGNORECASE,
)
"""A statement that denies is a no."""
_TAKEN = lazy(
    r"(?:\b(?:options?|choices?|answer|choose|chose|pick|select|is|it's|with|so|be)"
    r"\s*:?|[选为是]|^)\s*[(（]?(?P<one>[A-H])(?![\w'-]|\s(?!is\b)\w)"
    r"|[(（](?P<two>[A-H])[)）]$",
    re.IGNORECASE,
)


def _letters(text: str) -> set[str]:
    return set(_LETTER.findall(_JOINED.sub(r"\1 ", text)))


def _chosen(answer: str) -> str | None:
    """The only letter of a choice that a reply names, if it says that it takes it."""
    bare = re.split(",? (?:since|because) ", unformatted(answer).rstrip(".。 "))[0]
    taken = _TAKEN.search(bare)
    if taken is None or unsure(bare):
        return None
    letter = taken["one"] or taken["two"]
    others = set(_LETTER.findall(bare)) - {letter.upper()}
    return None if others else letter.casefold()


_BESIDE_DATE = lazy(r"\b(?:after|before|since)\b")


def _only_date(answer: str) -> tuple[object, ...] | None:
    bare = unformatted(answer).casefold()
    if unsure(bare) or _BESIDE_DATE.search(bare):
        return None
    return only_date(bare)


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
    if len(bare) < 2 or bare.casefold() in _CHOICES:
        return False
    if whole(bare) is not None:
        return bare.istitle() and " " in bare  # Nineteen Eighty-Four
    form = form_of(bare)
    if form is None or form.kind == "list":
        place = form is not None and _PLACE.fullmatch(bare) is not None
        return (form is None or place) and _SIGNS.search(bare) is None
    return form.kind == "date" or (
        form.kind == "substance" and bare.isalpha() and bare.istitle()
    )


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
    bare = [one.removeprefix("the ") for one in accepted]
    wanted = "|".join(map(re.escape, sorted(bare, key=len, reverse=True)))
    longer = re.compile(_LONGER.format(wanted)) if len(answer) <= 300 else None
    for sentence in sentences(plain(answer)):
        if not _TOKEN.search(sentence) or _is_longer_name(sentence, accepted):
            continue
        for other in (_TITLE, _HOMONYM):
            sentence = other.sub(
                lambda found: found[0] if found[1] in accepted else "", sentence
            )
        if longer is not None and longer.search(sentence):
            continue
        owned = _POSSESSIVE.sub(" ʼs", sentence)
        for way in dict.fromkeys((sentence, owned)):
            for joint in (" ", "") if _HYPHENS.search(way) else (" ",):
                if _names_one(way, accepted, joint, inflected=way == owned):
                    return True
    return False


_TITLE = lazy("《([^《》]{1,100})》")
_HOMONYM = lazy(
    r"\b((?:Paris|London|Athens|Rome|Moscow|Berlin|Dublin|Vienna|Lisbon|Madrid|Cairo"
    r"|Delhi|Milan|Naples|Florence|Venice|Manchester|Birmingham|Cambridge|Oxford"
    r"|Melbourne|Lima|Warsaw|Geneva|Odessa|Toledo|Valencia|Bristol|Plymouth"
    r"|Alexandria|Hamburg|Frankfurt|Lyons?|Troy|Syracuse|Cordova|Havana|Peru|Lebanon),"
    r" (?:Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware"
    r"|Florida|Georgia|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine"
    r"|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska"
    r"|Nevada|New \w+|North \w+|Ohio|Oklahoma|Ontario|Oregon|Pennsylvania|South \w+"
    r"|Tennessee|Texas|USA?|Utah|Vermont|Virginia|Washington|West \w+|Wisconsin"
    r"|Wyoming"
    r"|A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKNR]"
    r"|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\b)"
)
"""`Paris, Texas`: the name of a better known city elsewhere."""
_LONGER = (
    r"\b(?:since|until|(?i:deputy|vice|former)"
    r"|New|East|West|North|South|Port|Fort|Little|(?i:dark|light|pale|heavy)) (?:{0})\b"
    r"|\d{{4}}\s?[-–/]\s?(?:{0})\b|\b(?:{0})\s?[-–/]\s?\d{{4}}"
    r"|\bfrom (?:{0}) to\b|\b(?:{0}),? but not as\b"
    r"|\b(?:{0}) (?:per|poisoning|Jr|State|Street|County|Avenue)\b"
)
"""Another thing that has the name in its own: `East London`, `GDP per capita`."""


_MAY_LEAD = frozenset(
    listed(
        """in on at by the it its it's from to so thus yes president king queen prince
    princess emperor director author writer poet painter composer physicist sir lord
    lady dr professor mr mrs ms captain saint st pope
    answer"""
    )
)


def _is_longer_name(sentence: str, accepted: Sequence[str]) -> bool:
    """`Paris Hilton`, which begins with `Paris`."""
    words = sentence.rstrip(".").split()
    if words and words[0].casefold() in _MAY_LEAD:
        return False
    for each in accepted:
        rest = words[: -len(each.split())]
        if words[len(rest) :] == each.split() and 0 < len(rest) < 4 and each.istitle():
            return all(word.isalpha() and word.istitle() for word in rest)
    return 1 < len(words) < 5 and any(
        words[: len(each.split())] == each.split()
        and all(word.isalpha() and word[0].isupper() for word in words)
        for each in accepted
        if len(each.split()) < len(words) and each.isascii()
    )


def _names_one(
    sentence: str, accepted: Sequence[str], joint: str, inflected: bool
) -> bool:
    text = _HYPHENS.sub(joint, _bare(sentence))
    found = list(_TOKEN.finditer(text))
    words = [_NUMBERED.get(one[0], one[0]) for one in found]
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
            wanted = [_NUMBERED.get(token, token) for token in _tokens(name, joint)]
            if len(wanted) > 1 and wanted[0] == "the":
                wanted = wanted[1:]
            more = inflected and len("".join(wanted)) > 3
            for start in _places(wanted, words, more):
                end = start + len(wanted)
                around = text[: found[start].start()], text[found[end - 1].end() :]
                if is_its_own(words, gaps, start, end, around):
                    return True
    return False


_NUMBERED = table(
    """ii=2 iii=3 iv=4 vi=6 vii=7 viii=8 ix=9 xi=11 xii=12 xiii=13 xiv=14 one=1 two=2
    three=3 four=4 five=5"""
)


def _places(part: list[str], text: list[str], inflected: bool = False) -> Iterator[int]:
    """Where the tokens are in the text, next to each other. `inflected`: the last one
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
