"""What the forms give, as headers."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.rag.settings import SETTINGS
from verifytui.engines.starting import wishes
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths
from verifytui.tui.remembered import Lineups
from verifytui.tui.workspaces.drafts import draft, lineup_of
from verifytui.tui.workspaces.rag.drafts import NewQuestion, blank
from verifytui.tui.workspaces.relevance.drafts import NewRelevance

OTHER = {
    "k": 6,
    "iterations": 3,
    "indicator": "thresholds-all",
    "revise": "none",
    "merge": True,
    "claims": True,
    "search": "hybrid",
    "where": "kind=md",
}
pytestmark = pytest.mark.usefixtures("home")


def test_the_form_of_a_question_begins_with_the_users_own_settings_as_far_as_they_are_right() -> (
    None
):
    assert blank(Config(settings={"rag": {**OTHER, "k": 99}})).settings == {
        **OTHER,
        "k": 5,
    }


@pytest.mark.parametrize(
    "name", sorted({*OTHER} - {"search"})
)  # the example has no vectors, so nothing else can search it
def test_a_setting_of_the_form_of_a_question_goes_before_the_users_own(
    name: str,
) -> None:
    filled = blank(Config())._replace(
        question="Why?", settings={**blank(Config()).settings, name: OTHER[name]}
    )
    own = Config(settings={"rag": {name: SETTINGS[name].default, "keep": "best"}})
    settings = draft(filled.wishes(), own).session.header.settings
    assert (settings[name], settings["keep"]) == (OTHER[name], "best")


def test_a_question_looks_where_its_form_says(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("[1] Because.")
    filled = NewQuestion("Why?", {})
    config = Config()
    assert draft(filled.wishes(), config).session.header.task["corpus"] == "example"
    assert draft(
        filled._replace(source=str(tmp_path)).wishes(), config
    ).session.header.task["corpus"] == str(tmp_path)
    assert (
        draft(
            filled._replace(source="web:searxng").wishes(), config
        ).session.header.task["corpus"]
        == "web:searxng"
    )
    for given in ({"references": str(tmp_path / "a.txt")}, {"pasted": "[1] Because."}):
        assert (
            draft(filled._replace(**given).wishes(), config).session.header.task[
                "references"
            ][0]["text"]
            == "Because."
        )  # type: ignore[arg-type]
    for source, word in (
        ("nowhere", "add it with C"),
        ("http:nobody", "config.yaml"),
        ("http://host/x", "add it with C"),
    ):
        with pytest.raises(BadInput, match=word):
            draft(filled._replace(source=source).wishes(), config)


def test_the_form_of_cases_goes_before_the_users_own_settings(tmp_path: Path) -> None:
    own = Config(
        settings={
            "relevance": {
                "annotation": True,
                "matching": False,
                "shots": 4,
                "demonstrations": "zh-criminal",
            }
        }
    )
    filled = NewRelevance(
        demonstrations="en-common-law",
        settings={"annotation": False, "matching": True, "extraction": True},
    )
    settings = draft(filled.wishes(), own).session.header.settings
    assert [
        settings[name] for name in ("annotation", "matching", "shots", "demonstrations")
    ] == [False, True, 4, "en-common-law"]


def test_a_line_up_is_told_as_model_takes_it() -> None:
    models = ["human", "judge=openai/one"]
    before = draft(wishes("debate", {"model": models}, topic="One?"), Config())
    assert lineup_of(before.session) == models
    script = draft(wishes("debate", {"model": "script"}, topic="One?"), Config())
    assert lineup_of(script.session) == []


def test_line_ups_are_remembered_by_workspace_and_damage_is_ignored(home: Path) -> None:
    Lineups().keep("debate", ["openai/one", "judge=human"])
    Lineups().keep("debate", ["openai/two"])
    Lineups().keep("rag", ["openai/two"])
    kept = Lineups()
    assert kept.last("debate") == ["openai/two"]
    assert kept.last("relevance") == []
    assert kept.recent() == ["openai/two", "openai/one", "human"]
    file = paths().state / "lineups.json"
    for damage in ("{", "[1]", '{"debate": 1}', '{"debate": [["a"], [1], "x"]}'):
        file.write_text(damage, encoding="utf-8")
        assert Lineups().recent() in ([], ["a"])
