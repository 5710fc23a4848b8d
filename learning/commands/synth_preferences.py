"""`verifytui synth preferences`: creates preference pairs from the edits and retries of
people.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...cli import console
from ...cli.command import command
from ...cli.flags import PATH, into_option, output_option, typed_option, whole_option
from ...sessions.clean import clean_line, json_line
from ...sessions.errors import bad_input
from ...texts import t

if TYPE_CHECKING:
    from ..synth.exports.lines import ExportRecord


@command()
@click.argument("paths", nargs=-1, type=PATH, metavar="[PATH…]")
@into_option
@click.option("--only", type=click.Choice(["edit", "retry"]))
@typed_option("--validation", click.FloatRange(0, 0.9), "SHARE", 0.1)
@whole_option("--seed", 0, 2**63 - 1, 0)
@click.option("--base", metavar="MODEL")
@click.option("--licence", metavar="TEXT")
@output_option
def synth_preferences(
    paths: tuple[Path, ...],
    into: Path | None,
    only: str | None,
    validation: float,
    seed: int,
    base: str | None,
    licence: str | None,
    output: str,
) -> int:
    """Exits with 1 if no session has a preference."""
    from ...engines.method import method_of
    from ...sessions.paths import paths as own_paths
    from ..synth.exports.options import ExportOptions
    from ..synth.exports.preferences import WHYS, export_preferences

    if into is None:
        raise bad_input("wrong.exports.no_into")
    library = own_paths().sessions
    files = _files(paths or (library,))
    options = ExportOptions(
        seed=seed,
        validation=validation,
        base=base,
        licence=licence,
        about={"sessions": f"{len(files):,} files"},
    )
    kinds = (only,) if only else WHYS
    elsewhere = [path for path in _neighbours(paths, library) if path not in files]
    made = export_preferences(
        files,
        into,
        method_of=method_of,
        elsewhere=elsewhere,
        kinds=kinds,
        options=options,
    )
    if output == "json":
        import msgspec

        console.out(json_line(msgspec.to_builtins(made)))
    else:
        console.out(told(made, into))
    if not made.counts.get("preferences"):
        console.tell("report.exports.no_preferences")
        return console.FAILED
    return console.DONE


def told(record: ExportRecord, into: Path) -> str:
    """The result of an export as text: its tables and what it left out."""
    from ..synth.omission_text import reasons

    lines = []
    for table, rows in record.counts.items():
        lines.append(t(f"report.exports.table_{table}"))
        lines += [
            f"  {many:>7,}  {clean_line(row)}" for row, many in sorted(rows.items())
        ]
    left = reasons(record.left_out)
    if left:
        lines.append(t("report.exports.left_out"))
    for of, why, many in left:
        lines.append(
            f"  {many:>7,}  {t(f'report.exports.of_{of}')}: "
            f"{t('report.exports.why_' + why.replace('-', '_'))}"
        )
    if record.changed:
        lines.append(t("report.exports.changed", names=", ".join(record.changed)))
    if record.lines:
        lines.append(
            t(
                "report.exports.written",
                n=len(record.files),
                into=clean_line(str(into)),
            )
        )
    if lines:
        return "\n".join(lines) + "\n"
    return ""


def _files(paths: tuple[Path, ...]) -> list[Path]:
    """The named sessions, and those in the named folders.

    Raises: BadInput if a path does not exist or is not a session.
    """
    from ...sessions.journal import Journal
    from ..synth.exports.preferences import session_files

    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found |= dict.fromkeys(session_files(path))
        else:
            Journal.open(path, write=False).close()
            found[path] = None
    return [*found]


def _neighbours(paths: tuple[Path, ...], library: Path) -> list[Path]:
    """Returns the file of the session that a fork came from, if it is not named: next
    to a named file, or in the library.
    """
    from ..synth.exports.preferences import session_files

    folders = dict.fromkeys(
        (*(path.parent for path in paths if not path.is_dir()), library)
    )
    return [
        file
        for folder in folders
        for file in (
            [*folder.glob("*.yaml")] if folder != library else session_files(folder)
        )
    ]
