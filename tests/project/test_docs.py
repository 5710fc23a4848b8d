"""The documents against the code: the example configuration, every entry, option,
setting, template and variable.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import msgspec
import pytest
from jinja2 import Environment, meta
from verifytui.cli.command import option_help
from verifytui.cli.commands.ask import ask, verify
from verifytui.cli.commands.debate import debate
from verifytui.cli.commands.relevance import relevance
from verifytui.engines.batches.report import SummaryRow, report_of
from verifytui.engines.batches.topics import TopicLine, read_topics
from verifytui.engines.debate.batch import DebateBatch
from verifytui.engines.debate.method import check_settings, seats
from verifytui.engines.debate.plan import ROLES
from verifytui.engines.debate.script import example_topics
from verifytui.engines.debate.settings import SETTINGS
from verifytui.engines.models.config import (
    _PARTED,
    Config,
    NamedCommand,
    NamedModel,
    NamedPanel,
    NamedRetriever,
    TokenPrices,
    load_config,
)
from verifytui.engines.models.lineup import PARAMS
from verifytui.engines.models.providers import PROVIDERS
from verifytui.engines.models.seating import seat
from verifytui.engines.rag.questions import (
    ACCEPTED,
    ANSWER,
    GOLD,
    QUESTION,
    REFERENCES,
    read_answers,
    read_questions,
)
from verifytui.engines.relevance.pairs import AnnotationRuns, read_pairs
from verifytui.engines.settings import settings_of
from verifytui.engines.starting import wishes
from verifytui.prompts import load
from verifytui.sessions.methods import METHODS
from verifytui.tui import actions

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def code(name: str) -> set[str]:
    """Everything that stands between backticks in a page's running text."""
    text = re.sub(r"^```.*?^```", "", page(name), flags=re.MULTILINE | re.DOTALL)
    return {
        word
        for quoted in re.findall(r"`([^`]+)`", text)
        for word in (quoted, *quoted.split())
    }


def of_a_batch(command: click.Command) -> list[click.Option]:
    options = [option for option in command.params if isinstance(option, click.Option)]
    return [
        option
        for option in options
        if option_help(command.name or "", option).startswith("Batch:")
    ]


def block(name: str, language: str) -> str:
    found = re.search(
        rf"^```{language}\n(.*?)^```", page(name), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[1]


@pytest.fixture
def example(tmp_path: Path) -> Config:
    file = tmp_path / "config.yaml"
    file.write_text(block("configuration", "yaml"), "utf-8")
    return load_config(file, {})


def test_example_configuration_loads_and_seats_a_debate(example: Config) -> None:
    assert example.models["mine"].prices == TokenPrices(
        input=0.5, output=1.5, cached_input=0.1
    )
    assert seat("turbo", example).model == "gpt-4o-mini"
    settings = dict(example.settings["debate"])
    assert load(str(settings.pop("prompts"))).name == "zh"
    assert check_settings(settings)["rounds"] == 3
    seated = seats(example, settings)
    assert [
        seated[role].name or seated[role].model
        for role in ("affirmative", "negative", "judge")
    ] == ["mine", "mine", "gpt-4"]


def test_example_keymap_is_taken(example: Config) -> None:
    wanted = {
        name: keys if isinstance(keys, str) else ",".join(keys)
        for name, keys in example.keymap.items()
    }
    keys, bad = actions.keymap(wanted)
    assert (keys["next"], keys["quit"], bad) == ("space,j", "q,ctrl+q", [])


def test_example_shows_every_entry(example: Config) -> None:
    text = block("configuration", "yaml")
    names = [
        field.name
        for struct in (Config, NamedModel, NamedPanel, TokenPrices)
        for field in msgspec.structs.fields(struct)
    ]
    names = [name for name in names if name not in _PARTED]
    assert [name for name in names if not re.search(rf"\b{name}:", text)] == []


def test_configuration_names_every_entry_variable_parameter_and_action() -> None:
    known = code("configuration")
    for struct in (
        Config,
        NamedCommand,
        NamedModel,
        NamedPanel,
        NamedRetriever,
        TokenPrices,
    ):
        names = {field.name for field in msgspec.structs.fields(struct)}
        assert names - {*_PARTED} <= known
    variables = {
        name
        for name in (field.name for field in msgspec.structs.fields(Config))
        if name
        not in ("models", *_PARTED, "retrievers", "lineup", "settings", "keymap")
    }
    assert {f"VERIFYTUI_{name.upper()}" for name in variables} | {
        "VERIFYTUI_HOME",
        "VERIFYTUI_DEBATE_MODEL",
    } <= known
    assert set(PARAMS) <= known
    assert {action.id for action in actions.ACTIONS} <= known
    assert {*SETTINGS.names, "prompts"} <= known
    first_keys = {provider.keys[0] for provider in PROVIDERS.values() if provider.keys}
    assert first_keys <= known


def test_configuration_gives_the_defaults_in_force() -> None:
    rows = dict(
        re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", page("configuration"), re.MULTILINE)
    )
    fresh = Config()
    for name in ("retries", "retry_wait", "timeout", "stall_timeout"):
        assert float(rows[name]) == getattr(fresh, name)
    assert (rows["reasoning"], rows["local_only"]) == (
        f"`{fresh.reasoning}`",
        "`false`",
    )


@pytest.mark.parametrize(
    "method", [name for name in METHODS if (DOCS / f"{name}.md").exists()]
)
def test_the_table_of_settings_is_as_they_are_declared(method: str) -> None:
    """Its last column begins with what `--help` says."""
    declared = settings_of(method)
    table = page(method).partition("| setting | option |")[2].partition("\n\n")[0]
    rows = re.findall(
        r"^\| (\w+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|", table, re.MULTILINE
    )
    assert [row[:3] for row in rows if row[0] in declared.names] == [
        setting.row() for setting in declared if not setting.computed
    ]
    assert [
        row[0]
        for row in rows
        if row[0] in declared.names
        and not row[3].startswith(declared.help(declared[row[0]]))
    ] == []


def test_debate_page_names_every_role() -> None:
    known = code("debate")
    assert {
        "affirmative",
        "negative",
        "debater3",
        "baseline",
        "observer",
    } <= known & set(ROLES)


def test_debate_page_tells_every_example() -> None:
    assert [
        one.topic
        for one in example_topics()
        if f"| {one.topic.strip()} |" not in page("debate")
    ] == []


def test_options_of_a_debate_are_in_its_page_and_those_of_a_batch_in_theirs() -> None:
    told = {"debate": code("debate"), "batches": code("batches")}
    for option in debate.params:
        if option.param_type_name != "option" or option.name in (
            "model",
            "param",
            "save",
            "no_save",
            "tui",
            "lang",
            "output",
        ):
            continue
        where = "batches" if option in of_a_batch(debate) else "debate"
        assert option.opts[0] in told[where], option.opts


def test_prompts_page_names_every_template_and_variable() -> None:
    templates = load("en").templates
    known = code("prompts")
    assert set(templates) | set(templates["levels"]) <= known
    texts = [
        one
        for value in templates.values()
        for one in (value.values() if isinstance(value, dict) else [value])
    ]
    assert {
        name
        for text in texts
        for name in meta.find_undeclared_variables(
            Environment(autoescape=True).parse(text)
        )
    } <= known


def test_example_topics_are_read(tmp_path: Path) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text(block("batches", "json"), "utf-8")
    first, second, third = read_topics(file, wishes("debate", {"model": "gpt4"}))
    assert first.answers == ("1.5 m/s", "3/2")
    assert tuple(map(second.wishes.get, ("kind", "source", "opening"))) == (
        "translation",
        "zh",
        "seeded",
    )
    assert third.wishes.listed("model") == ("gpt4", "judge=turbo")


def test_batches_page_names_every_field_of_summary_and_report() -> None:
    row = SummaryRow(TopicLine("a", (), "", "t", wishes("debate"), "question", ""))
    known = code("batches")
    report = report_of([row], DebateBatch(), {}).as_json()
    assert set(row.summary({})) | set(report) <= known


def test_example_questions_and_answers_are_read(tmp_path: Path) -> None:
    first, golden, second, third = re.findall(
        r"^```jsonl\n(.*?)^```", page("batches"), re.MULTILINE | re.DOTALL
    )
    file = tmp_path / "lines.jsonl"
    file.write_text(first, "utf-8")
    vern, tea = read_questions(file, wishes("rag"))
    assert vern.references is not None
    assert tuple(map(tea.wishes.get, ("corpus", "k", "bound"))) == (
        "mine",
        8,
        ("bias=0.5",),
    )
    file.write_text(golden, "utf-8")
    pep, house, lighthouse = (line.gold for line in read_questions(file, wishes("rag")))
    assert (
        [one.name for one in pep],
        [one.grade for one in house],
        [one.start for one in lighthouse],
    ) == (
        ["pep-0008.rst", "pep-0666.rst"],
        [2, 1],
        [None, 120],
    )
    file.write_text(second, "utf-8")
    answers, left_out = read_answers(file, wishes("rag"))
    assert [(one.id, one.answer, one.answers) for one in answers] == [
        ("vern", "In 1873 [1].", ("1873",)),
        ("2", "In 1873.", ("1873",)),
    ]
    assert left_out == []
    file.write_text(third, "utf-8")
    known, two = read_pairs(file, wishes("relevance"), AnnotationRuns())
    assert (known.pair.query.id, known.pair.candidate.title, known.pair.label) == (
        "5156",
        "刘某危险驾驶案",
        3,
    )
    assert (two.wishes.listed("without"), two.pair.label) == (("matching",), None)


def test_batches_page_names_every_option_and_figure_of_questions() -> None:
    known = code("batches")
    told = {option.key for option in settings_of("rag").options} | set(
        QUESTION + ANSWER + REFERENCES + ACCEPTED + GOLD
    )
    assert told <= known
    assert {
        option.opts[0] for option in (*of_a_batch(ask), *of_a_batch(verify))
    } <= known


def test_batches_page_names_every_option_and_figure_of_pairs() -> None:
    known = code("batches")
    told = {option.key for option in settings_of("relevance").options}
    assert told <= known
    assert {option.opts[0] for option in of_a_batch(relevance)} <= known


def test_verdict_of_a_person_is_one_line_of_json() -> None:
    lines = [line for line in page("debate").splitlines() if line.startswith("{")]
    assert [sorted(json.loads(line)) for line in lines] == [
        ["answer", "preference", "reason", "supported_side"]
    ]
