"""How values become payloads: JSON that keeps its order, compressed between workflows and activities.

What callers see (starts, messages, replies, queries) stays plain JSON, so that any Temporal client can read it.
"""

import json
import zlib
from collections.abc import Sequence
from typing import Any, Self

from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue
from temporalio.converter import (
    ActivitySerializationContext,
    AdvancedJSONEncoder,
    CompositePayloadConverter,
    DataConverter,
    DefaultPayloadConverter,
    JSONPlainPayloadConverter,
    PayloadCodec,
    SerializationContext,
    WithSerializationContext,
)

ENCODING = "encoding"
COMPRESSED = b"binary/zlib"
COMPRESS_ABOVE = 512
INFLATED_LIMIT = 32 * 1024 * 1024
"""A payload that would grow beyond this is left as it is: some caller made it to swell."""

_STORED_ELSEWHERE = frozenset({b"json/external-storage-reference", b"json/protobuf", b"binary/protobuf"})
_STORAGE_MARKER = "__temporal_external_storage_reference"


class _Json(JSONPlainPayloadConverter):
    """Plain JSON in UTF-8; keys keep their order, which Temporal's own converter sorts away."""

    def to_payload(self, value: Any) -> Payload:
        """The value as one payload."""
        return Payload(metadata={ENCODING: b"json/plain"}, data=_text(value))


def _text(value: Any) -> bytes:
    try:
        return _dumped(value, ascii_only=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair: JSON can escape it, UTF-8 cannot hold it
        return _dumped(value, ascii_only=True).encode()


def _dumped(value: Any, *, ascii_only: bool) -> str:
    return json.dumps(value, cls=AdvancedJSONEncoder, ensure_ascii=ascii_only, separators=(",", ":"))


class JsonConverter(CompositePayloadConverter):
    """Temporal's converters, with our JSON."""

    def __init__(self) -> None:
        plain = DefaultPayloadConverter.default_encoding_payload_converters
        super().__init__(*(_Json() if isinstance(one, JSONPlainPayloadConverter) else one for one in plain))


class RawArguments(JsonConverter):
    """For workers: a value that no type is declared for stays raw.

    Handlers then get whatever was sent, in any number and encoding, and read it themselves; with Temporal's own
    converter one odd payload fails the workflow task again and again.
    """

    def from_payloads(self, payloads: Sequence[Payload], type_hints: list[type] | None = None) -> list[Any]:
        """Each payload by its type; without types, as `RawValue`."""
        return super().from_payloads(payloads, type_hints or [RawValue] * len(payloads))


class Compression(PayloadCodec, WithSerializationContext):
    """zlib for what passes between workflows and activities; reads it everywhere, and never fails on what it reads."""

    def __init__(self, *, writes: bool = False) -> None:
        self._writes = writes

    def with_context(self, context: SerializationContext) -> Self:
        """Compress only inside an activity's arguments and results."""
        return type(self)(writes=isinstance(context, ActivitySerializationContext))

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Compress what is large enough to gain by it."""
        return [compressed(one) if self._writes and len(one.data) > COMPRESS_ABOVE else one for one in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Undo `encode`; what is not ours, or does not inflate, stays as it is."""
        return [_inflated(one) if one.metadata.get(ENCODING) == COMPRESSED else one for one in payloads]


def compressed(payload: Payload) -> Payload:
    """The payload inside a compressed one."""
    return Payload(metadata={ENCODING: COMPRESSED}, data=zlib.compress(payload.SerializeToString(), 6))


def _inflated(payload: Payload) -> Payload:
    inflating = zlib.decompressobj()
    try:
        content = inflating.decompress(payload.data, INFLATED_LIMIT)
        if not inflating.eof:
            return payload
        return Payload.FromString(content)
    except Exception:  # noqa: BLE001  a forged payload must not fail the workflow task that meets it
        return payload


class _Guarded(DataConverter):
    """For workers: a payload that claims to be stored elsewhere is data like any other.

    Temporal's worker fails the task, for ever, on a payload that names an external store it does not have, and any
    caller can send one. There is no public hook before that check, hence the two private ones; the test that
    sends such payloads to a running worker says when they move.
    """

    async def _decode_reference_payload_sequence(self, payloads: Sequence[Payload]) -> list[Payload]:
        return await super()._decode_reference_payload_sequence([_disarmed(one) for one in payloads])

    async def _transform_inbound_payload(self, payload: Payload) -> Payload:
        return await super()._transform_inbound_payload(_disarmed(payload))


def _disarmed(payload: Payload) -> Payload:
    claims = payload.metadata.get(ENCODING) in _STORED_ELSEWHERE or _STORAGE_MARKER in payload.metadata
    return Payload(metadata={ENCODING: b"refused"}, data=payload.data) if claims else payload


CLIENT_CONVERTER = DataConverter(payload_converter_class=JsonConverter, payload_codec=Compression())
WORKER_CONVERTER = _Guarded(payload_converter_class=RawArguments, payload_codec=Compression())
