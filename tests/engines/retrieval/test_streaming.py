"""Files of rows are read line by line and may be of any size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.retrieval import readings
from verifytui.engines.retrieval.corpus import BuildCancelled, Corpora
from verifytui.engines.retrieval.documents import RowDocuments, Unreadable, parse
from verifytui.engines.retrieval.pace import ReadingSpeed
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths

ROWS = [
    {"title": f"Row {n}", "text": f"Word{n} of 文字 and é.\nA second line.", "year": n}
    for n in range(1, 60)
]


@pytest.fixture
def corpora(home: Path, monkeypatch: pytest.MonkeyPatch) -> Corpora:
    monkeypatch.setattr(readings, "SMALL", 100)
    return Corpora(paths())


def lines(rows: list[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_line_by_line_it_is_what_it_is_at_once(
    tmp_path: Path, suffix: str, encoding: str
) -> None:
    table = "title,text,year\n" + "".join(
        f'{row["title"]},"{str(row["text"]).replace("é", "e")}",{row["year"]}\n'
        for row in ROWS
    )
    text = (
        table
        if suffix == ".csv"
        else lines([*ROWS, "a bare text", 7, {"title": "no text"}]).replace("é", "e")
    )
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(text.encode(encoding))
    odd: list[str] = []
    at_once = parse(suffix, path.read_bytes(), "rows", 10_000, odd.append)
    rows = RowDocuments(path, "rows", 10_000)
    assert list(rows) == at_once
    assert len(at_once) >= len(ROWS)
    assert rows.odd == odd
    assert (rows.size, rows.share()) == (path.stat().st_size, 1.0)


def test_a_file_is_not_read_before_its_documents_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(lines([{"text": f"row {n}"} for n in range(9000)]), "utf-8")
    rows = RowDocuments(path, "rows", 1000)
    next(iter(rows))
    assert 0 < rows.share() < 0.5


def test_the_limit_is_for_a_row(corpora: Corpora, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(
        lines(
            [{"text": "walrus " * 50}] * 300
            + [{"text": "too long " * 9000}, {"text": "seal"}]
        ),
        "utf-8",
    )
    report = corpora.build("mine", [path], limit_mb=0.0625)
    assert report[:3] == (1, 0, 0)
    assert report.skipped == [("rows.jsonl", "line 301 is longer than 0.0625 MB")]
    assert corpora.open("mine").meta.documents == 301
    assert corpora.build("mine")[:3] == (0, 1, 0)
    assert corpora.build("mine", limit_mb=1)[:4] == (1, 0, 0, [])
    assert corpora.open("mine").meta.documents == 302


def test_how_far_it_is_and_stopping(corpora: Corpora, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(lines([{"text": f"row {n}"} for n in range(6000)]), "utf-8")
    told: list[str] = []
    pace, now, seconds = ReadingSpeed(lambda: now), 0.0, list[float | None]()

    def progress(done: int, total: int, file: str) -> None:
        nonlocal now
        now += 1
        told.append(file)
        seconds.append(pace.left(done, total))

    corpora.build("mine", [path], progress=progress, pace=pace)
    left = [one for one in seconds if one is not None]
    assert len(left) > 2
    assert left == sorted(left, reverse=True)
    shares = [
        int(file.rpartition("(")[2][:-2])
        for file in told
        if file.startswith("rows.jsonl#")
    ]
    assert shares == sorted(shares)
    assert len(set(shares)) > 2
    path.write_text(lines([{"text": f"other {n}"} for n in range(6000)]), "utf-8")
    with pytest.raises(BuildCancelled):
        corpora.build(
            "mine",
            progress=lambda done, total, file: told.clear(),
            cancelled=lambda: not told,
        )
    assert (
        corpora.open("mine").search("row 77", 1).references[0].file == "rows.jsonl#78"
    )


def test_a_file_that_changes_on_the_way_through_it_is_left_out(
    corpora: Corpora, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    path, other = tmp_path / "docs" / "rows.jsonl", tmp_path / "docs" / "z.txt"
    path.write_text(lines([{"text": f"row {n}"} for n in range(1500)]), "utf-8")
    other.write_text("A walrus.", "utf-8")

    def change(done: int, total: int, file: str) -> None:
        if "%" in file:
            with path.open("a", encoding="utf-8") as more:
                more.write(lines([{"text": "more"}]))

    report = corpora.build("mine", [tmp_path / "docs"], progress=change)
    assert report[:3] == (1, 0, 0)
    assert report.skipped == [
        (
            "docs/rows.jsonl",
            "it changed while it was read; index it again when it is finished",
        )
    ]
    assert (
        corpora.open("mine").meta.documents,
        corpora.open("mine").search("row", 5).unknown,
    ) == (1, ["row"])
    assert corpora.build("mine")[:4] == (1, 1, 0, [])


def test_what_is_no_text_is_left_out(corpora: Corpora, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines(list(ROWS)).encode() + b"\xff\xfe\x80 \x80\xff \x81 " * 9000)
    with pytest.raises(
        BadInput, match=r"rows\.jsonl was left out because its text is neither UTF-8"
    ):
        corpora.build("mine", [path])
    path.write_text("\n" * 500, "utf-8")
    with pytest.raises(
        BadInput, match=r"rows\.jsonl was left out because it has no text"
    ):
        corpora.build("mine", [path])


def test_a_line_of_a_table_that_is_too_long_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("text\n" + "x" * 30, "utf-8")
    with pytest.raises(Unreadable, match="line 2 is longer than"):
        list(RowDocuments(path, "long.csv", 10))
