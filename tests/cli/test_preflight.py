"""What can be known before the first call is checked for all seats: no call is made,
and no file is left.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import verifytui
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.commanding import (
    Done,
    command,
    debating,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

KEYLESS = "anthropic/claude-haiku-4-5"
STUDY = """
format: verifytui-study/1
name: small
items: {file: topics.jsonl}
base: {method: debate, model: {"*": openai/lb, judge: anthropic/claude-haiku-4-5}}
grid: {level: [0, 2]}
measures: [accuracy]
"""
ONE: dict[str, tuple[str, ...]] = {
    "debate": ("debate", "Why?", "--model", f"judge={KEYLESS}"),
    "solo": ("solo", "Why?", "--model", f"solver={KEYLESS}"),
    "ask": (
        *("ask", "When?", "--corpus", "example", "--verify"),
        *("--model", f"verifier={KEYLESS}"),
    ),
    "relevance": (
        *("relevance", "--query", "q.txt", "--candidates", "c.txt"),
        *("--demonstrations", "en-common-law", "--model", f"annotator={KEYLESS}"),
    ),
}
MANY: dict[str, tuple[str, ...]] = {
    "debate": ("debate", "--topics", "topics.jsonl", "--model", f"judge={KEYLESS}"),
    "ask": (
        *("ask", "--questions", "questions.jsonl", "--verify"),
        *("--model", f"verifier={KEYLESS}"),
    ),
    "relevance": (
        *("relevance", "--pairs", "pairs.jsonl"),
        *("--demonstrations", "en-common-law", "--model", f"annotator={KEYLESS}"),
    ),
    "solo": ("solo", "--topics", "topics.jsonl", "--model", f"solver={KEYLESS}"),
    "study": ("study", "small.yaml"),
    "synth rag": (
        *("synth", "rag", "--questions", "questions.jsonl"),
        *("--model", f"verifier={KEYLESS}", "--model", "generator=openai/lb"),
    ),
}


def _needed(word: str) -> Any:
    return pytest.param(
        word, marks=[pytest.mark.learning] if word.startswith("synth") else []
    )


@pytest.fixture
def place(tmp_path: Path, server: Loopback) -> Path:
    """A folder with lines for every command."""
    folder = tmp_path / "here"
    folder.mkdir()
    lines: dict[str, dict[str, Any]] = {
        "topics": {"topic": "Why?", "answers": ["42"]},
        "questions": {
            "question": "When was Vern built?",
            "answers": ["1873"],
            "references": [{"text": "Vern was built in 1873."}],
        },
        "pairs": {
            "query": {"id": "q", "text": "He took a ring."},
            "candidate": {"id": "c", "text": "She took a purse."},
        },
    }
    for name, line in lines.items():
        told = [{"id": f"{name}{n}", **line} for n in range(3)]
        text = "".join(json.dumps(one) + "\n" for one in told)
        (folder / f"{name}.jsonl").write_text(text)
    (folder / "q.txt").write_text("He took a ring.")
    (folder / "c.txt").write_text("She took a purse.")
    (folder / "small.yaml").write_text(STUDY)
    return folder


def nothing_was_done(server: Loopback, home: Path, place: Path) -> None:
    assert server.requests == []
    assert not (place / "out").exists()
    assert list((home / "sessions").glob("*")) == []


@pytest.mark.parametrize("word", ONE)
def test_one_session_is_refused_for_the_key_of_any_seat(
    word: str, server: Loopback, home: Path, place: Path
) -> None:
    first, *rest = ONE[word]
    done = command(first, *rest, "--model", "openai/lb", cwd=place)
    refused(done, KEYLESS, "ANTHROPIC_API_KEY")
    nothing_was_done(server, home, place)


@pytest.mark.parametrize("word", [*map(_needed, MANY)])
def test_a_batch_is_refused_for_the_key_of_any_seat(
    word: str, server: Loopback, home: Path, place: Path
) -> None:
    everybody = () if word == "study" else ("--model", "openai/lb")
    done = command(*MANY[word], *everybody, "--into", "out", cwd=place)
    refused(done, KEYLESS, "ANTHROPIC_API_KEY")
    nothing_was_done(server, home, place)


@pytest.mark.parametrize("word", [*map(_needed, ("debate", "study", "synth rag"))])
def test_a_dry_run_says_what_would_stand_in_the_way(
    word: str, server: Loopback, home: Path, place: Path
) -> None:
    everybody = () if word == "study" else ("--model", "openai/lb")
    done = command(*MANY[word], *everybody, "--into", "out", "--dry-run", cwd=place)
    assert done.returncode == 2
    assert "calls" in done.stdout
    assert f"There is no key for {KEYLESS}" in done.stderr
    nothing_was_done(server, home, place)


def test_every_seat_is_named_and_the_closest_spelling_with_it(
    server: Loopback, home: Path, place: Path
) -> None:
    seats = ("negative=nosuch/model", "judge=deepsek/deepseek-chat")
    models = [word for seat in seats for word in ("--model", seat)]
    done = command("debate", "Why?", "--model", KEYLESS, *models, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    told = done.stderr.splitlines()
    assert len(told) == 3, done.stderr
    assert told[0].startswith(f"affirmative: There is no key for {KEYLESS}")
    assert told[1].startswith("negative: LiteLLM knows no provider for nosuch/model")
    assert told[2].endswith("Did you mean deepseek/deepseek-chat?")
    nothing_was_done(server, home, place)


@pytest.mark.parametrize(
    ("arguments", "closest"),
    [
        (["--model", "juge=openai/lb"], "judge"),
        (["--param", "judge.tempreture=1"], "temperature"),
        (["--prompts", "small-em"], "small-en"),
        (["--kind", "translation", "--from", "German"], "de"),
        (["--kind", "translation", "--to", "zh-CN", "--from", "en"], "zh"),
    ],
)
def test_a_name_that_there_is_not_comes_with_the_closest(
    arguments: list[str], closest: str, server: Loopback, home: Path, place: Path
) -> None:
    done = command("debate", "Why?", "--model", "openai/lb", *arguments, cwd=place)
    refused(done, f"Did you mean {closest}?")
    nothing_was_done(server, home, place)


def test_a_language_that_no_prompt_can_name_is_refused(
    server: Loopback, home: Path, place: Path
) -> None:
    languages = ("--kind", "translation", "--from", "xx", "--to", "klingon")
    done = command("debate", "Why?", "--model", "openai/lb", *languages, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert [
        f"“{code}”" in line
        for code, line in zip(("xx", "klingon"), done.stderr.splitlines(), strict=True)
    ] == [True, True]
    assert "zh, en, de" in done.stderr
    nothing_was_done(server, home, place)


CONFIG = """
settings: {debat: {level: 2}, debate: {level: 9}}
lineup: {debate: {juge: gpt4}}
theme: drak
keymap: {nxt: space}
"""
WRONG = [
    "`debat` at settings is not a known entry",
    "`juge` at lineup.debate is not a known entry",
    "settings.debate: level must be a whole number",
    "There is no theme “drak”",
    "unknown action. Did you mean next?",
]


@pytest.fixture
def config(home: Path) -> Path:
    home.mkdir(exist_ok=True)
    file = home / "config.yaml"
    file.write_text(CONFIG)
    return file


TRANSLATION = ("--kind", "translation", "--from", "xx", "--to", "klingon")
SEATS = (
    *("--model", "openai/lb", "--model", "juge=gpt4", "--model", "judge=a b"),
    *("--model", f"negative={KEYLESS}", "--param", "judge.tempreture=1"),
    *("--param", "foo.seed=1"),
)
MISTAKEN = [
    "There is no role “juge” in debate",
    "judge: 'a b' is not a model",
    f"negative: There is no key for {KEYLESS}",
    "Did you mean temperature?",
    "'foo' is not a role here",
    "There is no language “xx”",
    "There is no language “klingon”",
]


@pytest.mark.parametrize("many", [False, True])
def test_all_that_is_wrong_is_told_at_once(
    many: bool, config: Path, server: Loopback, home: Path, place: Path
) -> None:
    """Roles, models, parameters, keys, languages, gates, budget, lines and config.yaml."""
    extra, told = ["--save", "q.txt", "--no-save"], ["--save and --no-save"]
    about = ["Why?"]
    if many:
        (place / "topics.jsonl").write_text('{"topic": "Why?"}\n{"topic": ""}\n')
        about = ["--topics", "topics.jsonl", "--into", "out", "--save", "x.yaml"]
        extra = ["--fail-under", "acuracy=1", "--fail-over", "traps=9"]
        extra += ["--budget-usd", "-1"]
        told = [
            "--save applies to one",
            "“acuracy”",
            "“traps=9”",
            "--budget-usd",
        ]
        told += ["line 2: there is no “topic”"]
    done = command("debate", *about, *SEATS, *TRANSLATION, *extra, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    for words in (*WRONG, *MISTAKEN, *told):
        assert done.stderr.count(words) == 1, (words, done.stderr)
    nothing_was_done(server, home, place)


def test_a_study_tells_all_at_once(
    config: Path, server: Loopback, home: Path, place: Path
) -> None:
    words = ("--only", "a", "--only", "b", "--budget-usd", "0", "--until-width", "0")
    done = command("study", "small.yaml", *words, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    told = ["--into", "“a”", "“b”", "--budget-usd", f"no key for {KEYLESS}"]
    for one in (*WRONG, *told):
        assert one in done.stderr, (one, done.stderr)
    nothing_was_done(server, home, place)


@pytest.mark.parametrize(
    "arguments",
    [
        ("debate", "Why?"),
        ("debate", "--topics", "topics.jsonl", "--into", "out"),
        ("study", "small.yaml", "--into", "out"),
        pytest.param(
            ("synth", "rag", "--questions", "questions.jsonl", "--into", "out"),
            marks=pytest.mark.learning,
        ),
    ],
)
def test_every_wrong_entry_of_the_configuration_is_named_at_once(
    arguments: tuple[str, ...],
    config: Path,
    server: Loopback,
    home: Path,
    place: Path,
) -> None:
    asked = () if arguments[0] == "study" else ("--model", "openai/lb")
    level = ("--level", "1") if arguments[0] == "debate" else ()
    done = command(*arguments, *asked, *level, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    for words in WRONG:
        assert words in done.stderr, done.stderr
    assert all(str(config) in line for line in done.stderr.splitlines()[:5])
    nothing_was_done(server, home, place)


@pytest.mark.parametrize("word", ["one", "debate", "ask", "relevance", "study"])
def test_a_configuration_that_cannot_be_loaded_hides_no_seat(
    server: Loopback, config: Path, place: Path, word: str
) -> None:
    config.write_text("local_only: perhaps\n")
    words = ONE["debate"] if word == "one" else (*MANY[word], "--into", "out")
    done = command(*words, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{config}: local_only must be " in done.stderr
    assert f"There is no key for {KEYLESS}" in done.stderr
    nothing_was_done(server, config.parent, place)


UNLOADABLE = "local_only: perhaps\n"


@pytest.mark.learning
@pytest.mark.parametrize(
    ("words", "more"),
    [
        (("rag", "--questions", "none.jsonl"), "none.jsonl"),
        (("cases", "--cases", "none.jsonl"), "--queries"),
    ],
)
def test_a_synthesis_tells_all_at_once(
    words: tuple[str, ...],
    more: str,
    server: Loopback,
    config: Path,
    place: Path,
) -> None:
    config.write_text(f"{UNLOADABLE}{CONFIG}")
    words = (*words, "--into", "out", "--model", KEYLESS, "--budget-usd", "-1")
    done = command("synth", *words, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    told = (*WRONG, "local_only must be", more, "--budget-usd")
    for one in (*told, f"There is no key for {KEYLESS}"):
        assert done.stderr.count(one) == 1, (one, done.stderr)
    nothing_was_done(server, config.parent, place)


async def test_what_goes_on_is_told_all_at_once(
    server: Loopback, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = Answer(status=500, error="no")
    words = ("debate", "Why?", "--rounds", "1", "--model", "openai/lb")
    assert command(*words, "--save", kept).returncode == 1
    before = kept.read_bytes()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(f"{UNLOADABLE}{CONFIG}")
    told = (*WRONG, "local_only must be", "OPENAI_API_KEY")
    done = command("resume", kept)
    assert (done.returncode, done.stdout) == (2, "")
    with pytest.raises(BadInput) as caught:
        await verifytui.resume(kept)
    for one in told:
        assert one in done.stderr, (one, done.stderr)
        assert one in str(caught.value) or one in WRONG[3:], "of the screen alone"
    assert kept.read_bytes() == before


async def test_a_program_is_told_what_is_wrong_in_the_configuration_too(
    server: Loopback, config: Path, place: Path
) -> None:
    config.write_text(f"{UNLOADABLE}{CONFIG}")
    told = (*WRONG[:3], "local_only must be", f"There is no key for {KEYLESS}")
    models = {"*": KEYLESS}
    with pytest.raises(BadInput) as one:
        await verifytui.debate("Why?", models=models)
    with pytest.raises(BadInput, match=r"none\.jsonl") as many:
        await verifytui.batch(
            "debate", place / "none.jsonl", into=place / "out", models=models
        )
    for words in told:
        assert words in str(one.value), one.value
        assert words in str(many.value), many.value
    nothing_was_done(server, config.parent, place)


def test_models_that_cannot_be_read_are_not_called_unknown(
    server: Loopback, config: Path, place: Path
) -> None:
    config.write_text("models: {mine: {model: 7}}\n")
    done = command("debate", "Why?", "--model", "mine", cwd=place)
    assert done.stderr.count("\n") == 1
    refused(done, "models.mine.model must be text")


def test_doctor_says_what_is_wrong_in_the_configuration(config: Path) -> None:
    config.write_text(f"{CONFIG}\nmodel: nosuch/model\n")
    done = command("doctor", "--output", "json")
    assert done.returncode == 1
    broken = "\n".join(json.loads(done.stdout)["broken"])
    for words in (*WRONG, "model: LiteLLM knows no provider for nosuch/model"):
        assert words in broken, broken


async def test_a_program_is_told_before_anything_is_asked(
    server: Loopback, home: Path, tmp_path: Path, place: Path
) -> None:
    models = {"*": "openai/lb", "judge": KEYLESS}
    with pytest.raises(BadInput, match="judge: There is no key for anthropic"):
        await verifytui.debate("Why?", models=models, save=tmp_path / "kept.yaml")
    assert not (tmp_path / "kept.yaml").exists()
    with pytest.raises(BadInput, match="judge: There is no key for anthropic"):
        await verifytui.batch(
            "debate", place / "topics.jsonl", into=place / "out", models=models
        )
    nothing_was_done(server, home, place)


async def test_a_program_is_told_all_at_once(server: Loopback, home: Path) -> None:
    models = {"*": "openai/lb", "juge": "gpt4", "negative": KEYLESS}
    with pytest.raises(BadInput) as caught:
        await verifytui.debate(
            "Why?", models=models, kind="translation", source="xx", target="klingon"
        )
    for words in ("“juge”", f"negative: There is no key for {KEYLESS}", "“xx”"):
        assert words in str(caught.value)
    assert server.requests == []


async def test_a_program_can_probe(
    server: Loopback, home: Path, tmp_path: Path, place: Path
) -> None:
    server.answer = judge_refused
    models = {"*": "openai/lb", "judge": "openai/bad"}
    with pytest.raises(BadInput, match=r"judge: .* does not accept the key"):
        await verifytui.debate(
            "Why?", models=models, probe=True, save=tmp_path / "kept.yaml"
        )
    with pytest.raises(BadInput, match=r"judge: .* does not accept the key"):
        await verifytui.batch(
            *("debate", place / "topics.jsonl"),
            into=place / "out",
            models=models,
            probe=True,
        )
    assert sorted(body["model"] for body in server.requests) == [
        "bad",
        "bad",
        "lb",
        "lb",
    ]
    assert all(body["max_tokens"] == 16 for body in server.requests)
    assert not (tmp_path / "kept.yaml").exists()
    assert not (place / "out").exists()
    server.answer = debating()
    session = await verifytui.debate("Why?", models="openai/lb", rounds=1, probe=True)
    assert session.result is not None


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["docs/connect-a-model.md"])
def test_the_example_of_two_providers_without_the_second_key(
    page: str,
    server: Loopback,
    home: Path,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lines of the page as they stand, with the first key alone.

    `--tui` needs a terminal.
    """
    text = (ROOT / page).read_text("utf-8")
    example = re.search(r"^export (.+)\n(verifytui debate .+) --tui$", text, re.M)
    assert example is not None
    first, second = [one.partition("=")[0] for one in example[1].split()]
    for name in (second, "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(first, "sk-of-the-first-provider")
    monkeypatch.setenv(f"{first.partition('_')[0]}_API_BASE", server.base_url)
    done = command(*shlex.split(example[2])[1:], cwd=place)
    refused(done, "judge: There is no key for gpt-4", f"set {second}")
    nothing_was_done(server, home, place)


def test_models_that_need_no_key_are_asked(
    server: Loopback,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    home.mkdir(exist_ok=True)
    own = f"{{model: qwen, api_base: '{server.base_url}'}}"
    (home / "config.yaml").write_text(f"models: {{mine: {own}}}\n")
    for model in ("openai/lb", "mine"):
        done = command("debate", "Why?", "--rounds", "1", "--model", model)
        assert done.returncode == 0, done.stderr


def test_what_is_finished_needs_no_key(
    server: Loopback, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("debate", "--topics", "topics.jsonl", "--into", "out")
    done = command(*words, "--model", "openai/lb", cwd=place)
    assert done.returncode == 0, done.stderr
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    done = command(*words, "--model", "openai/lb", cwd=place)
    assert done.returncode == 0, done.stderr
    (place / "out" / "topics1.yaml").unlink()
    refused(command(*words, "--model", "openai/lb", cwd=place), "OPENAI_API_KEY")


def test_a_session_goes_on_once_every_seat_can_be_asked(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = Answer(status=500, error="no")
    words = ("debate", "Why?", "--rounds", "1", "--model", "openai/lb")
    assert command(*words, "--save", kept).returncode == 1
    before = kept.read_bytes()
    monkeypatch.delenv("OPENAI_API_KEY")
    address = server.base_url
    monkeypatch.delenv("OPENAI_API_BASE")
    refused(command("resume", kept), "OPENAI_API_KEY")
    assert kept.read_bytes() == before
    monkeypatch.setenv("OPENAI_API_BASE", address)
    server.answer = debating()
    assert command("resume", kept).returncode == 0


# ------------------------------------------------------------- the probe


def judge_refused(body: Body) -> Answer:
    if body["model"] == "bad":
        return Answer(status=401, error="no such key")
    answer: Answer = debating()(body)
    return answer


@pytest.mark.parametrize(
    "arguments",
    [("Why?",), ("--topics", "topics.jsonl", "--into", "out")],
)
def test_a_probe_asks_every_model_once_before_anything_begins(
    arguments: tuple[str, ...], server: Loopback, home: Path, place: Path
) -> None:
    server.answer = judge_refused
    models = ("--model", "openai/lb", "--model", "judge=openai/bad")
    done = command("debate", *arguments, *models, "--probe", cwd=place)
    refused(done, "judge: ", "does not accept the key for openai/bad")
    assert sorted(body["model"] for body in server.requests) == ["bad", "lb"]
    assert all(body["max_tokens"] == 16 for body in server.requests)
    assert list((home / "sessions").glob("*")) == []
    assert not (place / "out").exists()


def test_a_probe_that_is_answered_changes_nothing(server: Loopback) -> None:
    words = ("debate", "Why?", "--rounds", "1", "--model", "openai/lb", "--no-save")
    done = command(*words, "--probe")
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 4


# ------------------------------------------------------------- in the middle of a batch


def many(place: Path, model: str) -> Done:
    lines = [{"id": f"t{n}", "topic": f"Why {n}?"} for n in range(30)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (place / "many.jsonl").write_text(text)
    words = ("debate", "--topics", "many.jsonl", "--into", "out", "--rounds", "1")
    seats = ("--model", "openai/lb", "--model", f"judge={model}")
    return command(*words, *seats, "--concurrency", "2", cwd=place)


def test_a_seat_that_fails_for_good_stops_the_batch_and_it_goes_on_later(
    server: Loopback, place: Path
) -> None:
    server.answer = judge_refused
    done = many(place, "openai/bad")
    assert done.returncode == 1
    assert done.stderr.count("judge failed 3 times in a row") == 1
    assert len(server.requests) <= 15
    statuses = [
        row["status"] for row in rows((place / "out" / "summary.jsonl").read_text())
    ]
    assert 3 <= statuses.count("failed") <= 5
    assert statuses.count("stopped") == 30 - statuses.count("failed")
    server.answer = debating()
    done = many(place, "openai/bad")
    assert done.returncode == 0, done.stderr
    report = json.loads((place / "out" / "report.json").read_text())
    assert (report["done"], report["failed"]) == (30, 0)


def test_a_seat_that_fails_now_and_then_does_not_stop_it(
    server: Loopback, place: Path
) -> None:
    asked: list[Body] = []

    def answer(body: Body) -> Answer:
        if body["model"] == "bad":
            asked.append(body)
            if len(asked) % 3:
                return Answer(status=401, error="no such key")
        reply: Answer = debating()(body)
        return reply

    server.answer = answer
    words = ("--concurrency", "1")
    done = command(
        *("debate", "--topics", many_topics(place), "--into", "out", "--rounds", "1"),
        *("--model", "openai/lb", "--model", "judge=openai/bad", *words),
        cwd=place,
    )
    assert done.returncode == 1
    assert "in a row" not in done.stderr
    report = json.loads((place / "out" / "report.json").read_text())
    assert (report["done"], report["failed"]) == (4, 8)


def many_topics(place: Path) -> Path:
    lines = [{"id": f"t{n}", "topic": f"Why {n}?"} for n in range(12)]
    path = place / "twelve.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
