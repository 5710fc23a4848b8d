"""`--plain`: the workspaces as lines, through a pipe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.plain import KEYS, rows_as_lines
from verifytui.cli.plain_answers import KEYS as KEYS_OF_ANSWERS
from verifytui.sessions.label_store import read_labels
from verifytui.tests.support.commanding import (
    COMMAND,
    HILL,
    Done,
    command,
    debating,
    documents,
    refused,
)
from verifytui.tests.support.hostile_texts import CONTROLS, MARKUP
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.pairs import folder_of
from verifytui.tests.support.study_folders import run_of

HOSTILE = "".join((*CONTROLS, *MARKUP))
TABLE = (
    "Speeds:\n\n| way | speed |\n|---|---|\n| up | 1 m/s |\n| down | 3 m/s |\n\nDone."
)


def keyed(*arguments: str | Path, keys: str, code: int = 0) -> Done:
    """What came of these lines; no line is unfinished, and nothing moves a cursor."""
    done = command(*arguments, "--plain", stdin=keys)
    assert done.returncode == code, done.stderr
    for text in (done.stdout, done.stderr):
        assert text.endswith("\n")
        assert not {"\x1b", "\r", "\b", "\x07", "\t"} & set(text)
    return done


def kinds(path: Path) -> list[Any]:
    return [row["event"] for row in documents(path)[1:]]


def saved(home: Path) -> list[Path]:
    """The sessions of the library, the first one begun first."""
    found = [*(home / "sessions").glob("*.yaml")]
    return sorted(found, key=lambda path: str(documents(path)[0]["created"]))


def test_a_whole_debate_is_the_one_without_plain(home: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    done = keyed("debate", HILL, "--save", one, keys="r\nq\n")
    assert command("debate", HILL, "--save", other).returncode == 0
    assert kinds(one) == kinds(other)
    assert documents(one)[-1]["answer"] == "1.5 m/s"
    assert "Result: 1.5 m/s" in done.stdout
    assert f"Saved in {one}" in done.stderr


def test_a_step_a_round_a_fork_an_edit_a_setting_and_a_model(home: Path) -> None:
    done = keyed(
        keys="\n".join(
            [
                *("", "n", "f 1", "l 1", "l rounds=2", "m judge=human", "m"),
                *("e 1", "It is 2 m/s.", "Answer: 2 m/s", "."),
                "q",
            ]
        )
    )
    first, fork, edited = map(documents, saved(home))
    assert [row["event"] for row in first[1:]] == ["speech", "speech", "verdict"]
    assert fork[0]["parent"] == {"id": first[0]["id"], "number": 1, "why": "fork"}
    assert [row["field"] for row in fork[2:]] == [
        "settings.level",
        "settings.rounds",
        "lineup.judge",
    ]
    assert edited[0]["parent"] == {"id": fork[0]["id"], "number": 0, "why": "edit"}
    assert (edited[1]["model"], edited[1]["answer"]) == ("human", "2 m/s")
    assert "judge: human" in done.stdout


def test_a_person_speaks_through_the_same_pipe(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    keys = "\nI say two.\nAnswer: 2\n.\nq\n"
    keyed("debate", "Why?", "--model", "human", "--save", kept, keys=keys)
    assert documents(kept)[1]["text"] == "I say two.\nAnswer: 2"


def test_a_question_and_its_answer_in_other_words(home: Path) -> None:
    asked = ("ask", "When was the CN Tower opened?", "--corpus", "example")
    done = keyed(*asked, keys="r\ne 2\nIn 1976. [1]\n.\nr\n")
    assert done.stdout.count("\nResult: ") == 2
    first, fork = map(documents, saved(home))
    assert fork[-1]["answer"] == "In 1976. [1]"
    assert fork[0]["parent"]["number"] == 1
    assert first[-1]["event"] == fork[-1]["event"] == "result"


def test_labels_are_those_of_the_app(home: Path) -> None:
    done = keyed("relevance", "--example", keys="2\nr\n1 c3\n0\nT c2\n1 zz\n")
    (session,) = saved(home)
    (file,) = Path(f"{session}.labels").glob("*.yaml")
    rows = [row for row in documents(file)[1:] if row["event"] == "label"]
    assert [(row["candidate"], row["value"]) for row in rows] == [
        ("c1", 2),
        ("c3", 1),
        ("c2", 0),
    ]
    assert [row["seen_machine"] for row in rows] == [False, True, True]
    assert "zz" not in done.stdout
    assert "Name a candidate: c1, c2" in done.stderr


def test_every_key_is_told_and_every_workspace_offered(home: Path) -> None:
    done = keyed(keys="?\n]\n]\n]\nc Why?\nz\ne\nf 9\n2\nm x=y\nl 9\nl nope=1\n")
    assert [line for key in KEYS if (line := f"\n{key}: ") not in done.stdout] == []
    assert "generator" in done.stdout
    assert "extractor" in done.stdout
    assert len(done.stderr.splitlines()) == 7, done.stderr
    assert saved(home) == [], "nothing has begun"
    assert "回车" in command("--plain", "--lang", "zh", stdin="").stdout


@pytest.mark.parametrize("stdin", ["", "r"])
def test_the_end_of_the_input_leaves(stdin: str, home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    done = keyed("debate", HILL, "--save", kept, keys=stdin)
    assert "Events: 0. Next: affirmative" in done.stdout
    assert kinds(kept)[-1:] == (["result"] if stdin else [])


@pytest.mark.slow
def test_a_closed_stdin_and_a_file(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    keyed("debate", HILL, "--save", kept, keys="n\n")
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "--plain", str(kept)],
        capture_output=True,
        text=True,
        check=False,
        cwd=os.environ["HOME"],
    )
    assert (closed.returncode, "Events: 3." in closed.stdout) == (0, True)
    assert "Result: 1.5 m/s" in keyed(kept, keys="r\n").stdout
    assert "Result: 1.5 m/s" in keyed("resume", kept, keys="").stdout
    empty = tmp_path / "empty"
    empty.mkdir()
    refused(command("--plain", empty), str(empty))


def test_hostile_words_stay_words(home: Path, server: Loopback, tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = Answer(HOSTILE + "\n\n" + TABLE)
    arguments = ("debate", "Why?", "--model", "openai/lb", "--save", kept)
    done = keyed(*arguments, keys=f"\n{HOSTILE}\nm {HOSTILE}\nl {HOSTILE}\n")
    assert "way: up; speed: 1 m/s\nway: down; speed: 3 m/s\n" in done.stdout
    assert kinds(kept) == ["speech"]


def test_a_failure_is_told_kept_and_tried_again(
    home: Path, server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = Answer(status=401)
    arguments = ("debate", "Why?", "--model", "openai/lb", "--save", kept)
    done = keyed(*arguments, keys="r\n", code=1)
    assert kinds(kept) == ["failure"]
    assert "check OPENAI_API_KEY in the environment" in done.stderr
    server.answer = debating()
    assert "Result: 42" in keyed(kept, keys="r\n").stdout
    assert kinds(kept)[:2] == ["failure", "speech"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_every_event(
    number: signal.Signals, server: Loopback, tmp_path: Path, home: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = lambda body: (
        Answer(first_delay=60) if len(server.requests) > 1 else debating()(body)
    )
    words = ["debate", "Why?", "--model", "openai/lb", "--save", str(kept), "--plain"]
    pipes: dict[str, Any] = dict.fromkeys(
        ("stdin", "stdout", "stderr"), subprocess.PIPE
    )
    with subprocess.Popen([*COMMAND, *words], text=True, **pipes) as running:
        assert running.stdin is not None
        running.stdin.write("r\n")
        running.stdin.flush()
        assert server.wait_until(lambda s: len(s.requests) == 2, 30)
        running.send_signal(number)
        running.wait(20)
        assert running.stderr is not None
        assert "Traceback" not in running.stderr.read()
    assert running.returncode == 130
    assert kinds(kept) == ["speech", "failure"]


def test_it_needs_no_screen(home: Path) -> None:
    code = (
        "import sys\n"
        "from verifytui.cli.app import main\n"
        "code = main(['--plain'])\n"
        "found = {n for n in ('textual', 'rich') if n in sys.modules}\n"
        "print(found, file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="r\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "set()")


def test_rows_of_a_table_become_lines() -> None:
    assert rows_as_lines(TABLE) == (
        "Speeds:\n\nway: up; speed: 1 m/s\nway: down; speed: 3 m/s\n\nDone."
    )
    assert rows_as_lines("| no | table") == "| no | table"


def test_undo_restores_settings_labels_facts_and_the_session_before(
    home: Path,
) -> None:
    keyed(keys="n\nl rounds=5\nZ\ne 1\nOther words.\n.\nZ\nn\n")
    first, edited = map(documents, saved(home))
    assert [row.get("new") for row in first[1:] if row["event"] == "change"] == [5, 3]
    assert edited[0]["parent"]["why"] == "edit"
    assert len(first) > len(edited), "the session before went on"

    for path in saved(home):
        path.unlink()
    keys = "2 c1\n1 c1\nZ\nZ\nZ\n"
    done = keyed("relevance", "--example", keys=keys)
    assert "You have changed nothing" in done.stderr
    (session,) = saved(home)
    (file,) = Path(f"{session}.labels").glob("*.yaml")
    rows = [row for row in documents(file)[1:] if row["event"] == "label"]
    assert [row.get("value") for row in rows] == [2, 1, 2, None]
    assert rows[-1]["undone"] is True


def test_facts_are_edited_and_restored(home: Path) -> None:
    keyed("relevance", "--example", "--model", "lexical", keys="r\n")
    (session,) = saved(home)
    before = documents(session)
    facts = next(row for row in before if row.get("event") == "facts")
    edit = f"e {facts['number']}\nThe first fact.\nThe second.\n.\nr\nZ\n"
    keyed(session, keys=edit)
    after = documents(session)[len(before) :]
    own, *_, restored = (
        row for row in after if row.get("edited") or row["event"] == "facts"
    )
    assert [one["text"] for one in own["items"]] == ["The first fact.", "The second."]
    assert (own["case"], own["kind"]) == (facts["case"], facts["kind"])
    assert restored["items"] == facts["items"]
    assert any(row["event"] == "judgement" for row in after), (
        "what rests on it ran again"
    )


def test_a_folder_lists_its_sessions_and_opens_one(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for name, keys in (("a", "r\n"), ("b", "n\n")):
        keyed("debate", HILL, "--save", folder / f"{name}.yaml", keys=keys)
    done = keyed(folder, keys="o 2\no hill\no 9\n")
    assert "Events: 3." in done.stdout, "the newest one is open"
    assert "Sessions: 2." in done.stdout
    assert done.stdout.rindex("Result: 1.5 m/s") > done.stdout.index("Sessions: 2.")
    assert "1 to 2" in done.stderr


def test_pairs_are_labelled_and_decided_as_lines(home: Path) -> None:
    keyed("relevance", "--example", keys="r\n")
    folder = home / "sessions"
    (session,) = saved(home)

    def labelled(name: str, keys: str) -> tuple[Done, list[Any]]:
        done = keyed("label", folder, "--annotator", name, keys=keys)
        rows = documents(Path(f"{folder}/labels/{name}.yaml"))[1:]
        return done, [row for row in rows if row["event"] == "label"]

    done, rows = labelled("Anna", "2 a note\n1\nZ\n.\n,\nT\n?\nx\n")
    assert [row.get("value") for row in rows] == [2, 1, None]
    assert rows[0]["note"] == "a note"
    assert rows[2]["undone"] is True
    assert not any(row["seen_machine"] for row in rows)
    machine = next(row for row in documents(session) if row.get("event") == "judgement")
    assert machine["reason"] not in done.stdout
    assert "x is not a key here" in done.stderr
    assert done.stdout.count("q to leave.") == 9, "one prompt for each line"
    _, rows = labelled("Ben", "1\n" * 20)
    assert "pair" in rows[0]
    done = keyed("adjudicate", folder, "--by", "Cem", keys="3 Both are.\n")
    assert "Anna" in done.stdout
    gold = documents(folder / "labels" / "gold.yaml")[-1]
    assert (gold["value"], gold["by"], gold["reason"]) == (3, "Cem", "Both are.")


def test_lines_keep_to_a_teams_own_scale(home: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", 2)
    (folder / "labels").mkdir()
    (folder / "labels" / "team.yaml").write_text(
        "people: {Anna: 1}\nlevels: {0: off topic, 1: on topic}\n"
    )
    done = keyed("label", folder, "--annotator", "Anna", keys="2\n1\n?\n")
    assert "0 off topic, 1 on topic; ? for the keys" in done.stdout
    assert "3 both" not in done.stdout
    assert "2 is not on the team's scale: 0 (off topic), 1 (on topic)." in done.stderr
    (label,) = documents(folder / "labels" / "Anna.yaml")[2:]
    assert label["value"] == 1


def test_answers_are_rated_as_lines(home: Path, tmp_path: Path) -> None:
    folder = run_of(tmp_path / "out", {"q0": "42", "q1": HOSTILE, "q2": None})
    keys = "b\nr\nw\nZ\nw\n5\nx\n?\n,\nq\n"
    done = keyed("label", folder, "--annotator", "Mei", keys=keys)
    assert "answer 1 of 2" in done.stdout
    assert "[Accepted" in done.stdout
    assert "All answers are rated." in done.stderr
    assert done.stderr.count("key") >= 2, "5 and x do nothing here"
    for name in KEYS_OF_ANSWERS:
        assert f"{name}: " in done.stdout
    for word in ("gpt-4o", "qwen3"):
        assert word not in done.stdout
    ratings = [*read_labels(folder)["Mei"].values()]
    assert [(one.measure, one.value, one.seen_references) for one in ratings] == [
        ("correct", 1, True),
        ("correct", 0, False),
    ]
    again = keyed("label", folder, "--annotator", "Mei", keys="x\n")
    assert "2 rated" in again.stdout or "2 of 2" in again.stdout
