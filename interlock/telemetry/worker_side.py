"""What a worker adds to traces: it goes on where a caller says it is; each attempt of an activity is a span."""
# ruff: noqa: A002 - `next` and `input` are Temporal's names

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from temporalio import activity
from temporalio.api.common.v1 import Payload
from temporalio.worker import (
    ActivityInboundInterceptor,
    ContinueAsNewInput,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    HandleSignalInput,
    HandleUpdateInput,
    Interceptor,
    StartActivityInput,
    StartChildWorkflowInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)
from temporalio.workflow import ActivityHandle, ChildWorkflowHandle

from interlock.telemetry import headers
from interlock.telemetry.requests import answered, asked, failure_of
from interlock.telemetry.spans import CURRENT, Place

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


class Traced(Interceptor):
    """Traces the workflows and activities of a worker."""

    def __init__(self, tracer: "Tracer") -> None:
        self._tracer = tracer

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """As Temporal asks."""
        return _Activities(next, self._tracer)

    def workflow_interceptor_class(self, input: WorkflowInterceptorClassInput) -> type[WorkflowInboundInterceptor]:
        """As Temporal asks; the class knows the tracer, for Temporal makes its instances."""
        del input
        return type("TracedWorkflow", (_Inbound,), {"tracer": self._tracer})


class _Activities(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, tracer: "Tracer") -> None:
        super().__init__(next)
        self._tracer = tracer

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        said = asked(input.args[0]) if input.args else None
        if said is None:
            return await super().execute_activity(input)
        place = Place(self._tracer, headers.read(input.headers), headers.lets_texts(input.headers))
        attempt = {"interlock.attempt": activity.info().attempt}
        span = place.begin(said.name, said.facts | attempt, kind=said.kind)
        span.shows(said.texts)
        CURRENT.set(span.place)  # the task is this attempt's own
        try:
            answer = await super().execute_activity(input)
        except BaseException as error:
            span.end(failure_of(error))
            raise
        facts, texts = answered(answer)
        span.shows(texts)
        span.end(**facts)
        return answer


class _Inbound(WorkflowInboundInterceptor):
    """Each handler has a task of its own, so that the place it is set to goes with it."""

    tracer: "Tracer"

    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_Outbound(outbound))

    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        self._goes_on(input.headers)
        return await super().execute_workflow(input)

    async def handle_signal(self, input: HandleSignalInput) -> None:
        self._goes_on(input.headers)
        await super().handle_signal(input)

    async def handle_update_handler(self, input: HandleUpdateInput) -> Any:
        self._goes_on(input.headers)
        return await super().handle_update_handler(input)

    def _goes_on(self, sent: Mapping[str, Payload]) -> None:
        CURRENT.set(Place(self.tracer, headers.read(sent)))


class _Outbound(WorkflowOutboundInterceptor):
    def start_activity(self, input: StartActivityInput) -> ActivityHandle[Any]:
        input.headers = _with_place(input.headers)
        return super().start_activity(input)

    async def start_child_workflow(self, input: StartChildWorkflowInput) -> ChildWorkflowHandle[Any, Any]:
        input.headers = _with_place(input.headers)
        return await super().start_child_workflow(input)

    def continue_as_new(self, input: ContinueAsNewInput) -> NoReturn:
        input.headers = _with_place(input.headers)
        super().continue_as_new(input)


def _with_place(kept: Mapping[str, Payload]) -> Mapping[str, Payload]:
    place = CURRENT.get()
    return kept if place is None else headers.written(kept, place.carrier, texts=place.texts)
