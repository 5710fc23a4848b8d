"""Builds a word-piece vocabulary from texts. Uses neither a network nor torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = 16_000
"""Maximum number of pieces. All characters are included, however many there are."""
TWICE = 2
"""Minimum frequency of a piece of several characters."""


def word_pieces(texts: Sequence[str]) -> Any:
    """Builds a word-piece tokenizer from texts, like BERT's: lower case, without
    accents, each Chinese character a token.

    Returns a `tokenizers.Tokenizer`; the same texts give the same one.
    """
    from tokenizers import decoders, models, processors, trainers

    learner = _tokeniser(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
    # The trainer numbers inner characters in the order of a hash, which differs in
    # each process, and settles ties by number. Given as special tokens they are
    # numbered in our order.
    inner = sorted(
        {
            letter
            for text in texts
            for word in learner.normalizer.normalize_str(text).split()
            for letter in word[1:]
        }
    )
    trainer = trainers.WordPieceTrainer(
        vocab_size=PIECES,
        min_frequency=TWICE,
        special_tokens=[*SPECIAL, *(f"##{letter}" for letter in inner)],
        show_progress=False,
    )
    learner.train_from_iterator(texts, trainer)
    words = learner.get_vocab(with_added_tokens=True)
    unknown = "[UNK]"
    made = _tokeniser(
        models.WordPiece(vocab=words, unk_token=unknown, max_input_chars_per_word=100)
    )
    made.add_special_tokens(SPECIAL)
    made.decoder = decoders.WordPiece()
    marks = [(name, words[name]) for name in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=marks,
    )
    return made


def _tokeniser(model: Any) -> Any:
    """Splits text into words as BERT does, and words with this model."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers

    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer
