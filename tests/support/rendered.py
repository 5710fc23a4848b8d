"""Every call of a question as the English set renders it: what docs/rag.md shows at its end.

`python tests/support/rendered.py` writes it there, with the package and this folder on the path.
"""

from __future__ import annotations

from pathlib import Path

from verifytui.engines.rag.messages import again, messages
from verifytui.engines.rag.new import new_question
from verifytui.engines.rag.plan import Step
from verifytui.prompts import load
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import RagAnswer, Retrieval
from verifytui.sessions.session import Session

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rag.md"
MARK = "<!-- rendered -->\n"
CALLS = {
    "Generator: the answer": Step("answer", "generator", 1),
    "Verifier: the verification": Step("verification", "verifier", 1),
    "Reviser: the revised query alone": Step("verification", "reviser", 1),
    "Reviser: the question before the first retrieval": Step("verification", "reviser", 0),
}


def rendered() -> str:
    """The section in Markdown."""
    parts = []
    for title, step in CALLS.items():
        session = Session(new_question(question="Who built the tower?", corpus="example", prompts=load("en", workspace="rag")), [])
        if step.iteration:
            reference = Reference(n=1, id="1", title="The Eiffel Tower", text="The tower was built for the World's Fair of 1889.")
            session.events.append(Retrieval(iteration=1, query="Who built the tower?", references=[reference]))
        if step.what == "verification" and step.iteration:
            session.events.append(RagAnswer(role="generator", iteration=1, answer="The World's Fair did [1].", citations=[1]))
        thread = messages(session, step)
        parts.append(f"### {title}\n")
        parts += [f"{one['role']}:\n\n```text\n{one['content']}\n```\n" for one in thread]
        if step.role == "verifier":
            asked = again(session, thread, "It is right.", "there is no object in it")
            parts.append(f"{asked[-1]['role']}, once, after a reply that cannot be read:\n\n```text\n{asked[-1]['content']}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text("utf-8").partition(MARK)[0] + MARK + "\n" + rendered(), "utf-8")
