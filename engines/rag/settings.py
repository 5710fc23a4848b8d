"""The settings of a question over references (the CoV-RAG paper, section 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...sessions.errors import bad_input
from ..settings import (
    OneOf,
    Option,
    Setting,
    Settings,
    Shares,
    Switch,
    Text,
    Whole,
)

BOUNDS = {
    "reference_correctness": 0.27,
    "correctness": 0.26,
    "bias": 0.7,
    "truthfulness": 0.92,
}
MODEL = Text("wrong.setting.model", 200, optional=True)

WHERE = (
    Option("corpus", metavar="NAME|PATH", group="where"),
    Option("references", metavar="FILE", group="where"),
    Option("web", metavar="PROVIDER", group="where"),
    Option("retriever", metavar="URL|NAME", group="where"),
)
"""The four ways to say where to look."""

SETTINGS = Settings(
    "rag",
    [
        Setting("k", Whole(1, 50), default=5),
        Setting("iterations", Whole(0, 5), default=1),
        Setting(
            "indicator",
            OneOf("nonempty", "claims", "thresholds-all", "thresholds-any"),
            default="nonempty",
        ),
        Setting(
            "bounds",
            Shares(tuple(BOUNDS)),
            "SCORE=X",
            option="bound",
            many=True,
            default=BOUNDS,
        ),
        Setting("revise", OneOf("end", "start", "none"), default="end"),
        Setting("chain", Switch(), default=True),
        Setting("merge", Switch(), default=False),
        Setting("keep", OneOf("last", "best"), default="last"),
        Setting("final_check", Switch(), default=True),
        Setting("verify", Switch(), default=False),
        Setting("claims", Switch(), default=False, fixed=True),
        Setting("search", OneOf("bm25", "dense", "hybrid"), default="bm25"),
        Setting("rerank", MODEL, "MODEL"),
        Setting("embed", MODEL, "MODEL"),
        Setting("web_pages", Switch(), default=False),
        Setting("where", Text("wrong.setting.filter", 500, optional=True), "FILTER"),
        Setting("duplicates", OneOf("one", "all"), default="one", before="all"),
        Setting("per_document", Whole(0, 50), default=0),
        Setting("context", OneOf("passage", "neighbors", "section"), default="passage"),
        Setting("context_tokens", Whole(200, 200_000), default=8000),
    ],
    options=WHERE,
    builtins=("lexical", "script"),
    judging=("verifier",),
    asked=(
        "k",
        "iterations",
        "search",
        "claims",
        "indicator",
        "revise",
        "merge",
        "where",
    ),
)

_SOURCES = ("corpus", "references", "web", "web_pages", "retriever")
_FINDING = (
    *("k", "search", "rerank", "embed", "where", "duplicates", "per_document"),
    *("context", "context_tokens"),
)
VERIFYING = [*_SOURCES, *_FINDING, "chain", "claims", "model", "param", "prompts"]
"""The options that an answer which exists has a use for."""


def check_settings(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings: the given ones over the defaults. The indicator `claims`
    enables the checking of claims. Raises: BadInput.
    """
    made = SETTINGS.over_defaults(wanted)
    if made["indicator"] == "claims":
        made["claims"] = True
    elif not made["chain"] and made["indicator"] != "nonempty":
        raise bad_input("wrong.question.chain", indicator=made["indicator"])
    if made["where"]:
        from ..retrieval.where import parse

        parse(made["where"])
    return made
