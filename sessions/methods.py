"""The one list of methods.

Everything else about a method is loaded by its name when needed.
"""

from __future__ import annotations

METHODS = {
    "debate": "debate",
    "relevance": "relevance",
    "rag": "rag",
    "solo": "debate",
    "grade": "relevance",
    "rank": "rag",
}
"""Each method with the workspace that shows its sessions, in the order of the tabs."""

WORKSPACES = tuple(dict.fromkeys(METHODS.values()))
"""The workspaces, in the order of their tabs."""
