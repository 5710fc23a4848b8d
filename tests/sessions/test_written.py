"""What the quick reader takes is what the YAML reader gives; what is written in another
way it leaves alone.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.sessions.emit import document
from verifytui.sessions.errors import SessionError
from verifytui.sessions.fast_yaml import read_written
from verifytui.sessions.load import read_yaml

SIGNS = [
    *" \t\n\"'#:-,[]{}&*!|>%@`\\/0179exyYnN.~_é中\u00a0\u2028😀",
    "yes",
    "null",
    "---",
    "...",
    "  ",
]
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=12).map("".join)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
FLOWS = st.one_of(
    st.lists(VALUES, max_size=3),
    st.dictionaries(st.sampled_from(["input", "y", "no", "mode"]), VALUES, max_size=3),
)
MAPPINGS = st.dictionaries(
    st.sampled_from(["event", "time", "text", "usage", "on", "role"]),
    st.one_of(VALUES, FLOWS),
    min_size=1,
    max_size=4,
)
LINES = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(
                [
                    "text: |2-",
                    "text: |2",
                    "text: |2+",
                    "a: ",
                    "time: ",
                    "a: {b: ",
                    "a: [",
                    "",
                    "  ",
                    "   ",
                    " ",
                ]
            ),
            TEXTS,
        ).map("".join),
        TEXTS.map(lambda text: "  " + text),
    ),
    max_size=6,
)


def as_yaml(chunk: bytes) -> Any:
    try:
        return read_yaml(chunk, 0, len(chunk), "x")
    except SessionError:
        return "refused"


@given(MAPPINGS)
def test_what_we_write_is_read_as_yaml_reads_it(mapping: dict[str, Any]) -> None:
    chunk = document(mapping)
    assert read_written(chunk) in (None, as_yaml(chunk))


@given(LINES)
def test_whatever_else_is_taken_is_read_as_yaml_reads_it(lines: list[str]) -> None:
    chunk = "\n".join(["---", *lines, "...", ""]).encode("utf-8", "replace")
    found = read_written(chunk)
    assert found is None or repr(found) == repr(as_yaml(chunk))


def test_a_usual_event_is_taken() -> None:
    event = {
        "event": "speech",
        "number": 1,
        "time": "2026-11-22T22:10:04.749Z",
        "text": "One line.\n\n  Another: with # signs\n",
        "reasoning": None,
        "usage": {"input": 3, "output": None, "estimated": False},
        "cost": 0.25,
        "dropped": [],
        "answer": "yes",
    }
    assert read_written(document(event)) == event


@pytest.mark.parametrize(
    "line",
    [
        "a: &x 1",
        "a: *x",
        "a: !t 1",
        "<<: {b: 1}",
        "a: 1\na: 2",
        "a: 010",
        "a: 1:30",
        "a: {b: [1]}",
        "a: 'x'",
        "a:",
    ],
)
def test_what_is_odd_is_left_to_yaml(line: str) -> None:
    assert read_written(f"---\n{line}\n...\n".encode()) is None
