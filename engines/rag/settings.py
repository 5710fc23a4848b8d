"""What can be set of a question over references (the CoV-RAG paper, section 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...sessions.errors import BadInput
from ..settings import Choice, Option, Setting, Settings, Shares, Switch, Text, Whole, common

BOUNDS = {"reference_correctness": 0.27, "correctness": 0.26, "bias": 0.7, "truthfulness": 0.92}
MODEL = Text("a model, such as cohere/rerank-v3.5", 200, optional=True)

WHERE = (
    Option("corpus", metavar="NAME|PATH", help="Look here: a corpus, or a folder or file (example is always there).", group="where"),
    Option(
        "references",
        metavar="FILE",
        help="These references: .txt, .md, .json, .jsonl, or lines that begin with [1]; - reads stdin.",
        group="where",
    ),
    Option("web", metavar="PROVIDER", help="Search the web, such as searxng or tavily; keys come from the environment.", group="where"),
    Option("retriever", metavar="URL|NAME", help='A server that takes {"query", "k"}; or its name in config.yaml.', group="where"),
)
"""The four ways to say where to look."""

SETTINGS = Settings(
    "rag",
    [
        Setting("k", Whole(1, 50), "References a retrieval (default 5).", "N", default=5),
        Setting("iterations", Whole(0, 5), "At most so many further retrievals, 0 to 5 (default 1).", "N", default=1),
        Setting(
            "indicator",
            Choice("nonempty", "thresholds-all", "thresholds-any"),
            "What calls for another retrieval (default nonempty: a revised query).",
            default="nonempty",
        ),
        Setting(
            "bounds",
            Shares(tuple(BOUNDS)),
            "A bound of the thresholds, such as bias=0.7.",
            "SCORE=X",
            option="bound",
            many=True,
            default=BOUNDS,
        ),
        Setting(
            "revise",
            Choice("end", "start", "none"),
            "When the query is revised: after verifying (default), first, or never.",
            default="end",
        ),
        Setting("chain", Switch(), "Ask for the revised query alone, without scores.", default=True),
        Setting("merge", Switch(), "Answer from old and new references.", default=False),
        Setting("keep", Choice("last", "best"), "Whose answer is the result: the last (default) or best verified.", default="last"),
        Setting("final_check", Switch(), "Leave the last answer unverified.", default=True),
        Setting("verify", Switch(), "Verify also with --revise start or none.", default=False),
        Setting("rerank", MODEL, "A model that ranks what was found again.", "MODEL"),
        Setting("embed", MODEL, "A model whose embeddings rank what was found.", "MODEL"),
        Setting("web_pages", Switch(), "Fetch the pages found, instead of the search's excerpts.", default=False),
    ],
    options=(
        *WHERE,
        *common(
            model="A model for all roles, or for one (default lexical, for the bundled question script: no models).",
            param="generator.temperature=0.7",
            prompts="The set of prompts (default: by the question's language).",
        ),
    ),
    order=(
        "corpus references web web_pages retriever k iterations indicator bounds revise verify merge keep final_check chain rerank embed"
        " model param prompts"
    ),
    noun="a question",
    where="for a question",
    builtins={"lexical": "only compares words", "script": "has lines for its examples only"},
)

VERIFYING = "corpus references web web_pages retriever k chain rerank embed model param prompts".split()  # noqa: SIM905
"""The options that an answer which exists has a use for."""


def check_settings(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """All settings: what is wanted, above the defaults. Raises BadInput."""
    made = SETTINGS.over_defaults(wanted)
    if not made["chain"] and made["indicator"] != "nonempty":
        raise BadInput(f"Without the chain there are no scores for {made['indicator']}; take the indicator nonempty, or keep the chain.")
    return made
