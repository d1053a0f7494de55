import pytest

from pihost.models import Model, ModelRouteError, ProviderConfigError, Route, RouteRequest, VirtualModel


@pytest.fixture
def physical(registry, fixed_provider):
    """A registry with the physical models ``acme/one`` and ``acme/two``."""
    registry.register_native_provider(fixed_provider("acme", ("one", "two")))
    return registry


def virtual(route, **changes):
    return VirtualModel(**{"provider": "auto", "id": "best", "route": route, **changes})


def add(registry, route, **changes):
    model = virtual(route, **changes)
    registry.register_virtual_model(model)
    return model.model


async def test_the_route_picks_the_physical_model(physical):
    model = add(physical, lambda *_: Route(provider="acme", id="two", state={"n": 1}))
    resolved = await physical.resolve(model, RouteRequest(messages=()))
    assert (resolved.model.ref, resolved.provider.id, resolved.route.state) == ("acme/two", "acme", {"n": 1})


async def test_an_async_route_sees_its_state_and_the_context(physical):
    async def route(request, ctx):
        return Route(provider="acme", id=request.state or ctx)

    model = add(physical, route)
    assert (await physical.resolve(model, RouteRequest(messages=(), state="two"))).model.id == "two"
    assert (await physical.resolve(model, RouteRequest(messages=()), "one")).model.id == "one"


async def test_a_physical_model_resolves_to_itself(physical):
    resolved = await physical.resolve(Model(provider="acme", id="one"), RouteRequest(messages=()))
    assert (resolved.model.ref, resolved.route) == ("acme/one", None)


@pytest.mark.parametrize(
    "target", [("auto", "best"), ("auto", "other"), ("acme", "three"), ("nobody", "one")]
)
async def test_a_route_must_lead_to_a_physical_model(physical, target):
    add(physical, lambda *_: None, id="other")
    model = add(physical, lambda *_: Route(provider=target[0], id=target[1]))
    with pytest.raises(ModelRouteError, match=f"leads to {'/'.join(target)}, which is no physical model"):
        await physical.resolve(model, RouteRequest(messages=()))


async def test_a_route_to_a_physical_name_that_a_virtual_model_covers_is_refused(physical):
    model = add(physical, lambda *_: Route(provider="acme", id="one"), provider="acme", id="one")
    with pytest.raises(ModelRouteError, match="no physical model"):
        await physical.resolve(model, RouteRequest(messages=()))


async def test_a_route_that_raises_is_that_models_failure(physical):
    model = add(physical, lambda *_: 1 / 0)
    with pytest.raises(ModelRouteError, match=r"auto/best: its route failed: ZeroDivisionError"):
        await physical.resolve(model, RouteRequest(messages=()))


async def test_a_route_must_answer_with_a_route(physical):
    model = add(physical, lambda *_: "acme/one")
    with pytest.raises(ModelRouteError, match="answered with str instead of a Route"):
        await physical.resolve(model, RouteRequest(messages=()))


def test_virtual_models_are_listed_with_their_provider(physical):
    add(physical, lambda *_: None, provider="acme", id="auto", name="Auto", context_window=9)
    add(physical, lambda *_: None)
    assert [model.ref for model in physical.models()] == ["acme/one", "acme/two", "acme/auto", "auto/best"]
    listed = physical.get("acme", "auto")
    assert (listed.name, listed.api, listed.context_window) == ("Auto", "virtual", 9)


def test_a_virtual_model_covers_a_physical_one_until_it_is_unregistered(physical):
    take_back = physical.register_virtual_model(virtual(lambda *_: None, provider="acme", id="one"))
    assert physical.get("acme", "one").api == "virtual"
    assert len(physical.models()) == 2
    take_back()
    assert physical.get("acme", "one").api == ""


def test_unregistering_brings_back_the_covered_virtual_model(physical):
    add(physical, lambda *_: None, name="first")
    take_back = physical.register_virtual_model(virtual(lambda *_: None, name="second"))
    take_back()
    assert physical.find("best").name == "first"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"id": ""}, "id: must not be empty"),
        ({"provider": "a/b"}, "id: must be a word without '/'"),
        ({"route": "acme/one"}, "route: must be callable"),
    ],
)
def test_each_fault_of_a_virtual_model_is_named(physical, changes, fault):
    with pytest.raises(ProviderConfigError, match=fault):
        add(physical, **{"route": lambda *_: None, **changes})
    assert len(physical.models()) == 2


def test_what_is_no_virtual_model_is_refused(registry):
    with pytest.raises(ProviderConfigError, match="must be a VirtualModel"):
        registry.register_virtual_model(Model(provider="a", id="b"))
