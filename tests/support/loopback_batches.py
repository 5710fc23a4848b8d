"""Files and batches of OpenAI's protocol, for the loopback server: requests are
answered as calls are, one after another.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

Body = dict[str, Any]
Answered = tuple[int, Body]
"""Status and body of the reply to a chat request."""


class Batches:
    """What the server holds. Its fields may be set at any time."""

    def __init__(self, answer: Callable[[Body], Answered]) -> None:
        self._answer = answer
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Body] = {}
        self.bought: list[str] = []
        """The `custom_id` of every request that a batch was made of, as often as it
        was.
        """
        self.bodies: list[Body] = []
        """Their bodies."""
        self.asked: list[str] = []
        """Paths of all requests for files and batches."""
        self.looks = 0
        """How often a batch is in progress before it has ended."""
        self.status = "completed"
        """How batches end."""
        self.leaves: Callable[[Body], bool] = lambda body: False
        """Requests that a batch which ends before its time leaves unanswered."""
        self.refuses: dict[str, tuple[int, str]] = {}
        """`POST /v1/batches` and the like: status and message in place of an answer;
        `*` for all.
        """
        self.shuffles = True
        self.deaf: list[str] = []
        """`POST /v1/batches` and the like: done, but the connection breaks before the
        answer; each once.
        """

    def respond(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes] | None:
        """The answer to a request for files or batches; None where it is none of these.
        Raises: ConnectionError to break off.
        """
        parts = urlsplit(path)
        found = re.search(
            r"/v1/(files|batches)(?:/([^/]+))?(/content|/cancel)?$", parts.path
        )
        if found is None:
            return None
        self.asked.append(path)
        kind, name, more = found.groups()
        called = f"{method} /v1/{kind}" + ("/ID" if name else "") + (more or "")
        refused = self.refuses.get(called) or self.refuses.get("*")
        if refused is not None:
            return refused[0], json.dumps(
                {"error": {"message": refused[1], "type": "error"}}
            ).encode()
        answer = self._done(
            method, kind, name, more, parse_qs(parts.query), headers, body
        )
        if called in self.deaf:
            self.deaf.remove(called)
            raise ConnectionError
        if answer is not None:
            return (200, answer)
        return (404, b'{"error": {"message": "no such thing"}}')

    def _done(
        self,
        method: str,
        kind: str,
        name: str | None,
        more: str | None,
        query: dict[str, list[str]],
        headers: dict[str, str],
        body: bytes,
    ) -> bytes | None:
        if kind == "files" and method == "POST":
            return self._uploaded(headers, body)
        if kind == "files" and more == "/content":
            return self.files.get(name or "")
        if kind == "batches" and method == "POST" and name is None:
            return self._created(json.loads(body))
        if kind == "batches" and name is None:
            listed = list(reversed(self.batches.values()))
            after = query.get("after", [""])[0]
            at = next((n + 1 for n, one in enumerate(listed) if one["id"] == after), 0)
            return json.dumps(
                {
                    "object": "list",
                    "data": listed[at : at + int(query.get("limit", ["20"])[0])],
                    "has_more": False,
                }
            ).encode()
        batch = self.batches.get(name or "")
        if batch is None:
            return None
        return json.dumps(self._looked_at(batch)).encode()

    def _uploaded(self, headers: dict[str, str], body: bytes) -> bytes:
        mark = (
            b"--"
            + headers["content-type"].partition("boundary=")[2].strip('"').encode()
        )
        pieces = [piece.partition(b"\r\n\r\n") for piece in body.split(mark)]
        data = next(
            content[:-2] for head, _, content in pieces if b'name="file"' in head
        )
        name = f"file-{len(self.files)}"
        self.files[name] = data
        info = {
            "id": name,
            "object": "file",
            "bytes": len(data),
            "created_at": 1,
            "filename": "x.jsonl",
            "purpose": "batch",
        }
        return json.dumps(info | {"status": "processed"}).encode()

    def _created(self, wanted: Body) -> bytes:
        name = f"batch-{len(self.batches)}"
        lines = [
            json.loads(line)
            for line in self.files[wanted["input_file_id"]].splitlines()
        ]
        self.bought += [line["custom_id"] for line in lines]
        self.bodies += [line["body"] for line in lines]
        self.batches[name] = {
            **{
                "id": name,
                "object": "batch",
                "endpoint": wanted["endpoint"],
                "completion_window": "24h",
                "created_at": int(time.time()),
            },
            **{
                "input_file_id": wanted["input_file_id"],
                "metadata": wanted.get("metadata"),
                "status": "validating",
                "looks": self.looks,
            },
            **{
                "expires_at": int(time.time()) + 86400,
                "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
            },
        }
        return json.dumps(self.batches[name]).encode()

    def _looked_at(self, batch: Body) -> Body:
        if batch["status"] in ("validating", "in_progress"):
            batch["status"] = "in_progress"
            batch["looks"] -= 1
            if batch["looks"] < 0:
                self._end(batch)
        return batch

    def _end(self, batch: Body) -> None:
        lines = [
            json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()
        ]
        good: list[Body] = []
        bad: list[Body] = []
        for line in lines:
            if self.status == "failed" or self.leaves(line["body"]):
                continue
            status, body = self._answer(line["body"])
            told = {
                "id": "x",
                "custom_id": line["custom_id"],
                "response": {"status_code": status, "request_id": "r", "body": body},
            }
            (good if status == 200 else bad).append({**told, "error": None})
        if self.shuffles:
            good.reverse()
        batch["status"] = self.status
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}
        if self.status == "failed":
            batch["errors"] = {
                "object": "list",
                "data": [
                    {
                        "code": "invalid",
                        "message": "the file is not liked",
                        "param": None,
                        "line": 1,
                    }
                ],
            }
        for field, listed in (("output_file_id", good), ("error_file_id", bad)):
            if listed:
                batch[field] = f"{field}-{batch['id']}"
                self.files[batch[field]] = "".join(
                    json.dumps(one) + "\n" for one in listed
                ).encode()
