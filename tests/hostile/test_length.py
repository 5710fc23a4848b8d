"""The time of every reader of outside text grows as its length, whatever it repeats.

`READERS` is the table: a reader is added in one line. That every module of a method
which reads replies is in it is a test, too.
"""

from __future__ import annotations

import ast
import gc
import random
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
import verifytui
from verifytui.engines.debate import verdicts
from verifytui.engines.figures.judge.tasks import TASKS
from verifytui.engines.grade.grading import read_grade
from verifytui.engines.metrics import containment, equivalence, stated_answer
from verifytui.engines.models import reasoning
from verifytui.engines.rag import check, claims_reading, verification
from verifytui.engines.rank.reading import read_scores
from verifytui.engines.reading import places, read_object, repaired
from verifytui.engines.reading.fields import Doubt
from verifytui.engines.reading.marks import own_part
from verifytui.engines.reading.quotations import Quoted
from verifytui.engines.relevance import extraction, judging
from verifytui.engines.solo import replies
from verifytui.sessions.events import Reference
from verifytui.sessions.methods import METHODS

SIDES = ("affirmative", "negative")
SENT = ("The judge reads this case.",)
PASSAGES = [Reference(n=1, id="a", title="Bears", text="Beorn turns into a bear.")]
NUGGETS = ["Beorn turns into a bear.", "He keeps bees."]
SAID_YES = "Read it.\nRelevant: yes, the cases are alike"

MARK = "kqvmzrtw"
SCHEMA = {"properties": {"score": {"type": "integer"}, "answer": {"type": "string"}}}


def own(text: str, *sent: str) -> str | None:
    try:
        return own_part(text, MARK, SCHEMA, sent)
    except Doubt:
        return None


READERS: dict[str, Callable[[str], object]] = {
    "debate.verdicts: verdict": lambda text: verdicts.discriminative(
        text, SIDES, sent=SENT
    ),
    "debate.verdicts: answer": lambda text: verdicts.extractive(text, SIDES, sent=SENT),
    "debate.verdicts: stance": lambda text: verdicts.rating(text, sent=SENT),
    "debate.verdicts: candidates": lambda text: verdicts.candidates(text, sent=SENT),
    "solo.replies: answer": lambda text: replies.answer_in(text, False, "direct"),
    "solo.replies: review": lambda text: replies.read_review(text, False, SENT),
    "solo.replies: rating": lambda text: replies.read_rating(text, False, SENT),
    "grade.grading": lambda text: read_grade(text, sent=SENT),
    "rank.reading": lambda text: read_scores(text, 2, sent=SENT),
    "relevance.extraction": lambda text: extraction.read_facts(text, sent=SENT),
    "relevance.judging": lambda text: judging.read_judgement(text, sent=SENT),
    "relevance.judging: sent": lambda text: judging.read_judgement(
        SAID_YES, sent=(text,)
    ),
    "rag.check: answer": check.answer_of,
    "rag.check: citations": lambda text: check.check(text, PASSAGES),
    "rag.verification: decision": lambda text: verification.read(text, sent=SENT),
    "rag.verification: query": lambda text: verification.read_query(text, sent=SENT),
    "rag.claims_reading": lambda text: claims_reading.read_claims(
        text, PASSAGES, 2, sent=SENT
    ),
    "rag.claims_reading: lines": lambda text: claims_reading.read_lines(
        text, PASSAGES, 2
    ),
    "rag.claims_reading: nuggets": lambda text: claims_reading.read_nuggets(
        text, NUGGETS, "Beorn is a bear.", sent=SENT
    ),
    "figures.judge: same": lambda text: read_object(text, TASKS["same"].fields),
    "metrics.stated_answer": stated_answer.closing,
    "metrics.equivalence": lambda text: equivalence.step(text, "24 apples"),
    "metrics.containment: accepted": lambda text: containment.accepted_step(
        text, ["Marek"], ["Beorn"]
    ),
    "metrics.containment: asked": lambda text: containment.accepted_step(
        text, ["Marek", "24 apples"], question="Who is older, Marek or Beorn?"
    ),
    "metrics.containment: closed": lambda text: containment.accepted_step(
        text, ["yes"], question="Is Marek a bear?"
    ),
    "metrics.questions": lambda text: containment.accepted_step(
        "It is Beorn.", ["Marek"], question=text
    ),
    "metrics.containment: exact": lambda text: containment.exact_match(text, ["Marek"]),
    "metrics.containment: f1": lambda text: containment.f1(text, ["Marek the bear"]),
    "reading: repair": repaired,
    "reading.marks": lambda text: own(f"{text} mark: {MARK}"),
    "reading.marks: without": lambda text: own(text),
    "reading.marks: sent": lambda text: own('{"score": 3}', text),
    "reading.quotations": Quoted,
    "reading.places": lambda text: places.quoted("a bear … the end", text),
    "models.reasoning": reasoning.split,
}

MOST = 20e-6
"""Processor seconds per character."""
LONG, SHORT = 100_000, 10_000
GROWTH = 3.0
"""How often the time per character may grow from the short text to the long one."""
FREE = 2e-6
"""Processor seconds per character that are never too many: a clock ticks coarsely."""

UNITS = (
    "*",
    '"',
    "`",
    "{",
    "\\",
    " ",
    "\n",
    "_a ",
    '["',
    "^{1}",
    "1,",
    "a: ",
)
MORE_UNITS = (
    *"#>-=.,;:!?'“()[]}<|/\taA0，。：】【$",
    *(
        "**",
        "* ",
        "\n\n",
        "\n ",
        "\r\n",
        "- ",
        "1. ",
        "1) ",
        "> ",
        "# ",
        "---\n",
        "|a|",
    ),
    *("```", "```\n", "[]", "[1]", "{}", '{"', '"{', '",', '", "', "[[", '["a",', "}{"),
    *('{"a":', "$$", "\\[", "\\n", '\\"', "\\frac{1}{2}", "\\boxed{", "\\sqrt{"),
    *("<think>", "</think>", "<answer>", "<answer>1</answer>", "answer: ", "答案"),
    *("Answer: 1\n", "The answer is 4. ", "so ", "不是 ", "因此，", "relevant: "),
    *(
        "Relevant: yes\n",
        "一",
        "百分之",
        "twenty-",
        "hundred ",
        "1/",
        "1^",
        "m/",
        "per ",
    ),
    *("1 or ", "x = ", " and ", "、", "'s ", "…", "a.b.", '"a" ', " - ", "is ", "not "),
    *("supported [1]: a\n", '"preference": ', "preference: true ", "\u3000", "\u00a0"),
)
FRESH = count()
PLACES = ("{}", '{{"answer": "{}"}}', '{}\n\n{{"relevant": true, "reason": "x"}}')


def _seconds(read: Callable[[str], object], text: str) -> float:
    """Processor seconds for one reading, collections of garbage apart."""
    gc.disable()
    try:
        began = time.process_time()
        read(text)
        return time.process_time() - began
    finally:
        gc.enable()


def _slow(read: Callable[[str], object], unit: str, place: str, long: int) -> str:
    """What is too slow about a reader, "" for nothing. A short text goes first, so that
    a quadratic rule is found before it takes minutes."""
    took: dict[int, float] = {}
    for size in (long // 100, long // 10, long):
        repeated = (unit * (size // len(unit) + 1))[:size]

        def again(repeated: str = repeated) -> float:
            # another text each time: some readers remember what they have read
            return _seconds(read, place.format(f"{repeated}{next(FRESH)}"))

        each = min(again() for _ in range(2 if size < 5_000 else 1))
        if each > MOST * size:
            each = min(each, again())
        took[size] = each / size
        if took[size] > MOST and each > 0.01:
            return f"{took[size] * 1e6:.1f} µs for each of {size} characters"
    grown = took[long] / max(took[long // 10], FREE)
    if grown > GROWTH and took[long] > 2 * FREE:
        return f"{grown:.1f} times as long for each character of {long}"
    return ""


@pytest.mark.parametrize("name", READERS)
def test_no_repeated_text_takes_more_than_its_length(name: str) -> None:
    slow = {
        (unit, place): told
        for unit in UNITS
        for place in PLACES[:2]
        if (told := _slow(READERS[name], unit, place, SHORT))
    }
    assert slow == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_no_long_repeated_text_takes_more_than_its_length(name: str) -> None:
    """Each reader gets a tenth of the units, drawn by its name: all take minutes."""
    rng = random.Random(name)
    mixed = ["".join(rng.choices(MORE_UNITS, k=3)) for _ in range(4)]
    units = rng.sample((*UNITS, *MORE_UNITS), (len(UNITS) + len(MORE_UNITS)) // 10)
    slow = {
        (unit, place): told
        for unit in (*units, *mixed)
        for place in PLACES
        if (told := _slow(READERS[name], unit, place, LONG))
    }
    assert slow == {}


def test_every_module_that_reads_replies_is_in_the_table() -> None:
    """Of every method: a module that imports from `engines.reading` and reads one."""
    engines = Path(verifytui.__file__).parent / "engines"
    listed = {name.partition(":")[0] for name in READERS}
    reading = {
        f"{method}.{path.stem}"
        for method in METHODS
        for path in sorted((engines / method).glob("*.py"))
        if _reads(path)
    }
    assert len(reading) >= len(METHODS)
    assert reading - listed == set()


def _reads(path: Path) -> bool:
    """Whether a module imports one of the ladders."""
    ladders = {"read_object", "parse", "only", "repaired"}
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "reading"
        and node.level == 2
        and ladders & {one.name for one in node.names}
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )
