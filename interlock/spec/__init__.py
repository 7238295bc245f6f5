"""What authors write: the models of Agent, Library and Suite, closed and strict. Nothing here reads a file."""

from typing import TypeAlias

from interlock.spec.specs import AgentSpec, LibrarySpec
from interlock.spec.suite import SuiteSpec

Spec: TypeAlias = AgentSpec | LibrarySpec | SuiteSpec

KINDS: dict[str, type[AgentSpec] | type[LibrarySpec] | type[SuiteSpec]] = {
    "Agent": AgentSpec,
    "Library": LibrarySpec,
    "Suite": SuiteSpec,
}
"""The models by `kind`."""

__all__ = ["KINDS", "AgentSpec", "LibrarySpec", "Spec", "SuiteSpec"]
