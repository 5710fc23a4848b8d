"""PDF: pages are known, broken words are joined, running heads and feet are left out,
and pages without text are counted.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.engines.retrieval.documents import parse
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths
from verifytui.tests.support.made_pdf import at, made

pytest.importorskip("pypdf")

ANIMALS = ["heron", "otter", "badger", "lynx", "marten", "beaver"]


def read(*pages: list[str] | str) -> tuple[str, list[str]]:
    said: list[str] = []
    (one,) = parse(".pdf", made(*pages), "report.pdf", remark=said.append)
    return one.text, said


def test_running_heads_and_feet_are_left_out() -> None:
    text, said = read(
        *(
            [
                f"The Report, part {number // 3}",
                f"About the {animal}.",
                f"It has {40 - number} teeth.",
                f"{17 * number}",
                f"{number + 8}",
            ]
            for number, animal in enumerate(ANIMALS)
        )
    )
    assert "Report" not in text
    assert text.split("\f")[2].split("\n") == [
        *("About the badger.", "It has 38 teeth.", "34", "")
    ]
    assert not said


def test_heads_of_chapters_are_left_out() -> None:
    text, _ = read(
        *(
            [f"{animal.title()} chapter {number // 3} {number + 5}", "Its text."]
            for number, animal in enumerate(["otter"] * 3 + ["lynx"] * 3 + ANIMALS)
        )
    )
    assert "Otter chapter 0" not in text
    assert "Lynx chapter 1" not in text
    assert "Badger chapter 2 13" in text


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (["it was be-", "fore noon"], "it was before noon"),
        (["a well-known fact, well-", "known to all"], "well-\nknown to all"),
        (["north of Baden-", "Baden"], "Baden-\nBaden"),
        (["from 3-", "5 days"], "3-\n5 days"),
    ],
)
def test_words_that_a_line_breaks_are_whole(lines: list[str], whole: str) -> None:
    assert whole in read(lines)[0]


def test_pages_without_text_are_counted() -> None:
    text, said = read(["One."], [], ["The otter be-"], ["fore the lynx."], [])
    assert said == ["2 of 5 pages hold no text (scans): p. 2, 5"]
    assert text.split("\f")[2:4] == ["The otter before\n", " the lynx.\n\n"]


def test_a_reference_names_its_page(home: Path, tmp_path: Path) -> None:
    words = "Nothing here says much of anything at all, line by line by line."
    pages = [[f"{animal.title()}s live here."] + [words] * 20 for animal in ANIMALS]
    (tmp_path / "report.pdf").write_bytes(made(*pages))
    corpora = Corpora(paths())
    corpora.build("c", [tmp_path / "report.pdf"])
    corpus = corpora.open("c")
    try:
        for wanted, animal in enumerate(ANIMALS, 1):
            (one,) = corpus.search(f"{animal}s", 1).references
            text = corpus.document("report.pdf")
            page = int(one.place.removeprefix("report.pdf p. "))
            assert page <= wanted
            assert page == wanted or one.text.index(f"{animal.title()}s") > 0
            assert "\f" not in one.text
            assert one.text.strip() == text[one.start : one.end].strip()
    finally:
        corpus.close()


def scanned() -> bytes:
    """Page 1 is text, 2 and 3 are pictures."""
    image, pypdf = pytest.importorskip("PIL.Image"), pytest.importorskip("pypdf")
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(made(["The first page."])))
    for width in (40, 50):
        file = io.BytesIO()
        image.new("RGB", (width, 9), "white").save(file, "PDF")
        writer.append(file)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def test_pictures_of_pages_are_read_by_a_command(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a b.pdf").write_bytes(scanned())
    script = tmp_path / "ocr.py"
    script.write_text(
        "import sys; from PIL import Image\n"
        "width = Image.open(sys.argv[-1]).size[0]\n"
        "print('A walrus', width, '$HOME\\f') if width == 40 else sys.exit(3)\n",
        "utf-8",
    )
    corpora = Corpora(paths())
    first = corpora.build("c", [tmp_path / "a b.pdf"])
    assert first.remarks == [
        ("a b.pdf", "2 of 3 pages hold no text (scans): p. 2, 3"),
    ]
    report = corpora.build("c", ocr=f"{sys.executable} '{script}' {{}}")
    assert report.remarks == [("a b.pdf", "1 of 3 pages hold no text (scans): p. 3")]
    corpus = corpora.open("c")
    try:
        text = corpus.document("a b.pdf")
    finally:
        corpus.close()
    assert text.split() == [*("The", "first", "page.", "A", "walrus", "40", "$HOME")]
    assert corpora.build("c")[:3] == (0, 1, 0)


@pytest.mark.parametrize("command", ["no-such-program {}", "'", "  '' x"])
def test_a_command_that_cannot_run_is_refused(
    home: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "a.pdf").write_bytes(made(["One."]))
    with pytest.raises(BadInput, match="The command of --ocr cannot be run"):
        Corpora(paths()).build("c", [tmp_path / "a.pdf"], ocr=command)


LEFT = [
    f"the {animal} lives by the long river and eats {n}"
    for n, animal in enumerate(ANIMALS * 2)
]
RIGHT = [f"whoever sees {n} of them in a year writes a letter" for n in range(12)]


@pytest.mark.parametrize("by_line", [True, False])
def test_columns_are_read_one_after_the_other(by_line: bool) -> None:
    left = [at(60, 700 - 12 * n, line) for n, line in enumerate(LEFT)]
    right = [at(310, 700 - 12 * n, line) for n, line in enumerate(RIGHT)]
    pairs = [one for pair in zip(left, right, strict=True) for one in pair]
    head = at(60, 720, "A headline that stands across both of the columns of the page")
    text, _ = read(" ".join([head, *(pairs if by_line else left + right)]))
    lines = list(filter(None, text.split("\n")))
    assert lines[0].startswith("A headline")
    assert lines[1:] == [*LEFT, *RIGHT]


def test_rows_of_short_cells_are_no_columns() -> None:
    cells = [
        at(x, 700 - 12 * n, f"{animal} {x}")
        for n, animal in enumerate(ANIMALS * 2)
        for x in (60, 310)
    ]
    text, _ = read(" ".join(cells))
    assert " ".join(text.split()).startswith("heron 60 heron 310 otter 60 otter 310")


def test_ruled_tables_are_rows_of_cells() -> None:
    pytest.importorskip("pdfplumber")
    rows = [("Animal", "Young"), ("otter", "two"), ("long-tailed", "six")]
    rules = [f"60 {y} m 260 {y} l S" for y in (700, 680, 650, 630)]
    rules += [f"{x} 700 m {x} 630 l S" for x in (60, 160, 260)]
    cells = [
        at(x, y, cell)
        for (y, row) in zip((686, 666, 636), rows, strict=True)
        for x, cell in zip((64, 164), row, strict=True)
    ]
    more = [at(60, 720, "Before it."), at(64, 655, "and others"), at(60, 600, "After.")]
    text, said = read(" ".join([*cells, *more, *rules]))
    assert [line for line in text.split("\n") if line] == [
        "Before it.",
        "| Animal | Young |",
        "| otter and others | two |",
        "| long-tailed | six |",
        "After.",
    ]
    assert not said
