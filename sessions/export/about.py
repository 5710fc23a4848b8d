"""The facts about a whole session in documents: settings, origin, cost."""

from __future__ import annotations

from ...texts import has, t
from ...texts.amounts import cost, money, tokens
from ..session import Header, Totals
from .block import changed_name, changed_value


def settings_facts(settings: dict[str, object]) -> list[tuple[str, str]]:
    """Settings as pairs of name and text; those without a value are left out."""
    return [
        (changed_name(f"settings.{name}"), _setting(name, value))
        for name, value in settings.items()
        if value is not None
    ]


def _setting(name: str, value: object) -> str:
    if isinstance(value, dict):
        return t("asked.comma").join(
            f"{_part(key)} {item}" for key, item in value.items()
        )
    return changed_value(f"settings.{name}", value)


def _part(name: str) -> str:
    """A score that a setting bounds, in words; anything else by its id."""
    if has(f"asked.{name}"):
        return t(f"asked.{name}")
    return name


def spent(totals: Totals) -> str:
    """Calls, tokens, cost and seconds in one line; what is unknown is called so.

    What caches had of the input, where one says.
    """
    used = {
        name: tokens(count, totals.estimated)
        for name, count in (("input", totals.input), ("output", totals.output))
    }
    told = t(
        "plain.spent",
        calls=totals.calls,
        cost=cost(totals),
        seconds=f"{totals.seconds:.1f}",
        **used,
    )
    if totals.cached_share is None:
        return told
    told += t("batch.progress_comma") + t(
        "plain.cached", share=f"{totals.cached_share:.0%}"
    )
    return told + (
        t("batch.progress_comma") + t("plain.saved", dollars=money(totals.saved))
        if (totals.saved or 0) > 0
        else ""
    )


def origin(header: Header) -> str:
    """The session that this one was forked from; empty without one."""
    parent = header.parent
    if parent is None:
        return ""
    return t("block.fork", id=parent.id, n=parent.number, why=parent.why)
