"""From settings to the activities that a worker registers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interlock_activities.addresses import AddressRules
from interlock_activities.content_store import ContentStore
from interlock_activities.mcp_tool import McpTransport
from interlock_activities.memory.opening import opened as opened_memory
from interlock_activities.memory.remember import Remembering
from interlock_activities.models.drafts import Drafts
from interlock_activities.models.model_calls import ModelCalls
from interlock_activities.plan_store import PlanStore
from interlock_activities.plans import Plans
from interlock_activities.python_tool import PythonTransport
from interlock_activities.references import References
from interlock_activities.retrieval.folders import BundleFolders
from interlock_activities.retrieval.indexes import Indexes
from interlock_activities.retrieval.opening import opened
from interlock_activities.retrieval.parsers import Parsers
from interlock_activities.retrieval.python_retriever import PythonRetrievers
from interlock_activities.retrieval.retrieve import Retrieval
from interlock_activities.settings import Settings
from interlock_activities.sql_tool import SqlTransport
from interlock_activities.stored_values import StoredValues
from interlock_activities.tool_calls import ToolCalls, Transport

if TYPE_CHECKING:
    from interlock_activities.http_client import HttpClient


class Activities:
    """Every activity, bound to what `settings` gives it; `aclose` ends the connections it keeps.

    `drafts` are what models are writing, for those who watch; of its own without.
    """

    def __init__(self, settings: Settings, drafts: Drafts | None = None) -> None:
        from interlock_activities.http_client import HttpClient  # noqa: PLC0415 - httpx is loaded by workers only
        from interlock_activities.http_tool import HttpTransport  # noqa: PLC0415 - likewise
        from interlock_activities.models.served import served_models  # noqa: PLC0415 - likewise

        rules, references = AddressRules(settings.allow_addresses), References(settings.env, settings.secrets)
        self._client = HttpClient(rules, settings.ca_file)
        self._sql = SqlTransport(references, rules, settings.data, settings.ca_file)
        self._mcp = McpTransport(references, rules, settings.mcp_commands, settings.ca_file)
        http = HttpTransport(self._client, references)
        transports: dict[str, Transport] = {
            "http": http,
            "sql": self._sql,
            "mcp": self._mcp,
            "python": PythonTransport(settings.functions),
        }
        values = None if settings.values is None else ContentStore(settings.values, "value", marks_use=True)
        calls = ToolCalls(transports, StoredValues(values))
        store = None if settings.store is None else PlanStore(settings.store)
        self.drafts = Drafts() if drafts is None else drafts
        models = ModelCalls(served_models(settings, self._client), references, self.drafts)
        plans = Plans(settings.plans, store)
        self._retrieval = _retrieval(settings, self._client)
        self._memory = Remembering(opened_memory(settings))
        self.callables: list[Callable[..., Any]] = [
            calls.call_tool,
            plans.resolve_plan,
            models.generate,
            self._retrieval.retrieve,
            self._memory.read,
            self._memory.write,
        ]

    async def aclose(self) -> None:
        """Closes the connections to servers and indexes, and ends the servers that were started."""
        await self._retrieval.aclose()
        await self._memory.aclose()
        await self._client.aclose()
        await self._sql.aclose()
        await self._mcp.aclose()


def _retrieval(settings: Settings, client: "HttpClient") -> Retrieval:
    indexes = Indexes(opened(settings, client), BundleFolders(settings.bundles), Parsers(settings.parsers))
    return Retrieval(indexes, PythonRetrievers(settings.retrievers))


def activities(settings: Settings) -> list[Callable[..., Any]]:
    """Every activity, for a worker that lives as long as its process."""
    return Activities(settings).callables
