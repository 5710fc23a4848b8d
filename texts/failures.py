"""Sentences about failed calls, waits and remarks, in the user's language.

A sink cleans or escapes them.

A session keeps an English sentence. In another language a text tells what kind of thing
happened, and the kept sentence stays for the details, such as the provider's own words.
"""

from __future__ import annotations

import re
from typing import Protocol

from . import has, language, t
from .roles import BUILT_IN

_VARIABLE = re.compile(r"(?:check|set) ([A-Z][A-Z\d_].*?) in the environment")
"""Where a kept sentence names the variable of the key."""


class Explained(Protocol):
    """A `Failure`, a `Waiting` or a `Remark`; `about` and `seconds` tell them apart."""

    @property
    def role(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def model(self) -> str: ...


def said(what: Explained) -> str:
    """What happened and, where something can be done, what to do.

    A kind that this version does not know keeps its own sentence.
    """
    if what.kind == "limit":
        return t("remark.limit", model=_model(what))
    if language() == "en" and what.message:
        return what.message
    kind, about = what.kind.replace("-", "_"), getattr(what, "about", None)
    if hasattr(what, "attempt"):
        return t("remark.waiting", model=_model(what), why=kind_name(what.kind))
    key = f"failure.{kind}_say" if about is None else f"remark.{kind}"
    if has(key):
        variable = _VARIABLE.search(what.message)
        names = variable[1] if variable else t("failure.key_variable")
        return t(key, model=_model(what), about=about, names=names)
    return what.message


def original(what: Explained) -> str:
    """The kept sentence where `said` tells another one, else nothing."""
    if said(what) == what.message:
        return ""
    return what.message


def kind_name(kind: str) -> str:
    """What went wrong, in two or three words.

    A kind that this version does not know is called by its id.
    """
    key = f"failure.{kind.replace('-', '_')}"
    if has(key):
        return t(key)
    return kind


def _model(what: Explained) -> str:
    if what.model in BUILT_IN:
        return t(f"model.{what.model}")
    return what.model or t(
        "remark.the_retriever" if what.role == "retriever" else "remark.the_model"
    )
