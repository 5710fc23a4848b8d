"""The form replies are asked in: a JSON Schema, a JSON object, text; each server is
asked for less only where it refuses more.
"""

from __future__ import annotations

import itertools
import json
from importlib.util import find_spec
from typing import Any

import pytest
from verifytui.engines.models.config import NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelError, ModelReply, Task
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import MESSAGES, Make, ask, both
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.serving import Asked as Request
from verifytui.tests.support.serving import Says, Server

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
JSON_MESSAGES = [
    {"role": "user", "content": "How fast was Alice? Reply with one JSON object."}
]
NO_SCHEMA = (
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
    "this model."
)
NO_JSON = "This response_format type is unavailable now."
OBJECT = '{"answer": "2 m/s"}'

_numbers = itertools.count()


def fresh() -> str:
    """A model that nothing is known of: what servers refuse is remembered for the whole
    process.
    """
    return f"openai/model-{next(_numbers)}"


async def asked(
    desk: Desk, messages: list[dict[str, str]] = JSON_MESSAGES
) -> ModelReply:
    found = [
        part
        async for part in desk.ask("judge", Task(), messages, SCHEMA)
        if isinstance(part, ModelReply)
    ]
    return found[0]


def form(body: Body) -> str | None:
    return (body.get("response_format") or {}).get("type")


def refusing(*refused: str, status: int = 400, error: str = NO_SCHEMA) -> Any:
    return lambda body: (
        Answer(status=status, error=error)
        if form(body) in refused
        else Answer(text=OBJECT)
    )


@both
async def test_a_schema_is_sent_wherever_nothing_is_known(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = Answer(text=OBJECT)
    reply = await asked(make(fresh(), stream=stream), MESSAGES)
    assert reply.structured
    sent = loopback.requests[0]
    assert sent["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }
    assert sent["messages"] == MESSAGES, "the prompt is never changed"


@pytest.mark.skipif(find_spec("mcp") is not None, reason="the package is here")
async def test_the_responses_api_names_the_package_that_it_needs(
    loopback: Loopback, make: Make
) -> None:
    with pytest.raises(ModelError, match="pip install 'mcp"):
        await asked(make("openai/responses/some-model"), MESSAGES)
    assert loopback.requests == []


@pytest.mark.skipif(find_spec("mcp") is None, reason="needs the package `mcp`")
@both
async def test_the_responses_api_keeps_schema_and_reasoning(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = Answer(text=OBJECT, reasoning="hm, two")
    desk = make(f"openai/responses/{fresh().removeprefix('openai/')}", stream=stream)
    reply = await asked(desk, MESSAGES)
    assert (reply.text, reply.reasoning, reply.structured) == (OBJECT, "hm, two", True)
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output) == (11, 7)
    form = loopback.requests[0]["text"]["format"]
    assert (form["type"], form["schema"]) == ("json_schema", SCHEMA)


@both
async def test_a_server_that_refuses_both_forms_is_asked_three_times_once(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = refusing("json_schema", "json_object")
    model, other = fresh(), fresh()
    desk = make(model, stream=stream, retries=0)
    reply = await asked(desk)
    assert [form(body) for body in loopback.requests] == [
        "json_schema",
        "json_object",
        None,
    ]
    assert (reply.structured, reply.attempts, reply.text) == (False, 1, OBJECT)
    await asked(desk)
    await asked(make(model, stream=not stream))
    assert [form(body) for body in loopback.requests[3:]] == [None, None], "remembered"
    await asked(make(other, stream=stream))
    assert [form(body) for body in loopback.requests[5:]] == [
        "json_schema",
        "json_object",
        None,
    ], "another model is another matter"


async def test_the_same_model_at_another_server_is_tried_anew(
    loopback: Loopback, make: Make
) -> None:
    loopback.answer = refusing("json_schema")
    model = fresh()
    await asked(make(model))
    with Loopback(Answer(text=OBJECT)) as other:
        named = NamedModel(model=model, api_base=other.base_url)
        assert (
            await asked(make(Seat(model=model, name="it"), models={"it": named}))
        ).structured
        assert [form(body) for body in other.requests] == ["json_schema"]


@both
async def test_json_object_is_no_schema(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    loopback.answer = refusing("json_schema")
    desk = make(fresh(), stream=stream)
    assert not (await asked(desk)).structured
    assert not (await asked(desk)).structured
    assert [form(body) for body in loopback.requests] == [
        "json_schema",
        "json_object",
        "json_object",
    ]


async def test_json_object_is_not_asked_for_where_no_message_says_json(
    loopback: Loopback, make: Make
) -> None:
    """OpenAI and others refuse it there."""
    loopback.answer = refusing("json_schema")
    await asked(make(fresh()), MESSAGES)
    assert [form(body) for body in loopback.requests] == ["json_schema", None]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, NO_SCHEMA),
        (400, NO_JSON),
        (
            400,
            "Invalid schema for response_format 'reply': In context=(), "
            "'required' is required to be supplied.",
        ),
        (
            400,
            "<400> InternalError.Algo.InvalidParameter: 'messages' must contain "
            "the word 'json' to use 'response_format'.",
        ),
        (400, "Json mode response is not supported when enable_thinking is true"),
        (
            400,
            "json: cannot unmarshal object into Go struct field "
            "ChatRequest.format of type string",
        ),
        (
            422,
            '[{"type": "extra_forbidden", "loc": ["body", "response_format"], '
            '"msg": "Extra inputs are not permitted"}]',
        ),
        (400, "Failed to parse grammar"),
        (
            500,
            'response_format type must be one of "text" or "json_object", but '
            "got: json_schema",
        ),
        (501, "json_schema is not implemented"),
    ],
)
async def test_what_servers_say_when_they_refuse(
    loopback: Loopback, make: Make, status: int, error: str
) -> None:
    loopback.answer = refusing("json_schema", status=status, error=error)
    reply = await asked(make(fresh(), retries=0))
    assert (reply.text, reply.attempts) == (OBJECT, 1)
    assert [form(body) for body in loopback.requests] == ["json_schema", "json_object"]


@both
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(status=400, error="messages: wrong"), "bad-request"),
        (Answer(status=401, error="No key for response_format."), "auth"),
        (Answer(status=429, error="slow down"), "rate-limit"),
        (Answer(status=500, error="boom"), "server"),
        (Answer(text=""), "empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_another_failure_is_no_refusal_of_the_form(
    loopback: Loopback, make: Make, stream: bool, answer: Answer, kind: str
) -> None:
    loopback.answer = answer
    model = fresh()
    with pytest.raises(ModelError) as raised:
        await asked(make(model, stream=stream, retries=0))
    assert raised.value.kind == kind
    loopback.answer = Answer(text="no object at all")
    assert (await asked(make(model, stream=stream))).structured, (
        "nor is a reply that cannot be read"
    )
    assert [form(body) for body in loopback.requests] == ["json_schema"] * 2


async def test_a_reply_that_the_model_could_not_write_in_this_form_says_nothing_of_the_next(
    loopback: Loopback, make: Make
) -> None:
    failed = {
        "message": "Failed to generate JSON. See 'failed_generation'.",
        "code": "json_validate_failed",
    }
    loopback.answer = lambda body: (
        Answer(status=400, error=failed)
        if len(loopback.requests) == 1
        else Answer(text=OBJECT)
    )
    desk = make(fresh(), retries=0)
    assert not (await asked(desk)).structured
    assert (await asked(desk)).structured
    assert [form(body) for body in loopback.requests] == [
        "json_schema",
        "json_object",
        "json_schema",
    ]


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        (None, "json_schema"),
        (True, "json_schema"),
        ("json_object", "json_object"),
        (False, None),
    ],
)
async def test_config_says_where_the_ladder_begins(
    loopback: Loopback, make: Make, schema: Any, first: str | None
) -> None:
    model = fresh()
    named = NamedModel(model=model, api_base=loopback.base_url, schema=schema)
    desk = make(Seat(model=model, name="it"), models={"it": named})
    await asked(desk)
    assert form(loopback.requests[0]) == first


@both
async def test_without_a_schema_no_form_is_asked_for(
    loopback: Loopback, make: Make, stream: bool
) -> None:
    await ask(make(fresh(), stream=stream))
    assert form(loopback.requests[0]) is None


def served(request: Request) -> Says:
    """A server that speaks the protocol of OpenAI and that of Ollama, streamed and
    whole.
    """
    stream = request.json.get("stream")
    if request.path == "/api/chat":
        done = {
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 3,
            "eval_count": 2,
        }
        message = {
            "model": "m",
            "created_at": "2026-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": OBJECT},
        }
        lines = [
            {**message, "done": False},
            {**message, "message": {"role": "assistant", "content": ""}, **done},
        ]
        text = (
            "".join(json.dumps(line) + "\n" for line in lines)
            if stream
            else json.dumps({**message, **done})
        )
        return Says(text, kind="application/x-ndjson" if stream else "application/json")
    frame: dict[str, Any] = {
        "id": "x",
        "created": 1,
        "model": "m",
        "service_tier": "default",
    }
    if stream:
        chunks = [
            {"delta": {"role": "assistant", "content": OBJECT}, "finish_reason": None},
            {"delta": {}, "finish_reason": "stop"},
        ]
        parts = [
            {
                **frame,
                "object": "chat.completion.chunk",
                "choices": [{"index": 0, **chunk}],
            }
            for chunk in chunks
        ]
        return Says(
            "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
            + "data: [DONE]\n\n",
            kind="text/event-stream",
        )
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": OBJECT},
        "finish_reason": "stop",
    }
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return Says(
        {**frame, "object": "chat.completion", "choices": [choice], "usage": usage}
    )


WIRE = {
    "type": "json_schema",
    "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
}


@both
@pytest.mark.parametrize(
    ("model", "field", "sent"),
    [
        ("openai/Qwen3-8B", "response_format", WIRE),
        ("hosted_vllm/Qwen3-8B", "response_format", WIRE),
        ("ollama/llama3.2", "format", SCHEMA),
        ("ollama_chat/llama3.2", "format", SCHEMA),
        ("openrouter/qwen/qwen3-235b-a22b", "response_format", WIRE),
        ("groq/openai/gpt-oss-20b", "response_format", WIRE),
        ("groq/llama-3.3-70b-versatile", "response_format", {"type": "json_object"}),
        ("dashscope/qwen-max", "response_format", WIRE),
        ("xai/grok-4", "response_format", WIRE),
        ("zai/glm-4.6", "response_format", WIRE),
        ("deepseek/deepseek-chat", "response_format", WIRE),
        ("moonshot/kimi-k2-0711-preview", "response_format", WIRE),
        ("mistral/mistral-small-latest", "response_format", WIRE),
        ("lm_studio/x", "response_format", WIRE),
        ("llamafile/x", "response_format", WIRE),
        ("gpt-4", "response_format", WIRE),
    ],
)
async def test_the_form_reaches_each_providers_server(
    make: Make, stream: bool, model: str, field: str, sent: Any
) -> None:
    """Though LiteLLM's table says of most of them that they take no schema.

    Groq's older models take a JSON object only.
    """
    with Server() as server:
        server.says = served
        base = server.url if model.startswith("ollama") else f"{server.url}/v1"
        named = NamedModel(model=model, api_base=base)
        reply = await asked(
            make(Seat(model=model, name="it"), stream=stream, models={"it": named})
        )
        (request,) = (one for one in server.asked if one.method == "POST")
    assert reply.text == OBJECT
    assert request.json[field] == sent
    assert {"response_format", "tools"} & {
        *request.json,
        *request.json.get("options", {}),
    } == {field} - {"format"}
    assert reply.structured is (sent in (WIRE, SCHEMA))


@pytest.mark.parametrize("provider", ["ollama", "ollama_chat"])
async def test_ollama_is_called_where_its_host_says(make: Make, provider: str) -> None:
    """LiteLLM does not read OLLAMA_HOST, where Home looks for models."""
    with Server() as server:
        server.says = served
        env = {"OLLAMA_HOST": server.url.partition("//")[2]}
        await asked(make(Seat(model=f"{provider}/llama3.2"), env=env))
        assert "/api/chat" in [one.path for one in server.asked]
