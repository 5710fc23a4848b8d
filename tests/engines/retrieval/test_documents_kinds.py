"""What each kind of file becomes: text, title, and what the file says of itself."""

from __future__ import annotations

import io
import json
import re
import sys
import time
import zipfile
from typing import Any

import pytest
from verifytui.engines.retrieval.documents import Document, Unreadable, parse

RST = """PEP: 7
Title: Bees
Author: A. Bee,
        C. Dee
Status: Final
Post-History:

Flight
======

A paragraph with :class:`~bees.Wing`, :pep:`20`, :ref:`that <x>` and `a link <http://x>`_ and **an open end.

.. versionadded:: 3.2
   It hums, see :ref:`Flying`.

.. code-block:: python
   :linenos:

   x = 1

.. hive:function:: fly(x)

   Returns it.

.. include:: /etc/passwd

.. raw:: html
   :file: /etc/passwd

- one
- two

+---+---+
| a | b |
+===+===+
| 1 | 2 |
+---+---+
"""


def one(suffix: str, data: str | bytes, name: str = "docs/a_file") -> Document:
    remarks: list[str] = []
    (found,) = parse(
        suffix,
        data.encode() if isinstance(data, str) else data,
        name + suffix,
        remark=remarks.append,
    )
    assert remarks == []
    return found


def test_restructured_text_loses_its_marks_and_keeps_what_its_directives_hold() -> None:
    pytest.importorskip("docutils")
    found = one(".rst", RST)
    assert (found.title, found.metadata) == (
        "PEP 7: Bees",
        {"pep": "7", "author": "A. Bee, C. Dee", "status": "Final"},
    )
    assert found.text.split("\n\n") == [
        "# Flight",
        "A paragraph with bees.Wing, PEP 20, that and a link and **an open end.",
        "versionadded 3.2 It hums, see Flying.",
        "x = 1",
        "fly(x)",
        "Returns it.",
        "- one\n- two",
        "| a | b |\n| 1 | 2 |",
    ]


def test_restructured_text_without_its_library_keeps_its_marks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "docutils", None)
    remarks: list[str] = []
    (found,) = parse(
        ".rst", b"Title\n=====\n\n**Bold** text.\n", "a.rst", remark=remarks.append
    )
    assert (found.title, found.text) == ("Title", "Title\n=====\n\n**Bold** text.\n")
    assert remarks[0].startswith(
        "it was read with its markup, because docutils is not installed. Run this"
    )


def test_hostile_restructured_text_is_read_as_it_is_written(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("docutils")
    remarks: list[str] = []
    text = (
        "".join(" " * n + "- x\n\n" for n in range(350))
        + ".. |a| replace:: |a| |a|\n\n|a|\n"
    )
    (found,) = parse(".rst", text.encode(), "a.rst", remark=remarks.append)
    assert found.text == text
    assert remarks == [
        "it was read as written, with its markup, because it could not be parsed"
    ]
    assert capfd.readouterr() == ("", "")


def test_latex(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pylatexenc")
    text = r"""\documentclass{article}\title{A \emph{Study} of Bees}\author{A. Bee}\begin{document}\maketitle
\section{Flight} It costs $x^2$ or 10\%, \textbf{always} \cite{x}. % not this
\input{/etc/passwd}\frac \end{document}"""
    found = one(".tex", text)
    assert (found.title, found.metadata) == ("A Study of Bees", {"author": "A. Bee"})
    assert found.text.startswith("## Flight\n\nIt costs $x^2$ or 10%, always")
    assert "not this" not in found.text
    assert "root" not in found.text
    assert capfd.readouterr() == ("", "")


def test_markdown_says_things_of_itself_in_front() -> None:
    front = (
        "---\ntitle: Bees\nversion: 3.10\ntags: [a, b]\ndate: 2024-01-02\nmeta:\n  "
        "level: 2\n---\n# Heading\ntext"
    )
    found = one(".md", front)
    assert found.metadata == {
        "version": "3.10",
        "tags": "a, b",
        "date": "2024-01-02",
        "meta.level": "2",
    }
    assert (found.title, found.text) == ("Bees", "# Heading\ntext")
    assert one(".md", '+++\ntitle = "Bees"\n+++\ntext') == Document(
        "Bees", "text", "docs/a_file.md"
    )
    bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: *b\n---\n# Heading"
    assert one(".md", bomb) == Document("Heading", bomb, "docs/a_file.md")


def test_other_marks() -> None:
    found = one(
        ".adoc", "// note\n= Bees\nA. Bee <a@b.c>\n:revnumber: 1.2\n\n== Flight\ntext"
    )
    assert (found.title, found.metadata) == ("Bees", {"revnumber": "1.2"})
    found = one(".org", "#+TITLE: Bees\n#+AUTHOR: A. Bee\n* Flight\ntext")
    assert (found.title, found.metadata) == ("Bees", {"author": "A. Bee"})
    assert one(".py", "import os\n") == Document(
        "a_file.py", "import os\n", "docs/a_file.py", {"language": "python"}
    )
    times = (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>Bees</i> fly.\n\n2\n00:00:03,000 --> "
        "00:00:04,000\nBees fly.\nFar.\n"
    )
    assert one(".srt", times).text == "Bees fly.\nFar."
    assert (
        one(
            ".vtt",
            "WEBVTT\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 align:start\nHi "
            "<c.x>you</c>\n",
        ).text
        == "Hi you"
    )


def test_a_notebook_is_its_text_and_code() -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "source": ["# Bees\n", "They fly."]},
        {"cell_type": "code", "source": "x = 1", "outputs": [{"text": "printed"}]},
    ]
    about = {
        "kernelspec": {"display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    found = one(
        ".ipynb", json.dumps({"cells": cells, "metadata": about, "nbformat": 4})
    )
    assert found == Document(
        "Bees",
        "# Bees\nThey fly.\n\n```python\nx = 1\n```",
        "docs/a_file.ipynb",
        {"language": "python", "kernel": "Python 3"},
    )
    for wrong in ('{"a": 1}', "[1]", "{", "[" * 100_000):
        with pytest.raises(Unreadable, match="it is not a readable notebook"):
            parse(".ipynb", wrong.encode(), "a.ipynb")


LANGCHAIN = {
    "page_content": "One.",
    "metadata": {"source": "/data/bees.pdf", "page": 3, "seen": None, "tags": ["a", 1]},
    "type": "Document",
}
DUMPED = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain"],
    "kwargs": {"page_content": "Two.", "metadata": {"title": "T"}, "type": "Document"},
}
LLAMA = {
    "id_": "7",
    "embedding": None,
    "metadata": {"file_name": "b.txt"},
    "text_resource": {"text": "Three."},
    "class_name": "Document",
}


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".json", json.dumps([LANGCHAIN, DUMPED, LLAMA])),
        (".json", json.dumps({"documents": [LANGCHAIN, DUMPED, LLAMA]})),
        (".jsonl", "\n".join(map(json.dumps, [LANGCHAIN, DUMPED, LLAMA]))),
    ],
)
def test_documents_of_langchain_and_llamaindex(suffix: str, data: str) -> None:
    first, second, third = parse(suffix, data.encode(), "r" + suffix)
    assert (first.title, first.text, first.file) == ("bees.pdf", "One.", f"r{suffix}#1")
    assert {**first.metadata, "type": ""} == {
        "source": "/data/bees.pdf",
        "page": "3",
        "tags": "a, 1",
        "type": "",
    }
    assert second == Document("T", "Two.", f"r{suffix}#2", {"title": "T"})
    assert third == Document(
        "b.txt", "Three.", f"r{suffix}#3", {"file_name": "b.txt", "id_": "7"}
    )


def test_metadata_is_in_bounds() -> None:
    deep = {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}
    given = {f"name {n}": "x" * 1000 for n in range(100)}
    (found,) = parse(
        ".json",
        json.dumps(
            {"text": "a", "metadata": {"": "y", "k": None, **deep, **given}}
        ).encode(),
        "r.json",
    )
    assert len(found.metadata) == 50
    assert {len(value) for value in found.metadata.values()} == {500}
    (found,) = parse(
        ".json",
        json.dumps(
            {"text": "a", "metadata": {"source": "C:\\data\\bees.pdf"}}
        ).encode(),
        "r.json",
    )
    assert found.title == "bees.pdf"
    start = time.process_time()
    assert parse(".md", ("# " + "#" * 200_000 + "x").encode(), "a.md")[0].title == "a"
    assert time.process_time() - start < 5


def test_other_json_is_refused_with_what_would_be_read() -> None:
    odd: list[str] = []
    assert len(parse(".json", b'["a text", {"x": 1}]', "r.json", odd=odd.append)) == 1
    assert odd[0].startswith("row 2 has no text")
    with pytest.raises(
        Unreadable,
        match="JSON without documents: a list of texts, or of objects with a text under "
        "text",
    ):
        parse(".json", b'{"name": "package", "version": 1}', "package.json")
    assert one(".tsv", "text\tversion\nhello, world\t3\n").metadata == {"version": "3"}


def zipped(files: dict[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def test_slides() -> None:
    pptx = pytest.importorskip("pptx")
    shown = pptx.Presentation()
    shown.core_properties.author = "A. Bee"
    slide = shown.slides.add_slide(shown.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Flight", "Wings beat."
    slide.shapes.add_table(1, 2, 0, 0, 9, 9).table.cell(0, 1).text = "right"
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    file = io.BytesIO()
    shown.save(file)
    found = one(".pptx", file.getvalue())
    assert [line.strip() for line in found.text.split("\n\n")] == [
        "# Flight",
        "Wings beat.",
        "|  | right |",
        "Say it slowly.",
    ]
    assert found.metadata["author"] == "A. Bee"


OPEN = (
    "<office:document-content "
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">'
    "<office:body><office:text>{}</office:text></office:body></office:document-content>"
)


def test_open_document_and_what_its_xml_may_not_do() -> None:
    pytest.importorskip("lxml")
    row = (
        "<table:table-row><table:table-cell><text:p>a</text:p></"
        "table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell>"
    )
    inner = (
        f'<text:h text:outline-level="2">Bees</text:h><text:p>They<text:s/>fly.</'
        f"text:p><table:table>{row}</table:table-row></table:table>"
    )
    meta = (
        '<m xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T</'
        "dc:title><dc:creator>A. Bee</dc:creator></m>"
    )
    found = one(".odt", zipped({"content.xml": OPEN.format(inner), "meta.xml": meta}))
    assert found == Document(
        "T", "## Bees\n\nThey fly.\n\na | b", "docs/a_file.odt", {"creator": "A. Bee"}
    )
    entities = (
        '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///'
        'etc/passwd">]>'
    )
    hostile = entities + OPEN.format("<text:p>Bees &b; &f;</text:p>")
    assert one(".odt", zipped({"content.xml": hostile})).text == "Bees"
    with pytest.raises(Unreadable, match="unpacks to more than 4 MB"):
        parse(".odt", zipped({"content.xml": " " * 5_000_000}), "a.odt", 1024 * 1024)
    with pytest.raises(
        Unreadable, match=re.escape("it is not a readable OpenDocument file (")
    ):
        parse(".odt", b"PK nothing", "a.odt")


def test_a_book_is_a_document_a_chapter() -> None:
    pytest.importorskip("lxml")
    container = (
        '<container><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>'
    )
    package = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Bees</dc:title><dc:language>en</dc:language></metadata>
<manifest><item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>
<item id="d" href="../../d.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="c"/><itemref idref="d"/><itemref idref="a"/><itemref idref="c"/></spine></package>"""
    chapters = {
        "o/a b.xhtml": "<h1>Flight</h1><p>They fly.",
        "o/c.xhtml": "<?xml version='1.0' encoding='utf-8'?><p>For you.",
    }
    found = parse(
        ".epub",
        zipped({"META-INF/container.xml": container, "o/p.opf": package, **chapters}),
        "b.epub",
    )
    assert found == [
        Document("Bees", "For you.", "b.epub#1", {"language": "en"}),
        Document(
            "Bees: Flight", "# Flight\n\nThey fly.", "b.epub#3", {"language": "en"}
        ),
    ]
    with pytest.raises(Unreadable, match=re.escape("it is not a readable EPUB (")):
        parse(".epub", zipped({"a": "b"}), "b.epub")
