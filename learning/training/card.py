"""`CARD.md`: describes an encoder, its training data and its figures. In English, like
all files.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..encoders.folder import Recipe
from .examples import Examples

CARD = "CARD.md"
ENDED = {
    "epochs": "all epochs were gone through",
    "patience": "no further measurement was better",
    "hours": "its hours were over",
}


def card(recipe: Recipe, examples: Examples) -> str:
    """The card of a trained encoder, as Markdown."""
    cut = f"its first {recipe.chunk} tokens"
    if recipe.stride:
        cut = (
            f"cut into blocks of {recipe.chunk} tokens, {recipe.stride} from the "
            f"beginning of one to that of the next"
        )
    lines = [
        "# Encoder",
        "",
        f"A bi-encoder. A text is {cut}; the score of two texts is the largest "
        f"cosine of two of their blocks.",
        "",
        "```sh",
        "verifytui train run --encoder DIR --data BEIR -o RUN.trec",
        "verifytui index PATH --name NAME --dense local:DIR",
        "```",
        "",
        *_figures(recipe),
        *_origin(recipe, examples),
        "",
    ]
    return "\n".join(lines)


def _figures(recipe: Recipe) -> list[str]:
    """The quality of the encoder, and the course of its training."""
    told = recipe.training
    low, high = told["low"], told["high"]
    between = ""
    if low is not None:
        between = f" (95 % {low:.4f} to {high:.4f}, over queries)"
    validation = told["options"]["validation"]
    helped = told["best"] > told["before"]
    return [
        "## Figures",
        "",
        f"nDCG@30 on {told['queries']} queries of `{validation}`, with "
        f"levels as gains and ties averaged."
        f" The weights kept are those of step {told['best_step']}: "
        f"{told['best']:.4f}{between}, before training {told['before']:.4f}."
        f" Training ended because {ENDED[told['ended']]}.",
        *([] if helped else ["", "**Training did not help on the validation.**"]),
        "",
        "The step was chosen by this figure, so it is flattered by that: measure "
        "on queries that had no part in it.",
        "",
        "| step | epoch | loss | nDCG@30 |",
        "|---:|---:|---:|---:|",
        f"| 0 | 0 | – | {told['before']:.4f} |",
        *map(_step, told["figures"]),
        "",
    ]


def _step(figure: Mapping[str, float | None]) -> str:
    """A row of the table of measurements."""
    loss = "–" if figure["loss"] is None else f"{figure['loss']:.4f}"
    step, epoch, ndcg = (figure[name] for name in ("step", "epoch", "ndcg"))
    return f"| {step} | {epoch:.2f} | {loss} | {ndcg:.4f} |"


def _origin(recipe: Recipe, examples: Examples) -> list[str]:
    """The training data and options."""
    options = recipe.training["options"]
    near = ", over all levels"
    if options["loss"] == "contrastive":
        near = f", near from level {options['relevant']}"
    twice, models = "", ", ".join(map(_code, recipe.labelled_by))
    if examples.twice:
        twice = f"; {examples.twice} stood in an earlier set already"
    return [
        "## What it was made of",
        "",
        f"- begun with: {_code(recipe.base)}",
        f"- pairs: {len(examples.pairs)} of the sets "
        f"{', '.join(map(_code, options['sets']))}"
        f"{twice}",
        *([f"- levels by: {models}"] if models else []),
        f"- loss: {options['loss']}{near}; at most {options['blocks']} blocks of a "
        f"text in a step, spread evenly over it",
        f"- AdamW, learning rate {options['rate']:g}, warm-up "
        f"{options['warmup']:g}, batches of {options['batch']} pairs, at most"
        f" {options['epochs']} epochs, patience {options['patience']}, seed "
        f"{recipe.seed}",
        *(f"- {remark}" for remark in recipe.remarks),
        f"- made {recipe.training['made']} with "
        + ", ".join(f"{name} {number}" for name, number in recipe.versions.items()),
        "",
        "| file | SHA-256 |",
        "|---|---|",
        *(
            f"| {_code(name)} | `{digest}` |"
            for name, digest in recipe.trained_on.items()
        ),
    ]


def _code(text: str) -> str:
    return "`" + text.replace("`", "'").replace("\n", " ").replace("|", "/") + "`"
