"""Files of labels: one a person, only growing, whoever else labels."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from verifytui.sessions.annotators import of_nearly
from verifytui.sessions.case_pairs import Key
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.events.labels import Evidence, Label, Reasons
from verifytui.sessions.label_files import place_of
from verifytui.sessions.label_store import LabelStore, read_labels
from verifytui.sessions.labels import LabelFile


def label(candidate: str, value: int | None, **more: object) -> Label:
    return Label(session="s1", candidate=candidate, value=value, **more)  # type: ignore[arg-type]


def test_a_label_is_on_the_disk_and_read_by_others(tmp_path: Path) -> None:
    reader = LabelStore(tmp_path)
    assert not reader.look()
    with LabelFile.open(tmp_path, "Anna") as file:
        said = label(
            "c1",
            2,
            reasons=Reasons(legal="same duty"),
            facts=[Evidence(case="query", text="a\nb", start=0, end=3)],
        )
        kept = file.append(said)
        assert (kept.number, kept.annotator) == (1, "Anna")
        assert reader.look()
        assert reader.people == {"Anna": {Key("s1", "c1"): kept}}
        assert not reader.look()
        file.append(label("c1", 3))
        file.append(label("c2", None))
        assert reader.look()
    assert [one.value for one in reader.people["Anna"].values()] == [3, None]
    assert file.path == tmp_path / "labels" / "Anna.yaml"
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert (
        b"reasons" not in file.path.read_bytes().split(b"number: 2\n")[1]
    )  # what says nothing is not written
    with LabelFile.open(tmp_path, "Anna") as again:
        assert [one.value for one in again.own.values()] == [3, None]
        assert again.append(label("c3", 0)).number == 4


def test_where_labels_of_a_session_file_stand(tmp_path: Path) -> None:
    alone = tmp_path / "one.yaml"
    alone.touch()
    assert place_of(alone) == tmp_path / "one.yaml.labels"
    (tmp_path / "batch.json").touch()
    assert place_of(alone) == tmp_path / "labels" == place_of(tmp_path)


@pytest.mark.parametrize(
    "name", ["gold", "Machine", " GOLD ", "ｇｏｌｄ", "", "a\x1bb", "x" * 81]
)
def test_who_cannot_be_an_annotator(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        LabelFile.open(tmp_path, name)
    assert not (tmp_path / "labels").exists()


def test_two_names_never_share_a_file(tmp_path: Path) -> None:
    names = ["李四", "李-四", "../x", "a b", "a-b", "A B"]
    files = []
    for name in names:
        with LabelFile.open(tmp_path, name) as file:
            file.append(label("c", 1))
            files.append(file.path)
    assert len({str(path).casefold() for path in files}) == len(names)
    assert {path.parent for path in files} == {tmp_path / "labels"}
    assert sorted(read_labels(tmp_path)) == sorted(names)
    os.rename(files[0], files[3])  # as where small and capital letters are one
    with pytest.raises(SessionError, match="李四"):
        LabelFile.open(tmp_path, "a b")


def test_the_same_person_elsewhere_is_refused_until_the_other_one_leaves(
    tmp_path: Path,
) -> None:
    first = LabelFile.open(tmp_path, "Anna")
    code = (
        "import sys; from pathlib import Path; from verifytui.sessions.labels "
        "import LabelFile\n"
        "try: LabelFile.open(Path(sys.argv[1]), 'Anna')\nexcept Exception as "
        "error: print(error)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "open in another VerifyTUI" in said
    first.close()
    LabelFile.open(tmp_path, "Anna").close()


def test_a_torn_end_is_passed_over_and_put_aside_by_the_writer(tmp_path: Path) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        file.append(label("c1", 2))
        file.append(label("c2", 1))
    whole = file.path.read_bytes()
    for cut in range(len(whole)):
        file.path.write_bytes(whole[:cut])
        count = (whole[:cut] + b"\n").count(b"\n...\n") - 1
        assert sum(map(len, read_labels(tmp_path).values())) == max(count, 0), cut
    for cut in range(0, len(whole), 7):
        file.path.write_bytes(whole[:cut])
        with LabelFile.open(tmp_path, "Anna") as again:
            count = len(again.own)
            again.append(label("c3", 3))
        assert [one.value for one in read_labels(tmp_path)["Anna"].values()] == [
            2,
            1,
            3,
        ][:count] + [3] * (count < 3)
    assert (tmp_path / "labels" / "Anna.yaml.torn").exists()


@pytest.mark.parametrize("value", ["9", "-1", "true", "high"])
def test_a_file_of_labels_from_elsewhere_is_not_believed(
    tmp_path: Path, value: str
) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        file.append(label("c1", 2))
    file.path.write_text(file.path.read_text().replace("value: 2", f"value: {value}"))
    with pytest.raises(SessionError):
        read_labels(tmp_path)
    with pytest.raises(SessionError):
        LabelFile.open(tmp_path, "Anna")
    LabelFile.open(
        tmp_path, "Bert"
    ).close()  # nobody is kept from labelling by another one's file


def test_a_changed_file_is_not_written_over(tmp_path: Path) -> None:
    with LabelFile.open(tmp_path, "Anna") as file:
        file.append(label("c1", 2))
        with file.path.open("a") as other:
            other.write("# by hand\n")
        with pytest.raises(SessionError):
            file.append(label("c2", 2))


def test_names_that_are_nearly_the_same() -> None:
    assert of_nearly("bert", ["Bert", "bert", "be rt", "Berta"]) == ["Bert", "be rt"]


def test_where_case_is_ignored_nobody_writes_into_anothers_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LabelFile.open(tmp_path, "Bert") as file:
        file.append(label("c1", 1))
    there = os.path.lexists

    def ignores_case(path: Path) -> bool:
        return there(path) or Path(path).name.casefold() in {
            one.name.casefold() for one in Path(path).parent.iterdir()
        }

    monkeypatch.setattr(os.path, "lexists", ignores_case)
    for value in (2, 3):
        with LabelFile.open(tmp_path, "bert") as other:
            other.append(label("c1", value))
    reader = LabelStore(tmp_path, "bert")
    reader.look()
    assert [one.value for one in reader.people["bert"].values()] == [3]
    assert [one.value for one in read_labels(tmp_path)["Bert"].values()] == [1]
    assert LabelFile.open(tmp_path, "Bert").path == tmp_path / "labels" / "Bert.yaml"
