"""The registry of diagnostic codes: what each means and what to do. A code is never reused for something else."""

from collections.abc import Mapping
from types import MappingProxyType

from interlock.compiler.codes_of_agents import AGENTS
from interlock.compiler.codes_of_expressions import EXPRESSIONS
from interlock.compiler.codes_of_facts import FACTS
from interlock.compiler.codes_of_files import FILES
from interlock.compiler.codes_of_imports import IMPORTS
from interlock.compiler.codes_of_keys import KEYS
from interlock.compiler.codes_of_parts import PARTS
from interlock.compiler.codes_of_procedures import PROCEDURES
from interlock.compiler.meaning import Meaning

CODES: Mapping[str, Meaning] = MappingProxyType(
    {**FILES, **KEYS, **PARTS, **FACTS, **AGENTS, **PROCEDURES, **EXPRESSIONS, **IMPORTS}
)
"""Every code, in the order of the docs."""

GROUPS: Mapping[str, Mapping[str, Meaning]] = MappingProxyType(
    {
        "Files and YAML": FILES,
        "Keys and their values": KEYS,
        "Names, texts, tools and tables": PARTS,
        "Look-ups and facts": FACTS,
        "Agents, flows and suites": AGENTS,
        "Procedures and effects": PROCEDURES,
        "Expressions and templates": EXPRESSIONS,
        "Imported documents": IMPORTS,
    }
)
"""The codes by subject, as the docs have them."""
