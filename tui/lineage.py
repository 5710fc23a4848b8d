"""Where a session comes from, in words."""

from __future__ import annotations

from ..sessions.origin import Origin, origin_of
from ..sessions.session import Seat, Session
from ..texts import has, t
from . import wording
from .showing import clean_line
from .title_columns import fit


def line(session: Session, width: int, parent: str = "") -> str:
    """Returns the line under the title, in at most `width` cells; empty for a session
    that has no parent.

    A fork keeps its parent's title in its header, whatever either is called later; what
    is handed over has a title of its own: there it is called by `parent`, its parent's
    title, and where that is not known by the parent's id. A long title is cut for the
    sake of what follows it.
    """
    origin = origin_of(session)
    if origin is None:
        return ""
    title = clean_line(
        (parent or origin.id) if origin.why == "handover" else session.header.title,
    )
    kind = origin.why if has(f"lineage.{origin.why}") else "fork"
    rest = t(f"lineage.{kind}", title="", n=origin.number) + _more(origin)
    room = max(width - len(rest), 12)
    shown = fit(title, room).rstrip()
    return fit(
        t(f"lineage.{kind}", title=shown, n=origin.number) + _more(origin), width
    ).rstrip()


def short(origin: Origin) -> str:
    """Returns what changed against the parent, where there is little room: `at 4 ·
    edited A`.
    """
    key = f"lineage.short_{origin.why}"
    return (
        t(key if has(key) else "lineage.short_fork", n=origin.number) + _more(origin)
    ).strip()


def _more(origin: Origin) -> str:
    """What was done in the session's own part, each after a dot."""
    done = []
    if has(f"lineage.did_{origin.why}"):
        done.append(
            t(
                f"lineage.did_{origin.why}",
                who=wording.letter(origin.role) if origin.role else "",
            ).strip()
        )
    for field, new in origin.changed.items():
        done.append(f"{wording.changed_name(field)} {_value(field, new)}")
    return "".join(f" · {each}" for each in done)


def _value(field: str, new: object) -> str:
    """A level as its number, a seat as the model in one word, anything else in
    words.
    """
    if isinstance(new, int) and not isinstance(new, bool):
        return str(new)
    if isinstance(new, dict) and isinstance(new.get("model"), str):
        return wording.short_name(Seat(model=new["model"], name=new.get("name")))
    return wording.changed(field, new)
