"""Files that are not sessions, and files that mean harm: each is one sentence."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from verifytui.sessions.errors import SessionError
from verifytui.sessions.journal import Journal
from verifytui.sessions.load import LIMIT

NOTE = b"---\nevent: note\nnumber: 5\ntime: x\ntext: hi\nabout: null\n...\n"
BOMB = b"a: &a [x, x]\n" + b"".join(
    b"%c: &%c [*%c, *%c]\n" % (98 + i, 98 + i, 97 + i, 97 + i) for i in range(20)
)


def bad(data: bytes) -> str:
    with pytest.raises(SessionError) as caught:
        Journal.from_bytes(data, "it.yaml")
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    assert sentence.endswith(".")
    assert sentence.startswith(("it.yaml", "The header of it.yaml", "Event "))
    return sentence


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"hello there", "does not begin with `format: verifytui/1`"),
        (b"- a\n- b\n", "does not begin with"),
        (b"- a\n- b\n...\n", "not a mapping of fields but a list"),
        (b"just words\n...\n", "not a mapping of fields but a single value"),
        (b"a: b: c\n...\n", "line 1: mapping values"),
        (b"a: [\n...\n", "line 2"),
        (b"format: verifytui/1\nid: x\n", "incomplete"),
        (b"format: verifytui/1\nid: x\n...\n", "header of it.yaml cannot be read"),
        (b"format: other/1\n...\n", "does not begin with"),
        (
            b"format: verifytui/2\nid: !new {}\n...\n",
            "newer VerifyTUI (format verifytui/2; this one reads verifytui/1)",
        ),
        (
            b"format: verifytui/1.7\nid: x\n...\n",
            "newer VerifyTUI (format verifytui/1.7; this one reads verifytui/1)",
        ),
        (b'---\nformat: "verifytui/12"\n', "newer VerifyTUI (format verifytui/12"),
        (BOMB + b"...\n", "alias"),
        (b"a: &a [*a]\n...\n", "alias"),
        (b"a: *nobody\n...\n", "alias"),
        (b"x: &x {a: b}\ny:\n  <<: *x\n...\n", "merge key"),
        (b"y:\n  <<: {a: b}\n...\n", "merge key"),
        (b"a: !!python/object:os.system [x]\n...\n", "tag"),
        (b"a: !!python/object/apply:os.system ['true']\n...\n", "tag"),
        (b"a: !!str x\n...\n", "tag"),
        (b"a: !mine x\n...\n", "tag"),
        (b"a: !!binary aGk=\n...\n", "tag"),
        (b"a: b\na: c\n...\n", "twice"),
        (b"{[a]: b}\n...\n", "not text"),
        (b"a: *" + b"x" * 5000 + b"\n...\n", "alias"),
        (b"a: \x1b\n...\n", "control character"),
        (b"a: \xff\xfe\n...\n", "UTF-8"),
        ("format: verifytui/1\n...\n".encode("utf-16"), "does not begin with"),
        (b"-\t" * 100_000 + b"a\n...\n", "line 1"),
        (b"a: b\n---\nc: d\n...\n", "line 2"),
    ],
)
def test_not_a_session(data: bytes, says: str) -> None:
    assert says in bad(data)


@pytest.mark.parametrize(
    "deep",
    [
        *(b"a: " + b"[" * n + b"]" * n + b"\n...\n" for n in (150, 100_000)),
        b"a: " + b"{a: " * 100_000 + b"\n...\n",
        b"- " * 100_000 + b"a\n...\n",
        b"? " * 100_000 + b"a\n...\n",
        b"".join(b" " * i + b"a:\n" for i in range(1500)) + b"...\n",
    ],
    ids=["150", "[", "{", "-", "?", "indent"],
)
def test_deep_nesting_is_refused_and_does_not_crash(deep: bytes) -> None:
    began = time.process_time()
    assert "nested deeper than 100 levels" in bad(deep)
    assert time.process_time() - began < 5


def test_deep_indentation_does_not_crash_a_thread_with_a_small_stack() -> None:
    deep = b"".join(b" " * i + b"a:\n" for i in range(3000)) + b"...\n"
    sentences: list[str] = []
    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=lambda: sentences.append(bad(deep)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert "nested deeper than 100 levels" in sentences[0]


def test_an_alias_bomb_costs_nothing() -> None:
    began = time.process_time()
    bad(BOMB + b"...\n")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            b"event: verdict",
            b"event: hologram",
            "Event 3 of it.yaml has the kind 'hologram'",
        ),
        (b"number: 3", b"number: 7", "expected event 3, found event 7"),
        (b"round: 1\nmode", b"round: many\nmode", "Event 3 of it.yaml cannot be read"),
        (b"workspace: debate", b"workspace: cooking", "workspace 'cooking'"),
        (
            b"mode: discriminative",
            b'mode: "a\\nb' + b"x" * 5000 + b'"',
            "Event 3 of it.yaml cannot be read",
        ),
        (b"event: verdict\n", b"", "Event 3 of it.yaml cannot be read"),
        (
            b"event: verdict\n",
            b"event: change\nfield: lineup.judge\nnew: 5\n",
            "Event 3 of it.yaml cannot be read",
        ),
    ],
)
def test_a_session_that_does_not_fit(
    saved: Path, old: bytes, new: bytes, says: str
) -> None:
    data = saved.read_bytes()
    assert old in data
    assert says in bad(data.replace(old, new, 1))


def test_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(LIMIT + 1)
    with pytest.raises(SessionError, match="larger than 64 MB"):
        Journal.open(path)
    assert "larger than 64 MB" in bad(b"a" * (LIMIT + 1))


def test_many_brackets_and_dashes_in_text_are_fine(saved: Path) -> None:
    text = "\n".join(["- [x] {y} ? z"] * 500)
    with Journal.open(saved) as journal:
        journal.session.events[0].text = text  # type: ignore[attr-defined]
        copy = Journal.create(saved.with_name("copy.yaml"), journal.session.header)
        copy.append(journal.session.events[0])
        copy.close()
    with Journal.open(saved.with_name("copy.yaml")) as journal:
        assert journal.session.events[0].text == text  # type: ignore[attr-defined]


def test_what_a_person_or_another_program_may_do_to_a_file(saved: Path) -> None:
    data = saved.read_bytes()
    whole = Journal.from_bytes(data).session
    assert Journal.from_bytes(b"\xef\xbb\xbf" + data).session == whole
    assert Journal.from_bytes(b"---\n" + data).session == whole
    assert Journal.from_bytes(data + b"# a remark\n\n").session == whole
    assert Journal.from_bytes(data + b"# a remark\n\n").torn is None
    assert (
        Journal.from_bytes(data.replace(b"\n...\n", b"\n... # end\n")).session == whole
    )
    assert Journal.from_bytes(data.replace(b"\n", b"\r\n")).session == whole
    assert Journal.from_bytes(data.removesuffix(b"\n")).session == whole
    later = Journal.from_bytes(
        data.replace(b"event: verdict\n", b"event: verdict\nmood: sunny\n")
    )
    assert later.session == whole


def test_the_next_event_need_not_be_ours(saved: Path) -> None:
    assert len(Journal.from_bytes(saved.read_bytes() + NOTE).session.events) == 5
