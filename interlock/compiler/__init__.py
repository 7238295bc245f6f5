"""From specs to plans: all findings in one run, and a plan for every Agent without errors."""

from interlock.compiler.compile import Compiled, compile_bundle, compile_folder
from interlock.compiler.passes import PASSES
from interlock.compiler.project import Suite

__all__ = ["PASSES", "Compiled", "Suite", "compile_bundle", "compile_folder"]
