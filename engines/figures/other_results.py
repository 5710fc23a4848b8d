"""Results of other evaluation programs as rows of outputs: an id, what was asked, the
answer, what counts as right, and each score under its name.

- inspect_ai (0.3.285): `.eval` and `.json` logs. `.eval` files are read by its own API,
  since the format is not frozen. The scores of a sample are means over its epochs.
- lm-evaluation-harness (0.4.13): `samples_*.jsonl`. Of choices, the likeliest is the
  answer.
- promptfoo (0.1xx): `results.json`, or its rows as JSON lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from ...sessions.errors import bad_input
from ...sessions.installation import install_command
from .columns import number

Row = dict[str, Any]
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Values of inspect_ai's scores: correct, partially correct, incorrect, no answer."""
QUESTIONS = ("question", "query", "problem", "input", "prompt", "text")
"""Names of what was asked in a document of a task or among the variables of a test."""
EVAL, EXTRA = ".eval", "inspect"


def is_foreign(row: object) -> bool:
    """Return whether the first row of a file was written by another program."""
    if not isinstance(row, dict):
        return False
    results = row.get("results")
    return (
        any(keys <= row.keys() for keys in (_SAMPLE, _DOCUMENT))
        or (isinstance(row.get("response"), dict) and "testIdx" in row)
        or (isinstance(results, dict) and isinstance(results.get("results"), list))
    )


_SAMPLE = {"epoch", "scores", "target"}
_DOCUMENT = {"doc_id", "filtered_resps"}
_TEST = {"testIdx", "response"}


def converted(path: Path, rows: Iterable[object]) -> list[Row]:
    """Return rows of outputs from the rows of a file for which `is_foreign` is true, or
    from the log itself if it is an `.eval` file. Raises: BadInput.
    """
    if path.suffix == EVAL:
        return _inspect(path, _log(path))
    found = [row for row in rows if isinstance(row, dict)]
    if found[0].keys() >= _SAMPLE:  # those of a log in JSON
        return _inspect(path, found)
    if found[0].keys() >= _DOCUMENT:
        return _harness(found)
    if found[0].keys() >= _TEST:
        return _promptfoo(path, found)
    return _promptfoo(path, found[0]["results"]["results"])


def _log(path: Path) -> list[Row]:
    """The samples of a log."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise bad_input(
            "wrong.results.no_inspect", path=path, install=install_command(EXTRA)
        ) from None
    try:
        log = read_eval_log(str(path))
    except Exception as error:
        raise bad_input("wrong.results.unread", path=path, why=error) from None
    return [_sample(one) for one in log.samples or ()]


def _sample(sample: Any) -> Row:
    """A sample of the API with the fields that a log in JSON has."""
    scores = {
        name: {"value": score.value} for name, score in (sample.scores or {}).items()
    }
    return {
        "id": sample.id,
        "input": sample.input
        if isinstance(sample.input, str)
        else [{"role": one.role, "content": one.text} for one in sample.input],
        "target": sample.target,
        "output": {"completion": sample.output.completion},
        "scores": scores,
        "metadata": sample.metadata,
        "error": sample.error,
    }


def _inspect(path: Path, samples: Iterable[Row]) -> list[Row]:
    """A row for each sample, with the mean of its epochs that did not fail; without an
    answer and scores where all failed.
    """
    epochs: dict[str, list[Row]] = {}
    for sample in samples:
        epochs.setdefault(str(sample["id"]), []).append(sample)
    if all(_failed(one) for listed in epochs.values() for one in listed):
        raise bad_input("wrong.results.no_samples", path=path)
    return [_of_epochs(id_, samples) for id_, samples in epochs.items()]


def _failed(sample: Row) -> bool:
    """Whether it ended with an error, and was not scored all the same."""
    return bool(sample.get("error")) and not sample.get("scores")


def _of_epochs(id_: str, samples: list[Row]) -> Row:
    done = [one for one in samples if not _failed(one)]
    first, scores = [*done, *samples][0], [_scores(one) for one in done]
    asked, target = _asked(first.get("input")), first.get("target")
    names = dict.fromkeys(name for one in scores for name in one)
    means = {
        name: fmean([one[name] for one in scores if name in one]) for name in names
    }
    about = first.get("metadata")
    kept = {
        f"metadata.{name}": value
        for name, value in (about.items() if isinstance(about, dict) else ())
        if isinstance(value, str)
    }
    return {
        **kept,
        **means,
        "id": id_,
        **({"question": asked} if asked else {}),
        **({"answers": target} if target else {}),
        "answer": (first.get("output") or {}).get("completion") if done else None,
    }


def _asked(given: object) -> str:
    """The text, or that of the last message of the user in a chat."""
    if not isinstance(given, list):
        return given if isinstance(given, str) else ""
    said = [
        one.get("content")
        for one in given
        if isinstance(one, dict) and one.get("role") == "user"
    ]
    last = said[-1] if said else ""
    if isinstance(last, str):
        return last
    parts = last if isinstance(last, list) else []
    texts = [one.get("text") for one in parts if isinstance(one, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _scores(sample: Row) -> dict[str, float]:
    """The scores of a sample by scorer; of a scorer with several, by `SCORER.NAME`."""
    found: dict[str, float] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        parts = value if isinstance(value, dict) else {"": value}
        for part, one in parts.items():
            graded = (
                GRADES.get(one, number(one)) if isinstance(one, str) else number(one)
            )
            if graded is not None:
                found[f"{name}.{part}" if part else name] = graded
    return found


def _harness(rows: Iterable[Row]) -> list[Row]:
    """A row for each document; where there are several filters, its scores are called
    `METRIC,FILTER`, as the program does.
    """
    rows = list(rows)
    filters = {str(row.get("filter", "none")) for row in rows}
    found: dict[str, Row] = {}
    for row in rows:
        id_, document = str(row["doc_id"]), row.get("doc")
        asked = document if isinstance(document, dict) else {}
        replies, calls = row["filtered_resps"], _calls(row)
        choices = [str(call[1]).strip() for call in calls if len(call) > 1]
        chosen, reply = _likeliest(replies), _reply(replies)
        if chosen is not None and len(choices) == len(replies):
            reply, target = choices[chosen], _choice(choices, row.get("target"))
        else:
            target = row.get("target")
        made = found.setdefault(
            id_,
            {
                "id": id_,
                **(_first_text("question", asked) or _prompt(calls)),
                **_accepted(target),
                **({} if reply is None else {"answer": reply}),
            },
        )
        names = row.get("metrics")
        for name in names if isinstance(names, list) else row.keys() - _OF_HARNESS:
            value = number(row.get(name))
            if value is not None:
                made[name if len(filters) == 1 else f"{name},{row['filter']}"] = value
    return [*found.values()]


def _calls(row: Row) -> list[list[Any]]:
    """The arguments of each request: a prompt, and the choice or the settings."""
    given = row.get("arguments")
    listed = [*given.values()] if isinstance(given, dict) else given
    return [
        [*one.values()] if isinstance(one, dict) else [*one]
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict | list)
    ]


def _prompt(calls: list[list[Any]]) -> Row:
    asked = calls[0][0] if calls and calls[0] else None
    return {"question": asked} if isinstance(asked, str) and asked.strip() else {}


def _likeliest(replies: object) -> int | None:
    """Where the choice with the highest log-likelihood stands; None where the replies
    are texts.
    """
    if not isinstance(replies, list) or len(replies) < FEWEST:
        return None
    values = [
        number(one[0]) if isinstance(one, list) and one else None for one in replies
    ]
    known = [value for value in values if value is not None]
    return values.index(max(known)) if len(known) == len(values) else None


def _choice(choices: list[str], target: object) -> object:
    """The choice that a target names by its place, from 0."""
    place = number(target)
    if place is not None and place.is_integer() and 0 <= place < len(choices):
        return choices[int(place)]
    return target


def _reply(given: object) -> str | None:
    """The first of the replies, which may be lists of several each."""
    while isinstance(given, list):
        given = given[0] if given else None
    if isinstance(given, str | int | float) and not isinstance(given, bool):
        return str(given)
    return None


def _accepted(target: object) -> Row:
    """What counts as right."""
    listed = target if isinstance(target, list) else [target]
    texts = [str(one) for one in listed if isinstance(one, str | int | float)]
    return {"answers": texts} if texts else {}


FEWEST = 2
"""Choices of a question."""
_OF_HARNESS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps"} | {
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
}


def _promptfoo(path: Path, rows: Iterable[Row]) -> list[Row]:
    """A row for each test. Raises: BadInput for several providers or prompts."""
    found: dict[str, Row] = {}
    for row in rows:
        id_, variables = str(row.get("testIdx", len(found))), row.get("vars") or {}
        if id_ in found:
            raise bad_input("wrong.results.several", path=path)
        reply = (row.get("response") or {}).get("output")
        text = (
            reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        )
        named = row.get("namedScores") or {}
        found[id_] = {
            **{name: row[name] for name in ("latencyMs", "cost") if name in row},
            **{
                name: value
                for name, value in named.items()
                if number(value) is not None
            },
            "score": row.get("score"),
            "success": row.get("success"),
            "id": id_,
            **_first_text("question", variables),
            "answer": None if reply is None else text,
        }
    return [*found.values()]


def _first_text(name: str, values: Row) -> Row:
    """Return the question under this name; empty if it is ambiguous."""
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    chosen = next((key for key in QUESTIONS if texts.get(key)), None)
    if chosen is None and len(texts) == 1:
        (chosen,) = texts
    return {} if chosen is None else {name: texts[chosen]}
