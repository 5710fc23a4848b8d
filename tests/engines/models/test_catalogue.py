"""What can be used here and now, and why the rest cannot."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from verifytui.engines.models import catalogue, litellm_loading
from verifytui.engines.models.catalogue import (
    ModelRow,
    add_known_commands,
    choices,
    local_choices,
    local_servers,
    sources,
)
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.engines.models.providers import base_of
from verifytui.tests.support.loopback import Loopback


def by_name(found: list[ModelRow]) -> dict[str, ModelRow]:
    return {choice.name: choice for choice in found}


def test_without_any_key_the_builtins_can_be_used() -> None:
    found = choices(Config(), {})
    assert [choice.name for choice in found if choice.usable] == ["script", "human"]
    assert by_name(found)["gpt-4"].why_not == "OPENAI_API_KEY is not set"
    assert (
        by_name(found)["dashscope/qwen-max"].why_not == "DASHSCOPE_API_KEY is not set"
    )


def test_a_key_makes_its_models_usable() -> None:
    found = by_name(choices(Config(), {"DEEPSEEK_API_KEY": "k"}))
    assert found["deepseek/deepseek-chat"].usable
    assert not found["gpt-4"].usable


def test_models_stand_under_what_they_come_from(tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    env = {"OPENAI_API_KEY": "k", "PATH": str(tmp_path)}
    config = Config()
    add_known_commands(config, env)
    assert [*config.commands] == ["claude"]
    found = sources(choices(config, env))
    assert [*found] == ["openai (key)", "claude (command)"]
    assert found["openai (key)"][0].name == "gpt-5", "no shorthand"
    mine = Config(models={"claude": NamedModel(model="x")})
    add_known_commands(mine, env)
    assert not mine.commands, "the name is taken"


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("127.0.0.1:99", "http://127.0.0.1:99"),
        ("https://far.test", "https://far.test:11434"),
        ("", None),
    ],
)
def test_the_host_of_ollama(host: str, base: str | None) -> None:
    assert base_of("ollama", {"OLLAMA_HOST": host}) == base
    assert base_of("openai", {"OLLAMA_HOST": host}) is None
    assert base_of("ollama", {"OLLAMA_HOST": host, "OLLAMA_API_BASE": "b"}) == "b"


def test_named_models() -> None:
    models = {
        "mine": NamedModel(
            model="qwen3",
            api_base="http://localhost:8000/v1",
            prices=TokenPrices(input=1, output=2),
            context=32000,
        ),
        "keyed": NamedModel(
            model="openai/x", api_base="https://far.test/v1", api_key_env="MY_KEY"
        ),
        "plain": NamedModel(model="anthropic/claude-sonnet-4-5"),
    }
    found = by_name(choices(Config(models=models), {}))
    assert (
        found["mine"].usable,
        found["mine"].price_input,
        found["mine"].price_output,
        found["mine"].context,
    ) == (True, 1, 2, 32000)
    assert (found["keyed"].usable, found["keyed"].why_not) == (
        False,
        "MY_KEY is not set",
    )
    assert "ANTHROPIC_API_KEY" in found["plain"].why_not
    assert by_name(choices(Config(models=models), {"MY_KEY": "k"}))["keyed"].usable
    only = by_name(
        choices(
            Config(models=models, local_only=True),
            {"MY_KEY": "k", "OPENAI_API_KEY": "k"},
        )
    )
    assert only["mine"].usable
    assert "far.test" in only["keyed"].why_not
    assert "local_only" in only["gpt-4"].why_not


def test_a_providers_own_server_lists_its_models() -> None:
    keys = {"OPENAI_API_KEY": "k", "DEEPSEEK_API_KEY": "k"}
    named = NamedModel(model="deepseek/x", api_base="http://127.0.0.1:1/v1")
    rows = choices(Config(models={"deepseek": named}), keys)
    assert [*sources(rows)] == ["openai (key)", "deepseek (key)", "127.0.0.1 (1 model)"]
    listed = ModelRow(
        name="openai/a", model="openai/a", provider="mine:1", server="mine:1"
    )
    assert [*sources([*rows, listed])] == [
        "deepseek (key)",
        "127.0.0.1 (1 model)",
        "mine:1 (1 model)",
    ]


async def test_prices_come_with_litellm() -> None:
    await litellm_loading.ready()
    found = by_name(choices(Config(), {}))
    assert (
        found["gpt-4"].price_input,
        found["gpt-4"].price_output,
        found["gpt-4"].context,
    ) == (30.0, 60.0, 8192)
    priced = [choice for choice in found.values() if choice.price_input is not None]
    assert len(priced) > 15


async def test_servers_on_this_machine(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback.ollama = ["qwen3:8b", "bad name\x1b[2J"]
    monkeypatch.setattr(catalogue, "PORTS", ())
    found = await local_choices(
        {
            "OLLAMA_API_BASE": loopback.root,
            "OPENAI_API_BASE": loopback.base_url,
            "OPENAI_API_KEY": "k",
        },
        timeout=5,
    )
    assert [(choice.name, choice.usable) for choice in found] == [
        ("ollama/qwen3:8b", True),
        ("openai/loopback-model", True),
    ]
    monkeypatch.setattr(catalogue, "PORTS", (int(loopback.root.rpartition(":")[2]),))
    (only,) = await local_choices(
        {"OLLAMA_API_BASE": "http://far.test:11434"}, timeout=5
    )
    assert (only.usable, only.why_not) == (
        False,
        f"set OPENAI_API_BASE={loopback.base_url}, or name it in config.yaml",
    )
    assert "/api/tags" in loopback.gets


async def test_each_server_is_told_as_soon_as_it_answers(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback.ollama = ["qwen3:8b"]
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        monkeypatch.setattr(catalogue, "PORTS", (deaf.getsockname()[1],))
        servers = local_servers({"OLLAMA_API_BASE": loopback.root}, timeout=30)
        (found,) = await anext(servers)
        await servers.aclose()
    assert (found.name, found.server) == (
        "ollama/qwen3:8b",
        loopback.root.partition("//")[2],
    )


async def test_a_server_that_does_not_answer_costs_a_moment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        monkeypatch.setattr(catalogue, "PORTS", (deaf.getsockname()[1], 1))
        async with asyncio.timeout(30):  # it would never answer
            assert (
                await local_choices(
                    {"OLLAMA_API_BASE": "http://127.0.0.1:1"}, timeout=0.1
                )
                == []
            )


async def test_far_endpoints_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "PORTS", ())

    async def never(url: str, headers: dict[str, str]) -> bytes:
        raise AssertionError(url)

    monkeypatch.setattr(catalogue, "_get", never)
    assert (
        await local_choices(
            {
                "OPENAI_API_BASE": "https://far.test/v1",
                "OLLAMA_API_BASE": "http://far.test",
            }
        )
        == []
    )
