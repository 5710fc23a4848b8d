"""Certificates of judges: what people's labels have shown of a model's verdicts, and
whether that holds for a run.

A certificate is `certificates/NAME.yaml` in the user's data folder. It holds for the
same model, prompts, measure and item kind, and for nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml

from ...sessions.errors import BadInput, bad_input, cause
from ...sessions.paths import paths
from ...sessions.session import Seat
from ...texts import has, t
from ...texts.roles import role_name
from ...texts.settings import listed
from ..models.config import Config
from ..models.lineup import BUILTINS
from ..models.port import ModelError
from ..models.targets import find_now
from .measure import Measure
from .warnings import FigureWarning, since_audit

FORMAT = "verifytui-certificate/1"
FOLDER = "certificates"
CORRECTED = "corrected."
"""Begins the name of a figure that people's labels have corrected."""
AGAIN = "again.jsonl"
"""Beside an audit: what repetitions of some of its items came to."""
SAME = "equivalence.same"
"""The judge that says which answers are the same."""
MOST_BYTES = 1_000_000


class CertifiedShare(msgspec.Struct, kw_only=True):
    """A share with its 95 % interval and its counts."""

    value: float
    low: float
    high: float
    count: int
    of: int


class CertifiedLabels(msgspec.Struct, kw_only=True):
    """The labels that a certificate rests on."""

    digest: str
    n: int
    file: str
    seen: int = 0
    """Labels given after the machine's verdict was visible."""


class PeopleAgreement(msgspec.Struct, kw_only=True):
    """How far the people who labelled agree with each other."""

    raters: list[str]
    n: int = 0
    """Pairs of labels of one item."""
    agreement: CertifiedShare | None = None


class CertifiedAudit(msgspec.Struct, kw_only=True):
    """The audit that a certificate rests on."""

    folder: str
    date: str
    clean: bool
    probes: list[str]


class Certificate(msgspec.Struct, kw_only=True):
    """What was shown of a judge."""

    format: str = FORMAT
    name: str
    date: str
    model: str
    """The id that answered; of a panel its members and rule."""
    endpoint: list[str] = []
    fingerprint: list[str] = []
    prompts: str
    """The language and the digest of the prompt set."""
    method: str
    role: str
    measure: str
    """What it says of an item: `judgement`, `level`, or what the seat of its audit
    certifies.
    """
    labels: CertifiedLabels
    figures: dict[str, CertifiedShare]
    """`sensitivity` and `specificity`, or an agreement."""
    at_least: float
    people: PeopleAgreement
    language: str
    data_set: str
    audit: CertifiedAudit

    @property
    def bounds(self) -> dict[str, float]:
        """The lower bound of each figure."""
        return {name: figure.low for name, figure in self.figures.items()}


class JudgeFacts(NamedTuple):
    """What identifies a judge: a certificate holds where all of this is equal."""

    model: str | None
    """None: several models answered."""
    prompts: str | None
    measure: str
    item_kind: tuple[str, str]
    """Its method and its role; no method for a seat that all methods share."""
    endpoint: frozenset[str] = frozenset()
    fingerprint: frozenset[str] = frozenset()
    """Where it answered, and what it called itself; empty: nothing is known."""


class JudgeStatus(msgspec.Struct, kw_only=True):
    """Whether a judge is certified for what a run's figures rest on."""

    measures: list[str]
    certified: bool | None
    """None: there are no labels."""
    certificate: str | None = None
    labels: int | None = None
    bounds: dict[str, float] = {}
    changed: list[str] = []
    """What differs from the certificate, by the names of `JudgeFacts`."""


def identity(certificate: Certificate) -> JudgeFacts:
    """The judge that a certificate is for."""
    return JudgeFacts(
        certificate.model,
        certificate.prompts,
        certificate.measure,
        (certificate.method, certificate.role),
        frozenset(certificate.endpoint),
        frozenset(certificate.fingerprint),
    )


def changed(certificate: Certificate, judge: JudgeFacts) -> list[str]:
    """What differs between the judge of a certificate and another."""
    return [
        name
        for name, was, now in zip(
            JudgeFacts._fields, identity(certificate), judge, strict=True
        )
        if _differs(was, now)
    ]


def _differs(was: object, now: object) -> bool:
    """Of endpoints and fingerprints: whether some are new, where both are known."""
    if isinstance(was, frozenset) and isinstance(now, frozenset):
        return bool(was and now - was)
    return was != now


def endpoints_of(seat: Seat, config: Config, env: Mapping[str, str]) -> frozenset[str]:
    """Where a seat is asked as it is set now; empty: nothing is known."""
    found = set()
    with suppress(BadInput, ModelError):
        for member in seat.members:
            target = find_now(member, config, env)
            if target is None:
                return frozenset()
            found.add(target.endpoint)
    return frozenset(found)


def judge_facts(
    made_with: Mapping[str, Sequence[str]],
    answered: Sequence[str],
    role: str,
    measure: str,
) -> JudgeFacts:
    """The judge of a run. `made_with`: its facts; `answered`: ids of its models."""
    panels = [one for one in made_with.get(f"model.{role}", ()) if ": " in one]
    names = panels or answered
    prompts = made_with.get("prompts", ())
    methods = made_with.get("method", ())
    return JudgeFacts(
        names[0] if len(names) == 1 else None,
        prompts[0] if len(prompts) == 1 else None,
        measure,
        (methods[0] if len(methods) == 1 else "", role),
        frozenset(made_with.get(f"endpoint.{role}", ())),
        frozenset(made_with.get(f"fingerprint.{role}", ())),
    )


def outside_facts(
    role: str, measure: str, models: Sequence[str], prompts: Iterable[str]
) -> JudgeFacts:
    """The judge that has no turn in sessions. `prompts`: their digests, one for each
    language.
    """
    known = " ".join(
        sorted({prompt.removeprefix("sha256:")[:12] for prompt in prompts})
    )
    return judge_facts({"prompts": [known]}, models, role, measure)


def status_of(
    judge: JudgeFacts,
    certificates: Sequence[Certificate],
    measures: Iterable[str] = (),
    *,
    labelled: bool = False,
) -> JudgeStatus:
    """Whether a certificate is valid for a judge, or what differs in the nearest one of
    the same item kind.
    """
    alike = [
        (changed(certificate, judge), certificate)
        for certificate in certificates
        if identity(certificate).item_kind == judge.item_kind
    ]
    if not alike:
        known = False if labelled else None
        return JudgeStatus(measures=list(measures), certified=known)
    # the newest of the nearest
    differs, found = min(reversed(alike), key=lambda pair: len(pair[0]))
    return JudgeStatus(
        measures=list(measures),
        certified=not differs,
        certificate=found.name,
        labels=found.labels.n,
        bounds=found.bounds,
        changed=differs,
    )


class RunJudges(NamedTuple):
    """Who judged in a run."""

    made_with: Mapping[str, Sequence[str]]
    """Its facts."""
    answered: Mapping[str, Sequence[str]]
    """Role to the ids of the models that answered for it."""
    role: str
    """The one whose verdict is meant where a measure names none."""

    def statuses(
        self,
        measures: Iterable[Measure],
        certificates: Sequence[Certificate],
        *,
        labelled: bool = False,
    ) -> dict[str, JudgeStatus]:
        """`ROLE.VERDICT` of each judge that these measures rest on, to whether it is
        certified.
        """
        return {
            key: status_of(self._facts(key), certificates, names, labelled=labelled)
            for key, names in self._judged(measures).items()
        }

    def changed(self, measures: Iterable[Measure]) -> list[FigureWarning]:
        """A warning for each certified judge that answers otherwise than in its audit
        (`audit --again`).
        """
        judged = self._judged(measures).items()
        return since_audits([(self._facts(key), names) for key, names in judged])

    def _judged(self, measures: Iterable[Measure]) -> dict[str, list[str]]:
        """`ROLE.VERDICT` of a judge to the names of the measures that rest on it."""
        found: dict[str, list[str]] = {}
        for measure in measures:
            role, _, verdict = measure.judge.partition(".")
            own = not role and {*self.answered.get(self.role, ())} - {*BUILTINS}
            if role or (verdict and own):
                key = f"{role or self.role}.{verdict}"
                found.setdefault(key, []).append(measure.name)
        return found

    def _facts(self, key: str) -> JudgeFacts:
        role, _, verdict = key.partition(".")
        return judge_facts(self.made_with, self.answered.get(role, ()), role, verdict)


def since_audits(
    judges: Sequence[tuple[JudgeFacts, Sequence[str]]],
) -> list[FigureWarning]:
    """See `RunJudges.changed`. `judges`: each with the measures that rest on it."""
    found = []
    for certificate in read_certificates() if judges else ():
        last = again_of(Path(certificate.audit.folder))[-1:]
        if not last or last[0].get("verdict") != "changed":
            continue
        found += [
            since_audit(certificate.model, certificate.audit.folder, names)
            for judge, names in judges
            if not changed(certificate, judge)
        ]
    return found


def status_on(
    judges: Mapping[str, JudgeStatus] | None, measure: str
) -> JudgeStatus | None:
    """The judge whose verdicts a measure rests on; None for no model."""
    listed_ = (judges or {}).values()
    return next((one for one in listed_ if measure in one.measures), None)


# ------------------------------------------------------------------ files


def certificate_folder() -> Path:
    """The folder of the user's certificates."""
    return paths().data / FOLDER


def certified_at() -> int:
    """When a file of that folder was last written or deleted, in nanoseconds; 0: there
    is none.
    """
    with suppress(OSError):
        return certificate_folder().stat().st_mtime_ns
    return 0


def read_certificate(path: Path) -> Certificate:
    """The certificate in a file. Raises: BadInput."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError
        found = msgspec.convert(yaml.safe_load(path.read_text("utf-8")), Certificate)
    except OSError as error:
        raise BadInput(f"{path}: {cause(error)}") from None
    except (ValueError, yaml.YAMLError, RecursionError):
        raise bad_input("wrong.certify.unreadable", path=path) from None
    if found.format != FORMAT:
        raise bad_input("wrong.certify.unreadable", path=path)
    return found


def read_certificates(more: Sequence[Path] = ()) -> list[Certificate]:
    """The user's certificates, oldest first, then those of `more` files.

    A file of the user's folder that cannot be read certifies nothing; `doctor` names
    it. Raises: BadInput for one of `more`.
    """
    found = []
    for path in sorted(certificate_folder().glob("*.yaml")):
        try:
            found.append(read_certificate(path))
        except BadInput:
            continue
    found.sort(key=lambda one: one.date)
    return found + [read_certificate(path) for path in more]


def again_of(folder: Path) -> list[dict[str, object]]:
    """What repetitions of an audit's anchor items came to, oldest first; empty where
    nothing can be read.
    """
    with suppress(OSError, ValueError):
        lines = (folder / AGAIN).read_text("utf-8").splitlines()
        return [one for one in map(json.loads, lines) if isinstance(one, dict)]
    return []


# ------------------------------------------------------------------ words


def bounds_in_words(bounds: Mapping[str, float]) -> str:
    """`sensitivity ≥ 84.1%, specificity ≥ 81.0%`"""
    return listed(
        t("report.certified.bound", name=t(f"report.certified.{name}"), low=low)
        for name, low in bounds.items()
    )


def in_words(status: JudgeStatus) -> str:
    """`certified (…)`, `not certified`, or `no labels`."""
    if status.certified is None:
        return t("report.certified.no_labels")
    if status.certified:
        bounds = bounds_in_words(status.bounds)
        return t("report.certified.yes", n=status.labels, bounds=bounds)
    if status.certificate is None:
        return t("report.certified.no")
    differs = listed(t(f"report.certified.changed_{one}") for one in status.changed)
    return t("report.certified.expired", name=status.certificate, changed=differs)


def certificate_in_words(certificate: Certificate) -> str:
    """`gpt-4 (verifier, judgement), 2026-11-26: 150 labels; …`"""
    return t(
        "report.certified.listed",
        model=certificate.model,
        role=role_name(certificate.role),
        measure=verdict_name(certificate.measure),
        date=certificate.date[:10],
        n=certificate.labels.n,
        bounds=bounds_in_words(certificate.bounds),
    )


def verdict_name(measure: str) -> str:
    """What a certificate is about, in the user's language."""
    key = f"report.certified.of_{measure}"
    return t(key) if has(key) else measure


def judge_in_words(key: str, status: JudgeStatus) -> str:
    """`Verifier, judgement: certified (…)`"""
    role, _, measure = key.partition(".")
    name = f"{role_name(role)}, {verdict_name(measure)}"
    return t("report.certified.judge", name=name, status=in_words(status))
