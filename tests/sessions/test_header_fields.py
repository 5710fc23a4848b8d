"""A header read field by field is what it is as a whole, and refused where it is."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.sessions.errors import SessionError
from verifytui.sessions.load import _fields, _first_document, read_yaml

LINES = [
    b"format: verifytui/1",
    b"title: What is 7?",
    b'title: "x',
    b'foo: bar"',
    b"prompts:",
    b"settings:",
    b"  level: 2",
    b"  hash: &a x",
    b"  more: *a",
    b"  set: &a y",
    b"lineup: {judge: {model: a}}",
    b"lineup: {judge: {model: a}",
    b"task: |2-",
    b"",
    b"  # a remark",
    b"# a remark",
    b"versions: !!map {a: b}",
    b"yes: 1",
    b"\xe2\x80\xa8id: x",
    b"a: b\rc: d",
    b"---",
    b"- x",
]


def read(data: bytes, *, whole: bool) -> object:
    reader = read_yaml if whole else _first_document
    try:
        return reader(data, 0, len(data), "it.yaml")
    except SessionError as error:
        return str(error)


@given(st.lists(st.sampled_from(LINES), max_size=9))
def test_fields_one_by_one_are_those_of_the_whole(lines: list[bytes]) -> None:
    data = b"\n".join([*lines, b"...\n"])
    assert read(data, whole=False) == read(data, whole=True)


@pytest.mark.parametrize(
    "lines",
    [
        # what one field has open, the next one may close
        [b'title: "x', b"settings:", b"  level: 2", b'foo: bar"'],
        # an anchor that two fields have is refused, and so is an alias
        [b"settings:", b"  a: &a x", b"prompts:", b"  b: &a y"],
        [b"settings:", b"  a: &a x", b"prompts:", b"  b: *a"],
        [b"settings:", b"  a: 1", b"settings:", b"  a: 2"],
        [b"title: x", b"a: b\rc: d"],
        [b"- x"],
        [],
    ],
)
def test_what_depends_on_another_field_is_read_as_a_whole(lines: list[bytes]) -> None:
    data = b"".join(line + b"\n" for line in [*lines, b"..."])
    with contextlib.suppress(SessionError):
        assert _fields(data) is None
    assert read(data, whole=False) == read(data, whole=True)
