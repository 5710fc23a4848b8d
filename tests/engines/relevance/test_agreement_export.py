"""What an export says of agreement: every table and figure, from the labels that are in
force; nothing where nobody has labelled.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from verifytui.engines.blocks import export
from verifytui.engines.cases.blocks import say_result
from verifytui.engines.cases.rating import agreements
from verifytui.engines.metrics.compare import RaterLevels, compare, too_few
from verifytui.engines.metrics.gwet import gwet_table
from verifytui.engines.relevance.agreed import agreement_blocks
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.relevance import Label, RelevanceResult, Score
from verifytui.sessions.export.block import Block
from verifytui.sessions.session import Session
from verifytui.tests.support.cases import FLAT, begin
from verifytui.tests.support.telling import add

SCORES = {"a": 3, "b": 1, "c": 0, "d": None, "e": 2, "f": 0}
GOLD = {"a": 3, "b": 0, "c": 0, "d": 2}
LIN = {"a": 3, "b": 1, "c": 2, "d": 1, "e": None}


def labelled(
    *, name: str = "Lin", seen: str = "ab", times: int = 4, second: str | None = None
) -> Session:
    """Each candidate `times` times, the first as a, the others as a1, a2 …; `second`
    gives the same levels to all but the c's.
    """
    ids = [f"{id_}{n or ''}" for n in range(times) for id_ in SCORES]
    session = begin(
        candidates=[
            {"id": id_, "text": FLAT}
            | ({"gold": GOLD[id_[0]]} if id_[0] in GOLD else {})
            for id_ in ids
        ]
    )
    for id_ in ids:
        add(session, Score(candidate=id_, value=SCORES[id_[0]]))
    for id_ in [one for one in ids if one[0] in LIN]:
        add(session, Label(candidate=id_, value=0, annotator=name))  # thought better of
        add(
            session,
            Label(
                candidate=id_,
                value=LIN[id_[0]],
                annotator=name,
                seen_machine=id_[0] in seen,
            ),
        )
        if second is not None:
            add(
                session,
                Label(
                    candidate=id_,
                    value=0 if id_[0] == "c" else LIN[id_[0]],
                    annotator=second,
                ),
            )
    return session


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown text, row by row, as a parser sees them."""
    found: list[list[list[str]]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and found and token.level > 2:
            found[-1][-1].append(
                "".join(child.content for child in token.children or ())
            )
    return found


class Grids(HTMLParser):
    """The heatmaps of a page: (class, count) of each cell, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.grids: list[list[list[tuple[str, str]]]] = []
        self.attributes: set[str] = set()
        self._cell: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        named = str(dict(attrs).get("class"))
        if tag == "table" and named == "grid":
            self.grids.append([])
        elif tag == "tr" and self.grids:
            self.grids[-1].append([])
        elif tag == "td" and "shade" in named:
            self._cell = named

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self.grids[-1][-1].append((self._cell, data.strip()))
            self._cell = None


def test_every_two_raters_have_tables_and_figures() -> None:
    session = labelled()
    blocks = agreement_blocks(session)
    assert [block.heading for block in blocks] == [
        "Lin and gold",
        "Lin and machine",
        "gold and machine",
        "Lin, blind labels only and machine",
    ]
    lin = RaterLevels(
        "Lin",
        {("", f"{id_}{n}"): level for n in range(4) for id_, level in LIN.items()},
    )
    machine = RaterLevels(
        "machine",
        {("", f"{id_}{n}"): level for n in range(4) for id_, level in SCORES.items()},
    )
    known = compare(lin, machine)
    facts = dict(blocks[1].facts)
    assert (
        facts["Rated by both"]
        == "12; left out: 8 unread or undecided by either, 0 rated only by Lin, 4 rated only "
        "by machine"
    )
    figure = known.kappa["levels_quadratic"]
    assert figure.value is not None
    assert (
        facts["Cohen's kappa, four levels, quadratic weights"] == f"{figure.value:.2f}"
    )
    gwet = known.gwet["levels_quadratic"].value
    assert facts["Gwet's AC2, four levels, quadratic weights"] == f"{gwet:.2f}"
    assert facts["Intervals"].startswith("none")
    assert (
        facts["Base rates of Lin"]
        == "0: 0.0%, 1: 33.3%, 2: 33.3%, 3: 33.3%; material bit: 66.7%, legal bit: "
        "66.7%"
    )
    assert (
        facts["Base rates of machine"]
        == "0: 33.3%, 1: 33.3%, 2: 0.0%, 3: 33.3%; material bit: 66.7%, legal bit: "
        "33.3%"
    )
    assert [grid.counts for grid in blocks[1].grids] == [
        known.levels,
        [[4, 0], [0, 8]],
        [[4, 0], [4, 4]],
    ]
    assert (blocks[1].grids[0].down, blocks[1].grids[0].across) == ("Lin", "machine")


def test_the_page_of_a_session_has_gwets_figure_beside_kappa() -> None:
    people = {"anna": [0, 1, 2, 3] * 3, "bert": [0, 1, 2, 0] * 3}
    rated = {
        name: {f"c{n}": level for n, level in enumerate(levels)}
        for name, levels in people.items()
    }
    [found] = agreements(rated)
    block = Block(kind="result", heading="")
    result = RelevanceResult(ranking=[], agreement=[found])
    say_result(block, result, labelled(times=1))
    wanted = gwet_table(found.table, "quadratic")
    assert f"four levels (quadratic) {wanted:.2f}" in block.notes[1]


def test_below_ten_pairs_there_is_the_table_and_no_coefficient() -> None:
    blocks = agreement_blocks(labelled(times=1))
    for block in blocks:
        assert [value for name, value in block.facts if "kappa" in name] == [
            too_few(block_pairs(block.grids[0].counts))
        ]
        assert len(block.grids) == 3
    assert dict(blocks[3].facts)["Rated by both"].startswith("1;")
    assert (
        "One value only",
        "machine gave level 0 to all pairs, so kappa is not meaningful",
    ) in blocks[3].facts


def block_pairs(counts: list[list[int]]) -> int:
    return sum(map(sum, counts))


def test_raters_are_people_where_there_are_two_and_names_choose_others() -> None:
    session = labelled(second="Mo")
    blocks = agreement_blocks(session)
    assert [block.heading for block in blocks] == ["Lin and Mo"]
    told = "gold, machine; to choose them, use --raters"
    assert ("Not compared", told) in blocks[0].facts
    assert [block.heading for block in agreement_blocks(session, ["Mo,gold"])] == [
        "Mo and gold"
    ]
    headings = [block.heading for block in agreement_blocks(session, ["Mo", "machine"])]
    assert headings == ["Mo and machine", "Mo, blind labels only and machine"]
    with pytest.raises(BadInput, match="no rater “Ann”"):
        agreement_blocks(session, ["Ann"])


def test_markdown_has_them_as_tables() -> None:
    session = labelled()
    blocks = agreement_blocks(session)
    made = export(session, "md")
    found = tables(made.partition("## Agreement")[2])
    assert len(found) == 3 * len(blocks)
    assert found[3][0] == ["", "0", "1", "2", "3"]
    assert [[int(cell) for cell in row[1:]] for row in found[3][1:]] == blocks[1].grids[
        0
    ].counts
    assert [row[0] for row in found[4]] == ["", "0", "1"]
    assert "Base rates of Lin" in made
    assert "derived, not annotated" in made


def test_a_page_has_them_as_shaded_cells_that_read_without_colour() -> None:
    session = labelled()
    blocks = agreement_blocks(session)
    page = Grids(export(session, "html"))
    assert len(page.grids) == 3 * len(blocks)
    cells = [row for row in page.grids[3] if row]
    assert [[int(count) for _, count in row] for row in cells] == blocks[1].grids[
        0
    ].counts
    assert [[named for named, _ in row] for row in cells][3] == [
        "shade0",
        "shade0",
        "shade0",
        "shade4 same",
    ]
    assert all(
        ("same" in named) == (i == j)
        for i, row in enumerate(cells)
        for j, (named, _) in enumerate(row)
    )
    assert page.attributes.isdisjoint({"style", "onclick", "src", "href"})


def test_names_are_no_markup() -> None:
    name = "<b>|*x*\n# y"
    session = labelled(name=name)
    made = export(session, "md")
    assert [
        token.content
        for token in MarkdownIt("commonmark").parse(made)
        if token.type in ("html_block", "html_inline")
    ] == []
    assert not re.search(r"^# y", made, re.MULTILINE)
    assert len(tables(made.partition("## Agreement")[2])) == 12
    page = export(session, "html")
    assert "<b>" not in page
    assert "&lt;b&gt;|*x*" in page


def test_without_labels_there_is_nothing() -> None:
    session = begin(candidates=[{"id": "a", "text": FLAT}])
    add(session, Score(candidate="a", value=1))
    assert agreement_blocks(session) == []
    assert "Agreement" not in export(session, "md")
    add(session, Label(candidate="a", value=None, annotator="Lin"))
    assert agreement_blocks(session) == []


@pytest.mark.parametrize("value", [7, -1])
def test_levels_that_are_none_do_no_harm(value: int) -> None:
    session = labelled()
    add(session, Label(candidate="a", value=value, annotator="Lin"))
    add(session, Score(candidate="b", value=value))
    facts = dict(agreement_blocks(session)[1].facts)
    assert facts["Rated by both"].startswith("10; left out: 10 unread")
