"""config.yaml, the variables that beat it, and what the user writes for models and
parameters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models.config import Config, NamedModel, TokenPrices, load_config
from verifytui.engines.models.lineup import PARAMS, check_params, parse_params
from verifytui.engines.models.seating import seat
from verifytui.sessions.errors import BadInput
from verifytui.sessions.session import Seat


def load(tmp_path: Path, text: str | bytes, **env: str) -> Config:
    path = tmp_path / "config.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(path, env)


def test_everything_is_optional(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.yaml", {}) == Config()
    assert load(tmp_path, "") == load(tmp_path, "# nothing yet\n") == Config()


def test_a_full_file(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
model: gpt-4
models:
  mine: {model: qwen3, api_base: "http://localhost:8000/v1", api_key_env: MY_KEY, params: {temperature: 0.3, top_k: 5},
         prices: {input: 0.5, output: 2}, timeout: 30, stall_timeout: 5, context: 32000, schema: true}
lineup: {debate: {judge: mine}}
settings: {debate: {rounds: 4}}
keymap: {next: n, run: [r, f5]}
theme: dark
language: zh
local_only: true
private_hosts: [gpu.lan]
retries: 0
""",
    )
    assert config.models["mine"].prices == TokenPrices(input=0.5, output=2)
    assert (config.lineup, config.settings) == (
        {"debate": {"judge": "mine"}},
        {"debate": {"rounds": 4}},
    )
    assert (
        config.model,
        config.theme,
        config.language,
        config.retries,
        config.private_hosts,
    ) == ("gpt-4", "dark", "zh", 0, ["gpu.lan"])
    assert config.models["mine"] == NamedModel(
        model="qwen3", api_base="http://localhost:8000/v1", api_key_env="MY_KEY", params={"temperature": 0.3, "top_k": 5},
        prices=TokenPrices(input=0.5, output=2), timeout=30, stall_timeout=5, context=32000, schema=True,
    )  # fmt: skip


SECRET = "sk-proj-4f9a8b7c6d5e4f3a2b1c"

WRONG = [
    ("- a\n- b", "must contain names with values"),
    ("theme: [", "is not YAML at line 1"),
    (b"\xff\xfe\x00", "is not YAML"),
    ("models: &a {a: *a}", ": an entry contains itself through an alias;"),
    (
        "thme: dark",
        "`thme` is not a known entry; choose one of model, models, lineup, ",
    ),
    (
        "models: {a: {model: x, url: b}}",
        "`url` at models.a is not a known entry; choose one of model, api_base, ",
    ),
    (
        "models: {a: {model: x, prices: {input: 1, out: 1}}}",
        "choose one of input, output, cached_input.",
    ),
    ("theme: 3", "theme must be text, not a whole number"),
    ("retries: many", "retries must be a whole number, not text"),
    ("retries: -1", "retries must be 0 to 20"),
    ("timeout: 0", "timeout must be more than 0"),
    ("local_only: 3", "local_only must be true or false"),
    ("models: {a: {}}", "`model` is missing"),
    ("models: {a: {model: x, temprature: 1}}", "`temprature`"),
    ("models: {a: {model: ''}}", "models.a.model is empty"),
    (
        "models: {human: {model: x}}",
        "models.human is not a valid name: it must not be that of a built-in",
    ),
    ("models: {a/b: {model: x}}", "models.a/b is not a valid name: it must not "),
    ("models: {a: {model: x, api_base: localhost}}", "does not begin with http"),
    ("models: {a: {model: x, prices: {input: 1}}}", "`output` is missing"),
    ("models: {a: {model: x, prices: {input: -1, output: 1}}}", "must not be below 0"),
    (
        "models: {a: {model: x, params: {temperature: 7}}}",
        "temperature must be a number from 0 to 2",
    ),
    ("models: {a: {model: x, timeout: -1}}", "must be more than 0"),
    (
        "models: {a: {model: x, max_rps: 0}}",
        "models.a: max_rps, max_tpm and concurrency must be more than 0.",
    ),
    ("models: {a: {model: x, concurrency: 1.5}}", "concurrency must be a whole number"),
    ("retrievers: {a: {}}", "`url` is missing at retrievers.a"),
    ("retrievers: {a: {url: 'http://x', key: y}}", "retrievers.a.key"),
    (
        "retrievers: {a: {url: 'http://x', k: 5}}",
        "`k` at retrievers.a is not a known entry; choose one of url, ",
    ),
    ("retrievers: {a: {url: localhost}}", "retrievers.a.url is not the address of"),
    (
        "retrievers: {a: {url: 'http://x', timeout: 0}}",
        "retrievers.a.timeout must be more than 0",
    ),
    ("retrievers: {'a:b': {url: 'http://x'}}", "retrievers.a:b is not a valid name"),
    ("lineup: {debate: gpt-4}", "must be names with values"),
    (f"models: {{a: {{model: x, api_key: {SECRET}}}}}", "models.a.api_key"),
    (f"models: {{a: {{model: x, api_key_env: {SECRET}}}}}", "models.a.api_key_env"),
    (
        f"models: {{a: {{model: x, params: {{extra_headers: {{x: Bearer "
        f"{SECRET}}}}}}}}}",
        "models.a.params.extra_headers.x",
    ),
    ("api_key: hush-hush", "api_key"),
    (
        "models: {yes: {model: x}}",
        "reads the name in models as True, not as text; put it in quotes",
    ),
    ("3: x", "YAML reads the name as 3, not as text"),
    (
        "models: {a: {model: x, api_base: 'http://me:hush@host/v1'}}",
        "models.a.api_base",
    ),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_each_wrong_entry_is_one_sentence(
    tmp_path: Path, text: str | bytes, words: str
) -> None:
    with pytest.raises(BadInput) as raised:
        load(tmp_path, text)
    message = str(raised.value)
    assert words in message
    assert "config.yaml" in message
    assert "\n" not in message
    assert not any(secret in message for secret in (SECRET, "hush")), (
        "a key is never repeated"
    )
    if "key" in words:
        assert "api_key_env: MY_KEY" in message


def test_variables_beat_the_file(tmp_path: Path) -> None:
    config = load(
        tmp_path, "theme: dark\nsettings: {debate: {rounds: 2, level: 1}}", VERIFYTUI_THEME="light", VERIFYTUI_LOCAL_ONLY="true",
        VERIFYTUI_RETRIES="7", VERIFYTUI_PRIVATE_HOSTS="a.lan, b.lan", VERIFYTUI_ROUNDS="5", VERIFYTUI_DEBATE_OPENING="seeded",
        VERIFYTUI_MODEL="gpt-4", VERIFYTUI_HOME="/x", VERIFYTUI_SOMETHING="1",
    )  # fmt: skip
    assert (
        config.theme,
        config.local_only,
        config.retries,
        config.private_hosts,
        config.model,
    ) == (
        "light",
        True,
        7,
        ["a.lan", "b.lan"],
        "gpt-4",
    )
    assert config.settings == {"debate": {"rounds": 5, "level": 1, "opening": "seeded"}}
    seats = "lineup: {debate: {judge: gpt-4, '*': turbo}}"
    assert load(tmp_path, seats, VERIFYTUI_MODEL="x/y").lineup == {}
    assert load(
        tmp_path, seats, VERIFYTUI_MODEL="x/y", VERIFYTUI_DEBATE_MODEL="x/z"
    ).lineup == {"debate": {"*": "x/z"}}
    assert load(tmp_path, "lineup:", VERIFYTUI_DEBATE_MODEL="x/z").lineup == {
        "debate": {"*": "x/z"}
    }
    with pytest.raises(BadInput, match="VERIFYTUI_RETRIES"):
        load(tmp_path, "", VERIFYTUI_RETRIES="many")


def test_seats() -> None:
    config = Config(
        models={
            "mine": NamedModel(
                model="openai/qwen3", api_base="http://localhost:8000/v1"
            ),
            "gpt4": NamedModel(model="azure/gpt-4"),
        }
    )
    assert seat("mine", config) == Seat(model="openai/qwen3", name="mine")
    assert seat("turbo", config) == Seat(model="gpt-3.5-turbo")
    assert seat("gpt4", config) == Seat(model="azure/gpt-4", name="gpt4"), (
        "the user may point a shorthand anywhere"
    )
    assert seat("gpt4", Config()) == Seat(model="gpt-4")
    assert seat(" human ", config) == Seat(model="human")
    assert seat("ollama/qwen3", config) == Seat(model="ollama/qwen3")
    for text in (
        "",
        " ",
        "two words",
        "a\x1b[2J",
        "x" * 300,
        "huggingface/https://a.example/x",
    ):
        with pytest.raises(BadInput):
            seat(text, config)


def test_parameters() -> None:
    roles = ["judge", "affirmative"]
    texts = [
        "judge.temperature=0.5",
        "judge.stop=END",
        'affirmative.stop=["a","b"]',
        "judge.seed=7",
        "judge.reasoning_effort=low",
        "judge.timeout=3",
    ]
    assert parse_params(texts, roles) == {
        "judge": {
            "temperature": 0.5,
            "stop": "END",
            "seed": 7,
            "reasoning_effort": "low",
            "timeout": 3,
        },
        "affirmative": {"stop": ["a", "b"]},
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("temperature=1", "ROLE.name=value"),
        ("judge.temperature", "ROLE.name=value"),
        ("nobody.temperature=1", "'nobody' is not a role"),
        ("judge.temprature=1", "'temprature' is not a parameter"),
        ("judge.temperature=hot", "a number from 0 to 2"),
        ("judge.temperature=nan", "a number from 0 to 2"),
        ("judge.max_tokens=0", "a whole number from 1"),
        ("judge.reasoning_effort=enormous", "one of"),
        ("judge.api_key=abc", "belong to a named model"),
        ("judge.api_base=http://x", "belong to a named model"),
        ("judge.extra_headers={}", "belong to a named model"),
    ],
)
def test_wrong_parameters(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse_params([text], ["judge"])


def test_the_parameters_of_the_contract() -> None:
    names = (
        "temperature top_p max_tokens seed stop presence_penalty frequency_penalty "
        "reasoning_effort timeout stall_timeout"
    )
    assert list(PARAMS) == names.split()
    wrong: dict[str, Any] = {"temperature": True}
    with pytest.raises(BadInput):
        check_params(wrong)


def test_every_mistake_is_named_at_once_each_with_its_entry(tmp_path: Path) -> None:
    text = """
thme: dark
models: {a: {model: x, tempreture: 3}, b: {model: y, prices: {input: z, output: 1}}, c: {panel: [x]}}
retrievers: {d: {url: nowhere}}
retries: 99
"""
    with pytest.raises(BadInput) as raised:
        load(tmp_path, text)
    told = str(raised.value).splitlines()
    wanted = (
        "`thme` is not a known entry",
        "`tempreture` at models.a is not",
        "models.b.prices.input must be a number",
        "retries must be 0 to 20",
        "models.c: a panel has 2 to 9 members",
        "retrievers.d.url",
    )
    assert len(told) == len(wanted)
    for line, words in zip(told, wanted, strict=True):
        assert line.startswith(str(tmp_path))
        assert words in line
    assert told[0].endswith("Did you mean theme?")


@pytest.mark.parametrize("name", ["panels", "commands"])
def test_a_section_in_the_wrong_place_is_named_with_the_right_one(
    tmp_path: Path, name: str
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"{name}: {{jury: [a, b, c]}}\n")
    with pytest.raises(BadInput) as error:
        load_config(file, {})
    assert f"`NAME: {{{name[:-1]}: [" in str(error.value)
