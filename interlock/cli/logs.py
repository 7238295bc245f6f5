"""How processes log: one JSON object a line for operators, or warnings alone for people at a terminal."""

import logging
import sys

import structlog
from structlog.typing import EventDict, Processor
from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError

from interlock.telemetry.spans import trace_id


def log_as_json() -> None:
    """One JSON object a line on standard error, for our logs and for Temporal's."""
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _in_trace,
    ]
    as_json = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, structlog.processors.JSONRenderer()],
        foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.processors.format_exc_info],
    )
    _on_standard_error(as_json, logging.INFO)
    _through_logging([*shared, structlog.processors.format_exc_info])


def log_for_people() -> None:
    """Warnings and worse on standard error, in words; a failure that was foreseen is one line."""
    activity.logger.activity_info_on_message = False
    workflow.logger.workflow_info_on_message = False
    console = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
    )
    in_words = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _briefly, console],
        foreign_pre_chain=[structlog.stdlib.add_log_level],
    )
    _on_standard_error(in_words, logging.WARNING)
    _through_logging([structlog.stdlib.add_log_level])


def _in_trace(_logger: object, _method: str, event: EventDict) -> EventDict:
    """What is said within a trace names it."""
    if trace := trace_id():
        event["trace_id"] = trace
    return event


def _briefly(_logger: object, _method: str, event: EventDict) -> EventDict:
    """What an activity raised for the workflow to handle needs no traceback."""
    raised = event.get("exc_info")
    error = raised[1] if isinstance(raised, tuple) else raised
    if isinstance(error, ApplicationError):
        del event["exc_info"]
        event["why"] = error.message
    return event


def _on_standard_error(formatter: logging.Formatter, level: int) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[handler], force=True)


def _through_logging(processors: list[Processor]) -> None:
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_logger_name,
            *processors,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
