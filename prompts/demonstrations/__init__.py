"""Demonstrations: pairs of legal cases with expert judgements (LCR, section 3.1), in sets of groups. One folder a set, one file a group.

A group is a query case and four candidates, one of each level 0 to 3 (level = 1 x material + 2 x legal).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...sessions.errors import BadInput, cause
from ...texts import t
from .converting import Place, converted

BUILTIN = Path(__file__).parent
ABOUT = "set.yaml"
"""The file of a set's folder that says what the set is."""
LEVELS = (0, 1, 2, 3)
SHORTEST = 200
"""Fewest characters of a case."""
GRAM = 5
ALIKE = 0.3
"""Two cases that share at least this part of their five-character grams count as copies of one template."""
LARGEST = 4_000_000
"""Most bytes of one file."""

Step = Literal["material", "legal"]


class Fact(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One fact in the expert's words, and the words of the case that it comes from."""

    fact: str
    span: str


class Case(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A case: its basic facts as a text, and what an expert takes from them."""

    text: str
    material: list[Fact]
    legal: list[Fact]
    charge: str = ""


class Judgement(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Whether the candidate is relevant in one respect, and why."""

    relevant: bool
    reason: str


class Candidate(Case, kw_only=True, forbid_unknown_fields=True):
    """A case beside the query, judged."""

    level: int
    material_judgement: Judgement
    legal_judgement: Judgement

    def judged(self, step: Step) -> Judgement:
        return self.material_judgement if step == "material" else self.legal_judgement


class Group(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A query and four candidates."""

    id: str
    query: Case
    candidates: list[Candidate]
    reviewed_by: str | None = None
    """Name of the lawyer who has reviewed the group; None: nobody has."""

    def cases(self) -> Iterator[tuple[str, Case]]:
        """(id, case): `ID/query`, `ID/0` … `ID/3`."""
        yield f"{self.id}/query", self.query
        for one in self.candidates:
            yield f"{self.id}/{one.level}", one


class About(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a set is."""

    language: str
    law: str
    note: str = ""


class DemonstrationSet(msgspec.Struct, kw_only=True, dict=True):
    """A set, read and checked. It does not change."""

    name: str
    about: About
    groups: list[Group]

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the digest of the content: it says whether this is still the set that a session began with."""
        return f"sha256:{hashlib.sha256(msgspec.json.encode([self.about, self.groups])).hexdigest()}"


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
    """A set by its name (the user's own goes before a built-in one of that name) or from a folder or file.

    Raises: BadInput, which names the first mistake.
    """
    path = find(name_or_path, user_dir)
    made, mistakes = _read_builtin(path) if path.is_relative_to(BUILTIN) else read(path)
    if mistakes:
        raise BadInput(t("wrong.demonstrations.unusable", mistakes=mistakes[0], path=path))
    return made


def read(path: Path) -> tuple[DemonstrationSet, list[str]]:
    """What can be read of a set's folder or of a file of groups, and every mistake in it, a sentence each.

    Raises: BadInput if there is nothing to read.
    """
    mistakes: list[str] = []
    about = About(language="", law="")
    groups: list[Group] = []
    lacking: list[set[Place]] = []
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not files:
        raise BadInput(t("wrong.demonstrations.no_files", path=path, about=ABOUT))
    for file in files:
        try:
            data = _yaml(file)
            if file.name == ABOUT:
                said, wrong, _ = converted(data, About)
                about = said or about
                mistakes += [f"{file.name}: {one}." for one in wrong]
                continue
            for place, one in enumerate(data if isinstance(data, list) else [data], 1):
                where = file.name if not isinstance(data, list) else t("wrong.place.group", name=file.name, place=place)
                group, wrong, missing = converted(one, Group)
                mistakes += [f"{where}: {mistake}." for mistake in wrong]
                if group is not None:
                    groups.append(group)
                    lacking.append(missing)
        except BadInput as error:
            mistakes.append(str(error))
    mistakes += [mistake for group, missing in zip(groups, lacking, strict=True) for mistake in _group(group, missing)]
    mistakes += _twice([group.id for group in groups if group.id])
    mistakes += _alike([case for group in groups for case in group.cases()])
    if not groups and not mistakes:
        mistakes.append(t("wrong.demonstrations.no_groups", path=path))
    return DemonstrationSet(name=path.stem if path.is_file() else path.name, about=about, groups=groups), mistakes


@cache
def _read_builtin(path: Path) -> tuple[DemonstrationSet, list[str]]:
    """The project's own sets are checked by its tests: here they are only read."""
    groups = [msgspec.convert(_yaml(file), Group) for file in sorted(path.glob("*.yaml")) if file.name != ABOUT]
    return DemonstrationSet(name=path.name, about=msgspec.convert(_yaml(path / ABOUT), About), groups=groups), []


def _group(group: Group, missing: set[Place]) -> Iterator[str]:
    """The mistakes of a group, but not those of parts that something is `missing` from: that has been named."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", group.id) and ("id",) not in missing:
        yield t("wrong.demonstrations.no_id", id=group.id)
    levels = sorted(one.level for one in group.candidates)
    if levels != list(LEVELS) and not any(place[:1] == ("candidates",) and (len(place) < 3 or place[2] == "level") for place in missing):
        yield t("wrong.demonstrations.levels", id=group.id, levels=levels)
    whole = [not any(place[:2] in (("candidates",), ("candidates", at)) for place in missing) for at in range(len(group.candidates))]
    for (name, case), is_whole in zip(group.cases(), [not any(place[:1] == ("query",) for place in missing), *whole], strict=True):
        if is_whole:
            yield from _case(name, case)
    for one, is_whole in zip(group.candidates, whole, strict=True):
        yield from _judgements(f"{group.id}/{one.level}", one) if is_whole else ()


def _judgements(name: str, one: Candidate) -> Iterator[str]:
    for step, bit in (("material", one.level in (1, 3)), ("legal", one.level in (2, 3))):
        judged = one.judged(step)  # type: ignore[arg-type]
        if one.level in LEVELS and judged.relevant is not bit:
            yield t("wrong.demonstrations.judgement", name=name, step=step, relevant=judged.relevant, level=one.level, bit=bit)
        if len(judged.reason.strip()) < 10:
            yield t("wrong.demonstrations.no_reason", name=name, step=step)


def _case(name: str, case: Case) -> Iterator[str]:
    size = len("".join(case.text.split()))
    if size < SHORTEST:
        yield t("wrong.demonstrations.short", name=name, size=size, least=SHORTEST)
    for kind, facts in (("material", case.material), ("legal", case.legal)):
        if not facts:
            yield t("wrong.demonstrations.no_facts", name=name, kind=kind)
        for fact in facts:
            if not fact.fact.strip():
                yield t("wrong.demonstrations.empty_fact", name=name, kind=kind)
            if not fact.span.strip() or fact.span not in case.text:
                yield t("wrong.demonstrations.span", name=name, span=fact.span[:40], kind=kind)


def _twice(ids: Sequence[str]) -> list[str]:
    return [t("wrong.demonstrations.same_id", name=name, count=ids.count(name)) for name in dict.fromkeys(ids) if ids.count(name) > 1]


def _alike(cases: Sequence[tuple[str, Case]]) -> Iterator[str]:
    grams = [(name, grams_of(case.text)) for name, case in cases]
    for place, (name, mine) in enumerate(grams):
        for other, theirs in grams[:place]:
            least = min(len(mine), len(theirs))
            shared = len(mine & theirs) / least if least else 0.0
            if shared >= ALIKE:
                yield t("wrong.demonstrations.alike", other=other, name=name, shared=shared)


def grams_of(text: str) -> set[str]:
    """Five-character grams of a text without white space, punctuation, digits and the names of persons (张某, 李某甲)."""
    plain = re.sub(r"[\W\d_]+", "", re.sub(r"[\u4e00-\u9fff]某[某甲乙丙丁A-Z]?", "", text)).casefold()
    return {plain[place : place + GRAM] for place in range(len(plain) - GRAM + 1)}


def find(name_or_path: str | Path, user_dir: Path | None) -> Path:
    """The folder or file of a set, as `load` finds it.

    Raises: BadInput if there is none.
    """
    text = str(name_or_path)
    with suppress(OSError, ValueError, RuntimeError):  # a name that no file can have; ~NOBODY
        if not isinstance(name_or_path, Path) and "/" not in text:
            for parent in (user_dir, BUILTIN):
                if parent and _is_set(parent / text):
                    return parent / text
        path = Path(text).expanduser()
        if path.exists():
            return path
    known = ", ".join(available(user_dir))
    raise BadInput(t("wrong.demonstrations.unknown", text=text[:200], known=known))


def _is_set(folder: Path) -> bool:
    return (folder / ABOUT).is_file()


def _yaml(file: Path) -> Any:
    import yaml

    try:
        if file.stat().st_size > LARGEST:
            raise BadInput(t("wrong.demonstrations.large", file=file, most=LARGEST))
        return yaml.load(file.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
    except OSError as error:
        raise BadInput(t("wrong.file.unread", path=file, why=cause(error))) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadInput(t("wrong.demonstrations.no_yaml", name=file.name, names=" ".join(str(error).split())[:200])) from None
