"""Reads and checks what the user writes for a model or a parameter."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from ...sessions.errors import BadInput, Faults, bad_input
from ...texts import t
from ...texts.closest import with_closest
from ...texts.patterns import lazy
from ..settings import is_number

BUILTINS = ("human", "script", "lexical")

LOCAL = "local:"
"""Stands before the folder of an encoder, which embeds and ranks and does not answer.
"""

COMMAND = "command:"
"""Stands before the name of a command of config.yaml, in the model's id of its seat."""

SHORTHANDS = {"turbo": "gpt-3.5-turbo", "gpt4": "gpt-4"}
"""The two names the debate paper uses; a named model of the same name comes first."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


class ParamCheck(NamedTuple):
    """The allowed values of a parameter."""

    holds: Callable[[Any], bool]
    words: Callable[[], str]
    """The same in words, in the user's language."""


def _number(low: float, high: float) -> ParamCheck:
    return ParamCheck(
        lambda value: is_number(value, low, high),
        lambda: t("wrong.lineup.between", low=low, high=high),
    )


def _whole(low: int | None) -> ParamCheck:
    def holds(value: object) -> bool:
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and (low is None or value >= low)
        )

    def words() -> str:
        if low is None:
            return "a whole number"
        return t("wrong.lineup.whole_from", low=low)

    return ParamCheck(holds, words)


def _texts(value: object) -> bool:
    return (isinstance(value, str) and value != "") or (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(x, str) and x for x in value)
    )


PARAMS = {
    "temperature": _number(0, 2),
    "top_p": _number(0, 1),
    "max_tokens": _whole(1),
    "seed": _whole(None),
    "stop": ParamCheck(_texts, lambda: t("wrong.lineup.texts")),
    "presence_penalty": _number(-2, 2),
    "frequency_penalty": _number(-2, 2),
    "reasoning_effort": ParamCheck(
        lambda value: value in EFFORTS,
        lambda: t("wrong.lineup.one_of") + ", ".join(EFFORTS),
    ),
    "timeout": _number(0.001, 86400),
    "stall_timeout": _number(0.001, 86400),
}
"""`timeout` and `stall_timeout` are seconds and are kept by us, not sent.
"""

OURS = ("timeout", "stall_timeout")

_FOREIGN = lazy(
    r"(?i)(key|token\Z|secret|password|authorization|header|api_base|base_url"
    r"|endpoint|organization|proxy)"
)


def is_command(model: str) -> bool:
    """Whether the model of a seat is a command of config.yaml."""
    return model.startswith(COMMAND)


def check_id(text: str) -> None:
    """Checks a model's id.

    Raises: BadInput if it cannot be an id, or if it holds an address, where LiteLLM
    would send the provider's key.
    """
    if text.startswith(LOCAL) and len(text) > len(LOCAL) and text.isprintable():
        return
    if not text or len(text) > 200 or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise bad_input("wrong.lineup.no_model", text=text[:60])
    if "://" in text:
        raise bad_input("wrong.lineup.address", text=text[:60])


def check_params(params: Mapping[str, object], *, free: bool = False) -> None:
    """Refuses unknown parameters and values out of range.

    `free`: a named model may have further ones, sent as they are.
    """
    for name, value in params.items():
        if name in PARAMS:
            check = PARAMS[name]
            if not check.holds(value):
                words = check.words()
                raise bad_input(
                    "wrong.lineup.param_value", name=name, expected=words, value=value
                )
        elif _FOREIGN.search(name):
            raise bad_input("wrong.lineup.secret", name=name)
        elif not free:
            names = ", ".join(PARAMS)
            why = t("wrong.lineup.unknown_param", name=name, names=names)
            raise BadInput(with_closest(why, name, PARAMS))


def parse_params(
    texts: Iterable[str], roles: Collection[str]
) -> dict[str, dict[str, object]]:
    """`ROLE.name=value` texts as role -> name -> value, checked.

    Raises: BadInput, which names every text that cannot be.
    """
    found: dict[str, dict[str, object]] = {}
    faults = Faults()
    for text in texts:
        taken = faults.of(lambda text=text: _param(text, roles))  # type: ignore[misc]
        if taken is not None:
            role, name, value = taken
            found.setdefault(role, {})[name] = value
    faults.refuse()
    return found


def _param(text: str, roles: Collection[str]) -> tuple[str, str, object]:
    """Role, name and value of `ROLE.name=value`. Raises: BadInput."""
    left, equals, value = text.partition("=")
    role, dot, name = left.strip().partition(".")
    if not equals or not dot or not name:
        raise bad_input("wrong.lineup.no_param", text=text[:60])
    if role not in roles:
        names = ", ".join(roles)
        why = t("wrong.lineup.no_role_here", role=role[:60], names=names)
        raise BadInput(with_closest(why, role, roles))
    parsed = _parse(name, value.strip())
    check_params({name: parsed})
    return role, name, parsed


def _parse(name: str, value: str) -> Any:
    if name == "stop":
        import json

        try:
            listed = json.loads(value)
        except ValueError:
            return value
        if isinstance(listed, list):
            return listed
        return value
    if name == "reasoning_effort":
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
