"""A measure that a command of the user takes: COMET, BLEURT, any that reads and writes
JSON lines.

Values are stored by content, command and version: nothing is measured twice, and an
interrupted run continues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...sessions.clean import json_line
from ...sessions.errors import bad_input
from ...sessions.files import write_whole
from ..models.command_model import CommandFailure, run, run_over
from ..settings import is_number
from . import records
from .measure import Better, Measure, MeasuredValue
from .outputs import Given, OutputRow, output_of, without_answer

KEYS = ("external", "command", "better", "low", "high", "seconds", "version")


@dataclass(frozen=True)
class External:
    """A command, and what its values mean.

    It comes from the user's study file or command line, never from a session.
    """

    name: str
    command: tuple[str, ...]
    """Program and arguments, without a shell.

    `{in}` and `{out}` stand for the two files.
    """
    better: Better = "higher"
    low: float | None = None
    high: float | None = None
    """The bounds of a value.

    A missing answer gets the worse one, or no value without it.
    """
    seconds: float = 3600.0
    """The longest that one run of the command may take."""
    version: str | tuple[str, ...] = ""
    """The version itself, or a command that prints it; "": it is not known."""

    @classmethod
    def read(cls, spec: Mapping[str, object]) -> External:
        """The measure of a specification. Raises: BadInput.

        Such as `{external: comet, command: [comet-wrap, "{in}", "{out}"]}`.
        """
        for key in spec:
            if key not in KEYS:
                raise bad_input("wrong.measure.key", key=key, names=", ".join(KEYS))
        name, better = (
            records.check_name(spec.get("external")),
            spec.get("better", "higher"),
        )
        command, version = _words(spec.get("command")), spec.get("version", "")
        if not command or not all(
            any(mark in word for word in command) for mark in ("{in}", "{out}")
        ):
            raise bad_input("wrong.measure.command", name=name)
        if better not in ("higher", "lower", "neither"):
            raise bad_input("wrong.measure.better", name=name, value=better)
        if not isinstance(version, str) and not _words(version):
            raise bad_input("wrong.measure.version", name=name)
        low, high, seconds = (
            _number(spec, key, name) for key in ("low", "high", "seconds")
        )
        if (low is not None and high is not None and low >= high) or (
            seconds is not None and seconds <= 0
        ):
            raise bad_input("wrong.measure.bounds", name=name)
        return cls(
            name,
            command,
            better,
            low,
            high,
            seconds or cls.seconds,
            version if isinstance(version, str) else _words(version),
        )

    @property
    def declared(self) -> Measure:
        """The measure as figures take it. Its `of` gives nothing."""
        return Measure(
            self.name,
            self.better,
            lambda session, item: (),
            low=self.low,
            high=self.high,
        )

    def left(self, given: Sequence[Given], folder: Path) -> int:
        """How many different answers have no value in `folder` by any version yet."""
        known = {
            str(one.get("id"))
            for one in records.read(self._file(folder))
            if one.get("command") == records.digest(self.command)
        }
        return len(
            {
                key
                for output in map(output_of, given)
                if output.missing is None and (key := _key(output)) not in known
            }
        )

    async def measure(
        self, given: Sequence[Given], folder: Path
    ) -> list[MeasuredValue]:
        """A measurement for each, in order; runs the command for what `folder` lacks.

        Raises: BadInput if the command cannot be run, fails, takes too long or leaves
        values out. What it had written stays.
        """
        outputs = [output_of(one) for one in given]
        rows = {
            _key(output): _row(output) for output in outputs if output.missing is None
        }
        if not rows:
            return [without_answer(output, self.declared) for output in outputs]
        version = await self.stated_version()
        known = self._known(folder, version)
        todo = {key: row for key, row in rows.items() if key not in known}
        if todo:
            await self._run(todo, folder, version)
            known = self._known(folder, version)
        missing = [key for key in rows if key not in known]
        if missing:
            raise bad_input(
                "wrong.measure.left_out",
                name=self.name,
                n=len(missing),
                total=len(rows),
            )
        return [
            without_answer(output, self.declared)
            if output.missing is not None
            else self._measured(known[_key(output)])
            for output in outputs
        ]

    async def stated_version(self) -> str:
        """The version of the command: the first line that it prints. Raises:
        BadInput.
        """
        if isinstance(self.version, str):
            return self.version
        try:
            printed = await run(self.version, 60.0)
        except CommandFailure as failed:
            raise bad_input(
                "wrong.measure.no_version", name=self.name, why=failed
            ) from None
        return next(
            (line.strip() for line in printed.splitlines() if line.strip()), ""
        )[:200]

    def _file(self, folder: Path) -> Path:
        return folder / f"external-{self.name}.jsonl"

    def _known(self, folder: Path, version: str) -> dict[str, float | None]:
        """Content to value, of this command and version."""
        of = self._of(version)
        known = {}
        for line in records.read(self._file(folder)):
            value = line.get("value")
            usable = value is None or is_number(value)
            if usable and of.items() <= line.items():
                known[str(line.get("id"))] = value
        return known

    def _of(self, version: str) -> dict[str, str]:
        """Facts stored with every value of this version of the command."""
        return {"command": records.digest(self.command), "version": version}

    async def _run(
        self, rows: Mapping[str, Mapping[str, object]], folder: Path, version: str
    ) -> None:
        """Runs the command over these rows; stores all that it writes.

        Raises: BadInput.
        """
        tag = records.digest([self.command, version])[:8]
        into, out = (
            folder / f"external-{self.name}.{tag}.{end}.jsonl" for end in ("in", "out")
        )
        self._harvest(out, rows, folder, version)
        known = self._known(folder, version)
        todo = [{"id": key, **row} for key, row in rows.items() if key not in known]
        if not todo:
            return
        _write(into, todo)
        try:
            await run_over(self.command, into, out, self.seconds)
        except CommandFailure as failed:
            raise bad_input(
                "wrong.measure.failed", name=self.name, why=failed
            ) from None
        finally:
            self._harvest(out, rows, folder, version)
            with suppress(OSError):
                into.unlink()

    def _harvest(
        self, out: Path, rows: Mapping[str, Any], folder: Path, version: str
    ) -> None:
        """Stores the values that the command has written, then removes its file.

        Raises: BadInput for a value that is not a number.
        """
        values: dict[str, float | None] = {}
        for line in records.read(out):
            key, value = str(line.get("id")), line.get("value", line.get("score"))
            value = float(value) if isinstance(value, bool) else value
            if key not in rows:
                continue  # of an earlier run, over more
            stated = "value" in line or "score" in line
            if not stated or not (value is None or is_number(value)):
                raise bad_input("wrong.measure.no_figure", name=self.name, id=key)
            if values.setdefault(key, value) != value:
                raise bad_input("wrong.measure.two_figures", name=self.name, id=key)
        of = self._of(version)
        lines = ({"id": key, "value": value, **of} for key, value in values.items())
        if values:
            records.append(self._file(folder), lines)
        with suppress(OSError):
            out.unlink()

    def _measured(self, value: float | None) -> MeasuredValue:
        """Raises: BadInput for a value beyond what the user says it can be."""
        if value is None:
            return MeasuredValue(None, "unread")
        if (self.low is not None and value < self.low) or (
            self.high is not None and value > self.high
        ):
            raise bad_input(
                "wrong.measure.beyond",
                name=self.name,
                value=value,
                low=self.low,
                high=self.high,
            )
        return MeasuredValue(float(value), "measured")


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(map(json_line, rows)))


def _row(output: OutputRow) -> dict[str, Any]:
    """What the command receives for an answer, in addition to its id."""
    fields = output.item.fields
    languages = {name: fields[name] for name in ("from", "to") if fields.get(name)}
    return {
        "source": output.source,
        "answer": output.answer,
        "references": list(output.listed("answers")),
        **languages,
    }


def _key(output: OutputRow) -> str:
    return records.digest(_row(output))


def _words(value: object) -> tuple[str, ...]:
    """A command as a list of words; nothing where it is none."""
    whole = isinstance(value, list | tuple) and all(
        isinstance(word, str) and word and "\0" not in word for word in value
    )
    return tuple(value) if whole else ()  # type: ignore[arg-type]


def _number(spec: Mapping[str, Any], key: str, name: str) -> float | None:
    value = spec.get(key)
    if value is not None and not is_number(value):
        raise bad_input("wrong.measure.number", name=name, key=key)
    return value
