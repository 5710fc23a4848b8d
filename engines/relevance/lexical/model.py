"""The built-in `lexical`: extracts facts from a case and compares two cases by cues and
word overlap. It is not a language model.

It is the embedded default and a baseline: a model that does not beat it is not worth
its price. docs/lexical.md has every formula.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from operator import add
from typing import NamedTuple

from ....prompts.demonstrations import load
from ....sessions.errors import BadInput
from ...models.port import Delta, ModelCall, ModelError, ModelReply, ReplyStream
from ...retrieval.passages import sentences
from ...retrieval.tokeniser import Tokeniser, is_cjk
from ..messages import ExtractFacts, JudgeFactsTask
from ..settings import SETS
from .cues import CUES, Cues

NAME = "lexical"

MOST = 12
"""Facts of one kind."""
LONGEST = 100_000
"""Characters of a case that are read."""
SIGNS = 3
"""Kinds of cues that make a sentence a material fact."""
MATERIAL = 0.08
LEGAL = 0.45
"""From which on a pair is relevant."""
CHARGES = 0.7
"""Weight of the charges in the legal judgement; the rest is that of what the law asks
about.
"""


DOUBT = 2.0
"""What is taken as pointing to no charge at all: as much as two long cues."""
FAINT = 0.2
"""Share of the most that points to a charge up to which another charge is skipped.
"""
SECOND = 0.5
"""Share from which a charge is listed next to the likeliest one."""

_CLAUSE = re.compile(r"[\uff0c\u3002\uff1b\uff01\n;]|,\s|\.\s|\.$")

SAYS = {
    "zh": {
        "colon": "\uff1a",
        "comma": "\u3001",
        "charges": "线索词指向的罪名",
        "material": "实质事实的词面重合度为{score:.2f}，{than}界限{bound:.2f}。",
        "words": "共有：{words}。",
        "no words": "没有共同的词语。",
        "legal": "罪名线索与法律要点的重合度为{score:.2f}，{than}界限{bound:.2f}。",
        "same": "两案的线索词都指向{charges}。",
        "different": "线索词分别指向{one}和{other}。",
        "points": "共有的法律要点：{points}。",
        "no points": "没有共同的法律要点。",
        "none": "（无）",
        "above": "达到",
        "below": "低于",
    },
    "en": {
        "colon": ": ",
        "comma": ", ",
        "charges": "charges that the words point to",
        "material": "The words of the material facts overlap by {score:.2f}, {than} "
        "the bound "
        "of {bound:.2f}.",
        "words": " In common: {words}.",
        "no words": " No word is in common.",
        "legal": "Charges and legal points overlap by {score:.2f}, {than} the bound of "
        "{bound:.2f}.",
        "same": " In both cases the words point to {charges}.",
        "different": " The words point to {one} and to {other}.",
        "points": " Legal points in common: {points}.",
        "no points": " No legal point is in common.",
        "none": "nothing",
        "above": "which reaches",
        "below": "below",
    },
}
"""The sentences of facts and reasons."""


class _SideWords(NamedTuple):
    """The words of one side."""

    words: Mapping[str, float]
    """Word to weight."""
    size: float
    """Sum of the weights."""


class _LegalPoints(NamedTuple):
    """The legal points of one side."""

    charges: Mapping[str, float]
    """Charge to how much points to it; a vector no longer than 1, and shorter where
    little does.
    """
    points: frozenset[str]
    """The legal questions that the facts address."""


class LexicalAnnotator:
    """Answers from the task, at once and at no cost.

    Several sessions can use it at once. It caches the last few cases.
    """

    def __init__(self) -> None:
        self._words = Tokeniser("bigrams")
        self._lock = threading.Lock()
        self._weights: dict[str, tuple[Mapping[str, float], float]] = {}
        self._words_of = lru_cache(maxsize=256)(self._read)
        self._pairs_of = lru_cache(maxsize=256)(
            lambda text: tuple(self._words.pairs(text[:LONGEST]))
        )

    async def ask(self, call: ModelCall) -> ReplyStream:
        """Yield the reply in pieces, then whole: the JSON object that the role's prompt
        requests.
        """
        text = self._reply(call)
        if call.stream:
            for piece in re.findall(r"\s*\S{1,12}", text):
                yield Delta(call.role, piece)
        yield ModelReply.free(text, NAME)

    def _reply(self, call: ModelCall) -> str:
        match call.task:
            case ExtractFacts(kind="material") as task:
                return json.dumps(
                    {"facts": material(task.language, task.text)}, ensure_ascii=False
                )
            case ExtractFacts() as task:
                return json.dumps(
                    _apart(task.language, legal(task.language, task.material)),
                    ensure_ascii=False,
                )
            case JudgeFactsTask() as task:
                relevant, reason = self.judge(task)
                return json.dumps(
                    {"reason": reason, "relevant": relevant}, ensure_ascii=False
                )
        raise ModelError(
            "no-line",
            f"lexical cannot speak as {call.role or 'this role'}: it only "
            f"compares cases here; take a model.",
        )

    def judge(self, task: JudgeFactsTask) -> tuple[bool, str]:
        """Return whether the candidate is relevant, and the reason in the task's
        language.
        """
        says, score = _says(task.language), round(self.score(task), 2)
        if task.kind == "material":
            return score >= MATERIAL, _material_reason(says, score, self._shared(task))
        return score >= LEGAL, _legal_reason(says, score, *self._pointed(task))

    def score(self, task: JudgeFactsTask) -> float:
        """Return the score that is compared with the threshold, 0 to 1."""
        if task.kind == "material":
            return _overlap(*self._worded(task))
        one, other = self._pointed(task)
        charged = sum(
            share * other.charges.get(charge, 0.0)
            for charge, share in one.charges.items()
        )
        both = one.points | other.points
        return CHARGES * charged + (1 - CHARGES) * (
            len(one.points & other.points) / len(both) if both else 0.0
        )

    def _worded(self, task: JudgeFactsTask) -> tuple[_SideWords, _SideWords]:
        return self._words_of(task.language, tuple(task.query)), self._words_of(
            task.language, tuple(task.candidate)
        )

    def _pointed(self, task: JudgeFactsTask) -> tuple[_LegalPoints, _LegalPoints]:
        language = task.language
        return _points_of(language, (*task.query, *task.query_material)), _points_of(
            language, (*task.candidate, *task.candidate_material)
        )

    def _shared(self, task: JudgeFactsTask) -> list[str]:
        """Return the rarest runs of words in common, as the query has them."""
        one, other = self._worded(task)
        common = one.words.keys() & other.words.keys()
        runs = {}
        for text in task.query:
            run, weight = "", 0.0
            for raw, word in (*self._pairs_of(text), ("", "")):
                if word in common and is_cjk(word) and (not run or run[-1] == raw[0]):
                    run = run + raw[1:] if run else raw
                elif word in common and not is_cjk(word):
                    runs[raw.casefold()] = one.words[word]
                    continue
                else:
                    if run:
                        runs[run] = max(runs.get(run, 0.0), weight)
                    run, weight = (
                        (raw, 0.0) if word in common and is_cjk(word) else ("", 0.0)
                    )
                if run:
                    weight += one.words.get(word, 0.0)
        best = sorted(runs, key=lambda run: (-runs[run], run))
        return [
            run
            for place, run in enumerate(best[:12])
            if not any(run in before for before in best[:place])
        ][:5]

    def _read(self, language: str, texts: tuple[str, ...]) -> _SideWords:
        weights, unseen = self._known(language)
        words = {
            word: weights.get(word, unseen)
            for word in self._words.cut("\n".join(texts)[:LONGEST])
            if _counts(word)
        }
        return _SideWords(words, sum(words.values()))

    def _known(self, language: str) -> tuple[Mapping[str, float], float]:
        """Return each word's inverse frequency among the bundled cases of the language,
        and the value for a word that none of them has.
        """
        with self._lock:
            if language not in self._weights:
                try:
                    groups = load(SETS.get(language, language)).groups
                except BadInput:
                    groups = []
                cases = [case.text for group in groups for _, case in group.cases()]
                seen: dict[str, int] = {}
                for text in cases:
                    for word in set(self._words.cut(text)):
                        seen[word] = seen.get(word, 0) + 1
                self._weights[language] = (
                    {
                        word: math.log(1 + len(cases) / count)
                        for word, count in seen.items()
                    },
                    math.log(2 + len(cases)),
                )
            return self._weights[language]


def material(language: str, text: str) -> list[str]:
    """Return the sentences with the most kinds of cues, in the order of the text,
    without the procedure and the evidence.
    """
    cues = _cues(language)
    scored = []
    for place, (start, end) in enumerate(sentences(text[:LONGEST])):
        sentence = text[start:end]
        score = sum(
            pattern.search(sentence) is not None for pattern in cues.material.values()
        )
        score += 2 * bool(points(language, _found(language, sentence)))
        score -= 3 * (cues.empty.search(sentence) is not None)
        scored.append((score, -place, sentence))
    best = sorted(scored, reverse=True)[:MOST]
    best = [one for one in best if one[0] >= SIGNS] or best[:1]
    return [sentence for _, _, sentence in sorted(best, key=lambda one: -one[1])]


def legal(language: str, facts: Sequence[str]) -> list[str]:
    """Return the legal questions, each with the first clause that indicates it; the
    likeliest charges last.
    """
    says, listed = _says(language), _cues(language).legal
    text = "\n".join(facts)[:LONGEST]
    found = _found(language, text)
    clauses = [
        (clause.strip(), clause.casefold())
        for clause in _CLAUSE.split(text)
        if clause.strip()
    ]
    made = []
    for point in points(language, found):
        signs = [cue for cue in listed[point] if cue in found]
        clause = next(
            (one for one, folded in clauses if any(cue in folded for cue in signs)), ""
        )
        made.append(f"{point}{says['colon']}{clause}" if clause else point)
    likely = charges(language, found)
    best = sorted(likely, key=lambda charge: (-likely[charge], charge))[:2]
    named = says["comma"].join(charge for charge in best if likely[charge] >= SECOND)
    if named:
        made = [*made[: MOST - 1], f"{says['charges']}{says['colon']}{named}"]
    return made[:MOST]


def _apart(language: str, facts: Sequence[str]) -> dict[str, list[str]]:
    """Return legal facts in the form of a reply, with circumstances of sentencing in a
    separate list.
    """
    colon, named = _says(language)["colon"], _cues(language).secondary
    secondary = [fact for fact in facts if fact.partition(colon)[0] in named]
    return {
        "facts": [fact for fact in facts if fact not in secondary],
        "secondary": secondary,
    }


def charges(language: str, found: Set[str]) -> dict[str, float]:
    """Return how strongly the cues point to each charge, as a vector of length at most
    1; weak evidence gives a shorter vector.
    """
    weights = _index(language).charges
    sums: dict[str, float] = {}
    for cue in sorted(found):
        for charge, weight in weights.get(cue, ()):
            sums[charge] = sums.get(charge, 0.0) + weight
    most = max(sums.values(), default=0.0)
    kept = {charge: value**2 for charge, value in sums.items() if value > FAINT * most}
    size = math.sqrt(sum(value**2 for value in kept.values()) + DOUBT**2)
    return {charge: value / size for charge, value in kept.items()}


def points(language: str, found: Set[str]) -> list[str]:
    """Return the legal points that the cues indicate, in the order of the list."""
    told = {point for cue in found for point in _index(language).points.get(cue, ())}
    if told:
        return [point for point in _cues(language).legal if point in told]
    return []


class _CueIndex(NamedTuple):
    """The cues of a language, arranged for lookup."""

    starts: Mapping[str, list[str]]
    """The first two signs of a cue, or its only one, to the cues that begin so."""
    charges: Mapping[str, list[tuple[str, float]]]
    """Cue to charges and what it weighs for them: a long cue more, one of several
    charges less.
    """
    points: Mapping[str, list[str]]


@lru_cache
def _index(language: str) -> _CueIndex:
    cues = _cues(language)
    starts: dict[str, list[str]] = {}
    charged: dict[str, list[str]] = {}
    told: dict[str, list[str]] = {}
    for listed, into in ((cues.charges, charged), (cues.legal, told)):
        for name, signs in listed.items():
            for cue in signs:
                into.setdefault(cue, []).append(name)
    for cue in {**charged, **told}:
        starts.setdefault(cue[:2], []).append(cue)
    weighed = {
        cue: [(name, math.sqrt(len(cue)) / len(names)) for name in names]
        for cue, names in charged.items()
    }
    return _CueIndex(starts, weighed, told)


def _found(language: str, text: str) -> frozenset[str]:
    """Return the cues that occur in a text."""
    folded, starts = text.casefold(), _index(language).starts
    begun = starts.keys() & {*map(add, folded, folded[1:]), *folded}
    return frozenset(cue for start in begun for cue in starts[start] if cue in folded)


@lru_cache(maxsize=256)
def _points_of(language: str, texts: tuple[str, ...]) -> _LegalPoints:
    found = _found(language, "\n".join(texts)[:LONGEST])
    return _LegalPoints(charges(language, found), frozenset(points(language, found)))


def _overlap(one: _SideWords, other: _SideWords) -> float:
    common = sum(
        one.words[word] for word in sorted(one.words.keys() & other.words.keys())
    )
    if one.size and other.size:
        return common / math.sqrt(one.size * other.size)
    return 0.0


def _counts(word: str) -> bool:
    """Return whether a word is informative: not a number, a person's name as judgments
    write it, or a single character.
    """
    return len(word) > 1 and "\u67d0" not in word and not word[0].isdigit()


def _cues(language: str) -> Cues:
    return CUES["zh" if language.startswith("zh") else "en"]


def _says(language: str) -> Mapping[str, str]:
    return SAYS["zh" if language.startswith("zh") else "en"]


def _material_reason(
    says: Mapping[str, str], score: float, shared: Iterable[str]
) -> str:
    words = says["comma"].join(shared)
    told = says["material"].format(
        score=score,
        than=says["above" if score >= MATERIAL else "below"],
        bound=MATERIAL,
    )
    return told + (says["words"].format(words=words) if words else says["no words"])


def _legal_reason(
    says: Mapping[str, str], score: float, one: _LegalPoints, other: _LegalPoints
) -> str:
    told = says["legal"].format(
        score=score, than=says["above" if score >= LEGAL else "below"], bound=LEGAL
    )
    mine, theirs = _first(one), _first(other)
    if mine is not None and mine == theirs:
        told += says["same"].format(charges=mine)
    else:
        told += says["different"].format(
            one=mine or says["none"], other=theirs or says["none"]
        )
    shared = says["comma"].join(sorted(one.points & other.points))
    return told + (
        says["points"].format(points=shared) if shared else says["no points"]
    )


def _first(read: _LegalPoints) -> str | None:
    return min(
        read.charges, key=lambda charge: (-read.charges[charge], charge), default=None
    )
