"""What a session is about, as an item: the task of its header, the cluster, and a
digest of what is asked and of what counts as right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ...sessions.clean import scrubbed
from ...sessions.errors import bad_input
from .measure import Item

IDS = ("id", "doc_id", "testIdx", "sample_id")
"""Where a row has its id."""
ANSWERS = ("answer", "response", "output", "prediction", "completion")
"""Where a row has its answer: our own name first, then those of other tools."""
ASKED = ("topic", "question")
"""Where a task has the text that is answered or translated."""


def item_of(
    id_: str,
    task: Mapping[str, object],
    cluster: str = "",
    more: Mapping[str, object] | None = None,
) -> Item:
    """The item of this task.

    `cluster`: as the line has it, or "". `more`: further fields, of a data set or an
    outputs file.
    """
    return Item(
        id_, cluster or about(task) or id_, digest(task), {**(more or {}), **task}
    )


def about(task: Mapping[str, object]) -> str:
    """Key of dependent items where none is given: the text asked about, or the id of
    the query; "" without either.
    """
    query = task.get("query")
    if isinstance(query, Mapping):
        return str(query.get("id", ""))
    return " ".join(asked(task).split())


def asked(task: Mapping[str, object]) -> str:
    """The text that is answered or translated; "" where there is none."""
    for name in ASKED:
        if isinstance(task.get(name), str):
            return str(task[name])
    return ""


_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def digest(task: Mapping[str, Any]) -> str:
    """A digest of the question and of its accepted answers, the same for every method;
    "" if the task has neither.

    It excludes a system's sources and output: a corpus, references, an answer to
    verify.
    """
    text = asked(task)
    content: dict[str, Any] = {"asked": " ".join(text.split())} if text else {}
    if task.get("kind") == "translation":
        content["languages"] = [task.get("from"), task.get("to")]
    content |= {
        name: list(map(str, task[name]))
        for name in ("answers", "wrong_answers")
        if task.get(name)
    }
    content |= {"gold": task["gold"]} if task.get("gold") else {}
    if isinstance(task.get("query"), Mapping):
        content["query"] = _case(task["query"])
        content["candidates"] = [
            _case(one)
            for one in task.get("candidates") or ()
            if isinstance(one, Mapping)
        ]
    if not content:
        return ""
    try:
        data = _written(content).encode()
    except UnicodeEncodeError:  # a lone surrogate, which no file keeps
        data = _written(scrubbed(content)).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def _case(case: Mapping[str, object]) -> list[object]:
    return [case.get(name) for name in ("id", "text", "gold")]


def id_of(row: Mapping[str, object], number: int) -> str:
    """The id of a line, whole numbers as written; its number in the file where it has
    none. BadInput for anything else.
    """
    name = next((row[one] for one in IDS if one in row), number)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise bad_input("wrong.lines.no_id")
    return name


def cluster_of(row: Mapping[str, object]) -> str:
    """The `cluster` of a line, "" where it has none.

    BadInput where it is not a text or whole number.
    """
    name = row.get("cluster")
    if name is None:
        return ""
    if (
        isinstance(name, bool)
        or not isinstance(name, str | int)
        or not str(name).strip()
    ):
        raise bad_input("wrong.lines.cluster")
    return str(name)
