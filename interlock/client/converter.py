"""How values become payloads: JSON that keeps its order, compressed between workflows and activities.

What callers see (starts, messages, replies, queries) stays plain JSON, so that any Temporal client can read it.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
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
    JSONTypeConverter,
    PayloadCodec,
    SerializationContext,
    WithSerializationContext,
)

from interlock.contract import calls

ENCODING = "encoding"
COMPRESSED = b"binary/zlib"
COMPRESS_ABOVE = 512
INFLATED_LIMIT = 32 * 1024 * 1024
"""A payload that would grow beyond this is left as it is: some caller made it to swell."""

_STORED_ELSEWHERE = frozenset({b"json/external-storage-reference", b"json/protobuf", b"binary/protobuf"})
_STORAGE_MARKER = "__temporal_external_storage_reference"


class _Encoder(AdvancedJSONEncoder):
    """Temporal's encoder, which deep-copies a dataclass before it is written; here only its fields are read."""

    def default(self, o: Any) -> Any:
        """A dataclass as an object of its fields."""
        if is_dataclass(o) and not isinstance(o, type):
            return {field.name: getattr(o, field.name) for field in fields(o)}
        return super().default(o)


class _OurMessages(JSONTypeConverter):
    """Reads what workflows and activities say to each other by its keys; unknown ones are another version's."""

    def to_typed_value(self, hint: type, value: Any) -> Any:
        """The request or answer, without Temporal's look at the type of every value in it."""
        names = _FIELDS.get(hint)
        if names is None or type(value) is not dict:
            return JSONTypeConverter.Unhandled
        return hint(**{name: value[name] for name in names if name in value})


_FIELDS: dict[Any, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (calls.ToolRequest, calls.ToolAnswer, calls.PlanRequest, calls.ResolvedPlan)
}


class _Json(JSONPlainPayloadConverter):
    """Plain JSON in UTF-8; keys keep their order, which Temporal's own converter sorts away."""

    def __init__(self) -> None:
        super().__init__(custom_type_converters=[_OurMessages()])
        self._text = _encoder(ascii_only=False).encode
        self._escaped = _encoder(ascii_only=True).encode

    def to_payload(self, value: Any) -> Payload:
        """The value as one payload."""
        try:
            data = self._text(value).encode()
        except UnicodeEncodeError:  # half of a surrogate pair: JSON can escape it, UTF-8 cannot hold it
            data = self._escaped(value).encode()
        return Payload(metadata={ENCODING: b"json/plain"}, data=data)


def _encoder(*, ascii_only: bool) -> json.JSONEncoder:
    return _Encoder(ensure_ascii=ascii_only, separators=(",", ":"))


_CONVERTERS = tuple(
    _Json() if isinstance(one, JSONPlainPayloadConverter) else one
    for one in DefaultPayloadConverter.default_encoding_payload_converters
)


class JsonConverter(CompositePayloadConverter):
    """Temporal's converters, with our JSON."""

    def __init__(self) -> None:
        super().__init__(*_CONVERTERS)


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


class _Steady(DataConverter):
    """Makes what a context needs once for each kind of context: our codec looks at nothing else of it.

    Temporal's own makes it for every payload, several times over.
    """

    def with_context(self, context: SerializationContext) -> Self:
        """As Temporal's, unless only our codec asks for the context."""
        if self.external_storage is not None or type(self.payload_codec) is not Compression:
            return super().with_context(context)
        kind = type(context)
        if kind not in self._of_kinds:
            self._of_kinds[kind] = super().with_context(context)
        return self._of_kinds[kind]

    @cached_property
    def _of_kinds(self) -> dict[type, Self]:
        return {}


class _Guarded(_Steady):
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


CLIENT_CONVERTER = _Steady(payload_converter_class=JsonConverter, payload_codec=Compression())
WORKER_CONVERTER = _Guarded(payload_converter_class=RawArguments, payload_codec=Compression())
