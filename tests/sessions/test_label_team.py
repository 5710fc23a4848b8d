"""Whose pairs are whose: shares that stay as they are when pairs and people come and
go, the team's file, and shares that do not fit.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.relevance.queue import Queue, everyone, share_warnings
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.events.labels import Assignment, Label
from verifytui.sessions.label_assignment import assigned, in_order
from verifytui.sessions.label_store import LabelStore
from verifytui.sessions.label_team import Team, people_of, read_team, write_team
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.pairs import folder_of, judged

THINGS = [f"pair {number}" for number in range(600)]
TEAM = Team(people={"Anna": 1, "Bert": 1, "Cleo": 1}, overlap=0.2, seed=4)


def shares(things: list[str], team: Team = TEAM) -> dict[str, set[str]]:
    return {
        name: set(assigned(things, name, team.assignment, str)) for name in team.people
    }


def parts(things: list[str], of: int, overlap: float = 0.0) -> list[set[str]]:
    return [
        set(
            assigned(
                things,
                "anybody",
                Assignment(part=part, of=of, overlap=overlap, hashed=True),
                str,
            )
        )
        for part in range(1, of + 1)
    ]


@pytest.mark.parametrize(("of", "overlap"), [(3, 0.2), (2, 0.0), (5, 0.5), (3, 1.0)])
def test_parts_cover_everything_once_and_the_overlap_everywhere(
    of: int, overlap: float
) -> None:
    found = parts(THINGS, of, overlap)
    common = set.intersection(*found)
    assert set().union(*found) == set(THINGS)
    alone = [share - common for share in found]
    assert sum(map(len, alone)) == len(THINGS) - len(common)
    # four standard deviations of a binomial count
    assert (
        abs(len(common) - 600 * overlap) <= 4 * (600 * overlap * (1 - overlap)) ** 0.5
    )
    for share in alone:
        rest = 600 - len(common)
        assert abs(len(share) - rest / of) <= 4 * (rest / of * (1 - 1 / of)) ** 0.5


def test_a_pair_more_moves_no_other_pair() -> None:
    before, after = shares(THINGS), shares([*THINGS[100:], "one more"])
    gone = set(THINGS[:100])
    for name, share in before.items():
        assert after[name] - {"one more"} == share - gone
    order = in_order(THINGS, "Anna", TEAM.assignment, str)
    longer = in_order([*THINGS, "one more"], "Anna", TEAM.assignment, str)
    assert [one for one in longer if one != "one more"] == order != THINGS


def test_a_person_more_takes_and_one_less_gives_only_their_own() -> None:
    before = shares(THINGS)
    after = shares(THINGS, TEAM.changed({**TEAM.people, "Dan": 1}))
    for name, share in before.items():
        assert after[name] < share
        assert share - after[name] <= after["Dan"]
    less = shares(THINGS, TEAM.changed({"Anna": 1, "Bert": 1}))
    assert less["Anna"] > before["Anna"]
    assert less["Anna"] - before["Anna"] <= before["Cleo"]
    three, four = parts(THINGS, 3), parts(THINGS, 4)
    for part in range(3):
        assert four[part] < three[part]


def test_a_double_share_is_twice_as_large() -> None:
    found = shares(THINGS, Team(people=people_of("Anna=2,Bert")))
    assert 360 <= len(found["Anna"]) <= 440
    assert len(found["Bert"]) == 600 - len(found["Anna"])


def test_what_somebody_labelled_before_leaving_stays_theirs() -> None:
    cleos = shares(THINGS)["Cleo"] - shares(THINGS)["Anna"]
    finished = {"Cleo": set(sorted(cleos)[:50])}
    team = TEAM.changed({"Anna": 1, "Bert": 1})
    mine = {
        name: set(assigned(THINGS, name, team.assignment, str, finished))
        for name in team.people
    }
    assert not (mine["Anna"] | mine["Bert"]) & finished["Cleo"]
    assert mine["Anna"] | mine["Bert"] == set(THINGS) - finished["Cleo"]
    assert set(team.left) == {"Cleo"}
    assert team.changed({"Anna": 1, "Cleo": 1}).left == {"Bert": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Anna,Anna", "names Anna twice"),
        ("Anna,anna", "have the same letters"),
        ("Anna,", "not a valid annotator name"),
        ("Anna,gold", "reserved"),
        ("Anna=0,Bert", "The share of Anna"),
        ("Anna=much", "The share of Anna"),
        ("Anna=nan", "The share of Anna"),
    ],
)
def test_a_team_that_cannot_be_is_refused(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        write_team(tmp_path, Team(people=people_of(text)))
    assert not (tmp_path / "labels").exists()


def test_a_team_is_read_as_it_was_written(tmp_path: Path) -> None:
    team = Team(people=TEAM.people, overlap=0.2, guideline="Line one.\nLine: two #\n")
    file = write_team(tmp_path, team)
    assert file == tmp_path / "labels" / "team.yaml"
    assert read_team(tmp_path) == team
    file.write_text("people: {Anna: 1}\noverlap: 7\n")
    with pytest.raises(SessionError, match="is not a valid team"):
        read_team(tmp_path)
    file.write_text("people: [Anna]\n")
    with pytest.raises(SessionError, match="is not a valid team"):
        read_team(tmp_path)


def test_an_annotator_called_team_keeps_their_file(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "old", 2)
    old = folder / "labels" / "team.yaml"
    old.parent.mkdir()
    old.write_text(
        "format: verifytui-labels/1\nannotator: team\nmade: 2026-01-01\n...\n"
    )
    with LabelFile.open(folder, "team") as file:
        assert file.path == old
    with pytest.raises(BadInput, match="an annotator called team"):
        write_team(folder, TEAM)
    other = folder_of(tmp_path / "new", 2)
    write_team(other, TEAM)
    with LabelFile.open(other, "team") as file:
        file.append(pairs_in(other)[0].label(Label(value=1)))
        assert file.path.name != "team.yaml"
    assert LabelStore.of_pairs(other).people.keys() == {"team"}


def test_the_command_writes_a_team_and_keeps_to_it(home: Path, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", 30)
    rules = tmp_path / "rules.txt"
    rules.write_text("Read both cases to the end.")
    made = command(
        *("label", folder, "--team", "Anna,Bert,Cleo", "--overlap", "20%"),
        *("--guideline", rules, "--output", "json"),
    )
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    sizes = told["people"]
    assert sum(sizes.values()) == 30 + 2 * told["common"]
    team = read_team(folder)
    assert team is not None
    assert (team.overlap, team.guideline) == (0.2, "Read both cases to the end.")
    words = command("label", folder, "--progress")
    assert words.stdout == "".join(f"{name}  0/{n}\n" for name, n in sizes.items())
    refused(command("label", folder, "--annotator", "anna"), "anna is not in the team")
    refused(
        command("label", folder, "--annotator", "Anna", "--assign", "1/3"),
        "assigns the pairs",
    )
    refused(command("label", folder, "--annotator", "Anna"), "needs a terminal")
    refused(
        command("label", folder, "--team", "Anna,Bert", "--annotator", "Anna"),
        "leave out --annotator",
    )
    less = command("label", folder, "--team", "Anna,Bert")
    assert f"  everybody: {told['common']} of 30" in less.stdout
    again = read_team(folder)
    assert again is not None
    assert (again.left, again.overlap, again.guideline) == (
        {"Cleo": 1},
        0.2,
        team.guideline,
    )
    refused(command("label", tmp_path, "--guideline", rules), "no team here yet")


def test_one_more_pair_moves_nobody_elses(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", 30)
    write_team(folder, TEAM)

    def queues() -> dict[str, list[str]]:
        return {
            name: [pair.candidate for pair in Queue(pairs_in(folder), name, mine).pairs]
            for name in TEAM.people
        }

    mine = TEAM.assignment
    before = queues()
    judged(folder / "p31.yaml", 31)
    for name, queue in queues().items():
        assert [one for one in queue if one != "c31"] == before[name]


def test_shares_that_do_not_fit_are_told(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", 30)

    def begin(name: str, **share: float) -> None:
        with LabelFile.open(folder, name) as file:
            file.append(Assignment(hashed=True, **share))  # type: ignore[arg-type]

    def told(*who: object) -> str:
        store = LabelStore.of_pairs(folder)
        return " ".join(share_warnings(store.pairs, store, *who))  # type: ignore[arg-type]

    begin("Anna", part=1, of=3, overlap=0.2)
    begin("Bert", part=1, of=3, overlap=0.2)
    assert "Anna, Bert have the same part, 1/3." in told()
    assert "Nobody has taken part 2/3, 3/3 yet." in told()
    assert "of 30 pairs are assigned to nobody" in told()
    begin("Bert", part=2, of=3, overlap=0.2)
    third = Assignment(part=3, of=3, overlap=0.2, hashed=True)
    assert told("Cleo", third) == ""
    begin("Cleo", part=3, of=3)
    assert "do not fit together" in told()
    begin("Cleo", part=3, of=3, overlap=0.2, seed=9)
    assert "Cleo: part 3/3, overlap 20%, seed 9" in told()
    begin("anna")
    assert "The names Anna and anna have the same letters" in told()
    progress = command("label", folder, "--progress")
    assert progress.returncode == 0
    assert "do not fit together" in progress.stderr
    write_team(folder, Team(people={"Anna": 1, "Bert": 1}))
    assert told() == "Not in the team, but with labels here: Cleo, anna."


def test_who_left_keeps_their_labels_in_the_progress(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", 30)
    write_team(folder, TEAM)
    queue = Queue(pairs_in(folder), "Cleo", TEAM.assignment)
    with LabelFile.open(folder, "Cleo") as file:
        for pair in queue.pairs[:5]:
            file.append(pair.label(Label(value=1)))
    write_team(folder, TEAM.changed({"Anna": 1, "Bert": 1}))
    store = LabelStore.of_pairs(folder)
    rows = {one.annotator: one for one in everyone(store.pairs, store)}
    assert rows["Cleo"][1:4] == (5, 0, 5)
    assert share_warnings(store.pairs, store) == []


SCALE = "people: {Anna: 1, Bert: 1}\nlevels: {0: not relevant, 1: relevant}\n"


def with_scale(folder: Path, text: str = SCALE) -> Path:
    folder_of(folder, 4)
    (folder / "labels").mkdir()
    (folder / "labels" / "team.yaml").write_text(text)
    return folder


def test_a_team_has_its_own_levels(tmp_path: Path) -> None:
    folder = with_scale(tmp_path / "run")
    team = read_team(folder)
    assert team is not None
    assert team.scale == {0: "not relevant", 1: "relevant"}
    write_team(folder, team)
    assert read_team(folder) == team
    team.check_level(1)
    team.check_level(None)
    with pytest.raises(BadInput, match=r"^2 is not on the team's scale: 0 \(not "):
        team.check_level(2)
    TEAM.check_level(3)
    listed = with_scale(tmp_path / "list", "people: {Anna: 1}\nlevels: [0, 1, 2]\n")
    team = read_team(listed)
    assert team is not None
    assert team.scale == {0: "0", 1: "1", 2: "2"}


@pytest.mark.parametrize(
    "levels", ["{0: a, 2: b}", "{0: a, x: b}", "{0: a}", "[0, 0, 1]", '{0: "", 1: a}']
)
def test_levels_that_no_scale_has_are_refused(tmp_path: Path, levels: str) -> None:
    folder = with_scale(tmp_path / "run", f"people: {{Anna: 1}}\nlevels: {levels}\n")
    with pytest.raises(SessionError, match="do not count from 0"):
        read_team(folder)


def test_a_label_outside_the_scale_stops_figures_and_no_other_labeler(
    tmp_path: Path,
) -> None:
    folder = with_scale(tmp_path / "run")
    for name, level in (("Anna", 1), ("Bert", 3)):
        with LabelFile.open(folder, name) as file:
            file.append(pairs_in(folder)[0].label(Label(value=level)))
    with pytest.raises(SessionError, match="event 1: 3 is not on the team's scale"):
        LabelStore.of_pairs(folder)
    store = LabelStore.of_pairs(folder, "Anna")
    (told,) = store.warnings()
    assert "3 is not on the team's scale: 0 (not relevant), 1 (relevant)" in told
    assert not store.people["Bert"]
    refused(command("agreement", folder), "is not on the team's scale")
    without = command("agreement", folder, "--without", "Bert")
    assert "is not on the team's scale" not in without.stderr


def test_gwet_knows_how_many_levels_there_were(tmp_path: Path) -> None:
    figures = {}
    for name, text in (("two", SCALE), ("four", SCALE.partition("levels")[0])):
        folder = tmp_path / name
        folder_of(folder, 16)
        (folder / "labels").mkdir()
        (folder / "labels" / "team.yaml").write_text(text)
        for person, change in (("Anna", ()), ("Bert", (1, 4))):
            with LabelFile.open(folder, person) as file:
                for at, pair in enumerate(pairs_in(folder)):
                    file.append(pair.label(Label(value=(at + (at in change)) % 2)))
        made = command(
            *("agreement", folder, "--raters", "Anna,Bert", "--resamples", "0"),
            *("--output", "json"),
        )
        assert made.returncode == 0, made.stderr
        (figures[name],) = json.loads(made.stdout)["comparisons"]
    two, four = figures["two"], figures["four"]
    assert two["kappa"]["levels"] == four["kappa"]["levels"]
    # with two levels, that of the bit that tells them apart
    assert two["gwet"]["levels"] == two["gwet"]["material"] != four["gwet"]["levels"]
