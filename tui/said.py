"""What models and retrievers report on the way, as sentences in the user's language, for the screen and the command line.

A session keeps an English sentence. In another language the kind of what happened is told instead, and the kept sentence stays the
place for details, such as the provider's own words.
"""

from __future__ import annotations

from ..engines.models.lineup import BUILTINS
from ..engines.models.port import Remark, Waiting
from ..sessions.clean import clean
from ..sessions.events import Failure
from .texts import language, t


def said(what: Failure | Waiting | Remark) -> str:
    """What happened and, where something can be done, what to do. Kinds of a newer version as they were stored."""
    kept = clean(what.message, newlines=False)
    if language() == "en" and kept:
        return kept
    try:
        if isinstance(what, Remark):
            key = f"remark.{what.kind.replace('-', '_')}"
            return t(key, model=_model(what), about=clean(what.about, newlines=False))
        if isinstance(what, Waiting):
            return t("remark.waiting", model=_model(what), why=kind_name(what.kind))
        return t(f"failure.{what.kind.replace('-', '_')}_say", model=_model(what))
    except KeyError:
        return kept


def original(event: Failure) -> str:
    """The stored sentence where `said` is another one, else nothing."""
    kept = clean(event.message)
    return "" if said(event) == clean(event.message, newlines=False) else kept


def kind_name(kind: str) -> str:
    """What went wrong, in two or three words; kinds of a newer version as they are called there."""
    try:
        return t(f"failure.{kind.replace('-', '_')}")
    except KeyError:
        return clean(kind, newlines=False)


def _model(what: Failure | Waiting | Remark) -> str:
    if what.model in BUILTINS:
        return t(f"model.{what.model}")
    return clean(what.model, newlines=False) or t("remark.the_retriever" if what.role == "retriever" else "remark.the_model")
