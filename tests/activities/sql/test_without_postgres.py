"""A worker without the extra: it starts, reads SQLite, and says what PostgreSQL needs."""

import subprocess
import sys

PROGRAM = """
import asyncio, dataclasses, sys
sys.modules["psycopg"] = None
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment
from interlock.contract.calls import ToolRequest
from interlock_activities import Activities, Settings

async def main():
    served = Activities(Settings(env={}, secrets={"DB": "shop:word"}))
    auth = {"kind": "basic", "header": "", "value": "{{ secrets.DB }}"}
    request = ToolRequest("t", "c", "r", "s", "sql", 1000, 1000, {"sql": "postgresql://127.0.0.1/shop", "auth": auth})
    try:
        await ActivityEnvironment().run(served.callables[0], dataclasses.replace(request, sql="SELECT 1"))
    except ApplicationError as error:
        print(error.type, error.message, error.non_retryable)

asyncio.run(main())
"""


def test_it_is_said_what_postgresql_needs():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert "tool_misconfigured" in ran.stdout
    assert "pip install 'interlock-engine[postgres]' True" in ran.stdout
