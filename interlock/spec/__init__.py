"""What authors write: the models of Agent, Procedure, Library and Suite, closed and strict. No file is read here."""

from typing import TypeAlias

from interlock.spec.specs import AgentSpec, LibrarySpec, ProcedureSpec
from interlock.spec.suite import SuiteSpec

Spec: TypeAlias = AgentSpec | ProcedureSpec | LibrarySpec | SuiteSpec

KINDS: dict[str, type[AgentSpec] | type[ProcedureSpec] | type[LibrarySpec] | type[SuiteSpec]] = {
    "Agent": AgentSpec,
    "Procedure": ProcedureSpec,
    "Library": LibrarySpec,
    "Suite": SuiteSpec,
}
"""The models by `kind`."""

__all__ = ["KINDS", "AgentSpec", "LibrarySpec", "ProcedureSpec", "Spec", "SuiteSpec"]
