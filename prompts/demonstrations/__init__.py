"""Demonstrations: pairs of legal cases with expert judgements (LCR, section 3.1), in
sets of groups. One folder a set, one file a group.

A group is a query case and four candidates, one of each level 0 to 3 (level = 1 x
material + 2 x legal).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...sessions.errors import BadInput, bad_input, unread
from ...sessions.load import check_depth
from ...texts import parsed_yaml, t
from .converting import Place, converted
from .form import ALIKE, GRAM, SHORTEST, alike, faults, grams_of, unanchored
from .groups import (
    LEVELS,
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationFact,
    DemonstrationGroup,
    DemonstrationSet,
    ExpertJudgement,
    LegalFact,
    SetDescription,
    Step,
)

__all__ = [
    "ABOUT",
    "ALIKE",
    "BUILTIN",
    "GRAM",
    "LEVELS",
    "SHORTEST",
    "DemonstrationCandidate",
    "DemonstrationCase",
    "DemonstrationFact",
    "DemonstrationGroup",
    "DemonstrationSet",
    "ExpertJudgement",
    "LegalFact",
    "SetDescription",
    "SetReading",
    "Step",
    "available",
    "find",
    "grams_of",
    "is_bundled",
    "load",
    "read",
]

BUILTIN = Path(__file__).parent
ABOUT = "set.yaml"
"""The file of a set's folder that says what the set is."""
LARGEST = 4_000_000
"""Most bytes of one file."""
FIRST = 3
"""Places that a warning names."""


class SetReading(NamedTuple):
    """What could be read of a set, and what is wrong with it, a sentence each."""

    demonstrations: DemonstrationSet
    mistakes: list[str]
    """With one of them the set is not loaded."""
    warnings: list[str]
    drafts: list[str]
    """Files with a draft: it belongs to the set only when it is finished."""


def available(user_dir: Path | None = None) -> list[str]:
    """Names that `load` takes: the built-in sets first, then the user's own."""
    own = [
        folder.name
        for parent in (BUILTIN, user_dir)
        if parent and parent.is_dir()
        for folder in sorted(parent.iterdir())
        if _is_set(folder)
    ]
    return list(dict.fromkeys(own))


def load(name_or_path: str | Path, user_dir: Path | None = None) -> DemonstrationSet:
    """A set by its name (the user's own goes before a built-in one of that name) or
    from a folder or file.

    Raises: BadInput, which names the first mistake.
    """
    path = find(name_or_path, user_dir)
    if path.is_relative_to(BUILTIN):
        return _read_builtin(path)
    found = read(path)
    if found.mistakes:
        raise bad_input(
            "wrong.demonstrations.unusable", mistakes=found.mistakes[0], path=path
        )
    if not found.demonstrations.groups:
        raise bad_input("wrong.demonstrations.only_drafts", path=path)
    return found.demonstrations


def is_bundled(name: str, digest: str) -> bool:
    """Whether this is the content of a built-in set, as this version has it."""
    path = BUILTIN / name
    known = "/" not in name and _is_set(path)
    return known and _read_builtin(path).digest == digest


def read(path: Path) -> SetReading:
    """What can be read of a set's folder or of a file of groups, with every mistake in
    it.

    Raises: BadInput if there is nothing to read.
    """
    mistakes: list[str] = []
    drafts: list[str] = []
    about = SetDescription(language="", law="")
    groups: list[DemonstrationGroup] = []
    lacking: list[set[Place]] = []
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not files:
        raise bad_input("wrong.demonstrations.no_files", path=path, about=ABOUT)
    for file in files:
        try:
            data = _yaml(file)
            if file.name == ABOUT:
                said, wrong, _ = converted(data, SetDescription)
                about = said or about
                mistakes += [f"{file.name}: {one}." for one in wrong]
                continue
            for place, one in enumerate(data if isinstance(data, list) else [data], 1):
                where = (
                    file.name
                    if not isinstance(data, list)
                    else t("wrong.place.group", name=file.name, place=place)
                )
                if isinstance(one, Mapping) and one.get("draft") is True:
                    drafts.append(where)
                    continue
                group, wrong, missing = converted(one, DemonstrationGroup)
                mistakes += [f"{where}: {mistake}." for mistake in wrong]
                if group is not None:
                    groups.append(group)
                    lacking.append(missing)
        except BadInput as error:
            mistakes.append(str(error))
    mistakes += [
        mistake
        for group, missing in zip(groups, lacking, strict=True)
        for mistake in faults(group, missing)
    ]
    mistakes += _twice([group.id for group in groups if group.id])
    mistakes += alike([case for group in groups for case in group.cases()])
    if not groups and not mistakes and not drafts:
        mistakes.append(t("wrong.demonstrations.no_groups", path=path))
    made = DemonstrationSet(
        name=path.stem if path.is_file() else path.name, about=about, groups=groups
    )
    return SetReading(made, mistakes, _warnings(groups), drafts)


@cache
def _read_builtin(path: Path) -> DemonstrationSet:
    """The project's own sets are checked by its tests: here they are only read."""
    groups = [
        msgspec.convert(_yaml(file), DemonstrationGroup)
        for file in sorted(path.glob("*.yaml"))
        if file.name != ABOUT
    ]
    return DemonstrationSet(
        name=path.name,
        about=msgspec.convert(_yaml(path / ABOUT), SetDescription),
        groups=groups,
    )


def _warnings(groups: Sequence[DemonstrationGroup]) -> list[str]:
    """Sets that were written before legal facts said what they rest on are still
    read.
    """
    lacking = [name for group in groups for name in unanchored(group)]
    if not lacking:
        return []
    shown = ", ".join(lacking[:FIRST]) + (", …" if len(lacking) > FIRST else "")
    return [t("wrong.demonstrations.no_from", n=len(lacking), places=shown)]


def _twice(ids: Sequence[str]) -> list[str]:
    return [
        t("wrong.demonstrations.same_id", name=name, count=ids.count(name))
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1
    ]


def find(name_or_path: str | Path, user_dir: Path | None) -> Path:
    """The folder or file of a set, as `load` finds it.

    Raises: BadInput if there is none.
    """
    text = str(name_or_path)
    with suppress(
        OSError, ValueError, RuntimeError
    ):  # a name that no file can have; ~NOBODY
        if not isinstance(name_or_path, Path) and "/" not in text:
            for parent in (user_dir, BUILTIN):
                if parent and _is_set(parent / text):
                    return parent / text
        path = Path(text).expanduser()
        if path.exists():
            return path
    known = ", ".join(available(user_dir))
    raise bad_input("wrong.demonstrations.unknown", text=text[:200], known=known)


def _is_set(folder: Path) -> bool:
    return (folder / ABOUT).is_file()


def _yaml(file: Path) -> Any:
    import yaml

    try:
        if file.stat().st_size > LARGEST:
            raise bad_input("wrong.demonstrations.large", file=file, most=LARGEST)
        text = file.read_text("utf-8")
        check_depth(text.encode())
        return parsed_yaml(text)
    except OSError as error:
        raise unread(file, error) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise bad_input(
            "wrong.demonstrations.no_yaml",
            name=file.name,
            names=" ".join(str(error).split())[:200],
        ) from None
