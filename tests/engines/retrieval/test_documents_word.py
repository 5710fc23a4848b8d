"""Word: what tracked changes, content controls, text boxes and notes say is read, and
what is not read is counted.
"""

from __future__ import annotations

import io
import zipfile

import pytest
from verifytui.engines.retrieval.documents import Document, parse

docx = pytest.importorskip("docx")

SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BODY = """
<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>Contract of Sale</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Delivery</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">The delivery date is </w:t></w:r>
  <w:ins w:id="1" w:author="a"><w:r><w:t>3 May 2031</w:t></w:r></w:ins>
  <w:del w:id="2" w:author="a"><w:r><w:delText>never</w:delText></w:r></w:del>
  <w:r><w:t xml:space="preserve"> as agreed.</w:t><w:footnoteReference w:id="7"/></w:r></w:p>
<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t>The buyer is Mr Orlov.</w:t></w:r></w:p>
  </w:sdtContent></w:sdt>
<w:p><w:moveFrom w:id="3" w:author="a"><w:r><w:t>Moved away.</w:t></w:r></w:moveFrom></w:p>
<w:p><w:moveTo w:id="4" w:author="a"><w:r><w:t>Moved here.</w:t></w:r></w:moveTo>
  <w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent>
  </w:pict></w:r></w:p>
<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>an item</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p>
  </w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>left</w:t></w:r></w:p></w:tc><w:tc><w:tbl><w:tr>
  <w:tc><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>
"""
NOTES = f"""<w:footnotes xmlns:w="{SPACE}">
<w:footnote w:id="7"><w:p><w:r><w:t>Or one day later.</w:t></w:r></w:p></w:footnote>
%s</w:footnotes>"""


def made(more: str = "") -> tuple[Document, list[str]]:
    """The document and the remarks; `more`: further footnotes."""
    file, written = io.BytesIO(), io.BytesIO()
    docx.Document().save(file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(written, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                head, _, tail = data.decode().partition("<w:body>")
                data = f"{head}<w:body>{BODY}{tail}".encode()
            new.writestr(name, data)
        new.writestr("word/footnotes.xml", NOTES % more)
    remarks: list[str] = []
    (found,) = parse(".docx", written.getvalue(), "c.docx", remark=remarks.append)
    return found, remarks


def test_every_word_is_read_with_changes_accepted() -> None:
    found, remarks = made()
    assert found.title == "Contract of Sale"
    assert [" ".join(block.split()) for block in found.text.split("\n\n")] == [
        "# Contract of Sale",
        "## Delivery",
        "The delivery date is 3 May 2031 as agreed.[^7]",
        "Or one day later.",
        "The buyer is Mr Orlov.",
        "Moved here.",
        "In a box.",
        "- an item",
        "| wide | | left | inner |",
    ]
    assert remarks == []


def test_what_is_not_read_is_counted_with_its_place() -> None:
    lost = "<w:p><w:r><w:t>Nobody refers hereto.</w:t></w:r></w:p>"
    _, remarks = made(f'<w:footnote w:id="8">{lost}</w:footnote>')
    assert len(remarks) == 1
    assert "3 of 35 words" in remarks[0]
    assert "footnote \u00b62: Nobody refers hereto." in remarks[0]
