"""The passes of the compiler, in order. Each reads the project and adds findings; none stops the next."""

from collections.abc import Callable
from typing import TypeAlias

from interlock.compiler.check_asked import check_asked
from interlock.compiler.check_assumed import check_assumed
from interlock.compiler.check_bindings import check_bindings
from interlock.compiler.check_call_keys import check_call_keys
from interlock.compiler.check_cells import check_cells
from interlock.compiler.check_checks import check_checks
from interlock.compiler.check_coordinates import check_coordinates
from interlock.compiler.check_damaged import check_damaged
from interlock.compiler.check_deciding import check_circles, check_decisions, check_tool_circles
from interlock.compiler.check_durations import check_durations
from interlock.compiler.check_effects import check_effects
from interlock.compiler.check_ends import check_ends
from interlock.compiler.check_expressions import check_expressions
from interlock.compiler.check_facts import check_facts
from interlock.compiler.check_fields import check_fields
from interlock.compiler.check_flows import check_flows
from interlock.compiler.check_gates import check_gates, check_mounts, check_routes
from interlock.compiler.check_guards import check_guards
from interlock.compiler.check_headers import check_headers
from interlock.compiler.check_keys import check_keys
from interlock.compiler.check_loops import check_loops
from interlock.compiler.check_models import check_models
from interlock.compiler.check_names import check_duplicates, check_targets
from interlock.compiler.check_places import check_places
from interlock.compiler.check_procedures import check_procedures
from interlock.compiler.check_prose import check_prose
from interlock.compiler.check_reach import check_reach
from interlock.compiler.check_responses import check_responses
from interlock.compiler.check_results import check_results
from interlock.compiler.check_runs import check_runs
from interlock.compiler.check_sensitive import check_sensitive
from interlock.compiler.check_servers import check_servers
from interlock.compiler.check_slots import check_intents, check_slots
from interlock.compiler.check_stored import check_stored
from interlock.compiler.check_suites import check_suites
from interlock.compiler.check_texts import check_texts
from interlock.compiler.check_tools import check_tools
from interlock.compiler.check_unused import check_unused
from interlock.compiler.check_uses import check_uses
from interlock.compiler.check_words import check_vocabularies
from interlock.compiler.findings import Findings
from interlock.compiler.given_back import learn_results
from interlock.compiler.project import Project

Pass: TypeAlias = Callable[[Project, Findings], None]

PASSES: tuple[tuple[str, Pass], ...] = (
    ("uses", check_uses),
    ("results of procedures", learn_results),
    ("duplicates", check_duplicates),
    ("targets", check_targets),
    ("texts", check_texts),
    ("vocabularies", check_vocabularies),
    ("slots", check_slots),
    ("assumed values", check_assumed),
    ("intents", check_intents),
    ("fields", check_fields),
    ("stored", check_stored),
    ("expressions", check_expressions),
    ("circles", check_circles),
    ("tool circles", check_tool_circles),
    ("decisions", check_decisions),
    ("servers", check_servers),
    ("tools", check_tools),
    ("headers", check_headers),
    ("facts", check_facts),
    ("models", check_models),
    ("effects", check_effects),
    ("checks", check_checks),
    ("keys", check_keys),
    ("keys of calls", check_call_keys),
    ("durations", check_durations),
    ("bindings", check_bindings),
    ("prose", check_prose),
    ("mounts", check_mounts),
    ("runs", check_runs),
    ("gates", check_gates),
    ("routes", check_routes),
    ("flows", check_flows),
    ("responses", check_responses),
    ("places", check_places),
    ("procedures", check_procedures),
    ("loops", check_loops),
    ("sensitive keys", check_sensitive),
    ("ends", check_ends),
    ("reach", check_reach),
    ("coordinates", check_coordinates),
    ("results", check_results),
    ("guards", check_guards),
    ("cells", check_cells),
    ("unused", check_unused),
    ("asked", check_asked),
    ("suites", check_suites),
    ("damaged parts", check_damaged),
)
"""First `uses`: it gives every spec the names it may see, then what the procedures give back that a spec may run.

The others may stand in any order.
"""
