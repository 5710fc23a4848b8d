"""Answers and their verification as lines to train with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from verifytui.engines.method import method_of
from verifytui.engines.rag.verification import read
from verifytui.learning.synth.exports.answers import export_answers
from verifytui.learning.synth.exports.lines import ExportRecord
from verifytui.learning.synth.exports.options import ExportOptions, parse_shares
from verifytui.sessions.errors import BadInput
from verifytui.tests.learning.support.synthesised import Synthesised, both, lines, roles

pytestmark = pytest.mark.slow

RIGHT = "Beorn is a skin-changer [1]."
WRONG = "Bilbo is [2]."


async def made(folder: Path) -> Synthesised:
    """Ten questions for each task.

    Of those for verification, all have a right answer and one that repeats words.
    """
    here = Synthesised(folder)
    for n in range(10):
        await here.add(f"Who is it, number {n}?", RIGHT, half="answering")
        right = await here.add(
            f"Who is this, number {n}?", RIGHT, known_judgement="true"
        )
        await here.add(
            right.question,
            f"{RIGHT} {RIGHT}",
            kind="repeated-words",
            origin=right.id,
            scores={"conciseness": 0.1},
            known={"conciseness": 0.0},
        )
    return here


def exported(here: Synthesised, into: Path, **options: object) -> ExportRecord:
    return export_answers(
        here.samples,
        here.verified,
        into,
        folder=here.folder,
        method_of=method_of,
        options=ExportOptions(**options),
    )  # type: ignore[arg-type]


async def test_a_line_holds_what_the_seat_was_sent_and_a_reply_that_it_can_read(
    tmp_path: Path,
) -> None:
    here = await made(tmp_path)
    exported(here, tmp_path / "out")
    rows = both(tmp_path / "out", "chat")
    answering = [row for row in rows if row["task"] == "answering"]
    verifying = [row for row in rows if row["task"] == "verification"]
    assert (len(answering), len(verifying)) == (10, 20)
    for row in rows:
        assert roles(row["messages"]) == ["system", "user", "assistant"]
    system, user, reply = (message["content"] for message in answering[0]["messages"])
    assert system.startswith("You answer questions from numbered references.")
    assert "Who is it, number" in user and "Beorn is a skin-changer." in user  # noqa: PT018
    assert reply == RIGHT
    system, user, reply = (message["content"] for message in verifying[0]["messages"])
    assert system.startswith("You check an answer")
    assert RIGHT in user
    assert next(iter(json.loads(reply))) == "reason"
    assert read(reply).judgement == "true"
    assert read(reply).problems == []


async def test_both_parts_hold_whole_questions_and_the_same_ones_in_every_file(
    tmp_path: Path,
) -> None:
    here = await made(tmp_path)
    exported(here, tmp_path / "out", validation=0.2)
    questions = {one.id: one.question_id for one in here.samples}
    held = {
        questions[row["id"]]
        for row in lines(tmp_path / "out" / "chat" / "validation.jsonl")
    }
    assert (
        sorted(question[:8] for question in held) == ["Who is i"] * 2 + ["Who is t"] * 2
    )
    for form in ("chat", "prompt-completion", "preference", "llamafactory"):
        [train] = [
            file
            for file in (tmp_path / "out" / form).glob("*.jsonl")
            if file.stem in ("train", "sft")
        ]
        assert not any(question in train.read_text("utf-8") for question in held)


async def test_a_pair_has_the_right_answer_s_prompt_and_both_answers(
    tmp_path: Path,
) -> None:
    here = Synthesised(tmp_path)
    right = await here.add("Who turns into a bear?", RIGHT)
    await here.add("Who turns into a bear?", WRONG, judgement="false")
    await here.add(
        "Who turns into a bear?",
        f"{RIGHT} bear bear",
        kind="repeated-words",
        origin=right.id,
    )
    await here.add(
        "Who turns into a bear?",
        RIGHT.replace("1", "2"),
        kind="citation-swap",
        origin=right.id,
    )
    await here.add(
        "Who turns into a bear?",
        "Nobody.",
        kind="retrieval-error",
        judgement="true",
        known_judgement="false",
    )
    await here.add("Who else?", WRONG, judgement="false")
    made = exported(here, tmp_path / "out", validation=0.0)
    rows = both(tmp_path / "out", "preference")
    assert {row["rejected"][0]["content"] for row in rows} == {
        WRONG,
        f"{RIGHT} bear bear",
        RIGHT.replace("1", "2"),
    }
    for row in rows:
        assert row["chosen"] == [{"role": "assistant", "content": RIGHT}]
        assert "Who turns into a bear?" in row["prompt"][1]["content"]
    assert made.counts["preferences"] == {
        "sampled": 1,
        "repeated-words": 1,
        "citation-swap": 1,
    }
    assert made.left_out["preferences"] == {"against-known": 1, "no-right-answer": 1}


async def test_what_cannot_be_trusted_is_left_out_and_counted(tmp_path: Path) -> None:
    here = Synthesised(tmp_path / "here")
    await here.add("A?", RIGHT, half="answering", judgement="false")
    await here.add("B?", RIGHT, half="answering")
    await here.add("C?", RIGHT, told="I cannot say.")
    await here.add("D?", RIGHT, judgement=None)
    await here.add(
        "E?",
        f"{RIGHT} again",
        kind="repeated-words",
        known={"conciseness": 0.0},
        scores={"conciseness": 0.9},
    )
    await here.add(
        "F?", WRONG, kind="bad-query", judgement="true", known_judgement="false"
    )
    await here.add("G?", RIGHT)
    (here.folder / "verified" / "s6.yaml").rename(tmp_path / "elsewhere.yaml")
    here.verified[-1].session = "../elsewhere.yaml"
    made = exported(here, tmp_path / "out")
    assert made.counts["tasks"] == {"answering": 1}
    assert made.left_out["answering"] == {"not-right": 1}
    assert made.left_out["verification"] == {
        "unread": 2,
        "against-known": 2,
        "no-messages": 1,
    }
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "the verifier contradicts what is known | 2 |" in card


async def test_shares_are_met_and_what_is_drawn_out_is_counted(tmp_path: Path) -> None:
    here = await made(tmp_path)
    made_ = exported(
        here,
        tmp_path / "out",
        validation=0.0,
        shares=parse_shares("answering=.5,verification=.5"),
    )
    assert made_.counts["tasks"] == {"answering": 10, "verification": 10}
    assert made_.left_out["chat"] == {"shares": 10}


@pytest.mark.parametrize(
    "text",
    [
        "answering=1",
        "answering=.5,verification=.6",
        "answering=.5,answering=.5",
        "answering=x,verification=.5",
        "",
    ],
)
def test_shares_that_are_none(text: str) -> None:
    with pytest.raises(BadInput):
        parse_shares(text)


async def test_the_files_of_llamafactory_are_as_its_description_says(
    tmp_path: Path,
) -> None:
    here = await made(tmp_path)
    exported(here, tmp_path / "out", base="org/model")
    folder = tmp_path / "out" / "llamafactory"
    described = json.loads((folder / "dataset_info.json").read_text("utf-8"))
    assert set(described) == {"sft", "sft_validation", "dpo", "dpo_validation"}
    for name, about in described.items():
        for line in (folder / about["file_name"]).read_text("utf-8").splitlines():
            row = json.loads(line)
            assert set(about["columns"].values()) == set(row)
            turns = [turn["from"] for turn in row["conversations"]]
            assert turns == (
                ["system", "human"]
                if about.get("ranking")
                else ["system", "human", "gpt"]
            ), name
            assert all(
                row[side]["from"] == "gpt"
                for side in ("chosen", "rejected")
                if side in row
            )
    config = yaml.safe_load(
        (tmp_path / "out" / "llamafactory-dpo.yaml").read_text("utf-8")
    )
    assert config["model_name_or_path"] == "org/model"
    assert {config["dataset"], config["eval_dataset"]} <= set(described)
    assert (tmp_path / "out" / config["dataset_dir"]).is_dir()


async def test_another_export_takes_away_what_it_does_not_make_but_nothing_of_a_person(
    tmp_path: Path,
) -> None:
    here = await made(tmp_path)
    first = exported(here, tmp_path / "out")
    assert "preference/train.jsonl" in first.files
    (tmp_path / "out" / "trl-dpo.yaml").write_text("mine: true\n")
    here.samples = [one for one in here.samples if one.half == "answering"]
    again = exported(here, tmp_path / "out")
    assert "preference/train.jsonl" not in again.files
    assert not (tmp_path / "out" / "preference" / "train.jsonl").exists()
    assert (tmp_path / "out" / "trl-dpo.yaml").read_text() == "mine: true\n"
    assert {one.name for one in (tmp_path / "out" / "chat").iterdir()} == {
        "train.jsonl",
        "validation.jsonl",
    }


async def test_the_same_export_again_is_the_same_to_the_byte(tmp_path: Path) -> None:
    here = await made(tmp_path)
    assert (
        exported(here, tmp_path / "one").files == exported(here, tmp_path / "two").files
    )


async def test_what_somebody_has_changed_is_never_lost(tmp_path: Path) -> None:
    here, out = await made(tmp_path), tmp_path / "out"
    exported(here, out)
    (out / "trl-sft.yaml").write_text("mine: 1\n")
    assert exported(here, out).changed == ["trl-sft.yaml"]
    assert (out / "trl-sft.yaml").read_text() == "mine: 1\n"
    for n in (1, 2):
        (out / "trl-sft.yaml").write_text(f"mine: {n}\n")
        exported(here, out, base=f"org/{n}")
        assert f"org/{n}" in (out / "trl-sft.yaml").read_text()
    assert [
        (out / f"trl-sft.yaml.changed{more}").read_text() for more in ("", "2")
    ] == ["mine: 1\n", "mine: 2\n"]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README.md").write_text("Of something else.")
    with pytest.raises(BadInput, match=r"is not empty \(README.md\); name a new"):
        exported(here, tmp_path / "docs")


async def test_texts_from_outside_stay_lines_and_cells(tmp_path: Path) -> None:
    here = Synthesised(tmp_path)
    hostile = "a\x1b[31m\u2028b | `c` <script> \ud800\n# d"
    await here.add("Who?", hostile.replace("\ud800", ""), half="answering")
    here.samples[0].models = [hostile]
    exported(here, tmp_path / "out", licence=hostile)
    [row] = both(tmp_path / "out", "chat")
    assert row["messages"][-1]["content"].startswith("a\x1b[31m\u2028b")
    raw = (tmp_path / "out" / "chat" / "train.jsonl").read_text("utf-8")
    assert len(raw.splitlines()) == 1
    assert "\x1b" not in raw
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "\x1b" not in card
    assert "\n# d" not in card and "<script>" not in card.replace("\\<", "")  # noqa: PT018
