"""A batch that an earlier version began goes on with the same command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.folder import BatchFolder
from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.batches.run import BatchRunner, run_batch
from verifytui.engines.batches.state import Limits, NoReporter
from verifytui.engines.debate.method import new_debate
from verifytui.engines.debate.script import example_topics
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.relevance.starting import new_relevance
from verifytui.engines.tools import Tools
from verifytui.prompts import load
from verifytui.prompts.demonstrations import load as read_set
from verifytui.sessions.errors import BadInput
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header

SINCE = ("negative", "control", "resample_judge")
"""Settings that the earlier version did not have."""


def batch(
    *ids: str, options: dict[str, object] | None = None, **settings: int
) -> Batch:
    """Debates of the script, one for each id."""
    topic = next(one.topic for one in example_topics() if one.kind == "question")
    debate = method("debate")
    prompts = load("en")
    headers = [new_debate(topic=topic, prompts=prompts, settings=settings) for _ in ids]
    lines = [BatchLine(name, (), f"line {n}") for n, name in enumerate(ids, 1)]
    tools = Tools(Config(), paths())
    kind = debate.batches["topics"]
    return Batch(kind, lines, headers, options or {}, debate, tools)


def before(header: Header) -> Header:
    """The header as the earlier version made it: fewer settings, other prompts."""
    settings = {
        name: value for name, value in header.settings.items() if name not in SINCE
    }
    prompts = msgspec.structs.replace(header.prompts, hash="sha256:of-then")
    return msgspec.structs.replace(header, settings=settings, prompts=prompts)


@pytest.fixture
def begun(tmp_path: Path, home: Path) -> Path:
    """A folder in which the first of three lines was begun, long ago."""
    out = tmp_path / "out"
    made = batch("a", "b", "c", options={"model": ["script"]})
    headers = [before(header) for header in made.headers if header is not None]
    folder = BatchFolder(out, made.options, made.lines, headers)
    with folder.locked():
        folder.keep()
        folder.journal(made.lines[0], headers[0]).close()
    return out


def kept(out: Path, name: str) -> Header:
    with Journal.open(out / f"{name}.yaml", write=False) as journal:
        return journal.session.header


async def test_it_goes_on_and_new_settings_keep_what_held_before(begun: Path) -> None:
    marks = json.loads((begun / "batch.json").read_text())["lines"]
    for _ in range(2):
        made = batch("a", "b", "c", options={"model": ["script"]})
        assert (await run_batch(made, begun)).status == "done"
    assert json.loads((begun / "batch.json").read_text())["lines"] == marks
    assert not set(SINCE) & set(kept(begun, "a").settings)
    settings = kept(begun, "b").settings
    assert [settings[name] for name in SINCE] == ["unprompted", "none", 1]
    assert kept(begun, "b").prompts == kept(begun, "a").prompts


async def test_the_option_that_says_so_is_taken_too_and_changes_nothing(
    begun: Path,
) -> None:
    said = {"model": ["script"], "negative": "unprompted"}
    assert (await run_batch(batch("a", "b", "c", options=said), begun)).status == "done"
    assert kept(begun, "b").settings["negative"] == "unprompted"
    plain = batch("a", "b", "c", options={"model": ["script"]})
    assert (await run_batch(plain, begun)).status == "done"


@pytest.mark.parametrize(
    ("options", "then", "now"),
    [
        ({"negative": "differs"}, "no --negative", "--negative differs"),
        ({"level": 3}, "no --level", "--level 3"),
        ({"model": ["lexical"]}, "--model script", "--model lexical"),
    ],
)
def test_another_option_is_named_with_both_values(
    options: dict[str, object], then: str, now: str, begun: Path
) -> None:
    said = {"model": ["script"], **options}
    runner = BatchRunner(batch("a", "b", "c", options=said), begun, Limits())
    with pytest.raises(BadInput) as refused:
        runner.prepare()
    sentence = str(refused.value).partition(";")[0]
    assert (then in sentence, now in sentence) == (True, True), sentence


def test_another_setting_of_a_line_is_named_with_both_values(begun: Path) -> None:
    made = batch("a", "b", "c", options={"model": ["script"]}, rounds=5)
    with pytest.raises(BadInput) as refused:
        BatchRunner(made, begun, Limits()).prepare()
    sentence = str(refused.value).partition(";")[0]
    assert "has “a” with rounds 3, but this command uses 5" in sentence


def test_a_setting_of_today_is_not_left_out_unsaid(begun: Path) -> None:
    made = batch("a", "b", "c", options={"model": ["script"]}, resample_judge=3)
    with pytest.raises(BadInput, match="resample_judge"):
        BatchRunner(made, begun, Limits()).prepare()


def judged(*ids: str, **settings: str) -> Batch:
    """A pair of cases for each id, judged by `lexical`."""
    relevance = method("relevance")
    demonstrations = read_set("en-common-law")
    headers = [
        new_relevance(
            query={"id": "q", "text": "He took a ring."},
            candidates=[{"id": name, "text": f"She took {name}."}],
            demonstrations=demonstrations,
            prompts=load("en", workspace="relevance"),
            settings=settings,
        )
        for name in ids
    ]
    lines = [BatchLine(name, (), f"line {n}") for n, name in enumerate(ids, 1)]
    tools = Tools(Config(), paths())
    return Batch(relevance.batches["pairs"], lines, headers, {}, relevance, tools)


OLD = "sha256:of-then"


def with_digest(header: Header, digest: str) -> Header:
    settings = {**header.settings, "demonstrations_digest": digest}
    return msgspec.structs.replace(header, settings=settings)


@pytest.fixture
def judged_then(tmp_path: Path, home: Path) -> Path:
    """A folder in which the first of three pairs was begun, with other demonstrations."""
    out, made = tmp_path / "out", judged("a", "b", "c")
    headers = [with_digest(one, OLD) for one in made.headers if one is not None]
    folder = BatchFolder(out, made.options, made.lines, headers)
    with folder.locked():
        folder.keep()
        folder.journal(made.lines[0], headers[0]).close()
    return out


class Heard(NoReporter):
    """Keeps what is said while a batch runs."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, message: str) -> None:
        self.said.append(message)


async def test_it_goes_on_with_the_bundled_demonstrations_of_today_and_says_so(
    judged_then: Path,
) -> None:
    marks = json.loads((judged_then / "batch.json").read_text())["lines"]
    made, heard = judged("a", "b", "c"), Heard()
    assert (await run_batch(made, judged_then, reporter=heard)).status == "done"
    assert [one for one in heard.said if "en-common-law have changed" in one]
    digests = [
        kept(judged_then, name).settings["demonstrations_digest"] for name in "abc"
    ]
    assert digests == [OLD, digests[1], digests[1]]
    assert digests[1] != OLD, "a session says which demonstrations it really has"
    assert json.loads((judged_then / "batch.json").read_text())["lines"] == marks
    again = Heard()
    await run_batch(judged("a", "b", "c"), judged_then, reporter=again)
    assert again.said == []


def test_demonstrations_of_the_users_own_are_named_with_both_values(
    judged_then: Path,
) -> None:
    made = judged("a", "b", "c")
    headers = [
        with_digest(one, "sha256:mine") for one in made.headers if one is not None
    ]
    with pytest.raises(BadInput) as refused:
        BatchRunner(replace(made, headers=headers), judged_then, Limits()).prepare()
    sentence = str(refused.value).partition(";")[0]
    for words in ("--demonstrations en-common-law", OLD, "sha256:mine"):
        assert words in sentence


def test_prompts_of_the_users_own_are_another_task(begun: Path) -> None:
    made = batch("a", "b", "c", options={"model": ["script"]})
    headers = [
        msgspec.structs.replace(
            header, prompts=msgspec.structs.replace(header.prompts, hash="sha256:mine")
        )
        for header in made.headers
        if header is not None
    ]
    with pytest.raises(BadInput, match="the text of the prompts sha256:of-then"):
        BatchRunner(replace(made, headers=headers), begun, Limits()).prepare()
