"""How the ranker is audited: by correctness, in an order that is set."""

from __future__ import annotations

from itertools import count
from typing import Any

from ...sessions.events.rank import Ranking
from ...sessions.session import Session
from ..judges.flips import Verdict
from ..judges.items import AuditItem
from ..judges.probes import ProbedItem
from ..judges.seats import JudgingSeat, called, last
from ..metrics.shown_order import shown_order
from .plan import CRITERIA, RANKER

CRITERION = "correctness"


def _answers(item: AuditItem) -> dict[str, Any]:
    given = item.fields
    return {name: given[name] for name in ("question", "answers")} | {
        "accepted": given.get("accepted")
    }


def _seeded(item: AuditItem, shown: ProbedItem) -> dict[str, object]:
    """The seed that shows the answers in the order of the item as it is, or in the
    opposite one: else the order by chance would change with every text.
    """
    wanted = _shown(item, 0)
    wanted = wanted[::-1] if shown.turned else wanted
    return {"seed": next(n for n in count() if _shown(shown.item, n) == wanted)}


def _shown(item: AuditItem, seed: int) -> list[str]:
    texts = {one["name"]: one["text"] for one in item.fields["answers"]}
    return shown_order(texts, seed, item.fields["question"].strip(), CRITERION)


def _ranked(item: AuditItem, session: Session) -> Verdict:
    """Right where the best answer stands alone at the top."""
    said = last(session, Ranking)
    if said is None or not said.order:
        return "unread"
    first = said.order[0]
    if not isinstance(first, str):
        return "undecided" if item.fields["best"] in first else "wrong"
    return called(first == item.fields["best"])


def _planted(item: AuditItem, good: bool) -> dict[str, object]:
    """Full marks for all but the best answer."""
    return {
        f"answer{n}": float(one["name"] != item.fields["best"])
        for n, one in enumerate(item.fields["answers"], 1)
    }


SEATS = {
    "ranker": JudgingSeat(
        RANKER,
        "rank",
        "questions",
        _answers,
        _ranked,
        _planted,
        {"without": [name for name in CRITERIA if name != CRITERION]},
        options=_seeded,
        certifies=CRITERION,
    )
}
