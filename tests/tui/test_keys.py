"""The one list of what keys do: each reachable over plain SSH, each with words, each in
the documents.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.widgets import ContentSwitcher
from verifytui.engines.models.config import Config
from verifytui.sessions.methods import WORKSPACES
from verifytui.tests.support.key_table import markdown_table
from verifytui.texts import LANGUAGES, catalogue, speaking
from verifytui.tui.actions import (
    ACTIONS,
    BY_ID,
    DEAD,
    belongs,
    bindings,
    keymap,
    shown,
)
from verifytui.tui.app import VerifyTui

PAGE = Path(__file__).resolve().parents[2] / "docs" / "keys.md"

ARRIVES = {
    "space",
    "left",
    "right",
    "home",
    "end",
    "up",
    "down",
    "enter",
    "escape",
    "tab",
    "backspace",
    "pageup",
    "pagedown",
}
"""Keys with names that every terminal sends, beside printable ones, ctrl and a letter,
and F1 to F10.
"""

CTRL_LOST = set("him")
"""ctrl with these is backspace, tab and enter."""


def arrives(key: str) -> bool:
    if key.startswith("ctrl+"):
        rest = key.removeprefix("ctrl+")
        return len(rest) == 1 and rest.isalpha() and rest not in CTRL_LOST
    return printable(key) or function(key) or key in ARRIVES


def printable(key: str) -> bool:
    """Whether it is a character: textual gives those that are no letter or digit a name
    of more than one letter.
    """
    (binding,) = Binding.make_bindings([Binding(key, "x")])
    signs = [
        "slash",
        "minus",
        "plus",
        "equals_sign",
        "question_mark",
        "space",
        "left_square_bracket",
        "right_square_bracket",
    ]
    signs += ["greater_than_sign", "less_than_sign", "comma"]
    return len(key) == 1 or key in signs or len(binding.key) == 1


def function(key: str) -> bool:
    return key[:1] == "f" and key[1:].isdigit() and 1 <= int(key[1:]) <= 10


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_key_arrives_over_plain_ssh(action: object) -> None:
    keys = BY_ID[action.id].keys.split(",")  # type: ignore[attr-defined]
    assert all(arrives(key) and key not in DEAD for key in keys)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_stepping_has_a_printable_key_and_a_function_key(action: object) -> None:
    keys = BY_ID[action.id].keys.split(",")  # type: ignore[attr-defined]
    section = BY_ID[action.id].section  # type: ignore[attr-defined]
    if section == "step":
        assert any(map(printable, keys))
        assert any(map(function, keys))
    else:
        assert any(
            printable(key) or key in ("home", "end", "left", "right") for key in keys
        )


def test_no_key_does_two_things() -> None:
    for workspace in WORKSPACES:
        keys = [
            key
            for action in ACTIONS
            if belongs(action.id, workspace)
            for key in action.keys.split(",")
        ]
        assert len(keys) == len(set(keys))
    assert keymap({}) == ({action.id: action.keys for action in ACTIONS}, [])


def test_every_reason_has_its_words() -> None:
    """A key of the texts that is not there would break the start of somebody whose
    config has such an entry.
    """
    import re

    from verifytui.tui import actions

    reasons = set(
        re.findall(
            r'"([a-z]+(?:-[a-z]+)+)"',
            Path(actions.__file__).read_text(encoding="utf-8"),
        )
    )
    assert {"unknown-action", "dead-key", "no-key-left"} <= reasons
    for language in LANGUAGES:
        assert all(
            catalogue(language)[f"keys.{reason.replace('-', '_')}"]
            for reason in reasons
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_has_its_words(language: str) -> None:
    texts = catalogue(language)
    for action in ACTIONS:
        assert texts[f"action.{action.id}"].strip()
        assert texts[f"action.{action.id}_help"].strip()
        assert texts[f"section.{action.section}"].strip()


def test_both_languages_have_the_same_texts_and_fields() -> None:
    from string import Formatter

    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}

    english, chinese = catalogue("en"), catalogue("zh")
    assert set(english) == set(chinese)
    assert {key: fields(text) for key, text in english.items()} == {
        key: fields(text) for key, text in chinese.items()
    }


@pytest.mark.parametrize(
    ("name", "keys", "why"),
    [
        ("dance", "j", "unknown-action"),
        ("next", "ctrl+enter", "dead-key"),
        ("next", "j,ctrl+i", "dead-key"),
        ("next", "shift+enter", "dead-key"),
        ("jump", "j", "digits-only"),
        ("jump", "1,0", "digits-only"),
        ("label", "4", "digits-only"),
        ("next", "ctrl+1", "dead-key"),
        ("next", "shift+j", "dead-key"),
        ("next", "ctrl+shift+p", "dead-key"),
        ("next", "no such key", "not-a-key"),
        ("next", "f99", "not-a-key"),
        ("next", "ctrl+", "not-a-key"),
        ("next", "super+j", "not-a-key"),
        ("next", "", "not-a-key"),
        ("next", ",", "not-a-key"),
    ],
)
def test_bad_entries_are_named_and_the_default_stays(
    name: str, keys: str, why: str
) -> None:
    made, bad = keymap({name: keys})
    assert [reason for _, reason in bad] == [why]
    assert name in bad[0][0]
    assert made == keymap({})[0]


def test_the_users_keys_win_and_the_loser_is_named() -> None:
    made, bad = keymap({"fork": "space"})
    assert (made["fork"], made["next"], bad) == ("space", "f5", [])
    made, bad = keymap({"fork": "z"})
    assert made["fork"] == "z"
    assert made["reasoning"] == ""
    assert bad == [("reasoning", "no-key-left")]
    made, bad = keymap({"fork": "j", "edit": "j"})
    assert (made["fork"], made["edit"]) == ("j", "")
    assert bad == [("edit", "no-key-left")]


@pytest.mark.parametrize("keys", ["j, n", "?", "question_mark", " space "])
def test_a_key_is_taken_however_it_is_written(keys: str) -> None:
    made, _ = keymap({"quit": keys})
    for key in keys.split(","):
        (real,) = Binding.make_bindings([Binding(key, "x")])
        (held,) = bindings(made).key_to_bindings[real.key]
        assert held.action.startswith("do('quit'")


@pytest.mark.parametrize(
    "keys", ["j", "J", "j,f9", "ctrl+t", "f11", "?", "question_mark", "é", "pageup"]
)
def test_keys_that_can_be_used(keys: str) -> None:
    made, bad = keymap({"twin": keys})
    assert bad == []
    assert made["twin"] == keys
    assert any(
        binding.action.startswith("do('twin'")
        for held in bindings(made).key_to_bindings.values()
        for binding in held
    )


def test_bindings_have_every_key_once() -> None:
    held = bindings(keymap({})[0]).key_to_bindings
    for workspace in WORKSPACES:
        for each in held.values():
            assert (
                sum(
                    belongs(binding.action.split("'")[1], workspace) for binding in each
                )
                <= 1
            )
    assert sum(map(len, held.values())) == sum(
        len(action.keys.split(",")) for action in ACTIONS
    )
    assert held["space"][0].action == "do('next', 'space')"


def test_a_key_of_one_workspace_is_free_in_the_others() -> None:
    made, bad = keymap({"blind": "w"})
    assert (made["blind"], made["twin"], bad) == ("w", "w", [])
    made, bad = keymap({"blind": "v"})
    assert (made["blind"], made["raw"]) == ("v", "")
    assert bad == [("raw", "no-key-left")]


def test_keys_are_shown_as_people_write_them() -> None:
    assert shown("question_mark,f1") == "? F1"
    assert shown("q,ctrl+q") == "q ^q"


def test_the_documents_have_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    part = text.split("<!-- keys -->")[1].split("<!-- /keys -->")[0]
    assert part.strip() == markdown_table().strip()


def test_the_table_has_every_action() -> None:
    rows = markdown_table().strip().splitlines()
    assert len(rows) == len(ACTIONS) + 2
    assert any(
        "; RAG: Run the next step" in row and "; Relevance: Run the next stage" in row
        for row in rows
    )
    assert (
        "| `w` | twin | Debate: Run the same debate with the models of the two "
        "sides exchanged |" in rows
    )
    assert "| `? F1` | help | Explain the focused element, and show all keys |" in rows
    assert all(row.count("|") == 4 for row in rows)


async def test_tabs_can_be_gone_through_in_both_directions(home: Path) -> None:
    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        seen = []
        for key in ("]", "]", "[", "[", "[", "["):
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()
            seen.append(
                (
                    app.front,
                    str(app.query_one("#tabs", ContentSwitcher).current).removeprefix(
                        "tab-"
                    ),
                )
            )
    order = ["relevance", "rag", "relevance", "debate", "rag", "relevance"]
    assert seen == [(name, name) for name in order]


def test_names_of_keys_are_in_the_language_of_the_interface() -> None:
    keys = "space,enter,backspace,left,f5,ctrl+o"
    assert shown(keys) == "space enter backspace ← F5 ^o"
    with speaking("zh"):
        assert shown(keys) == "空格 回车 退格 ← F5 ^o"
