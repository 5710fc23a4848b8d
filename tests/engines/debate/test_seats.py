"""Who sits where when a debate begins, from the command line and from the form."""

from __future__ import annotations

import pytest
from verifytui.engines.debate.method import example, seats
from verifytui.engines.models.config import Config
from verifytui.engines.starting import wishes
from verifytui.sessions.session import Header
from verifytui.tui.workspaces.drafts import draft

RATED = {"disagreement": "stance"}


@pytest.mark.parametrize(
    ("config", "models"),
    [
        (Config(), ["openai/x"]),
        (Config(model="openai/x"), []),
        (Config(lineup={"debate": {"*": "openai/x"}}), []),
        (Config(), ["openai/x", "judge=openai/y"]),
    ],
)
def test_a_model_for_all_is_the_observer_too_where_one_is_asked_for(
    config: Config, models: list[str]
) -> None:
    assert seats(config, RATED, models=models)["observer"].model == "openai/x"
    assert seats(config, {}, "translation", models)["observer"].model == "openai/x"
    assert "observer" not in seats(config, {}, models=models)
    assert "observer" not in seats(
        config, {"disagreement": "answer"}, "translation", models
    )


@pytest.mark.parametrize(
    "models",
    [
        [],
        ["script"],
        ["human"],
        ["affirmative=openai/x", "negative=openai/x", "judge=openai/x"],
    ],
)
def test_nobody_else_becomes_the_observer_unless_named(models: list[str]) -> None:
    assert "observer" not in seats(Config(), RATED, models=models)
    assert (
        seats(Config(), RATED, models=[*models, "observer=human"])["observer"].model
        == "human"
    )


def test_the_baseline_stays_empty_unless_named() -> None:
    assert "baseline" not in seats(Config(), {"opening": "seeded"}, models=["openai/x"])


def begun(config: Config, topic: str = "吃了吗？", **given: object) -> Header:
    options = {"kind": "translation", "source": "zh", "target": "en", **given}
    return draft(wishes("debate", options, topic=topic), config).session.header


@pytest.mark.usefixtures("home")
def test_the_form_seats_the_configured_model_as_observer() -> None:
    config = Config(model="openai/x")
    assert begun(config).lineup["observer"].model == "openai/x"
    assert "observer" not in begun(config, disagreement="answer").lineup
    assert "observer" not in begun(Config()).lineup


@pytest.mark.usefixtures("home")
def test_the_script_never_measures_a_debate_on_its_own() -> None:
    for which in range(5):
        assert "observer" not in draft(example(which), Config()).session.header.lineup


@pytest.mark.usefixtures("home")
def test_the_form_chooses_the_negative_side_and_the_topic_the_prompts() -> None:
    asked = {
        "topic": "蜘蛛有几条腿？",
        "kind": "question",
        "source": None,
        "target": None,
    }
    header = begun(Config(), **asked)
    assert (header.settings["negative"], header.prompts.set) == ("differs", "zh")
    assert (
        begun(Config(), **asked, negative="unprompted").settings["negative"]
        == "unprompted"
    )
    assert begun(Config(), **asked, level=0).settings["negative"] == "unprompted"
    assert begun(Config()).prompts.set == "en"
    assert (
        begun(Config(settings={"debate": {"prompts": "small"}}), **asked).prompts.set
        == "small-zh"
    )
