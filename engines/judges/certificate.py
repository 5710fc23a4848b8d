"""Whether people's labels and an audit prove a judge: a certificate, a refusal, or what
is still missing.

A judge is certified where the lower 95 % bounds of sensitivity and specificity (of
agreement for levels) reach the wanted share, on labels that decided on no certificate
before, and where its audit is clean. It is refused where a figure itself is below the
share, or an audit found a bias. Otherwise nobody can know yet.

Labels that decided are used up, also those of a refusal: a judge that is changed until
it passes on the same labels has learned the labels.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import yaml

from ...sessions.clean import json_line
from ...sessions.errors import BadInput
from ...sessions.files import REPORT, write_whole
from ...sessions.paths import private_dir
from ...texts import t
from ...texts.settings import listed
from ..calibration.judged_item import JudgedItem, Share, labelled, share
from ..figures.certificates import (
    Certificate,
    CertifiedAudit,
    CertifiedLabels,
    CertifiedShare,
    JudgeFacts,
    PeopleAgreement,
    bounds_in_words,
    certificate_folder,
)
from ..metrics.shares import score_interval

AT_LEAST = 0.8
EXPECTED = 0.9
"""The share that is taken for one of which nothing is known yet."""
AGREEMENTS = {
    "level": "level_agreement",
    "side": "agreement",
    "correctness": "agreement",
    "judge-preference": "agreement",
}
"""Where a verdict is no yes or no, the figure that stands for both."""
MOST_MISSING = 5000
MOST_SEEN = 0.05
"""The share of labels that may be given after the machine's verdict was visible."""
USED = "used.jsonl"
"""The labels that have decided, in the folder of certificates."""

Outcome = Literal["certified", "refused", "unknown"]


class JudgeLabels(NamedTuple):
    """The labels beside a judge's verdicts."""

    things: Sequence[JudgedItem]
    """What it has judged and people labelled; `content` identifies each label."""
    people: PeopleAgreement
    file: str
    seen: int = 0
    """Labels given after its verdict was visible."""


@dataclass(frozen=True)
class LabelledJudge:
    """A judge, and the labels beside its verdicts."""

    judge: JudgeFacts
    labels: JudgeLabels
    data_set: str
    not_random: bool = False
    """The labels are no random sample of what it has judged."""


class AuditRecord(NamedTuple):
    """What the report of an audit says."""

    folder: str
    date: str
    models: tuple[str, ...]
    """Those that were audited, also as a panel; empty where the report does not say."""
    verdicts: Mapping[str, str]
    """Probe to `clean`, `biased` or `unclear`."""
    needed: Mapping[str, int]
    """Of unclear probes, how many items would tell."""
    seat: str = ""
    """The role that was audited; "": the report does not say."""
    missing: int = 0
    """Items that were not asked to the end."""
    prompts: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        return bool(self.verdicts) and set(self.verdicts.values()) == {"clean"}


class CertificationResult(NamedTuple):
    """What came of it."""

    outcome: Outcome
    reasons: list[str]
    certificate: Certificate | None
    labels: list[str]
    """Digests of the labels that decided."""

    @property
    def as_json(self) -> dict[str, object]:
        made = self.certificate and msgspec.to_builtins(self.certificate)
        return {"outcome": self.outcome, "reasons": self.reasons, "certificate": made}

    @property
    def in_words(self) -> str:
        """`REFUSED: …`"""
        if self.certificate is not None:
            bounds = bounds_in_words(self.certificate.bounds)
            n = self.certificate.labels.n
            return t("report.certify.certified", n=n, bounds=bounds)
        return t(f"report.certify.{self.outcome}", why=" ".join(self.reasons))


def certify(
    name: str, judge: LabelledJudge, at_least: float, audit: AuditRecord | None
) -> CertificationResult:
    """Whether a judge is certified under this name. Reads which labels are used up."""
    known = labelled(judge.labels.things)
    used = used_labels()
    fresh = [each for each in known if label_digest(each) not in used]
    digests = sorted(map(label_digest, fresh))
    refused: list[str] = []
    missing: list[str] = []
    if known and not fresh:
        names = listed(sorted({used[label_digest(each)] for each in known}))
        refused.append(t("report.certify.used", n=len(known), names=names))
        return CertificationResult("refused", refused, None, [])
    figures = figures_of(fresh, judge.judge.measure)
    for figure, found in figures.items():
        (refused if _below(found, at_least) else missing).extend(
            _lacking(figure, found, at_least)
        )
    refused += _unusable(judge, len(known))
    if judge.not_random:
        missing.append(t("report.certify.not_random"))
    _look_at_audit(judge.judge, audit, refused, missing)
    if refused or missing:
        decided = digests if any(_below(x, at_least) for x in figures.values()) else []
        outcome: Outcome = "refused" if refused else "unknown"
        return CertificationResult(outcome, [*refused, *missing], None, decided)
    assert audit is not None
    assert judge.judge.model is not None
    assert judge.judge.prompts is not None
    method, role = judge.judge.item_kind
    certificate = Certificate(
        name=name,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        model=judge.judge.model,
        endpoint=sorted(judge.judge.endpoint),
        fingerprint=sorted(judge.judge.fingerprint),
        prompts=judge.judge.prompts,
        method=method,
        role=role,
        measure=judge.judge.measure,
        labels=CertifiedLabels(
            digest=_digest("".join(digests)),
            n=len(fresh),
            file=judge.labels.file,
            seen=judge.labels.seen,
        ),
        figures={name: _certified(figure) for name, figure in figures.items()},
        at_least=at_least,
        people=judge.labels.people,
        language=judge.judge.prompts.split()[0] if method else "",
        data_set=judge.data_set,
        audit=CertifiedAudit(
            folder=audit.folder,
            date=audit.date,
            clean=audit.clean,
            probes=sorted(audit.verdicts),
        ),
    )
    return CertificationResult("certified", [], certificate, digests)


def figures_of(known: Sequence[JudgedItem], measure: str) -> dict[str, Share]:
    """The figures that a certificate needs, of labelled things."""
    if measure in AGREEMENTS:
        agreed = share((one.cluster, one.holds is True) for one in known)
        return {AGREEMENTS[measure]: agreed}
    return {
        "sensitivity": share(
            (one.cluster, one.holds is True) for one in known if one.truth
        ),
        "specificity": share(
            (one.cluster, one.holds is False) for one in known if not one.truth
        ),
    }


def labels_missing(found: Share, at_least: float) -> int | None:
    """How many more labels of this kind bring the lower bound to `at_least`, if the
    share stays as it is; 0: it is there, None: no number that people can give.
    """
    if found.low is not None and found.low >= at_least:
        return 0
    value = EXPECTED if found.value is None else found.value
    # what the labels are worth, for they may stand in clusters
    worth = _worth(value, found.low) if found.low is not None else 0.0
    if value <= at_least:
        return None
    ratio = max(found.of / worth, 1.0) if worth else 1.0
    for n in range(1, MOST_MISSING + 1):
        # as near the share as a whole number of labels is
        hoped = round(value * (found.of + n)) / (found.of + n)
        if score_interval(hoped, worth + n / ratio)[0] >= at_least:
            return n
    return None


def _worth(value: float, low: float) -> float:
    """The independent labels that have this lower bound."""
    few, many = 0.01, 1e7
    for _ in range(60):
        middle = math.sqrt(few * many)
        if score_interval(value, middle)[0] < low:
            few = middle
        else:
            many = middle
    return few


def _below(found: Share, at_least: float) -> bool:
    return found.value is not None and found.value < at_least


def _lacking(name: str, found: Share, at_least: float) -> list[str]:
    """A sentence where a figure is too low, or rests on too few labels."""
    if found.low is not None and found.low >= at_least:
        return []
    words: dict[str, str | float] = {
        "name": t(f"report.certified.{name}"),
        "least": at_least,
    }
    if found.value is None:
        n = labels_missing(found, at_least)
        kind = t(f"report.certify.labels_{name}", n=n)
        return [t("report.certify.nothing", kind=kind, **words)]
    assert found.low is not None
    assert found.high is not None
    words |= {"value": found.value, "low": found.low, "high": found.high}
    if found.value < at_least:
        return [t("report.certify.below", **words)]
    n = labels_missing(found, at_least)
    if n is None:
        return [t("report.certify.too_close", **words)]
    kind = t(f"report.certify.labels_{name}", n=n)
    return [t("report.certify.more", kind=kind, **words)]


def _unusable(judge: LabelledJudge, known: int) -> list[str]:
    """Why these labels or this run cannot certify anything."""
    sentences = []
    if judge.judge.model is None:
        sentences.append(t("report.certify.models"))
    if judge.judge.prompts is None:
        sentences.append(t("report.certify.prompts"))
    seen = judge.labels.seen
    if known and seen / known > MOST_SEEN:
        sentences.append(t("report.certify.seen", n=seen, total=known, most=MOST_SEEN))
    return sentences


def _look_at_audit(
    judge: JudgeFacts,
    audit: AuditRecord | None,
    refused: list[str],
    missing: list[str],
) -> None:
    if audit is None:
        missing.append(t("report.certify.no_audit"))
        return
    if audit.models and judge.model is not None and judge.model not in audit.models:
        models = listed(audit.models)
        refused.append(
            t("report.certify.other_audit", models=models, model=judge.model)
        )
    role = judge.item_kind[1]
    if audit.prompts and judge.prompts and judge.prompts not in audit.prompts:
        refused.append(t("report.certify.other_prompts"))
    if audit.seat and audit.seat not in (role, judge.measure):
        refused.append(t("report.certify.other_seat", seat=audit.seat, role=role))
    if audit.missing:
        words = {"folder": audit.folder, "n": audit.missing}
        missing.append(t("report.certify.unfinished_audit", **words))
    biased = [name for name, verdict in audit.verdicts.items() if verdict == "biased"]
    if biased:
        refused.append(t("report.certify.biased", probes=listed(biased)))
    unclear = [name for name, verdict in audit.verdicts.items() if verdict == "unclear"]
    if unclear:
        needed = max((audit.needed.get(name, 0) for name in unclear), default=0)
        key = "unclear_needed" if needed else "unclear"
        probes = listed(unclear)
        missing.append(t(f"report.certify.{key}", probes=probes, n=needed))
    if not audit.verdicts:
        missing.append(t("report.certify.empty_audit", folder=audit.folder))


def _certified(found: Share) -> CertifiedShare:
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return CertifiedShare(
        value=round(found.value, 6),
        low=round(found.low, 6),
        high=round(found.high, 6),
        count=found.count,
        of=found.of,
    )


def people_agreement(
    raters: Mapping[str, Mapping[str, object]], cluster: Mapping[str, str]
) -> PeopleAgreement:
    """How often two people give an item the same label.

    `raters`: by name what they say of each item; `cluster`: that of an item.
    """
    told: list[tuple[str, bool]] = []
    names = sorted(raters)
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            told += [
                (cluster.get(item, item), value == raters[second][item])
                for item, value in raters[first].items()
                if item in raters[second]
            ]
    agreement = _certified(share(told)) if told else None
    return PeopleAgreement(raters=names, n=len(told), agreement=agreement)


# ------------------------------------------------------------------ the audit


def read_audit(folder: Path) -> AuditRecord:
    """What the report of an audit's folder says. Raises: BadInput."""
    path = folder / REPORT
    try:
        report = json.loads(path.read_text("utf-8"))
        probes = {one["probe"]: one for one in report["probes"]}
        verdicts = {name: str(probe["verdict"]) for name, probe in probes.items()}
        needed = {
            name: int(probes[name].get("needed") or 0)
            for name, verdict in verdicts.items()
            if verdict == "unclear"
        }
        about = dict(report.get("audit") or {})
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise BadInput(t("wrong.certify.no_audit", path=path)) from None
    made_with = report.get("made_with") or {}
    seated = made_with.get(f"model.{about.get('role')}", ())
    seat = str(about.get("seat") or "")
    return AuditRecord(
        str(folder.resolve()),
        str(report.get("date") or ""),
        (*report.get("models", ()), *(one for one in seated if ": " in one)),
        verdicts,
        needed,
        seat,
        int(about.get("missing") or 0),
        () if about.get("prompts") else tuple(made_with.get("prompts", ())),
    )


# ------------------------------------------------------------------ labels and files


def label_digest(judged_item: JudgedItem) -> str:
    """The label digest of an item, whatever the label: of the item and of the judged
    text.
    """
    return _digest(judged_item.content or judged_item.id)[:16]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def used_labels() -> dict[str, str]:
    """The digest of each label that has decided, to the name it decided on."""
    try:
        text = (certificate_folder() / USED).read_text("utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadInput(f"{certificate_folder() / USED}: {error.strerror}") from None
    found: dict[str, str] = {}
    for line in text.splitlines():
        try:
            row = json.loads(line)
            found |= dict.fromkeys(row["labels"], str(row["name"]))
        except (ValueError, LookupError, TypeError):
            continue  # a line that was cut off
    return found


def certificate_path(name: str) -> Path:
    """Where a certificate of this name is written: in the user's folder, or at a path.

    Raises: BadInput for a name that is not a file's, or a file that exists.
    """
    path = Path(name)
    if path.name == name and path.suffix != ".yaml":
        path = certificate_folder() / f"{name}.yaml"
    if not path.stem or path.stem.startswith(".") or "\0" in name:
        raise BadInput(t("wrong.certify.name", name=name))
    if path.exists():
        raise BadInput(t("wrong.file.exists", path=path))
    return path


def keep(result: CertificationResult, name: str, path: Path) -> None:
    """Writes the certificate, if there is one, and which labels have decided."""
    if result.labels:
        private_dir(certificate_folder())
        row = {
            "name": name,
            "outcome": result.outcome,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "labels": result.labels,
        }
        with (certificate_folder() / USED).open("a", encoding="utf-8") as file:
            file.write(json_line(row))
    if result.certificate is not None:
        text = yaml.safe_dump(
            msgspec.to_builtins(result.certificate), allow_unicode=True, sort_keys=False
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
