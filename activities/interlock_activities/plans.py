"""The activity `resolve_plan`: from a spec's name, or the digest a run is pinned to, to the plan."""

import difflib
import zlib
from collections.abc import Iterable

from temporalio import activity
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import (
    PLAN_UNREADABLE,
    RESOLVE_PLAN,
    RULES,
    UNKNOWN_DIGEST,
    UNKNOWN_SPEC,
    PlanRequest,
    ResolvedPlan,
)
from interlock.contract.limits import INLINE_LIMIT, NAME_LIMIT
from interlock.contract.strict_json import shown
from interlock.plan.plan import Plan
from interlock_activities.content_store import DamagedContentError
from interlock_activities.plan_store import PlanStore


class Plans:
    """The compiled plans of a worker, by name and digest, and the store of those that came before."""

    def __init__(self, plans: Iterable[Plan], store: PlanStore | None) -> None:
        self._store = store
        self._digests: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        for plan in plans:
            self._digests[plan.name] = plan.digest
            self._texts[plan.digest] = plan.canonical()
            if store is not None:
                store.put(self._texts[plan.digest])

    @activity.defn(name=RESOLVE_PLAN)
    async def resolve_plan(self, request: PlanRequest) -> ResolvedPlan:
        """The plan with its digest; by reference if it is too large for a payload and stands in the store."""
        digest = request.digest or self._current(request.name)
        text = self._text(digest)
        if len(zlib.compress(text.encode())) <= INLINE_LIMIT:
            return ResolvedPlan(digest, text, RULES)
        if self._store is None:
            # Who goes on under a digest waits for a worker with the store; who begins must hear of it.
            raise ApplicationError(
                f"plan {digest[:12]} is over {INLINE_LIMIT:,} bytes, which needs a plan store",
                type=UNKNOWN_DIGEST if request.digest else PLAN_UNREADABLE,
                non_retryable=not request.digest,
            )
        return ResolvedPlan(digest, "", RULES)

    def _current(self, name: str) -> str:
        if name in self._digests:
            return self._digests[name]
        near = difflib.get_close_matches(name[:NAME_LIMIT], self._digests, n=3)
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
        raise ApplicationError(f"no spec is named {shown(name)!r}{hint}", type=UNKNOWN_SPEC, non_retryable=True)

    def _text(self, digest: str) -> str:
        try:
            text = self._texts.get(digest) or (self._store.get(digest) if self._store else None)
        except DamagedContentError as damage:
            raise ApplicationError(str(damage), type=UNKNOWN_DIGEST) from None
        if text is None:
            raise ApplicationError(f"this worker does not have plan {shown(digest[:12])!r}", type=UNKNOWN_DIGEST)
        return text
