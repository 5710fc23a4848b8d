"""Limits what a template can do: a session carries its templates, and a session may
come from anyone.

Jinja2's sandbox keeps a template from reaching into Python, but not from filling the
memory (`'a' * 10**9`) or from running for ever (loops in loops). So a template may
choose between texts, put values in, go through a list and count; nothing that can make
much of little.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from ..texts import t

LONGEST = 100_000_000
"""Most characters that one template may generate: more than a whole session has."""

FAULTS = (
    TemplateError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
)
"""What a faulty template raises when it is compiled or rendered."""

_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If,
    nodes.CondExpr, nodes.For, nodes.Compare, nodes.Operand, nodes.And, nodes.Or,
    nodes.Not, nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter, nodes.Test,
    nodes.Add, nodes.Sub, nodes.Neg,
)  # fmt: skip
_FILTERS = frozenset(
    [
        "join",
        "length",
        "count",
        "first",
        "last",
        "trim",
        "upper",
        "lower",
        "capitalize",
        "title",
        "default",
        "d",
        "string",
    ]
)


class Environment(SandboxedEnvironment):
    """Jinja2 in its sandbox, strict, and only as far as `check` and `whole` allow."""

    intercepted_binops = frozenset({"+", "-"})

    def __init__(self) -> None:
        # Autoescape stays off: the texts go to models, where `&lt;` would be a change
        # of what was said.
        super().__init__(
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )
        self.globals.clear()  # functions, which a template may not call
        self.filters["join"] = _join

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if not (isinstance(left, int) and isinstance(right, int)):
            raise SecurityError(t("wrong.prompts.numbers", operator=operator))
        return super().call_binop(context, operator, left, right)


def check(tree: nodes.Template) -> None:
    """Checks a template.

    Raises: TemplateSyntaxError for anything that is not allowed.
    """
    for node in tree.find_all(nodes.Node):
        name = type(node).__name__.lower()
        if not isinstance(node, _NODES):
            raise TemplateSyntaxError(
                t("wrong.prompts.not_allowed", name=name), node.lineno
            )
        if isinstance(node, nodes.Filter) and node.name not in _FILTERS:
            raise TemplateSyntaxError(
                t("wrong.prompts.filter", name=node.name), node.lineno
            )
        if isinstance(node, nodes.For) and (
            node.recursive or any(node.find_all(nodes.For))
        ):
            raise TemplateSyntaxError(t("wrong.prompts.loop"), node.lineno)


def whole(pieces: Iterable[str]) -> str:
    """The text that a template generates.

    Raises: ValueError if it grows too long.
    """
    made = []
    length = 0
    for piece in pieces:
        made.append(piece)
        length += len(piece)
        if length > LONGEST:
            raise ValueError(f"it becomes longer than {LONGEST:,} characters")
    return "".join(made)


def _join(values: Iterable[object], between: str = "") -> str:
    parts = [str(value) for value in values]
    if len(parts) * len(str(between)) > LONGEST:
        raise ValueError("it joins too much")
    return str(between).join(parts)
