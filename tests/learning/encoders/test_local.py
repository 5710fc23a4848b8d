"""An encoder from random weights: the same for the same seed, as it was when it is read
again, block by block.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from verifytui.learning.encoders.folder import digest
from verifytui.learning.encoders.local import load
from verifytui.learning.encoders.opening import open_encoder
from verifytui.sessions.errors import BadInput

pytestmark = pytest.mark.train

TEXTS = [
    "The accused climbed through the window and took a ring. " * 12,
    "被告人从窗户爬入室内，盗走一枚戒指。" * 12,
    "a ring",
    "",
]


def test_a_new_encoder_is_the_same_for_the_same_seed_and_as_it_was_when_read_again(
    tmp_path: Path,
) -> None:
    from verifytui.learning.encoders.local import new

    for seed, name in ((3, "first"), (3, "again"), (4, "other")):
        new(TEXTS, chunk=64, stride=32, seed=seed).save(tmp_path / name)
    assert (
        digest(tmp_path / "first")
        == digest(tmp_path / "again")
        != digest(tmp_path / "other")
    )
    made, loaded = (
        new(TEXTS, chunk=64, stride=32, seed=3),
        open_encoder(f"local:{tmp_path / 'first'}"),
    )
    assert loaded.recipe == made.recipe
    for one, other in zip(made.encode(TEXTS), loaded.encode(TEXTS), strict=True):
        assert np.allclose(one, other, atol=1e-6)
        assert one.shape[1] == loaded.size == 128
        assert np.allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)
    assert np.linalg.norm(loaded.embed(TEXTS[0])) == pytest.approx(1, abs=1e-5)
    assert load(str(tmp_path / "first"), chunk=32).recipe.stride == 16
    with pytest.raises(BadInput, match="leaves gaps between blocks"):
        load(str(tmp_path / "first"), stride=63)
    with pytest.raises(BadInput, match="tokens exceed the 64 that the model takes"):
        load(str(tmp_path / "first"), chunk=65)


def test_blocks_cover_a_text_and_the_nearest_two_make_the_score() -> None:
    from verifytui.learning.encoders.local import new

    encoder = new(TEXTS, chunk=64, stride=32)
    assert encoder.tokenizer.tokenize("盗走 Ring") == ["盗", "走", "ring"]
    assert (
        encoder.blocks("[SEP]")[0].count(encoder.tokenizer.sep_token_id) == 1
    )  # what a text says is no mark of the model
    for text in TEXTS:
        whole, blocks = (
            encoder.tokenizer(text, add_special_tokens=False)["input_ids"],
            [block[1:-1] for block in encoder.blocks(text)],
        )
        assert all(
            whole[32 * at : 32 * at + 62] == block for at, block in enumerate(blocks)
        )
        assert [number for block in blocks[:-1] for number in block[:32]] + blocks[
            -1
        ] == whole
    first, second = encoder.encode(TEXTS[:2])
    assert encoder.score(first, second) == pytest.approx(
        max(float(one @ other) for one in first for other in second), abs=1e-6
    )
    encoder.recipe.stride = 0
    assert [len(encoder.blocks(text)) for text in TEXTS] == [1, 1, 1, 1]


def test_what_is_no_encoder_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no encoder in"):
        open_encoder(str(tmp_path / "none"))
    with pytest.raises(BadInput, match="cannot be loaded as an encoder"):
        open_encoder(str(tmp_path))


def test_an_encoder_without_its_words_is_none(tmp_path: Path) -> None:
    """transformers loads it with an empty tokeniser, to which all texts look alike."""
    from verifytui.learning.encoders.local import new

    new(TEXTS, layers=1, width=32, chunk=32, stride=16).save(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    with pytest.raises(BadInput, match="has an empty vocabulary"):
        open_encoder(str(tmp_path))
