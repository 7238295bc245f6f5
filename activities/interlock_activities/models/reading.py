"""Takes apart what model services send: nothing is believed to have the shape that it should have."""

import re
from collections.abc import Mapping
from typing import Any

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import Failure, failed
from interlock_activities.models.chat import Finish

_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


def member(value: Any, name: str) -> Json:
    """The object under `name`; an empty one where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def members(value: Any, name: str) -> list[Json]:
    """The objects in the list under `name`."""
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text(value: Any, name: str) -> str:
    """The text under `name`; empty where there is none. Raises Failure for anything else."""
    found = value.get(name)
    if found is None or isinstance(found, str):
        return found or ""
    raise malformed(f"{name!r} is no text")


def code(told: Any) -> str:
    """A word of the service's own for a fault or reason; empty for anything that is more than a word."""
    return told if isinstance(told, str) and _CODE.fullmatch(told) else ""


def count(value: Mapping[str, Any], name: str) -> int | None:
    """The number of tokens under `name`, if it can be one."""
    found = value.get(name)
    return found if type(found) is int and 0 <= found < 1 << 53 else None


def arguments(written: Any) -> Json | None:
    """The arguments of a call: an object, or the JSON text of one; none for anything else."""
    if isinstance(written, str):
        try:
            written = strict_json.loads(written.encode(), len(written) * 4)
        except (NotStrictJsonError, UnicodeEncodeError):
            return None
    return written if isinstance(written, dict) else None


def call(given: Any, name: str, written: Any, earlier: list[Json]) -> Json:
    """A call with an id of its own among the `earlier` ones: some services send none, or the same twice."""
    taken = {one["id"] for one in earlier}
    known = isinstance(given, str) and given and given not in taken
    fresh = (f"call_{number}" for number in range(1, len(earlier) + 2))
    made = given if known else next(one for one in fresh if one not in taken)
    return {"id": made, "name": name, "arguments": arguments(written)}


def finish(told: Any, known: Mapping[str, Finish], calls: bool) -> Finish:
    """Why the model stopped. Raises Failure for a reason that nobody knows: the answer may not be whole."""
    if told is not None and not (isinstance(told, str) and told in known):
        raise failed(f"it ended for a reason that is not known: {code(told)!r}")
    meant = known.get(told or "", "stop")
    return meant if meant in ("length", "refused") else "calls" if calls else "stop"


def malformed(why: str) -> Failure:
    """An answer that is JSON and still none."""
    return failed(f"the answer cannot be read: {why}")
