"""A debate in which one text stands everywhere, and what a browser sees of its export."""

from __future__ import annotations

from html.parser import HTMLParser

from verifytui.sessions.events import Change, Event, Failure, Note
from verifytui.sessions.events.debate import (
    Baseline,
    Candidates,
    DebateResult,
    Speech,
    Stance,
    Verdict,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Session

HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</div></article></details></body>",
    "```\n# Not a heading\n```\n~~~\n",
    "# heading\n## heading\n===\n---\n- list\n1. list\n> quote\n    code\n\tcode",
    "[link](javascript:alert(1)) ![img](http://x/y.png) <http://x> [a]: http://"
    "evil\n\n[a]",
    "| a | b |\n|---|---|\n| c | d |",
    "**bold** *it* ~~no~~ `code` $x$ &lt;b&gt; &#60; \\*",
    "a\x1b[31m\x9b\x07\u202eb\x00\x85c\u2028d",
    "a\n</summary></details>\n\n<style>*{display:none}</style>",
    "\"><svg onload=alert(1)> ' onmouseover=x",
    '=HYPERLINK("http://x")\n+1\n-1\n@SUM(A1)',
]


TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "header",
        "section",
        "article",
        "footer",
        "h1",
        "h2",
        "h3",
        "p",
        "div",
    ),
    *("span", "table", "tr", "th", "td", "dl", "dt", "dd", "details", "summary"),
    *(
        "h4",
        "h5",
        "h6",
        "strong",
        "em",
        "s",
        "u",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "blockquote",
        "hr",
        "thead",
        "tbody",
    ),
}


ATTRIBUTES = {
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
    "class",
    "id",
    "dir",
    "scope",
    "value",
}


def everything(header: Header, text: str) -> Session:
    """A session in which a text stands wherever text may stand."""
    header.title = header.task["topic"] = header.prompts.set = text
    header.lineup["judge"].model = text
    header.lineup["judge"].params = {"stop": text}
    header.settings["x"] = text
    header.versions = {text: text}
    journal = Journal.create(None, header)
    said: list[Event] = [
        Baseline(
            role="baseline",
            model=text,
            text=text,
            reasoning=text,
            answer=text,
            read="json",
        ),
        Speech(
            role="affirmative",
            model=text,
            text=text,
            reasoning=text,
            finish=text,
            round=1,
            answer=text,
        ),
        Speech(role=text, text="", round=1),
        Stance(role="observer", text=text, round=1, value=0.5, read="json"),
        Verdict(
            role="judge",
            text=text,
            reason=text,
            round=1,
            mode="discriminative",
            supported_side=text,
            answer=text,
            read="json",
        ),
        Verdict(role="judge", text=text, round=1, mode="extractive"),
        Candidates(role="judge", text=text, round=1, items=[text, text], read="json"),
        Change(field=text, old={text: text}, new=[text]),
        Failure(role="negative", kind=text, message=text),
        Note(text=text, about=text),
        DebateResult(answer=text, decided_by="extractive", supported_side=text),
    ]
    for event in said:
        journal.append(event)
    return journal.session


class Page(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
