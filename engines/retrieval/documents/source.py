"""Reads source code and settings as the text they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .document import Document, RawFile
from .text import text_of

LANGUAGES = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".vue": "vue",
    ".java": "java",
    ".kt": "kotlin",
    ".scala": "scala",
    ".groovy": "groovy",
    ".c": "c",
    ".h": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
    ".hh": "c++",
    ".hpp": "c++",
    ".cu": "cuda",
    ".cs": "c#",
    ".go": "go",
    ".rs": "rust",
    ".swift": "swift",
    ".rb": "ruby",
    ".php": "php",
    ".pl": "perl",
    ".lua": "lua",
    ".r": "r",
    ".jl": "julia",
    ".dart": "dart",
    ".ex": "elixir",
    ".hs": "haskell",
    ".ml": "ocaml",
    ".clj": "clojure",
    ".sh": "shell",
    ".bash": "shell",
    ".ps1": "powershell",
    ".bat": "batch",
    ".sql": "sql",
    ".proto": "protobuf",
    ".graphql": "graphql",
    ".tf": "terraform",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "conf",
    ".properties": "properties",
}
"""The languages by the endings of their files."""


def code(raw: RawFile) -> Iterator[Document]:
    yield Document(
        Path(raw.name).name,
        text_of(raw),
        raw.name,
        {"language": LANGUAGES[raw.suffix]},
    )
