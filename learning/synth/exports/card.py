"""The data card: content and sources of an export, and what it leaves out. Markdown in
English, like all files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....sessions.clean import clean_line
from ....texts import speaking, t
from ..omission_text import reasons
from .configs import MOST, NO_BASE, length_for
from .lines import ExportRecord
from .options import ExportOptions

BUILT_IN = ("script", "lexical")
"""Sources of replies that are neither a language model nor a person."""


def answers_card(exported: ExportRecord, options: ExportOptions) -> str:
    """The card of answers and their verification."""
    return _card(
        "Answers from references, and their verification",
        [
            "One model learns two tasks: to answer a question from numbered "
            "references, and to verify an answer (CoV-RAG, section 2.3). "
            "The system turn says which task it is. All messages are those that "
            "the seats of a session are sent, so a model that is "
            "trained on them can take these roles.",
            "The answers to learn from are right ones. The verifications are of "
            "right and of wrong answers; the reason stands first. "
            "In a pair of preferences the prompt is that of the chosen answer; "
            "rejected answers of the kinds `retrieval-error` and "
            "`bad-query` were written from other references.",
        ],
        exported,
        options,
        ("tasks", "kinds", "unstated", "preferences"),
    )


def preferences_card(exported: ExportRecord, options: ExportOptions) -> str:
    """The card of preferences from people's edits and retries."""
    return _card(
        "Preferences of people",
        [
            "Each pair comes from a saved session. `edit`: a person put other "
            "words to a reply; theirs are chosen. `retry`: a person had a "
            "reply made again; the later one is chosen, which says less than an "
            "edit. Both replies answer exactly the same messages.",
        ],
        exported,
        options,
        ("preferences", "methods"),
    )


def facts_card(exported: ExportRecord, options: ExportOptions) -> str:
    """The card of extractions and judgements of cases."""
    return _card(
        "Facts of cases, and judgements of their relevance",
        [
            "`extraction`: the material or legal facts of a case. `annotation`: "
            "whether two cases are relevant to each other in one of the two, the "
            "reason first. All messages are those that the roles of a session get, "
            "so a model that is trained on them can take these roles. Nobody has "
            "checked the replies, unless people's levels were held against them.",
        ],
        exported,
        options,
        ("tasks", "kinds"),
    )


def cases_card(exported: ExportRecord, options: ExportOptions) -> str:
    """The card of pairs of cases."""
    return _card(
        "Pairs of cases with levels of relevance",
        [
            "Levels: 1 for the material facts and 2 for the legal facts, 0 to 3 "
            "together. A pair that a machine judged is of two cases; "
            "the first one stands in the place of the query, in `queries.jsonl` "
            "with the same id.",
            f"`pairs/` has the level as a score, divided by 3. `triples/` has "
            f"pairs of level {options.positive} and above as positives. "
            "Its negatives are cases of level 0 to the same query that are "
            "positives to another one, the most similar by BM25 first: cases "
            "that are positives nowhere would teach only which cases are ever "
            "near. Each line repeats its texts.",
            "`corpus.jsonl`, `queries.jsonl` and `qrels/` are a data set in the "
            "form of BEIR, `trec/` has the same levels as qrels of TREC."
            + (
                f" {exported.changed_ids} ids were changed, since they had blanks "
                f"or meant a query and a case."
                if exported.changed_ids
                else ""
            ),
            "```python\n"
            "from datasets import load_dataset\n"
            'load_dataset("THIS FOLDER", "pairs")  # sentence1, sentence2, score: '
            "CoSENTLoss\n"
            'load_dataset("THIS FOLDER", "triples")  # anchor, positive, '
            "negative: MultipleNegativesRankingLoss\n"
            "```",
        ],
        exported,
        options,
        ("levels", "triples"),
    )


def _card(
    title: str,
    about: Sequence[str],
    exported: ExportRecord,
    options: ExportOptions,
    tables: Sequence[str],
) -> str:
    files = [
        (f"`{name}`", f"{one.lines:,}", f"`{one.sha256[:16]}…`")
        for name, one in sorted(exported.files.items())
    ]
    made_from = [
        ("licence", _cell(options.licence or "not stated")),
        *((_cell(name), _cell(value)) for name, value in options.about.items()),
        *([("seed", str(options.seed))] if "seed" not in options.about else []),
    ]
    sections = [
        _front(exported),
        f"# {title}",
        *about,
        "## Files",
        _table(("file", "lines", "SHA-256"), files),
        *_counts(exported, tables),
        *_training(exported, options),
        "## Where it comes from",
        _table(("what", ""), made_from),
        *_models(exported),
        *([f"## Agreement\n\n{_cell(options.agreement)}"] if options.agreement else []),
        *_left_out(exported),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _front(exported: ExportRecord) -> str:
    """The header that `datasets` reads: one configuration per kind of line."""
    found: dict[str, list[str]] = {}
    for name in sorted(exported.files):
        if name.endswith(".jsonl") and not name.startswith("llamafactory/"):
            found.setdefault(name.removesuffix(".jsonl").partition("/")[0], []).append(
                name
            )
    made = []
    for config, names in found.items():
        made += [f"- config_name: {config}", "  data_files:"]
        for name in names:
            split = name.removesuffix(".jsonl").rpartition("/")[2].replace("-", "_")
            made += [f"  - split: {split}", f"    path: {name}"]
    if made:
        return "\n".join(["---", "configs:", *made, "---"])
    return ""


def _counts(exported: ExportRecord, tables: Sequence[str]) -> Iterable[str]:
    for table in tables:
        rows = exported.counts.get(table)
        if rows:
            total = sum(rows.values())
            yield f"## {english(f'table_{table}')}"
            yield _table(
                ("", "lines", "share"),
                [
                    (_cell(row), f"{many:,}", f"{many / total:.1%}")
                    for row, many in sorted(rows.items())
                ],
            )


def _training(exported: ExportRecord, options: ExportOptions) -> Iterable[str]:
    """Instructions for the configurations; empty if there are none."""
    commands = {
        "trl-sft.yaml": "trl sft --config trl-sft.yaml",
        "trl-dpo.yaml": "trl dpo --config trl-dpo.yaml",
        "llamafactory-sft.yaml": "llamafactory-cli train llamafactory-sft.yaml",
        "llamafactory-dpo.yaml": "llamafactory-cli train llamafactory-dpo.yaml",
    }
    there = [command for name, command in commands.items() if name in exported.files]
    if not there:
        return
    yield "## To train"
    yield "```sh\n" + "\n".join(there) + "\n```"
    longest = max(exported.longest.values(), default=0)
    base = "" if options.base else f" Put a model in the place of `{NO_BASE}` first."
    yield (
        f"Call them in this folder.{base} The longest line has about {longest:,} "
        f"tokens (estimated), and the configurations allow for it."
    )
    if longest > length_for(longest):
        yield (
            f"Lines of more than {MOST:,} tokens are cut at their end, where the "
            f"reply stands."
        )


def _models(exported: ExportRecord) -> Iterable[str]:
    rows = [
        (what, model, many)
        for what, models in sorted(exported.models.items())
        for model, many in sorted(models.items())
    ]
    if rows:
        yield "## Who said it"
        yield _table(
            ("what", "who", "lines"),
            [
                (
                    what,
                    _cell(model)
                    + (
                        " (built in, no language model)"
                        if model in BUILT_IN[1:]
                        else ""
                    ),
                    f"{many:,}",
                )
                for what, model, many in rows
            ],
        )


def _left_out(exported: ExportRecord) -> Iterable[str]:
    rows = [
        (english(f"of_{table}"), english(f"why_{why}"), f"{many:,}")
        for table, why, many in reasons(exported.left_out)
    ]
    yield "## Left out"
    yield _table(("of", "why", "how many"), rows) if rows else "Nothing."


def english(key: str) -> str:
    """A text of `report.exports` in English."""
    with speaking("en"):
        return t(f"report.exports.{key.replace('-', '_')}")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    """Text from outside in a table: one line, without markup."""
    plain = clean_line(text)
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in plain)
