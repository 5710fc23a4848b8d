"""The command line in Chinese: every help, errors, `--lang` wherever it stands; and no
sentence for users outside texts/.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from verifytui import texts
from verifytui.cli import app
from verifytui.cli.command import Command
from verifytui.engines.debate.script import example_topics
from verifytui.tests.support.commanding import command, refused

ROOT = Path(texts.__file__).parents[1]

KEPT = re.compile(
    r"""--?[\w-]+|\w+=\.?\d+|`[^`]*`"""
    r"""|\{[^}]*\}|\[[^]]*\]|[\w.-]*\.\w+|[A-Z][A-Z_=|…#.\[\]-]*\b|\w+[-_=]\w+|"\w+"|"\w+>=\d and [^"]*"|\w+\.\w+=\S+"""
    r"""|\b(verifytui|VerifyTUI|merge|notes|reply|config|human|script|lexical|example|machine|gold|json|md|html|jsonl|csv|qrels|run|id|ids|nDCG|max|zip"""
    r"""|Markdown|TREC|LeCaRD|ragas|RAGChecker|LiteLLM|searxng|tavily|jieba|bigrams|zh|en|seeded|differs|unprompted|adaptive|forced"""
    r"""|always|stance|direct|cot|sc|reflect|rerank|maps|solver|estimator|model|command|nonempty|start|end|none|cut|pieces|qwen|Schema|chmod|report|prompts|demonstrations|jieba\+bigrams"""
    r"""|[a-z]|matching|query|candidate|sessions|corpora|models|cache|debate|ask|verify|relevance|label|labels|level|index|agreement|ranking|resume|replay|export|import"""
    r"""|locate|doctor|schema|solo|check|list|show|delete|search|clear|copy|rename|bin|restore|empty|duplicate|measure|diff|text|accuracy|chrf|ndcg|map|preferences"""
    r"""|consultancy|cluster|bm25|dense|hybrid|one|all|runs|follow|pause|stop|set|forget|auto|Slurm|Kubernetes|Milvus|milvus|lite|Lite|Ray"""
    r"""|INCEpTION|UIMA|CAS|Unix|OpenAI|chat|completions|retrieve|Ctrl|brave|claims|judge|annotator|grader|ranker|equivalence|verdict|rag|cases|case|blind|right|true|generator|verifier|negative|random|score|local|token|BM25|hub|edit|retry"""
    r"""|encoder|new|train|contrastive|cosent|dropout|torchrun|judged|answers|youden|truthfulness|parquet|pandas|polars|DuckDB|latex|language|kind|passage|neighbors|section)\b"""
)
"""What stays as it is in any language: names of commands, options, files, formats,
values and built-ins.
"""


def every_command() -> Iterator[tuple[list[str], click.Command]]:
    for name in app.COMMANDS:
        found = app.group.get_command(None, name)  # type: ignore[arg-type]
        assert found is not None
        yield [name], found
        if isinstance(found, click.Group):
            context = click.Context(found)
            for inner in found.list_commands(context):
                sub = found.get_command(context, inner)
                assert sub is not None
                yield [name, inner], sub


@pytest.mark.parametrize(
    ("words", "found"),
    every_command(),
    ids=[" ".join(words) for words, _ in every_command()],
)
def test_help_is_chinese(
    words: list[str], found: click.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert isinstance(found, Command)
    assert app.main([*words, "--help", "--lang", "zh"]) == 0
    texts.set_language("en")
    shown = capsys.readouterr().out
    assert "用法" in shown
    assert "--lang" in shown
    body = " ".join(shown.partition("\n")[2].split())
    assert re.findall(r"[A-Za-z]{2,}", KEPT.sub("", body)) == []
    assert [
        line
        for line in shown.splitlines()
        if len(line) + sum(not sign.isascii() for sign in line) > 82
    ] == []


@pytest.mark.parametrize(
    "typed",
    [
        "--lang zh debate --level 9 x",
        "debate --lang zh --level 9 x",
        "debate --level 9 x --lang=zh",
    ],
)
def test_the_language_stands_before_or_after_the_command(typed: str) -> None:
    done = command(*typed.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "'--level' 的值无效：level 必须是 0 到 3 的整数，而不是 9。\n"


def test_a_language_that_there_is_not(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    refused(command("models", "--lang", "xx"), "xx", "en, zh")
    refused(command("--lang"), "--lang")
    monkeypatch.setenv("VERIFYTUI_LANG", "zh")
    assert "既不是命令" in command("nonsense").stderr
    monkeypatch.setenv("VERIFYTUI_LANG", "xx")
    refused(command("debate", example_topics()[0].topic), "xx", "en, zh")


RAISED = {
    "BadInput",
    "SessionError",
    "WriteError",
    "UsageError",
    "Unreadable",
    "say",
    "out",
    "refuse",
}
"""What takes a sentence for the user."""

NOT_YET: set[str] = set()
"""Files that still hold one. This list only shrinks."""


def literal(node: ast.expr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def test_no_sentence_for_users_stands_outside_the_texts() -> None:
    found = set()
    for room in ("cli", "engines", "prompts", "sessions", "tui"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and getattr(node.func, "id", getattr(node.func, "attr", ""))
                    in RAISED
                ):
                    for said in (
                        literal(each)
                        for each in node.args
                        if isinstance(each, ast.Constant | ast.JoinedStr)
                    ):
                        if (
                            len(re.findall(r"[A-Za-z]{2,}", said)) > 2
                            and " " in said.strip()
                        ):
                            found.add(
                                f"{path.relative_to(ROOT).as_posix()}: {said[:60]}"
                            )
    assert sorted(found - NOT_YET) == []
