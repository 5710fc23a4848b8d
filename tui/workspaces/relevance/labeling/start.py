"""The start of labelling pair by pair, for an annotator or an adjudicator."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from .....engines.relevance.queue import Queue, queue_of, share_warnings
from .....sessions.annotators import GOLD
from .....sessions.case_pairs import PairAt
from .....sessions.errors import BadInput
from .....sessions.label_assignment import ALL, note
from .....sessions.label_store import LabelStore
from .....sessions.labels import LabelFile
from .....texts import t
from .labelers import Adjudicator, PairLabeler, PairQueue

if TYPE_CHECKING:
    from .....engines.models.config import Config
    from .....sessions.events.labels import Assignment


def labelling(
    path: Path,
    annotator: str,
    assignment: Assignment | None,
    *,
    advance: bool = False,
    assisted: bool = False,
) -> Callable[[Config], PairQueue]:
    """Returns the start of a labelling of a session file or a folder.

    `assignment`: whose pairs; None: as recorded in the person's file. `assisted`: show
    what the machine says of each.
    """

    def begin(_config: Config) -> PairLabeler:
        """Raises: BadInput where there is nothing to label, or the person's file cannot
        be opened.
        """
        store = LabelStore.of_pairs(path, annotator)
        pairs = store.pairs
        counts = assignment
        if store.team is not None:
            counts = store.team.assignment_of(annotator)
        queue = _queue(pairs, annotator, counts, store)  # before anything is written
        warnings = share_warnings(pairs, store, annotator, counts)
        file = LabelFile.open(path, annotator)
        try:
            if counts is not None:
                note(file, counts)
            made = PairLabeler(queue, file, store, advance=advance, assisted=assisted)
            made.warnings = [*store.warnings(), *warnings]
            return made
        except BaseException:
            file.close()
            raise

    return begin


def adjudication(
    path: Path,
    by: str | None,
    without: Collection[str] = (),
    *,
    anonymous: bool = False,
) -> Callable[[Config], PairQueue]:
    """Returns what begins deciding between people.

    `by`: who decides; None: who the configuration or the login says. `without`: people
    who are left out; `anonymous`: letters stand for people's names on the screen.
    """

    def begin(config: Config) -> Adjudicator:
        """Raises: BadInput where people differ nowhere, or the file of decisions cannot
        be opened.
        """
        from ..drafts import annotator

        store = LabelStore.of_pairs(path, without=without)
        file = LabelFile.open(path, GOLD, adjudicator=True)
        try:
            made = Adjudicator(
                store,
                file,
                annotator(config, by),
                advance=True,
                anonymous=anonymous,
            )
            if not made.disputes:
                raise BadInput(t("report.said.no_disputes"))
            return made
        except BaseException:
            file.close()
            raise

    return begin


def _queue(
    pairs: list[PairAt], annotator: str, counts: Assignment | None, store: LabelStore
) -> Queue:
    """Raises: BadInput where none of the pairs is this person's."""
    queue = queue_of(pairs, annotator, store, counts)
    if not len(queue):
        share = counts or store.share_of(annotator) or ALL
        raise BadInput(
            t(
                f"wrong.labels.no_{'team_' if share.people else ''}share",
                annotator=annotator,
                part=share.part,
                total=share.of,
                pairs=len(pairs),
            )
        )
    return queue
