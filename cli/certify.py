"""Certificates: `calibrate --certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..sessions.errors import BadInput
from ..sessions.files import AUDITED
from ..texts import t

if TYPE_CHECKING:
    from ..engines.calibration.machine import Calibration
    from ..engines.judges.certificate import CertificationResult


def certified(
    name: str,
    found: list[Calibration],
    paths: tuple[Path, ...],
    at_least: float | None,
    audit: Path | None,
    labels: Path | None,
    raters: list[str],
) -> CertificationResult:
    """Certifies the judge of the only run, or of an audit or debates (nothing `found`),
    and writes what came of it. `labels`, `raters`: those of debates.

    Raises: BadInput where there are several runs, or none of ours.
    """
    from ..engines.figures.runs import read_run
    from ..engines.judges import certificate
    from ..engines.judges.labelled import (
        audited_judge,
        choosing_judge,
        labelled_judge,
    )
    from ..engines.method import judging_seats, method

    if len(paths) != 1 or not paths[0].is_dir() or len(found) > 1:
        raise BadInput(t("wrong.certify.one_run"))
    if (paths[0] / AUDITED).is_file():
        audit = audit or paths[0]
        judge = audited_judge(paths[0], judging_seats())
    elif found and found[0].answers is not None and found[0].answers.by == "gold":
        raise BadInput(t("wrong.certify.people"))
    else:
        run = read_run(paths[0])
        kinds = method(run.methods[0]).batches if len(run.methods) == 1 else {}
        kind = next((one for one in kinds.values() if one.verdict), None)
        if kind is None:
            raise BadInput(t("wrong.certify.one_run"))
        if found:
            judge = labelled_judge(found[0], run, kind)
        else:
            [way] = method(run.methods[0]).judging_seats.values()
            judge = choosing_judge(run, kind, way, labels, raters)
    path = certificate.certificate_path(name)
    read = certificate.read_audit(audit) if audit is not None else None
    least = certificate.AT_LEAST if at_least is None else at_least
    result = certificate.certify(path.stem, judge, least, read)
    certificate.keep(result, path.stem, path)
    return result
