"""An encoder that runs in this process. The only file of this package that imports
torch, on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...sessions.clean import clean
from ...sessions.errors import bad_input
from .folder import CHUNK, FORMAT, STRIDE, Recipe, read_recipe, versions, write_recipe
from .port import Progress, score, whole
from .vocabulary import SPECIAL, word_pieces

if TYPE_CHECKING:
    from .port import Matrix, Vector

REMARK = "word pieces of the training texts, lower case; a Chinese character is a token"
"""Note in the recipe of a vocabulary that was built here."""
AT_ONCE = 32
"""Blocks per forward pass."""


class LocalEncoder:
    """A sentence-transformers model with the recipe for cutting texts into blocks."""

    def __init__(self, model: Any, recipe: Recipe) -> None:
        self.model = model
        self.recipe = recipe
        self.tokenizer = model.tokenizer
        self._own = self.tokenizer.num_special_tokens_to_add()

    @property
    def size(self) -> int:
        """Dimensions of a vector."""
        return int(self.model.get_embedding_dimension())

    @property
    def parameters(self) -> int:
        """Number of trainable parameters."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    def encode(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> list[Matrix]:
        """Returns the blocks of each text, in order: matrices of shape (blocks, size),
        float32, with rows of length 1. A text has at least one block.
        """
        import numpy as np
        import torch

        cut = [self.blocks(text) for text in texts]
        every = [block for blocks in cut for block in blocks]
        order = sorted(range(len(every)), key=lambda place: len(every[place]))
        made = np.zeros((len(every), self.size), dtype=np.float32)
        training = self.model.training
        self.model.eval()
        try:
            with torch.inference_mode():
                for at in range(0, len(order), AT_ONCE):
                    places = order[at : at + AT_ONCE]
                    made[places] = (
                        self.vectors([every[place] for place in places])
                        .float()
                        .cpu()
                        .numpy()
                    )
                    if progress is not None:
                        progress(at + len(places), len(order))
        finally:
            self.model.train(training)
        ends = np.cumsum([len(blocks) for blocks in cut])
        return [
            made[end - len(blocks) : end] for end, blocks in zip(ends, cut, strict=True)
        ]

    def score(self, query: Matrix, document: Matrix) -> float:
        """The largest dot product of two blocks, from -1 to 1."""
        return score(query, document)

    def embed(self, text: str) -> Vector:
        """One vector of length 1 for a text: the normalized mean of its blocks."""
        return whole(self.encode([text])[0])

    def blocks(self, text: str) -> list[list[int]]:
        """Token ids of a text's blocks. Each block starts `stride` tokens after the
        previous one; the last one ends with the text.
        """
        room = self.recipe.chunk - self._own
        found = self.tokenizer(
            text,
            truncation=True,
            max_length=self.recipe.chunk,
            stride=max(0, min(room - 1, room - self.recipe.stride))
            if self.recipe.stride
            else 0,
            return_overflowing_tokens=bool(self.recipe.stride),
            split_special_tokens=True,  # a text that says [SEP] only says so
        )["input_ids"]
        if self.recipe.stride:
            return [list(block) for block in found]
        return [list(found)]

    def vectors(self, blocks: Sequence[Sequence[int]]) -> Any:
        """Encodes blocks of token ids as a tensor on the model's device, with rows of
        length 1.
        """
        import torch

        longest = max(map(len, blocks))
        nothing = self.tokenizer.pad_token_id or 0
        numbers = torch.full((len(blocks), longest), nothing, dtype=torch.long)
        seen = torch.zeros((len(blocks), longest), dtype=torch.long)
        for row, block in enumerate(blocks):
            numbers[row, : len(block)] = torch.tensor(block)
            seen[row, : len(block)] = 1
        device = next(self.model.parameters()).device
        made = self.model(
            {"input_ids": numbers.to(device), "attention_mask": seen.to(device)}
        )["sentence_embedding"]
        return torch.nn.functional.normalize(made, dim=-1)

    def is_cut(self, text: str) -> bool:
        """Whether the end of a text is in no block."""
        return (
            not self.recipe.stride
            and len(
                self.tokenizer(text, truncation=False, split_special_tokens=True)[
                    "input_ids"
                ]
            )
            > self.recipe.chunk
        )

    def save(self, folder: Path) -> None:
        """Writes the model and the recipe to a folder, which is created if needed. The
        recipe is written last and marks the folder as complete.
        """
        self.save_model(folder)
        write_recipe(folder, self.recipe)

    def save_model(self, folder: Path) -> None:
        """Writes only the model, in the format of sentence-transformers."""
        self.model.max_seq_length = self.recipe.chunk
        self.model.save(str(folder), create_model_card=False)


def load(
    name: str,
    chunk: int | None = None,
    stride: int | None = None,
    *,
    first: bool | None = None,
) -> LocalEncoder:
    """Loads the encoder in a folder, or of a name on the hub.

    Never runs code that comes with a model.

    `first`: the vector of a block is that of its first token; false: the mean of its
    tokens; None: as the model defines it. Raises: BadInput if it cannot be loaded, or
    accepts fewer tokens than `chunk`.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir() and (
        name.startswith((".", "/", "~")) or name.count("/") > 1 or folder.exists()
    ):
        raise bad_input("wrong.encoder.no_encoder", folder=name)
    recipe = read_recipe(folder) if folder.is_dir() else None
    from sentence_transformers import SentenceTransformer

    _quiet()
    try:
        model = SentenceTransformer(
            str(folder) if folder.is_dir() else name, trust_remote_code=False
        )
        # some models need more inputs than token ids
        LocalEncoder(model, Recipe(chunk=16, stride=8)).encode(["a"])
    except Exception as error:
        raise bad_input(
            "wrong.encoder.not_loaded", name=name, why=_short(error)
        ) from None
    # transformers makes an empty one where its files are gone
    if _knows_no_word(model.tokenizer):
        raise bad_input("wrong.encoder.no_words", name=name)
    if first is not None:
        for module in model:
            if hasattr(module, "pooling_mode"):
                module.pooling_mode = "cls" if first else "mean"
    return LocalEncoder(model, _recipe(model, recipe, chunk, stride))


def _knows_no_word(tokenizer: Any) -> bool:
    """Whether a tokenizer has only special tokens, so that all texts would look the
    same to it.
    """
    return len(tokenizer) <= len(set(tokenizer.all_special_ids))


def _recipe(
    model: Any, recipe: Recipe | None, chunk: int | None, stride: int | None
) -> Recipe:
    """The block settings: as requested, else as in the folder, else as many tokens as
    the model accepts, at most 256.

    Raises: BadInput.
    """
    most = _most_tokens(model)
    usual = recipe or Recipe(
        chunk=min(CHUNK, most),
        stride=min(STRIDE, most // 2),
        max_seq=most,
        versions=versions(),
    )
    if chunk is not None:
        usual.chunk, usual.stride = chunk, min(usual.stride, chunk // 2)
    if stride is not None:
        usual.stride = stride
    if usual.chunk > most:
        raise bad_input("wrong.encoder.too_long", chunk=usual.chunk, most=most)
    room = usual.chunk - model.tokenizer.num_special_tokens_to_add()
    if usual.stride > room:
        raise bad_input(
            "wrong.encoder.gaps", chunk=usual.chunk, stride=usual.stride, most=room
        )
    return usual


def _most_tokens(model: Any) -> int:
    """Maximum number of tokens, from the model's positions or its tokenizer."""
    positions = getattr(getattr(model[0], "auto_model", None), "config", None)
    found = [
        getattr(positions, "max_position_embeddings", None),
        model.tokenizer.model_max_length,
    ]
    return min(
        [int(one) for one in found if one and 0 < one < 10**6]
        or [int(model.max_seq_length or CHUNK)]
    )


def new(
    texts: Iterable[str],
    *,
    layers: int = 2,
    width: int = 128,
    chunk: int = CHUNK,
    stride: int = STRIDE,
    first: bool = False,
    seed: int = 0,
) -> LocalEncoder:
    """Builds a small BERT with random weights and a vocabulary from these texts.

    The same texts and seed give the same weights. Uses no network. `width`: dimensions
    of a vector, a multiple of 32, because heads are 32 wide. `first`: the vector of a
    block is that of its first token.
    """
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import (
        Normalize,
        Pooling,
        Transformer,
    )

    _quiet()
    tokenizer = _tokenizer(texts, chunk)
    shape = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=max(1, width // 32),
        intermediate_size=4 * width,
        max_position_embeddings=chunk,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        bert = transformers.BertModel(shape)
    model = SentenceTransformer(
        modules=[
            _transformer(Transformer, bert, tokenizer, chunk),
            Pooling(width, "cls" if first else "mean"),
            Normalize(),
        ]
    )
    recipe = Recipe(
        format=FORMAT,
        chunk=chunk,
        stride=stride,
        max_seq=chunk,
        remarks=[REMARK],
        base="new",
        seed=seed,
        versions=versions(),
    )
    return LocalEncoder(model, recipe)


def _tokenizer(texts: Iterable[str], chunk: int) -> Any:
    """A tokenizer with a vocabulary built from these texts."""
    import transformers

    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=word_pieces(list(texts)),
        model_max_length=chunk,
        **dict(zip(names, SPECIAL, strict=True)),
    )


def _transformer(kind: Any, bert: Any, tokenizer: Any, chunk: int) -> Any:
    """Wraps a model in memory as a module, because sentence-transformers only loads
    modules from folders.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="verifytui-new-") as folder:
        bert.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return kind(folder, max_seq_length=chunk)


def _quiet() -> None:
    """Silences the libraries: errors and progress are reported by VerifyTUI."""
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def _short(error: BaseException) -> str:
    """The message of a library's error, in one line."""
    lines = [line.strip() for line in clean(str(error)).splitlines() if line.strip()]
    said = lines[0] if lines else type(error).__name__
    if len(said) <= 240:
        return said
    return f"{said[:240]}…"
