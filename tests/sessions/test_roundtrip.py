"""Whatever is said, a session read back is the session that was written, byte for byte
and value for value.
"""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.sessions.events import Note
from verifytui.sessions.events.debate import Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.tests.support.small_debate import make_header

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT | st.none(), ANY_TEXT), max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_words_in_any_field(said: list[tuple[str, str | None, str]]) -> None:
    journal = Journal.create(None, make_header())
    for text, maybe, other in said:
        journal.append(
            Speech(
                role=other,
                model=other,
                text=text,
                reasoning=maybe,
                round=1,
                answer=maybe,
                finish=maybe,
            )
        )
        journal.append(
            Verdict(
                role="judge",
                text=text,
                round=1,
                mode="extractive",
                reason=other,
                answer=maybe,
            )
        )
        journal.append(Note(text=text, about=other))
    data = bytes(journal._data)
    again = Journal.from_bytes(data)
    assert again.session == journal.session
    assert again.torn is None
    plain = list(yaml.load_all(data, yaml.CSafeLoader))[1:]
    assert [event["text"] for event in plain] == [
        event.text  # type: ignore[attr-defined]
        for event in journal.session.events
    ]
    for event in journal.session.events:
        if isinstance(event, Speech):
            whole = said[(event.number - 1) // 3]
            assert event.altered == any(
                0xD800 <= ord(c) <= 0xDFFF for part in whole for c in part or ""
            )


def test_recorded_debates_come_back(shared: Path) -> None:
    journal = Journal.create(None, make_header())
    replies = [
        message["content"]
        for line in (shared / "mad-transcripts" / "debates.jsonl")
        .read_text()
        .splitlines()
        for messages in json.loads(line)["players"].values()
        for message in messages
    ]
    for reply in replies:
        journal.append(Speech(role="affirmative", text=reply, round=1))
    again = Journal.from_bytes(bytes(journal._data)).session
    assert len(replies) > 1000
    assert [event.text for event in again.events] == replies  # type: ignore[attr-defined]
