"""A machine beside people, as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...sessions.clean import clean
from ...texts import has, own_words, t
from ...texts.columns import cells, pad
from ..metrics.compare import LEAST_PAIRS, Comparison
from ..metrics.report import (
    kappas_text,
    queries_text,
    rates_text,
    singles_text,
    tables_text,
)
from ..studies.wording import NOTHING, measure_name
from .calibrated import Calibrated, Question
from .confusion import Confusion
from .judged import Share
from .roc import Roc
from .thresholds import LEAST_LABELS, LEAST_OF_EACH, Chosen, Goal, Reached, Rules

SHARES = ("sensitivity", "specificity", "precision", "negative", "accuracy")
RATES = ("people", "machine")
WIDTH = 80


def text(one: Calibrated, *, full: bool = False) -> str:
    """What a person wants to know of one machine: how far to trust it, the rate, the bounds. `full`: every figure."""
    lines = (
        _answers(one, full=full) if one.answers is not None else _levels(one, full=full)
    )
    return "".join(
        f"{line.rstrip()}\n"
        for line in [
            *lines,
            t("report.calibrate.full" if full else "report.calibrate.more"),
        ]
    )


def table(many: Sequence[Calibrated]) -> str:
    """A line for each machine, where there are several: of answers, or how well it finds what is at level 2 or above."""
    width = max(cells(_name(one.name)) for one in many)
    levels = many[0].levels is not None
    columns = (
        "pairs" if levels else "labels",
        "kappa",
        "sensitivity",
        "specificity",
        "area",
        "people",
        "machine",
    )
    titles = [t(f"report.calibrate.column_{name}") for name in columns]
    wide = [max(7, cells(title) + 2) for title in titles]
    lines = [
        t("report.calibrate.several", n=len(many)),
        "",
        _row("", width, titles, wide),
    ]
    lines += [_row(_name(one.name), width, _in_short(one), wide) for one in many]
    lines += [
        "",
        *t(
            f"report.calibrate.several_{'levels' if levels else 'answers'}"
        ).splitlines(),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _in_short(one: Calibrated) -> list[str]:
    """The figures of one machine, a column each."""
    asked = _chief(one)
    kappa = (
        one.compared.kappa["levels_quadratic"]
        if one.compared is not None
        else asked.confusion.kappa
        if asked is not None
        else None
    )
    labels = (
        one.compared.pairs
        if one.compared is not None
        else asked.confusion.labels
        if asked is not None
        else 0
    )
    told = [
        f"{labels:,}",
        NOTHING if kappa is None or kappa.value is None else f"{kappa.value:.3f}",
    ]
    if asked is None:
        return told + [NOTHING] * 5
    shown = asked.confusion
    best = max(
        (roc.area for roc in asked.rocs.values() if roc.area is not None), default=None
    )
    told += [
        _percent(shown.sensitivity),
        _percent(shown.specificity),
        NOTHING if best is None else f"{best:.3f}",
    ]
    return [*told, _percent(shown.people), _percent(shown.machine)]


def _chief(one: Calibrated) -> Question | None:
    """The question that counts most: that of the legal bit, or the first there is."""
    return next(
        (asked for asked in one.question if asked.name == "at_least_2"),
        next(iter(one.question), None),
    )


def _row(name: str, width: int, told: Iterable[str], wide: Iterable[int]) -> str:
    return pad(name, width) + "".join(
        " " * (room - cells(one)) + one for one, room in zip(told, wide, strict=True)
    )


# ------------------------------------------------------------------ answers


def _answers(one: Calibrated, *, full: bool) -> list[str]:
    found, asked = one.answers, one.question[0]
    assert found is not None
    shown = asked.confusion
    models = ", ".join(
        f"{_name(model)} ({count:,})" if len(found.models) > 1 else _name(model)
        for model, count in found.models.items()
    )
    whose = t(
        f"report.calibrate.by_{found.by}", names=", ".join(map(_name, found.raters))
    )
    head = t("report.calibrate.head", name=_name(one.name), models=models, whose=whose)
    lines = [
        *(
            head if cells(head.replace("\n", "")) > WIDTH else head.replace("\n", "")
        ).splitlines(),
        t(
            "report.calibrate.counted",
            labels=shown.labels,
            judged=one.judged,
            clusters=shown.clusters,
        ),
    ]
    for why, count in found.left_out.items():
        lines.append(t(f"report.calibrate.left_{why}", n=count))
    if found.disputed:
        lines.append(t("report.calibrate.disputed", n=found.disputed))
    if shown.unread:
        lines.append(t("report.calibrate.unread", n=shown.unread))
    if found.seen:
        lines.append(t("report.calibrate.seen", n=found.seen))
    things = t("report.calibrate.things")
    lines += [
        "",
        t("report.calibrate.trust"),
        *(_table(shown, found.verdicts.words) if full else []),
    ]
    lines += [
        *_shares(shown, SHARES if full else SHARES[:3]),
        *(_rates(shown) if full else []),
        _kappa(shown),
    ]
    turned = {name for name, way in found.verdicts.better.items() if way == "lower"}
    lines += _rocs(asked, turned) if full else _best_score(asked, turned)
    lines += [
        "",
        t("report.calibrate.rates", what=things),
        *_rate(asked, things, full=full),
    ]
    if one.chosen is not None:
        lines += ["", t("report.calibrate.which"), *_bounds(one, one.chosen, full=full)]
    elif one.too_few is not None:
        lines += ["", t("report.calibrate.which"), *_indented(too_few(one.too_few))]
    return lines


def too_few(counts: tuple[int, int]) -> str:
    """Why no bounds are chosen."""
    right, wrong = counts
    return t(
        "report.calibrate.too_few",
        labels=right + wrong,
        right=right,
        wrong=wrong,
        least=LEAST_LABELS,
        each=LEAST_OF_EACH,
    )


def _table(shown: Confusion, words: Sequence[str]) -> list[str]:
    """What the machine said of what people call right and wrong."""
    said = [
        *words,
        *(
            word
            for word in {**shown.right, **shown.wrong}
            if word and word not in words
        ),
        *([""] if shown.unread else []),
    ]
    titles = [
        t(f"report.calibrate.said_{word or 'unread'}")
        if word in (*words, "")
        else _name(word)
        for word in said
    ]
    wide = [max(9, cells(title) + 2) for title in titles]
    rows = [
        (t("report.calibrate.right"), shown.right),
        (t("report.calibrate.wrong"), shown.wrong),
    ]
    width = 2 + max(cells(title) for title, _ in rows)
    lines = [t("report.calibrate.table"), _row("", width, titles, wide)]
    lines += [
        _row(f"  {title}", width, (f"{counts.get(word, 0):,}" for word in said), wide)
        for title, counts in rows
    ]
    return [*(f"  {line}" for line in lines), ""]


def _shares(shown: Confusion, names: Sequence[str] = SHARES) -> list[str]:
    return [
        f"  {pad(t(f'report.calibrate.{name}'), _width())}  {_share(getattr(shown, name))}"
        for name in names
    ]


def _width() -> int:
    """Of the longest title of a share."""
    return max(cells(t(f"report.calibrate.{name}")) for name in (*SHARES, *RATES))


def _rates(shown: Confusion) -> list[str]:
    return _shares(shown, RATES)


def _kappa(shown: Confusion) -> str:
    one = shown.kappa
    title = t(
        "report.calibrate.kappa_read" if shown.unread else "report.calibrate.kappa"
    )
    if one.value is None:
        return f"  {title}: {own_words(str(one.reason))}"
    return f"  {pad(title, _width())}  {one.value:.3f} {_between(one.low, one.high, '.3f')}  {t('report.calibrate.kappa_scale')}"


def _titles(asked: Question, turned: Collection[str]) -> dict[str, str]:
    return {
        name: ("1 − " if name in turned else "") + _score(name) for name in asked.rocs
    }


def _rocs(asked: Question, turned: Collection[str]) -> list[str]:
    titles = _titles(asked, turned)
    width = max(map(cells, titles.values()), default=0)
    rows = [
        f"    {pad(titles[name], width)}  {_area(roc, asked.unread[name])}"
        for name, roc in asked.rocs.items()
    ]
    return ["", *_indented(t("report.calibrate.roc")), *rows] if rows else []


def _best_score(asked: Question, turned: Collection[str]) -> list[str]:
    """The score that tells right from wrong best."""
    areas = {name: roc.area for name, roc in asked.rocs.items() if roc.area is not None}
    if not areas:
        return []
    name = max(areas, key=areas.__getitem__)
    told = _area(asked.rocs[name], asked.unread[name])
    return _indented(
        t("report.calibrate.best_score", name=_titles(asked, turned)[name], told=told)
    )


def _area(one: Roc, unread: int) -> str:
    more = t("report.calibrate.unread_scores", n=unread) if unread else ""
    if one.area is None:
        return t("report.calibrate.no_area") + more
    return f"{one.area:.3f} {_between(one.low, one.high, '.3f')}" + more


def _indented(told: str) -> list[str]:
    return [f"  {line}" for line in told.splitlines()]


# ------------------------------------------------------------------ the corrected rate


def _rate(asked: Question, what: str, *, full: bool) -> list[str]:
    """The corrected rate and what it rests on; or why there is none."""
    one = asked.corrected
    if one is None:
        known = t(
            "report.calibrate.no_rate_labels",
            n=asked.confusion.labels,
            rate=_percent(asked.confusion.people),
        )
        return _indented(
            f"{t(f'report.calibrate.no_rate_{asked.not_corrected}', what=what, least=LEAST_PAIRS)}\n{known}"
        )
    by = _score(asked.predict) if asked.predict else t("report.calibrate.judgement")
    given = {
        "what": what,
        "n": f"{one.labels + one.others:,}",
        "rate": f"{one.value:.1%}",
        "labels": f"{one.labels:,}",
    }
    given |= {
        "alone": f"{one.labels_alone:.1%}",
        "machine": f"{one.machine_alone:.1%}",
        "by": by,
    }
    if not one.others:
        lines = [t("report.calibrate.all_labelled", **given)]
    else:
        lines = [
            t(
                "report.calibrate.corrected",
                interval=_between(one.low, one.high, ".1%"),
                **given,
            )
        ]
        lines += [
            t("report.calibrate.corrected_from", **given),
            t("report.calibrate.random", what=what),
        ]
    if one.like.low is not None and (full or not one.others):
        between = _between(one.like.low, one.like.high, ".1%")
        lines.insert(
            1,
            t(
                "report.calibrate.like",
                what=what,
                interval=between,
                clusters=f"{one.clusters:,}",
            ),
        )
    if full and one.others:
        lines.append(t("report.calibrate.weight", weight=f"{one.weight:.2f}"))
        if one.worth is not None:
            lines.append(t("report.calibrate.worth", n=f"{round(one.worth):,}"))
    return _indented("\n".join(lines))


# ------------------------------------------------------------------ bounds


def _bounds(one: Calibrated, chosen: Chosen, *, full: bool) -> list[str]:
    """Whether to use the chosen bounds, and what they reach; `full`: of every rule, now and chosen."""
    assert one.answers is not None
    signs = one.answers.rules.signs
    names = [
        name
        for name in signs
        if any(name in thing.scores for thing in one.answers.things)
    ]
    lines = _indented(_advice(chosen))
    if full:
        goal = t(f"report.calibrate.goal_{chosen.goal}")
        lines += _indented(
            t(
                "report.calibrate.bounds",
                labels=chosen.labels,
                goal=goal,
                folds=chosen.folds,
            )
        )
        return [
            *lines,
            "",
            *_all_bounds(one.answers.rules, chosen, names),
            "",
            *_all_reached(chosen),
        ]
    if _gains(chosen) == "better":
        bounds = chosen.rules[chosen.rule].bounds
        told = [f"{_score(name)} {signs[name]} {bounds[name]:g}" for name in names]
        whole = f"    {', '.join(told)}"
        lines += (
            [whole]
            if cells(whole) <= WIDTH
            else [f"    {', '.join(part)}" for part in (told[:2], told[2:])]
        )
    now = chosen.rules[chosen.against].now if chosen.against else chosen.judgement
    rows = [
        (t("report.calibrate.chosen"), chosen.reached),
        (t("report.calibrate.now_by", rule=_present(chosen)), now),
    ]
    width = 2 + max(cells(title) for title, _ in rows)
    lines += [
        f"  {pad(title, width)}{t('report.calibrate.reaches', **_reaching(reached))}"
        for title, reached in rows
    ]
    return [*lines, *_indented(t("report.calibrate.held_out", labels=chosen.labels))]


def _present(chosen: Chosen) -> str:
    return chosen.against or t("report.calibrate.judgement_alone")


def _reaching(one: Reached) -> dict[str, str]:
    return {"found": _percent(one.found), "spared": _percent(one.spared)}


def _all_bounds(rules: Rules, chosen: Chosen, names: Sequence[str]) -> list[str]:
    width = 2 + max(cells(_score(name)) for name in names)
    titles = [t("report.calibrate.now"), *chosen.rules]
    wide = [max(10, cells(title) + 2) for title in titles]
    lines = [_row("", width, titles, wide)]
    for name in names:
        told = [
            f"{rules.signs[name]} {bound:g}"
            for bound in (
                rules.bounds[name],
                *(rule.bounds[name] for rule in chosen.rules.values()),
            )
        ]
        lines.append(_row(f"  {_score(name)}", width, told, wide))
    return lines


def _all_reached(chosen: Chosen) -> list[str]:
    rows = [(t("report.calibrate.judgement_alone"), chosen.judgement)]
    for name, rule in chosen.rules.items():
        rows += [
            (t("report.calibrate.rule_now", rule=name), rule.now),
            (t("report.calibrate.rule_chosen", rule=name), rule.reached),
        ]
    rows.append((t("report.calibrate.procedure"), chosen.reached))
    titles = [
        t(f"report.calibrate.column_{name}")
        for name in ("found", "spared", _last(chosen.goal))
    ]
    width = 2 + max(cells(title) for title, _ in rows)
    wide = [max(11, cells(title) + 2) for title in titles[:-1]] + [
        max(24, cells(titles[-1]) + 2)
    ]
    return [
        _row("", width, titles, wide),
        *(
            _row(f"  {title}", width, _reached(one, chosen.goal), wide)
            for title, one in rows
        ),
    ]


def _last(goal: Goal) -> str:
    """The column of the goal's figure."""
    return "right" if goal == "accuracy" else "youden"


def _reached(one: Reached, goal: Goal) -> list[str]:
    if goal == "accuracy":
        last = f"{_percent(one.right)} {_between(one.right.low, one.right.high, '.1%')}"
    else:
        last = (
            NOTHING
            if one.youden.value is None
            else f"{one.youden.value:.3f} {_between(one.youden.low, one.youden.high, '.3f')}"
        )
    return [*_reaching(one).values(), last]


def _gains(chosen: Chosen) -> str:
    """Whether the chosen bounds do better than the present way to decide, held out: better, worse, unclear or unknown."""
    gain = chosen.gain
    if gain.value is None or gain.low is None or gain.high is None:
        return "unknown"
    return "better" if gain.low > 0 else "worse" if gain.high < 0 else "unclear"


def _advice(chosen: Chosen) -> str:
    """What to do with the chosen bounds."""
    gain = chosen.gain
    told = (
        ""
        if gain.value is None
        else f"{gain.value:+.3f} {_between(gain.low, gain.high, '+.3f')}"
    )
    of = t(f"report.calibrate.column_{_last(chosen.goal)}")
    return t(
        f"report.calibrate.gain_{_gains(chosen)}",
        rule=chosen.rule,
        present=_present(chosen),
        of=of,
        gain=told,
    )


# ------------------------------------------------------------------ levels


def _levels(one: Calibrated, *, full: bool) -> list[str]:
    found, compared = one.levels, one.compared
    assert found is not None
    assert compared is not None
    first, second = _name(compared.first), _name(compared.second)
    whose = ", ".join(map(_name, found.raters))
    lines = [
        t("report.calibrate.levels_head", machine=second, whose=whose),
        *t(
            "report.calibrate.levels_counted",
            pairs=compared.pairs,
            judged=one.judged,
            queries=compared.queries,
            unread=compared.unread,
        ).splitlines(),
    ]
    if compared.only_first:
        lines.append(t("report.calibrate.only_people", n=compared.only_first))
    if found.truth.seen_machine:
        lines.append(t("report.calibrate.seen", n=found.truth.seen_machine))
    if full and compared.pairs:
        lines += [
            "",
            *tables_text(compared.levels, first, second),
            "",
            t("report.ratings.base_rates_here"),
        ]
        lines += [
            *rates_text((first, second), compared.rates()),
            *singles_text(compared.single(), compared.pairs),
        ]
    if full:
        lines += [
            "",
            t("report.ratings.kappa_from", queries_text=queries_text(compared.queries)),
            *kappas_text(compared.kappa),
        ]
    lines += _trust_in_levels(one, compared, full=full)
    pairs, chief = t("report.calibrate.pairs"), _chief(one)
    if chief is None:
        return lines
    lines += ["", t("report.calibrate.rates", what=pairs)]
    for asked in one.question if full else [chief]:
        lines += [
            f"  {t(f'report.calibrate.ask_{asked.name}')}",
            *(f"  {line}" for line in _rate(asked, pairs, full=full)),
        ]
    return lines


def _trust_in_levels(one: Calibrated, compared: Comparison, *, full: bool) -> list[str]:
    """How well each question is answered; not in full, that of the legal bit, or else the first there is."""
    lines = ["", t("report.calibrate.trust")]
    if not full:
        kappa = compared.kappa["levels_quadratic"]
        told = (
            f"\n  {own_words(str(kappa.reason))}"
            if kappa.value is None
            else f" {kappa.value:.3f} {_between(kappa.low, kappa.high, '.3f')}"
        )
        lines += _indented(t("report.calibrate.kappa_levels", told=told))
    chief = _chief(one)
    for asked in one.question if full else [chief] if chief is not None else []:
        lines.append(f"  {t(f'report.calibrate.ask_{asked.name}')}")
        shown = [
            *_shares(asked.confusion, SHARES if full else SHARES[:3]),
            *_rates(asked.confusion),
        ]
        areas = [
            f"  {t('report.calibrate.area')}  {_area(roc, asked.unread[name])}"
            for name, roc in asked.rocs.items()
        ]
        lines += [f"  {line}" for line in (*shown, *areas)]
    return lines


# ------------------------------------------------------------------ shared


def _share(one: Share) -> str:
    if one.value is None:
        return NOTHING
    return t(
        "report.calibrate.share",
        value=f"{one.value:.1%}",
        interval=_between(one.low, one.high, ".1%"),
        count=one.count,
        of=one.of,
    )


def _score(name: str) -> str:
    """What people call a score."""
    key = f"report.word.{name}"
    return t(key) if has(key) else measure_name(name)


def _percent(one: Share) -> str:
    return NOTHING if one.value is None else f"{one.value:.1%}"


def _between(low: float | None, high: float | None, form: str) -> str:
    return (
        ""
        if low is None or high is None
        else f"[{low:{form}}, {high:{form}}]".replace("%,", ",")
    )


def _name(name: str) -> str:
    return clean(name, newlines=False)[:80]
