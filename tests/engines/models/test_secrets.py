"""Keys go where the user sent them, and nowhere else."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from verifytui.engines.models.config import NamedModel
from verifytui.engines.models.port import ModelError, ModelReply, Task
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import MESSAGES, Make, ask, both
from verifytui.tests.support.loopback import Answer, Loopback


@pytest.mark.parametrize(
    "params",
    [
        {"api_base": "URL"},
        {"base_url": "URL"},
        {"extra_headers": {"a": "b"}},
        {"top_k": 5},
        {"timeout": "x"},
    ],
)
async def test_a_session_cannot_say_where_a_key_goes(
    loopback: Loopback,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    params: dict[str, object],
) -> None:
    """Parameters of a seat come from a file that anyone may have written."""
    monkeypatch.delenv("OPENAI_API_BASE")
    params = {
        name: loopback.base_url if value == "URL" else value
        for name, value in params.items()
    }
    with pytest.raises(ModelError, match="cannot be used: ") as caught:
        await ask(make(Seat(model="gpt-4", params=params)))
    assert caught.value.kind == "bad-request"
    assert not loopback.requests


async def test_an_address_in_a_models_id(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiteLLM would send the provider's key there."""
    monkeypatch.setenv("HUGGINGFACE_API_KEY", "hf_0123456789")
    with pytest.raises(
        ModelError, match="contains an address, which belongs in"
    ) as caught:
        await ask(make(f"huggingface/{loopback.root}/x"))
    assert caught.value.kind == "unknown-model"
    assert not loopback.requests


async def test_a_named_models_key_stays_with_its_model(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", "key-of-the-lab")
    named = NamedModel(model="anthropic/claude-sonnet-4-5", api_key_env="LAB_KEY")
    with pytest.raises(ModelError, match="no longer openai/some-model"):
        await ask(
            make(Seat(model="openai/some-model", name="lab"), models={"lab": named})
        )
    assert not loopback.requests


async def test_a_key_that_a_server_repeats_is_hidden(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its variable is called and whatever it looks like."""
    monkeypatch.setenv("LAB", "plain words of a key")
    loopback.answer = Answer(status=401, error="Not a valid key: plain words of a key.")
    named = NamedModel(model="lab-1", api_base=loopback.base_url, api_key_env="LAB")
    desk = make(Seat(model="lab-1", name="lab"), models={"lab": named})
    with pytest.raises(ModelError) as caught:
        await ask(desk)
    assert loopback.headers[0]["authorization"] == "Bearer plain words of a key"
    spent = desk.take_spent()
    assert spent is not None
    assert "plain words" not in str(caught.value) + spent.message
    assert "[key hidden]" in spent.message


KEY = "sk-loopback-0123456789"
WAYS = {
    "plain": KEY,
    "backwards": KEY[::-1],
    "base64": base64.b64encode(b"Bearer " + KEY.encode()).decode(),
    "hexadecimal": KEY.encode().hex(),
    "percent": "".join(f"%{byte:02x}" for byte in KEY.encode()),
    "line breaks": "\n".join(KEY),
    "zero width": "\u200b".join(KEY),
}


@both
@pytest.mark.parametrize("way", WAYS)
async def test_a_key_in_a_normal_reply_is_hidden(
    loopback: Loopback, make: Make, stream: bool, way: str
) -> None:
    loopback.answer = Answer(
        text=f"Your key is {WAYS[way]}. hf_hub_download and sk-learn-contrib are names.",
        reasoning=f"Say {WAYS[way]}",
    )
    asked = await ask(make(stream=stream))
    reply = asked.reply
    assert reply.altered
    assert "[key hidden]" in reply.text
    assert "[key hidden]" in (reply.reasoning or "")
    assert reply.text.endswith("hf_hub_download and sk-learn-contrib are names.")
    if stream:
        assert asked.streamed(reasoning=False) == reply.text
        assert asked.streamed(reasoning=True) == reply.reasoning
    assert WAYS[way] not in repr(asked.parts)


@pytest.mark.parametrize("way", ["plain", "base64"])
async def test_a_key_is_hidden_wherever_a_stream_is_cut(
    loopback: Loopback, make: Make, way: str
) -> None:
    text = f"It is {WAYS[way]}!"
    cuts = [[text[:at], text[at:]] for at in range(len("It is "), len(text))]
    desk = make()
    for chunks in [*cuts, list(text)]:
        loopback.answer = Answer(chunks=list(chunks))
        asked = await ask(desk)
        assert asked.streamed(reasoning=False) == asked.reply.text
        assert asked.reply.text.startswith("It is ")
        assert asked.reply.text.endswith("!")
        assert "[key hidden]" in asked.reply.text
        assert WAYS[way] not in asked.reply.text


async def test_a_reply_without_a_key_comes_as_it_was_sent(
    loopback: Loopback, make: Make
) -> None:
    chunks = [
        "sk-",
        "learn",
        " and s",
        "k",
        "-loop",
        " 50",
        "%",
        " of ",
        "&",
        " \\",
        "n 98",
        "7",
    ]
    loopback.answer = Answer(chunks=list(chunks))
    asked = await ask(make())
    assert asked.reply.text == asked.streamed(reasoning=False) == "".join(chunks)
    assert not asked.reply.altered


@both
async def test_a_key_that_litellm_takes_from_the_environment_is_known_too(
    loopback: Loopback, make: Make, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which variable it reads for a provider is its own affair: what counts is what was
    sent.
    """
    key = "a provider's own key".replace(" ", "-")
    monkeypatch.setenv("DEEPSEEK_API_KEY", key)
    monkeypatch.setenv("DEEPSEEK_API_BASE", loopback.base_url)
    loopback.answer = Answer(text=f"{key} it was")
    asked = await ask(make("deepseek/deepseek-chat", stream=stream))
    assert loopback.headers[0]["authorization"] == f"Bearer {key}"
    assert (asked.reply.text, asked.reply.altered) == ("[key hidden] it was", True)


async def test_no_key_is_held_in_the_cache_of_replies(
    loopback: Loopback, make: Make, home: Path
) -> None:
    loopback.answer = Answer(text=f"Your key is {KEY}.")
    desk = make(stream=False)
    for cached in (False, True):
        parts = [
            part
            async for part in desk.ask(
                "judge", Task(cache=True), MESSAGES, None, lambda reply: True
            )
        ]
        assert isinstance(parts[-1], ModelReply)
        assert (parts[-1].text, parts[-1].altered, parts[-1].cached) == (
            "Your key is [key hidden].",
            True,
            cached,
        )
    held = [file.read_bytes() for file in paths().cache.rglob("*") if file.is_file()]
    assert held
    assert not any(KEY.encode() in one for one in held)
