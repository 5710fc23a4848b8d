"""Continues batches of earlier versions as they were started.

A newer setting gets the value that means its absence. A bundled prompt set that has
changed since keeps the texts recorded in the sessions. Sessions do not record the text
of bundled demonstrations; if these have changed, new sessions use the current ones and
say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...prompts import demonstrations, is_bundled
from ...sessions.journal import readable_session
from ...sessions.session import Header
from ...texts import t
from ..settings import Setting, Settings, settings_of
from .batch import mark_of
from .lines import BatchLine

LONGEST = 60
"""Characters of a value that a sentence shows."""


class EarlierHeaders:
    """The headers that earlier versions wrote for a folder's sessions."""

    def __init__(
        self, folder: Path, lines: Sequence[BatchLine], marks: Mapping[str, str]
    ) -> None:
        """`marks`: as the folder keeps them, by the id of the line."""
        self._folder, self._lines, self._marks = folder, lines, marks
        self._by_set: dict[tuple[object, ...], Header] = {}
        self._rest = self._originals()

    def first(self) -> Header | None:
        """One of the headers."""
        return next(iter(self._by_set.values()), None) or next(self._rest, None)

    def like(self, header: Header) -> Header | None:
        """Return a header with the same prompt and demonstration sets, or None."""
        name = _sets(header)
        while name not in self._by_set:
            if next(self._rest, None) is None:
                return None
        return self._by_set[name]

    def of(self, line: BatchLine) -> Header | None:
        """Return the header of this line's session; None if it was not started."""
        path = self._folder / line.file
        session = readable_session(path)
        return None if session is None else session.header

    def _originals(self) -> Iterator[Header]:
        for line in self._lines:
            header = self.of(line)
            if header is not None and mark_of(header) == self._marks.get(line.id):
                self._by_set.setdefault(_sets(header), header)
                yield header


def _sets(header: Header) -> tuple[object, ...]:
    """The names of the sets that its texts come from."""
    named = (header.settings.get(name) for name in contents(header).values())
    return header.prompts.set, *named


def contents(header: Header) -> dict[str, str]:
    """The settings that are digests, each with the setting that names what it is of."""
    declared = declared_for(header)
    return {one.name: one.content_of for one in declared if one.content_of}


def declared_for(header: Header) -> Settings:
    """The settings of the session's method."""
    return settings_of(header.method or header.workspace)


def before(setting: Setting) -> Any:
    """Return the value that applies to a session that does not name the setting."""
    if setting.before is None:
        return setting.default
    return setting.before


def as_begun(header: Header, then: Header) -> tuple[Header, Header]:
    """Return the header in the earlier version's form, and the one to continue with."""
    declared = declared_for(header)
    old = {
        setting.name: before(setting)
        for setting in declared
        if setting.name not in then.settings
    }
    kept = {
        name: value
        for name, value in header.settings.items()
        if name not in old or value not in (old[name], declared[name].default)
    }
    for name, of in contents(header).items():
        named, digest = header.settings.get(of), header.settings.get(name)
        bundled = demonstrations.is_bundled(str(named), str(digest))
        if bundled and named == then.settings.get(of):
            kept.pop(name, None)
            kept |= {one: v for one, v in then.settings.items() if one == name}
    prompts = header.prompts
    known = is_bundled(prompts.set, prompts.hash, workspace=declared.method)
    if known and then.prompts.set == prompts.set:
        prompts = then.prompts
    going_on = {
        name: value
        if name in contents(header)
        else kept.get(name, old.get(name, value))
        for name, value in header.settings.items()
    }
    return (
        msgspec.structs.replace(header, settings=kept, prompts=prompts),
        msgspec.structs.replace(header, settings=going_on, prompts=prompts),
    )


def differing_options(
    declared: Settings | None,
    then: Mapping[str, object],
    now: Mapping[str, object],
    first: Header | None,
) -> tuple[str, str]:
    """List the options that differ, with both values: `--level 2`."""
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    names = [
        name
        for name in sorted(names)
        if not _says_what_holds(declared, name, then, now, first)
    ]
    comma = t("wrong.preflight.comma")
    return (
        comma.join(_option_text(declared, name, then) for name in names),
        comma.join(_option_text(declared, name, now) for name in names),
    )


def _says_what_holds(
    declared: Settings | None,
    name: str,
    then: Mapping[str, object],
    now: Mapping[str, object],
    first: Header | None,
) -> bool:
    """Whether an option that is new since has the value that held before it."""
    option = None if declared is None else declared.option(name)
    if name in then or first is None or not isinstance(option, Setting):
        return False
    return option.name not in first.settings and now[name] == before(option)


def _option_text(
    declared: Settings | None, name: str, given: Mapping[str, object]
) -> str:
    option = None if declared is None else declared.option(name)
    flag = name if option is None else option.flag
    if name not in given:
        return t("wrong.batch.no_option", flag=flag)
    value = given[name]
    values = value if isinstance(value, list) else [value]
    if value is True or (value is False and isinstance(option, Setting)):
        return flag
    return " ".join(f"{flag} {_short(one)}" for one in values)


def differing_shape(then: Header, now: Header) -> tuple[str, str, str]:
    """The first thing in which two headers differ, with both values, in words."""
    digests = contents(now)
    pairs = [
        *_pairs(then.settings, now.settings),
        *_pairs(msgspec.to_builtins(then.lineup), msgspec.to_builtins(now.lineup)),
        *_pairs(then.task, now.task),
    ]
    pairs.append((t("wrong.batch.prompts"), then.prompts.hash, now.prompts.hash))
    for name, one, other in pairs:
        if one != other:
            if name in digests:
                option = declared_for(now)[digests[name]].flag
                which = now.settings.get(digests[name])
                name = t("wrong.batch.content", option=option, name=which)
            return name, _short(one), _short(other)
    return "", "", ""


def _pairs(
    then: Mapping[str, object], now: Mapping[str, object]
) -> Iterator[tuple[str, object, object]]:
    for name in {**then, **now}:
        yield name, then.get(name), now.get(name)


def _short(value: object) -> str:
    if isinstance(value, dict) and "model" in value:
        value = value["model"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 1]}…"
