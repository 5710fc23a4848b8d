"""One small report in every form: exact texts, hostile texts, widths, both scripts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from verifytui.engines.reports.document import (
    Cell,
    DataColumn,
    DataTable,
    ItemList,
    ReportDocument,
    ReportItem,
    SettingList,
    TextBlock,
)
from verifytui.engines.reports.forms import FORMS, write
from verifytui.engines.reports.plot import Plot, Series
from verifytui.sessions.export.block import CitedPassage
from verifytui.texts.columns import cells, wrap

HOSTILE = (
    "</td><script>a()</script> | \x1b[31m # [x](javascript:a) \\input{x} $y$ =1+1 "
    "\u202e"
)
LONG = "a question of many words " * 9
CHINESE = "哪一座城市是法国的首都，人口有多少？" * 6


def small(text: str = "8 of 20") -> ReportDocument:
    table = DataTable(
        "Figures",
        [DataColumn("measure"), DataColumn("run a", "number", "a"), DataColumn("note")],
        [
            ["right", Cell("40.0%", 0.4, 0.22, 0.61, "21.9 to 61.3%"), text],
            ["tokens", Cell("–")],
        ],
        ["One item was left out."],
    )
    item = ReportItem(
        "q1",
        "wrong",
        "What is 2 + 2?",
        [("answer", text)],
        links=[("session", "runs/q 1.yaml")],
        references=[CitedPassage(n=1, head="page", text=text)],
        shade="bad",
    )
    return ReportDocument(
        "Run a",
        "Run a is right on 40 %.",
        ["2026-01-02 · verifytui solo"],
        [
            table,
            SettingList(
                "Settings", ["a", "b"], [("level", ["1", text])], [("k", "55")]
            ),
            TextBlock([text], "Note"),
            ItemList("Items", [item, ReportItem("q2", "right", "Why?")]),
            Plot("line", "Levels", ["1", "2"], [Series(text, [0.5, None])], x="level"),
        ],
    )


def test_a_report_in_a_terminal() -> None:
    assert (
        write(small(), "text", width=40)
        == """\
Run a

Run a is right on 40 %.

2026-01-02 · verifytui solo

Figures
measure          run a  note
───────  ─────────────  ───────
right            40.0%  8 of 20
         21.9 to 61.3%
tokens               –
One item was left out.

Settings
       a  b
─────  ─  ───────
level  1  8 of 20

Note
8 of 20

Items
q1 · wrong
  What is 2 + 2?
  answer: 8 of 20
  session: runs/q 1.yaml
q2 · right
  Why?

Levels
level  8 of 20
─────  ───────
1          0.5
2            –
"""
    )


def test_a_report_as_markdown() -> None:
    shown = write(small(), "md")
    assert shown.startswith("# Run a\n\n**Run a is right on 40 %.**\n\n- 2026-01-02")
    for line in (
        "| measure | run a | note |",
        "| --- | ---: | --- |",
        "| right | 40.0% (21.9 to 61.3%) | 8 of 20 |",
        "| tokens | – |  |",
        "- One item was left out.",
        "### q1 · wrong",
        "- [session](./runs/q%201.yaml)",
        "<summary>Settings that are the same: 1</summary>",
    ):
        assert line in shown.split("\n")


def test_a_report_as_csv_has_a_section_for_each_table_and_columns_for_both_ends() -> (
    None
):
    rows = list(csv.reader(io.StringIO(write(small(), "csv").removeprefix("\ufeff"))))
    assert rows[:4] == [
        ["Figures"],
        ["measure", "a", "a low", "a high", "note"],
        ["right", "0.4", "0.22", "0.61", "8 of 20"],
        ["tokens", "–", "", "", ""],
    ]
    assert rows[4:6] == [[], ["Settings"]]
    alone = ReportDocument("x", parts=[small().parts[0]])
    assert write(alone, "csv").startswith("\ufeffmeasure,a,")


def test_a_report_as_json_has_numbers_and_never_nan() -> None:
    table = DataTable(
        "T", [DataColumn("a"), DataColumn("a")], [["x", Cell("–", float("nan"))]]
    )
    parts = json.loads(write(ReportDocument("R", parts=[table]), "json"))["parts"]
    assert parts[0]["rows"] == [{"a": "x", "a 2": None}]
    found = json.loads(write(small(), "json"))
    assert found["conclusion"] == "Run a is right on 40 %."
    assert found["parts"][0]["rows"][0]["a high"] == 0.61
    assert found["parts"][3]["items"][0]["files"] == {"session": "runs/q 1.yaml"}


def test_a_report_as_latex_is_a_booktabs_table() -> None:
    table = DataTable(
        "R & D", [DataColumn("m"), DataColumn("[%]", "number")], [["*", "5_0"]]
    )
    assert (
        write(ReportDocument("R", parts=[table]), "latex")
        == r"""% R
% \usepackage{booktabs}

\begin{table}
\centering
\caption{R \& D}
\begin{tabular}{lr}
\toprule
m & {[}\%] \\
\midrule
{*} & 5\_0 \\
\bottomrule
\end{tabular}
\end{table}
"""
    )


class Tags(HTMLParser):
    """Collects all tags and addresses of a page, and whether each tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str | None] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href"]
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_report_as_a_page_begins_with_its_conclusion_and_links_to_sessions() -> None:
    page = write(small(), "html")
    found = Tags(page)
    assert found.open == []
    assert found.links == ["./runs/q%201.yaml"]
    body = page[page.index("<main") :]
    order = [
        "Run a is right on 40 %.",
        "2026-01-02",
        "21.9 to 61.3%",
        "that are the same",
        "q1",
    ]
    assert [body.index(text) for text in order] == sorted(map(body.index, order))
    assert found.tags.count("input") == 3
    assert "all 2" in body


def all_of(text: str) -> ReportDocument:
    """A report in which every text is this one."""
    passage = CitedPassage(n=1, head=text, text=text)
    item = ReportItem(
        text, text, text, [(text, text)], [text], [(text, text)], [passage]
    )
    further = ReportItem("q2", "right")
    columns = [DataColumn(text), DataColumn(text, "number", text)]
    cell = Cell(text, 1.0, 0.0, 2.0, text)
    settings = SettingList(text, [text], [(text, [text])], [(text, [text])], [text])
    return ReportDocument(
        text,
        text,
        [text],
        [
            DataTable(text, columns, [[text, cell]], [text]),
            settings,
            TextBlock([text], text),
            ItemList(text, [item, further]),
            ItemList(text, empty=text),
            Plot("line", text, [text], [Series(text, [0.5])], x=text, y=text),
        ],
    )


@pytest.mark.parametrize("form", FORMS)
def test_texts_from_outside_stay_texts(form: str) -> None:
    shown = write(all_of(HOSTILE), form)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    lines = [line for line in shown.split("\n") if not line.startswith("% ")]
    tex = "\n".join(lines)
    checks: dict[str, Callable[[], bool]] = {
        "html": lambda: "script" not in Tags(shown).tags,
        "md": lambda: "<script" not in shown.replace("\\<script", ""),
        "latex": lambda: "\\input{x}" not in tex and "$y$" not in tex,
        "csv": lambda: True,
        "json": lambda: bool(json.loads(shown)),
        "text": lambda: True,
    }
    assert checks[form]()
    rows = csv.reader(io.StringIO(write(all_of("=1+1"), "csv").removeprefix("\ufeff")))
    assert not [cell for row in rows for cell in row if cell.startswith("=")]


def test_addresses_name_no_other_place() -> None:
    paths = ["javascript:alert(1)", "//host/x", "/etc/passwd", "../a/b.yaml"]
    items = [
        ReportItem(f"{n}", "g", links=[("s", path)]) for n, path in enumerate(paths)
    ]
    document = ReportDocument("R", parts=[ItemList("I", items)])
    safe = ["./javascript%3Aalert%281%29", "./host/x", "./etc/passwd", "../a/b.yaml"]
    assert Tags(write(document, "html")).links == safe
    assert all(f"[s]({address})" in write(document, "md") for address in safe)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("text", [LONG, CHINESE, "x" * 300, HOSTILE])
def test_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    wide = DataTable(text, [DataColumn(text, "number")] * 6, [[text] * 6], [text])
    document = ReportDocument(text, text, [text], [*small(text).parts, wide])
    for line in write(document, "text", width=width).split("\n"):
        assert cells(line) <= width


def test_wrapping_loses_no_sign_and_breaks_between_wide_ones() -> None:
    assert wrap("法国的首都，是巴黎。", 10) == ["法国的首", "都，是巴", "黎。"]
    assert wrap("", 10) == [""]
    for text in (LONG, CHINESE, "ab" * 40):
        assert "".join(wrap(text, 13)).replace(" ", "") == text.replace(" ", "")


def test_further_items_are_folded_in_pages() -> None:
    items = [ReportItem(f"q{n}", "wrong" if n % 2 else "right") for n in range(450)]
    document = ReportDocument("R", parts=[ItemList("Items", items)])
    page = write(document, "html")
    folds = page[page.index("<main") :].split("<details>")
    assert [fold.count("<article") for fold in folds] == [200, 200, 50]
    assert "Items 401 to 450" in folds[2]
    shown = write(document, "text")
    assert ("q199 ·" in shown, "q200 ·" in shown) == (True, False)
    assert "250 more items" in shown
    assert write(document, "csv").count("\r\n") == 451
    assert write(document, "md").count("<details>") == 2
