"""The activities: all that touches the world. `activities(settings)` gives a worker everything it needs."""

from interlock_activities.registry import Activities, activities
from interlock_activities.settings import Settings, settings_from
from interlock_activities.tool_function import ToolError, ToolFunction

__all__ = ["Activities", "Settings", "ToolError", "ToolFunction", "activities", "settings_from"]
