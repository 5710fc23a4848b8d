"""An object that a reply only quotes is never taken for its own, and honest replies are
read, whatever reader reads them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from verifytui.tests.support.quoting import (
    HONEST,
    QUOTING,
    READERS,
    STILL_UNREAD,
    UNREAD,
    Case,
    cases,
    filled,
    heard,
)
from verifytui.tests.support.quoting_more import MORE

pytestmark = pytest.mark.slow

SENTENCES = [
    (name, language) for language, readers in READERS.items() for name in readers
]


@pytest.mark.parametrize(("reader", "language"), SENTENCES)
def test_a_quoted_object_is_unread(reader: str, language: str) -> None:
    read = [
        (case.text, heard(case))
        for case in cases()
        if (case.reader, case.language, case.wanted) == (reader, language, UNREAD)
    ]
    assert len(read) >= len(QUOTING[language])
    assert [(text, value) for text, value in read if value != UNREAD] == []


@pytest.mark.parametrize(("reader", "language"), SENTENCES)
def test_honest_replies_are_read(reader: str, language: str) -> None:
    own = [
        case
        for case in cases()
        if (case.reader, case.language) == (reader, language) and case.wanted != UNREAD
    ]
    assert len(own) > len(HONEST[language])
    assert [
        (case.text, found) for case in own if (found := heard(case)) != case.wanted
    ] == []


@pytest.mark.parametrize(
    ("reader", "text", "sent", "wanted"),
    MORE,
    ids=[f"{reader}-{ascii(text)[:50]}" for reader, text, _, wanted in MORE],
)
def test_one_by_one(reader: str, text: str, sent: list[str], wanted: Any) -> None:
    assert heard(Case(reader, "en", text, sent, wanted)) == wanted


@pytest.mark.parametrize(("reader", "language", "template"), STILL_UNREAD)
def test_in_doubt_an_honest_reply_is_asked_for_again(
    reader: str, language: str, template: str
) -> None:
    text = filled(template, READERS[language][reader])
    assert heard(Case(reader, language, text, [], None)) == UNREAD


def test_how_many_there_are() -> None:
    of = Counter(reader for reader, *_ in MORE)
    assert len(MORE) >= 150
    assert min(of[reader] for reader in READERS["en"]) >= 6
    assert len(cases()) > 1000
