"""Mails, XML, workbooks, zips and RTF."""

from __future__ import annotations

import io
import zipfile

import pytest
from verifytui.engines.retrieval.documents import Document, Unreadable, parse

pytest.importorskip("lxml")


def packed(**parts: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def read(
    suffix: str, data: bytes, limit: int = 1 << 20
) -> tuple[list[Document], list[str]]:
    said: list[str] = []
    return parse(suffix, data, f"a{suffix}", limit, said.append, said.append), said


MAIL = (
    b"From: Ann <a@b.org>\r\nTo: bob@b.org\r\nSubject: =?utf-8?q?Otters_=E2=9C=93?=\r\n"
    b"Date: Mon, 3 May 2031 10:00:00 +0000\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n%b\r\n--x\r\n"
    b"Content-Type: application/pdf\r\n"
    b"Content-Disposition: attachment; filename=r.pdf\r\n\r\nabc\r\n--x--\r\n"
)


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Type: text/plain; charset=latin-1\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\nThe caf=E9 opens.",
        b"Content-Type: text/html; charset=utf-8\r\n\r\n"
        b"<p>The <b>caf\xc3\xa9</b> opens.</p><script>f()</script>",
    ],
)
def test_mail(body: bytes) -> None:
    (one,), said = read(".eml", MAIL % body)
    assert (one.title, one.text.strip()) == ("Otters ✓", "The café opens.")
    assert one.metadata["from"] == "Ann <a@b.org>"
    assert said == ["1 attachments were not read: r.pdf"]


def test_xml() -> None:
    page = (
        "<!DOCTYPE book [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><book xmlns='urn:d'>"
        "<title>Otters</title><chapter><title>Food</title>"
        "<para>They <em>eat</em> fish.&x;"
        "</para><!-- no -->"
        "<list><item>eel</item><item>trout</item></list></chapter></book>"
    )
    (one,), _ = read(".xml", page.encode())
    assert one.title == "Otters"
    assert one.text == "# Otters\n\n# Food\n\nThey eat fish.\n\neel\n\ntrout"


SPACE = "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'"


def workbook(rows: str) -> bytes:
    return packed(
        **{
            "xl/workbook.xml": f"<workbook {SPACE} xmlns:r='urn:r'><sheets>"
            "<sheet name='Catch' sheetId='1' r:id='r1'/></sheets></workbook>",
            "xl/_rels/workbook.xml.rels": "<Relationships xmlns='urn:p'><Relationship "
            "Id='r1' Target='worksheets/sheet1.xml'/></Relationships>",
            "xl/sharedStrings.xml": f"<sst {SPACE}><si><t>eel</t></si>"
            "<si><r><t>rain</t>"
            "</r><r><t>bow</t></r><rPh><t>no</t></rPh></si></sst>",
            "xl/styles.xml": f"<styleSheet {SPACE}><numFmts><numFmt numFmtId='170' "
            "formatCode='yyyy\\-mm'/><numFmt numFmtId='171' formatCode='0 \"days\"'/>"
            "</numFmts><cellXfs><xf/><xf numFmtId='14'/><xf numFmtId='170'/>"
            "<xf numFmtId='171'/></cellXfs></styleSheet>",
            "xl/worksheets/sheet1.xml": f"<worksheet {SPACE}><sheetData>{rows}"
            "</sheetData></worksheet>",
        }
    )


def test_workbook() -> None:
    (one,), _ = read(
        ".xlsx",
        workbook(
            "<row><c r='A1' t='s'><v>0</v></c><c r='C1' t='s'><v>1</v></c></row><row/>"
            "<row><c r='A3' s='1'><v>45000</v></c><c r='B3' s='2'><v>45000.5</v></c>"
            "<c r='C3' s='3'><v>45000</v></c><c r='D3' t='b'><v>1</v></c>"
            "<c r='E3' t='inlineStr'><is><t>in\nline</t></is></c>"
            "<c r='F3' t='str'><f>A1</f><v>x</v></c></row>"
        ),
    )
    assert (one.title, one.file) == ("a: Catch", "a.xlsx#1")
    assert one.text == (
        "| eel |  | rainbow |\n"
        "| 2023-03-15 | 2023-03-15 12:00:00 | 45000 | TRUE | in line | x |"
    )


def test_zip() -> None:
    found, said = read(
        ".zip",
        packed(
            **{
                "docs/a.md": "# Otters\n\nThey swim.",
                "README": "Read me.",
                "in.zip": packed(x="x").decode("latin-1"),
                "p.png": "no",
                "docs/.git/x.txt": "no",
                "big.txt": "a" * 900_000,
                "/etc/x.txt": "no",
            }
        ),
    )
    assert [(one.title, one.file) for one in found] == [
        ("Otters", "a.zip/docs/a.md"),
        ("README", "a.zip/README"),
    ]
    assert said == [
        "in.zip: .zip files are not indexed",
        "p.png: .png files are not indexed",
        "big.txt: its name or its size in the zip is not plausible",
        "/etc/x.txt: its name or its size in the zip is not plausible",
    ]


def test_zip_of_too_much() -> None:
    with pytest.raises(Unreadable, match="it unpacks to more than 4 MB"):
        read(".zip", packed(**{f"{n}.txt": "a b" * 400_000 for n in range(4)}))


@pytest.mark.parametrize("suffix", [".xlsx", ".zip", ".xml"])
def test_broken(suffix: str) -> None:
    with pytest.raises(Unreadable, match="it is not"):
        read(suffix, b"PK nonsense")


def test_rtf() -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0 Arial;}}"
        rb"{\*\generator x;}{\info{\title no}}"
        rb"\uc1 Otters\'a1\'aa swim\par \b In\b0  \u8220?rivers\u8221? \{1\}.\line "
        rb"{\uc0\u-10179\u-8694 }\par\pard a\cell b\cell\row }"
    )
    (one,), _ = read(".rtf", data)
    assert one.text == (
        "Otters\u2014 swim\n\nIn \u201crivers\u201d {1}.\n\U0001f60a\n\na | b |"
    )
    with pytest.raises(Unreadable, match="it is not a readable RTF"):
        read(".rtf", b"plain")
