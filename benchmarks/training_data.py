"""Folders in BEIR's form for benchmarks/training.py, made of ../shared/data: cases with
the same charge, and questions with their passages.

Nothing here is a label of a person on a pair, but LeCaRD's: that two cases have the
same charge says that they are near, no more.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 0
A_LEVEL = 2
"""Training pairs of each case at each level, so that the level that most pairs have, 0,
does not drown the others.
"""

CHAPTERS = (
    "背叛国家罪",
    "放火罪",
    "生产、销售伪劣产品罪",
    "故意杀人罪",
    "抢劫罪",
    "妨害公务罪",
    "阻碍军人执行职务罪",
    "贪污罪",
    "滥用职权罪",
    "战时违抗命令罪",
)
"""The charge that each chapter of the Criminal Law's special part begins with: LeCaRD's
list of charges is in the order of the law.
"""

Grades = dict[str, dict[str, int]]
"""Query → document → level."""


class Case(NamedTuple):
    name: str
    text: str
    charges: frozenset[str]
    chapters: frozenset[int]


def rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (DATA / name).read_text("utf-8").splitlines()
        if line.strip()
    ]


def write(
    folder: Path,
    corpus: Mapping[str, str],
    queries: Mapping[str, str],
    grades: Mapping[str, Grades],
) -> None:
    """A data set: texts by id, and levels by set and query."""
    (folder / "qrels").mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"_id": name, "title": "", "text": text}, ensure_ascii=False)
            + "\n"
            for name, text in corpus.items()
        )
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"_id": name, "text": text}, ensure_ascii=False) + "\n"
            for name, text in queries.items()
        )
    for name, by_query in grades.items():
        lines = [
            f"{query}\t{document}\t{level}\n"
            for query, graded in by_query.items()
            for document, level in graded.items()
        ]
        (folder / "qrels" / f"{name}.tsv").write_text(
            "query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8"
        )


class Charges:
    """Names of charges, brought to those of LeCaRD's list."""

    def __init__(self) -> None:
        listed = (DATA / "lecard/criminal_charges.txt").read_text("utf-8").split()
        begins = [listed.index(first) for first in CHAPTERS]
        self._places = {_letters(name): number for number, name in enumerate(listed)}
        self._chapter = [
            sum(number >= begin for begin in begins) for number in range(len(listed))
        ]

    def named(self, name: str) -> str | None:
        """The listed charge: by its letters, else the shortest one that holds them in
        this order, or None.

        So 贩卖毒品罪 is 走私、贩卖、运输、制造毒品罪.
        """
        letters = _letters(name)
        if letters in self._places:
            return letters
        holding = [
            one for one in self._places if len(letters) > 3 and _within(letters, one)
        ]
        return min(holding, key=lambda one: (len(one), self._places[one]), default=None)

    def case(self, name: str, text: str, names: Iterable[str]) -> Case | None:
        """The case with its charges; None without one of the list."""
        charges = frozenset(
            found for name in names if (found := self.named(name)) is not None
        )
        chapters = frozenset(self._chapter[self._places[one]] for one in charges)
        return Case(name, text, charges, chapters) if charges else None


def _letters(name: str) -> str:
    return re.sub(r"\W", "", name).removesuffix("罪") + "罪"


def _within(part: str, whole: str) -> bool:
    """True if the letters of `part` stand in `whole` in their order."""
    left = iter(whole)
    return all(letter in left for letter in part)


def level(one: Case, other: Case) -> int:
    """3: the same charges.

    2: a charge in common. 1: charges of one chapter of the law. 0: else.
    """
    if one.charges == other.charges:
        return 3
    return (
        2 if one.charges & other.charges else int(bool(one.chapters & other.chapters))
    )


def cases(told: Callable[[str], None]) -> list[Case]:
    """Cases of LawBench (the charge is given) and of JuDGE (it stands in the verdict),
    without those that are candidates of LeCaRD.
    """
    known = Charges()
    documents, asked = rows("lecard/docs.jsonl"), rows("lecard/queries.jsonl")
    held = {one.get("text_id") for one in documents}
    given = rows("lawbench-charges/charges.jsonl")
    judged = rows("judge-statutes/cases.jsonl")
    others = [one for one in judged if one["id"] not in held]
    found = [
        *(
            known.case(
                one["id"],
                one["fact"].removeprefix("事实:"),
                one["answer"].removeprefix("罪名:").split(";"),
            )
            for one in given
        ),
        *(
            known.case(one["id"], one["fact"], _convicted(one["document"]))
            for one in others
        ),
    ]
    charged = [one for one in found if one is not None]
    apart = without_near(
        charged, [one["text"] for one in documents] + [one["fact"] for one in asked]
    )
    told(
        f"{len(apart)} cases of "
        f"{len({charge for one in apart for charge in one.charges})} charges. "
        f"Left out: "
        f"{len(judged) - len(others)} that are candidates of LeCaRD, "
        f"{len(found) - len(charged)} without a listed charge, "
        f"{len(charged) - len(apart)} that say nearly what a text of LeCaRD or "
        f"another case says"
    )
    return apart


def _convicted(document: str) -> list[str]:
    """The charges in the operative part of a judgment: 犯…罪 after 判决如下."""
    verdict = (
        document[document.rfind("判决如下") :]
        if "判决如下" in document
        else document[-800:]
    )
    return re.findall(r"犯([^，。；：]{1,60}?罪)", verdict)


def without_near(found: Sequence[Case], others: Sequence[str]) -> list[Case]:
    """The cases that say nearly the same neither as one of these texts nor as a case
    before them.
    """
    from verifytui.learning.synth.cases.words import NearDuplicates, WordNumbers

    words = WordNumbers()
    known = NearDuplicates(words)
    for number, text in enumerate(others):
        known.add(f"other {number}", text)
    kept = []
    for case in found:
        if not known.like(words.shingles(case.text)):
            known.add(case.name, case.text)
            kept.append(case)
    return kept


def make_charges(folder: Path, told: Callable[[str], None]) -> None:
    """7 : 1 : 2 by case.

    A case for validation or test is a query; the cases for training are its candidates,
    all of them.
    """
    listed = cases(told)
    random.Random(SEED).shuffle(listed)
    train, validation = (
        listed[: 7 * len(listed) // 10],
        listed[7 * len(listed) // 10 : 8 * len(listed) // 10],
    )
    test = listed[len(train) + len(validation) :]
    grades = {
        name: {
            one.name: {other.name: level(one, other) for other in train}
            for one in asked
        }
        for name, asked in (("validation", validation), ("test", test))
    }
    write(
        folder,
        {one.name: one.text for one in train},
        {one.name: one.text for one in listed},
        {
            "train": _pairs(train),
            **{
                name: {
                    query: each for query, each in found.items() if any(each.values())
                }
                for name, found in grades.items()
            },
        },
    )
    told(
        f"{len(train)} cases for training, {len(validation)} for validation, "
        f"{len(test)} for the test"
    )


def _pairs(train: Sequence[Case]) -> Grades:
    """For each case up to A_LEVEL others of each level, each pair once."""
    chance = random.Random(SEED)
    found: Grades = {}
    for one in train:
        by_level: dict[int, list[str]] = {}
        for other in train:
            if other.name != one.name and one.name not in found.get(other.name, {}):
                by_level.setdefault(level(one, other), []).append(other.name)
        found[one.name] = {
            name: at
            for at in sorted(by_level)
            for name in chance.sample(by_level[at], min(A_LEVEL, len(by_level[at])))
        }
    return found


def make_lecard(folder: Path, told: Callable[[str], None]) -> None:
    """`test`: the pairs with text, as the data has them; `all`: every query with every
    text. A pair without a label counts 0.
    """
    texts = {one["did"]: one["text"] for one in rows("lecard/docs.jsonl")}
    facts = {one["qid"]: one["fact"] for one in rows("lecard/queries.jsonl")}
    labels: dict[str, dict[str, int]] = json.loads(
        (DATA / "lecard/labels_top30.json").read_text("utf-8")
    )
    pairs: Grades = {}
    for one in rows("lecard/pairs_with_text.jsonl"):
        pairs.setdefault(one["qid"], {})[one["did"]] = one["label"] or 0
    every = {
        query: {
            name: labels[query].get(name, 0)
            for name, text in texts.items()
            if text != fact
        }
        for query, fact in facts.items()
    }
    grades = {
        "test": {
            query: each
            for query, each in pairs.items()
            if any(each.values()) and len(each) > 1
        },
        "all": {query: each for query, each in every.items() if any(each.values())},
    }
    write(folder, texts, facts, grades)
    told(
        f"LeCaRD: {len(grades['test'])} queries with "
        f"{sum(map(len, grades['test'].values()))} pairs with text, "
        f"{len(grades['all'])} queries with all of {len(texts)} texts"
    )


def articles(half: int) -> list[int]:
    """Half of XQuAD's articles, drawn once."""
    listed = sorted({one["article"] for one in rows("xquad/passages.en.jsonl")})
    random.Random(SEED).shuffle(listed)
    return listed[half::2]


def make_xquad(folder: Path, language: str, half: int) -> None:
    """Trained on half of the articles (every sixth of them for validation).

    The other half's questions have its passages as candidates.
    """
    passages, questions = (
        rows(f"xquad/passages.{language}.jsonl"),
        rows(f"xquad/questions.{language}.jsonl"),
    )
    mine = articles(half)
    sets = {"validation": set(mine[::6]), "test": set(articles(1 - half))}
    grades: dict[str, Grades] = {
        "train": {
            one["id"]: {one["pid"]: 1}
            for one in questions
            if one["article"] in set(mine) - sets["validation"]
        }
    }
    for name, wanted in sets.items():
        candidates = [one["pid"] for one in passages if one["article"] in wanted]
        grades[name] = {
            one["id"]: {pid: int(pid == one["pid"]) for pid in candidates}
            for one in questions
            if one["article"] in wanted
        }
    write(
        folder,
        {one["pid"]: one["text"] for one in passages},
        {one["id"]: one["question"] for one in questions},
        grades,
    )


def article_of(language: str) -> dict[str, str]:
    """Question → its article."""
    return {
        one["id"]: str(one["article"])
        for one in rows(f"xquad/questions.{language}.jsonl")
    }


def lost(wanted: Iterable[str]) -> list[str]:
    """The files that are not there."""
    return sorted(itertools.filterfalse(lambda name: (DATA / name).exists(), wanted))
