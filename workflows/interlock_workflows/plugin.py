"""Everything of Interlock that a Temporal client, worker or replayer needs, as one plugin."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from temporalio.plugin import SimplePlugin
from temporalio.worker import WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxRestrictions

import interlock.plan.schemas  # noqa: F401 - once, and not in the middle of a task
from interlock.client.converter import WORKER_CONVERTER
from interlock.telemetry.measuring import Measured
from interlock.telemetry.worker_side import Traced
from interlock_workflows.plans import ReadPlan, read_large_plans_with
from interlock_workflows.runner import QuickSandbox
from interlock_workflows.session import Session

if TYPE_CHECKING:
    from interlock.telemetry.exporting import Traces

PASSED_THROUGH = (
    "interlock",
    "interlock_workflows.carried",
    "interlock_workflows.inbound",
    "interlock_workflows.opening",
    "interlock_workflows.plans",
    "interlock_workflows.trail",
    "interlock_workflows.views",
    "interlock_workflows.watching",
    "interlock_workflows.work_views",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "re2",
    "ahocorasick_rs",
    "jsonschema",
    "referencing",
    "rpds",
    "jinja2",
    "markupsafe",
    "structlog",
    "opentelemetry",
)
"""Loaded once a process; the modules that act as a workflow are loaded for each run, restricted by the sandbox."""


def interlock_plugin(
    activities: Sequence[Callable[..., Any]] = (),
    read_plan: ReadPlan | None = None,
    traces: "Traces | None" = None,
) -> SimplePlugin:
    """The plugin for `Client.connect(plugins=[…])` of a worker, and for `Replayer(plugins=[…])`.

    `read_plan` gives plans that are too large for a history. A client that only talks to sessions does not need it.
    `traces` are those of `interlock.telemetry.exporting`.
    """
    if read_plan is not None:
        read_large_plans_with(read_plan)
    return SimplePlugin(
        "interlock",
        data_converter=WORKER_CONVERTER,
        workflows=[Session],
        activities=list(activities),
        workflow_runner=_sandboxed,
        interceptors=[Measured()] if traces is None else [Traced(traces.tracer), Measured()],
    )


def _sandboxed(_given: WorkflowRunner | None) -> WorkflowRunner:
    return QuickSandbox(restrictions=SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH))
