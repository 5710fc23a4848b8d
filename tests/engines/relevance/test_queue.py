"""The queue of pairs over the sessions of a folder, and which labels count there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from verifytui.engines.relevance.adjudication import decide, disputes
from verifytui.engines.relevance.outputs import chosen_levels, with_labels
from verifytui.engines.relevance.plan import RelevanceState
from verifytui.engines.relevance.queue import Queue, everyone, level_of, strata
from verifytui.engines.relevance.starting import new_relevance
from verifytui.prompts import load
from verifytui.sessions import case_pairs as pairs_module
from verifytui.sessions.case_pairs import PairAt
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.labels import Assignment, Label
from verifytui.sessions.events.relevance import Score
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_store import LabelStore, read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.cases import some

TEXT = "A man took a bicycle in the street.\nHe gave it back the next day."


def query(
    path: Path,
    name: str,
    candidates: int,
    gold: Callable[[int], int | None] = lambda _: None,
    first: int = 1,
) -> Path:
    """A session of a query with so many candidates."""
    listed = []
    for number in range(first, first + candidates):
        level = gold(number)
        listed.append(
            {
                "id": f"c{number}",
                "text": f"{TEXT}\nCase {number}.",
                **({} if level is None else {"gold": level}),
            }
        )
    header = new_relevance(
        query={"id": name, "text": f"{TEXT}\nQuery {name}.", "title": "theft"},
        candidates=listed,
        demonstrations=some(),
        prompts=load("en", workspace="relevance"),
    )
    Journal.create(path, header).close()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three queries with ten candidates each, and one pair alone."""
    for number in (1, 2, 3):
        query(
            tmp_path / f"q{number}.yaml",
            f"q{number}",
            10,
            lambda n: n % 4 if n < 9 else None,
        )
    query(tmp_path / "pair.yaml", "q9", 1)
    return tmp_path


def label(
    folder: Path, name: str, pair: PairAt, value: int | None, **more: bool
) -> None:
    with LabelFile.open(folder, name) as file:
        file.append(
            Label(session=pair.session, candidate=pair.candidate, value=value, **more)
        )  # type: ignore[arg-type]


def test_both_readings_of_a_header_say_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = pairs_in(folder)
    assert len(quick) == 31
    assert {pair.gold for pair in quick} == {None, 0, 1, 2, 3}
    with monkeypatch.context() as patched:
        patched.setattr(pairs_module, "_quick", lambda *_: None)
        assert pairs_in(folder) == quick


def test_the_order_is_a_persons_own_and_the_same_every_time(folder: Path) -> None:
    pairs = pairs_in(folder)
    mine = Queue(pairs, "Anna").pairs
    assert mine == Queue(pairs_in(folder), "Anna").pairs != Queue(pairs, "Bert").pairs
    assert sorted(pair.key for pair in mine) == sorted(pair.key for pair in pairs)
    assert mine != Queue(pairs, "Anna", Assignment(seed=1)).pairs


@pytest.mark.parametrize(
    ("of", "overlap"), [(3, 0.2), (3, 0.0), (3, 1.0), (4, 0.5), (1, 0.2)]
)
def test_older_assignments_deal_the_overlap_and_an_even_share_of_the_rest(
    folder: Path, of: int, overlap: float
) -> None:
    pairs = pairs_in(folder)
    shares = [
        {
            pair.key
            for pair in Queue(
                pairs, "Anna", Assignment(part=part, of=of, overlap=overlap)
            ).pairs
        }
        for part in range(1, of + 1)
    ]
    common = set.intersection(*shares)
    assert len(common) == (round(31 * overlap) if of > 1 else 31)
    assert set().union(*shares) == {pair.key for pair in pairs}
    assert sum(len(share - common) for share in shares) == 31 - len(common)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_the_next_pair_is_one_without_a_level_and_undecided_ones_come_last(
    folder: Path,
) -> None:
    queue = Queue(pairs_in(folder), "Anna")
    first, second, *rest = queue.pairs
    assert queue.next({}) == first
    label(folder, "Anna", first, 2)
    label(folder, "Anna", second, None)
    labels = read_labels(folder)["Anna"]
    assert queue.next(labels, after=first) == rest[0]
    assert queue.progress(labels)[1:4] == (1, 1, 31)
    for pair in rest:
        label(folder, "Anna", pair, 0)
    labels = read_labels(folder)["Anna"]
    assert queue.next(labels, after=rest[-1]) == second
    assert queue.next(labels, after=second) is None
    label(folder, "Anna", first, None, undone=True)
    assert queue.next(read_labels(folder)["Anna"]) == first
    assert (
        Queue(pairs_in(folder), "Bert").next(read_labels(folder).get("Bert", {}))
        is not None
    )


def test_progress_counts_what_is_assigned_as_each_ones_file_says(folder: Path) -> None:
    pairs = pairs_in(folder)
    mine = Assignment(part=2, of=3, overlap=0.2)
    with LabelFile.open(folder, "Anna") as file:
        file.append(mine)
    queue = Queue(pairs, "Anna", mine)
    label(folder, "Anna", queue.pairs[0], 1)
    label(folder, "Anna", next(pair for pair in pairs if pair not in queue.pairs), 1)
    assert [tuple(one) for one in everyone(pairs, LabelStore.of_pairs(folder))] == [
        ("Anna", 1, 0, len(queue), 1)
    ]
    with LabelFile.open(folder, "Anna") as again:
        assert again.assignment is not None
        assert (
            again.assignment.part,
            again.assignment.of,
            again.assignment.overlap,
        ) == (2, 3, 0.2)


def test_a_pair_of_several_runs_is_labelled_once(tmp_path: Path) -> None:
    first = query(tmp_path / "a.r1.yaml", "q1", 1)
    query(tmp_path / "a.r2.yaml", "q1", 1)
    query(tmp_path / "b.yaml", "q1", 1, first=2)
    pairs = pairs_in(tmp_path)
    assert [(pair.path, len(pair.places)) for pair in pairs] == [
        (first, 2),
        (tmp_path / "b.yaml", 1),
    ]
    with LabelFile.open(tmp_path, "Anna") as file:
        file.append(
            Label(session=pairs[0].places[1].session, candidate="c1", value=3)
        )  # in the other run
    assert level_of(pairs[0], read_labels(tmp_path)["Anna"]) == 3


def test_a_sample_by_the_levels_of_the_data_or_else_the_machines(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = strata(pairs_in(folder), 2, seed=0)
    assert (found.by, found.counts, found.left) == ("gold", {0: 6, 1: 6, 2: 6, 3: 6}, 7)
    assert sorted(pair.gold for pair in found.pairs if pair.gold is not None) == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]
    assert (
        strata(pairs_in(folder), 2, seed=0)
        == found
        != strata(pairs_in(folder), 2, seed=1)
    )
    other = tmp_path_factory.mktemp("other")
    with Journal.open(query(other / "q.yaml", "q1", 5)) as journal:
        for candidate, value in (("c1", 0), ("c2", 3), ("c3", 3), ("c4", None)):
            journal.append(Score(candidate=candidate, value=value))
    scored = strata(pairs_in(other), 1, seed=0)
    assert (scored.by, scored.counts, scored.left, len(scored.pairs)) == (
        "machine",
        {0: 1, 1: 0, 2: 0, 3: 2},
        2,
        2,
    )
    with pytest.raises(BadInput):
        strata(pairs_in(query(other / "r.yaml", "q2", 2)), 1, seed=0)


def test_labels_inside_an_older_session_count_until_a_later_one(tmp_path: Path) -> None:
    path = query(tmp_path / "q.yaml", "q1", 3)
    with Journal.open(path) as journal:
        journal.append(Label(candidate="c1", value=1, annotator="Anna"))
        journal.append(
            Label(candidate="c2", value=2, annotator="gold")
        )  # a person who was called so
    pair = pairs_in(tmp_path)[0]
    assert level_of(pair, read_labels(tmp_path)["Anna"]) == 1
    assert sorted(read_labels(tmp_path)) == ["Anna", "gold (annotator)"]
    label(tmp_path, "Anna", pair, 3)
    assert level_of(pair, read_labels(tmp_path)["Anna"]) == 3
    with Journal.open(path) as journal:
        assert (
            RelevanceState(with_labels(journal.session, read_labels(tmp_path)))
            .candidates["c1"]
            .labels["Anna"]
            .value
            == 3
        )
        journal.append(Label(candidate="c1", value=0, annotator="Anna"))
        assert (
            RelevanceState(with_labels(journal.session, read_labels(tmp_path)))
            .candidates["c1"]
            .labels["Anna"]
            .value
            == 0
        )
    assert level_of(pair, read_labels(tmp_path)["Anna"]) == 0


def test_a_fork_copies_no_labels(tmp_path: Path) -> None:
    path = query(tmp_path / "q.yaml", "q1", 2)
    label(tmp_path, "Bert", pairs_in(tmp_path)[0], 2)
    with Journal.open(path) as journal:
        journal.append(Label(candidate="c1", value=1, annotator="Anna"))
        journal.append(Score(candidate="c1", value=3))
        with journal.fork(tmp_path / "elsewhere.yaml", 2, "fork") as fork:
            assert [
                one.labels for one in RelevanceState(fork.session).candidates.values()
            ] == [
                {},
                {},
            ]
            assert RelevanceState(fork.session).candidates["c1"].score is not None
            fork.append(Label(candidate="c2", value=0, annotator="Anna"))
            assert (
                RelevanceState(fork.session).candidates["c2"].labels["Anna"].value == 0
            )
            assert fork.session.header.id not in {
                label.session
                for own in read_labels(path).values()
                for label in own.values()
            }
        assert (
            RelevanceState(journal.session).candidates["c1"].labels["Anna"].value == 1
        )


def test_a_label_that_changes_after_the_decision_is_shown_again(folder: Path) -> None:
    pair = pairs_in(folder)[0]
    label(folder, "Anna", pair, 1)
    assert disputes([pair], read_labels(folder)) == []
    label(folder, "Bert", pair, 2)
    with LabelFile.open(folder, "gold", adjudicator=True) as file:
        kept = decide(
            file,
            disputes([pair], read_labels(folder))[0],
            2,
            by="Wu",
            reason="one motive",
        )
        assert [(vote.annotator, vote.value) for vote in kept.decides] == [
            ("Anna", 1),
            ("Bert", 2),
        ]
    assert disputes([pair], read_labels(folder))[0].state == "decided"
    assert (
        chosen_levels(pairs_in(folder), read_labels(folder), "gold").levels[
            pair.query, pair.candidate
        ]
        == 2
    )
    for value in (3, None):
        label(folder, "Anna", pair, value)
        assert disputes([pair], read_labels(folder))[0].state == "changed"
    label(folder, "Anna", pair, None, undone=True)
    assert disputes([pair], read_labels(folder)) == []


def test_a_tie_has_no_majority_and_two_labels_no_sum(folder: Path) -> None:
    one, two = pairs_in(folder)[:2]
    for name, levels in (("Anna", (1, 2)), ("Bert", (2, 2))):
        for pair, level in zip((one, two), levels, strict=True):
            label(folder, name, pair, level)
    people = read_labels(folder)
    known = {
        pair: level
        for pair, level in chosen_levels(
            pairs_in(folder), people, "majority"
        ).levels.items()
        if level is not None
    }
    assert known == {(two.query, two.candidate): 2}
    with pytest.raises(BadInput, match="three"):
        chosen_levels(pairs_in(folder), people, "sum")
    label(folder, "Cleo", one, 3)
    summed = chosen_levels(pairs_in(folder), read_labels(folder), "sum").levels
    assert {pair: level for pair, level in summed.items() if level is not None} == {
        (one.query, one.candidate): 2
    }
