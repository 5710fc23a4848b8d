"""JSON Schemas of what `--output json` prints for programs: reports of runs,
comparisons, studies, and rows of items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..figures.compare import PRICE
from .batch import PER_ITEM, BatchReport

Schema = dict[str, Any]
NUMBER: Schema = {"type": ["number", "null"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
FLAG: Schema = {"type": "boolean"}
FIGURE: Schema = {"$ref": "#/$defs/figure"}
DIFFERENCE: Schema = {"$ref": "#/$defs/difference"}


def _object(fields: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """An object that may have further fields; `required`: none are named: all."""
    needed = [*(required or fields)]
    return {"type": "object", "properties": dict(fields), "required": needed}


def _map(of: Schema, *, depth: int = 1) -> Schema:
    """Names to values, `depth` times."""
    for _ in range(depth):
        of = {"type": "object", "additionalProperties": of}
    return of


_FIGURE = _object(
    {
        **dict.fromkeys(("value", "low", "high"), NUMBER),
        **dict.fromkeys(("n", "of", "count", "clusters", "covered"), COUNT),
        **dict.fromkeys(("missing", "unanswered"), _map(COUNT)),
        "note": TEXT,
        "certified": {"type": ["boolean", "null"]},
        "paper": NUMBER,
    },
    ("value", "low", "high", "n", "of"),
)
_DIFFERENCE = _object(
    {
        **{"measure": TEXT, "a": FIGURE, "b": FIGURE},
        "difference": _object(
            {
                **dict.fromkeys(("value", "low", "high"), NUMBER),
                "note": {"type": ["string", "null"]},
            }
        ),
        **dict.fromkeys(("p", "p_corrected"), NUMBER),
        "test": {"type": ["string", "null"]},
        **{key: {"type": ["integer", "null"]} for key in ("wins", "ties", "losses")},
        "verdict": {"type": ["string", "null"]},
        "needed_n": {"type": ["integer", "null"]},
        **{"better": TEXT, "margin": NUMBER, "left_out": COUNT},
    }
)


def report() -> Schema:
    """A report of a run: `gate RUN --output json`, and report.json."""
    _, parts = msgspec.json.schema_components(
        [BatchReport], ref_template="#/$defs/{name}"
    )
    own = dict(parts.pop("BatchReport")["properties"])
    for name in ("figures", "covered", "tallies", "breakdown"):
        del own[name]
    needed = ["lines", "skipped", "done", "failed", "stopped", "calls", "usage"]
    needed += ["cost", "cost_known", "unpriced", "seconds", PER_ITEM, "left_out"]
    missing = _object({"id": TEXT, "why": TEXT, "of": TEXTS})
    prices = {"type": "object", "properties": dict.fromkeys(PRICE, FIGURE)}
    added = {"passed": FLAG, "failures": TEXTS, PER_ITEM: prices}
    run = _object({**own, **added, "left_out": {"type": "array", "items": missing}})
    # Under the names of measures figures, under those of tallies counts.
    run |= {"required": needed, "additionalProperties": {"type": "object"}}
    parts = {name: parts[name] for name in parts if f"/{name}" in str(own)}
    study = _object(
        {"conditions": _map({"anyOf": [{"$ref": "#/$defs/run"}, {"type": "null"}]})}
    )
    either = {"anyOf": [{"$ref": "#/$defs/run"}, study]}
    return _whole("report of a run", either, {**parts, "run": run})


def comparison() -> Schema:
    """One line of `compare … --output json`: one measure of one pair of runs."""
    row = _object(
        {
            **_DIFFERENCE["properties"],
            **{"first": TEXT, "second": TEXT, "alike": FLAG},
            **dict.fromkeys(
                ("items", "clusters", "only_a", "only_b", "other_content"), COUNT
            ),
            "unfinished": COUNT,
            "differs": _map({"type": "array", "items": TEXTS}),
            "unknown": _map(TEXTS),
            **{"stratum": TEXT, "warnings": TEXTS, "silenced": TEXTS},
        }
    )
    for name in ("stratum", "warnings", "silenced"):
        row["required"].remove(name)
    return _whole("a measure of two runs", row)


def study() -> Schema:
    """The report of a study: `study report DIR --to json`."""
    any_object = {"type": "object"}
    fields = {
        **dict.fromkeys(("name", "title", "said", "compared_with"), TEXT),
        "status": {"type": ["string", "null"]},
        "items": COUNT,
        "repeats": COUNT,
        "conditions": {"type": ["array", "null"], "items": any_object},
        "figures": _map(FIGURE, depth=2),
        "differences": _map(DIFFERENCE, depth=2),
        "rounds": _map(FIGURE, depth=3),
        "variances": _map(any_object, depth=2),
        "paper": {"type": ["string", "null"]},
    }
    own = _object(fields)
    own["properties"] |= {
        "sets": _map({"$ref": "#/$defs/study"}),
        "warnings": {"type": "array", "items": any_object},
        "silenced": TEXTS,
    }
    return _whole("report of a study", {"$ref": "#/$defs/study"}, {"study": own})


def _whole(
    title: str, schema: Schema, parts: Mapping[str, Schema] | None = None
) -> Schema:
    shared = {"figure": _FIGURE, "difference": _DIFFERENCE}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"verifytui/1: {title}",
        **schema,
        "$defs": {**shared, **(parts or {})},
    }


SCHEMAS = {"report": report, "compare": comparison, "study": study}
"""By the argument of `verifytui schema`."""
