"""An encoder is trained, stopped, killed and gone on with: what comes out is what an
uninterrupted training gives.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from verifytui.learning.encoders.folder import read_recipe
from verifytui.learning.encoders.opening import open_encoder
from verifytui.learning.training.options import TrainingOptions
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.beir import beir

pytestmark = pytest.mark.train
for package in ("torch", "sentence_transformers"):
    pytest.importorskip(
        package, reason="needs the extra train: pip install 'verifytui[train]'"
    )

THINGS = [
    "ring",
    "horse",
    "boat",
    "letter",
    "gun",
    "dog",
    "car",
    "盗窃",
    "抢劫",
    "诈骗",
]
DOCUMENTS = {
    f"d{at}": f"The case is about a {thing}. "
    + f"They saw the {thing} and took it. " * 12
    for at, thing in enumerate(THINGS)
}
QUERIES = {
    f"q{at}{kind}": f"{word} {thing}"
    for at, thing in enumerate(THINGS)
    for kind, word in (("a", "who took the"), ("b", "saw a"))
}


def levels(kind: str) -> dict[str, dict[str, int]]:
    many = len(THINGS)
    return {
        f"q{at}{kind}": {
            f"d{at}": 3,
            f"d{(at + 1) % many}": 1,
            f"d{(at + 4) % many}": 0,
        }
        for at in range(many)
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return beir(
        tmp_path / "set", DOCUMENTS, QUERIES, train=levels("a"), validation=levels("b")
    )


def training(folder: Path, **more: Any) -> Any:
    from verifytui.learning.training.encoder import Training

    small = {
        "chunk": 32,
        "stride": 16,
        "blocks": 3,
        "layers": 1,
        "width": 32,
        "epochs": 2,
        "batch": 6,
        "every": 2,
        "rate": 1e-3,
    }
    return Training(
        TrainingOptions(**{"data": folder, "start": "new", **small, **more})
    )


def faces(trained: Callable[[Any], None] = lambda step: None) -> Any:
    from verifytui.learning.training.trainer import Faces

    return Faces(trained)


class Killed(Exception):
    """Stands for the end of the process: nothing is tidied up."""


@pytest.mark.parametrize("loss", ["cosent", "contrastive"])
def test_a_killed_training_goes_on_and_comes_to_the_same_weights(
    folder: Path, tmp_path: Path, loss: str
) -> None:
    whole = training(folder, loss=loss).run(tmp_path / "whole", None, faces())

    def kill(step: Any) -> None:
        if step.step == 3:
            raise Killed

    with pytest.raises(Killed):
        training(folder, loss=loss).run(tmp_path / "killed", None, faces(kill))
    assert read_recipe(tmp_path / "killed") is None
    steps: list[int] = []
    again = training(folder, loss=loss).run(
        tmp_path / "killed", None, faces(lambda step: steps.append(step.step))
    )
    assert steps[0] == 2  # the step of the checkpoint
    assert again.figures == whole.figures
    assert (tmp_path / "killed" / "model.safetensors").read_bytes() == (
        tmp_path / "whole" / "model.safetensors"
    ).read_bytes()
    told = training(folder, loss=loss).run(tmp_path / "killed", None, faces())
    assert (told.already, told.best, told.figures) == (True, again.best, again.figures)
    with pytest.raises(BadInput, match="was started with another “epochs”: 2 then, 3"):
        training(folder, loss=loss, epochs=3).run(tmp_path / "killed", None, faces())


def test_training_helps_where_words_tell_and_the_card_has_its_figures(
    folder: Path, tmp_path: Path
) -> None:
    done = training(folder, epochs=8, every=5, patience=100).run(
        tmp_path / "made", None, faces()
    )
    assert done.best > done.before
    assert (done.ended, done.steps) == ("epochs", 40)
    assert not (tmp_path / "made" / "checkpoints").exists()
    card = (tmp_path / "made" / "CARD.md").read_text()
    assert f"| 0 | 0 | – | {done.before:.4f} |" in card
    assert f"of step {done.best_step}: {done.best:.4f}" in card
    encoder = open_encoder(f"local:{tmp_path / 'made'}")
    further = training(
        folder,
        start=str(tmp_path / "made"),
        chunk=None,
        stride=None,
        epochs=1,
        rate=1e-5,
    )
    assert (further.encoder.recipe.chunk, further.encoder.recipe.stride) == (32, 16)
    assert further.run(tmp_path / "further", None, faces()).before == pytest.approx(
        done.best
    )
    (tmp_path / "made" / "training.json").unlink()
    with pytest.raises(BadInput, match=r"is not empty \("):
        training(folder).run(tmp_path / "made", None, faces())
    assert encoder.recipe.trained_on["qrels/train.tsv"]
    from verifytui.learning.training import measuring

    made = training(folder)
    assert measuring.mean(measuring.figures(encoder, made.examples)) == pytest.approx(
        done.best
    )


def test_a_signal_keeps_a_checkpoint_and_patience_ends_early(
    folder: Path, tmp_path: Path
) -> None:
    from verifytui.learning.training.encoder import Interrupted

    def interrupt(step: Any) -> None:
        if step.step == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted) as interrupted:
        training(folder).run(tmp_path / "made", None, faces(interrupt))
    kept = interrupted.value.step
    assert (tmp_path / "made" / "checkpoints" / f"checkpoint-{kept}").is_dir()
    steps: list[int] = []
    training(folder).run(
        tmp_path / "made", None, faces(lambda step: steps.append(step.step))
    )
    assert steps[0] == kept
    late = training(folder).run(tmp_path / "late", 1e-9, faces())
    assert (late.ended, late.steps) == ("hours", 1)
    stuck = training(folder, rate=1e-12, epochs=20, patience=1, warmup=0.0).run(
        tmp_path / "stuck", None, faces()
    )
    assert (stuck.ended, stuck.steps) == ("patience", 4)


def test_losses_by_hand() -> None:
    import math

    import torch
    from verifytui.learning.training.losses import contrastive, cosent

    scores, levels = torch.tensor([0.5, 0.2, 0.4]), torch.tensor([3.0, 0.0, 0.0])
    assert cosent(scores, levels).item() == pytest.approx(
        math.log(1 + math.exp(20 * (0.2 - 0.5)) + math.exp(20 * (0.4 - 0.5))), rel=1e-5
    )
    assert cosent(scores, torch.ones(3)).item() == 0
    table, left_out = (
        torch.tensor([[0.5, 0.4], [0.1, 0.2]]),
        torch.tensor([[False, True], [False, False]]),
    )
    second = -math.log(math.exp(20 * 0.2) / (math.exp(20 * 0.1) + math.exp(20 * 0.2)))
    assert contrastive(table, left_out).item() == pytest.approx(second / 2, rel=1e-4)


def test_the_score_that_is_learnt_from_is_that_of_the_nearest_blocks(
    folder: Path,
) -> None:
    import torch
    from verifytui.learning.training.losses import nearest

    encoder = training(folder).encoder
    encoder.model.eval()
    texts = [list(DOCUMENTS.values())[:2], list(DOCUMENTS.values())[2:4]]
    blocks = [[encoder.blocks(text) for text in side] for side in texts]
    assert min(len(one) for side in blocks for one in side) > 1
    pairs = [(0, 0), (0, 1), (1, 1)]
    with torch.no_grad():
        found = nearest(encoder, *blocks, pairs)
    first, second = encoder.encode(texts[0]), encoder.encode(texts[1])
    assert found.tolist() == pytest.approx(
        [encoder.score(first[one], second[other]) for one, other in pairs], abs=1e-5
    )
