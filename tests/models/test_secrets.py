"""Keys go where the user sent them, and are told to nobody."""

from __future__ import annotations

import pytest
from asking import Make, ask
from loopback import Answer, Loopback
from verifytui.engines.models.config import NamedModel
from verifytui.engines.models.port import ModelError
from verifytui.sessions.session import Seat


@pytest.mark.parametrize(
    "params", [{"api_base": "URL"}, {"base_url": "URL"}, {"extra_headers": {"a": "b"}}, {"top_k": 5}, {"timeout": "x"}]
)
async def test_a_session_cannot_say_where_a_key_goes(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch, params: dict[str, object]
) -> None:
    """Parameters of a seat come from a file that anyone may have written."""
    monkeypatch.delenv("OPENAI_API_BASE")
    params = {name: loopback.base_url if value == "URL" else value for name, value in params.items()}
    with pytest.raises(ModelError, match="cannot be used: ") as caught:
        await ask(make(Seat(model="gpt-4", params=params)))
    assert caught.value.kind == "bad-request"
    assert not loopback.requests


async def test_an_address_in_a_models_id(loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM would send the provider's key there."""
    monkeypatch.setenv("HUGGINGFACE_API_KEY", "hf_0123456789")
    with pytest.raises(ModelError, match="holds an address") as caught:
        await ask(make(f"huggingface/{loopback.root}/x"))
    assert caught.value.kind == "unknown-model"
    assert not loopback.requests


async def test_a_named_models_key_stays_with_its_model(loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", "key-of-the-lab")
    named = NamedModel(model="anthropic/claude-sonnet-4-5", api_key_env="LAB_KEY")
    with pytest.raises(ModelError, match="no longer openai/some-model"):
        await ask(make(Seat(model="openai/some-model", name="lab"), models={"lab": named}))
    assert not loopback.requests


async def test_a_key_that_a_server_repeats_is_hidden(loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its variable is called and whatever it looks like."""
    monkeypatch.setenv("LAB", "plain words of a key")
    loopback.answer = Answer(status=401, error="Not a valid key: plain words of a key.")
    named = NamedModel(model="lab-1", api_base=loopback.base_url, api_key_env="LAB")
    desk = make(Seat(model="lab-1", name="lab"), models={"lab": named})
    with pytest.raises(ModelError) as caught:
        await ask(desk)
    assert loopback.headers[0]["authorization"] == "Bearer plain words of a key"
    spent = desk.spent()
    assert spent is not None
    assert "plain words" not in str(caught.value) + spent.message
    assert "[key hidden]" in spent.message
