"""Counts that are the same on every machine: growth shows on the day it happens.

Each bound is a little above what was counted last. A change that needs more raises it,
and says why.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PAINT = """
import json, os, sys
from verifytui.cli import console, start
from verifytui.tui.app import VerifyTui
console.needs_terminal = lambda: None
run = VerifyTui.run
VerifyTui.run = lambda self: run(self, headless=True)
async def begin(self):
    print(json.dumps(sorted(sys.modules)), file=sys.__stdout__, flush=True)
    os._exit(0)
VerifyTui._begin = begin
start.start_page()
"""
VERSION = """
import json, sys
from verifytui.__main__ import main
sys.argv = ["verifytui", "--version"]
main()
print(json.dumps(sorted(sys.modules)))
"""
EVENT = """
import asyncio, json, sys
from pathlib import Path
from verifytui.engines.debate.method import METHOD
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.seating import seat
from verifytui.engines.debate.method import new_debate
from verifytui.engines.settings import Settings
from verifytui.engines.step import step
from verifytui.engines.tools import Tools
from verifytui.prompts import load
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.tests.support.loopback import Answer, Loopback

HERE = str(Path(sys.argv[1]))
counted = {"calls": 0, "settings": 0, "events": 0}
SETTINGS = Settings.in_force.__code__
VERDICT = {"reason": "r", "preference": False, "supported_side": "none", "answer": ""}

def answer(body):
    asks = "JSON" in body["messages"][-1]["content"]
    return Answer(text=json.dumps(VERDICT) if asks else "So.\\n\\nAnswer: 2 m/s")

def count(frame, event, argument):
    file = frame.f_code.co_filename
    if event == "call" and file.startswith(HERE) and "site-packages" not in file:
        counted["calls"] += 1
        counted["settings"] += frame.f_code is SETTINGS

async def debate(url, number):
    config = Config(models={"local": NamedModel(model="openai/local", api_base=url)})
    seats = ("affirmative", "negative", "judge")
    header = new_debate(
        topic="How fast is Alice?",
        lineup={role: seat("local", config) for role in seats},
        settings={"rounds": 3},
        prompts=load("en"),
    )
    with Journal.create(Path(f"{number}.yaml"), header) as journal:
        desk = Desk(lambda: journal.session, config, stream=False)
        engine = METHOD.engine(header, Tools(config, paths()))
        while not engine.finished(journal.session):
            async for _ in step(journal, engine, desk):
                pass
        return len(journal.session.events)

async def main():
    with Loopback(answer=answer) as server:
        await debate(server.base_url, 1)
        sys.setprofile(count)
        counted["events"] = await debate(server.base_url, 2)
        sys.setprofile(None)
    print(json.dumps(counted))

asyncio.run(main())
"""


def last_line(code: str, folder: Path, *arguments: str) -> str:
    """What a fresh process says last."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def modules(code: str, folder: Path) -> tuple[int, int]:
    """How many modules were imported, and how many of them are ours."""
    names = json.loads(last_line(code, folder))
    return len(names), sum(name.startswith("verifytui") for name in names)


def test_modules_before_the_first_paint(home: Path, tmp_path: Path) -> None:
    all_of_them, ours = modules(PAINT, tmp_path)
    assert ours <= 80
    assert all_of_them <= 495


def test_modules_for_the_version(tmp_path: Path) -> None:
    all_of_them, ours = modules(VERSION, tmp_path)
    assert ours <= 2
    assert all_of_them <= 90


def test_calls_and_settings_for_each_event(home: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    counted = json.loads(last_line(EVENT, tmp_path, str(root)))
    assert counted["events"] >= 7
    assert counted["calls"] / counted["events"] <= 720
    assert counted["settings"] / counted["events"] <= 30
