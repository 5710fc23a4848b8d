"""Sessions as somebody with bad intentions might write them: well-formed events, and in
every field what fits its type and nothing else.
"""

from __future__ import annotations

import random
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from verifytui.engines.settings import settings_of
from verifytui.prompts import load
from verifytui.sessions.emit import document
from verifytui.sessions.events import event_kinds
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Seat
from verifytui.tests.support import hostile_texts as hostile

WORKSPACES = ("debate", "rag", "relevance")
ROLES = {
    "debate": ("affirmative", "negative", "judge"),
    "rag": ("generator", "verifier", "reviser"),
    "relevance": ("extractor", "annotator"),
}
TASKS = {
    "debate": ("topic", "kind", "from", "to", "answers", "evidence"),
    "rag": ("question", "corpus", "references", "answer", "answers"),
    "relevance": ("query", "candidates"),
}
NAMES = (
    "query",
    "a",
    "b",
    "affirmative",
    "negative",
    "judge",
    "human",
    "lexical",
    "script",
    "debater3",
    "debater\u0663",
    "zh",
)
BUILT_IN = {"debate": "script", "rag": "lexical", "relevance": "lexical"}
TIME = "2026-01-01T00:00:00.000Z"


class Forger:
    """Makes the same sessions for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._within: list[type[msgspec.Struct]] = []

    def session(self, workspace: str, events: int = 8) -> bytes:
        """A session file."""
        chance = self.chance
        task = {
            name: self.anything() for name in TASKS[workspace] if chance.random() < 0.8
        }
        if workspace == "relevance":
            task["query"], task["candidates"] = (
                self.case(),
                [self.case() for _ in range(chance.randint(0, 4))],
            )
        elif chance.random() < 0.7:
            task[TASKS[workspace][0]] = self.text()
        if workspace == "rag" and chance.random() < 0.8:
            listed = [
                {
                    "n": n,
                    "id": self.text() or "i",
                    "title": self.text(),
                    "text": self.text(),
                }
                for n in (1, 2)
            ]
            task |= {
                "corpus": "given",
                "references": listed if chance.random() < 0.8 else self.anything(),
            }
        settings = {
            name: self.anything() if chance.random() < 0.15 else value
            for name, value in defaults(workspace).items()
            if chance.random() < 0.97
        }
        seats = {
            role: {"model": BUILT_IN[workspace]}
            for role in ROLES[workspace]
            if chance.random() < 0.9
        }
        seats |= (
            {self.text() or "x": self.struct(Seat)} if chance.random() < 0.4 else {}
        )
        header = {
            "format": "verifytui/1",
            "id": self.text(),
            "workspace": workspace,
            "created": TIME if chance.random() < 0.7 else self.text(),
            "title": self.text(),
            "task": task,
            "lineup": seats,
            "settings": settings,
            "prompts": {
                "set": self.text(),
                "hash": self.text(),
                "templates": templates(workspace),
            },
            "versions": {self.text(): self.text()},
        }
        kinds = list(event_kinds(workspace).values())
        made = [
            self.event(chance.choice(kinds), number, workspace)
            for number in range(1, chance.randint(1, events + 1))
        ]
        return document(header, first=True) + b"".join(map(document, made))

    def event(
        self, kind: type[msgspec.Struct], number: int, workspace: str
    ) -> dict[str, Any]:
        made = self.struct(kind) | {
            "number": number,
            "time": TIME if self.chance.random() < 0.7 else self.text(),
        }
        if made["event"] == "change" and self.chance.random() < 0.8:
            role, name = (
                self.chance.choice(ROLES[workspace]),
                self.chance.choice(list(defaults(workspace))),
            )
            made["field"] = self.chance.choice(
                ["title", f"lineup.{role}", f"settings.{name}", "lineup.", "settings."]
            )
            if made["field"].startswith("lineup."):
                made["new"] = self.chance.choice(
                    [
                        None,
                        {
                            "model": self.text(),
                            "params": {self.text(): self.anything()},
                        },
                    ]
                )
        return made

    def text(self) -> str:
        if self.chance.random() < 0.3:
            return self.chance.choice(NAMES)
        return self.chance.choice(hostile.SHORT).encode("utf-8", "replace").decode()

    def case(self) -> Any:
        if self.chance.random() < 0.2:
            return self.anything()
        return {
            name: self.text() if self.chance.random() < 0.7 else self.anything()
            for name in ("id", "text", "title", "gold")
        }

    def anything(self, depth: int = 0) -> Any:
        """Any value that a session file can hold."""
        kind = self.chance.random()
        if kind < 0.4 or depth > 2:
            return self.text()
        if kind < 0.5:
            return self.chance.choice([0, 1, -1, 10**30, 3, 2])
        if kind < 0.6:
            return self.chance.choice([None, True, False])
        if kind < 0.7:
            return self.chance.choice([0.5, float("nan"), float("inf"), -1e300])
        if kind < 0.85:
            return [self.anything(depth + 1) for _ in range(self.chance.randint(0, 3))]
        return {
            self.text() or "k": self.anything(depth + 1)
            for _ in range(self.chance.randint(0, 3))
        }

    def struct(self, kind: type[msgspec.Struct]) -> dict[str, Any]:
        """One of a kind.

        A kind can hold itself: the third one inside another has only what it must have.
        """
        hints = typing.get_type_hints(kind)
        likely = 0.8 if self._within.count(kind) < 2 else 0
        self._within.append(kind)
        fields = [
            field
            for field in msgspec.structs.fields(kind)
            if field.required or self.chance.random() < likely
        ]
        made = {field.name: self.value(hints[field.name]) for field in fields}
        self._within.pop()
        tag = kind.__struct_config__.tag
        return made | ({"event": tag} if tag else {})

    def value(self, kind: Any) -> Any:
        """A value of a type, the odder the better."""
        origin, inside = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Literal:
            return self.chance.choice(inside)
        if origin in (typing.Union, types.UnionType):
            return self.value(
                self.chance.choice(
                    [one for one in inside if one is not msgspec.UnsetType]
                )
            )
        if origin is list:
            return [self.value(inside[0]) for _ in range(self.chance.randint(0, 3))]
        if origin is dict:
            return {
                self.text() or "k": self.value(inside[1])
                for _ in range(self.chance.randint(0, 2))
            }
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return self.struct(kind)
        plain: dict[Any, Callable[[], Any]] = {
            type(None): lambda: None,
            str: self.text,
            bool: lambda: self.chance.random() < 0.5,
            int: lambda: self.chance.choice([0, 1, 2, 3, -1, 99, 10**30]),
            float: lambda: self.chance.choice(
                [0.0, 0.5, 1.0, -3.0, 1e300, float("nan"), float("inf")]
            ),
        }
        return plain.get(kind, self.anything)()


@cache
def defaults(workspace: str) -> dict[str, Any]:
    return settings_of(workspace).defaults()


@cache
def templates(workspace: str) -> dict[str, Any]:
    return load("en", workspace=workspace).templates


def writable(data: bytes) -> Journal:
    """The session in memory, so that it can go on."""
    read = Journal.from_bytes(data)
    made = Journal.create(None, read.session.header)
    for event in read.session.events:
        made.append(event)
    return made


ADDRESS = "http://evil.example:81/x"


def calling_out(workspace: str) -> bytes:
    """A session that is not finished and names addresses wherever a name may stand, for
    models of providers.
    """
    seat = {"model": "openai/gpt-4o", "params": {"temperature": 0.5}}
    references = [
        {"n": 1, "id": ADDRESS, "title": ADDRESS, "text": ADDRESS, "file": ADDRESS}
    ]
    tasks: dict[str, dict[str, Any]] = {
        "debate": {"kind": "question", "topic": ADDRESS},
        "rag": {"question": ADDRESS, "corpus": "web:searxng"},
        "relevance": {
            "query": {"id": "q", "text": ADDRESS},
            "candidates": [{"id": ADDRESS, "text": ADDRESS}],
        },
    }
    events: dict[str, dict[str, Any]] = {
        "debate": {
            "event": "speech",
            "role": "affirmative",
            "round": 1,
            "model": ADDRESS,
            "text": f"![x]({ADDRESS}) <img src={ADDRESS}>",
        },
        "rag": {
            "event": "retrieval",
            "iteration": 1,
            "query": ADDRESS,
            "references": references,
            "retriever": ADDRESS,
        },
        "relevance": {
            "event": "facts",
            "role": "extractor",
            "kind": "material",
            "case": "query",
            "items": [{"text": ADDRESS}],
            "text": ADDRESS,
        },
    }
    header = {
        "format": "verifytui/1",
        "id": ADDRESS,
        "workspace": workspace,
        "created": TIME,
        "title": ADDRESS,
        "task": tasks[workspace],
        "lineup": dict.fromkeys(ROLES[workspace], seat),
        "settings": {**defaults(workspace), "web_pages": True}
        if workspace == "rag"
        else defaults(workspace),
        "prompts": {"set": ADDRESS, "hash": "x", "templates": templates(workspace)},
    }
    return document(header, first=True) + document(
        {**events[workspace], "number": 1, "time": TIME}
    )
