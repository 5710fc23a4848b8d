"""Strings on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval import store
from verifytui.engines.retrieval.store import Strings, StringWriter


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(alphabet="ab#é中", max_size=4), max_size=12))
def test_where_a_string_stands(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("strings")
    with StringWriter(folder, "some") as writer:
        for text in texts:
            writer.add(text)
    strings = Strings(folder, "some")
    assert strings.all() == texts
    for text in {*texts, "a", "ab#", "\ud800"} - {""}:
        at = strings.place(text)
        assert at is None if text not in texts else texts[at or 0] == text
    strings.close()


def test_strings_by_their_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_BUFFER", 3)
    texts = ["a", "bcd", "Stra\u00dfe", "", "efgh", "\u00e9t\u00e9", "ijklm", "nop"]
    with StringWriter(tmp_path, "some") as writer:
        for text in texts:
            writer.add(text)
    strings = Strings(tmp_path, "some")
    found = [
        pair
        for places, some in strings.of_length(3, 4)
        for pair in zip(places.tolist(), some, strict=True)
    ]
    assert found == [(at, texts[at]) for at in (1, 2, 4, 5, 7)]
    strings.close()
