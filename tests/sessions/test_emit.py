"""What is written comes back exactly, through our reader and through any other YAML
reader.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from verifytui.sessions import load
from verifytui.sessions.emit import document

AWKWARD = [
    *(
        "",
        " ",
        "\n",
        "\n\n\n",
        "  \n  ",
        "\t",
        "a\n",
        "a\n\n",
        "a\n \n",
        "\na",
        "\n\n  a\n",
        "  a",
        "a  ",
        "a\tb",
    ),
    *(
        "\ta\n\tb",
        "true",
        "no",
        "Yes",
        "null",
        "~",
        "1e3",
        "1",
        "-1",
        "1_000",
        "0x1f",
        "017",
        "1:30",
        ".inf",
        "2026-11-21",
    ),
    *(
        "2026-11-21T04:44:00.123Z",
        "---",
        "...",
        "a\n---\nb\n...\n",
        "--- a",
        "- a",
        "? a",
        ": a",
        "a: b",
        "a:",
        "a #b",
        "#a",
    ),
    *(
        "&a",
        "*a",
        "!a",
        "%a",
        "@a",
        "`a",
        "<<",
        "=",
        "[a",
        "{a",
        "a]",
        "'a'",
        '"a"',
        "a\\n",
        "|",
        ">",
        "a\r\nb",
        "a\rb",
    ),
    *(
        "\x85",
        "a\x85b\nc",
        "\u2028",
        "a\u2029b\nc",
        "\ufeff",
        "a\ufeff\nb",
        "🙂 \nb",
        "吃掉敌人一个师\n他从后门",
        "\x00",
        "a\x1b[31m\nb",
    ),
    *(
        "\x7f",
        "\x9b",
        "\ufffe",
        "\uffff\n",
        "é",
        "\u3000a\nb\u3000",
        "x" * 5000,
        "openai/gpt-4:free",
        "1.5 m/s",
    ),
    *("sha256:ab", "a, b", "-", "0", "1.", "y", "n", "On"),
]


def read(data: bytes) -> Any:
    return load.read_document(data, 0, len(data), "it")


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_comes_back(text: str) -> None:
    value = {
        "text": text,
        "list": [text, {"a": text, "b": [text]}],
        "map": {"x": {"y": text}},
        "last": text,
    }
    data = document(value)
    assert read(data) == value
    assert yaml.load(data, yaml.CSafeLoader) == value
    assert yaml.load(data, yaml.SafeLoader) == value
    assert data.endswith(b"\n...\n")
    assert data.startswith(b"---\n")


@given(st.text())
@example("a\n\t\n ")
@example("\n \n")
@settings(max_examples=400, deadline=None)
def test_any_text_comes_back(text: str) -> None:
    value = {"text": text, "more": {"deep": [text]}, "last": text}
    data = document(value)
    assert read(data) == value
    assert yaml.load(data, yaml.CSafeLoader) == value


@given(
    st.text(alphabet=" \n\t\r-.:#'\"|>&*!?%@`,[]{}ab1é🙂\x85\u2028\ufeff", max_size=40)
)
@settings(max_examples=400, deadline=None)
def test_any_text_of_awkward_characters_comes_back(text: str) -> None:
    value = {text or "x": text, "items": [text], "last": text}
    data = document(value)
    assert read(data) == value
    assert yaml.load(data, yaml.CSafeLoader) == value
    assert yaml.load(data, yaml.SafeLoader) == value


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=200)
)
KEY = st.text(max_size=20)
ANY = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(KEY, ANY, max_size=6))
@settings(max_examples=300, deadline=None)
def test_any_fields_come_back(value: dict[str, Any]) -> None:
    data = document(value)
    if value:
        assert read(data) == value
        assert yaml.load(data, yaml.CSafeLoader) == value


def test_the_reader_without_libyaml_reads_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    value = {"text": "a\n b\n", "n": [1, 1.5, True, None, {"x": "true"}]}
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert read(document(value)) == value


def test_a_person_can_read_and_compare_it() -> None:
    written = document(
        {
            "event": "speech",
            "time": "2026-11-21T04:44:00.123Z",
            "text": "First 🙂 \n\n  - *two*\n",
            "usage": {"input": 1, "output": None},
            "reason": "x " * 80,
            "answer": "1e3",
        }
    ).decode()
    assert written == (
        "---\nevent: speech\ntime: 2026-11-21T04:44:00.123Z\ntext: |2\n  First 🙂 "
        "\n\n    - *two*\nusage: {input: 1, output: null}\n"
        "reason: |2-\n  " + "x " * 80 + '\nanswer: "1e3"\n...\n'
    )


def test_lone_surrogates_are_refused_here() -> None:
    with pytest.raises(UnicodeEncodeError):
        document({"text": "\ud800"})
