"""The conditions of a study: the cells of its grid and the single ones.

Each runs a method with the options that it supports, or is a recorded run from a file
(`run`).
"""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ...sessions.errors import BadInput, SessionError, bad_input
from ...sessions.files import file_of
from ..batches.batch import Player
from ..figures import common, ranked
from ..figures.measure import Measure
from ..settings import Settings
from ..starting import Starter, Wishes
from .study import Options, Study

MOST = 200
"""Conditions of one study."""
_PLAIN = re.compile(r"(?![.~-])[A-Za-z0-9_=,.+@-]{1,80}")
ALL = "*"
"""In `model`: every role that is not named."""
RUN = "run"
"""The key of a condition that is a recorded run: its file, relative to those of the
items.
"""
ORDER, CHARGE = "order", "charge"
"""`order: charge` beside it: the same candidates, ordered by charge alone."""


class StudyMethod(Player, Protocol):
    """What a study needs of a method; `engines.method.Method` has it."""

    roles: ClassVar[tuple[str, ...]]

    @property
    def settings(self) -> Settings: ...

    @property
    def measures(self) -> Mapping[str, Measure]: ...

    def begin(self, wanted: Wishes, starter: Starter) -> Any: ...


_COMMON = common.measures()

Methods = Callable[[str], StudyMethod]
"""The method of a name. Raises: SessionError if there is none."""


@dataclass(frozen=True, kw_only=True)
class Condition(ABC):
    """One condition."""

    name: str
    options: Options
    """`model` and `param` by role."""
    dropped: tuple[str, ...] = ()
    """What `base` says and it does not know."""
    cell: Mapping[str, str] = field(default_factory=dict)
    """Key of the grid → value; empty for a condition that is beside the grid."""

    @property
    def judged_by(self) -> str:
        """The role whose verdict measures mean that name no role; "": none."""
        return ""

    @property
    def folder(self) -> str:
        """The name of its folder."""
        if _PLAIN.fullmatch(self.name):
            return self.name
        return file_of(self.name, digits=True).removesuffix(".yaml")

    @property
    @abstractmethod
    def made_by(self) -> str:
        """The name of its method, or `run`."""

    @property
    @abstractmethod
    def given(self) -> Options:
        """Its options as the manifest keeps them."""

    @property
    @abstractmethod
    def measures(self) -> Mapping[str, Measure]:
        """What can be measured of it, by name; of a recorded run those that have no
        number in their names.
        """

    def measure(self, name: str) -> Measure | None:
        """The measure of this name; None where it has none."""
        return self.measures.get(name)


@dataclass(frozen=True, kw_only=True)
class RecordedCondition(Condition):
    """A run that is in a file: nothing is played."""

    run: str
    """The file as the study names it."""
    by_charge: bool = False
    """Its candidates are ordered by the query's charge alone."""

    @property
    def made_by(self) -> str:
        return RUN

    @property
    def given(self) -> Mapping[str, object]:
        return {RUN: self.run, **({ORDER: CHARGE} if self.by_charge else {})}

    @property
    def measures(self) -> Mapping[str, Measure]:
        return {
            name: measure
            for name in ranked.USUAL
            if (measure := ranked.named(name)) is not None
        }

    def measure(self, name: str) -> Measure | None:
        return ranked.named(name)


@dataclass(frozen=True, kw_only=True)
class PlayedCondition(Condition):
    """Sessions of a method."""

    method: StudyMethod
    lines_are: str
    """What its lines are: `topics`, `questions`, `pairs` …"""

    @property
    def made_by(self) -> str:
        return self.method.name

    @property
    def judged_by(self) -> str:
        return self.method.batches[self.lines_are].judged_by[0]

    @property
    def given(self) -> Mapping[str, object]:
        return self.wishes.given()

    @property
    def measures(self) -> Mapping[str, Measure]:
        return {**_COMMON, **self.method.measures}

    @property
    def wishes(self) -> Wishes:
        """Its options as those of a session.

        Raises: BadInput for a value that cannot be.
        """
        listed = {
            name: list(_written(value)) if name in ("model", "param") else value
            for name, value in self.options.items()
        }
        return Wishes(self.method.settings).with_line(listed)


def conditions_of(
    study: Study, methods: Methods, models: Sequence[str] = ()
) -> list[Condition]:
    """The conditions in order: the cells of the grid, then the single ones; without
    either, the base alone, under the study's name.

    `models`: `X` or `ROLE=X`, in place of those of `base`. Raises: BadInput.
    """
    base = dict(study.base)
    if models:
        given = _by_role("model", list(models))
        if ALL not in given:
            given = {**_by_role("model", base.get("model") or {}), **given}
        base["model"] = given
    made = [
        _condition(
            ",".join(f"{key}={name}" for key, name in cell.items()),
            base,
            own,
            methods,
            cell,
        )
        for cell, own in _cells(study)
    ]
    made += [
        _condition(name, base, own, methods) for name, own in study.conditions.items()
    ]
    if not made:
        made = [_condition(study.name, base, {}, methods)]
    _check(study, made)
    return made


def _cells(study: Study) -> Iterator[tuple[dict[str, str], dict[str, object]]]:
    if not study.grid:
        return
    for chosen in itertools.product(
        *(values.items() for values in study.grid.values())
    ):
        own: dict[str, object] = {}
        for (name, options), key in zip(chosen, study.grid, strict=True):
            twice = set(own) & set(options)
            if twice:
                raise bad_input(
                    "wrong.study.grid_both", key=key, name=name, option=min(twice)
                )
            own |= options
        yield (
            {
                key: name
                for key, (name, _) in zip(
                    study.grid,
                    chosen,
                    strict=True,
                )
            },
            own,
        )


def _condition(
    name: str,
    base: Options,
    own: Options,
    methods: Methods,
    cell: Mapping[str, str] | None = None,
) -> Condition:
    """A condition of `base` and its own options, which win. Raises: BadInput."""
    cell = cell or {}
    if RUN in own:
        return _recorded(name, own, base, cell)
    called, lines_are = (own.get(key, base.get(key)) for key in ("method", "lines"))
    if not isinstance(called, str):
        raise bad_input("wrong.study.no_method", name=name)
    try:
        method = methods(called)
    except SessionError as error:
        raise BadInput(f"{name}: {error}") from None
    lines_are = lines_are or next(iter(method.batches))
    if lines_are not in method.batches:
        words = {"value": lines_are, "names": ", ".join(method.batches)}
        raise bad_input("wrong.study.lines", name=name, **words)
    options, dropped = _options(name, method, base, own)
    made = PlayedCondition(
        name=name,
        method=method,
        lines_are=lines_are,
        options=options,
        dropped=tuple(dropped),
        cell=cell,
    )
    try:
        made.wishes.settings()
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    return made


def _options(
    name: str, method: StudyMethod, base: Options, own: Options
) -> tuple[Options, list[str]]:
    """The options of a condition that its method supports, and those of `base` that it
    does not.

    Raises: BadInput for an unsupported option of the condition itself.
    """
    options: dict[str, Any] = {}
    dropped = []
    for source, strict in ((base, False), (own, True)):
        for key, value in source.items():
            option = method.settings.option(key)
            if key in ("method", "lines"):
                continue
            if option is None and strict:
                words = {"name": key, "noun": method.settings.noun}
                raise bad_input("wrong.study.no_option", condition=name, **words)
            if option is None:
                dropped.append(key)
            elif option.key in ("model", "param"):
                given = _by_role(option.key, value)
                unknown = None if strict else dropped
                taken = _seated(option.key, given, method.roles, unknown, name)
                if not strict or ALL not in taken:
                    taken = {**options.get(option.key, {}), **taken}
                options[option.key] = taken
            else:
                options[option.key] = value
    kept = {key: value for key, value in options.items() if value not in (None, {})}
    return kept, dropped


def _recorded(
    name: str,
    own: Mapping[str, object],
    inherited: Mapping[str, object],
    cell: Mapping[str, str],
) -> RecordedCondition:
    """The condition of a recorded run; it has nothing of `base`.

    Raises: BadInput for any other option of its own.
    """
    run, others = own[RUN], {key: own[key] for key in own if key != RUN}
    by_charge = others == {ORDER: CHARGE}
    if not isinstance(run, str) or not run.strip() or (others and not by_charge):
        form = "{run: FILE}, {run: FILE, order: charge}"
        raise bad_input("wrong.study.run", name=name, form=form)
    dropped = tuple(key for key in inherited if key not in ("method", "lines"))
    return RecordedCondition(
        name=name,
        run=run,
        by_charge=by_charge,
        options=own,
        dropped=dropped,
        cell=cell,
    )


def _by_role(what: str, value: object) -> dict[str, object]:
    """`X`, `ROLE=X`, a list of them or names with values, as names with values.

    For `param` a name is `ROLE.NAME`.
    """
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(name): one for name, one in value.items()}
    made: dict[str, object] = {}
    for one in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(one, str):
            raise bad_input("wrong.setting.texts", name=what)
        role, equals, rest = one.partition("=")
        made |= {role: rest} if equals else {ALL: one}
    return made


def _seated(
    what: str,
    given: Mapping[str, object],
    roles: Collection[str],
    dropped: list[str] | None,
    name: str,
) -> dict[str, object]:
    """The values of the roles that the method has.

    One of another role is dropped if it comes from `base` (`dropped` is a list).

    Raises: BadInput for one of another role that the condition itself says.
    """
    taken = {}
    for key, value in given.items():
        role = key.partition(".")[0] if what == "param" else key
        if role == ALL or role in roles:
            taken[key] = value
        elif dropped is None:
            words = {"role": role, "names": ", ".join(roles)}
            raise bad_input("wrong.study.no_role", condition=name, **words)
        else:
            dropped.append(f"{what} {key}")
    return taken


def _written(value: Mapping[str, object]) -> Iterator[str]:
    """`X` for all roles first, then `ROLE=X`."""
    for name, one in sorted(value.items(), key=lambda pair: pair[0] != ALL):
        text = str(one).lower() if isinstance(one, bool) else str(one)
        yield text if name == ALL else f"{name}={text}"


def _check(study: Study, made: Sequence[Condition]) -> None:
    """Raises: BadInput if names or folders are not unique, or the study refers to an
    unknown name.
    """
    names = [one.name for one in made]
    if len(made) > MOST:
        raise bad_input("wrong.study.many", n=len(made), most=MOST)
    folders: dict[str, str] = {}
    for one in made:
        if (
            folders.setdefault(one.folder.casefold(), one.name) != one.name
            or names.count(one.name) > 1
        ):
            raise bad_input("wrong.study.same_condition", name=one.name)
    referred = [
        ("compare", study.against.to),
        *(("where", name) for name in study.where),
        *(
            ("paper", name)
            for values in (
                study.paper.values,
                *(one.values for one in study.paper.sets.values()),
            )
            for name in values
        ),
    ]
    for key, name in referred:
        if name is not None and name not in names:
            words = {"key": key, "name": name, "names": ", ".join(names)}
            raise bad_input("wrong.study.no_condition", **words)
    if study.where and set(names) <= set(study.where):
        raise bad_input("wrong.study.where_all")
