"""Runs the real command in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from verifytui.tests.support.fork_server import NOWHERE, ForkServer
from verifytui.tests.support.loopback import Answer, Body
from verifytui.tests.support.request_marks import without_mark

COMMAND = [sys.executable, "-m", "verifytui"]
HILL = (
    "When Alice walks up the hill, her speed is 1 m/s and when she goes down the "
    "hill, her speed is 3 m/s. "
    "Then when Alice walks up and down the hill, what is her average speed?"
)
"""A topic that the script knows."""

Done = subprocess.CompletedProcess[str]


def command(
    *arguments: str | Path,
    stdin: str | bytes = "",
    cwd: Path | None = None,
    fresh: bool = False,
    **options: Any,
) -> Done:
    """What a command printed and its exit code. A traceback is never all right.

    The process is forked from one that has loaded LiteLLM already, which takes seconds;
    `fresh`: it is begun as a user begins it.
    """
    data = stdin.encode() if isinstance(stdin, str) else stdin
    place = cwd or Path(os.environ["HOME"])
    if fresh or options:
        ran = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            input=data,
            capture_output=True,
            timeout=100,
            cwd=place,
            **options,
        )
        code, out, err = ran.returncode, ran.stdout, ran.stderr
    else:
        code, out, err = _forked(arguments, data, place)
    text = Done([*COMMAND, *map(str, arguments)], code, out.decode(), err.decode())
    assert "Traceback" not in text.stderr + text.stdout, text.stderr
    return text


def _forked(
    arguments: Sequence[str | Path], data: bytes, place: Path
) -> tuple[int, bytes, bytes]:
    with tempfile.TemporaryDirectory() as name:
        out, given = Path(name, "out"), Path(name, "in")
        given.write_bytes(data)
        code = _forks().wait(
            _forks().start(arguments, os.environ, out, NOWHERE, given, place)
        )
        return code, out.read_bytes(), out.with_name("out.err").read_bytes()


@cache
def _forks() -> ForkServer:
    return ForkServer()


def refused(done: Done, *words: str, code: int = 2) -> None:
    """Exit code, nothing on stdout, one sentence that holds these words."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    one_sentence(done.stderr, *words)


def one_sentence(text: str, *words: str) -> None:
    lines = text.strip().splitlines()
    assert len(lines) == 1, text
    assert len(lines[0]) < 500
    assert lines[0].endswith((".", "!", "?", ")")) or "verifytui" in lines[0]
    for word in words:
        assert word in lines[0]


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_bytes()))


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def debating(answer: str = "42", *, decides: bool = True, delay: float = 0) -> Any:
    """A server's answers to a debate: debaters say `answer`, the judge ends it (or
    never does, and extracts `answer`). Rated: 0.5.
    """

    def reply(body: Body) -> Answer:
        asked = body["messages"][-1]["content"]
        verdict = {
            "supported_side": "negative",
            "reason": "It holds.",
            "answer": answer,
        }
        if '"candidates"' in asked:
            return Answer(json.dumps({"candidates": [answer]}), first_delay=delay)
        if '"preference"' in asked:
            return Answer(
                json.dumps(
                    {
                        "preference": decides,
                        **verdict,
                        "answer": answer if decides else "",
                    }
                ),
                first_delay=delay,
            )
        if '"disagreement"' in asked:
            return Answer(
                json.dumps({"reason": "In part.", "disagreement": 0.5}),
                first_delay=delay,
            )
        if '"supported_side"' in asked:
            return Answer(json.dumps(verdict), first_delay=delay)
        return Answer(f"For good reasons.\n\nAnswer: {answer}", first_delay=delay)

    return reply


def answering(*, again: bool = False, delay: float = 0) -> Any:
    """A server's answers to a question: `generator` cites reference 1; the verifier is
    content, or with `again` asks with other words.
    """

    def reply(body: Body) -> Answer:
        asked = body["messages"][-1]["content"]
        scores = {
            "reference_correctness": 0.9,
            "correctness": 0.8,
            "citation_accuracy": 1,
            "truthfulness": 0.9,
            "bias": 0.1,
            "conciseness": 0.7,
        }
        if '"bias"' in asked:
            query = f"What else, number {len(asked)}?" if again else ""
            told = {
                **scores,
                "judgement": "false" if again else "true",
                "revised_query": query,
            }
            return Answer(json.dumps(told), first_delay=delay)
        if '"revised_query"' in asked:
            return Answer(
                json.dumps({"revised_query": "What was it?"}), first_delay=delay
            )
        if '"claims"' in asked:
            claim = {
                "claim": "It was built.",
                "sentence": 1,
                "reference": 1,
                "words": "",
                "also": [],
                "verdict": "supported",
            }
            return Answer(json.dumps({"claims": [claim]}), first_delay=delay)
        return Answer("It was built in 1873 [1].", first_delay=delay)

    return reply


def annotating(*, relevant: bool = True, delay: float = 0) -> Any:
    """A server's answers about cases: two facts that quote the case in hand, and a
    judgement.
    """

    def reply(body: Body) -> Answer:
        asked = body["messages"][-1]["content"]
        if '"relevant"' in asked.rpartition(">>>")[2]:
            return Answer(
                json.dumps({"reason": "Both take by stealth.", "relevant": relevant}),
                first_delay=delay,
            )
        mark = hashlib.sha256(without_mark(asked).encode()).hexdigest()[:8]
        return Answer(
            json.dumps({"facts": [f"fact {mark}", "taken by stealth"]}),
            first_delay=delay,
        )

    return reply


def environment(**more: str) -> Mapping[str, str]:
    return {**os.environ, **more}
