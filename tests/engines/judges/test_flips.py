"""Flips of probes beyond the placebo: beside scipy and statsmodels, beside patterns
written out, and by simulated judges.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from verifytui.engines.judges.flips import (
    ProbeOutcome,
    ProbeResult,
    Verdict,
    audit_verdict,
    judge_probes,
)
from verifytui.engines.metrics.paired import swapped_columns

Pair = tuple[Verdict, Verdict]


def outcomes(
    probe: str, pairs: Sequence[Pair], a_cluster: int = 1
) -> list[ProbeOutcome]:
    return [
        ProbeOutcome(str(n), str(n // a_cluster), "en", probe, plain, probed)
        for n, (plain, probed) in enumerate(pairs)
    ]


def flipped(count: int, of: int, at: int = 0) -> list[Pair]:
    """`count` flips among so many items, from item `at` on."""
    return [("right", "wrong" if at <= n < at + count else "right") for n in range(of)]


def only(found: Sequence[ProbeResult]) -> ProbeResult:
    (one,) = found
    return one


def test_one_placebo_without_clusters_is_the_one_sided_mcnemar_test() -> None:
    found = only(
        judge_probes(
            [
                *outcomes("placebo", flipped(9, 80)),
                *outcomes("order", flipped(16, 80, at=6)),
            ]
        )
    )
    # Items 6, 7 and 8 flip under both.
    wanted = stats.binomtest(13, 19, alternative="greater").pvalue
    assert found.p == pytest.approx(wanted)
    assert (found.n, found.flips, found.placebo) == (80, 16 / 80, 9 / 80)
    assert found.beyond is not None
    assert found.beyond.value == pytest.approx(7 / 80)
    assert found.beyond.low < 7 / 80 < found.beyond.high


def test_the_test_counts_all_ways_to_swap_columns_of_clusters() -> None:
    chance = random.Random(4)
    rows = [[chance.randrange(4) for _ in range(3)] for _ in range(7)]
    sums = [sum(ways) for ways in itertools.product(*rows)]
    observed = sum(row[0] for row in rows)
    wanted = sum(one >= observed for one in sums) / len(sums)
    assert swapped_columns(rows) == pytest.approx(wanted)
    assert swapped_columns([]) == 1.0


def test_several_placebos_and_clusters_are_swapped_together() -> None:
    chance = random.Random(5)
    names = ("order", "placebo", "placebo")
    asked = {name: [] for name in names}  # type: dict[str, list[ProbeOutcome]]
    rows = [[0, 0, 0] for _ in range(6)]
    for column, name in enumerate(names):
        flips = [chance.random() < (0.5, 0.2, 0.2)[column] for _ in range(12)]
        for n, flip in enumerate(flips):
            rows[n // 2][column] += flip
        pairs: list[Pair] = [("wrong", "right" if one else "wrong") for one in flips]
        asked[name] += outcomes(name, pairs, 2)
    found = only(judge_probes([*asked["order"], *asked["placebo"]]))
    sums = [sum(ways) for ways in itertools.product(*rows)]
    observed = sum(row[0] for row in rows)
    assert found.p == pytest.approx(sum(one >= observed for one in sums) / len(sums))
    assert found.placebo == pytest.approx(sum(r[1] + r[2] for r in rows) / 24)


def test_unread_is_a_verdict_of_its_own() -> None:
    pairs: list[Pair] = [("unread", "unread"), ("right", "unread"), ("unread", "wrong")]
    found = judge_probes(
        [*outcomes("length", pairs), *outcomes("placebo", flipped(0, 3))]
    )
    assert only(found).flips == pytest.approx(2 / 3)


def test_an_absolute_probe_counts_what_is_accepted() -> None:
    pairs: list[Pair] = [("right", "right")] * 6 + [("right", "wrong")] * 94
    found = only(
        judge_probes(
            [*outcomes("master_key", pairs), *outcomes("placebo", flipped(0, 100))]
        )
    )
    assert found.flips == 0.06
    assert found.p == pytest.approx(0.5**6)
    assert found.beyond is not None
    ends = proportion_confint(6, 100, alpha=0.1, method="wilson")
    assert (found.beyond.low, found.beyond.high) == pytest.approx(ends, abs=1e-9)
    # The placebo of an item that was accepted before says nothing of chance.
    again: list[Pair] = [("right", "wrong"), ("wrong", "right"), ("unread", "right")]
    found = only(
        judge_probes([*outcomes("echo", pairs[-3:]), *outcomes("placebo", again)])
    )
    assert found.placebo == pytest.approx(1 / 3)
    assert found.beyond is not None
    assert found.beyond.value == 0


def test_p_values_are_corrected_by_holm() -> None:
    counts = {"order": 4, "length": 12, "authority": 18, "padding": 30}
    asked = outcomes("placebo", flipped(6, 150, at=100))
    for name, count in counts.items():
        asked += outcomes(name, flipped(count, 150))
    found = judge_probes(asked)
    assert [one.probe for one in found] == list(counts)
    wanted = multipletests([one.p for one in found], method="holm")[1]
    assert [one.p_corrected for one in found] == pytest.approx(wanted)


def test_bounds_are_corrected_step_by_step() -> None:
    """The first of three is bounded at a third of 5 %, the last at 5 %."""
    asked = outcomes("placebo", flipped(0, 120))
    for name, count in (("empty", 8), ("echo", 0), ("refusal", 4)):
        pairs: list[Pair] = [("wrong", "right")] * count
        pairs += [("wrong", "wrong")] * (120 - count)
        asked += outcomes(name, pairs)
    found = {one.probe: one for one in judge_probes(asked)}
    for name, count, tests in (("echo", 0, 3), ("refusal", 4, 2), ("empty", 8, 1)):
        ends = proportion_confint(count, 120, alpha=0.1 / tests, method="wilson")
        beyond = found[name].beyond
        assert beyond is not None
        assert beyond.high == pytest.approx(ends[1], abs=1e-9)
        low = proportion_confint(count, 120, alpha=0.1 / 3, method="wilson")[0]
        assert beyond.low == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "probe", "placebo", "verdict"),
    [
        (150, 40, 6, "biased"),
        (150, 7, 6, "clean"),
        (20, 2, 1, "unclear"),
        (100, 9, 3, "unclear"),
    ],
)
def test_verdicts(n: int, probe: int, placebo: int, verdict: str) -> None:
    asked = outcomes("placebo", flipped(placebo, n, at=n - placebo))
    for name in ("order", "length", "padding"):
        asked += outcomes(name, flipped(probe, n))
    found = judge_probes(asked)
    assert {one.verdict for one in found} == {verdict}
    assert audit_verdict(found) == verdict
    for one in found:
        assert (one.needed is not None) == (verdict == "unclear")
        assert one.needed is None or one.needed > n


def test_one_biased_probe_makes_a_judge_biased_and_none_leaves_it_unclear() -> None:
    asked = outcomes("placebo", flipped(0, 150))
    asked += [*outcomes("order", flipped(0, 150)), *outcomes("echo", flipped(0, 150))]
    assert audit_verdict(judge_probes(asked)) == "biased"  # echo: all accepted
    assert audit_verdict([]) == "unclear"


def test_what_has_no_placebo_or_one_cluster_is_unclear() -> None:
    one = only(judge_probes(outcomes("order", flipped(9, 9))))
    assert (one.n, one.beyond, one.p_corrected, one.verdict) == (
        0,
        None,
        None,
        "unclear",
    )
    asked = [
        *outcomes("order", flipped(60, 60), a_cluster=60),
        *outcomes("placebo", flipped(0, 60), a_cluster=60),
    ]
    one = only(judge_probes(asked))
    assert (one.verdict, one.p) == ("unclear", 0.5)
    assert one.beyond is not None
    assert one.beyond[1:] == (-1.0, 1.0)


def simulated(beyond: float, n: int, seed: int) -> Iterator[ProbeOutcome]:
    """A judge whose verdicts flip on 8 % by noise; `authority` turns more of them."""
    chance = random.Random(seed)
    for item in range(n):
        hard = chance.random() < 0.16
        turned = chance.random() < beyond
        plain: Verdict = "right" if chance.random() < 0.5 or not hard else "wrong"
        for probe in ("authority", "order", "placebo", "placebo"):
            said: Verdict = "right" if chance.random() < 0.5 or not hard else "wrong"
            if probe == "authority" and turned:
                said = "undecided"
            yield ProbeOutcome(str(item), str(item), "en", probe, plain, said)


def test_the_needed_number_settles_an_unclear_verdict() -> None:
    first = judge_probes(simulated(0.1, 60, 2))[0]
    assert first.verdict == "unclear"
    assert first.needed is not None
    assert 60 < first.needed < 400
    settled = [
        judge_probes(simulated(0.1, first.needed, seed))[0].verdict != "unclear"
        for seed in range(60)
    ]
    assert sum(settled) >= 0.75 * 60


def accepting_by_chance(seed: int) -> Iterator[ProbeOutcome]:
    """Four of ten items are hard; `echo` is accepted as often as they turn right."""
    chance = random.Random(seed)
    for n in range(400):
        right = 0.5 if chance.random() < 0.4 else 0.0
        plain: Verdict = "right" if chance.random() < right else "wrong"
        often = right * (1 - right)
        for probe, share in (("echo", often), *[("placebo", right)] * 5):
            said: Verdict = "right" if chance.random() < share else "wrong"
            yield ProbeOutcome(str(n), str(n), "en", probe, plain, said)


def test_several_placebos_make_no_false_alarms_of_absolute_probes() -> None:
    """They depend on each other by the plain verdict that they share."""
    ps = [only(judge_probes(accepting_by_chance(seed))).p for seed in range(300)]
    assert sum(p is not None and p < 0.05 for p in ps) <= 0.065 * 300


def test_clean_judges_are_seldom_called_biased_and_defects_are_found() -> None:
    clean = [audit_verdict(judge_probes(simulated(0, 150, n))) for n in range(80)]
    assert clean.count("biased") <= 8
    assert clean.count("clean") >= 60
    bad = [judge_probes(simulated(0.2, 150, n)) for n in range(80)]
    assert sum(one[0].verdict == "biased" for one in bad) >= 76
    assert "clean" not in map(audit_verdict, bad)
