"""What a long session costs: loading against bare YAML, and appending at its beginning
against at its end.

Run: python benchmarks/sessions.py. Prints ratios measured in this one run; exit 1 if
one is over its bound.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from verifytui.sessions.events import Usage
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.new import new_header
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Prompts, Seat

EVENTS = 10_000
LOAD_BOUND = 1.3
APPEND_BOUND = 1.5
TEXT = (
    "I disagree: **distances** are equal, times are not.\n\n1. up takes d/1\n2. down "
    "takes d/3 [see above]\nAnswer: 1.5 m/s"
)


def main() -> int:
    """Builds the session, measures, prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.yaml"
        early, late = append_cost(path)
        data = path.read_bytes()
        bare = best(lambda: list(yaml.load_all(data, Loader=yaml.CSafeLoader)))
        ours = best(lambda: Journal.open(path, write=False).close())
        entries, again = listing(Path(folder) / "home", data)
    print(f"session of {EVENTS} events, {len(data) / 1e6:.1f} MB")
    print(
        f"load: {ours:.2f} s; bare yaml.CSafeLoader {bare:.2f} s; ratio "
        f"{ours / bare:.2f} (bound {LOAD_BOUND})"
    )
    print(
        f"append with fsync, median of 200: at event 10 {early * 1e3:.3f} ms, at "
        f"event {EVENTS} {late * 1e3:.3f} ms; ",
        end="",
    )
    print(f"ratio {late / early:.2f} (bound {APPEND_BOUND})")
    print(
        f"listing 1000 sessions of 20 events: {entries:.2f} s; again, with no "
        f"file changed: {again:.3f} s"
    )
    return int(ours / bare > LOAD_BOUND or late / early > APPEND_BOUND)


def append_cost(path: Path) -> tuple[float, float]:
    """Seconds of one append near event 10 and near event EVENTS, measured alternately
    so that a busy disk touches both alike.
    """
    header = new_header(
        workspace="debate",
        title="Long",
        task={"kind": "question", "topic": "How fast?"},
        lineup={
            "affirmative": Seat(model="gpt-4"),
            "negative": Seat(model="gpt-4"),
            "judge": Seat(model="gpt-4"),
        },
        settings={"level": 2, "rounds": 3},
        prompts=Prompts(
            set="en", hash="sha256:00", templates={"speak": "Speak.\n" * 100}
        ),
    )
    full = Journal.create(None, header)
    while len(full.session.events) < EVENTS - 200:
        full.append(speech(len(full.session.events)))
    full.fork(path, EVENTS - 200, "fork").close()
    early, late = [], []
    with Journal.open(path) as long:
        for number in range(20):
            with Journal.create(path.with_name(f"short{number}.yaml"), header) as short:
                for turn in range(10):
                    early.append(once(short, turn))
                    late.append(once(long, turn))
    return statistics.median(early), statistics.median(late)


def once(journal: Journal, number: int) -> float:
    event = speech(number)
    began = time.perf_counter()
    journal.append(event)
    return time.perf_counter() - began


def speech(number: int) -> Speech:
    used = Usage(input=120, output=240)
    return Speech(
        role="affirmative",
        model="gpt-4",
        text=TEXT,
        round=number // 3 + 1,
        answer="1.5 m/s",
        usage=used,
        cost=0.0012,
        seconds=1.2,
    )


def best(work: Callable[[], object]) -> float:
    """The shortest of three runs, in seconds."""
    times = []
    for _ in range(3):
        gc.collect()
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def listing(home: Path, data: bytes) -> tuple[float, float]:
    """Seconds to list a thousand sessions of 20 events, the first time and once more."""
    places = paths({"VERIFYTUI_HOME": str(home)})
    library = Library(places)
    library.paths.sessions.mkdir(parents=True)
    marker = b"\n...\n"
    end = -1
    for _ in range(21):
        end = data.index(marker, end + 1)
    for number in range(1000):
        (library.paths.sessions / f"{number}.yaml").write_bytes(
            data[: end + len(marker)]
        )
    library.entries()
    return best(lambda: Library(places).entries()), best(library.entries)


if __name__ == "__main__":
    sys.exit(main())
