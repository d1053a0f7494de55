"""The models there are: registration by extensions, selection by users, the way to a model's provider."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from pihost.context import ExtensionContext
from pihost.errors import describe
from pihost.model import Model, Route
from pihost.models._checks import config_faults, name_faults, provider_faults, virtual_faults
from pihost.models._layers import Layers
from pihost.models.errors import ModelNotFoundError, ModelRouteError, ProviderConfigError

if TYPE_CHECKING:
    from pihost.models.config import ProviderConfig
    from pihost.models.protocol import Provider
    from pihost.models.virtual import RouteRequest, VirtualModel

__all__ = ["ApiImplementation", "ModelRegistry", "Resolved"]

ApiImplementation = Callable[[str, "ProviderConfig"], "Provider"]
"""Makes the provider of that id from its configuration."""

_NEAR = 3
"""How many near names an error lists."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Resolved:
    """Who answers a request.

    Attributes:
        provider: The provider to ask.
        model: The physical model.
        route: What the virtual model decided, or ``None`` where the model asked for is physical itself.
    """

    provider: Provider
    model: Model
    route: Route | None = None


@attrs.define(kw_only=True, eq=False, repr=False)
class _Registered:
    """One registration of a provider; ``provider`` is made from ``config`` when it is first needed."""

    config: ProviderConfig | None = None
    provider: Provider | None = None
    listed: Sequence[Model] = ()

    def models(self) -> Sequence[Model]:
        if self.config is None and self.provider is not None:
            try:
                self.listed = tuple(self.provider.models())
            except Exception:  # noqa: BLE001 -- an extension's code: what it listed last still stands
                return self.listed
        return self.listed


class ModelRegistry:
    """Every provider and virtual model of a host. A ``ModelCatalog``.

    A registration under a name that is taken covers the one before, which returns when the later one is
    taken back. Only who made a registration can do that: it gets the function. Whatever is wrong with a
    registration is raised before anything is changed.
    """

    def __init__(self) -> None:
        self._providers: Layers[str, _Registered] = Layers()
        self._virtual: Layers[tuple[str, str], VirtualModel] = Layers()
        self._apis: Layers[str, ApiImplementation] = Layers()
        self._configs: list[ProviderConfig] = []

    def register_api(self, name: str, implementation: ApiImplementation) -> Callable[[], None]:
        """Make a wire API known. Providers that are made already stay what they are.

        Args:
            name: What ``ProviderConfig.api`` says.
            implementation: Makes providers that speak it.

        Returns:
            A function that takes it back.

        Raises:
            ProviderConfigError: the name is empty, or the implementation cannot be called.
        """
        if not name or not callable(implementation):
            raise ProviderConfigError(
                name, ["a wire API takes a name and a callable (id, config) -> Provider"]
            )
        return self._apis.add(name, implementation)

    def register_provider(self, name: str, config: ProviderConfig | Mapping[str, Any]) -> Callable[[], None]:
        """Add a provider that is known by its configuration.

        Args:
            name: The provider's id.
            config: Where it is; a table as in a settings file is taken too.

        Returns:
            A function that takes it back.

        Raises:
            ProviderConfigError: with every fault of the configuration.
        """
        from pihost.models.config import ProviderConfig, provider_config

        if not isinstance(config, ProviderConfig):
            if not isinstance(config, Mapping):
                raise ProviderConfigError(name, [f"must be a ProviderConfig, not {type(config).__name__}"])
            config = provider_config(name, config)
        faults = name_faults(name) + config_faults(config)
        if faults:
            raise ProviderConfigError(name, faults)
        models = [attrs.evolve(model, provider=name, api=model.api or config.api) for model in config.models]
        config = attrs.evolve(config, models=models)
        self._configs.append(config)
        return self._providers.add(name, _Registered(config=config, listed=config.models))

    def register_native_provider(self, provider: Provider) -> Callable[[], None]:
        """Add a provider that brings its own code.

        Args:
            provider: It is asked for its models each time they are listed.

        Returns:
            A function that takes it back.

        Raises:
            ProviderConfigError: it is no provider, its id is none, or it cannot say which models it has.
        """
        faults = provider_faults(provider)
        if faults:
            raise ProviderConfigError(str(getattr(provider, "id", type(provider).__name__)), faults)
        return self._providers.add(provider.id, _Registered(provider=provider))

    def register_virtual_model(self, model: VirtualModel) -> Callable[[], None]:
        """Add a virtual model.

        Args:
            model: It covers a physical model of the same provider and id.

        Returns:
            A function that takes it back.

        Raises:
            ProviderConfigError: it is no virtual model, lacks an id, or its route cannot be called.
        """
        faults = virtual_faults(model)
        if faults:
            raise ProviderConfigError(str(getattr(model, "provider", type(model).__name__)), faults)
        return self._virtual.add((model.provider, model.id), model)

    def models(self) -> tuple[Model, ...]:
        """Every model, by provider in order of registration; virtual ones after the physical."""
        virtual = {key: virtual.model for key, virtual in self._virtual.items()}
        found: dict[tuple[str, str], Model] = {}
        for name in dict.fromkeys((*self._providers, *(key[0] for key in virtual))):
            for model in self._physical(name):
                found.setdefault((name, model.id), virtual.get((name, model.id), model))
            found.update((key, model) for key, model in virtual.items() if key[0] == name)
        return tuple(found.values())

    def get(self, provider: str, model_id: str) -> Model | None:
        """The model of that provider and id, if there is one."""
        return next((m for m in self.models() if (m.provider, m.id) == (provider, model_id)), None)

    def find(self, pattern: str) -> Model:
        """The model that ``pattern`` names: ``provider/id``, an id, or a part that fits only one.

        Raises:
            ModelNotFoundError: nothing fits, or more than one does; near names are part of it.
        """
        models = self.models()
        for fits in _selections(pattern.strip(), models):
            if len(fits) == 1:
                return fits[0]
            if fits:
                raise ModelNotFoundError(pattern, [model.ref for model in fits])
        raise ModelNotFoundError(pattern, (), _near_refs(pattern, models))

    def matching(self, pattern: str) -> tuple[Model, ...]:
        """Every model that fits ``pattern`` in the strictest reading in which any does: see ``find``.

        Raises:
            ModelNotFoundError: none does; near names are part of it.
        """
        models = self.models()
        for fits in _selections(pattern.strip(), models):
            if fits:
                return tuple(fits)
        raise ModelNotFoundError(pattern, (), _near_refs(pattern, models))

    def provider(self, name: str) -> Provider:
        """The provider of that id.

        Raises:
            ProviderConfigError: there is none, or nobody implements its wire API.
        """
        registered = self._providers.get(name)
        if registered is None:
            known = ", ".join(self._providers) or "none"
            raise ProviderConfigError(name, [f"is not registered; there are: {known}"])
        if registered.provider is None and registered.config is not None:
            registered.provider = self._implement(name, registered.config)
        if registered.provider is None:
            raise ProviderConfigError(name, ["its implementation made no provider"])
        return registered.provider

    def is_virtual(self, model: Model) -> bool:
        """Whether a request for ``model`` takes a route."""
        return (model.provider, model.id) in self._virtual

    def physical(self, model: Model) -> Resolved:
        """Who answers a request for a model that is not virtual.

        Raises:
            ProviderConfigError: the provider cannot be used.
        """
        return Resolved(provider=self.provider(model.provider), model=model)

    async def resolve(
        self, model: Model, request: RouteRequest, context: ExtensionContext | None = None
    ) -> Resolved:
        """Who answers a request for ``model``; a virtual model is asked for its route.

        Args:
            model: The model chosen.
            request: What a virtual model decides on.
            context: The session around it.

        Raises:
            ModelRouteError: the route failed or leads to no physical model.
            ProviderConfigError: the provider cannot be used.
        """
        virtual = self._virtual.get((model.provider, model.id))
        if virtual is None:
            return self.physical(model)
        route = await _ask(virtual, request, context)
        target = next((m for m in self._physical(route.provider) if m.id == route.id), None)
        if target is None or (route.provider, route.id) in self._virtual:
            raise ModelRouteError(
                model.ref, f"leads to {route.provider}/{route.id}, which is no physical model"
            )
        return Resolved(provider=self.provider(route.provider), model=target, route=route)

    def mask(self, text: str) -> str:
        """``text`` without any key that a registered configuration has looked up."""
        for config in self._configs:
            text = config.mask(text)
        return text

    def _physical(self, name: str) -> Sequence[Model]:
        registered = self._providers.get(name)
        return () if registered is None else registered.models()

    def _implement(self, name: str, config: ProviderConfig) -> Provider:
        implementation = self._apis.get(config.api)
        if implementation is None:
            known = ", ".join(sorted(self._apis)) or "none"
            raise ProviderConfigError(name, [f"api: nobody implements {config.api!r}; there are: {known}"])
        try:
            return implementation(name, config)
        except Exception as fault:  # an extension's code: whatever it raises makes the provider unusable
            text = config.mask(describe(fault))
            raise ProviderConfigError(name, [f"its implementation failed: {text}"]) from fault


def _selections(pattern: str, models: Sequence[Model]) -> Iterator[list[Model]]:
    """What fits, the strictest reading first."""
    yield [model for model in models if model.ref == pattern]
    yield [model for model in models if model.id == pattern]
    part = pattern.lower()
    yield [model for model in models if part and part in model.ref.lower()]


def _near_refs(pattern: str, models: Sequence[Model]) -> list[str]:
    import difflib

    refs = {model.ref.lower(): model.ref for model in models} | {
        model.id.lower(): model.ref for model in models
    }
    close = difflib.get_close_matches(pattern.lower(), refs, n=_NEAR, cutoff=0.5)
    return list(dict.fromkeys(refs[name] for name in close))


async def _ask(virtual: VirtualModel, request: RouteRequest, context: ExtensionContext | None) -> Route:
    ref = virtual.model.ref
    try:
        answer = virtual.route(request, context)
        route = await answer if inspect.isawaitable(answer) else answer
    except Exception as fault:  # an extension's code: whatever it raises is that model's failure
        raise ModelRouteError(ref, f"its route failed: {describe(fault)}") from fault
    if not isinstance(route, Route):
        raise ModelRouteError(ref, f"its route answered with {type(route).__name__} instead of a Route")
    return route
