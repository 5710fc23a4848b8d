"""Words found again in a text, whatever was done to their signs."""

from __future__ import annotations

import pytest
from verifytui.engines.reading.places import ComparableText, plain, quoted

TEXT = (
    "Beorn, a skin-changer, turns into a Bear; the party is art. 他偷了 三件东西。 Ｔ"
    "ｈｅ end"
)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("turns into a Bear", "turns into a Bear"),
        ("  turns into a Bear ", "turns into a Bear"),
        ("TURNS  into a bear!", "turns into a Bear"),
        ("skin changer", "skin-changer"),
        ("the end", "Ｔｈｅ end"),
        ("偷了三件", "偷了 三件"),
        ("偷", "偷"),
        ("art", "art"),
        ("part", None),
        ("part of", None),
        ("turns in", None),
        ("urns into", None),
        ("Beorn … Bear", "Beorn, a skin-changer, turns into a Bear"),
        ("Beorn ... [...] Bear", "Beorn, a skin-changer, turns into a Bear"),
        ("Bear … Beorn", None),
        ("Beorn … Smaug", None),
        ("a … a", "a skin-changer, turns into a"),
        ("Beorn … Beorn", None),
        ("…", None),
        ("", None),
        ("!!", None),
        ("Smaug", None),
        ("Beorn", "Beorn"),
        ("end", "end"),
    ],
)
def test_words_as_they_stand(words: str, wanted: str | None) -> None:
    assert quoted(words, TEXT) == wanted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("Beorn", (0, 5)),
        (" Beorn ", (0, 5)),
        ("beorn a", (0, 8)),
        ("end", (len(TEXT) - 3, len(TEXT))),
        ("the end", (len(TEXT) - 7, len(TEXT))),
        ("eor", (1, 4)),
        ("", None),
        ("?", None),
        ("Smaug", None),
    ],
)
def test_places_of_words(words: str, wanted: tuple[int, int] | None) -> None:
    assert ComparableText(TEXT).find(words) == wanted


def test_signs_are_compared_in_one_case_and_width() -> None:
    assert plain("Ａb-1 ß, é") == "ab1ssé"
    assert ComparableText("ﬁ x").find("FI") == (0, 1)
    assert ComparableText("a b").span(0, 2) == (0, 3)
