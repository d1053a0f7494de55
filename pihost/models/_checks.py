"""What is wrong with a registration, every fault as a line that says where it is and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pihost.errors import describe
from pihost.model import Model
from pihost.models.protocol import Provider

if TYPE_CHECKING:
    from pihost.models.config import ProviderConfig

__all__ = ["config_faults", "name_faults", "provider_faults", "virtual_faults"]


def name_faults(name: object) -> list[str]:
    """What keeps ``name`` from being a provider's id."""
    if isinstance(name, str) and name and "/" not in name and not any(map(str.isspace, name)):
        return []
    return ["id: must be a word without '/'"]


def provider_faults(provider: object) -> list[str]:
    """What keeps ``provider`` from being registered."""
    if not isinstance(provider, Provider):
        return ["a provider has id, models() and stream()"]
    try:
        models = provider.models()
    except Exception as fault:  # noqa: BLE001 -- an extension's code: a provider that fails here is not registered
        return [f"models(): {describe(fault)}"]
    return name_faults(provider.id) + _model_faults(models, provider.id)


def virtual_faults(model: object) -> list[str]:
    """What keeps ``model`` from being registered as a virtual one."""
    from pihost.models.virtual import VirtualModel

    if not isinstance(model, VirtualModel):
        return ["must be a VirtualModel"]
    faults = name_faults(model.provider)
    if not model.id:
        faults.append("id: must not be empty")
    route: object = model.route
    if not callable(route):
        faults.append("route: must be callable with a RouteRequest and a context")
    return faults


def _is_web_address(text: str) -> bool:
    try:
        url = urlsplit(text)
    except ValueError:  # such as a bracket that is never closed
        return False
    return url.scheme in {"http", "https"} and bool(url.netloc)


def config_faults(config: ProviderConfig) -> list[str]:
    """What keeps a provider from being registered with ``config``."""
    faults = []
    if not _is_web_address(str(config.base_url)):
        faults.append("base_url: must be an http or https address")
    if not config.api:
        faults.append("api: must name a wire API")
    if not config.read_timeout > 0:
        faults.append("read_timeout: must be a number of seconds above 0")
    if not config.models:
        faults.append("models: must list at least one model")
    return faults + _model_faults(config.models)


def _model_faults(models: Iterable[object], provider: str | None = None) -> list[str]:
    faults = []
    for index, model in enumerate(models):
        if not isinstance(model, Model) or not model.id:
            faults.append(f"models[{index}]: must be a Model with an id")
        elif provider is not None and model.provider != provider:
            faults.append(f"models[{index}].provider: must be {provider!r}, not {model.provider!r}")
    return faults
