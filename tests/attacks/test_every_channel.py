"""Texts that attack, in English and Chinese, through every channel of every method,
against a model that only quotes them.

`texts.jsonl` holds them. Each session takes a fourth of them in each of its channels,
and the four sessions of a method take all of them in all channels.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import verifytui
from verifytui.cli.printer import Printer
from verifytui.engines.blocks import export
from verifytui.engines.models.port import ModelError
from verifytui.engines.retrieval.documents import read
from verifytui.engines.studies.study import study_of
from verifytui.sessions.clean import clean
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.labels import Label
from verifytui.sessions.files import file_of
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.sessions.session import Session
from verifytui.tests.support import hostile_texts as hostile
from verifytui.tests.support.exported import ATTRIBUTES, TAGS, Page
from verifytui.tests.support.loopback import Answer, Body, Loopback

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("texts.jsonl").read_text("utf-8").splitlines()
]
TEXTS = [row["text"] for row in ROWS]
GROUPS = 4
FORGED = "FORGED-7731"
"""The answer that the texts ask for."""

VERDICTS = ("supported_side", "level", "grade", "judgement", "correctness")
GIVEN = "answer"
"""The event that holds an answer which was given to be verified."""

Run = Callable[[Path, int], Coroutine[Any, Any, Session]]


def some(turn: int) -> str:
    """A fourth of the texts as one."""
    return "\n\n".join(TEXTS[turn % GROUPS :: GROUPS])


def case(turn: int) -> str:
    """The same without NUL and the like, for which a case is refused as no text."""
    return some(turn).replace("\x00", "").replace("\x08", "").replace("\x07", "")


def quoted(body: Body) -> Answer:
    """What was sent, quoted within a sentence, and no verdict."""
    shown = "\n".join(str(one["content"]) for one in body["messages"])
    return Answer(
        f"The text that I was given says «{shown[-6000:]}». I only repeat it, and "
        f"I say nothing of my own."
    )


async def debate(save: Path, turn: int) -> Session:
    evidence = [{"title": some(turn + 1)[:200], "text": some(turn + 2)}]
    return await verifytui.debate(
        some(turn), evidence=evidence, models="gpt-4", rounds=1, save=save
    )


async def rag(save: Path, turn: int) -> Session:
    passages = [{"title": some(turn + 2)[:200], "text": some(turn + 1)}]
    return await verifytui.ask(
        some(turn),
        references=passages,
        answer=some(turn + 3),
        models="gpt-4",
        save=save,
    )


async def relevance(save: Path, turn: int) -> Session:
    candidates = [{"id": "c", "title": case(turn + 2)[:200], "text": case(turn + 1)}]
    return await verifytui.relevance(
        {"id": "q", "text": case(turn)}, candidates, models="gpt-4", save=save
    )


async def grade(save: Path, turn: int) -> Session:
    candidates = [{"id": "c", "title": case(turn + 2)[:200], "text": case(turn + 1)}]
    return await verifytui.grade(
        {"id": "q", "text": case(turn)}, candidates, models="gpt-4", save=save
    )


async def rank(save: Path, turn: int) -> Session:
    answers = {"A": some(turn + 1), "B": some(turn + 2)}
    return await verifytui.rank(some(turn), answers, models="gpt-4", save=save)


async def solo(save: Path, turn: int) -> Session:
    return await verifytui.solo(some(turn), models="gpt-4", save=save)


METHODS: dict[str, Run] = {
    "debate": debate,
    "rag": rag,
    "relevance": relevance,
    "grade": grade,
    "rank": rank,
    "solo": solo,
}


def test_there_are_two_hundred_in_two_languages() -> None:
    assert len(set(TEXTS)) == len(TEXTS) >= 200
    for language in ("en", "zh"):
        assert sum(row["language"] == language for row in ROWS) >= 100


@pytest.mark.parametrize("turn", range(GROUPS))
@pytest.mark.parametrize("method", METHODS)
async def test_through_a_method(
    method: str,
    turn: int,
    home: Path,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("VERIFYTUI_RETRIES", "0")
    monkeypatch.setenv("VERIFYTUI_CACHE", "false")
    loopback.answer = quoted
    path = tmp_path / "only" / "one.yaml"
    path.parent.mkdir()
    with suppress(ModelError):  # no reply can be read
        await METHODS[method](path, turn)
    session = verifytui.load(path)
    assert session.events
    no_forged_verdict(session)
    replayed(path)
    page_and_terminal(session, capsys)
    assert [one.name for one in path.parent.iterdir()] == ["one.yaml"]


def no_forged_verdict(session: Session) -> None:
    """Nothing that a speaker, verifier, judge or grader says is what the texts ask for."""
    for event in session.events:
        fields = msgspec.to_builtins(event)
        if fields["event"] == GIVEN:
            continue
        said = str(fields.get("answer")).strip()
        assert said != FORGED, f"answer of {fields['event']}"
        for name in VERDICTS:
            assert fields.get(name) is None, f"{name} of {fields['event']}"


def replayed(path: Path) -> None:
    """The session that was begun stands in the file, which holds no control character
    as it is.
    """
    with Journal.open(path) as journal:
        assert journal.writable
        assert journal.torn is None
    assert not escapes(path.read_bytes().decode("utf-8"))


def escapes(raw: str) -> list[str]:
    """The control characters in a file.

    Marks of direction are letters of a text there, and are taken out where it is shown.
    """
    return [
        one
        for one in hostile.control_characters(raw)
        if one not in map(ascii, hostile.BIDI)
    ]


def page_and_terminal(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    page = export(session, "html")
    seen = Page(page)
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert seen.open == []
    assert FORGED in page
    assert "<script>alert" not in page
    assert not hostile.control_characters(page)
    for other in ("md", "jsonl", "csv"):
        made = export(session, other).removeprefix("\ufeff")
        assert not hostile.control_characters(made.replace("\r\n", "\n"))
    capsys.readouterr()
    printer = Printer()
    printer.header(session)
    for event in session.events:
        printer.event(event)
    printed = capsys.readouterr()
    assert not hostile.control_characters(printed.out + printed.err)


def test_through_pages_and_file_names(tmp_path: Path) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        name = file_of(text)
        assert "/" not in name
        assert not hostile.control_characters(name)
        (folder / name).write_text("x", "utf-8")
        page = folder / f"{number}.html"
        for binary in ("\x00", "\x08", "\x07"):  # for which a page is refused
            text = text.replace(binary, "")
        page.write_text(
            f"<html><title>{text}</title><body><p>Harmless. {text}</p></body></html>",
            "utf-8",
        )
        for document in read(page):
            assert "<script" not in document.text
            shown = clean(document.text + document.title)
            assert not hostile.control_characters(shown)
    assert [one.name for one in tmp_path.iterdir()] == ["only"]


def test_through_reasons_of_labels(tmp_path: Path) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    with LabelFile.open(folder, "Anna") as file:
        for number, text in enumerate(TEXTS):
            label = Label(session="s", candidate=f"c{number}", value=0, reason=text)
            file.append(label)
    kept = [one.reason for one in read_labels(folder)["Anna"].values()]
    assert kept == TEXTS
    raw = (folder / "labels" / "Anna.yaml").read_bytes().decode("utf-8")
    assert not escapes(raw)
    assert [one.name for one in tmp_path.iterdir()] == ["only"]


def test_through_study_files(tmp_path: Path) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    for text in TEXTS:
        written = f"question: {json.dumps(text)}\nitems: {json.dumps(text)}\n"
        with pytest.raises(BadInput) as told:
            study_of(written, folder)
        assert not hostile.control_characters(str(told.value))
    assert [one.name for one in tmp_path.iterdir()] == ["only"]
