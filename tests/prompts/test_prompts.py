"""Prompt sets: built in, the user's own, faulty."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from verifytui.prompts import (
    BUILTIN,
    available,
    copy,
    load,
    prompt_set_for,
    prompt_set_in,
    render,
)
from verifytui.sessions.errors import BadInput

BUILT_IN = ["en", "small-en", "small-zh", "zh"]


def keys(templates: Mapping[str, Any]) -> set[str]:
    found = set()
    for key, value in templates.items():
        found |= (
            {f"{key}.{below}" for below in value}
            if isinstance(value, Mapping)
            else {key}
        )
    return found


def edit(folder: Path, old: str, new: str) -> Path:
    file = folder / "debate.yaml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    return folder


def test_the_built_in_sets_have_the_same_keys() -> None:
    english, chinese = load("en"), load("zh")
    for name in ("zh", "small-en", "small-zh"):
        for workspace in ("debate", "relevance"):
            assert keys(load(name, workspace=workspace).templates) == keys(
                load("en", workspace=workspace).templates
            ), name
    assert english.hash != chinese.hash
    assert english.hash.startswith("sha256:")
    assert load("en").hash == english.hash


def test_a_copy_is_the_users_and_goes_first(tmp_path: Path) -> None:
    assert available(tmp_path) == BUILT_IN
    mine = copy("zh", tmp_path / "mine")
    assert available(tmp_path) == [*BUILT_IN, "mine"]
    assert load("mine", tmp_path).hash == load("zh").hash
    edit(mine, "你是一场辩论的裁判", "你是裁判长")
    changed = load("mine", tmp_path)
    assert changed.name == "mine"
    assert changed.hash != load("zh").hash
    assert "裁判长" in changed.templates["judge_system"]
    assert load(str(mine)).hash == load(mine).hash == changed.hash
    copy("mine", tmp_path / "en", tmp_path)
    assert load("en", tmp_path).hash == changed.hash
    assert load("en").hash != changed.hash


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Who turns into a bear in The Hobbit?", "en"),
        ("谁会变成熊？", "zh"),
        ("Hobbit 里谁会变成熊，是什么人？", "zh"),
        ("What does 熊 mean?", "en"),
        ("The Lord of the Rings 里谁是国王？", "zh"),
        ("1 + 1 = ?", "en"),
        ("熊はどこ？", "zh"),
        ("", "en"),
    ],
)
def test_a_question_that_is_mainly_chinese_takes_the_chinese_set(
    text: str, wanted: str
) -> None:
    assert prompt_set_for(text) == wanted
    assert prompt_set_for(text, wanted="zh") == "zh"
    assert prompt_set_for(text, wanted="en") == "en"


def test_a_translation_takes_the_english_set_as_in_the_paper() -> None:
    assert prompt_set_for("他吃了一顿闭门羹。", "translation") == "en"
    assert prompt_set_for("他吃了一顿闭门羹。", "question") == "zh"


def test_sets_that_differ_in_the_language_alone_are_named_together(
    tmp_path: Path,
) -> None:
    copy("en", tmp_path / "terse-en")
    copy("zh", tmp_path / "terse-zh")
    assert (
        prompt_set_for("谁会变成熊？", wanted="terse", user_dir=tmp_path) == "terse-zh"
    )
    assert (
        prompt_set_for("Who turns into a bear?", wanted="terse", user_dir=tmp_path)
        == "terse-en"
    )
    assert (
        prompt_set_for("谁会变成熊？", "translation", "terse", tmp_path) == "terse-en"
    )
    assert prompt_set_in("zh", "terse", tmp_path) == "terse-zh"
    assert prompt_set_for("谁会变成熊？", wanted="small") == "small-zh"
    assert prompt_set_for("Who turns into a bear?", wanted="small") == "small-en"
    assert (
        prompt_set_for("谁会变成熊？", wanted="terse-en", user_dir=tmp_path)
        == "terse-en"
    )
    assert load("terse", tmp_path).hash == load("en").hash
    copy("en", tmp_path / "terse")
    assert prompt_set_for("谁会变成熊？", wanted="terse", user_dir=tmp_path) == "terse"


@pytest.mark.parametrize(
    "wanted", ["./terse", "/nowhere/terse", "nothing", "..", "\\terse"]
)
def test_a_folder_or_an_unknown_name_is_left_to_the_loading(
    wanted: str, tmp_path: Path
) -> None:
    copy("zh", tmp_path / "terse-zh")
    assert prompt_set_for("谁会变成熊？", wanted=wanted, user_dir=tmp_path) == wanted


def test_nothing_is_copied_over(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(BadInput, match="already exists"):
        copy("en", tmp_path / "there")
    with pytest.raises(BadInput, match="cannot be copied"):
        copy("en", Path("/dev/null/there"))


@pytest.mark.parametrize("name", ["nothing", "", "../en", "/nowhere", "en/debate.yaml"])
def test_an_unknown_set(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        load(name, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("judge_ask: |-", "judge_asks: |-", "lacks judge_ask"),
        ("You are the judge", "You are {{ jugde }}", "uses jugde"),
        ("You are the judge", "You are {% if %}", "judge_system` has an error"),
        (
            "You are the judge",
            "You are {{ topic | nothing }}",
            "judge_system` has an error",
        ),
        ("again: |-\n", "again: 3\nmore: |-\n", "`again` must be a text"),
        ("levels:", "levels: [", "is not YAML"),
        ("levels:", "levels: !!python/object/apply:os.getcwd []\nmore:", "is not YAML"),
    ],
)
def test_faults_are_found_when_the_set_is_loaded(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    folder = edit(copy("en", tmp_path / "mine"), old, new)
    with pytest.raises(BadInput) as caught:
        load(folder)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"- a\n", b"\xff\xfe", b"x", b"a: " + b"x" * 1_000_001, b"[" * 5000],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "debate.yaml").write_bytes(content)
    with pytest.raises(BadInput):
        load(folder)


def test_a_set_without_this_workspace(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(BadInput, match="cannot be read"):
        load(tmp_path / "mine")


def test_values_are_not_templates_and_nothing_is_escaped() -> None:
    assert (
        render({"a": {"b": "{{ topic }}"}}, "a.b", topic="{{ 7 * 7 }} <b> & {% x %}")
        == "{{ 7 * 7 }} <b> & {% x %}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "{{ nothing }}",
        "{{ ''.__class__.__mro__ }}",
        "{% for x in range(999999999) %}x{% endfor %}",
        "{{ 1 / 0 }}",
        "{{ topic.a.b }}",
        "{% include 'x' %}",
        "{{ 'a' + 1 }}",
        "{{ 'a' * 10**9 }}",
        "{{ topic + topic }}",
        "{% for x in topic %}{% for y in topic %}z{% endfor %}{% endfor %}",
        "{% for x in topic recursive %}{{ loop(topic) }}{% endfor %}",
        "{% set x %}{{ topic }}{{ topic }}{% endset %}{{ x }}",
        "{{ topic.center(10**9) }}",
        "{{ topic|center(999999999) }}",
        "{{ '%0999999999d'|format(1) }}",
        "{{ lipsum(99999) }}",
    ],
)
def test_a_hostile_or_faulty_template_ends_in_one_sentence(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        render({"a": text}, "a", topic="x")
    assert "`a`" in str(caught.value)
    with pytest.raises(BadInput):
        render({}, "a")


def test_a_template_cannot_make_much_of_little() -> None:
    """A session carries its templates: opening somebody else's must not fill the
    memory.
    """
    words = {"topic": "long " * 20_000}
    for text in (
        "{% for x in topic %}{{ topic }}{% endfor %}",
        "{{ topic|join(topic) }}",
    ):
        with pytest.raises(BadInput, match=r"longer than|joins too much"):
            render({"a": text}, "a", **words)


def test_what_a_set_of_ones_own_may_do() -> None:
    text = (
        "{% if rounds - round > 1 and not x %}{{ sides|join(', ')|upper }}{% for s in "
        "sides[:1] %} {{ loop.index + 1 }}{% endfor %}"
    )
    assert (
        render(
            {"a": text + "{% endif %}"}, "a", rounds=3, round=1, sides=("a", "b"), x=""
        )
        == "A, B 2"
    )


def test_every_template_of_every_built_in_set_renders() -> None:
    import jinja2.meta
    from jinja2 import Environment

    for name in (
        name for name in available() if (BUILTIN / name / "debate.yaml").exists()
    ):
        templates = load(name).templates
        for key in keys(templates):
            text: Any = templates
            for part in key.split("."):
                text = text[part]
            values: dict[str, object] = dict.fromkeys(
                jinja2.meta.find_undeclared_variables(
                    Environment(autoescape=True).parse(text)
                ),
                "x",
            )
            assert render(
                templates, key, **{**values, "side_names": {"x": "X"}}
            ).strip()


def test_the_built_in_sets_are_the_folders_here() -> None:
    assert sorted(path.parent.name for path in BUILTIN.glob("*/debate.yaml")) == [
        "en",
        "small-en",
        "small-zh",
        "zh",
    ]
