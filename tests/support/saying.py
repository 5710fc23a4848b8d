"""A query with candidates in which every text is the same one."""

from __future__ import annotations

from typing import Any

from verifytui.sessions.events import Change, Event, Failure, Note
from verifytui.sessions.events.relevance import (
    Agreement,
    DemonstrationItem,
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Label,
    RelevanceResult,
    Score,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Header, Prompts, Seat


def relevance_header(text: str) -> Header:
    return new_header(
        workspace="relevance",
        title=text,
        task={
            "query": {"id": text, "text": text, "title": text},
            "candidates": [
                {"id": text or "x", "text": text, "title": text, "gold": 3},
                {"id": "b", "text": text},
            ],
        },
        lineup={
            "extractor": Seat(model=text or "m", params={"stop": text}),
            "annotator": Seat(model="lexical", name=text or "n"),
        },
        settings={"demonstrations": text, "language": "en", text or "x": text},
        prompts=Prompts(set=text, hash="sha256:00", templates={}),
    )


def relevance_events(text: str) -> list[Event]:
    made: dict[str, Any] = {
        "model": text,
        "text": text,
        "reasoning": text,
        "finish": text,
    }
    id_ = text or "x"
    return [
        Demonstrations(
            step="facts-material", items=[DemonstrationItem(id=text, score=1.0)]
        ),
        Facts(
            role="extractor",
            kind="material",
            case="query",
            items=[FactItem(text=text, start=0, end=1)],
            read="json",
            **made,
        ),
        Facts(
            role="extractor",
            kind="material",
            case=id_,
            read="unread",
            left_out=7,
            pieces=2,
            **made,
        ),
        Facts(
            role="extractor",
            kind="legal",
            case=id_,
            items=[FactItem(text=text)],
            read="json",
            edited=True,
            **made,
        ),
        Demonstrations(
            step="judgement-material",
            candidate=id_,
            items=[DemonstrationItem(id=text, relevant=True)],
        ),
        Judgement(
            role="annotator",
            kind="material",
            candidate=id_,
            relevant=True,
            reason=text,
            read="json",
            **made,
        ),
        Judgement(role="annotator", kind="legal", candidate=id_, **made),
        Score(candidate=id_),
        Label(candidate=id_, value=2, annotator=text),
        Change(field=text, old={text: text}, new=[text]),
        Failure(role=text, kind=text, message=text, model=text),
        Note(text=text, about=text),
        RelevanceResult(
            ranking=[id_, "b"],
            scores=[None, 2],
            unread=1,
            agreement=[Agreement(raters=[text, "machine"], pairs=1, levels=0.5)],
        ),
    ]


def relevance_said(text: str) -> Journal:
    journal = Journal.create(None, relevance_header(text))
    for event in relevance_events(text):
        journal.append(event)
    return journal
