"""Lines that hold Chinese are filled, and no line begins with a full stop."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.widgets import Static
from verifytui.tui.terminal.linebreaks import divide_line, install

MIXED = (
    "Python 是一种编程语言\uff0c由荷兰人吉多\u00b7范罗苏姆在1989年圣诞节期间开始设"
    "计\uff0c1991年首次公开发布\u3002"
)


def lines(text: str, width: int) -> list[str]:
    cuts = [0, *divide_line(text, width), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def test_a_line_is_filled_before_the_next_begins() -> None:
    made = lines(MIXED, 30)
    assert made[0].startswith("Python 是一种")
    assert all(cell_len(line.rstrip()) > 24 for line in made[:-1])


def test_no_line_begins_with_a_closing_sign_or_ends_with_an_opening_one() -> None:
    text = (
        "他说\uff1a\u201c可以\u3002\u201d\uff08见第二页\uff09\u300a书名\u300b的内"
        "容\uff0c如下\u3002" * 3
    )
    for width in range(8, 40):
        made = lines(text, width)
        assert not [
            line
            for line in made
            if line[0] in "\uff0c\u3002\uff09\u300b\u201d\uff1a"
            or line.rstrip()[-1] in "\uff08\u300a\u201c"
        ]


@given(
    st.text(alphabet="a b汉字\uff0c\u3002\uff08\u201c1 [", max_size=60),
    st.integers(4, 20),
)
def test_nothing_is_lost_and_every_line_fits(text: str, width: int) -> None:
    made = lines(text, width)
    assert "".join(made) == text
    assert all(cell_len(line.rstrip()) <= width for line in made)


async def test_textual_breaks_this_way() -> None:
    class Host(App[None]):
        def compose(self) -> ComposeResult:
            yield Static(MIXED, markup=False)

    install()
    async with Host().run_test(size=(30, 10)) as pilot:
        strip = pilot.app.query_one(Static).render_line(0)
        assert strip.text.startswith("Python 是一种")
