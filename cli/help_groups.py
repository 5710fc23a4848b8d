"""The groups of the help: which one a command or an option belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from ..sessions.methods import BUILTIN, METHODS

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "start": ("debate", "ask", "solo", "serve", "models", "resume", "replay"),
    "judge": ("verify", "relevance", "grade", "rank", "audit"),
    "compare": ("study", "compare", "gate", "frame", "ranking"),
    "people": ("label", "adjudicate", "labels", "agreement", "calibrate"),
    "data": (
        *("index", "corpora", "data", "prompts", "demonstrations"),
        *("sessions", "export", "import", "schema"),
    ),
    "scale": ("runs", "merge", "slurm", "synth", "train"),
    "maintenance": ("doctor", "locate", "cache", "completion"),
}
"""In the order of the help. Names of commands that are not installed are skipped.
"""

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "input": (
        *("kind", "source", "target", "evidence", "query", "candidates", "example"),
        *("labels", "corpus", "references", "web", "retriever", "k"),
        *("search", "answers", "accepted", "data", "cases"),
        *("queries", "pool", "only", "take", "sets", "validation", "start"),
    ),
    "models": ("model", "param", "prompts", "probe", "estimator"),
    "method": (),
    "output": (
        *("save", "no_save", "tui", "output", "quiet", "out", "write"),
        *("socket", "port", "token_env", "max_requests", "per_minute"),
    ),
    "batch": (
        *(
            "topics",
            "questions",
            "pairs",
            "into",
            "dry_run",
            "concurrency",
            "budget_tokens",
            "budget_usd",
            "beside",
        ),
        *("skip_bad", "retries", "detach", "repeats", "sample", "temperatures"),
    ),
    "gates": (
        "fail_under",
        "fail_over",
        "max_unread",
        "min_coverage",
        "require_certified",
        "certificate",
        "without_warning",
    ),
    "advanced": (
        *(
            "swap",
            "swapped",
            "control",
            "resample_judge",
            "hints",
            "equivalence",
            "cache",
        ),
        *("estimator_command", "embed", "rerank", "web_pages", "where"),
        *("duplicates", "per_document", "context", "context_tokens"),
        *("seed", "repeat", "case_tokens", "passage_size", "overlap"),
        *("include", "exclude", "ocr"),
        *("shown_tokens", "long", "shard", "shards", "ray", "ray_workers"),
        *("allow_commands", "batch_api", "requests_to", "replies_from"),
        *(
            "live_rest",
            "live_up_to",
            "live_max_usd",
            "until_width",
            "layers",
            "width",
            "warmup",
            "patience",
        ),
        *("every", "vector", "stride", "blocks", "window", "leave_failed"),
        *("answering_share", "negatives", "per_question", "blind", "shares"),
        *("licence", "base", "folds", "resamples", "allow_different", "recheck"),
    ),
    "general": ("theme", "no_mouse", "plain", "version", "lang"),
}
"""In the order of the help. An option that is not named here belongs to `method`."""

ELSEWHERE: Mapping[str, str] = {
    "train_encoder.into": "output",
    "train_encoder.dry_run": "output",
    "serve.into": "output",
    "synth_rag.validation": "advanced",
    "synth_cases.pairs": "input",
}
"""COMMAND.OPTION → its group, where it means something else than in other commands."""

PROGRESS = frozenset(
    {
        *BUILTIN,
        *("ask", "verify", "resume", "index", "study_run", "synth_rag", "synth_cases"),
        "synth_questions",
        *("audit", "train_encoder", "train_run"),
    }
)
"""Commands that print progress, so that they take `--quiet`."""

LONG = 15
"""Options of a command whose help is shown in groups."""

_OPTION = {name: group for group, names in OPTIONS.items() for name in names}
_PLACE = {name: at for at, name in enumerate(_OPTION)}


def grouped_commands(names: Iterable[str]) -> dict[str, list[str]]:
    """The commands of each group; a new method is under `judge`, any other one that is
    not named here under `maintenance`.
    """
    left = list(names)
    found = {
        group: [name for name in listed if name in left]
        for group, listed in COMMANDS.items()
    }
    placed = {name for listed in found.values() for name in listed}
    for name in left:
        if name not in placed:
            found["judge" if name in METHODS else "maintenance"].append(name)
    return found


def place(option: click.Parameter) -> int:
    """Where an option is in its group."""
    return _PLACE.get(option.name or "", 0)


def option_group(command: str, option: click.Parameter) -> str:
    """The group of an option. A declared setting that is rare is under `advanced`."""
    if getattr(option, "rare", False):
        return "advanced"
    if f"{command}.{option.name}" in ELSEWHERE:
        return ELSEWHERE[f"{command}.{option.name}"]
    if "--help" in option.opts:
        return "general"
    return _OPTION.get(option.name or "", "method")
