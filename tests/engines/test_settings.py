"""Every setting of every method, by each way in which a user can say it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from verifytui.cli.flags import option_flags, wishes_of
from verifytui.engines.method import begin
from verifytui.engines.models.config import load_config
from verifytui.engines.settings import (
    OneOf,
    Setting,
    Shares,
    Switch,
    Whole,
    sections,
)
from verifytui.engines.starting import Starter, Wishes, wishes
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header

TASKS: dict[str, dict[str, Any]] = {
    "debate": {"topic": "Why?"},
    "solo": {"topic": "Why?"},
    "rag": {"question": "Why?", "references": ["Because."]},
    "relevance": {
        "query": "A man took a bicycle.",
        "candidates": ["A woman took a car."],
    },
    "rank": {
        "question": "Why?",
        "answers": [
            {"name": "a", "text": "Because [1]."},
            {"name": "b", "text": "So."},
        ],
        "references": ["Because."],
    },
    "grade": {"query": "A man took a bicycle.", "candidates": ["A woman took a car."]},
}
MODEL = {"model": "openai/x"}
SETTINGS = [
    (method, setting)
    for method, declared in sections().items()
    for setting in declared
    if not setting.computed
]
BY_NAME = pytest.mark.parametrize(
    ("method", "setting"),
    SETTINGS,
    ids=[f"{method}-{setting.name}" for method, setting in SETTINGS],
)


def another(setting: Setting) -> Any:
    """A value that is not the default."""
    match setting.kind, setting.default:
        case Whole(least, most), default:
            if default != least:
                return least
            return min(least + 1, most)
        case OneOf(words), default:
            return next(word for word in words if word != default)
        case Switch(), default:
            return not default
        case Shares(), _:
            return {"bias": 0.5}
    return {"demonstrations": "zh-criminal", "where": "version>=3"}.get(
        setting.name, "cohere/rerank-v3.5"
    )


def wrong(setting: Setting) -> Any:
    if isinstance(setting.kind, Shares):
        return {"mood": 0.5}
    return "a\tb"


def header(wanted: Wishes) -> Header:
    """Under the configuration and the variables in force."""
    places = paths()
    return begin(
        wanted.about(**TASKS[wanted.declared.method]),
        Starter(load_config(places.config_file, os.environ), places),
    )


def typed(value: Any) -> str:
    """A value as it stands in a variable, and in YAML."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{name}: {share}" for name, share in value.items()) + "}"
        )
    if isinstance(value, bool):
        return {True: "yes", False: "no"}[value]
    return str(value)


def by_option(
    method: str, setting: Setting, value: Any, monkeypatch: pytest.MonkeyPatch
) -> Header:
    declared = sections()[method]

    @click.command()
    @option_flags(declared)
    def take(**values: Any) -> Wishes:
        return wishes_of(declared, values)

    told = [] if isinstance(setting.kind, Switch) else [typed(value)]
    told = (
        [f"{name}={share}" for name, share in value.items()]
        if isinstance(value, dict)
        else told
    )
    try:
        wanted: Wishes = take.main(
            [*setting.flag.split(), *told, "--model", MODEL["model"]],
            standalone_mode=False,
        )
    except click.UsageError as error:
        raise BadInput(error.format_message().rstrip(".") + ".") from None
    return header(wanted)


def by_variable(prefix: str) -> Callable[..., Header]:
    def begun(
        method: str, setting: Setting, value: Any, monkeypatch: pytest.MonkeyPatch
    ) -> Header:
        monkeypatch.setenv(
            f"VERIFYTUI_{prefix.format(method)}{setting.name}".upper(), typed(value)
        )
        return header(wishes(method, MODEL))

    return begun


def by_config(
    method: str, setting: Setting, value: Any, monkeypatch: pytest.MonkeyPatch
) -> Header:
    file = paths().config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    shown = (
        f'"{value}"'.replace("\t", "\\t") if isinstance(value, str) else typed(value)
    )
    file.write_text(f"settings:\n  {method}:\n    {setting.name}: {shown}\n")
    return header(wishes(method, MODEL))


def by_line(
    method: str, setting: Setting, value: Any, monkeypatch: pytest.MonkeyPatch
) -> Header:
    return header(
        wishes(method, MODEL).with_line({setting.name.replace("_", "-"): value})
    )


def by_key(
    method: str, setting: Setting, value: Any, monkeypatch: pytest.MonkeyPatch
) -> Header:
    return header(wishes(method, MODEL).with_line({setting.key: value}))


WAYS = {
    "option": by_option,
    "variable": by_variable("{}_"),
    "short variable": by_variable(""),
    "config": by_config,
    "line": by_line,
    "key of a line": by_key,
}


def can_be_said(setting: Setting, way: str, value: Any) -> bool:
    if way == "option":
        return (setting.typed or setting.without) and (
            not isinstance(setting.kind, Switch) or isinstance(value, bool)
        )
    return (
        way != "short variable" or setting.name != "cache"
    )  # which is the cache of all replies, an entry of config.yaml


SAID = [
    (method, setting, way)
    for method, setting in SETTINGS
    for way in WAYS
    if can_be_said(setting, way, another(setting))
]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("method", "setting", "way"),
    SAID,
    ids=[f"{method}-{setting.name}-{way}" for method, setting, way in SAID],
)
def test_a_setting_is_the_same_by_every_way(
    method: str, setting: Setting, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = another(setting)
    plain = header(wishes(method, MODEL))
    made = WAYS[way](method, setting, value, monkeypatch)
    wanted = {**setting.default, **value} if isinstance(value, dict) else value
    assert made.settings[setting.name] == wanted != plain.settings[setting.name]
    beside = {
        "indicator": ["claims"],  # that one decides by them
        "level": ["negative"],
        "demonstrations": ["demonstrations_digest", "language"],
    }.get(setting.name, [])
    assert {
        name for name in made.settings if made.settings[name] != plain.settings[name]
    } <= {setting.name, *beside}


@pytest.mark.usefixtures("home")
@BY_NAME
def test_a_wrong_value_is_the_same_sentence_but_for_its_place(
    method: str, setting: Setting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = wrong(setting)
    with pytest.raises(BadInput) as raised:
        sections()[method].check(setting.name, value)
    sentence = str(raised.value)
    places = {
        "variable": f"VERIFYTUI_{method}_{setting.name}".upper(),
        "short variable": f"VERIFYTUI_{setting.name}".upper(),
        "config": f"config.yaml: settings.{method}: ",
        "option": "" if setting.many else f"'{setting.flag}': ",
    }
    for way, begun in WAYS.items():
        if can_be_said(setting, way, value):
            with monkeypatch.context() as patch, pytest.raises(BadInput) as raised:
                begun(method, setting, value, patch)
            assert str(raised.value).endswith(sentence)
            assert places.get(way, "") in str(raised.value)
            paths().config_file.unlink(missing_ok=True)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("method", sections())
def test_a_variable_names_the_model_of_a_method(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"VERIFYTUI_{method}_MODEL".upper(), "openai/y")
    assert {seat.model for seat in header(wishes(method)).lineup.values()} == {
        "openai/y"
    }


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("method", sections())
@pytest.mark.parametrize("variable", ["VERIFYTUI_PROMPTS", "VERIFYTUI_{}_PROMPTS"])
def test_a_variable_names_the_prompts(
    method: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable.format(method.upper()), "zh")
    assert header(wishes(method, MODEL)).prompts.set == "zh"
    assert header(wishes(method, MODEL | {"prompts": "en"})).prompts.set == "en"
    monkeypatch.setenv(variable.format(method.upper()), "klingon")
    with pytest.raises(
        BadInput, match=r"The variable VERIFYTUI_.*PROMPTS cannot be used: .*klingon"
    ):
        header(wishes(method, MODEL))


def test_a_variable_with_the_name_of_the_method_goes_before_the_short_one(
    tmp_path: Path,
) -> None:
    """Whatever the letters that they begin with."""
    for short, long in (
        ("VERIFYTUI_LEVEL", "VERIFYTUI_DEBATE_LEVEL"),
        ("VERIFYTUI_K", "VERIFYTUI_RAG_K"),
    ):
        config = load_config(tmp_path / "none.yaml", {short: "1", long: "3"})
        assert [list(own.values()) for own in config.settings.values()] == [[3]]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("attended", [True, False])
@pytest.mark.parametrize(
    ("method", "model", "words"),
    [
        ("solo", "lexical", "only compares words"),
        ("debate", "lexical", "only compares words"),
    ],
)
def test_a_built_in_of_another_method_is_refused_everywhere(
    method: str, model: str, words: str, attended: bool
) -> None:
    places = paths()
    for wanted, config in (
        (wishes(method, {"model": model}), load_config(places.config_file, {})),
        (
            wishes(method),
            load_config(
                places.config_file, {f"VERIFYTUI_{method.upper()}_MODEL": model}
            ),
        ),
    ):
        with pytest.raises(BadInput, match=words):
            begin(
                wanted.about(**TASKS[method]),
                Starter(config, places, attended=attended),
            )


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("method", ["debate", "solo"])
def test_the_script_begins_another_topic_only_where_its_seat_can_still_be_changed(
    method: str,
) -> None:
    places = paths()
    wanted = wishes(method, topic="Why?")
    config = load_config(places.config_file, {})
    assert "script" in {
        seat.model
        for seat in begin(
            wanted, Starter(config, places, attended=True)
        ).lineup.values()
    }
    with pytest.raises(
        BadInput, match="knows only its example topics, and this is not"
    ):
        begin(wanted, Starter(config, places))


@pytest.mark.usefixtures("home")
def test_a_line_puts_aside_where_the_command_line_looks_and_adds_to_its_lists() -> None:
    base = wishes(
        "rag", {"corpus": "example", "bound": "bias=0.5", "model": {"*": "openai/x"}}
    )
    line = base.with_line(
        {
            "web": "searxng",
            "bounds": {"correctness": 0.1},
            "model": {"verifier": "openai/y"},
        }
    )
    assert (line.get("corpus"), line.get("web")) == (None, "searxng")
    assert line.settings() == {"bounds": {"bias": 0.5, "correctness": 0.1}}
    assert line.listed("model") == ("openai/x", "verifier=openai/y")
    assert base.with_line({}) is base
    with pytest.raises(BadInput, match="“mood” is not an option of a question"):
        base.with_line({"mood": 1})


def test_an_address_is_written_nowhere() -> None:
    assert wishes("rag", {"retriever": "http://localhost:1/x", "k": 3}).given() == {
        "retriever": "http",
        "k": 3,
    }
