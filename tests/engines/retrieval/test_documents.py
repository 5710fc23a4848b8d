"""Files read into documents, and the sentence for each that cannot be."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval import documents
from verifytui.engines.retrieval.documents import (
    SUFFIXES,
    Document,
    Unreadable,
    decode,
    load,
    parse,
    read,
)
from verifytui.engines.retrieval.documents.source import LANGUAGES

CHINESE = "\u9ed1\u8c79\u961f\u7684\u9632\u5b88\u53ea\u4e22\u4e86308\u5206\u3002\n\u7b2c\u4e8c\u884c\u3002"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a_file.txt"
    path.write_bytes(CHINESE.encode(encoding))
    assert read(path) == [Document("a file", CHINESE, str(path))]


def test_line_breaks_and_what_utf8_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(
        b'{"text": "one\\r\\ntwo\\rthree\\u0000 \\ud800", "title": " A \\n"}\n'
    )
    assert read(path) == [Document("A", "one\ntwo\nthree \ufffd", f"{path}#1")]


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x00\x00",
        b"\x89PNG\r\n\x1a\n\0\0",
        bytes(range(256)),
        b"\xff\xfe\x00",
        b"caf\xe9 au lait, na\xefve",
        b"\1\2\3\4 abc",
        b"\x80" * 9,
    ],
)
def test_binary_and_unknown_encodings_are_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"binary file|neither UTF-8"):
        decode(data)


def test_markdown_takes_its_heading_as_title() -> None:
    assert parse(".md", b"intro\n\n## The *heading* ##\ntext", "docs/x.md") == [
        Document("The *heading*", "intro\n\n## The *heading* ##\ntext", "docs/x.md")
    ]
    assert parse(".md", b"text", "docs/some_page.md")[0].title == "some page"


@pytest.mark.parametrize(
    "field", ["text", "body", "content", "contents", "passage", "Text"]
)
@pytest.mark.parametrize("title", ["title", "headline", "name"])
def test_json_lines(field: str, title: str) -> None:
    rows = [
        {"id": 7, title: "T", field: "One."},
        {"question": "?"},
        "Two.",
        {field: "Three.", title: None},
        {field: "  "},
        [1],
    ]
    odd: list[str] = []
    data = "\n\n".join(json.dumps(row) for row in rows) + "\n{\n"
    found = parse(".jsonl", data.encode(), "f.jsonl", odd=odd.append)
    one = Document("T", "One.", "f.jsonl#1", {"id": "7"})
    assert found == [
        one,
        Document("", "Two.", "f.jsonl#5"),
        Document("", "Three.", "f.jsonl#7"),
    ]
    assert [line.split(" ")[1] for line in odd] == ["3", "9", "11", "12"]
    assert odd[3] == "line 12 is not JSON"


def test_rows_left_out_are_not_told_without_end() -> None:
    odd: list[str] = []
    parse(".jsonl", b'{"text": "a"}\n' + b"{\n" * 1000, "f", odd=odd.append)
    assert len(odd) == documents.ODD + 1
    assert odd[-1] == "and 990 more rows like these"


def test_csv() -> None:
    table = 'name;country;note\n"Eiffel; tower";France;330 m\nBig Ben;UK;\n\n'
    assert parse(".csv", table.encode(), "t.csv") == [
        Document(
            "",
            "name: Eiffel; tower\ncountry: France\nnote: 330 m",
            "t.csv#2",
            {"name": "Eiffel; tower", "country": "France", "note": "330 m"},
        ),
        Document(
            "",
            "name: Big Ben\ncountry: UK",
            "t.csv#3",
            {"name": "Big Ben", "country": "UK"},
        ),
    ]
    assert parse(".csv", b"id,title,text\n1,T,a long text\n", "t.csv") == [
        Document("T", "a long text", "t.csv#2", {"id": "1"})
    ]
    assert parse(".csv", b'text\n"two\nlines"\nx,more,cells\n', "t.csv")[1].text == "x"


def test_html() -> None:
    pytest.importorskip("trafilatura")
    body = "".join(
        f"<p>Paragraph {n} of the page says something of some length about bees.</p>"
        for n in range(5)
    )
    head = (
        "<head><meta charset='gbk'><title>Bees &amp; \u8702</title><script>var x=1</"
        "script></head>"
    )
    page = f"<html>{head}<body><nav>menu</nav><article>{body}</article></body></html>"
    (document,) = parse(".html", page.encode("gbk"), "b.html")
    assert document.title == "Bees & \u8702"
    assert "Paragraph 4 of the page" in document.text
    assert "var x" not in document.text
    assert (
        parse(".htm", b"<html><body><p>short</p></body></html>", "c.htm")[
            0
        ].text.strip()
        == "short"
    )


def test_word() -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("Minutes", 1)
    document.add_paragraph("First paragraph.")
    table = document.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "left", "right"
    document.add_paragraph(CHINESE)
    file = io.BytesIO()
    document.save(file)
    (found,) = parse(".docx", file.getvalue(), "m.docx")
    assert found.text == (
        f"# Minutes\n\nFirst paragraph.\n\n| left | right |\n\n{CHINESE}"
    )


def pdf(text: str) -> bytes:
    """A PDF of one page, made by hand."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /"
        b"Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length "
        + str(len(stream)).encode()
        + b" >>\nstream\n"
        + stream
        + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n".encode() + part + b"\nendobj\n"
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(
        f"{place:010} 00000 n \n".encode() for place in places
    )
    return (
        data
        + table
        + f"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF".encode()
    )


def test_pdf(capfd: pytest.CaptureFixture[str]) -> None:
    pypdf = pytest.importorskip("pypdf")
    assert parse(".pdf", pdf("The bridge was opened in 1932."), "a_b.pdf") == [
        Document("a b", "The bridge was opened in 1932.", "a_b.pdf")
    ]
    with pytest.raises(Unreadable, match="it has page images but no text; run text"):
        parse(".pdf", pdf(""), "a.pdf")
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("secret")))
    writer.encrypt("password", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    with pytest.raises(Unreadable, match="it is password-protected"):
        parse(".pdf", file.getvalue(), "a.pdf")
    with pytest.raises(Unreadable, match=re.escape("it is not a readable PDF (")):
        parse(".pdf", b"%PDF-1.4 nonsense", "a.pdf")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("suffix", "library"),
    [(".html", "trafilatura"), (".pdf", "pypdf"), (".docx", "docx")],
)
def test_without_the_library_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, suffix: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        Unreadable,
        match=r"Run this and index again: .* -m pip install .*\[documents\]",
    ):
        parse(suffix, b"x", "a" + suffix)


def test_a_word_document_that_unpacks_without_end_is_refused() -> None:
    pytest.importorskip("docx")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 5_000_000)
    with pytest.raises(Unreadable, match="unpacks to more than 4 MB"):
        parse(".docx", file.getvalue(), "a.docx", limit=1024 * 1024)


@settings(deadline=None)
@given(
    st.sampled_from([suffix for suffix in SUFFIXES if suffix not in LANGUAGES]),
    st.binary(max_size=400),
)
@example(".txt", b"\xef\xbb")
def test_whatever_bytes_there_are_a_document_or_a_reason_comes_of_them(
    suffix: str, data: bytes
) -> None:
    try:
        found = parse(suffix, data, "name" + suffix)
    except Unreadable:
        return
    assert all(document.text.strip() for document in found)
    "".join(document.text + document.title for document in found).encode("utf-8")


def test_the_limit_and_what_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1025)
    with pytest.raises(Unreadable, match=r"larger than 0\.000976562 MB"):
        load(path, 1024)
    assert load(path, 1025)[0] == b"x" * 1025
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(Unreadable, match="not a regular file"):
        load(tmp_path / "pipe.txt")
    with pytest.raises(Unreadable, match="cannot be read: no such file"):
        load(tmp_path / "none.txt")
    with pytest.raises(Unreadable, match=r"\.exe files are not indexed"):
        parse(".exe", b"x", "a.exe")
    with pytest.raises(Unreadable, match="it has no text"):
        parse(".txt", b" \n", "a.txt")


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.txt"
    path.write_text("one\n")
    real = os.fstat
    calls = []

    def fstat(fd: int) -> os.stat_result:
        calls.append(fd)
        if len(calls) == 2:
            with path.open("a") as file:
                file.write("two\n")
        return real(fd)

    monkeypatch.setattr(os, "fstat", fstat)
    with pytest.raises(Unreadable, match="changed while it was read"):
        load(path)


RUSSIAN = "Маяк на северном берегу горит каждую ночь, и смотритель живёт рядом. " * 3
JAPANESE = "灯台は北の岸にあり、毎晩火がともされる。番人はその隣に住んでいます。" * 3
KOREAN = "등대는 북쪽 해안에 있고 매일 밤 불이 켜진다. 관리인은 그 옆에 산다. " * 3
FRENCH = (
    "Le phare est allumé chaque nuit ; le gardien habite à côté, près du rocher. " * 3
)
TAIWAN = "燈塔在北邊的海岸上，每天晚上都會點燈，看守的人就住在旁邊。" * 3


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "utf-16-le"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
        (TAIWAN, "big5hkscs"),
        (FRENCH, "cp1252"),
        (FRENCH, "utf-16-be"),
    ],
)
def test_other_encodings_are_guessed_with_a_remark(text: str, encoding: str) -> None:
    remarks: list[str] = []
    (found,) = parse(".txt", text.encode(encoding), "a.txt", remark=remarks.append)
    assert found.text == text
    named = encoding.upper().replace("_", "-")
    assert remarks == [f"The encoding is a guess: {named}."]


def test_a_byte_that_is_not_utf8_costs_a_character() -> None:
    remarks: list[str] = []
    data = CHINESE.encode() + b"\xff" + CHINESE.encode()
    (found,) = parse(".md", data, "a.md", remark=remarks.append)
    assert found.text == f"{CHINESE}\ufffd{CHINESE}"
    assert remarks == ["Bytes that are not UTF-8 are replaced, a character each."]
