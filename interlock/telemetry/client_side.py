"""What a client adds to a trace: a span around what it sends, and the place of that span in Temporal's headers."""
# ruff: noqa: A002 - `next` and `input` are Temporal's names

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from temporalio.client import (
    Interceptor,
    OutboundInterceptor,
    SignalWorkflowInput,
    StartWorkflowInput,
    StartWorkflowUpdateInput,
    StartWorkflowUpdateWithStartInput,
    WorkflowHandle,
    WorkflowUpdateHandle,
)

from interlock.telemetry import headers
from interlock.telemetry.spans import CURRENT, Place, propagator

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_own: list["Tracer"] = []


def trace_with(tracer: "Tracer | None") -> None:
    """Use this tracer for what clients of this process send; without one that of the application, if it has any."""
    _own[:] = [] if tracer is None else [tracer]


@contextmanager
def traced(name: str, **facts: Any) -> Iterator[None]:
    """A span around what is sent in the block, in the trace that the application is in."""
    tracer = _tracer()
    if tracer is None:
        yield
        return
    span = Place(tracer, _carrier()).begin(name, facts, kind="client")
    before = CURRENT.set(span.place)
    try:
        yield
    except BaseException as error:
        span.end(type(error).__name__)
        raise
    finally:
        CURRENT.reset(before)
    span.end()


def _tracer() -> "Tracer | None":
    """Our own, or that of an application that has loaded OpenTelemetry: one that has not set it up records nothing."""
    if _own:
        return _own[0]
    trace: Any = sys.modules.get("opentelemetry.trace")
    return trace.get_tracer("interlock") if trace else None


def _carrier() -> dict[str, str]:
    """What names the span that this task is in: ours, or the application's."""
    place = CURRENT.get()
    if place is not None:
        return dict(place.carrier)
    carrier: dict[str, str] = {}
    if "opentelemetry.trace" in sys.modules:
        propagator().inject(carrier)
    return carrier


class SaysWhere(Interceptor):
    """Tells workflows, with all that is sent to them, in which trace it is."""

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        """As Temporal asks."""
        return _Outbound(next)


class _Outbound(OutboundInterceptor):
    async def start_workflow(self, input: StartWorkflowInput) -> WorkflowHandle[Any, Any]:
        input.headers = headers.written(input.headers, _carrier())
        return await super().start_workflow(input)

    async def signal_workflow(self, input: SignalWorkflowInput) -> None:
        input.headers = headers.written(input.headers, _carrier())
        await super().signal_workflow(input)

    async def start_workflow_update(self, input: StartWorkflowUpdateInput) -> WorkflowUpdateHandle[Any]:
        input.headers = headers.written(input.headers, _carrier())
        return await super().start_workflow_update(input)

    async def start_update_with_start_workflow(
        self,
        input: StartWorkflowUpdateWithStartInput,
    ) -> WorkflowUpdateHandle[Any]:
        carrier = _carrier()
        for part in (input.start_workflow_input, input.update_workflow_input):
            part.headers = headers.written(part.headers, carrier)
        return await super().start_update_with_start_workflow(input)
