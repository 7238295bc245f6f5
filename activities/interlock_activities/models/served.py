"""The providers that every worker has, and those that it is given."""

from interlock_activities.http_client import HttpClient
from interlock_activities.models.formats import ANTHROPIC, OPENAI
from interlock_activities.models.http_provider import HttpProvider
from interlock_activities.models.providers import Providers
from interlock_activities.models.scripted import ScriptedProvider
from interlock_activities.settings import Settings


def served_models(settings: Settings, client: HttpClient) -> Providers:
    """All of them by name; one that is given goes before one of ours."""
    return Providers(
        {
            "openai": HttpProvider(client, OPENAI),
            "anthropic": HttpProvider(client, ANTHROPIC),
            "scripted": ScriptedProvider(settings.models),
            **settings.providers,
        },
        instead="scripted" if settings.models else "",
    )
