import pickle

import pytest

import pihost.models
from pihost.models import (
    Done,
    Error,
    ModelNotFoundError,
    ModelRouteError,
    Provider,
    ProviderConfigError,
    Start,
    TextDelta,
)

ALIASES = {"Message", "StopReason", "StreamEvent", "ThinkingLevel"}
"""Names of types of others, which carry no text of their own."""


@pytest.mark.parametrize("name", pihost.models.__all__)
def test_every_public_name_is_there(name):
    assert getattr(pihost.models, name).__doc__ is not None or name in ALIASES
    assert name in dir(pihost.models)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = pihost.models.nothing_like_it


@pytest.mark.parametrize(
    "error",
    [
        ModelNotFoundError("x", ["a/x", "b/x"]),
        ModelNotFoundError("x", (), ["y"]),
        ModelRouteError("auto/best", "failed"),
        ProviderConfigError("acme", ["one", "two"]),
    ],
)
def test_errors_survive_pickling(error):
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize("event", [Start(), TextDelta(index=0, text="x"), Error(message="no")])
def test_stream_events_are_told_apart_by_type(event):
    assert event.type in {"start", "text_delta", "error"}


def test_an_error_is_not_tried_again_unless_it_says_so():
    assert Error(message="no").retryable is False
    assert Done.__attrs_attrs__[-1].name == "type"


def test_a_provider_is_known_by_its_methods(fixed_provider):
    assert isinstance(fixed_provider("acme"), Provider)
    assert not isinstance(object(), Provider)
