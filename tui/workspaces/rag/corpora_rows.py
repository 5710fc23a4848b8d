"""Rows and texts of the corpora screen, made from lists and reports. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from ....engines.retrieval.corpus import EXAMPLE, CorpusInfo
from ....engines.retrieval.home import how_far
from ....engines.retrieval.kinds import mostly_left_out
from ....engines.retrieval.port import RetrievalResult, passed_over
from ....sessions.events import Reference
from ....texts import t
from ....texts.amounts import money
from ...screens.batch_lines import span
from ...screens.preview import shorter
from ...showing import clean, clean_line
from ...title_columns import fit
from .wording import origins

if TYPE_CHECKING:
    from ....engines.retrieval.corpus import BuildReport
    from ....engines.retrieval.embedding import EmbeddingPurchase
    from ....engines.retrieval.kinds import FileFormat

NAME = 24
"""Cells of a name."""
NUMBERS = (11, 10, 10, 17)
"""Cells of the columns behind it."""
KINDS = (9, 11, 10, 12, 10)
"""Cells of the columns behind an ending."""
MOST_KINDS = 8
"""Endings that have a line of their own."""


def head(width: int) -> Content:
    """The titles of the columns."""
    names = ("documents", "passages", "languages", "built")
    words = [t(f"corpora.{name}") for name in names]
    return Content(fit(t("corpora.name"), NAME) + "".join(_fitted(words, width)))


def _fitted(words: Sequence[str], width: int) -> list[str]:
    """The columns behind the name, as many as there is room for."""
    room = width - NAME
    cells = [fit(word, size) for word, size in zip(words, NUMBERS, strict=True)]
    return [cell for n, cell in enumerate(cells) if sum(NUMBERS[: n + 1]) <= room]


def row(one: CorpusInfo, width: int) -> Content:
    """A corpus: its figures, or why it cannot be opened; one that is being built says
    so.
    """
    name = (fit(one.name, NAME), "bold")
    if one.problem is not None:
        return Content.assemble(
            name,
            (fit(_being_built(one) or one.problem, max(width - NAME, 8)), "$warning"),
        )
    built = one.built[:16].replace("T", " ")
    figures = [
        f"{one.documents:,}",
        f"{one.passages:,}",
        one.languages,
        t("corpora.comes_along") if one.name == EXAMPLE else built,
    ]
    told = _being_built(one)
    parts = _fitted(figures, width - cell_len(told))
    return Content.assemble(name, *parts, (told, "$warning"))


def _being_built(one: CorpusInfo) -> str:
    if one.building is None:
        return ""
    counts = {
        "n": f"{one.building.done:,}",
        "total": f"{one.building.total:,}" if one.building.total else "?",
    }
    if one.building.vectors:
        return t("corpora.being_embedded", **counts)
    return t("corpora.being_built", **counts)


def detail(one: CorpusInfo) -> str:
    """The sources of the corpus at the cursor, and its progress while it is being
    built.
    """
    building = [how_far(one.building)] if one.building is not None else []
    if one.problem:
        return clean("\n".join(building or [one.problem]))
    vectors = t("corpora.without_vectors")
    if one.dense is not None:
        vectors = t(
            "report.dense.whole" if one.dense_whole else "report.dense.incomplete",
            model=one.dense.model,
        )
    told = t("corpora.detail", tokenizer=one.words, size=f"{one.bytes / 1e6:.1f}")
    sources = [str(source) for source in one.sources[:3]] if one.name != EXAMPLE else []
    if one.lives:
        told, sources = t("corpora.lives", address=one.lives), []
    return "\n".join(
        clean_line(line) for line in (f"{told} · {vectors}", *building, *sources)
    )


def sample(passages: Sequence[tuple[str, str]]) -> Content:
    """Some passages of a corpus, each under its title."""
    parts = [
        Content.assemble(
            (clean_line(title), "bold"), "\n", clean(shorter(text.strip()))
        )
        for title, text in passages
    ]
    return Content("\n\n").join(parts)


def progress(done: int, total: int, file: str, left: float | None) -> str:
    """Format the progress of a build. `left`: seconds remaining, None if unknown."""
    name = fit(file, 40).rstrip()
    if left is None or done == total:
        return t("corpora.progress", n=f"{done:,}", total=f"{total:,}", file=name)
    return t(
        "corpora.progress_left",
        n=f"{done:,}",
        total=f"{total:,}",
        file=name,
        left=span(left),
    )


def buying(done: int, total: int, left: float | None, cost: float | None) -> str:
    """How far the purchase of vectors is, and what it cost so far; `left` as for
    `progress`.
    """
    told = [t("report.dense.embedding", done=f"{done:,}", total=f"{total:,}")]
    if left is not None and done < total:
        told.append(t("report.dense.left", span=span(left)))
    if cost:
        told.append(t("report.dense.so_far", cost=money(cost)))
    return " · ".join(told)


def report(made: BuildReport) -> tuple[str, bool]:
    """Describe a build's result, and whether it is a warning."""
    told = [
        t(
            "corpora.report",
            indexed=f"{made.indexed:,}",
            unchanged=f"{made.unchanged:,}",
            removed=f"{made.removed:,}",
        )
    ]
    mostly = mostly_left_out(made.kinds)
    if mostly is not None:
        told.append(
            t(
                "report.said.mostly_left_out",
                left=f"{mostly[0]:,}",
                total=f"{mostly[1]:,}",
            )
        )
    for key, listed in (("skipped", made.skipped), ("remarks", made.remarks)):
        if listed:
            shown = "; ".join(
                f"{clean_line(str(file))}: {clean_line(str(why))}"
                for file, why in listed[:2]
            )
            told.append(f"{t(f'corpora.{key}', n=f'{len(listed):,}')} {shown}")
    return " ".join(told), bool(made.skipped)


def kinds(found: Sequence[FileFormat]) -> Content:
    """The kinds of files, a line each; the rarest are one line."""
    titles = t("report.said.kinds").split("\t")
    lines = [Content.styled(_figures(titles[0], titles[1:]), "$quiet")]
    for kind in found[:MOST_KINDS]:
        name = clean_line(kind.ending) or t("report.said.no_ending")
        line = Content(_figures(name, [f"{count:,}" for count in kind[1:]]))
        lines.append(line if kind.files else line.stylize("$warning"))
    if rest := found[MOST_KINDS:]:
        sums = [
            f"{sum(column):,}"
            for column in zip(*(kind[1:] for kind in rest), strict=True)
        ]
        lines.append(Content(_figures(t("corpora.other_kinds", n=len(rest)), sums)))
    return Content("\n").join(lines)


def _figures(name: str, figures: Sequence[str]) -> str:
    return fit(name, 14) + "".join(
        " " * max(cells - cell_len(text), 1) + text
        for text, cells in zip(figures, KINDS, strict=True)
    )


def found_row(one: Reference) -> Content:
    """A passage that a search by hand found."""
    title = clean_line(one.title or one.file or t("rag.untitled"))
    score = "" if one.score is None else f" {one.score:.2f}"
    text = clean_line(one.text)
    where = "".join(f"  {line}" for line in origins(one))
    shown = text if cell_len(text) <= 300 else fit(text, 300)
    return Content.assemble(
        (f"[{one.n}] {title}", "bold"), (f"{score}{where}", "$quiet"), "\n", shown
    )


def said_of(found: RetrievalResult) -> str:
    """Notes about a search, in addition to its passages."""
    unknown = (
        t("rag.unknown_words", terms=", ".join(found.unknown)) if found.unknown else ""
    )
    return " · ".join(
        part
        for part in (found.message or "", unknown, *passed_over(found.left_out))
        if part
    )


def bought_of(name: str, bought: EmbeddingPurchase) -> str:
    """Describe the vectors that were created."""
    spent = (
        t("report.dense.spent", part=money(bought.cost))
        if bought.embedded and bought.cost is not None
        else ""
    )
    counts = {
        "passages": f"{bought.passages:,}",
        "embedded": f"{bought.embedded:,}",
        "size": bought.size,
    }
    return t("report.dense.done", name=name, model=bought.model, spent=spent, **counts)


def name_for(path: str) -> str:
    """A name for the corpus of a path: that of the folder or file, as far as a corpus
    may be called so.
    """
    stem = Path(path.strip().rstrip("/")).expanduser().stem
    return "".join(
        sign if sign.isalnum() or sign in "._-" else "-" for sign in stem
    ).strip("-.")[:64]
