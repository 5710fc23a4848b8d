"""`CARD.md`: what an encoder is, what it was made of, and its figures.

In English, as all that files keep.
"""

from __future__ import annotations

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
    told = recipe.training
    options = told["options"]
    blocks = (
        f"cut into blocks of {recipe.chunk} tokens, {recipe.stride} from the "
        f"beginning of one to that of the next"
    )
    cut = blocks if recipe.stride else f"its first {recipe.chunk} tokens"
    low, high = told["low"], told["high"]
    between = (
        f" (95 % {low:.4f} to {high:.4f}, over queries)" if low is not None else ""
    )
    helped = told["best"] > told["before"]
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
        "## Figures",
        "",
        f"nDCG@30 on {told['queries']} queries of `{options['validation']}`, with "
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
        *(
            f"| {one['step']} | {one['epoch']:.2f} | "
            f"{'–' if one['loss'] is None else format(one['loss'], '.4f')} | "
            f"{one['ndcg']:.4f} |"
            for one in told["figures"]
        ),
        "",
        "## What it was made of",
        "",
        f"- begun with: {_code(recipe.base)}",
        f"- pairs: {len(examples.pairs)} of the sets "
        f"{', '.join(map(_code, options['sets']))}"
        + (
            f"; {examples.twice} stood in an earlier set already"
            if examples.twice
            else ""
        ),
        f"- loss: {options['loss']}"
        + (
            f", near from level {options['relevant']}"
            if options["loss"] == "contrastive"
            else ", over all levels"
        )
        + f"; at most {options['blocks']} blocks of a text in a step, spread evenly "
        f"over it",
        f"- AdamW, learning rate {options['rate']:g}, warm-up "
        f"{options['warmup']:g}, batches of {options['batch']} pairs, at most"
        f" {options['epochs']} epochs, patience {options['patience']}, seed "
        f"{recipe.seed}",
        *(f"- {remark}" for remark in recipe.remarks),
        f"- made {told['made']} with "
        + ", ".join(f"{name} {number}" for name, number in recipe.versions.items()),
        "",
        "| file | SHA-256 |",
        "|---|---|",
        *(
            f"| {_code(name)} | `{digest}` |"
            for name, digest in recipe.trained_on.items()
        ),
        "",
    ]
    return "\n".join(lines)


def _code(text: str) -> str:
    return "`" + text.replace("`", "'").replace("\n", " ").replace("|", "/") + "`"
