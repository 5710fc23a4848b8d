"""A desk over the loopback server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import Model
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import Make, session
from verifytui.tests.support.loopback import Loopback


@pytest.fixture
def make(loopback: Loopback, home: object, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes desks whose judge is `openai/some-model` at the loopback server, found by
    the environment as LiteLLM users set it.
    """
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")

    def make_desk(
        judge: Seat | str = "openai/some-model",
        *,
        env: Mapping[str, str] | None = None,
        builtins: Mapping[str, Model] | None = None,
        stream: bool = True,
        **config: Any,
    ) -> Desk:
        settings = Config(
            **{
                "retries": 2,
                "retry_wait": 0.001,
                "timeout": 20,
                "stall_timeout": 10,
                **config,
            }
        )
        return Desk(
            session(judge=judge),
            settings,
            env=os.environ if env is None else env,
            builtins=builtins,
            stream=stream,
        )

    return make_desk
