"""A setting that is declared in one line, with two texts of help, is there wherever a
user can look for it.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from verifytui import texts
from verifytui.cli.flags import option_flags, wishes_of
from verifytui.engines.debate.settings import SETTINGS
from verifytui.engines.method import begin
from verifytui.engines.models.config import load_config
from verifytui.engines.settings import OneOf, Setting, Settings, Whole
from verifytui.engines.starting import Starter, Wishes, wishes
from verifytui.engines.topic import OPTIONS
from verifytui.sessions.paths import paths
from verifytui.tests.support.screens_host import shown, text_of
from verifytui.tui.screens import form
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen

MOOD = Setting("mood", OneOf("calm", "fierce"), default="calm")
DEPTH = Setting("depth", Whole(1, 99), default=7)
HELP = {"en": "How they speak.", "zh": "说话的语气。"}


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of debates with two more."""
    whole = Settings(
        "debate",
        [*SETTINGS, MOOD, DEPTH],
        options=OPTIONS,
        builtins=SETTINGS.builtins,
        asked=(*SETTINGS.asked, MOOD.name, DEPTH.name),
    )
    for name, value in vars(whole).items():
        monkeypatch.setattr(SETTINGS, name, value)
    for language, said in HELP.items():
        for setting in (MOOD, DEPTH):
            monkeypatch.setitem(
                texts.catalogue(language, "usage"), f"usage.debate.{setting.name}", said
            )


def mood(wanted: Wishes) -> object:
    places = paths()
    return begin(
        wanted.about(topic="Why?"),
        Starter(load_config(places.config_file, os.environ), places),
    ).settings["mood"]


@pytest.mark.usefixtures("home")
def test_flag_variable_entry_and_key_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    model = {"model": "openai/x"}

    @click.command()
    @option_flags(SETTINGS)
    def take(**values: object) -> Wishes:
        return wishes_of(SETTINGS, values)

    assert mood(wishes("debate", model)) == "calm"
    assert (
        mood(
            take.main(
                ["--mood", "fierce", "--model", "openai/x"], standalone_mode=False
            )
        )
        == "fierce"
    )
    assert mood(wishes("debate", model).with_line({"mood": "fierce"})) == "fierce"
    file = paths().config_file
    file.parent.mkdir(parents=True)
    file.write_text("settings: {debate: {mood: fierce}}\n")
    assert mood(wishes("debate", model)) == "fierce"
    monkeypatch.setenv("VERIFYTUI_DEBATE_MOOD", "calm")
    assert mood(wishes("debate", model)) == "calm"


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_help_and_table(language: str) -> None:
    texts.set_language(language)
    try:
        (flag,) = [option for option in _flags() if option.name == "mood"]
        assert flag.said().startswith(HELP[language])  # type: ignore[attr-defined]
        assert SETTINGS.help(SETTINGS["mood"]) == HELP[language]
    finally:
        texts.set_language("en")
    assert MOOD.row() == ("mood", "`--mood`", "`calm`, `fierce`")


def _flags() -> list[click.Parameter]:
    return click.command()(option_flags(SETTINGS)(lambda **values: None)).params


async def test_field_of_the_form() -> None:
    async with shown(NewDebateScreen([], {}, topic="Why?"), (120, 40)) as (host, pilot):
        choice = host.screen.query_one("#mood", form.ChoiceField)
        choice.focus()
        await pilot.press("right")
        assert HELP["en"] in text_of(host)
        host.screen.query_one("#depth").focus()
        await pilot.press("9", "9", "f10")
        assert "Depth: a whole number from 1 to 99." in text_of(host)
        await pilot.press("backspace", "backspace", "f10")
        assert (host.result.get("mood"), host.result.get("depth")) == ("fierce", 7)


def test_no_page_lacks_it() -> None:
    """A setting without a row in its page is found: the table is compared with the
    declarations.
    """
    table = (Path(texts.__file__).parents[1] / "docs" / "debate.md").read_text("utf-8")
    assert "| mood |" not in table
    assert "mood" in [setting.row()[0] for setting in SETTINGS]
