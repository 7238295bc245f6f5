"""Spans, and the place in a trace where the next one belongs. OpenTelemetry is loaded by whoever has a tracer."""

import json
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Span as Recorded
    from opentelemetry.trace import SpanKind, Tracer
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

Facts: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["internal", "client", "server"]

TEXT_LIMIT = 16_000
"""Characters of one text in a trace."""


class Place(NamedTuple):
    """Where the next span belongs. `carrier` are the headers of W3C that name its parent, empty if it has none.

    `texts` says that what people and documents say may stand in the trace.
    """

    tracer: "Tracer"
    carrier: "Mapping[str, str]" = {}
    texts: bool = False

    def begin(self, name: str, facts: Facts, *, kind: Kind = "internal") -> "Span":
        """A span that begins now."""
        return Span(self, name, facts, kind)


CURRENT: ContextVar[Place | None] = ContextVar("interlock_trace", default=None)
"""The place of this task; none where nothing is traced."""


class Span:
    """One span; the place under it is `place`."""

    def __init__(self, parent: Place, name: str, facts: Facts, kind: Kind) -> None:
        self._span: Recorded = parent.tracer.start_span(
            name, context=_context(parent.carrier), kind=_kind(kind), attributes=_attributes(facts)
        )
        self.place = parent._replace(carrier=_carrier(self._span))

    def says(self, facts: Facts) -> None:
        """More is known of it."""
        self._span.set_attributes(_attributes(facts))

    def shows(self, texts: Facts) -> None:
        """What people and documents have said, as text or JSON, where that may stand in the trace."""
        if self.place.texts:
            self.says({name: one if isinstance(one, str) else _json(one) for name, one in texts.items() if one})

    def end(self, error: str = "", **facts: Any) -> None:
        """It is over; `error` is the kind of failure, if it is one."""
        self.says(facts | ({"error.type": error} if error else {}))
        if error:
            from opentelemetry.trace import StatusCode  # noqa: PLC0415 - loaded only where there is a tracer

            self._span.set_status(StatusCode.ERROR)
        self._span.end()


def trace_id() -> str:
    """The trace of this task, in hex; empty if it is in none."""
    place = CURRENT.get()
    parent = place.carrier.get("traceparent", "") if place else ""
    return parent.split("-")[1] if parent else ""


@cache
def propagator() -> "TraceContextTextMapPropagator":
    """Reads and writes W3C's headers; what is malformed is none."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - as above

    return TraceContextTextMapPropagator()


def _context(carrier: "Mapping[str, str]") -> "Context":
    from opentelemetry.context import Context  # noqa: PLC0415 - as above

    return propagator().extract(dict(carrier), context=Context())


def _carrier(span: "Recorded") -> dict[str, str]:
    from opentelemetry.trace import set_span_in_context  # noqa: PLC0415 - as above

    carrier: dict[str, str] = {}
    propagator().inject(carrier, context=set_span_in_context(span))
    return carrier


@cache
def _kind(name: Kind) -> "SpanKind":
    from opentelemetry.trace import SpanKind  # noqa: PLC0415 - as above

    return SpanKind[name.upper()]


def _attributes(facts: Facts) -> Facts:
    """What is known of them, in characters that can be sent."""
    return {name: _sendable(value) for name, value in facts.items() if value not in (None, "", [])}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return value[:TEXT_LIMIT].encode("utf-8", "replace").decode()
    return [_sendable(one) for one in value] if isinstance(value, list) else value
