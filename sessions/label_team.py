"""The team that labels a place: `labels/team.yaml`.

Lists people, shares, overlap, seed and guideline.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from ..texts import t
from . import files
from .annotators import name_of, of_nearly
from .clean import clean
from .emit import document
from .errors import BadInput, SessionError, bad_input
from .events import plain
from .events.labels import Assignment
from .label_files import TEAM, is_labels, place_of
from .labels import writable_folder
from .load import read_yaml
from .msgspec_types import known

FORMAT = "verifytui-team/1"
LONGEST_GUIDELINE = 100_000
"""Characters."""
_LEVELS = re.compile(rb"^levels:[^\n]*\n?(?:[ ]+[^\n]*\n?)*", re.MULTILINE)
_LEVEL = re.compile(rb"([{,\n]\s*)(\d+)\s*:(?=\s)")
"""A level before its name, which YAML reads as a number and not as a field's name."""
LONGEST_NAME = 30
"""Characters of the name of a level."""


class Team(msgspec.Struct, kw_only=True):
    """The content of `team.yaml`."""

    format: str = FORMAT
    people: dict[str, float]
    """Name to share of what not everybody gets: 1 for each in equal shares."""
    left: dict[str, float] = {}
    """Who was in the team before, with the share of then."""
    overlap: float = 0.0
    """The share that everybody gets, 0 to 1."""
    sample: int | None = None
    """As in an assignment."""
    seed: int = 0
    guideline: str = ""
    training: dict[str, int] = {}
    """Digest of a pair to its known level: everybody labels these first, and is shown
    the level after each.
    """
    checks: dict[str, int] = {}
    """The same of pairs that everybody labels among their own, without being told."""
    levels: dict[str, str] | list[int] = {}
    """The team's own scale: level to name, or levels without names, from 0 on; empty:
    the four levels of relevance.
    """

    @property
    def scale(self) -> dict[int, str]:
        """Level to name, in order; empty for the four levels of relevance."""
        if isinstance(self.levels, list):
            return {level: str(level) for level in sorted(self.levels)}
        return {
            int(level): clean(name, newlines=False)
            for level, name in sorted(self.levels.items())
            if level in ("0", "1", "2", "3")
        }

    def check_level(self, level: int | None) -> None:
        """Raises: BadInput for a level outside the team's scale."""
        if level is not None and self.scale and level not in self.scale:
            raise bad_input(
                "wrong.labels.outside_scale", level=level, levels=scale_words(self)
            )

    @property
    def assignment(self) -> Assignment:
        """The assignment that every member's file records."""
        return Assignment(
            overlap=self.overlap,
            sample=self.sample,
            seed=self.seed,
            hashed=True,
            people=self.people,
            left=self.left,
        )

    def assignment_of(self, annotator: str) -> Assignment:
        """Return one person's assignment. Raises: BadInput for a person not in the
        team.
        """
        if annotator not in self.people:
            raise bad_input(
                "wrong.labels.not_in_team",
                annotator=annotator,
                names=clean(", ".join(self.people), newlines=False)[:300],
            )
        return self.assignment

    def changed(self, people: dict[str, float]) -> Team:
        """Return the team with these people, and with former members marked as left."""
        gone = {**self.left, **self.people}
        return msgspec.structs.replace(
            self,
            people=people,
            left={name: gone[name] for name in gone if name not in people},
        )


def scale_words(team: Team) -> str:
    """`0 (not relevant), 1 (relevant)`."""
    return ", ".join(
        str(level) if name == str(level) else f"{level} ({name})"
        for level, name in team.scale.items()
    )


def file_of_team(path: Path) -> Path:
    """The file of the team of a session file or a folder, which may not be there."""
    return place_of(path) / TEAM


def read_team(path: Path) -> Team | None:
    """Read the team of a session file or a folder, or None. Raises: SessionError."""
    file = file_of_team(path)
    if not os.path.lexists(file):
        return None
    data = files.whole(file)
    if is_labels(data):
        return None
    try:
        data = _LEVELS.sub(lambda block: _LEVEL.sub(rb'\1"\2":', block[0]), data)
        team = msgspec.convert(read_yaml(data, 0, len(data), str(file)), known(Team))
    except msgspec.ValidationError as error:
        raise SessionError(
            t("wrong.labels.team_unread", path=file, why=clean(str(error))[:200])
        ) from None
    try:
        _check(team)
    except BadInput as error:
        raise SessionError(
            t("wrong.labels.team_unread", path=file, why=error)
        ) from None
    return team


def write_team(path: Path, team: Team) -> Path:
    """Writes the team of a session file or a folder; returns the file.

    Raises: BadInput for names or shares that cannot be; SessionError.
    """
    _check(team)
    file = writable_folder(path) / TEAM
    if os.path.lexists(file) and is_labels(files.whole(file)):
        raise bad_input("wrong.labels.team_is_person", path=file)
    files.write_whole(file, document(plain(team), first=True))
    return file


def people_of(text: str) -> dict[str, float]:
    """`Anna,Bert=2` as name to share. Raises: BadInput."""
    found: dict[str, float] = {}
    for part in text.split(","):
        written, _, share = part.partition("=")
        name = name_of(written)
        try:
            size = float(share or 1)
        except ValueError:
            size = 0.0
        if name in found:
            raise bad_input("wrong.labels.team_twice", name=name)
        found[name] = size
    return found


def text_of_people(people: dict[str, float]) -> str:
    """Name to share as `people_of` reads it."""
    return ",".join(
        name if share == 1 else f"{name}={share:g}" for name, share in people.items()
    )


def _check(team: Team) -> None:
    """Raises: BadInput for what no team can have."""
    if team.format != FORMAT:
        raise bad_input("wrong.labels.team_format", format=clean(team.format)[:40])
    if not team.people:
        raise bad_input("wrong.labels.team_empty")
    for name, share in {**team.left, **team.people}.items():
        if name_of(name) != name or not 0 < share <= 1000:
            raise bad_input("wrong.labels.team_share", name=name)
        near = of_nearly(name, team.people)
        if near:
            raise bad_input("wrong.labels.team_near", name=name, near=near[0])
    if not 0 <= team.overlap <= 1 or not 0 <= team.seed < 2**63:
        raise bad_input("wrong.labels.team_numbers")
    scale = team.scale
    if scale and (
        len(scale) != len(team.levels)
        or list(scale) != list(range(len(scale)))
        or not 2 <= len(scale) <= 4
        or not all(0 < len(name.strip()) <= LONGEST_NAME for name in scale.values())
    ):
        raise bad_input("wrong.labels.team_levels", most=LONGEST_NAME)
    known = [*team.training.values(), *team.checks.values()]
    if not all(0 <= level <= 3 for level in known):
        raise bad_input("wrong.labels.team_numbers")
    for level in known:
        team.check_level(level)
    if len(team.guideline) > LONGEST_GUIDELINE:
        raise bad_input("wrong.labels.guideline_long", most=LONGEST_GUIDELINE)
