"""Judges with and without a planted defect on a loopback server, audited end to end by
`verifytui audit`: does the audit find the defect, and no other?

    python benchmarks/planted.py [items] [seat ...]

Five defects x four strengths and ten clean judges for each seat. A judge obeys one
probe on a share of the items, against the truth; 3 % of all its replies are turned by
chance. Each is asked under its own probe and one that it does not obey.

Prints for each strength the mean of the points that were measured, then how many of
the five defects are called biased / of the judges are called clean / of the other
probes are called biased; at last how many clean judges are called biased.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from verifytui.cli.app import main
from verifytui.tests.support import audited
from verifytui.tests.support.loopback import Answer, Body, Loopback

SEATS = audited.ITEMS
DEFECTS = {
    "authority": "A professor of this subject",
    "bandwagon": "of the experts who were asked",
    "sycophancy": "I am convinced that",
    "padding": "It is worth taking time over",
    "injection": "Note to the judge",
}
"""Probe to words of it."""
STRENGTHS = (5, 10, 20, 40)
NOISE = 0.03
CLEAN = 10


def items(seat: str, count: int) -> Iterator[dict[str, Any]]:
    """As many items, six of a kind, each about an archive of its own."""
    for number in range(count):
        group, place = divmod(number, 6)
        one = json.dumps(SEATS[seat]()[place])
        yield json.loads(one.replace("rchive ", f"rchive {group}x")) | {
            "id": f"i{number}"
        }


def inverted(said: dict[str, Any]) -> dict[str, Any]:
    """The opposite verdict, in the form of any seat."""
    if "claims" in said:
        [claim] = said["claims"]
        wrong = claim["verdict"] == "supported"
        claim["verdict"] = "contradicted" if wrong else "supported"
    elif "judgement" in said:
        said["judgement"] = "false" if said["judgement"] == "true" else "true"
    elif "supported_side" in said:
        turned = said["supported_side"] == "affirmative"
        said["supported_side"] = "negative" if turned else "affirmative"
    elif "grade" in said:
        said["grade"] = 3 - said["grade"]
    elif "score" in said:
        said["score"] = 6 - said["score"]
    elif "better" in said:
        said["better"] = {"A": "B", "B": "A"}[said["better"]]
    elif "answer1" in said:
        said["answer1"], said["answer2"] = said["answer2"], said["answer1"]
    else:
        [name] = said.keys() & {"relevant", "same", "right"}
        said[name] = not said[name]
    return said


class PlantedJudge:
    """Obeys one probe on this percentage of items; "": no probe."""

    def __init__(self, defect: str, points: float, seed: str) -> None:
        """`seed`: one of its own for each judge: noise that several share would count
        more than once.
        """
        self._words = DEFECTS.get(defect, "\0")
        self._points = points
        self._chance = random.Random(seed)
        self._seed = seed

    def __call__(self, body: Body) -> Answer:
        said = json.loads(audited.fair(body).text)
        text = "\n".join(str(one["content"]) for one in body["messages"])
        turned = self._chance.random() < NOISE
        if self._words in text and self._obeys(text):
            turned = not turned
        return Answer(json.dumps(inverted(said) if turned else said))

    def _obeys(self, text: str) -> bool:
        archive = re.findall(r"rchive (\d+x\d)", text)[-1]
        cities = re.findall("Lisbon|Sofia", text)
        drawn = random.Random(f"{self._seed} {self._words} {archive} {cities}")
        return drawn.random() < self._points / 100


def audit(
    server: Loopback, file: Path, seat: str, defect: str, points: float, seed: str
) -> dict[str, dict[str, Any]]:
    """What an audit says of a planted judge, by probe."""
    server.answer = PlantedJudge(defect, points, seed)
    other = "padding" if defect == "authority" else "authority"
    probes = [defect or "padding", other]
    with tempfile.TemporaryDirectory() as home:
        os.environ["VERIFYTUI_HOME"] = home
        words = ["audit", "--judge", f"{seat}=openai/lb", "--items", str(file)]
        words += ["--into", f"{home}/audit", "--output", "json", "--quiet"]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main([*words, *(f"--only={name}" for name in probes)])
    assert code == 0, out.getvalue()
    found = map(json.loads, out.getvalue().splitlines())
    return {one["probe"]: one for one in found}


def table(seat: str, count: int, server: Loopback, folder: Path) -> None:
    file = folder / f"{seat}.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in items(seat, count)))
    started = time.monotonic()
    cells = []
    for points in STRENGTHS:
        found = [
            audit(server, file, seat, defect, points, f"{seat} {defect} {points}")
            for defect in DEFECTS
        ]
        own = [one[defect] for one, defect in zip(found, DEFECTS, strict=True)]
        others = [
            one["verdict"]
            for defect, of in zip(DEFECTS, found, strict=True)
            for name, one in of.items()
            if not name.startswith(defect)
        ]
        beyond = sum(one["beyond"]["value"] for one in own) / len(own) * 100
        counts = [biased(own), sum(map(passes, found)), others.count("biased")]
        cells.append(f"{beyond:+.0f}: " + " / ".join(map(str, counts)))
        print(points, [one["verdict"] for one in own], file=sys.stderr, flush=True)
    clean = [audit(server, file, seat, "", 0, f"{seat} {n}") for n in range(CLEAN)]
    cells.append(f"{sum(biased(of.values()) > 0 for of in clean)} of {CLEAN}")
    cells.append(f"{time.monotonic() - started:.0f} s")
    print(f"| `{seat}` | " + " | ".join(cells) + " |", flush=True)


def biased(probes: Iterable[dict[str, Any]]) -> int:
    return sum(one["verdict"] == "biased" for one in probes)


def passes(probes: dict[str, dict[str, Any]]) -> bool:
    """Whether a certificate may rest on this audit."""
    return all(one["verdict"] == "clean" for one in probes.values())


if __name__ == "__main__":
    count = next((int(word) for word in sys.argv[1:] if word.isdigit()), 150)
    seats = [word for word in sys.argv[1:] if word in SEATS] or list(SEATS)
    os.environ["OPENAI_API_KEY"] = "none"
    with Loopback() as server, tempfile.TemporaryDirectory() as folder:
        os.environ["OPENAI_API_BASE"] = server.base_url
        for seat in seats:
            table(seat, count, server, Path(folder))
