"""Reads LaTeX: its text without commands, by pylatexenc.

Formulas stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from ....texts import t
from ..structure import first_heading
from .document import Document, RawFile, quiet, unmarked
from .metadata import flat
from .shortfall import compare_source
from .text import text_of
from .within import Late, within

LARGEST = 2_000_000
"""Characters of a text that pylatexenc is given, and SECONDS how long it may take;
without it the text is taken with its commands.
"""
SECONDS = 20.0
LINE = 500
"""Characters of a line in which a comment may begin before a block of code."""

_BODY = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_SAID = re.compile(
    r"\\(title|author|date)\s*(?:\[[^\]]{0,300}\])?\{((?:[^{}]|\{[^{}]{0,"
    r"500}\}){0,1000})\}"
)
_HEADED = re.compile(r"\\(?:part|chapter|(?:sub)*section)\*?\s*\{([^{}]{1,300})\}")
_BEGIN = re.compile(
    r"\\begin\{(verbatim|Verbatim|lstlisting|minted|alltt|comment)(\*?)\}"
    r"(?:\[[^\]]{0,300}\])?(?:\{[^{}]{0,100}\}(?=\s*\n))?"
)
"""The beginning of a block of code, or of one that is no text."""
_PLACE = re.compile("\ue000(\\d+)\ue001")
"""Placeholder for a block of code: pylatexenc would drop the block."""
_COMMENT = re.compile(r"(?<!\\)%.*")
_UNSAID = re.compile(
    r"\\(?:re|provide)?newcommand\*?\{?\\[A-Za-z]+\}?(?:\[[^\]]{0,300}\])*"
    r"(?:\{[^{}]{0,300}\})?"
    r"|\\begin\{(?:tabular|array|longtable|tabularx|minipage|multicols)\*?\}"
    r"(?:\[[^\]]{0,300}\]|\{[^{}]{0,300}\})*"
    r"|\\(?:label|(?:auto|c|page|eq|name)?ref|[A-Za-z]*cite[A-Za-z]*"
    r"|bibliography(?:style)?"
    r"|include(?:graphics)?|input|begin|end|href|url|vspace|hspace|usepackage"
    r"|newtheorem|textcolor|color|definecolor)\*?"
    r"(?:\s*\[[^\]]{0,300}\])*(?:\{[^{}]{0,300}\})?(?:\[[^\]]{0,300}\])*"
    r"|\\\\|[~$&]"
)
"""Commands whose arguments are not part of the text, and separators of words."""
_ACCENT = re.compile(r"\\[^\w\s]|\\[cdHkruv](?=\{)")
"""Accents and escapes, which stand within words."""
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\]]{0,300}\])*")
_HEADINGS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
}


def tex(raw: RawFile) -> Iterator[Document]:
    text = text_of(raw).replace("\r\n", "\n")
    body = found[1] if (found := _BODY.search(text)) else text
    said = {
        name: " ".join(value.replace("\\\\", " ").split())
        for name, value in _SAID.findall(text[:200_000])
    }
    try:
        if len(body) > LARGEST:
            raise ValueError
        plain = within(SECONDS, partial(_plain, body))
        compare_source(raw, _said(text, body), plain)
        body = plain
        said = {
            name: within(SECONDS, partial(_plain, value))
            for name, value in said.items()
        }
    except ImportError:
        raw.remark(unmarked("pylatexenc"))
    except (
        Late,
        Exception,
    ):  # whatever a broken text does to the library, it can be read with its commands
        raw.remark(t("wrong.documents.as_written"))
    metadata = flat(said)
    yield Document(
        metadata.pop("title", "") or first_heading(body) or _headed(body) or raw.stem,
        body,
        raw.name,
        metadata,
    )


def _said(text: str, body: str) -> Iterator[tuple[int, str]]:
    """Number and words of each line of a body in its text, without commands."""
    first = text.count("\n", 0, text.find(body)) + 1
    for number, line in enumerate(body.split("\n"), first):
        words = _ACCENT.sub("", _UNSAID.sub(" ", _COMMENT.sub("", line)))
        yield number, _COMMAND.sub(" ", words).replace("{", "").replace("}", "")


def _headed(text: str) -> str:
    """The first heading of a text with its commands, or ""."""
    found = _HEADED.search(text)
    return " ".join(found[1].split()) if found else ""


def _plain(text: str) -> str:
    from pylatexenc import latex2text, latexwalker

    quiet("pylatexenc")
    quiet_macros = (
        "maketitle",
        "tableofcontents",
        "label",
        "ref",
        "cite",
        "citep",
        "citet",
        "bibliographystyle",
        "bibliography",
        "eqref",
    )
    known = latex2text.get_default_latex_context_db()
    known.add_context_category(
        "headings",
        prepend=True,
        macros=[
            *(
                latex2text.MacroTextSpec(name, simplify_repl=_heading(level))
                for name, level in _HEADINGS.items()
            ),
            *(latex2text.MacroTextSpec(name, discard=True) for name in quiet_macros),
        ],
    )
    writer = latex2text.LatexNodes2Text(
        latex_context=known,
        math_mode="verbatim",
        keep_comments=False,
        strict_latex_spaces=False,
    )
    text, codes = _without_code(text)
    nodes, _, _ = latexwalker.LatexWalker(text, tolerant_parsing=True).get_latex_nodes()
    plain = re.sub(
        r"\n[ \t]*(?:\n[ \t]*)+", "\n\n", str(writer.nodelist_to_text(nodes))
    ).strip()
    return _PLACE.sub(
        lambda found: (
            f"```\n{codes[int(found[1])]}\n```" if int(found[1]) < len(codes) else ""
        ),
        plain,
    )


def _without_code(text: str) -> tuple[str, list[str]]:
    """The text with a sign in place of each block of code, and the blocks.

    What a comment holds is in neither.
    """
    pieces, codes, at = list[str](), list[str](), 0
    endless = set[str]()
    for found in _BEGIN.finditer(text):
        end = f"\\end{{{found[1]}{found[2]}}}"
        if found.start() < at or end in endless:
            continue
        before = text[max(0, found.start() - LINE) : found.start()]
        if _COMMENT.search(before[before.rfind("\n") + 1 :]):
            continue
        stop = text.find(end, found.end())
        if stop < 0:
            endless.add(end)
            continue
        pieces.append(text[at : found.start()])
        if found[1] != "comment":
            pieces.append(f"\n\n\ue000{len(codes)}\ue001\n\n")
            codes.append(text[found.end() : stop].strip("\n"))
        at = stop + len(end)
    return "".join([*pieces, text[at:]]), codes


def _heading(level: int) -> Any:
    def written(node: Any, l2tobj: Any) -> str:  # the names that pylatexenc gives by
        arguments = node.nodeargd.argnlist if node.nodeargd is not None else []
        return (
            f"\n\n{'#' * level} "
            f"{' '.join(l2tobj.nodelist_to_text(arguments[-1:]).split())}\n\n"
            if arguments and arguments[-1]
            else ""
        )

    return written
