"""LaTeX as Unicode: what is certain is shown, anything else stays as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.sessions.prose import Style, read
from verifytui.sessions.prose.formulae import certain


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        ("t_1", "t₁"),
        ("x^2", "x²"),
        (r"a \le b", "a ≤ b"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{1}{2}x", "(1/2)x"),
        (r"\frac{a+b}{2c}", "(a+b)/(2c)"),
        (r"3 \times 4 \cdot 5", "3 × 4 · 5"),
        (r"2\pi r", "2πr"),
        (r"\sqrt{2} + \sqrt{x+1}", "√2 + √(x+1)"),
        (r"1.5\ \text{m/s}", "1.5 m/s"),
        (r"\boxed{1.5}", "1.5"),
        (r"v_{avg} = \dfrac{d}{t}", "v_avg = d/t"),
        (r"e^{-x}", "e⁻ˣ"),
        (r"2^{d/3}", "2^(d/3)"),
        (r"\sum_{i=1}^{n} i", "∑ᵢ₌₁ⁿ i"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"90^\circ", "90°"),
        (r"\log_2 8 + \sin x", "log₂ 8 + sin x"),
        ("速度 = 2", "速度 = 2"),
    ],
)
def test_certain(tex: str, shown: str) -> None:
    assert certain(tex) == shown


@pytest.mark.parametrize(
    "tex",
    [
        r"1\frac{1}{2}",  # one and a half, or a half
        "{a+b}^2",
        r"\begin{aligned} a &= b \end{aligned}",
        r"a \\ b",
        r"\unknown{x}",
        r"\overline{x}",
        "a}",
        "{a",
        "^2",
        "x_{",
        r"\frac{1}",
        r"\left. x \right|",
        "100 % of it",
        "\\",
        "1^\\",
        "x^%",
        r"\left&x\right)",
        "{" * 100 + "}" * 100,
    ],
)
def test_not_certain(tex: str) -> None:
    assert certain(tex) is None


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "US$5 or AU$6",
        "$5-$10",
        "$5 for A and B$",
        r"\[x\]",
        r"\[1, 2\]",
        "$ x $",
        "$x$5",
        "$HOME/$USER",
    ],
)
def test_prices_and_escapes_are_no_formulae(text: str) -> None:
    assert [
        span.formula
        for part in read(text)
        for line in part.lines
        for span in line.spans
        if span.formula is not None
    ] == []
    assert "".join(line.shown for part in read(text) for line in part.lines) == text


@pytest.mark.parametrize(
    "text", ["$t_1$", r"\(t_1\)", "$$t_1$$", r"\[t_1\]", "\\[\nt_1\n\\]", "$$\nt_1\n$$"]
)
def test_every_delimiter(text: str) -> None:
    (part,) = read(text)
    assert [line.shown for line in part.lines] == ["t₁"]


@pytest.mark.parametrize("text", [r"\(\unknown_x\) and _y_", r"$\unknown_x$ and _y_"])
def test_what_is_not_certain_stays_raw_and_is_no_emphasis(text: str) -> None:
    spans = read(text)[0].lines[0].spans
    assert spans[0].style == Style.FORMULA
    assert spans[0].shown in text
    assert any(span.style == Style.EMPHASIS for span in spans)


@given(st.text(alphabet="ab12{}^_\\ $()+=frac,sqrtxe\n", max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_formula_is_read_or_not(tex: str) -> None:
    said = certain(tex)
    assert said is None or ("\\" not in said and "\n" not in said)
