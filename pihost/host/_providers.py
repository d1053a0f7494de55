"""The registry of models: what stands in it from the start, what settings and extensions put into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pihost.config import HostConfig, HostOptions
from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.extensions.actions import ProviderActions
from pihost.host._startup import prepare
from pihost.model import Model
from pihost.models.errors import ProviderConfigError
from pihost.models.protocol import Provider
from pihost.models.registry import ModelRegistry
from pihost.session.recipe import RecipeProvider
from pihost.settings import Settings

__all__ = [
    "failed_registration",
    "new_registry",
    "provider_actions",
    "register_configured",
    "survey_models",
]


def new_registry(app_name: str, providers: Iterable[Provider] = ()) -> ModelRegistry:
    """A registry with the model that is always there.

    Args:
        app_name: The command's name, for the way to a real model.
        providers: What the application brings.

    Raises:
        ProviderConfigError: one of ``providers`` is no provider.
    """
    models = ModelRegistry()
    models.register_native_provider(RecipeProvider(app_name))
    for provider in providers:
        models.register_native_provider(provider)
    return models


def provider_actions(registry: ModelRegistry) -> ProviderActions:
    """What carries the extensions' registrations of providers out."""
    return ProviderActions(
        register_provider=registry.register_provider,
        register_native_provider=registry.register_native_provider,
        register_virtual_model=registry.register_virtual_model,
        register_api=registry.register_api,
    )


def register_configured(registry: ModelRegistry, settings: Settings) -> Iterator[Diagnostic]:
    """Register the providers of the settings, over those of extensions; a wrong one is left out and told."""
    for name, table in settings.providers.items():
        try:
            registry.register_provider(name, table)
        except ProviderConfigError as fault:
            yield Diagnostic(level="warning", message=str(fault), kind="settings", source=f"providers.{name}")


def failed_registration(error: ExtensionError, app_name: str) -> Diagnostic:
    """What is told of a registration that failed."""
    return Diagnostic(
        level="error",
        message=f"Extension {error.extension!r} failed in {error.event}: {error.error}",
        kind="registration",
        source=error.extension,
        hint=f'Start without it using "{app_name} --disable {error.extension}".',
    )


async def survey_models(
    cwd: Path, pattern: str | None, *, config: HostConfig, options: HostOptions
) -> tuple[tuple[Model, ...], tuple[Diagnostic, ...]]:
    """The models that a session would have, with nobody to ask, no event fired and no session.

    Args:
        cwd: The project's directory, absolute.
        pattern: Which of them, as ``ModelRegistry.matching`` takes it; ``None`` is all.
        config: The host's names.
        options: How the start would be asked for.

    Returns:
        The models, and everything found wrong.

    Raises:
        ModelNotFoundError: the pattern fits none.
    """
    startup = await prepare(cwd, config=config, options=options, ask=False)
    try:
        registry = new_registry(config.app_name)
        errors = startup.runtime.providers.flush(provider_actions(registry))
        faults = [
            *startup.diagnostics,
            *register_configured(registry, startup.settings),
            *(failed_registration(error, config.app_name) for error in errors),
        ]
        models = registry.models() if pattern is None else registry.matching(pattern)
    finally:
        await startup.runtime.shutdown(reload=False)
    return tuple(models), tuple(faults)
