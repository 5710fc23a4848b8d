"""A study as its file says it: `verifytui-study/1`.

What the methods declare is not asked here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ...sessions.errors import BadInput
from ...sessions.files import read_text
from ...sessions.load import check_depth
from ...texts import t
from ..models.closest import with_closest
from .items import StudyItems, items_spec

FORMAT = "verifytui-study/1"
BUILTIN = Path(__file__).parent / "builtin"
LARGEST = 1_000_000
"""Most characters of a study's file."""
TESTS = ("default", "permutation", "paired-bootstrap", "mcnemar")
CORRECTIONS = ("holm", "none")
STATES = ("right", "wrong", "undecided", "unread", "failed", "empty")


@dataclass(frozen=True)
class Against:
    """`compare`: with which condition the others are compared, and how."""

    to: str | None = None
    """None: the first condition."""
    test: str = "default"
    """`default`: exact McNemar for right and wrong, paired permutation else."""
    correct: str = "holm"
    margin: float = 0.02


@dataclass(frozen=True)
class Paper:
    """`paper`: figures that somebody published, shown beside the measured ones and
    never mixed with them.
    """

    source: str = ""
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Condition → measure → figure."""


@dataclass(frozen=True)
class PlotSpec:
    """`plot`: what is drawn."""

    kind: str = "bar"
    x: str = "condition"
    """A key of the grid, `condition` or `round`."""
    y: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A study."""

    name: str
    title: str
    items: StudyItems
    base: Mapping[str, Any]
    grid: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """Key → the name of a value, as a cell has it → the options that it sets."""
    conditions: Mapping[str, Mapping[str, Any]]
    repeats: int
    measures: tuple[Any, ...]
    """Names, or objects with `external` or `judge`."""
    by: tuple[str, ...]
    against: Against
    plot: PlotSpec | None
    where: Mapping[str, tuple[str, ...]]
    """Condition → the states, of its first measure, of the items that the others are
    given.
    """
    paper: Paper
    budget_usd: float | None
    budget_tokens: int | None
    text: str = ""
    """The file as it was read."""
    folder: Path = Path()
    """The folder that the files of items are relative to."""


def builtin_names() -> list[str]:
    """The studies that come along."""
    return sorted(path.stem for path in BUILTIN.glob("*.yaml"))


def find_study(name: str, data: Path | None = None) -> Study:
    """The study of this name or in this file.

    `data`: the folder of its files of items, or the file itself; a built-in one has the
    working folder's.

    Raises: BadInput.
    """
    if data is not None and data.is_file():
        found = find_study(name, data.parent)
        if len(found.items.files) > 1:
            raise BadInput(
                t("wrong.study.one_file", n=len(found.items.files), path=data)
            )
        return replace(found, items=replace(found.items, files=(data.name,)))
    path = Path(name)
    if path.suffix not in (".yaml", ".yml") and "/" not in name:
        path = BUILTIN / f"{name}.yaml"
        if not path.is_file():
            known = builtin_names()
            why = t("wrong.study.none", name=name, names=", ".join(known))
            raise BadInput(with_closest(why, name, known))
        return read_study(path, data or Path())
    return read_study(path, data or path.parent)


def read_study(path: Path, folder: Path) -> Study:
    """The study in this file; its items' files are relative to `folder`.

    Raises: BadInput, which names the file.
    """
    text = read_text(path)
    try:
        return study_of(text, folder)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def study_of(text: str, folder: Path = Path()) -> Study:
    """The study that a text says. Raises: BadInput."""
    data = _parsed(text)
    known = (
        "format",
        *(
            one.name
            for one in fields(Study)
            if one.name
            not in ("text", "folder", "against", "budget_usd", "budget_tokens")
        ),
    )
    known = (*known, "compare", "budget")
    for key in data:
        if key not in known:
            raise BadInput(t("wrong.study.key", key=key, names=", ".join(known)))
    name = data.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise BadInput(t("wrong.study.name"))
    usd, tokens = _budget(data.get("budget"))
    measures = _list(data, "measures", needed=True)
    grid = _grid(data.get("grid"))
    conditions = _options_by_name(data, "conditions")
    return Study(
        name=name,
        title=str(data.get("title") or name),
        items=items_spec(data.get("items")),
        base=_mapping(data, "base"),
        grid=grid,
        conditions=conditions,
        repeats=_repeats(data.get("repeats", 1)),
        measures=tuple(measures),
        by=tuple(map(str, _list(data, "by"))) or ("condition",),
        against=_against(_mapping(data, "compare")),
        plot=_plot(data.get("plot")),
        where=_where(_mapping(data, "where")),
        paper=_paper(_mapping(data, "paper")),
        budget_usd=usd,
        budget_tokens=tokens,
        text=text,
        folder=folder,
    )


def _parsed(text: str) -> Mapping[str, Any]:
    import yaml

    if len(text) > LARGEST:
        raise BadInput(t("wrong.study.long", n=len(text), most=LARGEST))
    try:
        check_depth(text.encode("utf-8", "surrogatepass"))
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else t("wrong.study.at_line", line=mark.line + 1)
        raise BadInput(
            t(
                "wrong.study.no_yaml",
                line=line,
                why=getattr(error, "problem", None) or type(error).__name__,
            )
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadInput(t("wrong.study.format", format=FORMAT))
    return data


def _mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise BadInput(t("wrong.study.mapping", key=key))
    return value


def _list(data: Mapping[str, Any], key: str, *, needed: bool = False) -> list[Any]:
    value = data.get(key)
    value = [] if value is None else value if isinstance(value, list) else [value]
    if (needed and not value) or not all(isinstance(one, str | dict) for one in value):
        raise BadInput(t("wrong.study.list", key=key))
    return value


def _options_by_name(
    data: Mapping[str, Any], key: str
) -> Mapping[str, Mapping[str, Any]]:
    listed = _mapping(data, key)
    for name, options in listed.items():
        if not name.strip() or not name.isprintable() or len(name) > 200:
            raise BadInput(t("wrong.study.condition_name", name=name))
        if options is not None and not isinstance(options, dict):
            raise BadInput(t("wrong.study.mapping", key=f"{key}: {name}"))
    return {name: dict(options or {}) for name, options in listed.items()}


def _grid(data: Any) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """`level: [0, 1]`: one option at several values.

    `sides: {same: {…}, strong: {…}}`: several options at once, under a name.
    """
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadInput(t("wrong.study.mapping", key="grid"))
    grid: dict[str, Mapping[str, Mapping[str, Any]]] = {}
    for key, values in data.items():
        if (
            isinstance(values, dict)
            and values
            and all(isinstance(one, dict) for one in values.values())
        ):
            grid[str(key)] = {
                _value_name(name): dict(options) for name, options in values.items()
            }
        elif isinstance(values, list) and values:
            grid[str(key)] = {_value_name(value): {str(key): value} for value in values}
            if len(grid[str(key)]) < len(values):
                raise BadInput(t("wrong.study.grid_twice", key=key))
        else:
            raise BadInput(t("wrong.study.grid", key=key))
    return grid


def _value_name(value: Any) -> str:
    """A value as the name of a cell has it: `2`, `true`, `*:a+judge:b`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "+".join(f"{name}:{_value_name(one)}" for name, one in value.items())
    if isinstance(value, list):
        return "+".join(map(_value_name, value))
    text = "null" if value is None else " ".join(str(value).split())
    if not text or not text.isprintable() or len(text) > 120:
        raise BadInput(t("wrong.study.condition_name", name=text))
    return text


def _repeats(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1000:
        raise BadInput(t("wrong.study.repeats"))
    return value


def _budget(value: Any) -> tuple[float | None, int | None]:
    if value is None:
        return None, None
    if (
        not isinstance(value, dict)
        or set(value) - {"usd", "tokens"}
        or not all(_positive(one) for one in value.values())
    ):
        raise BadInput(t("wrong.study.budget"))
    tokens = value.get("tokens")
    return value.get("usd"), None if tokens is None else int(tokens)


def _against(data: Mapping[str, Any]) -> Against:
    if set(data) - {"to", "test", "correct", "margin"}:
        raise BadInput(t("wrong.study.compare"))
    made = Against(
        data.get("to"),
        data.get("test", "default"),
        data.get("correct", "holm"),
        data.get("margin", 0.02),
    )
    if made.test not in TESTS:
        raise BadInput(
            t("wrong.study.word", key="test", value=made.test, names=", ".join(TESTS))
        )
    if made.correct not in CORRECTIONS:
        raise BadInput(
            t(
                "wrong.study.word",
                key="correct",
                value=made.correct,
                names=", ".join(CORRECTIONS),
            )
        )
    if (
        not _number(made.margin)
        or made.margin < 0
        or not isinstance(made.to, str | None)
    ):
        raise BadInput(t("wrong.study.compare"))
    return made


def _plot(data: Any) -> PlotSpec | None:
    if data is None:
        return None
    if (
        not isinstance(data, dict)
        or set(data) - {"kind", "x", "y"}
        or data.get("kind", "bar") not in ("line", "bar", "heatmap")
    ):
        raise BadInput(t("wrong.study.plot"))
    y = data.get("y", [])
    return PlotSpec(
        str(data.get("kind", "bar")),
        str(data.get("x", "condition")),
        tuple(map(str, y if isinstance(y, list) else [y])),
    )


def _where(data: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    made = {
        name: tuple(map(str, value if isinstance(value, list) else [value]))
        for name, value in data.items()
    }
    for states in made.values():
        for state in states:
            if state not in STATES:
                raise BadInput(
                    t(
                        "wrong.study.word",
                        key="where",
                        value=state,
                        names=", ".join(STATES),
                    )
                )
    return made


def _paper(data: Mapping[str, Any]) -> Paper:
    values = data.get("values") or {}
    right = isinstance(values, dict) and all(
        isinstance(of, dict)
        and all(
            isinstance(measure, str) and _number(value) for measure, value in of.items()
        )
        for of in values.values()
    )
    if set(data) - {"source", "values"} or not right:
        raise BadInput(t("wrong.study.paper"))
    return Paper(
        str(data.get("source", "")), {str(name): of for name, of in values.items()}
    )


def _number(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _positive(value: object) -> bool:
    return _number(value) and value > 0  # type: ignore[operator]
