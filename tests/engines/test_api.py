"""Sessions for programs: to the end, refused, failed and gone on with, with and without
an event loop.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import verifytui
from verifytui import sync
from verifytui.engines.batches import retrying
from verifytui.engines.method import method
from verifytui.sessions.events import Event, Failure
from verifytui.sessions.events.debate import DebateResult
from verifytui.sessions.methods import METHODS
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.loopback import Answer, Loopback

ROOT = Path(__file__).resolve().parents[2]
TOPIC = "Is 0.999… equal to 1?"


@pytest.fixture
def served(home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-loopback")
    monkeypatch.setenv("VERIFYTUI_RETRIES", "0")
    loopback.answer = debating("yes")
    return loopback


def test_importing_the_package_loads_nothing() -> None:
    code = (
        "import sys, verifytui; print(verifytui.__version__, [name for name in "
        "sys.modules if 'verifytui.' in name or name == 'msgspec'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{verifytui.__version__} []\n"


def test_every_method_has_a_function_with_a_stub() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text("utf-8"))
    typed = {
        node.name: ast.unparse(node.args)
        for node in stub.body
        if isinstance(node, ast.AsyncFunctionDef)
    }
    assert len(typed) == len(METHODS)
    for name in METHODS:
        called = method(name).call.__name__
        function = getattr(verifytui, called)
        assert asyncio.iscoroutinefunction(function)
        signature = str(inspect.signature(function)).partition(") ->")[0]
        signature = signature.replace("'", "")  # annotations are texts
        made = ast.parse(f"def f{signature}): ...").body[0]
        assert isinstance(made, ast.FunctionDef)
        assert typed[called] == ast.unparse(made.args)


def test_there_is_nothing_else() -> None:
    assert not hasattr(verifytui, "dance")
    assert not hasattr(sync, "dance")


def test_completion_offers_the_public_names_and_no_other() -> None:
    functions = {method(name).call.__name__ for name in METHODS}
    assert functions | {"batch", "compare", "frames", "sync"} <= set(dir(verifytui))
    assert not {"Any", "import_module"} & set(dir(verifytui))
    assert functions | {"batch", "compare", "load", "resume"} <= set(dir(sync))
    for name in dir(sync):
        assert callable(getattr(sync, name))


NAN = float("nan")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: sync.debate(NAN), "topic must be a text, not nan. In a table, NaN"),
        (lambda: sync.ask(NAN, references=["a"]), "question must be a text, not nan"),
        (
            lambda: sync.ask("Q?", references="Ada built it."),
            r"references is one text, and a list is needed: references=\['Ada",
        ),
        (lambda: sync.ask("Q?", references=["a", NAN]), "references holds NaN"),
        (lambda: sync.ask("Q?", references=3), "references must be a list, not 3"),
        (lambda: sync.relevance(NAN, ["a"]), "query must be a text, not nan"),
        (lambda: sync.rank("Q?", "abc"), "answers is one text, and a list"),
        (lambda: sync.debate(TOPIC, models="dance"), "no provider for dance"),
        (lambda: verifytui.compare("one"), "at least two runs"),
        (lambda: verifytui.frames("one", as_="R"), "dicts, pandas, polars, not 'R'"),
    ],
)
def test_wrong_arguments_are_told_in_terms_of_python(
    served: Loopback, call: Callable[[], object], why: str
) -> None:
    with pytest.raises(verifytui.BadInput, match=why):
        call()
    assert not served.requests


def test_rows_and_comparisons_have_the_figures_of_the_report(
    served: Loopback, tmp_path: Path
) -> None:
    lines = tmp_path / "topics.jsonl"
    lines.write_text(
        "".join(
            f'{{"id": "q{n}", "topic": "{TOPIC} {n}", "answers": ["{answer}"]}}\n'
            for n, answer in enumerate(["yes", "yes", "no"])
        ),
        "utf-8",
    )
    one, two = tmp_path / "one", tmp_path / "two"
    outcome = sync.batch("debate", lines, into=one, models="turbo")
    sync.batch("debate", lines, into=two, models="gpt-4")
    report = outcome.report
    found = verifytui.frames(one)
    for name in ("accuracy", "tokens", "calls"):
        known = [row[name] for row in found if row.get(name) is not None]
        value = report.figures[name].value
        assert sum(map(float, known)) / len(known) == pytest.approx(value)
        assert len(known) == report.figures[name].n
    pandas = pytest.importorskip("pandas")
    frame = verifytui.frames(one, two, as_="pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["run"]) == ["one"] * 3 + ["two"] * 3
    compared = verifytui.compare(one, two)
    pairing, difference = compared.differences[0]
    assert (pairing.second.name, difference.measure.name) == ("two", "accuracy")
    assert difference.a.value == report.figures["accuracy"].value
    assert difference.verdict


async def test_events_come_one_by_one_and_are_on_disk_by_then(
    served: Loopback, tmp_path: Path
) -> None:
    seen: list[tuple[Event, int]] = []
    path = tmp_path / "nines.yaml"

    def see(event: Event) -> None:
        seen.append((event, len(verifytui.load(path).events)))

    session = await verifytui.debate(
        TOPIC, models={"*": "turbo", "judge": "gpt-4"}, level=3, save=path, on_event=see
    )
    assert [event for event, _ in seen] == session.events
    assert [kept for _, kept in seen] == [1, 2, 3, 4]
    assert isinstance(session.result, DebateResult)
    assert (session.result.answer, session.setting("level")) == ("yes", 3)
    assert [session.seat(role).model for role in ("affirmative", "judge")] == [
        "gpt-3.5-turbo",
        "gpt-4",
    ]
    assert verifytui.load(path).events == session.events


async def test_parameters_reach_the_model(served: Loopback) -> None:
    await verifytui.debate(TOPIC, models="turbo", params={"judge.temperature": 0.7})
    assert sorted({body["temperature"] for body in served.requests}) == [0, 0.7]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"level": 7}, "level must be a whole number from 0 to 3"),
        ({"colour": "red"}, "“colour” is not an option of a debate"),
        ({"models": {"jury": "turbo"}}, "There is no role “jury”"),
        ({}, "The built-in script knows only its example topics"),
    ],
)
async def test_bad_input_is_refused_before_anybody_is_asked(
    served: Loopback, tmp_path: Path, options: dict[str, object], why: str
) -> None:
    path = tmp_path / "none.yaml"
    with pytest.raises(verifytui.BadInput, match=why):
        await verifytui.debate(TOPIC, save=path, **options)
    assert not served.requests
    assert not path.exists()


async def test_a_failed_call_raises_with_the_session_and_the_file_goes_on(
    served: Loopback, tmp_path: Path
) -> None:
    path = tmp_path / "nines.yaml"
    good, served.answer = (
        served.answer,
        Answer(status=401, error="Your key is not known."),
    )
    with pytest.raises(verifytui.ModelError) as failed:
        await verifytui.debate(TOPIC, models="turbo", save=path)
    assert failed.value.kind == "auth"
    assert failed.value.session is not None
    assert [type(event) for event in failed.value.session.events] == [Failure]
    assert failed.value.session.result is None
    served.answer = good
    session = await verifytui.resume(path)
    assert session.result is not None
    assert (await verifytui.resume(path)).events == session.events


async def test_blocking_functions_work_inside_a_running_loop(served: Loopback) -> None:
    first = sync.debate(TOPIC, models="turbo")
    second = sync.debate(TOPIC, models="turbo")
    assert first.result is not None
    assert second.result is not None


def test_one_event_loop_after_another(served: Loopback) -> None:
    for _ in range(2):
        assert asyncio.run(verifytui.debate(TOPIC, models="turbo")).result is not None


def test_an_interrupt_stops_the_work_and_keeps_its_account(
    served: Loopback, tmp_path: Path
) -> None:
    path = tmp_path / "nines.yaml"

    main, good = threading.main_thread().ident, served.answer
    assert main is not None

    def interrupt(event: Event) -> None:
        served.answer = Answer(hold=threading.Event())
        signal.pthread_kill(main, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sync.debate(TOPIC, models="turbo", save=path, on_event=interrupt)
    assert [event.__class__.__name__ for event in verifytui.load(path).events][:1] == [
        "Speech"
    ]
    assert verifytui.load(path).result is None
    served.answer = good
    assert sync.resume(path).result is not None


async def test_a_question_without_references_says_where_they_come_from(
    home: Path,
) -> None:
    with pytest.raises(verifytui.BadInput, match="There is no source to"):
        await verifytui.ask("Who?")
    session = await verifytui.ask(
        "Who built it?", references=["Ada Holm built it."], answer="Ada Holm did [1]."
    )
    assert session.header.task["answer"] == "Ada Holm did [1]."


async def test_a_batch_goes_on_with_what_is_not_done(
    served: Loopback, tmp_path: Path
) -> None:
    file, into = tmp_path / "topics.jsonl", tmp_path / "runs"
    file.write_text(
        '{"id": "a", "topic": "Is 0.999… equal to 1?", "answers": '
        '["yes"]}\n{"id": "b", "topic": "Is 2 prime?"}\n',
        "utf-8",
    )
    outcome = await verifytui.batch("debate", file, into=into, models="turbo", rounds=1)
    assert (
        outcome.status,
        outcome.report.done,
        [line["id"] for line in outcome.summary],
    ) == ("done", 2, ["a", "b"])
    asked = len(served.requests)
    again = await verifytui.batch("debate", file, into=into, models="turbo", rounds=1)
    assert (again.summary, len(served.requests)) == (outcome.summary, asked)


async def test_a_batch_tries_lines_that_failed_again(
    served: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.0)
    file, left = tmp_path / "topics.jsonl", [500, 500]
    file.write_text('{"id": "a", "topic": "Is 2 prime?"}\n', "utf-8")
    served.answer = lambda _: (
        Answer(status=left.pop(), error="no") if left else Answer(text="Answer: yes")
    )
    outcome = await verifytui.batch(
        "solo", file, into=tmp_path / "runs", models="turbo", retries=2
    )
    assert (outcome.status, outcome.report.retried["attempts"]) == ("done", 2)


async def test_answers_that_exist_are_a_batch_of_their_own(
    home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"question": "Who built it?", "answer": "Ada Holm did [1].", '
        '"references": ["Ada Holm built it."]}\n',
        "utf-8",
    )
    outcome = await verifytui.batch(
        "rag", file, into=tmp_path / "runs", lines="answers"
    )
    assert (outcome.status, outcome.report.calls) == ("done", 1)
    with pytest.raises(verifytui.BadInput, match="choose one of questions, answers"):
        await verifytui.batch("rag", file, into=tmp_path / "runs", lines="topics")
    with pytest.raises(verifytui.BadInput, match="dance"):
        await verifytui.batch("dance", file, into=tmp_path / "runs")
