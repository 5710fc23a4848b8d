"""`verifytui synth preferences`: what people edited and retried in sessions, as pairs
of preferences to train with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean, json_line
from ...sessions.errors import BadInput
from ...texts import t
from .. import console
from ..command import command
from ..flags import PATH, output_option

if TYPE_CHECKING:
    from ...engines.synth.exports.lines import ExportRecord


@command()
@click.argument("paths", nargs=-1, type=PATH, metavar="[PATH…]")
@click.option("--into", type=PATH, metavar="DIR")
@click.option("--only", type=click.Choice(["edit", "retry"]))
@click.option(
    "--validation",
    type=click.FloatRange(0, 0.9),
    default=0.1,
    show_default=True,
    metavar="SHARE",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    metavar="N",
)
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
    """1 if no session holds a preference."""
    from ...engines.method import method_of
    from ...engines.synth.exports.options import ExportOptions
    from ...engines.synth.exports.preferences import WHYS, export_preferences
    from ...sessions.paths import paths as own_paths

    if into is None:
        raise BadInput(t("wrong.exports.no_into"))
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
        console.say(t("report.exports.no_preferences"))
        return console.FAILED
    return console.DONE


def told(made: ExportRecord, into: Path) -> str:
    """What an export has made, in words: its tables, and what is left out."""
    from ...engines.synth.left_out import reasons

    lines = []
    for table, rows in made.counts.items():
        lines.append(t(f"report.exports.table_{table}"))
        lines += [
            f"  {many:>7,}  {clean(row, newlines=False)}"
            for row, many in sorted(rows.items())
        ]
    left = reasons(made.left_out)
    if left:
        lines.append(t("report.exports.left_out"))
    for of, why, many in left:
        lines.append(
            f"  {many:>7,}  {t(f'report.exports.of_{of}')}: "
            f"{t('report.exports.why_' + why.replace('-', '_'))}"
        )
    if made.changed:
        lines.append(t("report.exports.changed", names=", ".join(made.changed)))
    if made.lines:
        lines.append(
            t(
                "report.exports.written",
                n=len(made.files),
                into=clean(str(into), newlines=False),
            )
        )
    if lines:
        return "\n".join(lines) + "\n"
    return ""


def _files(paths: tuple[Path, ...]) -> list[Path]:
    """The sessions that are named, and those below folders.

    Raises: BadInput for a path that is not there, or a file that is no session.
    """
    from ...engines.synth.exports.preferences import session_files
    from ...sessions.journal import Journal

    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found |= dict.fromkeys(session_files(path))
        else:
            Journal.open(path, write=False).close()
            found[path] = None
    return [*found]


def _neighbours(paths: tuple[Path, ...], library: Path) -> list[Path]:
    """Where the session stands that a fork came from, if it is not named: beside a
    named file, or in the library.
    """
    from ...engines.synth.exports.preferences import session_files

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
