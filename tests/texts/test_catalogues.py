"""The catalogues: whole, alike in both languages, read as YAML reads them, and asked
for nothing that they lack.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui import texts
from verifytui.cli.app import COMMANDS, main
from verifytui.cli.method_texts import missing_texts
from verifytui.sessions.export.about import settings_facts
from verifytui.sessions.session import Totals
from verifytui.texts.settings import setting_name, setting_value, word

ROOT = Path(texts.__file__).parents[1]
PARTS = ("", *texts.PARTS)
FILES = sorted(
    path
    for room in (
        "cli",
        "engines",
        "learning",
        "prompts",
        "scale",
        "sessions",
        "texts",
        "tui",
    )
    for path in (ROOT / room).rglob("*.py")
)


def everything(language: str) -> dict[str, str]:
    return {
        key: text
        for part in PARTS
        for key, text in texts.catalogue(language, part).items()
    }


def fields(text: str) -> set[str]:
    return set(re.findall(r"(?<!\{)\{(\w+)", text))


def test_both_languages_hold_the_same_keys_and_fields() -> None:
    english, chinese = everything("en"), everything("zh")
    assert set(english) == set(chinese)
    assert [
        key for key in english if fields(chinese[key]) != fields(english[key])
    ] == []


def test_a_placeholder_says_what_fills_it() -> None:
    """`{part2}` tells a translator nothing."""
    numbered = {
        key
        for language in texts.LANGUAGES
        for key, text in everything(language).items()
        if any(name[-1].isdigit() for name in fields(text))
    }
    assert numbered == set()


@pytest.mark.parametrize("language", texts.LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_a_file_is_read_as_yaml_reads_it(part: str, language: str) -> None:
    """And without a YAML library; no section or name stands twice."""
    path = Path(texts.__file__).with_name(f"{part}{'.' * bool(part)}{language}.yaml")
    text = path.read_text("utf-8")
    sections = yaml.safe_load(text)
    prefix = f"{part}." * bool(part)
    wanted = {
        f"{prefix}{section}.{name}": said
        for section, names in sections.items()
        for name, said in names.items()
    }
    assert texts.catalogue(language, part) == wanted
    assert [
        line
        for line in text.splitlines()
        if line and line[0] != "#" and not texts._LINE.fullmatch(line.rstrip())
    ] == []
    root: Any = yaml.compose(text)
    for node in [root, *(value for _, value in root.value)]:
        names = [key.value for key, _ in node.value]
        assert [name for name in names if names.count(name) > 1] == []


def test_every_text_that_is_asked_for_exists() -> None:
    known = everything("en")
    for path in FILES:
        for key in re.findall(
            r"\b(?:t|bad_input|tell|unreadable)\(\s*\"([a-z_.0-9A-Z]+)\"[,)]",
            path.read_text("utf-8"),
        ):
            assert key in known, (path.name, key)


def test_every_text_is_asked_for() -> None:
    """By its key or by a pattern of keys: `t(f"value.{name}")`. The screen also puts the
    name of a tab in front of a name.
    """
    named: set[str] = set()
    patterns = {r"report\.(why|unread)\..*"}  # see `own_words`
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant):
                named.add(str(node.value))
            elif isinstance(node, ast.JoinedStr):
                patterns.add("".join(map(_fixed, node.values)))
    told = [each for each in patterns if re.search(r"^[a-z_]+\\\.|[a-z]{4}", each)]
    pattern = re.compile("|".join(told))

    def asked(key: str) -> bool:
        names = [key]
        if not key.startswith(texts.PARTS):
            names.append(key.rpartition(".")[2].removesuffix("_help"))
        return any(name in named or pattern.fullmatch(name) for name in names)

    assert [key for key in everything("en") if not asked(key)] == []


def _fixed(part: ast.expr) -> str:
    """What a part of an f-string matches."""
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*"


def test_a_sentence_can_be_said_in_english_with_all_that_it_holds() -> None:
    texts.set_language("zh")
    try:
        inner = ValueError(texts.t("wrong.documents.binary"))
        said = texts.t("wrong.cases.unread", where="a.txt", error=inner)
    finally:
        texts.set_language("en")
    assert not said.isascii()
    assert texts.english(said) == "a.txt is not a readable case: it is a binary file."
    assert texts.english(ValueError(said)) == texts.english(said)
    assert texts.english("as it is") == "as it is"


def test_what_stays_english_in_files_has_chinese_words_for_people() -> None:
    spent = Totals(cost_known=0.19, unpriced=("negative", "judge"))
    bounds = {
        "bounds": {"bias": 0.7},
        "revise": "end",
        "level": 2,
        "merge": False,
        "rerank": "on",
    }
    with texts.speaking("zh"):
        assert (
            spent.cost_in_words(lambda dollars: f"${dollars}")
            == "$0.19 + \u672a\u77e5\uff08\u53cd\u65b9\u3001\u88c1\u5224\uff09"
        )
        assert spent.cost_in_words(str, roles=False) == "0.19 + \u672a\u77e5"
        told = dict(settings_facts(bounds))
        words = {setting_name(name): value for name, value in settings_words(bounds)}
        assert not any(
            value.isascii()
            for name, value in told.items()
            if name != setting_name("rerank")
        )
        assert told.items() >= words.items()
        assert word("no-references") != "no-references"
        assert word("newer") == "newer"
    assert word("no-references") == "no-references"


def settings_words(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """What a form says of the same values."""
    return [
        (name, setting_value(name, settings[name]))
        for name in ("revise", "merge", "rerank")
    ]


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_method_has_its_texts(language: str) -> None:
    with texts.speaking(language):
        assert missing_texts(COMMANDS) == []


def test_a_missing_text_is_named_with_all_that_methods_lack(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = dict(texts.catalogue("en", "usage"))
    del usage["usage.command.solo"], usage["usage.solo.strategy"]
    whole = texts.catalogue

    def catalogue(language: str, part: str = "") -> dict[str, str]:
        return usage if part == "usage" else whole(language, part)

    monkeypatch.setattr(texts, "catalogue", catalogue)
    assert main(["--lang", "en", "solo", "--help"]) == 1
    assert capsys.readouterr().err == (
        "The code asks for texts that texts/usage.en.yaml does not have: "
        "usage.command.solo, usage.solo.strategy. Add them in every language.\n"
    )
