"""A server that repeats the key in its normal replies: no file and no output holds the
key.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import annotating, answering, command, debating
from verifytui.tests.support.loopback import Answer, Body, Loopback

KEY = "sk-loopback-0123456789"
SAID = {
    "plain": f"The key is {KEY}, or {KEY[::-1]}.",
    "packed": f"The key is {base64.b64encode(b'Bearer ' + KEY.encode()).decode()}, or "
    f"{KEY.encode().hex()}.",
    "broken": "The key is {}, or {}.".format(
        "\n".join(KEY), "".join(f"%{byte:02X}" for byte in KEY.encode())
    ),
}
ROWS: dict[str, dict[str, Any]] = {
    "debate": {"topic": "Why is the sea salty?"},
    "ask": {
        "question": "When was Vern built?",
        "references": [{"text": "Vern was built in 1873."}],
    },
    "relevance": {
        "query": {"id": "q", "text": "He took a ring."},
        "candidate": {"id": "c", "text": "She took a purse."},
    },
}


def telling(usual: Any, said: str) -> Any:
    """The usual replies, with the key in prose, in the values of JSON and in the
    reasoning; in pieces of five characters where streamed.
    """

    def reply(body: Body) -> Answer:
        text = usual(body).text
        if text.startswith("{"):
            made = json.loads(text)
            text = json.dumps(
                {
                    name: said if name == "reason" else value
                    for name, value in made.items()
                }
            )
        else:
            text = f"{said}\n\n{text}"
        return Answer(
            text,
            reasoning=said,
            chunks=[text[at : at + 5] for at in range(0, len(text), 5)]
            if body.get("stream")
            else None,
        )

    return reply


def written(folder: Path) -> str:
    return "".join(
        f"{file}\n{file.read_bytes().decode('utf-8', 'replace')}\n"
        for file in folder.rglob("*")
        if file.is_file()
    )


def traces(text: str) -> list[str]:
    joined = "".join(text.split()).replace("\\n", "")
    hidden = [
        KEY,
        KEY[::-1],
        KEY.encode().hex(),
        "%".join(f"{byte:02X}" for byte in KEY.encode()),
    ]
    hidden += [base64.b64encode(b"Bearer " + KEY.encode()).decode()[12:36]]
    return [one for one in hidden if one in joined]


@pytest.mark.slow
@pytest.mark.parametrize("how", SAID)
@pytest.mark.parametrize("word", ["debate", "ask", "relevance"])
def test_a_batch_tells_and_writes_no_key(
    server: Loopback, tmp_path: Path, home: Path, word: str, how: str
) -> None:
    usual = {"debate": debating(), "ask": answering(), "relevance": annotating()}[word]
    server.answer = telling(usual, SAID[how])
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"id": "one", **ROWS[word]}) + "\n")
    option = {"debate": "--topics", "ask": "--questions", "relevance": "--pairs"}[word]
    done = command(
        word,
        option,
        lines,
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
        "--output",
        "json",
    )
    assert done.returncode == 0, done.stderr
    made = written(tmp_path / "out") + written(home)
    assert "[key hidden]" in made
    assert "altered: true" in made
    assert traces(made + done.stdout + done.stderr) == []


@pytest.mark.parametrize("how", SAID)
def test_a_debate_told_live_shows_no_key(
    server: Loopback, tmp_path: Path, home: Path, how: str
) -> None:
    server.answer = telling(debating(), SAID[how])
    for more in ((), ("--output", "json")):
        done = command(
            "debate",
            "Why is the sea salty?",
            "--rounds",
            "1",
            "--model",
            "openai/lb",
            *more,
        )
        assert done.returncode == 0, done.stderr
        assert "[key hidden]" in done.stdout
        assert traces(done.stdout + done.stderr + written(home)) == []


def test_names_that_only_look_like_keys_are_kept(server: Loopback, home: Path) -> None:
    server.answer = telling(debating(), "Use hf_hub_download and sk-learn-contrib.")
    done = command(
        "debate",
        "What do I need?",
        "--rounds",
        "1",
        "--model",
        "openai/lb",
        "--output",
        "json",
    )
    assert "hf_hub_download and sk-learn-contrib" in done.stdout
    assert "altered: true" not in written(home)
