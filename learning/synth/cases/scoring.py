"""The scorers of drawn pairs: BM25, an encoder on disk, or a table of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from ....engines.cases.importers.cases import CaseFile
from ....sessions.errors import bad_input
from .pair_plan import Scorer
from .presort import read_scores
from .sources import Pair

if TYPE_CHECKING:
    from ...encoders.local import LocalEncoder

BM25 = "bm25"
LOCAL = "local:"
AT_ONCE = 64
"""Cases encoded together."""

Progress = Callable[[int, int], None]
"""Called with the number of encoded cases and of all cases."""


def scorer_of(
    presort: str, progress: Progress = lambda done, every: None
) -> Scorer | None:
    """Returns the scorer; None for BM25.

    Raises: BadInput if the file is not a table of scores, or an encoder cannot be
    opened.
    """
    if presort == BM25:
        return None
    if presort.startswith(LOCAL):
        from ...encoders.opening import open_encoder

        return by_encoder(open_encoder(presort.removeprefix(LOCAL)), progress)
    known = read_scores(Path(presort))

    def look(
        pairs: Sequence[Pair], cases: Mapping[str, CaseFile]
    ) -> list[float | None]:
        found = [known.get(pair) for pair in pairs]
        if all(one is None for one in found):
            raise bad_input("wrong.synth_cases.no_score", path=presort)
        return found

    return look


def by_encoder(
    encoder: LocalEncoder, progress: Progress = lambda done, every: None
) -> Scorer:
    """Scores pairs by the blocks of both cases. Each case is encoded once; vectors are
    kept on disk in half precision.
    """

    def score(pairs: Sequence[Pair], cases: Mapping[str, CaseFile]) -> list[float]:
        import numpy

        names = sorted({name for pair in pairs for name in pair})
        ends = [0]
        with TemporaryFile() as file:
            for at in range(0, len(names), AT_ONCE):
                for blocks in encoder.encode(
                    [cases[name].text for name in names[at : at + AT_ONCE]]
                ):
                    file.write(blocks.astype("float16").tobytes())
                    ends.append(ends[-1] + len(blocks))
                progress(min(at + AT_ONCE, len(names)), len(names))
            file.flush()
            every = numpy.memmap(
                file, dtype="float16", mode="r", shape=(ends[-1], encoder.size)
            )
            place = {
                name: slice(ends[at], ends[at + 1]) for at, name in enumerate(names)
            }
            made = [0.0] * len(pairs)
            order = sorted(range(len(pairs)), key=lambda at: pairs[at])
            for query, found in groupby(order, lambda at: pairs[at][0]):
                asked = every[place[query]].astype("float32")
                for at in found:
                    made[at] = encoder.score(
                        asked, every[place[pairs[at][1]]].astype("float32")
                    )
            del every
        return made

    return score
