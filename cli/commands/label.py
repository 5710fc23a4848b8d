"""`label`: a person's own levels for the pairs of a session or of a folder, in the app;
and how far everybody is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...texts import t
from ...texts.columns import cells, pad
from .. import console
from ..command import command
from ..flags import PATH, flag_option, output_option, typed_option, whole_option
from ..label_targets import are_answers
from ..samples import per_level, per_verdict, sample_told, so_many
from ..screen import app_options, open_app, plain_option

if TYPE_CHECKING:
    from ...sessions.case_pairs import PairAt
    from ...sessions.events.labels import Assignment
    from ...sessions.label_team import Team


@command()
@click.argument("file", type=PATH, metavar="FILE|DIR")
@click.option("--annotator", metavar="NAME")
@click.option("--assign", metavar="I/N")
@click.option("--overlap", metavar="SHARE")
@click.option("--sample", metavar="K/level|K/verdict")
@whole_option("--seed", 0, 2**63 - 1)
@click.option("--team", metavar="NAME,…")
@typed_option("--guideline", PATH, "FILE")
@typed_option("--training", PATH, "FILE")
@typed_option("--checks", PATH, "FILE")
@flag_option("--advance")
@flag_option("--assisted")
@flag_option("--progress")
@flag_option("--overview")
@flag_option("--plan")
@output_option
@app_options
@plain_option
def label(
    file: Path,
    annotator: str | None,
    assign: str | None,
    overlap: str | None,
    sample: str | None,
    seed: int | None,
    team: str | None,
    guideline: Path | None,
    training: Path | None,
    checks: Path | None,
    advance: bool,
    assisted: bool,
    progress: bool,
    overview: bool,
    plan: bool,
    output: str,
) -> int:
    """Label the pairs of cases, or the answers, of a folder in the app; any number of
    people at once.
    """
    answers = are_answers(file)
    if plan:
        return _plan(file, output, answers)
    if progress:
        return _progress(file, output, answers)
    if overview:
        return _overview(file, output, answers)
    given = {"guideline": guideline, "training": training, "checks": checks}
    if team is not None or any(given.values()):
        if assign is not None or annotator is not None:
            raise bad_input("wrong.labels.team_alone")
        made = _team_of(file, team, (overlap, sample, seed), given, answers)
        return _write_team(file, made, output, answers)
    each = per_verdict(sample) if answers and sample is not None else None
    part = assignment_of(
        assign,
        overlap,
        str(each) if each else sample,
        seed,
        so_many if answers else per_level,
    )
    if each and part is not None:
        from ...engines.studies.rating import drawn_by_verdict

        part = drawn_by_verdict(_strata(file), each, part)
    if annotator is None:
        raise bad_input("wrong.labels.no_annotator")
    how = {"advance": advance, "assisted": assisted}
    return _label(file, annotator, part, how, answers=answers)


def _label(
    file: Path,
    annotator: str,
    part: Assignment | None,
    how: dict[str, bool],
    *,
    answers: bool,
) -> int:
    """Opens the app for one person. `how`: `advance` and `assisted`."""
    from ...engines.relevance.queue import share_warnings
    from ...sessions.annotators import name_of, of_nearly
    from ...sessions.label_store import LabelStore
    from ...tui.workspaces.relevance.labeling.start import labelling

    name = name_of(annotator)
    store = (LabelStore.of_answers if answers else LabelStore.of_pairs)(file, name)
    if store.team is not None:
        if part is not None:
            raise bad_input(
                "wrong.labels.team_decides", path=clean(str(file), newlines=False)
            )
        part = store.team.assignment_of(name)
    pairs = [] if answers else store.pairs
    names = store.people.keys()
    for warning in store.warnings():
        console.say(warning)
    if name not in names and (near := of_nearly(name, sorted(names))):
        console.tell(
            "report.said.nearly_same_name",
            name=name,
            other=clean(", ".join(near), newlines=False)[:200],
        )
    if answers:
        from ...engines.studies.rating import BlindRater

        if how["assisted"]:
            raise bad_input("wrong.labels.assisted_answers")
        rater = BlindRater.open(file, name, part, advance=how["advance"])
        return open_app(None, rater=rater)
    if part is not None:
        _say_sample(pairs, part)
    for warning in share_warnings(pairs, store, name, part):
        console.say(warning)
    return open_app(None, sitting=labelling(file, name, part, **how))


def _team_of(
    file: Path,
    people: str | None,
    given: tuple[str | None, str | None, int | None],
    named: Mapping[str, Path | None],
    answers: bool,
) -> Team:
    """The team as the options say, and else as it was. `given`: overlap, sample and
    seed; `named`: the files of guideline, training and checks. Raises: BadInput.
    """
    import msgspec

    from ...sessions.files import read_text
    from ...sessions.label_team import Team, people_of, read_team

    overlap, sample, seed = given
    before = read_team(file)
    if people is None:
        if before is None:
            raise bad_input("wrong.labels.no_team")
        team = before
    else:
        shares = people_of(people)
        team = Team(people=shares) if before is None else before.changed(shares)
    changes: dict[str, object] = {}
    if overlap is not None:
        changes["overlap"] = share_of(overlap)
    if sample is not None:
        changes["sample"] = (so_many if answers else per_level)(sample)
    if seed is not None:
        changes["seed"] = seed
    for field, path in named.items():
        if path is not None and field == "guideline":
            changes[field] = read_text(path)
        elif path is not None:
            changes[field] = _known_levels(file, path, answers)
    return msgspec.structs.replace(team, **changes)


def _known_levels(file: Path, path: Path, answers: bool) -> dict[str, int]:
    """Digest of a pair here to the level that a file gives it.

    Raises: BadInput, also where a level is of no pair here.
    """
    from ...engines.metrics.raters import read_labels
    from ...sessions.label_store import LabelStore

    if answers:
        raise bad_input("wrong.labels.known_answers")
    levels = read_labels(path)
    pairs = LabelStore.of_pairs(file, "").pairs
    found = {
        pair.key.subject: levels[pair.query][pair.candidate]
        for pair in pairs
        if pair.candidate in levels.get(pair.query, {})
    }
    if len(found) < sum(map(len, levels.values())):
        raise bad_input(
            "wrong.labels.known_elsewhere",
            path=path,
            n=sum(map(len, levels.values())) - len(found),
        )
    return found


def _write_team(file: Path, team: Team, output: str, answers: bool) -> int:
    """Write the team file, and print how many pairs or answers each person gets."""
    from ...engines.relevance.queue import everyone
    from ...engines.studies import rating
    from ...sessions.label_assignment import is_common
    from ...sessions.label_store import LabelStore
    from ...sessions.label_team import write_team

    store = (LabelStore.of_answers if answers else LabelStore.of_pairs)(file, "")
    store.team = team
    if answers:
        found = rating.answers_in(file)
        shares = rating.everyone(store, found)
        keys = [answer.item for answer in found]
    else:
        shares = everyone(store.pairs, store)
        keys = [pair.key.subject for pair in store.pairs]
    path = write_team(file, team)
    known = team.training.keys() | team.checks.keys()
    shared = sum(key in known or is_common(key, team.assignment) for key in keys)
    if output == "json":
        sizes = {one.annotator: one.assigned for one in shares}
        told = {"file": str(path), "all": len(keys), "common": shared, "people": sizes}
        console.out_json(told)
        return console.DONE
    console.line(t("report.said.team_written", path=clean(str(path), newlines=False)))
    for one in shares:
        if one.annotator in team.people:
            name = clean(one.annotator, newlines=False)
            console.line(t("report.said.team_share", name=name, n=one.assigned))
    console.line(t("report.said.team_common", n=shared, total=len(keys)))
    return console.DONE


def assignment_of(
    assign: str | None,
    overlap: str | None,
    sample: str | None,
    seed: int | None,
    sampled: Callable[[str], int] = per_level,
) -> Assignment | None:
    """The share of one annotator according to the options; None without any of them.

    `sampled` reads `--sample`. Raises: BadInput.
    """
    from ...sessions.events.labels import Assignment

    if assign is None and overlap is not None:
        raise bad_input("wrong.labels.overlap_alone")
    if assign is None and sample is None and seed is None:
        return None
    part, of = _part(assign)
    return Assignment(
        part=part,
        of=of,
        overlap=share_of(overlap),
        sample=None if sample is None else sampled(sample),
        seed=seed or 0,
        hashed=True,
    )


def share_of(text: str | None) -> float:
    """`20%` or `.2` as a share. Raises: BadInput."""
    if text is None:
        return 0.0
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise bad_input("wrong.labels.overlap", text=clean(text, newlines=False)[:40])
    return share


def _part(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    part, of = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    if not 1 <= part <= of:
        raise bad_input("wrong.labels.assign", text=clean(text, newlines=False)[:40])
    return part, of


def _say_sample(pairs: list[PairAt], part: Assignment) -> None:
    """Says whose levels a sample is drawn by, where a level has fewer pairs than
    wanted, and what no sample has.
    """
    from ...engines.relevance.queue import strata

    if part.sample is None:
        return
    found = strata(pairs, part.sample, part.seed, hashed=part.hashed)
    console.say(sample_told(found.by, found.counts, part.sample, found.left))


def _strata(file: Path) -> dict[str, list[str]]:
    """The judged answers by verdict. Raises: BadInput where there are none."""
    from ...engines.method import verdicts_of
    from ...engines.studies.rating import verdict_strata

    found = verdict_strata(file, verdicts_of)
    if not found:
        raise bad_input("wrong.calibrate.no_judge", path=file)
    return found


def _plan(file: Path, output: str, answers: bool) -> int:
    """Says how many labels of each class a certificate needs, and which verdicts there
    are.
    """
    from ...engines.calibration.stratified import OBSERVED, needed

    numbers = {f"{observed:g}": needed(observed) for observed in OBSERVED}
    sizes = {word: len(ids) for word, ids in _strata(file).items()} if answers else {}
    if output == "json":
        console.out_json({"needed": numbers, "strata": sizes})
        return console.DONE
    console.line(t("report.said.plan"))
    for observed, n in numbers.items():
        console.line(t("report.said.plan_row", observed=f"{float(observed):.0%}", n=n))
    for word, n in sizes.items():
        verdict = t(f"report.said.verdict_{word}")
        console.line(t("report.said.plan_stratum", verdict=verdict, n=n))
    return console.DONE


def _overview(file: Path, output: str, answers: bool) -> int:
    from datetime import UTC, datetime

    from ...engines.relevance.labeling_overview import overview
    from ...engines.relevance.overview_report import overview_json, overview_report
    from ...engines.relevance.queue import share_warnings
    from ...engines.reports.forms import write
    from ...sessions.label_store import LabelStore

    if answers:
        raise bad_input("wrong.labels.no_overview")
    store = LabelStore.of_pairs(file, labeler="")
    for warning in [*store.warnings(), *share_warnings(store.pairs, store)]:
        console.say(warning)
    found = overview(store, datetime.now(UTC))
    if output == "json":
        console.out_json(overview_json(found))
    else:
        console.out(write(overview_report(found), output))
    return console.DONE


def _progress(file: Path, output: str, answers: bool) -> int:
    from ...engines.relevance.queue import everyone, share_warnings
    from ...engines.studies import rating
    from ...sessions.label_store import LabelStore

    if answers:
        found = rating.answers_in(file)
        people, nobody = (
            rating.everyone(LabelStore.of_answers(file), found),
            t("report.said.nobody_rated", answers=len(found)),
        )
    else:
        store = LabelStore.of_pairs(file, labeler="")
        pairs = store.pairs
        people, nobody = (
            everyone(pairs, store),
            t("report.said.nobody_labelled", pairs=len(pairs)),
        )
        fit = share_warnings(pairs, store) if people else []
        for warning in [*store.warnings(), *fit]:
            console.say(warning)
    if output == "json":
        for one in people:
            console.out_json(one._asdict())
        return console.DONE
    if not people:
        console.line(nobody)
    width = max(
        (cells(clean(one.annotator, newlines=False)) for one in people), default=0
    )
    for one in people:
        undecided = (
            t("report.said.progress_undecided", n=one.undecided)
            if one.undecided
            else ""
        )
        others = t("report.said.progress_others", n=one.others) if one.others else ""
        name = pad(clean(one.annotator, newlines=False), width)
        console.out(
            t("report.said.progress", name=name, done=one.done, assigned=one.assigned)
            + undecided
            + others
            + "\n"
        )
    return console.DONE
