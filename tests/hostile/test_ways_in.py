"""Files of others: whatever is in them, it is read as it stands or refused in a
sentence.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from verifytui.engines.cases.importers.cases import read_candidates, read_queries
from verifytui.engines.cases.importers.labels import read_labels
from verifytui.engines.cases.importers.pairs import pair_of
from verifytui.engines.debate.importer import import_debates
from verifytui.engines.retrieval.documents import Unreadable, read
from verifytui.engines.retrieval.given_references import read_references
from verifytui.engines.retrieval.passages import cut, sentences
from verifytui.prompts import load as load_prompts
from verifytui.prompts.demonstrations import load as load_demonstrations
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import private_dir
from verifytui.tests.support import hostile_texts as hostile

texts = st.sampled_from(hostile.SHORT) | st.text(max_size=40)
keys = (
    st.sampled_from(
        [
            "id",
            "text",
            "title",
            "role",
            "content",
            "q",
            "query",
            "candidate",
            "ridx",
            "label",
        ]
    )
    | texts
)
anything = st.recursive(
    texts | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=8,
)
some = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def dumped(value: Any, *, plain: bool) -> bytes:
    return json.dumps(value, ensure_ascii=plain).encode("utf-8", "surrogatepass")


def damaged(data: bytes, at: list[tuple[int, bytes]]) -> bytes:
    """With bytes exchanged for others at some places."""
    for place, other in at:
        place %= len(data) + 1
        data = data[:place] + other + data[place + 1 :]
    return data


damage = st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=2)), max_size=3)

messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["assistant", "user"]), "content": texts | anything}
    )
    | anything,
    max_size=5,
)
debates = st.fixed_dictionaries(
    {
        "players": st.dictionaries(
            st.sampled_from(
                ["Affirmative side", "Negative side", "Moderator", "Judge"]
            ),
            messages,
            max_size=4,
        )
    },
    optional=dict.fromkeys(
        (
            "source",
            "debate_topic",
            "model_name",
            "temperature",
            "id",
            "correct reference",
            "debate translation",
        ),
        anything,
    ),
)


@some
@given(debates | anything, st.booleans(), damage)
def test_recorded_debates(
    tmp_path: Path, record: Any, plain: bool, at: list[tuple[int, bytes]]
) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(damaged(dumped(record, plain=plain), at))
    try:
        for header, events in import_debates(path):
            journal = Journal.create(None, header)
            for event in events:
                journal.append(event)
            if not at:
                said = [
                    one["content"]
                    for listed in record["players"].values()
                    for one in listed
                    if one["role"] == "assistant"
                ]
                clean = [text.encode("utf-8", "replace").decode() for text in said]
                assert all(
                    getattr(event, "text", clean[0]).encode("utf-8", "replace").decode()
                    in clean
                    for event in events
                )
    except BadInput as error:
        hostile.sentence(error)


def recorded(**changes: Any) -> dict[str, Any]:
    said = [{"role": "assistant", "content": "Because.\n\nAnswer: 4"}]
    players = {"Affirmative side": said, "Negative side": said}
    return {
        "debate_topic": "Why?",
        "players": players,
        "id": 7,
        "model_name": "gpt",
        **changes,
    }


@pytest.mark.parametrize("content", [None, 4, ["a"], {"a": "b"}])
def test_a_message_that_is_no_text_is_not_made_one(
    content: Any, tmp_path: Path
) -> None:
    path = tmp_path / "d.json"
    players = recorded()["players"] | {
        "Negative side": [{"role": "assistant", "content": content}]
    }
    path.write_text(json.dumps(recorded(players=players)))
    with pytest.raises(
        BadInput,
        match="the messages of Negative side are not a list of roles and contents",
    ):
        list(import_debates(path))


def test_what_is_no_name_of_a_model_is_none(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(recorded(model_name=["gpt"], id=True)))
    ((header, _),) = import_debates(path)
    assert header.lineup["judge"].model == "unknown"
    assert "imported_id" not in header.task


@some
@given(
    anything,
    st.sampled_from(
        [
            ".txt",
            ".md",
            ".jsonl",
            ".json",
            ".csv",
            ".html",
            ".rst",
            ".ipynb",
            ".pdf",
            ".docx",
        ]
    ),
    st.booleans(),
    damage,
)
def test_documents_and_references(
    tmp_path: Path, value: Any, suffix: str, plain: bool, at: list[tuple[int, bytes]]
) -> None:
    path = tmp_path / f"d{suffix}"
    data = (
        zipped({"word/document.xml": dumped(value, plain=plain)})
        if suffix == ".docx"
        else dumped(value, plain=plain)
    )
    path.write_bytes(damaged((b"%PDF-1.4\n" if suffix == ".pdf" else b"") + data, at))
    try:
        for document in read(path):
            assert document.text.strip()
            (document.title + document.text).encode()
    except Unreadable as error:
        hostile.sentence(error)
    try:
        assert [one.n for one in read_references(path)]
    except BadInput as error:
        hostile.sentence(error)


def zipped(files: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


PACKED = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@some
@given(
    st.lists(anything, min_size=1, max_size=3),
    st.sampled_from([".json", ".jsonl", ".txt", ".zip"]),
    st.sampled_from(PACKED),
    damage,
)
def test_cases_and_labels(
    tmp_path: Path,
    values: list[Any],
    suffix: str,
    how: int,
    at: list[tuple[int, bytes]],
) -> None:
    path = tmp_path / f"d{suffix}"
    lines = b"\n".join(dumped(value, plain=True) for value in values)
    path.write_bytes(
        damaged(
            zipped({"q/1.json": lines, "../2.txt": b"A case." * 50}, how)
            if suffix == ".zip"
            else lines,
            at,
        )
    )
    for reading in (read_queries, lambda one: read_candidates([one], "q"), read_labels):
        try:
            for one in reading(path):
                assert all(
                    part.encode() or True for part in one if isinstance(part, str)
                )
        except BadInput as error:
            hostile.sentence(error)
    assert not (tmp_path.parent / "2.txt").exists()


@pytest.mark.parametrize("how", PACKED)
def test_a_zip_with_a_byte_that_is_wrong(how: int, tmp_path: Path) -> None:
    """Each packing ends in an error of its own."""
    path = tmp_path / "c.zip"
    whole = zipped(
        {
            "1.txt": b"".join(
                b"%d. A case about a ring.\n" % number for number in range(200)
            )
        },
        how,
    )
    for place in range(0, len(whole), 7):
        path.write_bytes(damaged(whole, [(place, b"\xff")]))
        try:
            assert read_queries(path)
        except BadInput as error:
            hostile.sentence(error)


@some
@given(st.dictionaries(st.sampled_from(["query", "candidate", "label"]), anything))
def test_pairs(row: dict[str, Any]) -> None:
    try:
        made = pair_of(row)
    except BadInput as error:
        hostile.sentence(error)
        return
    assert made.label in (None, 0, 1, 2, 3)
    for case, given_ in (
        (made.query, row["query"]),
        (made.candidate, row["candidate"]),
    ):
        assert case.text.strip()
        (case.id + case.text + case.title).encode()
        if isinstance(given_, str):
            assert (
                case.text
                == given_.encode("utf-8", "surrogatepass")
                .decode("utf-8", "replace")
                .replace("\ufffd" * 3, "\ufffd")
                .strip()
            )


@some
@given(
    st.lists(texts, max_size=12).map(" ".join)
    | st.sampled_from([text[:5000] for text in hostile.LONG])
)
def test_passages_hold_every_sign_and_are_of_the_text(text: str) -> None:
    for pieces in (cut(text), sentences(text)):
        seen: set[int] = set()
        for start, end in pieces:
            assert 0 <= start < end <= len(text)
            seen.update(range(start, end))
        assert all(
            place in seen for place, sign in enumerate(text) if not sign.isspace()
        )


@pytest.mark.parametrize("name", [*hostile.SHORT, "~nobody-here/x", "a/" + "x" * 300])
def test_a_name_that_no_file_can_have_is_a_sentence(name: str, tmp_path: Path) -> None:
    for loading in (load_prompts, load_demonstrations):
        try:
            loading(name, tmp_path)
        except BadInput as error:
            hostile.sentence(error)


@some
@given(texts, damage)
@example("[/x] shut", [(77, b"")])
def test_a_damaged_session_is_itself_or_refused(
    text: str, at: list[tuple[int, bytes]]
) -> None:
    """Never half of one: what is read of it is what can be written and read again."""
    from verifytui.tests.support.saying import relevance_said

    data = damaged(bytes(relevance_said(text)._data), at)
    try:
        found = Journal.from_bytes(data)
    except SessionError as error:
        told, found = hostile.sentence(error), None
    if found is None:
        assert not hostile.control_characters(told, "")
        return
    again = Journal.create(None, found.session.header)
    for event in found.session.events:
        again.append(event)
    assert Journal.from_bytes(bytes(again._data)).session.events == found.session.events


def test_folders_between_are_private_too(tmp_path: Path) -> None:
    made = private_dir(tmp_path / "a" / "b" / "c")
    assert [
        oct(folder.stat().st_mode & 0o777)
        for folder in (made, made.parent, made.parent.parent)
    ] == ["0o700"] * 3
