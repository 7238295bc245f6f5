"""How processes log: one JSON object a line for operators, or warnings alone for people at a terminal."""

import logging

import structlog
from structlog.typing import Processor


def log_as_json() -> None:
    """One JSON object a line on standard error, for our logs and for Temporal's."""
    shared: list[Processor] = [structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True)]
    as_json = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, structlog.processors.JSONRenderer()],
        foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.processors.format_exc_info],
    )
    handler = logging.StreamHandler()
    handler.setFormatter(as_json)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    _through_logging([*shared, structlog.processors.format_exc_info])


def log_for_people() -> None:
    """Warnings and worse on standard error, in words."""
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=structlog.dev.ConsoleRenderer()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _through_logging([structlog.stdlib.add_log_level])


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
