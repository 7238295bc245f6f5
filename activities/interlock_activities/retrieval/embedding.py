"""Texts as vectors: the seam for embedders, and the one over `/embeddings` of an OpenAI-compatible endpoint."""

import math
from collections.abc import Sequence
from typing import Any, Final, Protocol

from interlock.contract import strict_json
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.addresses import required_url
from interlock_activities.failures import Failure
from interlock_activities.http_client import HttpClient
from interlock_activities.http_request import Outgoing

AT_ONCE: Final = 64
"""Texts of one request."""

_TIMEOUT_MS: Final = 60_000
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_DIMENSIONS: Final = 16_000


class Embedder(Protocol):
    """Gives every text a vector. Equal names promise equal vectors: another `name`, and all are embedded anew."""

    name: str

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order, all of one length. Raises EmbeddingError."""


class EmbeddingError(Exception):
    """No vectors. The message is safe to show: no text, no key."""


class ServedEmbedder:
    """Asks a server for the vectors of a model."""

    def __init__(self, client: HttpClient, address: str, model: str, key: str = "") -> None:
        self._client = client
        self._url = required_url(address)
        self._model = model
        self._key = key
        self.name = f"embeddings {model}"

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order; `AT_ONCE` of them a request."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), AT_ONCE):
            vectors += await self._asked(texts[start : start + AT_ONCE])
        return vectors

    async def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        asked = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        request = Outgoing(
            method="POST",
            origin=self._url.origin,
            target=f"{self._url.path.rstrip('/')}/embeddings",
            private={"authorization": f"Bearer {self._key}"} if self._key else {},
            content=strict_json.dumps(asked),
            redirects=(),
            timeout_ms=_TIMEOUT_MS,
            max_bytes=_MOST_BYTES,
            secrets=(self._key,) if self._key else (),
        )
        try:
            answer = await self._client.send(request)
        except Failure as failure:
            raise EmbeddingError(f"no embeddings: {failure.redacted(request.secrets)}") from None
        if answer.status != 200:
            raise EmbeddingError(f"no embeddings: status {answer.status}")
        try:
            return vectors_in(strict_json.loads(answer.body, _MOST_BYTES), len(texts))
        except (NotStrictJsonError, ValueError, KeyError, TypeError):
            raise EmbeddingError("no embeddings: the answer is not one vector for each text") from None


def vectors_in(answer: Any, number: int) -> list[list[float]]:
    """The vectors of an answer in the order of the texts; raises ValueError, KeyError or TypeError otherwise."""
    entries = sorted(answer["data"], key=lambda entry: int(entry["index"]))
    if [entry["index"] for entry in entries] != list(range(number)):
        raise ValueError("not one vector for each text")
    vectors = [[float(part) for part in entry["embedding"]] for entry in entries]
    lengths = {len(vector) for vector in vectors}
    if len(lengths) > 1 or not all(0 < length <= _MOST_DIMENSIONS for length in lengths):
        raise ValueError("vectors of no or different lengths")
    if not all(math.isfinite(part) for vector in vectors for part in vector):
        raise ValueError("a vector that is none")
    return vectors
