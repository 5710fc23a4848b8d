"""Terminal cells: a character or grapheme cluster, with its style."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from ..showing import NAMED

ATTRIBUTES = {
    "bold": (1, 22),
    "dim": (2, 22),
    "italic": (3, 23),
    "underline": (4, 24),
    "blink": (5, 25),
    "reverse": (7, 27),
    "strike": (9, 29),
    "blink2": (6, 0),
    "conceal": (8, 0),
    "underline2": (21, 0),
    "frame": (51, 0),
    "encircle": (52, 0),
    "overline": (53, 0),
}
"""Attributes of a style: the code that sets it, and the one that takes it away on every
terminal (0: only a reset does).
"""

BIT = {name: 1 << number for number, name in enumerate(ATTRIBUTES)}
INTENSITY = BIT["bold"] | BIT["dim"]
ON_BLANKS = sum(
    BIT[name]
    for name in (
        "underline",
        "reverse",
        "strike",
        "underline2",
        "frame",
        "encircle",
        "overline",
    )
)
"""Attributes that are seen where there is no character."""


class Pen(NamedTuple):
    """How a cell is drawn: attributes as bits, SGR codes of the two colours (empty: the
    terminal's own), and a link.
    """

    on: int = 0
    ink: str = ""
    ground: str = ""
    link: str = ""


PLAIN = Pen()

Cell = tuple[str, Pen]
"""A character or cluster with its pen.

The further cells of a wide one hold an empty text.
"""

UNKNOWN: Cell = ("\0", PLAIN)
"""A cell with unknown terminal content; never equal to one to draw."""


@lru_cache(maxsize=4096)
def pen_of(style: Style, colors: ColorSystem) -> Pen:
    """Returns the pen of a Rich style, with colours as this terminal has them."""
    on = sum(bit for name, bit in BIT.items() if getattr(style, name))
    ink, ground = (
        _color(color, colors, number)
        for number, color in enumerate((style.color, style.bgcolor))
    )
    link = f"id={style.link_id};{style.link}" if style.link else ""
    return _same_pen(Pen(on, ink, ground, link))


def _color(color: object, colors: ColorSystem, ground: int) -> str:
    if color is None:
        return ""
    codes = ";".join(color.downgrade(colors).get_ansi_codes(foreground=not ground))  # type: ignore[attr-defined]
    if codes == ("49" if ground else "39"):
        return ""
    return codes


@lru_cache(maxsize=4096)
def _same_pen(pen: Pen) -> Pen:
    """Returns one object for equal pens: cells compare faster."""
    return pen


@lru_cache(maxsize=4096)
def on_blanks(pen: Pen) -> Pen:
    """Returns what is seen of a pen where it draws a blank: nothing of its ink, unless
    a line is drawn. Exchanged colors leave the ink as the ground.
    """
    if pen.on & ON_BLANKS == BIT["reverse"] and pen.ink[:3] == "38;" and not pen.link:
        return _same_pen(Pen(0, "", f"48;{pen.ink[3:]}"))
    if pen.on & ON_BLANKS or pen.link:
        return pen
    return _same_pen(Pen(0, "", pen.ground))


@lru_cache(maxsize=1024)
def dimmed(pen: Pen) -> Pen:
    """Returns the same pen, dim."""
    return _same_pen(pen._replace(on=pen.on | BIT["dim"]))


def blank_with(pen: Pen, blank: Pen) -> bool:
    """Whether a blank looks as it should when it is drawn with a pen."""
    return (
        pen.ground == blank.ground
        and not (pen.on | blank.on) & ON_BLANKS
        and pen.link == blank.link
    )


@lru_cache(maxsize=4096)
def change(before: Pen, after: Pen) -> str:
    """Returns the shortest sequence that leads from one pen to another."""
    link = "" if before.link == after.link else f"\x1b]8;{after.link or ';'}\x1b\\"
    if before[:3] == after[:3]:
        return link
    if after[:3] == PLAIN[:3]:
        return f"\x1b[m{link}"
    whole = ";".join(
        [
            "0",
            *_set(after.on),
            *filter(None, after[1:3]),
        ]
    )
    part = _parted(before, after)
    return (
        f"\x1b[{part if part is not None and len(part) < len(whole) else whole}m{link}"
    )


def _set(on: int) -> list[str]:
    return [str(code) for name, (code, _) in ATTRIBUTES.items() if on & BIT[name]]


def _parted(before: Pen, after: Pen) -> str | None:
    """Returns the codes of what differs; None where something can only be reset."""
    gone, come = before.on & ~after.on, after.on & ~before.on
    offs = {off for name, (_, off) in ATTRIBUTES.items() if gone & BIT[name]}
    if 0 in offs:
        return None
    if gone & INTENSITY:  # one code takes both away
        come |= after.on & INTENSITY
    colors = [
        now or default
        for was, now, default in zip(
            before[1:3],
            after[1:3],
            ("39", "49"),
            strict=True,
        )
        if was != now
    ]
    return ";".join(
        [
            *map(str, sorted(offs)),
            *_set(come),
            *colors,
        ]
    )


# Characters


@lru_cache(maxsize=8192)
def sure(char: str) -> bool:
    """Whether every terminal gives this character the same width, whatever its
    neighbours are.

    True for letters, ideographs and punctuation; False for combining marks, emoji and
    code points that Unicode does not define.
    """
    kind, width = unicodedata.category(char), cell_len(char)
    if kind[0] in "MC":
        return False
    if unicodedata.east_asian_width(char) in "WF":
        return width == 2 and kind not in ("So", "Sk")
    return width == 1 and char < "\U0001f000"


@lru_cache(maxsize=1024)
def clusters(text: str) -> tuple[str, ...]:
    """Returns the text of each cell: a character, or a run that terminals may join
    differently; empty for further cells of a wide one.

    Control characters are left out: nothing that goes through here moves the cursor.
    """
    if text.isascii() and text.isprintable():
        return tuple(text)
    found: list[str] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and (not sure(text[end]) or text[end - 1] == "\u200d"):
            end += 1
        width = cell_len(text[start:end])
        said = "".join(
            char for char in text[start:end] if unicodedata.category(char) != "Cc"
        )
        if width:
            found += [said or " ", *[""] * (width - 1)]
        start = end
    return tuple(found)


@lru_cache(maxsize=8192)
def is_sure(text: str) -> bool:
    """Whether all terminals draw a cell's text alike."""
    return (len(text) == 1 and (text.isascii() or sure(text))) or not text


def cells_of(segments: Iterable[Segment], colors: ColorSystem) -> list[Cell]:
    """Returns the cells of a part of a line."""
    cells: list[Cell] = []
    for text, style, control in segments:
        if control or not text:
            continue
        pen = PLAIN if style is None else pen_of(style, colors)
        if cells and not sure(text[0]):
            text = _joined(cells, text)
        if " " in text:
            blank = on_blanks(pen)
            cells += [(each, blank if each == " " else pen) for each in clusters(text)]
        else:
            cells += [(each, pen) for each in clusters(text)]
        if NAMED in text:
            cells = [
                (each.replace(NAMED, ""), dimmed(own)) if NAMED in each else (each, own)
                for each, own in cells
            ]
    return cells


def _joined(cells: list[Cell], text: str) -> str:
    """Gives marks at the beginning of a text to the cell before them; returns the rest
    of the text.
    """
    marks = 0
    while marks < len(text) and not cell_len(text[: marks + 1]):
        marks += 1
    said = "".join(char for char in text[:marks] if unicodedata.category(char) != "Cc")
    if said:
        lead = max(number for number, (each, _) in enumerate(cells) if each)
        pen = dimmed(cells[lead][1]) if NAMED in said else cells[lead][1]
        cells[lead] = (cells[lead][0] + said.replace(NAMED, ""), pen)
    return text[marks:]
