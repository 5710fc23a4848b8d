"""The bundled items of an audit: how many, how balanced, and right by construction."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.judges.items import Seat, bundled, read_items

FOLDER = Path(__file__).resolve().parents[3] / "engines" / "judges" / "items"
SEATS = (
    "annotator",
    "claims",
    "equivalence",
    "grader",
    "judge",
    "judge-ambiguity",
    "ranker",
    "verifier",
)
FIELDS = {
    "judge-ambiguity": {"right", "question", "accepted", "wrong", "answer"},
    "annotator": {"kind", "relevant", "query_facts", "candidate_facts", "translated"},
    "claims": {"right", "question", "references", "answer", "translated"},
    "equivalence": {"right", "question", "accepted", "answer", "translated"},
    "grader": {"level", "query", "candidate", "translated"},
    "judge": {"right", "topic", "speeches", "correct_side", "answers"},
    "ranker": {"right", "question", "accepted", "answers", "best"},
    "verifier": {"right", "question", "references", "answer", "translated"},
}
LANGUAGES = ("en", "zh")

Item = dict[str, Any]


def read(seat: str) -> list[Item]:
    lines = (FOLDER / f"{seat}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


ITEMS = {seat: read(seat) for seat in SEATS}
ACCEPTED = {item["question"]: item["accepted"][0] for item in ITEMS["equivalence"]}


def passage(item: Item) -> str:
    return " ".join(reference["text"] for reference in item["references"])


def truth(item: Item) -> Any:
    """What a fair judge says of an item, as one value."""
    for field in ("level", "relevant", "right"):
        if field in item:
            return item[field]
    raise KeyError(item["id"])


def question_of(debate: Item) -> str:
    question: str = debate["topic"].rsplit("\n", 1)[1]
    return question


def ending(speech: Item) -> str:
    """The answer in the last line of a speech."""
    line: str = speech["text"].rsplit("\n", 1)[1]
    return line.removeprefix("Answer: ").removeprefix("答案：")


def test_each_seat_has_a_file() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == list(SEATS)


@pytest.mark.parametrize("seat", SEATS)
def test_each_item_has_the_fields_of_its_seat(seat: str) -> None:
    common = {"id", "lang", "seat", "cluster"}
    for item in ITEMS[seat]:
        assert set(item) == common | FIELDS[seat], item["id"]
        assert item["seat"] == seat


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seat", SEATS)
def test_a_seat_is_balanced_in_each_language(seat: str, language: str) -> None:
    verdicts = Counter(truth(item) for item in ITEMS[seat] if item["lang"] == language)
    assert verdicts.total() >= 75
    assert len(verdicts) == (4 if seat == "grader" else 2)
    assert len(set(verdicts.values())) == 1, verdicts


@pytest.mark.parametrize("seat", SEATS)
def test_a_cluster_holds_few_items_and_no_single_verdict(seat: str) -> None:
    clusters: dict[str, list[Any]] = {}
    for item in ITEMS[seat]:
        clusters.setdefault(item["cluster"], []).append(truth(item))
    assert len(clusters) >= 40
    for cluster, verdicts in clusters.items():
        assert 2 <= len(verdicts) <= 4, cluster
        assert len(set(verdicts)) > 1, cluster


def test_ids_are_unique() -> None:
    ids = Counter(item["id"] for items in ITEMS.values() for item in items)
    assert set(ids.values()) == {1}


@pytest.mark.parametrize("seat", SEATS)
def test_no_two_items_ask_the_same(seat: str) -> None:
    given = Counter(
        json.dumps(
            {
                field: value
                for field, value in item.items()
                if field in FIELDS[seat] - {"right", "level", "relevant", "translated"}
            },
            sort_keys=True,
        )
        for item in ITEMS[seat]
    )
    assert set(given.values()) == {1}


@pytest.mark.parametrize("seat", ["verifier", "claims"])
def test_no_two_answers_are_the_same(seat: str) -> None:
    assert len({item["answer"] for item in ITEMS[seat]}) == len(ITEMS[seat])


def test_no_two_speeches_are_the_same() -> None:
    texts = [speech["text"] for item in ITEMS["judge"] for speech in item["speeches"]]
    assert len(set(texts)) == len(texts)


def test_a_right_answer_is_in_the_references_and_a_wrong_one_is_not() -> None:
    for item in ITEMS["verifier"]:
        accepted = ACCEPTED[item["question"]]
        assert accepted in passage(item), item["id"]
        said = accepted.lower() in item["answer"].lower()
        assert said is item["right"], item["id"]


def test_a_wrong_claim_is_not_in_the_references() -> None:
    wrong: dict[str, str] = {
        question_of(item): ending(speech)
        for item in ITEMS["judge"]
        for speech in item["speeches"]
        if speech["role"] != item["correct_side"]
    }
    assert wrong.keys() == ACCEPTED.keys()
    for item in ITEMS["claims"]:
        text = passage(item).lower()
        here = {
            other["question"]
            for other in ITEMS["claims"]
            if other["cluster"] == item["cluster"]
        }
        answer = item["answer"].lower()
        assert len(here) == 2
        assert not any(wrong[question].lower() in text for question in here)
        false = sum(wrong[question].lower() in answer for question in here)
        true = sum(ACCEPTED[question].lower() in answer for question in here)
        assert (true, false) == ((2, 0) if item["right"] else (1, 1)), item["id"]


def test_the_correct_side_of_a_debate_gives_the_accepted_answer() -> None:
    for item in ITEMS["judge"]:
        said = {speech["role"]: ending(speech) for speech in item["speeches"]}
        assert list(said) == ["affirmative", "negative"]
        correct = said.pop(item["correct_side"])
        assert correct == item["answers"][0]
        assert correct in item["topic"], item["id"]
        assert not set(said.values()) & set(item["answers"])
        assert item["right"] is (item["correct_side"] == "affirmative")


def test_an_equivalent_answer_is_the_accepted_one_in_other_words() -> None:
    others = {question_of(item): item["answers"] for item in ITEMS["judge"]}
    for item in ITEMS["equivalence"]:
        assert item["answer"] not in item["accepted"]
        same = item["answer"] in others[item["question"]]
        assert same is item["right"], item["id"]


def test_a_right_translation_has_the_right_reading_in_other_words() -> None:
    """Right and wrong differ in the words that a reading is told by, and those of the
    other one are in no right translation.
    """
    pairs: dict[str, dict[bool, Item]] = {}
    for item in ITEMS["judge-ambiguity"]:
        pairs.setdefault(item["cluster"], {})[item["right"]] = item
    for cluster, pair in pairs.items():
        right, wrong = pair[True], pair[False]
        assert right["question"] == wrong["question"]
        assert right["accepted"] == wrong["accepted"] != right["wrong"]
        assert right["answer"] not in right["accepted"] + right["wrong"]
        said, meant = differing(right["answer"], wrong["answer"])
        assert said in right["accepted"][0], cluster
        assert meant in right["wrong"][0], cluster
        assert meant not in right["answer"], cluster


def differing(one: str, other: str) -> tuple[str, str]:
    """What stands in each of two texts between their common beginning and end."""
    start = alike(one, other)
    end = alike(one[start:][::-1], other[start:][::-1])
    return one[start : len(one) - end], other[start : len(other) - end]


def alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


@pytest.mark.parametrize(
    ("seat", "of"),
    [
        ("judge-correctness", "equivalence"),
        ("judge-quality", "equivalence"),
        ("judge-preference", "ranker"),
    ],
)
def test_measures_are_judged_on_items_of_other_seats(seat: Seat, of: str) -> None:
    found = read_items(bundled(seat), seat)
    assert [one.id for one in found] == [item["id"] for item in ITEMS[of]]
    assert {one.seat for one in found} == {seat}


def test_the_best_answer_stands_in_both_places_and_is_not_always_longer() -> None:
    places: Counter[tuple[str, str, bool]] = Counter()
    for item in ITEMS["ranker"]:
        texts = {answer["name"]: answer["text"] for answer in item["answers"]}
        assert list(texts) == ["A", "B"]
        assert item["right"] is (item["best"] == "A")
        best = texts.pop(item["best"])
        (other,) = texts.values()
        places[item["lang"], item["best"], len(best) > len(other)] += 1
    assert len(places) == 8
    assert min(places.values()) >= 15, places


def test_wrong_answers_are_as_long_as_right_ones() -> None:
    for seat in ("verifier", "claims", "equivalence"):
        for language in LANGUAGES:
            lengths: dict[bool, list[int]] = {True: [], False: []}
            for item in ITEMS[seat]:
                if item["lang"] == language:
                    lengths[item["right"]].append(len(item["answer"]))
            right, wrong = (sum(lengths[side]) for side in (True, False))
            assert 0.85 <= right / wrong <= 1.18, (seat, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_correct_speech_is_not_always_the_shorter_one(language: str) -> None:
    longer = Counter(
        [
            len(speech["text"])
            for speech in sorted(
                item["speeches"], key=lambda s: s["role"] != item["correct_side"]
            )
        ]
        == sorted((len(speech["text"]) for speech in item["speeches"]), reverse=True)
        for item in ITEMS["judge"]
        if item["lang"] == language
    )
    assert 0.4 <= longer[True] / longer.total() <= 0.6, longer


def test_a_grade_follows_from_the_facts() -> None:
    """Level = 1 for alike material facts + 2 for alike legal facts."""
    facts = {
        (item["lang"], item["cluster"], item["kind"]): item
        for item in ITEMS["annotator"]
    }
    for item in ITEMS["grader"]:
        for bit, kind in ((1, "material"), (2, "legal")):
            pair = facts[item["lang"], item["cluster"], kind]
            assert all(fact in item["query"] for fact in pair["query_facts"])
            shared = all(fact in item["candidate"] for fact in pair["candidate_facts"])
            alike = bool(item["level"] & bit)
            assert shared is (alike is pair["relevant"]), item["id"]


def test_a_translation_is_in_the_other_language() -> None:
    def chinese(text: str) -> bool:
        return any("\u4e00" <= character <= "\u9fff" for character in text)

    for items in ITEMS.values():
        for item in items:
            parts = item.get("speeches", []) or item.get("answers", [])
            texts = [part["translated"] for part in parts]
            own = item.get("translated", [])
            texts += [own] if isinstance(own, str) else own
            for quoting in texts:
                text = re.sub('"[^"]*"', "", quoting)
                if any(character.isalpha() for character in text):
                    assert chinese(text) is (item["lang"] == "en"), item["id"]
