"""Times the attempts of activities, and serves what is measured to Prometheus where a setting says so."""
# ruff: noqa: A002 - `next` and `input` are Temporal's names

import time
from collections.abc import Mapping
from typing import Any

from temporalio import activity
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from interlock.contract.calls import ToolRequest
from interlock.contract.models import ModelAnswer, ModelRequest
from interlock.contract.retrieval import RetrieveRequest
from interlock.telemetry import measures
from interlock.telemetry.requests import failure_of, retriever_of

LOOPBACK = "127.0.0.1"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds: from a turn of gates to a model that thinks."""


def runtime_from(environ: Mapping[str, str]) -> Runtime | None:
    """A runtime that serves metrics at the address in INTERLOCK_METRICS; none without one.

    Raises ValueError for an address that is none, or where something listens already.
    """
    address = environ.get("INTERLOCK_METRICS", "").strip()
    if not address:
        return None
    host, _, port = address.rpartition(":")
    served = PrometheusConfig(
        bind_address=f"{LOOPBACK if host in ('', 'localhost') else host}:{port}",
        counters_total_suffix=True,
        unit_suffix=True,
        durations_as_seconds=True,
        histogram_bucket_overrides=dict.fromkeys(measures.DURATIONS, BUCKETS),
    )
    return Runtime(telemetry=TelemetryConfig(metrics=served, attach_service_name=False))


class Measured(Interceptor):
    """Measures the activities of a worker."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """As Temporal asks."""
        return _Activities(next)


class _Activities(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        began, answer, result = time.monotonic(), None, "returned"
        try:
            answer = await super().execute_activity(input)
        except BaseException as error:
            result = failure_of(error)
            raise
        else:
            return answer
        finally:
            if input.args:
                _told(input.args[0], answer, result, time.monotonic() - began)


def _told(request: Any, answer: Any, result: str, seconds: float) -> None:
    meter = activity.metric_meter()
    match request:
        case ToolRequest():
            measures.timed(meter, measures.CALL_DURATION, seconds, tool=request.tool, result=result)
        case ModelRequest():
            finished = answer if isinstance(answer, ModelAnswer) else None
            result = finished.finish if finished else result
            measures.model_asked(meter, request, finished, result)
            measures.timed(meter, measures.MODEL_DURATION, seconds, role=request.role, model=request.model)
        case RetrieveRequest():
            searched = retriever_of(request)
            measures.timed(meter, measures.RETRIEVAL_DURATION, seconds, retriever=searched, result=result)
