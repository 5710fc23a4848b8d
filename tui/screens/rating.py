"""A form in which people rate answers without seeing which system wrote them."""

from __future__ import annotations

import time

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from ...engines.figures.rated import RatingScale
from ...engines.studies.rating import BlindRater, RatedAnswer
from ...sessions.errors import BadInput
from ...texts import t
from ..showing import clean, clean_line
from .sheet import Pages, Sheet

MARKS = {"r": 1, "w": 0}
"""The keys of right and wrong."""


class RatingScreen(Sheet[None]):
    """Dismissed with None. Every key that says something is on disk before the next."""

    DEFAULT_CSS = """
    RatingScreen {
        #sheet.tall { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
        #title { margin: 0; }
        #text { height: auto; }
        #said { height: auto; margin-top: 1; }
        #said.warning { color: $text-warning; }
        &.-low #hints { margin: 0; }
    }
    """
    CSS = "RatingScreen.sheet { background: $surface; }"  # it covers everything
    BINDINGS = [
        *((str(number), f"number({number})") for number in range(1, 6)),
        *((key, f"mark({value})") for key, value in MARKS.items()),
        ("full_stop,enter", "next"),
        ("comma", "step(-1)"),
        ("semicolon", "step(1)"),
        ("b", "references"),
        ("Z,ctrl+z,backspace", "take_back"),
    ]
    AUTO_FOCUS = "Pages"
    tall = True

    def __init__(self, rater: BlindRater) -> None:
        super().__init__()
        self._rater = rater
        self._at = rater.next()
        self._since = time.monotonic()
        self._shows = False
        """Whether the references are shown."""
        self._last: tuple[int, RatingScale] | None = None
        """What was said last: that is taken back first."""

    @property
    def _answer(self) -> RatedAnswer:
        return self._rater.answers[self._at]

    # Layout

    def heading(self) -> str:
        progress = self._rater.progress
        name = clean_line(progress.annotator)
        return t(
            "rating.title",
            name=name,
            n=self._at + 1,
            total=progress.assigned,
            done=progress.done,
        )

    def body(self) -> ComposeResult:
        with Pages():
            yield Static(id="text", markup=False)
        yield Static(id="said", markup=False)

    def keys(self) -> dict[str, str]:
        numbers = {"1-5": t("rating.quality")} if any(self._answer.languages) else {}
        about = t("rating.ambiguity") if numbers else t("rating.correct")
        marks = {
            key: t("rating.says", what=about, value=t(f"rating.{word}"))
            for key, word in (("r", "right"), ("w", "wrong"))
        }
        return {
            **numbers,
            **marks,
            ".": t("rating.next"),
            ", ;": t("rating.step"),
            "b": t("rating.hide") if self._shows else t("rating.show"),
            "Z": t("rating.take_back"),
            "esc": t("rating.leave"),
        }

    def on_mount(self) -> None:
        self._draw()

    # Drawing

    def _draw(self, problem: str = "") -> None:
        answer = self._answer
        self.query_one("#title", Static).update(
            clean_line(self.heading()), layout=False
        )
        languages = " ".join(filter(None, answer.languages))
        parts: list[Content | tuple[str, str] | str] = [
            (
                t("rating.source", languages=clean_line(languages))
                if languages
                else t("rating.question"),
                "$quiet",
            ),
            "\n",
            clean(answer.asked),
            "\n\n",
            (t("rating.translation") if languages else t("rating.answer"), "$quiet"),
            "\n",
            (clean(answer.answer), "bold"),
        ]
        if self._shows:
            listed = "\n".join(clean(one) for one in answer.references) or t(
                "rating.no_references"
            )
            parts += ["\n\n", (t("rating.references"), "$quiet"), "\n", listed]
        self.query_one("#text", Static).update(Content.assemble(*parts))
        said = self.query_one("#said", Static)
        said.set_class(bool(problem), "warning")
        said.update(Content(clean(problem)) if problem else self._said())
        self.show_keys()

    def _said(self) -> Content:
        """Returns what was said of the answer in front."""
        words = []
        for scale in self._answer.scales:
            value = self._rater.said(self._answer, scale)
            shown = (
                "-"
                if value is None
                else str(value)
                if scale.high > 1
                else t("rating.right" if value else "rating.wrong")
            )
            words.append(
                t("rating.says", what=t(f"rating.{scale.measure}"), value=shown)
            )
        progress = self._rater.progress
        everything = progress.done == progress.assigned
        return Content.assemble(
            (" · ".join(words), "bold"),
            ("   " + t("rating.all_done") if everything else "", "$text-success"),
        )

    # Keys

    def action_number(self, value: int) -> None:
        self._say(value, long=True)

    def action_mark(self, value: int) -> None:
        self._say(value, long=False)

    def _say(self, value: int, *, long: bool) -> None:
        """Writes a value down: a number under the long scale, right or wrong under the
        other one.
        """
        scale = next(
            (one for one in self._answer.scales if (one.high > 1) is long), None
        )
        if scale is not None:
            kept = self._keep(self._at, scale, value)
            if kept and self._rater.advance and self._rater.done(self._answer):
                self.action_next()

    def _keep(self, at: int, scale: RatingScale, value: int | None) -> bool:
        """Writes a value down; returns False where that failed, which is reported."""
        try:
            self._rater.say(
                self._rater.answers[at],
                scale,
                value,
                time.monotonic() - self._since,
                seen=self._shows,
            )
        except BadInput as error:
            self._draw(str(error))
            return False
        self._last = (at, scale) if value is not None else None
        self._draw()
        return True

    def action_take_back(self) -> None:
        """Takes back what was said last; else what is said of the answer in front."""
        if self._last is not None:
            self._go(self._last[0])
            self._keep(*self._last, None)
            return
        for scale in self._answer.scales:
            if self._rater.said(self._answer, scale) is not None:
                self._keep(self._at, scale, None)

    def action_next(self) -> None:
        self._go(self._rater.next(self._at))

    def action_step(self, by: int) -> None:
        self._go(min(max(self._at + by, 0), len(self._rater.answers) - 1))

    def _go(self, at: int) -> None:
        if at != self._at:
            self._at, self._since, self._shows = at, time.monotonic(), False
            self.query_one(Pages).scroll_home(animate=False)
            self._draw()

    def action_references(self) -> None:
        self._shows = not self._shows
        self._draw()
