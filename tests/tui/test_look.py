"""Whatever the theme, words can be read; the theme that the user chose last is kept,
and a wrong name says where it stands.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme
from verifytui.engines.models.config import Config
from verifytui.tui.app import VerifyTui
from verifytui.tui.app_theme import GROUNDS, WORDS, contrast, legible
from verifytui.tui.themes import DARK, LIGHT

BLACK, WHITE = Color(0, 0, 0), Color(255, 255, 255)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast(WHITE, WHITE) == 1
    assert contrast(Color.parse("#767676"), WHITE) == pytest.approx(
        4.54, abs=0.005
    )  # the lightest grey that passes on white


@pytest.mark.parametrize(
    "theme",
    [
        *(each for name, each in BUILTIN_THEMES.items() if "ansi" not in name),
        DARK,
        LIGHT,
    ],
    ids=lambda each: each.name,
)
def test_words_of_every_theme_can_be_read(theme: Theme) -> None:
    variables = {**theme.to_color_system().generate(), **theme.variables}
    if theme not in (DARK, LIGHT):
        variables = legible(variables, theme)
    colors = {
        name: Color.parse(variables[name])
        for name in (*WORDS, *GROUNDS)
        if variables[name].startswith("#")
    }
    for name in set(WORDS) & set(colors):
        assert (
            min(contrast(colors[name], colors[ground]) for ground in GROUNDS) >= 4.5
        ), name  # WCAG 2.2, 1.4.3
    assert "side-negative" in colors


async def test_the_chosen_theme_is_kept_until_the_configuration_names_another(
    home: Path,
) -> None:
    async def seen(
        config: Config, option: str | None = None, chosen: str | None = None
    ) -> str:
        app = VerifyTui(config, theme=option)
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            await pilot.pause()
            before = app.theme
            if chosen is not None:
                app.theme = chosen
                await pilot.pause()
        return before

    assert await seen(Config(), chosen="verifytui-light") == "verifytui-dark"
    assert await seen(Config(), chosen="nord") == "verifytui-light"
    assert await seen(Config()) == "nord"
    assert await seen(Config(), option="light") == "verifytui-light"
    assert await seen(Config(theme="dark"), chosen="gruvbox") == "verifytui-dark", (
        "the configuration has been changed since"
    )
    assert await seen(Config(theme="dark")) == "gruvbox"
    assert await seen(Config()) == "verifytui-dark"


@pytest.mark.parametrize("where", ["config.yaml", "--theme", "VERIFYTUI_THEME"])
async def test_a_wrong_theme_says_where_its_name_stands(
    where: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        VerifyTui,
        "say",
        lambda self, message, severity="information": said.append(message),
    )
    if where == "VERIFYTUI_THEME":
        monkeypatch.setenv(where, "fancy")
    app = VerifyTui(
        Config(theme="fancy" if where != "--theme" else None),
        theme="fancy" if where == "--theme" else None,
    )
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.pause()
    (sentence,) = [one for one in said if "fancy" in one]
    assert sentence.startswith(
        f"Unknown theme fancy "
        f"({home / where if where == 'config.yaml' else where}). Choose one of "
        f"dark, light, "
    )
    assert "solarized-light" in sentence
