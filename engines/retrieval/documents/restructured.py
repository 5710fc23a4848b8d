"""Reads reStructuredText: its text without marks, by docutils; directives of Sphinx and
of others keep what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ....texts import t
from .document import Document, RawFile, unmarked
from .metadata import flat
from .shortfall import compare_source
from .text import text_of
from .within import Late, within

LARGEST = 2_000_000
"""Characters of a text that docutils is given, and SECONDS how long it may take;
without it the text is taken with its marks.
"""
SECONDS = 20.0

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 1,
    "halt_level": 5,
    "warning_stream": False,
    "traceback": True,
    "_disable_config": True,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "line_length_limit": 1_000_000,
}
_NUMBERED = ("pep", "rfc")
"""Roles, and fields of a header, that name a document by its number; a role with a text
of its own is just that.
"""
_MOST_NAMES = 2000
"""Directives and roles that become known, as long as the program runs."""
_HEADER = re.compile(
    r"\A(?:[A-Z][\w-]{0,40}:(?:[ \t][^\n]*)?\n(?:[ \t]+\S[^\n]*\n)*){2,}(?=\n)"
)
_FIELD = re.compile(r"(?m)^([A-Z][\w-]{0,40}):([^\n]*(?:\n[ \t]+\S[^\n]*)*)")
_TITLE = re.compile(
    r"(?m)^(?P<over>[=\-~^\"*#]{3,}\n)?[ \t]*(?P<title>\S[^\n]{0,"
    r"200})\n[=\-~^\"*#]{3,}[ \t]*$"
)
_DIRECTIVE = re.compile(
    r"(?m)^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w.+:-]{1,60}?)[ \t]?::(?:[ \t]|$)"
)
_ROLE = re.compile(r":([A-Za-z][\w.+:-]{0,60}):`")
_TARGET = re.compile(r"\s*<[^<>]*>\s*\Z")
_VERBATIM = re.compile(
    r".*(?:code|source|literal|highlight|math|graphviz|mermaid|doctest|testcode"
    r"|prompt|console|ipython|productionlist).*"
)
_EXPLICIT = re.compile(
    r"\s*(?:\.\.(?:\s+(?:\|[^|\n]+\|\s+)?(?P<name>[\w.+:-]{1,60}?)\s?::(?=\s|$)|\s|$)"
    r"|__\s)"
)
"""The first line of a directive, a comment, a target or a note."""
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s|$)")
_ESCAPED = re.compile(r"[*`]*\\\s[*`]*")
"""An escaped blank, which joins the words on both sides."""
_MARKS = re.compile(
    r":[A-Za-z][\w.+:-]{0,60}:(?=`)|<[^<>]*>`|\[#[^\]]*\]_|\|[^|\s]+\||\\"
)
"""Names of roles and notes, addresses of links, and substitutions."""
_NOTHING = (
    "toctree",
    "include",
    "literalinclude",
    "image",
    "raw",
    "tabularcolumns",
    "index",
    "currentmodule",
    "module",
    "highlight",
)
"""Directives that hold nothing to be read."""
_CHANGES = ("versionadded", "versionchanged", "versionremoved", "deprecated")
_OURS = ("code", "code-block", "sourcecode", "image", "include", "raw")
"""Directives that docutils knows, but not with all the options that Sphinx does, or
that it may not follow.
"""


def restructured(raw: RawFile) -> Iterator[Document]:
    text = text_of(raw).replace("\r\n", "\n")
    header = _HEADER.match(text)
    metadata = (
        flat(
            {
                name.lower(): " ".join(value.split())
                for name, value in _FIELD.findall(header[0])
            }
        )
        if header
        else {}
    )
    body = text[header.end() :] if header else text
    plain, title = body, ""
    try:
        if len(body) > LARGEST:
            raise ValueError
        plain, title, fields = within(SECONDS, lambda: _read(body))
        metadata = {**fields, **metadata}
    except ImportError:
        raw.remark(unmarked("docutils"))
    except (
        Late,
        Exception,
    ):  # whatever a broken text does to the library, it can be read with its marks
        raw.remark(t("wrong.documents.as_written"))
    if plain is not body:
        compare_source(raw, _said(text, len(text) - len(body)), f"{plain} {metadata}")
    if plain is body:
        found = _TITLE.search(body)
        title = found["title"] if found else ""
    title = metadata.pop("title", "") or title or raw.stem
    number = next(
        (
            f"{name.upper()} {metadata[name]}: "
            for name in _NUMBERED
            if metadata.get(name, "").isdecimal()
        ),
        "",
    )
    yield Document(number + title, plain, raw.name, metadata)


def _said(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Number and words of each line of the source that is to be read.

    Comments, targets, options and directives that hold nothing are not.
    """
    skipped, first = -1, text.count("\n", 0, start) + 1
    for number, line in enumerate(text[start:].split("\n"), first):
        indent = len(line) - len(line.lstrip())
        if not line.strip() or indent > skipped >= 0:
            continue
        skipped = -1
        if (mark := _EXPLICIT.match(line)) is not None:
            name = (mark["name"] or "").rpartition(":")[2].lower()
            if not name or (name in _NOTHING and name != "raw"):
                skipped = indent
            continue
        if not _OPTION.match(line):
            yield number, _MARKS.sub(" ", _ESCAPED.sub("", line))


def _read(text: str) -> tuple[str, str, dict[str, str]]:
    """Text, title and fields."""
    from docutils import core, nodes

    _know(text)
    tree = core.publish_doctree(text, settings_overrides=_SETTINGS)
    fields = {}
    for info in list(tree.findall(nodes.docinfo)):
        for field in info:
            if isinstance(field, nodes.field):
                fields[field[0].astext().lower()] = field[1].astext()
            else:
                fields[field.tagname] = field.astext()
        info.parent.remove(info)
    first = next(iter(tree.findall(nodes.title)), None)
    blocks = _Blocks(nodes)
    return (
        "\n\n".join(blocks.of(tree, 1)),
        first.astext() if first is not None else "",
        flat(fields),
    )


class _Blocks:
    """Writes the parts of a tree of docutils as blocks of text, with marks as passages
    are cut by: headings, items, rows.
    """

    def __init__(self, nodes: Any) -> None:
        self._nodes = nodes
        self._unseen = (
            nodes.comment,
            nodes.target,
            nodes.substitution_definition,
            nodes.pending,
            nodes.raw,
            nodes.meta,
            nodes.image,
            nodes.problematic,
            nodes.decoration,
        )
        self._joined = (
            nodes.definition_list_item,
            nodes.field,
            nodes.option_list_item,
            nodes.footnote,
            nodes.citation,
        )

    def of(self, node: Any, depth: int) -> Iterator[str]:
        for child in node.children:
            if not self._hidden(child):
                yield from self._part(child, depth)

    def _hidden(self, node: Any) -> bool:
        if isinstance(node, self._unseen):
            return True
        section = isinstance(node, self._nodes.section)
        return section and "system-messages" in node["classes"]

    def _part(self, node: Any, depth: int) -> Iterator[str]:
        nodes = self._nodes
        if isinstance(node, nodes.system_message):
            yield from self._faulty(node)
        elif isinstance(node, nodes.section):
            yield from self.of(node, depth + 1)
        elif isinstance(node, nodes.table):
            yield from self._table(node)
        elif isinstance(node, nodes.bullet_list | nodes.enumerated_list):
            items = ("\n  ".join(self.of(item, depth)) for item in node.children)
            yield "\n".join(f"- {item}" for item in items)
        elif isinstance(node, self._joined):
            yield "\n".join(filter(None, self.of(node, depth)))
        elif isinstance(node, nodes.title | nodes.subtitle | nodes.rubric):
            yield f"{'#' * min(depth, 6)} {_line(node)}"
        elif isinstance(node, nodes.FixedTextElement | nodes.line_block):
            yield node.astext()
        elif isinstance(node, nodes.TextElement) or not node.children:
            if text := _line(node):
                yield text
        else:
            yield from self.of(node, depth)

    def _faulty(self, message: Any) -> Iterator[str]:
        """The block that a message is about, as it is written."""
        for part in message.children:
            if isinstance(part, self._nodes.literal_block) and message["level"] > 2:
                yield part.astext()

    def _table(self, table: Any) -> Iterator[str]:
        nodes = self._nodes
        for title in table.findall(nodes.title):
            yield _line(title)
        rows = (
            " | ".join(_line(cell) for cell in row.children)
            for row in table.findall(nodes.row)
        )
        yield "\n".join(f"| {row} |" for row in rows)


def _line(node: Any) -> str:
    return " ".join(node.astext().split())


_known: set[str] = set()


def _know(text: str) -> None:
    """Makes docutils know the directives and roles of a text, which may be those of any
    extension of Sphinx.
    """
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, languages

    class AnyOption(dict):  # type: ignore[type-arg]
        """Every option there may be."""

        def __bool__(self) -> bool:
            return True

        def __getitem__(self, key: object) -> Any:
            return lambda value: value

    class ContentDirective(Directive):  # type: ignore[misc]
        """The content of the directive, after its argument."""

        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec = AnyOption()

        def run(self) -> list[Any]:
            name = self.name.rpartition(":")[2].lower()
            if name in _NOTHING:
                return []
            held = nodes.container()
            verbatim = _VERBATIM.fullmatch(name)
            if self.arguments and not (verbatim and self.content):
                argument = (
                    f"{name} {self.arguments[0]}"
                    if name in _CHANGES
                    else self.arguments[0]
                )
                held += nodes.paragraph(
                    "", "", *self.state.inline_text(argument, self.lineno)[0]
                )
            if verbatim:
                held += nodes.literal_block("", "\n".join(self.content))
            else:
                self.state.nested_parse(self.content, self.content_offset, held)
            return [held]

    english = languages.get_language("en")
    for name in _new(_DIRECTIVE.findall(text)):
        _known.add(name)
        if name.lower() in _OURS or (
            name.lower() not in english.directives
            and name.lower() not in directives._directives
        ):
            directives.register_directive(name, ContentDirective)
    _know_roles(text, english)


def _know_roles(text: str, english: Any) -> None:
    from docutils import nodes
    from docutils.parsers.rst import roles
    from docutils.utils import Reporter

    def said(
        name: str,
        raw: str,
        text: str,
        line: int,
        inliner: Any,
        options: Any = None,
        content: Any = None,
    ) -> Any:
        if name in _NUMBERED and text.isdecimal():
            shown = f"{name.upper()} {text}"
        else:
            shown = _TARGET.sub("", text).lstrip("~!")
        return [nodes.inline("", shown or text)], []

    reporter = Reporter("", 5, 5, stream=False)
    for name in _new(_ROLE.findall(text)):
        if name in _NUMBERED or roles.role(name, english, 0, reporter)[0] is None:
            _known.add(name)
            roles.register_local_role(name.lower(), said)


def _new(names: Iterable[str]) -> Iterator[str]:
    """Names that docutils need not know yet, as long as there is room for them."""
    for name in set(names) - _known:
        if len(_known) < _MOST_NAMES:
            yield name
