"""Answers rated as lines, without seeing which system wrote them."""

from __future__ import annotations

import time

from ..engines.figures.rated import RatingScale
from ..engines.studies.rating import BlindRater, RatedAnswer
from ..sessions.clean import clean
from ..sessions.errors import BadInput
from ..texts import t
from .console import out, say
from .person import InputLines

KEYS = {
    "r": "right",
    "w": "wrong",
    "1-5": "quality",
    ".": "next_answer",
    ",": "answer_before",
    "b": "references",
    "Z": "take_back",
    "?": "help",
    "q": "quit",
}
"""As in the app, each with the text that says what it does."""
MARKS = {"r": 1, "w": 0}


class PlainAnswers:
    """One person's answers, one after the other."""

    def __init__(self, rater: BlindRater, lines: InputLines) -> None:
        self._rater, self._lines = rater, lines
        self._last: tuple[int, RatingScale] | None = None
        """What was rated last: that is taken back first."""
        self._show(rater.next())

    @property
    def _answer(self) -> RatedAnswer:
        return self._rater.answers[self._at]

    async def serve(self) -> int:
        """Obeys line after line until `q` or the end of the input; returns the exit
        code.
        """
        try:
            self._prompt()
            while (typed := await self._lines.next()) is not None:
                if typed.strip() == "q":
                    break
                try:
                    self._obey(typed.strip())
                except BadInput as error:
                    say(str(error))
                self._prompt()
        finally:
            self._rater.close()
        return 0

    def _obey(self, key: str) -> None:
        rater = self._rater
        if key in MARKS:
            self._rate(MARKS[key], key)
        elif key in ("1", "2", "3", "4", "5"):
            self._rate(int(key), key)
        elif key == ".":
            self._show(rater.next(self._at))
        elif key == ",":
            self._show(max(self._at - 1, 0))
        elif key == "b":
            self._seen = True
            listed = "\n".join(map(clean, self._answer.references))
            out(f"\n[{t('rating.references')}]\n")
            out(f"{listed or t('rating.no_references')}\n")
        elif key == "Z":
            self._take_back()
        elif key == "?":
            for name, what in KEYS.items():
                out(f"{name}: {t(f'plain.key_{what}')}\n")
        else:
            say(t("plain.no_key", key=clean(key, newlines=False)[:40]))

    def _rate(self, value: int, key: str) -> None:
        """Record one rating, and advance once the answer is fully rated.

        A rating is a number on the long scale, or right or wrong on the other one.
        """
        long = key not in MARKS
        scale = next(
            (one for one in self._answer.scales if (one.high > 1) is long), None
        )
        if scale is None or value not in scale.values:
            say(t("plain.no_key", key=key))
            return
        self._keep(self._at, scale, value)
        self._last = (self._at, scale)
        if self._rater.done(self._answer):
            progress = self._rater.progress
            if progress.done == progress.assigned:
                say(t("rating.all_done"))
            else:
                self._show(self._rater.next(self._at))

    def _keep(self, at: int, scale: RatingScale, value: int | None) -> None:
        seconds = time.monotonic() - self._since
        answer = self._rater.answers[at]
        self._rater.say(answer, scale, value, seconds, seen=self._seen)

    def _take_back(self) -> None:
        if self._last is None:
            say(t("labelling.nothing_given"))
            return
        at, scale = self._last
        self._keep(at, scale, None)
        self._last = None
        self._show(at)

    def _show(self, at: int) -> None:
        self._at, self._since, self._seen = at, time.monotonic(), False
        answer = self._answer
        languages = " ".join(filter(None, answer.languages))
        asked = t("rating.question")
        if languages:
            asked = t("rating.source", languages=clean(languages, newlines=False))
        said = t("rating.translation") if languages else t("rating.answer")
        out(f"\n[{asked}]\n{clean(answer.asked)}\n\n[{said}]\n{clean(answer.answer)}\n")

    def _prompt(self) -> None:
        """Show the progress and the ratings of the current answer."""
        rater, progress = self._rater, self._rater.progress
        words = [
            t(
                "rating.title",
                name=clean(progress.annotator, newlines=False),
                n=self._at + 1,
                total=progress.assigned,
                done=progress.done,
            )
        ]
        for scale in self._answer.scales:
            value = rater.said(self._answer, scale)
            shown = "-" if value is None else str(value)
            if value is not None and scale.high == 1:
                shown = t("rating.right" if value else "rating.wrong")
            words.append(
                t("rating.says", what=t(f"rating.{scale.measure}"), value=shown)
            )
        out(f"\n{' · '.join(words)}\n{t('plain.answer')}\n")
