"""One model alone, played against a real server on this machine and with the built-in
lines.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.solo.method import METHOD, new_solo
from verifytui.engines.solo.replies import answer_in
from verifytui.prompts import LANGUAGES, available, load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Failure
from verifytui.sessions.events.solo import Attempt, SoloResult
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Seat
from verifytui.tests.support.alone import HERE, play, served
from verifytui.tests.support.loopback import Answer, Loopback

HILL = (
    "When Alice walks up the hill, her speed is 1 m/s and when she goes down the "
    "hill, her speed is 3 m/s. "
    "Then when Alice walks up and down the hill, what is her average speed?"
)


@pytest.mark.parametrize(
    ("strategy", "answer"), [("direct", "2 m/s"), ("cot", "2 m/s")]
)
async def test_the_script_plays_an_example_to_its_end(
    strategy: str, answer: str
) -> None:
    journal = await play(
        new_solo(
            topic=HILL,
            settings={"strategy": strategy},
            prompts=load("en", workspace="solo"),
        )
    )
    attempt, result = journal.session.events
    assert isinstance(attempt, Attempt)
    assert (attempt.role, attempt.model, attempt.answer, attempt.iteration) == (
        "solver",
        "script",
        answer,
        1,
    )
    assert isinstance(result, SoloResult)
    assert (result.answer, result.attempts, result.decided_by) == (answer, 1, "single")


async def test_a_topic_that_the_script_does_not_know_is_a_failure() -> None:
    journal = await play(
        new_solo(topic="Why is the sky blue?", prompts=load("en", workspace="solo"))
    )
    (failure,) = journal.session.events
    assert isinstance(failure, Failure)
    assert failure.kind == "no-line"


async def test_a_model_is_sent_the_trigger_with_cot_alone(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLO_KEY", "sk-none-at-all-0123456789")
    loopback.answer = Answer(text="First 6, then 7.\n\nAnswer: 42")
    sent = []
    for strategy in ("direct", "cot"):
        header = new_solo(
            topic="What is 6 times 7?",
            settings={"strategy": strategy},
            lineup=HERE,
            prompts=load("en", workspace="solo"),
        )
        journal = await play(header, served(loopback))
        assert isinstance(journal.session.events[-1], SoloResult), (
            journal.session.events
        )
        assert journal.session.events[-1].answer == "42"
        sent.append(METHOD.asked(journal.session, 1))
        assert METHOD.asked(journal.session, 2) is None
    assert all(
        messages and messages[-1]["content"].startswith("What is 6 times 7?")
        for messages in sent
    )
    assert ["step" in (messages or [])[-1]["content"] for messages in sent] == [
        False,
        True,
    ]


async def test_the_question_says_which_part_of_a_reply_is_the_answer(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLO_KEY", "sk-none-at-all-0123456789")
    loopback.answer = Answer(text="**Winner:** France\n**Year:** 2018")
    header = new_solo(
        topic="Name the winner.",
        settings={"strategy": "direct"},
        lineup=HERE,
        prompts=load("en", workspace="solo"),
    )
    result = (await play(header, served(loopback))).session.events[-1]
    assert isinstance(result, SoloResult)
    assert result.answer == "France"


async def test_a_reply_without_an_answer_is_asked_for_once_more_and_then_unread(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOLO_KEY", "sk-none-at-all-0123456789")
    loopback.answer = Answer(text="I would have to\nthink about this for longer.")
    header = new_solo(
        topic="What is 6 times 7?",
        settings={"strategy": "cot"},
        lineup=HERE,
        prompts=load("en", workspace="solo"),
    )
    journal = await play(header, served(loopback))
    attempt, result = journal.session.events
    assert isinstance(attempt, Attempt)
    assert (attempt.answer, attempt.read, attempt.attempts) == (None, "unread", 2)
    assert isinstance(result, SoloResult)
    assert result.answer is None


@pytest.mark.parametrize(
    ("text", "translation", "strategy", "answer"),
    [
        ("42", False, "direct", "42"),
        ("Answer: 42", False, "direct", "42"),
        ("42", False, "cot", None),
        ("6 times 7.\n答案：42", False, "cot", "42"),
        ("One line.\nAnother line.", True, "direct", "One line.\nAnother line."),
        ("It means much.\n\nTranslation: Much.", True, "cot", "Much."),
        ("", True, "direct", None),
    ],
)
def test_what_counts_as_the_answer(
    text: str, translation: bool, strategy: str, answer: str | None
) -> None:
    assert answer_in(text, translation, strategy) == answer


async def test_a_file_says_the_method_and_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "alone.yaml"
    journal = await play(
        new_solo(topic=HILL, prompts=load("en", workspace="solo")), path=path
    )
    journal.close()
    with Journal.open(path, write=False) as again:
        assert (again.session.workspace, again.session.method) == ("debate", "solo")
        assert again.session.events == journal.session.events
        fork = again.fork(None, 0, "fork", settings={"strategy": "cot"})
    assert (fork.session.method, fork.session.setting("strategy")) == ("solo", "cot")


def test_every_set_has_what_the_solver_is_told() -> None:
    for name in available():
        texts = load(name, workspace="solo").templates
        assert all(
            name.endswith(LANGUAGES) and texts[f"{strategy}_{part}"]
            for strategy in ("direct", "cot")
            for part in ("system", "ask")
        )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"topic": " "}, "The topic is empty"),
        ({"topic": "x", "kind": "poem"}, "There is no kind of topic 'poem'"),
        (
            {"topic": "x", "settings": {"strategy": "tot"}},
            "strategy must be direct or cot or sc",
        ),
        (
            {"topic": "x", "settings": {"strategy": "rerank"}},
            "chooses among translations",
        ),
        (
            {"topic": "x", "settings": {"strategy": "sc"}, "kind": "translation"},
            "counts equal answers to a question; use rerank",
        ),
        (
            {"topic": "x", "settings": {"level": 2}},
            "There is no setting 'level' in solo",
        ),
        (
            {"topic": "x", "lineup": {"judge": Seat(model="script")}},
            "There is no role 'judge' in solo",
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(
    values: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        new_solo(**values, prompts=load("en", workspace="solo"))  # type: ignore[arg-type]
