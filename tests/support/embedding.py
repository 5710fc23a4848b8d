"""An embedding model on the loopback that gives stored vectors."""

from __future__ import annotations

from verifytui.tests.support.serving import Asked, Says, Server

NAME = "my-embedder"


class Embedder:
    """`with Server() as server: server.says = Embedder({"sea": [1, 0, 0]})`: a text's
    vector is that of the stored words which it holds, added up, and `other` where it
    holds none.
    """

    def __init__(self, vectors: dict[str, list[float]], other: list[float]) -> None:
        self.vectors, self.other = vectors, other
        self.batches: list[list[str]] = []
        """The texts of each call that was answered."""
        self.failing: dict[int, Says] = {}
        """What to say in place of the vectors of a call, by its number from 0.

        Each is said once.
        """
        self.calls = 0
        self.model = NAME
        """What it calls itself."""

    def __call__(self, asked: Asked) -> Says:
        assert asked.path.endswith("/embeddings")
        texts = asked.json["input"]
        texts = [texts] if isinstance(texts, str) else texts
        self.calls += 1
        failure = self.failing.pop(self.calls - 1, None)
        if failure is not None:
            return failure
        self.batches.append(texts)
        data = [
            {"object": "embedding", "index": at, "embedding": self.vector(text)}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 10 * len(texts), "total_tokens": 10 * len(texts)}
        return Says(
            {"object": "list", "model": self.model, "data": data, "usage": usage}
        )

    def vector(self, text: str) -> list[float]:
        held = [vector for word, vector in self.vectors.items() if word in text]
        if held:
            return [sum(values) for values in zip(*held, strict=True)]
        return self.other

    @property
    def texts(self) -> list[str]:
        """All texts that were embedded, in order."""
        return [text for batch in self.batches for text in batch]


def config_for(server: Server, name: str = "near") -> str:
    """The config.yaml that names the model; its key stands in NEAR_KEY, and a million
    tokens cost two dollars.
    """
    return (
        f"models:\n  {name}:\n    model: {NAME}\n    api_base: {server.url}/"
        f"v1\n    api_key_env: NEAR_KEY\n"
        "    prices: {input: 2.0, output: 0.0}\nretry_wait: 0.01\n"
    )
