"""Connecting to Temporal: the address, namespace, TLS and key come from Temporal's own environment configuration."""

import atexit
import re
import time
from collections.abc import Sequence
from functools import cache

from temporalio.client import Client, Plugin
from temporalio.envconfig import ClientConfig, ClientConnectConfig
from temporalio.runtime import Runtime

from interlock.client.converter import CLIENT_CONVERTER
from interlock.client.errors import NotPreparedError, UnreachableError
from interlock.telemetry.client_side import SaysWhere

TASK_QUEUE = "interlock"
DEFAULT_ADDRESS = "localhost:7233"

EXIT_PAUSE = 0.05
"""Seconds that Temporal's own threads get to let go of Python: a process that ends at once may crash in them."""


async def connect(
    address: str | None = None,
    *,
    namespace: str | None = None,
    plugins: Sequence[Plugin] = (),
    runtime: Runtime | None = None,
) -> Client:
    """A client for `address`, or for the one in TEMPORAL_ADDRESS or Temporal's configuration file.

    Raises `UnreachableError` when no server answers, `NotPreparedError` for an address that is none. A worker gives
    its plugin, which brings its data converter, and a `runtime` if it has metrics.
    """
    _pause_at_exit()
    config = _configured()
    config["target_host"] = address or config.get("target_host") or DEFAULT_ADDRESS
    if namespace:
        config["namespace"] = namespace
    try:
        return await Client.connect(
            **config, data_converter=CLIENT_CONVERTER, plugins=plugins, interceptors=[SaysWhere()], runtime=runtime
        )
    except RuntimeError as error:
        raise UnreachableError(
            f"no Temporal server answers at {config['target_host']}: {_cause(error)}; "
            "start one with `interlock dev`, or name another by --address, or in TEMPORAL_ADDRESS"
        ) from error
    except ValueError as error:
        raise NotPreparedError(
            f"{config['target_host']!r} is no address of a Temporal server ({error}); write it as host:port"
        ) from error


@cache
def _pause_at_exit() -> None:
    atexit.register(time.sleep, EXIT_PAUSE)


def _cause(error: RuntimeError) -> str:
    """The innermost message of the SDK's nested ones."""
    messages = re.findall(r'(?:message|error): "([^"]+)"', str(error))
    return messages[-1].lower() if messages else str(error)


def _configured() -> ClientConnectConfig:
    try:
        return ClientConfig.load_client_connect_config()
    except (RuntimeError, OSError, TypeError) as error:
        raise NotPreparedError(f"Temporal's environment configuration cannot be read: {error}") from error
