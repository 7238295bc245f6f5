"""What Temporal has of a run: search attributes, how a namespace comes to know them, and the memo of its id."""

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey
from temporalio.service import RPCError, RPCStatusCode

from interlock.client.errors import NotPreparedError

SPEC = SearchAttributeKey.for_keyword("InterlockSpec")
DIGEST = SearchAttributeKey.for_keyword("InterlockDigest")
STATUS = SearchAttributeKey.for_keyword("InterlockStatus")
KEYS = (SPEC, DIGEST, STATUS)

RUN_MEMO = "interlock_run"
"""The memo by which a run gives one that it starts an id that is the same when it is reset itself."""


async def ensure_search_attributes(client: Client) -> None:
    """Register what is missing; a run that sets an unregistered attribute would never get on.

    Raises `NotPreparedError` with the remedy if the namespace does not let this client register them.
    """
    namespace = client.namespace
    try:
        known = await client.operator_service.list_search_attributes(ListSearchAttributesRequest(namespace=namespace))
        missing = [key.name for key in KEYS if key.name not in known.custom_attributes]
        if missing:
            await client.operator_service.add_search_attributes(_registration(namespace, missing))
    except RPCError as error:
        if error.status is RPCStatusCode.ALREADY_EXISTS:
            return
        names = ", ".join(key.name for key in KEYS)
        raise NotPreparedError(
            f"namespace {namespace!r} does not let this client register the search attributes {names}: "
            f"{error.message}; register them as Keyword by other means, such as `tcld namespace search-attributes add`"
        ) from error


def _registration(namespace: str, names: list[str]) -> AddSearchAttributesRequest:
    keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
    return AddSearchAttributesRequest(namespace=namespace, search_attributes=dict.fromkeys(names, keyword))
