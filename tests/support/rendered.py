"""Every call of a question as the English set renders it: what
tests/prompts/as_sent_rag.md shows.

`python tests/support/rendered.py` writes it there, with the package and this folder on
the path.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from verifytui.engines.rag.check import check
from verifytui.engines.rag.messages import again, messages
from verifytui.engines.rag.plan import RagStep
from verifytui.engines.rag.starting import new_question
from verifytui.prompts import load, with_templates
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import RagAnswer, Retrieval
from verifytui.sessions.session import Session

PAGE = Path(__file__).resolve().parents[1] / "prompts" / "as_sent_rag.md"
ANSWER = "The World's Fair did [1]."
MARK = "<!-- rendered -->\n"
CALLS = {
    "Generator: the answer": RagStep("answer", "generator", 1),
    "Verifier: the verification": RagStep("verification", "verifier", 1),
    "Reviser: the revised query alone": RagStep("verification", "reviser", 1),
    "Reviser: the question before the first retrieval": RagStep(
        "verification", "reviser", 0
    ),
    "Verifier: the claims of an answer": RagStep("claims", "verifier", 1, "answer"),
    "Verifier: the claims of an accepted answer": RagStep(
        "claims", "verifier", 1, "accepted"
    ),
    "Verifier: nuggets": RagStep("claims", "verifier", 1, "nuggets"),
}


def rendered() -> str:
    """The section in Markdown."""
    parts = []
    templates = with_templates(
        load("en", workspace="rag"), load("en", workspace="claims").templates
    )
    for title, step in CALLS.items():
        given: dict[str, Any] = {
            "answers": ["The engineer Gustave Eiffel"],
            "nuggets": ["Gustave Eiffel built the tower.", "It was ready in 1889."],
        }
        session = Session(
            new_question(
                question="Who built the tower?",
                corpus="example",
                prompts=templates,
                **given,
            ),
            [],
        )
        if step.iteration:
            reference = Reference(
                n=1,
                id="1",
                title="The Eiffel Tower",
                text="The tower was built for the World's Fair of 1889.",
            )
            session.events.append(
                Retrieval(
                    iteration=1, query="Who built the tower?", references=[reference]
                )
            )
        if step.role == "verifier" or (step.role == "reviser" and step.iteration):
            session.events.append(
                RagAnswer(role="generator", iteration=1, answer=ANSWER, citations=[1])
            )
            session.events.append(check(ANSWER, [reference]))
        thread = messages(session, step)
        parts.append(f"### {title}\n")
        parts += [
            f"{one['role']}:\n\n```text\n{one['content']}\n```\n" for one in thread
        ]
        if step.what == "verification" and step.role == "verifier":
            asked = again(
                session,
                step,
                thread,
                "It is right.",
                "the reply contains no JSON object",
            )
            parts.append(
                f"{asked[-1]['role']}, once, after a reply that cannot be "
                f"read:\n\n```text\n{asked[-1]['content']}\n```\n"
            )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(
        PAGE.read_text("utf-8").partition(MARK)[0] + MARK + "\n" + rendered(), "utf-8"
    )
