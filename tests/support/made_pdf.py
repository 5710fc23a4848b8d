"""Makes small PDFs by hand."""

from __future__ import annotations


def at(x: float, y: float, text: str) -> str:
    """Draws a line of text there, in points from the lower left corner."""
    return f"BT /F1 9 Tf {x} {y} Td ({text}) Tj ET"


def made(*pages: list[str] | str) -> bytes:
    """A PDF with these lines on its pages, or with what a text draws."""
    parts = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    font = (
        b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    )
    for lines in pages:
        if isinstance(lines, str):
            drawn = lines
        else:
            moved = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
            drawn = f"BT /F1 12 Tf 72 720 Td {moved} ET"
        stream = drawn.encode()
        kids.append(f"{len(parts) + 1} 0 R")
        parts += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources %b >>" % (len(parts) + 2, font),
            b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        ]
    parts[1] = (
        f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    )
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer << /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF" % (len(parts) + 1, table, len(parts) + 1, len(data))
    )
