"""Words of a file that are not read are counted, with the place of the first."""

from __future__ import annotations

import io
import json
import time
import zipfile

import pytest
from verifytui.engines.retrieval.documents import parse
from verifytui.tests.support.made_pdf import made


def read(suffix: str, data: bytes) -> tuple[str, list[str]]:
    said: list[str] = []
    found = parse(suffix, data, f"a{suffix}", remark=said.append)
    return "\n".join(one.text for one in found), said


def slides(diagram: str = "") -> bytes:
    pptx = pytest.importorskip("pptx")
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    shown = pptx.Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[5])
    slide.shapes.title.text = "Otters"
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("Holts", (12, 7.5))
    data.add_series("Cubs", (30, None))
    chart = slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 999999, 999999, data
    ).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Where otters live"
    cells = slide.shapes.add_table(2, 2, 0, 0, 999999, 999999).table
    for at, text in enumerate(("river", "fish", "Ure", "trout\nand dace")):
        cells.cell(at // 2, at % 2).text = text
    slide.notes_slide.notes_text_frame.text = "Say hello."
    file = io.BytesIO()
    shown.save(file)
    if diagram:
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("ppt/diagrams/data1.xml", diagram)
    return file.getvalue()


def test_charts_and_tables_of_slides_are_read() -> None:
    text, said = read(".pptx", slides())
    assert "Where otters live\n\n|  | Holts | Cubs |\n| North | 12 | 30 |\n" in text
    assert "| South | 7.5 |  |" in text
    assert "| river | fish |\n| Ure | trout and dace |" in text
    assert not said


def test_diagrams_of_slides_are_counted() -> None:
    space = "http://schemas.openxmlformats.org/drawingml/2006/main"
    diagram = (
        f"<m xmlns:a='{space}'><a:p><a:r><a:t>river</a:t></a:r></a:p><a:p><a:r><a:t>"
        "lakes and burrows</a:t></a:r></a:p></m>"
    )
    _, said = read(".pptx", slides(diagram))
    assert len(said) == 1
    assert said[0].endswith("not read, the first at data1 ¶2: lakes burrows")
    assert said[0].startswith("2 of ")


PAGE = (
    "<html><head><title>T</title></head><body><nav>Home</nav>"
    "<ul class='nav'><li>Up</li>"
    "</ul><p>The otter swims.</p>\n"
    "<svg><text>Figure of a holt</text></svg>{}<script>f()"
    "</script><button>Copy</button><p>It eats fish.</p></body></html>"
)


def test_words_in_drawings_of_a_page_are_counted() -> None:
    _, said = read(".html", PAGE.format("<math><mi>holt</mi></math>").encode())
    assert said == ["4 of 11 words were not read, the first at line 2: Figure of holt"]
    assert not read(".html", b"<p>The <b>otter</b> swims.<br>It is a|b.</p>")[1]


def test_words_of_a_book_that_no_chapter_has_are_counted() -> None:
    pytest.importorskip("lxml")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "META-INF/container.xml",
            "<c><rootfiles><rootfile full-path='o/p.opf'/></rootfiles></c>",
        )
        archive.writestr(
            "o/p.opf",
            "<package><manifest>"
            "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>"
            "<item id='b' href='notes.xhtml' media-type='application/xhtml+xml'/>"
            "<item id='c' href='c.xhtml' media-type='application/xhtml+xml' "
            "properties='nav'/></manifest>"
            "<spine><itemref idref='a'/></spine></package>",
        )
        archive.writestr("o/a.xhtml", "<html><body><p>The otter.</p></body></html>")
        archive.writestr("o/notes.xhtml", "<html><body><p>Or mink.</p></body></html>")
        archive.writestr("o/c.xhtml", "<html><body><p>Contents</p></body></html>")
    text, said = read(".epub", file.getvalue())
    assert text == "The otter."
    assert said == [
        "2 of 4 words were not read, the first at notes.xhtml, line 1: Or mink."
    ]


def test_words_of_cells_that_are_not_read_are_counted() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["The otter ", "swims."]},
        {"cell_type": "code", "source": "f()", "outputs": [{"source": "no"}]},
        {"cell_type": "group", "cells": [{"cell_type": "raw", "source": "It dives."}]},
    ]
    data = json.dumps({"cells": cells, "nbformat": 4, "metadata": {"source": "no"}})
    _, said = read(".ipynb", data.encode())
    assert said == ["2 of 6 words were not read, the first at cell 3: It dives."]


def packed(**parts: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name.replace("__", "/") + ".xml", part)
    return file.getvalue()


SHEET = "<worksheet xmlns='s'><row><c r='A1' t='s'><v>0</v></c></row></worksheet>"


def test_comments_of_a_sheet_are_counted() -> None:
    pytest.importorskip("lxml")
    data = {
        "xl__workbook": "<w xmlns='s' xmlns:r='r'><sheet name='A' r:id='1'/></w>",
        "xl__sharedStrings": "<sst xmlns='s'><si><t>The otter</t></si></sst>",
        "xl__worksheets__sheet1": SHEET,
        "xl__comments1": "<c xmlns='s'><comment><t>it dives</t></comment></c>",
    }
    file = io.BytesIO(packed(**data))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            "<r><Relationship Id='1' Target='worksheets/sheet1.xml'/></r>",
        )
    text, said = read(".xlsx", file.getvalue())
    assert text == "| The otter |"
    assert said == [
        "2 of 4 words were not read, the first at comments1 \u00b61: it dives"
    ]


def test_texts_of_open_documents_outside_of_blocks_are_counted() -> None:
    pytest.importorskip("lxml")
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    text_space = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    body = (
        f"<o:d xmlns:o='{office}' xmlns:t='{text_space}'><o:body><o:text>"
        "<t:tracked-changes><t:p>gone</t:p></t:tracked-changes>"
        "<t:p>The otter <t:span>swims</t:span>.</t:p>\n<t:a>It dives.</t:a>"
        "</o:text></o:body></o:d>"
    )
    text, said = read(".odt", packed(content=body))
    assert text == "The otter swims."
    assert said == ["2 of 6 words were not read, the first at line 2: It dives."]


def test_texts_of_a_mail_after_its_first_one_are_counted() -> None:
    mail = (
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nThe otter swims.\n"
        b"--x\nContent-Type: text/plain\n\nIt dives.\n--x\n"
        b"Content-Disposition: attachment; filename=a.txt\n\nNo.\n--x--\n"
    )
    text, said = read(".eml", mail)
    assert text.strip() == "The otter swims."
    assert said[0] == "2 of 5 words were not read, the first at part 3: It dives."


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv"])
def test_long_fields_of_rows_that_no_document_holds_are_counted(suffix: str) -> None:
    row = {"text": "The otter swims.", "more": "It dives. " * 40}
    data = f"text,more\n{','.join(row.values())}\n"
    if suffix != ".csv":
        data = json.dumps(row if suffix == ".jsonl" else [row])
    text, said = read(suffix, data.encode())
    assert text == row["text"]
    assert len(said) == 1
    assert said[0].startswith("80 of 83 words were not read, the first at #")


def test_words_of_a_page_that_pdfium_alone_reads_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pypdf")
    from verifytui.engines.retrieval.documents import pdf

    lines = [("p. 1", "The otter swims."), ("p. 2", "It dives.")]
    monkeypatch.setattr(pdf, "words_of_pages", lambda data: lines)
    _, said = read(".pdf", made(["The otter swims."]))
    assert said == ["2 of 5 words were not read, the first at p. 2: It dives."]


def test_words_of_restructured_text_that_docutils_leaves_out_are_counted() -> None:
    pytest.importorskip("docutils")
    text, said = read(
        ".rst",
        b"Otters\n======\n\n.. a comment\n.. _target: x\n\n:ref:`swim <far>` |it| [#n]_\n\n"
        b".. image:: otter.png\n   :alt: An otter\n\n.. raw:: html\n\n   <b>It dives</b>\n",
    )
    assert "swim" in text
    assert said == ["1 of 3 words were not read, the first at line 14: dives"]


def test_code_of_tex_is_read_and_what_is_lost_is_counted() -> None:
    pytest.importorskip("pylatexenc")
    source = (
        "\\begin{document}\n\\section{Otters}\\label{sec:otters}\nThey swim. % fast\n"
        "\\begin{lstlisting}[language=Python]\nfind(100 % river)\n\\end{lstlisting}\n"
        "\\begin{verbatim}\n$ otter --dive\n\\end{verbatim}\n"
    )
    text, said = read(".tex", f"{source}\\end{{document}}\n".encode())
    assert "```\nfind(100 % river)\n```" in text
    assert "```\n$ otter --dive\n```" in text
    assert not said
    _, said = read(".tex", f"{source}\\hphantom{{unseen}}\\end{{document}}".encode())
    assert said == ["1 of 8 words were not read, the first at line 10: unseen"]


def test_words_of_tex_and_rest_that_are_written_in_other_ways_are_not_lost() -> None:
    pytest.importorskip("pylatexenc")
    pytest.importorskip("docutils")
    source = (
        r"G\"odel na\"{\i}ve fa\c{c}ade a~newword A\_name First\\second"
        "\n\\begin{tabular}{lll}\nSwims & dives\\\\ \n\\end{tabular}\n"
        "% \\begin{verbatim} unread \\end{verbatim}\n"
        "\\begin{comment}\nunseen\n\\end{comment}\n"
    )
    text, said = read(".tex", source.encode())
    assert "unread" not in text
    assert "unseen" not in text
    assert [one for one in said if "unseen" not in one] == []
    _, said = read(".rst", b"sub\\ script and re\\ *emph*\\ ed\n")
    assert said == []


def test_blocks_of_code_without_an_end_take_no_longer_than_their_length() -> None:
    from verifytui.engines.retrieval.documents.tex import _without_code

    begun = time.process_time()
    source = "\\begin{verbatim} " * 100_000
    assert _without_code(source) == (source, [])
    assert time.process_time() - begun < 5


def test_text_boxes_of_rtf_are_read() -> None:
    text, said = read(
        ".rtf",
        rb"{\rtf1 They swim.\par{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt They dive.\par}}}"
        rb"{\*\generator Us}}",
    )
    assert "They swim." in text
    assert "They dive." in text
    assert "Us" not in text
    assert not said
