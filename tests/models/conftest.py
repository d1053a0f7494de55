"""Builders for tests of models: a provider that offers what it is told to."""

import attrs
import pytest

from pihost.context import AbortSignal
from pihost.models import Model, ModelRegistry, ModelRequest, ProviderConfig


@attrs.define
class FixedProvider:
    """Offers models of these ids and answers nothing."""

    id: str
    ids: tuple[str, ...] = ("one",)

    def models(self):
        return [Model(provider=self.id, id=name) for name in self.ids]

    async def stream(self, request, hooks):
        return
        yield


@pytest.fixture
def fixed_provider():
    return FixedProvider


@pytest.fixture
def registry():
    return ModelRegistry()


@pytest.fixture
def config():
    """Builds a good configuration, changed as told."""

    def build(**changes):
        fields = {"base_url": "https://models.example.com/v1", "models": [Model(provider="", id="small")]}
        return ProviderConfig(**{**fields, **changes})

    return build


@pytest.fixture
def request_for():
    """Builds a request for a model."""
    return lambda model: ModelRequest(model=model, messages=(), signal=AbortSignal())
