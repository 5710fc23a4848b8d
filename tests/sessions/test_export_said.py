"""What somebody said in an exported page: drawn, and harmless whatever it is."""

from __future__ import annotations

import re

import pytest
from verifytui.engines.blocks import export
from verifytui.sessions.clean import clean
from verifytui.sessions.export.markdown_text import said
from verifytui.sessions.session import Header
from verifytui.tests.support.exported import TAGS, Page, everything
from verifytui.tests.support.hostile_texts import HTML, LONG, SHORT
from verifytui.tests.support.speeches import SPEECH


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("# A", "<h4>A</h4>"),
        ("###### A", "<h6>A</h6>"),
        ("a\nb", "<p>a\nb</p>"),
        (
            "**a** *b* ~~c~~ `d`",
            "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>",
        ),
        ("2*3*4 a_b_c __init__", "<p>2*3*4 a_b_c __init__</p>"),
        ("> a\n> b", "<blockquote><p>a\nb</p></blockquote>"),
        ("- a\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        (
            "3. a\n   - b\n\n4. c",
            '<ol><li value="3"><p>a</p><ul><li><p>b</p></li></ul></li><li '
            'value="4"><p>c</p></li></ol>',
        ),
        (
            "```py\n<a>\n\n**b**\n```",
            '<pre><code><span class="muted">py</span>\n&lt;a&gt;\n\n**b**</code></pre>',
        ),
        ("```\nopen", "<pre><code>open</code></pre>"),
        ("---", "<hr>"),
        (r"\(t_1 \le \frac{1}{2}\) for $5", "<p>t₁ ≤ 1/2 for $5</p>"),
        (r"\(\unknown\)", r"<p>\(\unknown\)</p>"),
        (
            "[a](https://x.y)",
            '<p><u>a</u> <span class="muted">(https://x.y)</span></p>',
        ),
    ],
)
def test_each_construct_is_drawn(text: str, drawn: str) -> None:
    assert said(text) == drawn


def test_a_table_is_drawn_aligned() -> None:
    assert said("| a | b |\n|---|--:|\n| 1 | **2** |") == (
        '<table class="drawn"><thead><tr><th>a</th><th class="right">b</th></tr></'
        "thead>"
        '<tbody><tr><td>1</td><td class="right"><strong>2</strong></td></tr></'
        "tbody></table>"
    )


ATTACKS = [
    *HTML,
    "**<script>alert(1)</script>**",
    "`</code></pre><script>x</script>`",
    '```"><script>x</script>\n</code></pre><img src=x onerror=y>\n```',
    '[a](javascript:alert(1)) [b](data:text/html,<script>) <https://x.y/"onclick=z>',
    '| <b> | a" onclick="x |\n|---|---|\n| <script> | &lt;script&gt; |',
    "# <h1 onclick=x>\n> </blockquote></article>\n1. </li></"
    "ol><style>*{display:none}</style>",
    r"\(<img src=x>\) $<script>x$ \(\text{</p><script>}\)",
    "&#60;script&#62; &lt;b&gt; &NewLine;",
    "![x](http://evil/p.png)\n[a]: http://evil",
    "**unclosed *and `so\n\n> - ```\nthe rest",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_that_was_said_becomes_html(header: Header, text: str) -> None:
    made = export(everything(header, text), "html")
    page = Page(made)
    assert page.tags <= TAGS
    assert page.open == []
    body = made.partition("<body>")[2]
    tags = re.findall(r"<([a-z][^<>]*)>", body)
    known = re.compile(
        r'[a-z][a-z0-9]*( (class="[a-z0-9 ]*"|id="e\d+"|dir="auto"|scope="(row'
        r'|col)"|value="\d{1,3}"))*'
    )
    assert [tag for tag in tags if not known.fullmatch(tag)] == []
    for word in ("<script", "<img", "<style", "<a ", "<iframe"):
        assert word not in body


def test_nothing_that_was_said_is_missing() -> None:
    """Every character but marks of Markdown: those that became elements are fewer than
    those that were written.
    """
    for text in SHORT:
        page = Page(f"<div>{said(text)}</div>")
        assert page.open == []
        words = re.findall(r"[A-Za-z0-9]{2,}", clean(text))
        assert [word for word in words if word not in page.text] == [], text


@pytest.mark.parametrize("text", LONG, ids=[text[:3] for text in LONG])
def test_a_million_signs_are_drawn(text: str) -> None:
    assert len(said(text)) >= len(text)


def test_a_speech_in_a_page_that_is_fit_to_print(header: Header) -> None:
    made = export(everything(header, SPEECH), "html")
    for part in (
        "<h5>",
        "<blockquote>",
        '<ol><li value="1">',
        "<table",
        "v_avg = (2d)/(d + d/3) = 1.5 m/s",
        "<strong>the average</strong>",
    ):
        assert part in made
    assert "default-src 'none'" in made
    assert "@media print" in made
    assert "break-inside: avoid" in made
