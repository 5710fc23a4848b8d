"""A plan of faults for the loopback server: which fault meets a call depends on a seed,
on the request and on how often it has come.

So the same plan meets the same calls whatever their order, and what is answered at last
is a function of the request alone.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from verifytui.tests.support.loopback import PIECE, Answer, Answering, Body, Loopback

SAID = [
    Answer("I would rather not answer."),
    Answer("恕难从命。"),
    Answer("很长" * 500_000),
    Answer("Well, in view of all that", finish="length"),
    Answer("This is not", finish="content_filter"),
]
"""Replies in which nothing can be read."""

FAULTS: dict[str, Callable[[Answer, random.Random], Answer]] = {
    "401": lambda _, rng: Answer(status=401, error="Incorrect API key provided"),
    "403": lambda _, rng: Answer(status=403, error="Country not supported"),
    "404": lambda _, rng: Answer(status=404, error="The model does not exist"),
    "400": lambda _, rng: Answer(status=400, error="messages: wrong"),
    "422": lambda _, rng: Answer(status=422, error="unprocessable"),
    "context": lambda _, rng: Answer(
        status=400, error={"message": "too long", "code": "context_length_exceeded"}
    ),
    "filter": lambda _, rng: Answer(
        status=400, error={"message": "filtered", "code": "content_filter"}
    ),
    "429": lambda _, rng: Answer(status=429, error="slow down"),
    "429 soon": lambda _, rng: Answer(
        status=429, error="slow down", headers={"retry-after": "0.01"}
    ),
    "429 tomorrow": lambda _, rng: Answer(
        status=429, error="slow down", headers={"retry-after": "86400"}
    ),
    "500": lambda _, rng: Answer(status=500, error="boom"),
    "502": lambda _, rng: Answer(status=502, body=b"<html>bad gateway</html>"),
    "503": lambda _, rng: Answer(status=503, error="overloaded"),
    "504": lambda _, rng: Answer(status=504, error="gateway timeout"),
    "dropped": lambda _, rng: Answer(drop=True),
    "refused": lambda _, rng: Answer(drop=True),
    "cut": lambda true, rng: replace(true, cut_after=_somewhere(true, rng)),
    "broken": lambda true, rng: replace(
        true, cut_after=_somewhere(true, rng), drop=True
    ),
    "stall": lambda true, rng: replace(true, stall_after=_somewhere(true, rng)),
    "late": lambda true, rng: replace(true, first_delay=60),
    "slow": lambda true, rng: replace(
        true, chunks=["word "] * 1000, delay=0.02, stall_after=1000
    ),
    "left": lambda true, rng: replace(true, stall_after=_somewhere(true, rng)),
    "empty": lambda _, rng: Answer(text=""),
    "white": lambda _, rng: Answer(text=" \n\t "),
    "thoughts": lambda _, rng: Answer(text="", reasoning="I think", finish="length"),
    "withheld": lambda _, rng: Answer(text="", finish="content_filter"),
    "no JSON": lambda _, rng: Answer(body=b"not json"),
    "no object": lambda _, rng: Answer(body=b"[]"),
    "no choices": lambda _, rng: Answer(body=b'{"choices": []}'),
    "said": lambda _, rng: rng.choice(SAID),
}
"""How a fault is made of the true answer.

`left`: the user stops the call; `said`: a reply that can be read and says nothing.
"""


class Plan:
    """`Plan(server, answer, seed)` gives the server its answers.

    `calm()` ends the faults.
    """

    def __init__(
        self,
        server: Loopback,
        answer: Answering,
        seed: int,
        *,
        read: Callable[[Body], bool],
        often: float = 0.5,
    ) -> None:
        """`answer` says what is true.

        `read`: whether something must be read in the reply, so that one without it is
        asked for again.
        """
        self.given: Counter[str] = Counter()
        """The faults so far, by name."""
        self.left: Callable[[], None] = lambda: None
        """Called, in the server's thread, when the user is to stop the call that has
        just come.
        """
        self._server, self._answer, self._seed, self._read, self._often = (
            server,
            answer,
            seed,
            read,
            often,
        )
        self._met: Counter[str] = Counter()
        self._calm = False
        server.answer = self

    def calm(self) -> None:
        self._calm = True
        self._server.admit()

    def __call__(self, body: Body) -> Answer:
        true = self._answer(body)
        if self._calm:
            return true
        request = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        self._met[request] += 1
        rng = random.Random(f"{self._seed} {request} {self._met[request]}")
        name = rng.choice([*FAULTS, "said", "said"])
        if rng.random() >= self._often or (name == "said" and not self._read(body)):
            return true
        self.given[name] += 1
        if name == "refused":
            self._server.refuse()
        if name == "left":
            self.left()
        return FAULTS[name](true, rng)


def _somewhere(true: Answer, rng: random.Random) -> int:
    """A number of chunks before the last one."""
    return rng.randint(0, len(true.text) // PIECE)
