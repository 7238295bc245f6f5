"""The tracer of a process and what carries its spans away, as OpenTelemetry's own variables of the environment say.

It is no global one: other libraries of the process make spans of their own, with texts that nobody has judged.
"""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from interlock.telemetry.client_side import trace_with

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Tracer
    from temporalio.contrib.opentelemetry import ReplaySafeTracerProvider

LEAVING = 2.0
"""Seconds that the last spans of a process have to get away."""

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
HTTP = "http/protobuf"


class UntracedError(Exception):
    """Traces are asked for that cannot be had; the message says why."""


class Traces:
    """A tracer, until it is closed."""

    def __init__(self, provider: "ReplaySafeTracerProvider") -> None:
        self._provider = provider
        self.tracer: Tracer = provider.get_tracer("interlock")

    def close(self, within: float = LEAVING) -> None:
        """Send what is left; what has not got away by then is lost, and holds up nothing."""
        trace_with(None)
        leaving = threading.Thread(target=self._provider.shutdown, daemon=True)
        leaving.start()
        leaving.join(within)


def traces_from(environ: Mapping[str, str]) -> Traces | None:
    """Traces as OTEL_… say, for what this process serves and sends; none where nobody asks for them.

    Raises UntracedError.
    """
    exporter = _exporter(environ)
    if not exporter:
        return None
    try:
        processor = _processor(exporter, environ)
        traces = traces_to(processor)
    except ImportError as missing:
        raise UntracedError(f"{missing.name} is missing; install interlock-engine[otel]") from missing
    trace_with(traces.tracer)
    return traces


def traces_to(*processors: "SpanProcessor") -> Traces:
    """Traces whose spans are given to these processors; resource, sampler and limits are those of OTEL_…."""
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - loaded by those who trace only
    from temporalio.contrib.opentelemetry import create_tracer_provider  # noqa: PLC0415 - likewise

    resource = Resource.create()
    if str(resource.attributes["service.name"]).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "interlock"}))
    provider = create_tracer_provider(resource=resource, shutdown_on_exit=False)
    for one in processors:
        provider.add_span_processor(one)
    return Traces(provider)


def _exporter(environ: Mapping[str, str]) -> str:
    """`otlp` or `console`; empty for none. An address without any word is for OTLP."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ""
    addressed = any(environ.get(name) for name in ENDPOINTS)
    named = environ.get("OTEL_TRACES_EXPORTER", "").strip() or ("otlp" if addressed else "none")
    if named not in ("otlp", "console", "none"):
        raise UntracedError(f"OTEL_TRACES_EXPORTER is {named!r}; otlp, console and none are known")
    return "" if named == "none" else named


def _processor(exporter: str, environ: Mapping[str, str]) -> "SpanProcessor":
    from opentelemetry.sdk.trace import export  # noqa: PLC0415 - as above

    if exporter == "console":
        return export.BatchSpanProcessor(export.ConsoleSpanExporter())
    protocol = next((environ[name] for name in PROTOCOLS if environ.get(name)), HTTP)
    if protocol != HTTP:
        raise UntracedError(f"traces are sent by {HTTP}, not by {protocol!r}")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - as above

    return export.BatchSpanProcessor(OTLPSpanExporter())
