"""A study as its file says it: `verifytui-study/1`.

What the methods declare is not asked here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from ...sessions.errors import BadInput, bad_input
from ...sessions.files import read_text
from ...sessions.load import check_depth
from ...texts import parsed_yaml, t
from ...texts.closest import with_closest
from .items import StudyItems, items_spec

FORMAT = "verifytui-study/1"
BUILTIN = Path(__file__).parent / "builtin"
LARGEST = 1_000_000
"""Most characters of a study's file."""
TESTS = ("default", "permutation", "paired-bootstrap", "mcnemar")
CORRECTIONS = ("holm", "none")
KEYS = (
    *("format", "name", "title", "items", "base", "grid", "conditions", "repeats"),
    *("measures", "by", "plot", "where", "paper", "compare", "budget"),
)
STATES = ("right", "wrong", "undecided", "unread", "failed", "empty")


Made = TypeVar("Made")
Repeats = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e300)]
Finite = Annotated[float, msgspec.Meta(gt=-1e300, lt=1e300)]
Options = Mapping[str, Any]
"""By the names of the command line."""


class StudyEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping in the file of a study."""


class Against(StudyEntry, frozen=True):
    """`compare`: with which condition the others are compared, and how."""

    to: str | None = None
    """None: the first condition."""
    test: str = "default"
    """`default`: exact McNemar for right and wrong, paired permutation else."""
    correct: str = "holm"
    margin: Annotated[float, msgspec.Meta(ge=0, lt=1e300)] = 0.02


PaperValues = Mapping[str, Mapping[str, Finite]]
"""Condition or row → measure → figure."""


class PaperSet(StudyEntry, frozen=True):
    """`paper: sets`: published figures on one data set."""

    values: PaperValues = {}
    other: PaperValues = {}


class Paper(StudyEntry, frozen=True):
    """`paper`: published figures, shown next to the measured ones and never mixed with
    them.
    """

    source: str = ""
    values: PaperValues = {}
    other: PaperValues = {}
    """Those of rows that no condition stands for."""
    sets: Mapping[str, PaperSet] = {}
    """Those of one data set of several."""


class PlotSpec(StudyEntry, frozen=True):
    """`plot`: what is drawn."""

    kind: Literal["line", "bar", "heatmap"] = "bar"
    x: str = "condition"
    """A key of the grid, `condition` or `round`."""
    y: Sequence[str] | str = ()
    """Measures."""

    @property
    def measures(self) -> Sequence[str]:
        if isinstance(self.y, str):
            return (self.y,)
        return self.y


class StudyBudget(StudyEntry, frozen=True):
    """`budget`: what the calls of the study may cost and use together."""

    usd: Positive | None = None
    tokens: Positive | None = None


@dataclass(frozen=True)
class Study:
    """A study."""

    name: str
    title: str
    items: StudyItems
    base: Options
    grid: Mapping[str, Mapping[str, Options]]
    """Key → the name of a value, as a cell has it → the options that it sets."""
    conditions: Mapping[str, Options]
    repeats: int
    measures: tuple[Any, ...]
    """Names, or objects with `external` or `judge`."""
    by: tuple[str, ...]
    against: Against
    plot: PlotSpec
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


SOURCES = ("corpus", "web", "web_pages", "retriever", "references")
"""Options that say where a question looks."""


def searching(study: Study, source: Options) -> Study:
    """The study with these options in place of the source that its base names; as it is
    without any. Raises: BadInput where a condition names a source of its own.
    """
    if not source:
        return study
    cells = [options for key in study.grid.values() for options in key.values()]
    for options in (*study.conditions.values(), *cells):
        own = next((name for name in SOURCES if name in options), None)
        if own is not None:
            raise bad_input("wrong.study.source", name=study.name, option=own)
    base = {name: value for name, value in study.base.items() if name not in SOURCES}
    return replace(study, base=base | dict(source))


def builtin_names() -> list[str]:
    """The studies that are included."""
    return sorted(path.stem for path in BUILTIN.glob("*.yaml"))


RENAMED = {"judge-audit": "judge-preference"}
"""Built-in studies of earlier versions, and what they are called now."""


def find_study(name: str, data: Path | None = None) -> Study:
    """The study of this name or in this file.

    `data`: the folder of its files of items, or the file itself; a built-in one has the
    working folder's.

    Raises: BadInput.
    """
    if data is not None and data.is_file():
        found = find_study(name, data.parent)
        if len(found.items.files) > 1:
            raise bad_input("wrong.study.one_file", n=len(found.items.files), path=data)
        return replace(found, items=replace(found.items, files=(data.name,)))
    path = Path(name)
    if path.suffix not in (".yaml", ".yml") and "/" not in name:
        path = BUILTIN / f"{name}.yaml"
        if name in RENAMED:
            now = RENAMED[name]
            raise bad_input("wrong.study.renamed", name=name, new_name=now)
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


def study_of(text: str, folder: Path) -> Study:
    """The study that a text says. Raises: BadInput."""
    data = _parsed(text)
    for key in data:
        if key not in KEYS:
            raise bad_input("wrong.study.key", key=key, names=", ".join(KEYS))
    name = data.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise bad_input("wrong.study.name")
    budget = _made(StudyBudget, _mapping(data, "budget"), "budget")
    paper = _mapping(data, "paper")
    paper = {
        **paper,
        "source": str(paper.get("source", "")),
        "values": paper.get("values") or {},
    }
    return Study(
        name=name,
        title=str(data.get("title") or name),
        items=items_spec(data.get("items")),
        base=_mapping(data, "base"),
        grid=_grid(data.get("grid")),
        conditions=_conditions(data),
        repeats=_made(Repeats, data.get("repeats", 1), "repeats"),
        measures=tuple(_list(data, "measures", needed=True)),
        by=tuple(map(str, _list(data, "by"))) or ("condition",),
        against=_against(_mapping(data, "compare")),
        plot=_made(PlotSpec, _mapping(data, "plot"), "plot"),
        where=_where(_mapping(data, "where")),
        paper=_made(Paper, paper, "paper"),
        budget_usd=budget.usd,
        budget_tokens=None if budget.tokens is None else int(budget.tokens),
        text=text,
        folder=folder,
    )


def _made(kind: type[Made], value: object, key: str) -> Made:
    """The value of a key as what it stands for. Raises: BadInput."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise bad_input(f"wrong.study.{key}") from None


def _parsed(text: str) -> Mapping[str, object]:
    import yaml

    if len(text) > LARGEST:
        raise bad_input("wrong.study.long", n=len(text), most=LARGEST)
    try:
        check_depth(text.encode("utf-8", "surrogatepass"))
        data = parsed_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else t("wrong.study.at_line", line=mark.line + 1)
        raise bad_input(
            "wrong.study.no_yaml",
            line=line,
            why=getattr(error, "problem", None) or type(error).__name__,
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise bad_input("wrong.study.format", format=FORMAT)
    return data


def _mapping(data: Mapping[str, object], key: str) -> Options:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise bad_input("wrong.study.mapping", key=key)
    return value


def _list(
    data: Mapping[str, object], key: str, *, needed: bool = False
) -> list[object]:
    value = data.get(key)
    value = [] if value is None else value if isinstance(value, list) else [value]
    if (needed and not value) or not all(isinstance(one, str | dict) for one in value):
        raise bad_input("wrong.study.list", key=key)
    return value


def _conditions(data: Mapping[str, object]) -> Mapping[str, Options]:
    listed = _mapping(data, "conditions")
    for name, options in listed.items():
        if not name.strip() or not name.isprintable() or len(name) > 200:
            raise bad_input("wrong.study.condition_name", name=name)
        if options is not None and not isinstance(options, dict):
            raise bad_input("wrong.study.mapping", key=f"conditions: {name}")
    return {name: dict(options or {}) for name, options in listed.items()}


def _grid(data: object) -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    """`level: [0, 1]`: one option at several values.

    `sides: {same: {…}, strong: {…}}`: several options at once, under a name.
    """
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise bad_input("wrong.study.mapping", key="grid")
    grid = {}
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
                raise bad_input("wrong.study.grid_twice", key=key)
        else:
            raise bad_input("wrong.study.grid", key=key)
    return grid


def _value_name(value: object) -> str:
    """A value as the name of a cell has it: `2`, `true`, `*:a+judge:b`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "+".join(f"{name}:{_value_name(one)}" for name, one in value.items())
    if isinstance(value, list):
        return "+".join(map(_value_name, value))
    text = "null" if value is None else " ".join(str(value).split())
    if not text or not text.isprintable() or len(text) > 120:
        raise bad_input("wrong.study.condition_name", name=text)
    return text


def _against(data: Options) -> Against:
    made = _made(Against, data, "compare")
    _check_word("test", made.test, TESTS)
    _check_word("correct", made.correct, CORRECTIONS)
    return made


def _check_word(key: str, value: str, known: Sequence[str]) -> None:
    """Raises: BadInput for a value that is none of the known ones."""
    if value not in known:
        names = ", ".join(known)
        raise bad_input("wrong.study.word", key=key, value=value, names=names)


def _where(data: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
    made = {
        name: tuple(map(str, value if isinstance(value, list) else [value]))
        for name, value in data.items()
    }
    for states in made.values():
        for state in states:
            _check_word("where", state, STATES)
    return made
