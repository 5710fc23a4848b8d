"""Which seats can be asked, before anybody is."""

from __future__ import annotations

import subprocess
import sys

import pytest
from verifytui.engines.models.config import Config, NamedModel, NamedPanel
from verifytui.engines.models.preflight import SeatModel, problems
from verifytui.engines.models.seating import seat

CONFIG = Config(
    models={
        "mine": NamedModel(model="qwen", api_base="http://127.0.0.1:9/v1"),
        "keyed": NamedModel(
            model="qwen", api_base="http://127.0.0.1:9/v1", api_key_env="MY_KEY"
        ),
    },
    panels={"jury": NamedPanel(panel=["mine", "gpt-4", "deepseek/deepseek-chat"])},
)


def found(*models: str, keyed: bool = True, **env: str) -> list[str]:
    asked = [
        SeatModel(f"role{n}", seat(model, CONFIG), keyed)
        for n, model in enumerate(models)
    ]
    return problems(asked, CONFIG, env)


def test_what_needs_no_key_is_no_problem() -> None:
    assert found("human", "script", "lexical", "mine", "ollama/qwen3") == []
    assert found("openai/lb", OPENAI_BASE_URL="http://localhost:8000/v1") == []
    assert found("keyed", "gpt4", MY_KEY="x", OPENAI_API_KEY="y") == []


def test_roles_with_the_same_problem_stand_in_one_sentence() -> None:
    told = found("gpt4", "keyed", "gpt-4")
    assert [one.partition(":")[0] for one in told] == ["role0, role2", "role1"]
    assert "set MY_KEY in the environment" in told[1]


def test_every_member_of_a_panel_is_checked() -> None:
    told = found("jury", OPENAI_API_KEY="x")
    assert len(told) == 1
    assert "role0: There is no key for deepseek/deepseek-chat" in told[0]


def test_keys_that_are_elsewhere_are_not_asked_for() -> None:
    assert found("gpt4", "keyed", keyed=False) == []
    assert "LiteLLM knows no provider" in found("nosuch/model", keyed=False)[0]


@pytest.mark.parametrize(
    ("model", "env", "missing"),
    [
        ("together_ai/x", {}, "TOGETHERAI_API_KEY"),
        ("together_ai/x", {"TOGETHER_API_KEY": "x"}, None),
        ("cohere/command-r", {"CO_API_KEY": "x"}, None),
        ("huggingface/x/y", {}, None),
        ("bedrock/anthropic.claude-v2", {}, None),
        ("azure/mine", {}, None),
    ],
)
def test_a_key_that_only_litellm_knows_is_missed_where_that_is_certain(
    model: str,
    env: dict[str, str],
    missing: str | None,
    home: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = found(model, **env)
    assert bool(told) is (missing is not None)
    assert missing is None or missing in told[0]


def test_a_provider_that_is_known_is_judged_without_litellm() -> None:
    code = (
        "import sys; from verifytui.tests.engines.models.test_preflight import found;"
        "print(len(found('gpt4', 'anthropic/x', 'mine')), 'litellm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 False\n"
