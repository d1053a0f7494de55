import pytest

from pihost.models import Model, ModelNotFoundError, ProviderConfigError


def refs(registry):
    return [model.ref for model in registry.models()]


def test_models_come_by_provider_in_order_of_registration(registry, fixed_provider, config):
    registry.register_native_provider(fixed_provider("zeta", ("b", "a")))
    registry.register_provider("alpha", config())
    assert refs(registry) == ["zeta/b", "zeta/a", "alpha/small"]


def test_configured_models_take_provider_and_api_from_the_registration(registry, config):
    registry.register_provider("acme", config(api="acme-wire"))
    assert registry.get("acme", "small") == Model(provider="acme", id="small", api="acme-wire")


def test_get_of_a_model_nobody_offers_is_none(registry):
    assert registry.get("acme", "small") is None


def test_a_later_registration_covers_the_one_before(registry, fixed_provider):
    registry.register_native_provider(fixed_provider("acme", ("old",)))
    registry.register_native_provider(fixed_provider("acme", ("new",)))
    assert refs(registry) == ["acme/new"]


def test_unregistering_brings_back_what_was_covered(registry, fixed_provider, config):
    native = fixed_provider("acme", ("old",))
    registry.register_native_provider(native)
    take_back = registry.register_provider("acme", config())
    take_back()
    assert registry.provider("acme") is native


def test_what_is_covered_can_be_taken_back_and_the_one_over_it_stays(registry, fixed_provider):
    covered = registry.register_native_provider(fixed_provider("acme", ("old",)))
    registry.register_native_provider(fixed_provider("acme", ("new",)))
    covered()
    assert refs(registry) == ["acme/new"]


def test_unregistering_the_last_leaves_nothing(registry, config):
    take_back = registry.register_provider("acme", config())
    take_back()
    assert refs(registry) == []


def test_taking_back_again_takes_nothing_of_anybody_else(registry, fixed_provider):
    provider = fixed_provider("acme")
    take_back = registry.register_native_provider(provider)
    take_back()
    registry.register_native_provider(provider)
    take_back()
    assert registry.provider("acme") is provider


def test_taking_back_a_wire_api_brings_back_the_one_it_covered(registry, config, fixed_provider):
    registry.register_api("acme-wire", lambda name, _: fixed_provider(name, ("old",)))
    take_back = registry.register_api("acme-wire", lambda name, _: fixed_provider(name, ("new",)))
    take_back()
    registry.register_provider("acme", config(api="acme-wire"))
    assert registry.provider("acme").ids == ("old",)


def test_a_bad_registration_leaves_nothing_and_a_good_one_works_after_it(registry, config):
    """D05: what lacks a required field has no effect on what comes later."""
    with pytest.raises(ProviderConfigError, match="base_url: is missing"):
        registry.register_provider("acme", {"models": ["small"]})
    assert refs(registry) == []
    registry.register_provider("acme", config())
    assert refs(registry) == ["acme/small"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"base_url": ""}, "base_url: must be an http or https address"),
        ({"base_url": "ftp://models.example.com"}, "base_url"),
        ({"base_url": "http://[broken"}, "base_url"),
        ({"api": ""}, "api: must name a wire API"),
        ({"models": ()}, "models: must list at least one model"),
        ({"models": [Model(provider="", id="")]}, r"models\[0\]: must be a Model with an id"),
        ({"models": ["small"]}, r"models\[0\]: must be a Model with an id"),
    ],
)
def test_each_fault_of_a_configuration_is_named(registry, config, changes, fault):
    with pytest.raises(ProviderConfigError, match=fault):
        registry.register_provider("acme", config(**changes))


def test_all_faults_are_reported_at_once(registry, config):
    with pytest.raises(ProviderConfigError) as caught:
        registry.register_provider("a/b", config(base_url="", models=()))
    assert len(caught.value.faults) == 3


def test_a_registration_that_is_no_configuration_is_refused(registry):
    with pytest.raises(ProviderConfigError, match="must be a ProviderConfig, not int"):
        registry.register_provider("acme", 5)


@pytest.mark.parametrize("name", ["", "a/b", "a b", 5])
def test_an_id_must_be_a_word(registry, config, name):
    with pytest.raises(ProviderConfigError, match="id: must be a word"):
        registry.register_provider(name, config())


def test_what_is_no_provider_is_refused(registry):
    with pytest.raises(ProviderConfigError, match=r"a provider has id, models\(\) and stream\(\)"):
        registry.register_native_provider(object())


def test_a_provider_that_cannot_list_its_models_is_refused(registry, fixed_provider):
    provider = fixed_provider("acme", None)
    with pytest.raises(ProviderConfigError, match=r"models\(\): TypeError"):
        registry.register_native_provider(provider)
    assert refs(registry) == []


def test_models_under_another_providers_name_are_refused(registry, fixed_provider):
    class Impostor(fixed_provider):
        def models(self):
            return [Model(provider="other", id="one")]

    provider = Impostor("acme")
    with pytest.raises(ProviderConfigError, match="must be 'acme', not 'other'"):
        registry.register_native_provider(provider)


def test_a_configured_provider_is_made_by_the_implementation_of_its_api(registry, config, fixed_provider):
    registry.register_provider("acme", config(api="acme-wire"))
    registry.register_api("acme-wire", lambda name, config: fixed_provider(name, (config.base_url,)))
    provider = registry.provider("acme")
    assert provider.ids == ("https://models.example.com/v1",)
    assert registry.provider("acme") is provider


def test_an_api_nobody_implements_is_named_with_those_there_are(registry, config, fixed_provider):
    registry.register_api("other-wire", lambda name, _: fixed_provider(name))
    registry.register_provider("acme", config(api="acme-wire"))
    with pytest.raises(ProviderConfigError, match="nobody implements 'acme-wire'; there are: other-wire"):
        registry.provider("acme")


def test_an_implementation_that_makes_nothing_is_an_error(registry, config):
    registry.register_api("acme-wire", lambda *_: None)
    registry.register_provider("acme", config(api="acme-wire"))
    with pytest.raises(ProviderConfigError, match="made no provider"):
        registry.provider("acme")


def test_an_implementation_that_raises_makes_the_provider_unusable(registry, config):
    registry.register_api("acme-wire", lambda *_: 1 / 0)
    registry.register_provider("acme", config(api="acme-wire"))
    with pytest.raises(ProviderConfigError, match="its implementation failed: ZeroDivisionError"):
        registry.provider("acme")


def test_a_provider_that_cannot_list_its_models_any_more_keeps_those_it_listed(registry, fixed_provider):
    """One provider's failure must not keep anybody from choosing another's model."""
    provider = fixed_provider("acme")
    registry.register_native_provider(provider)
    registry.register_native_provider(fixed_provider("other"))
    assert refs(registry) == ["acme/one", "other/one"]
    provider.ids = None
    assert refs(registry) == ["acme/one", "other/one"]


def test_an_implementation_must_be_callable(registry):
    with pytest.raises(ProviderConfigError, match="a name and a callable"):
        registry.register_api("acme-wire", "not callable")


def test_an_unknown_provider_is_named_with_those_there_are(registry, fixed_provider):
    registry.register_native_provider(fixed_provider("acme"))
    with pytest.raises(ProviderConfigError, match="'acm': is not registered; there are: acme"):
        registry.provider("acm")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("acme/large", "acme/large"),
        ("large", "acme/large"),
        ("LARG", "acme/large"),
        (" me/sm ", "acme/small"),
        ("small", "acme/small"),
        ("-fast", "other/small-fast"),
    ],
)
def test_a_unique_part_selects_a_model(registry, fixed_provider, pattern, found):
    """An exact id wins over the longer ids it is part of."""
    registry.register_native_provider(fixed_provider("acme", ("large", "small")))
    registry.register_native_provider(fixed_provider("other", ("small-fast",)))
    assert registry.find(pattern).ref == found


def test_a_part_that_fits_several_lists_them(registry, fixed_provider):
    registry.register_native_provider(fixed_provider("acme", ("large-1", "large-2")))
    with pytest.raises(ModelNotFoundError, match="fits more than one model: acme/large-1, acme/large-2"):
        registry.find("large")


def test_an_id_of_two_providers_lists_both(registry, fixed_provider):
    registry.register_native_provider(fixed_provider("acme"))
    registry.register_native_provider(fixed_provider("other"))
    with pytest.raises(ModelNotFoundError, match="acme/one, other/one"):
        registry.find("one")


def test_a_misspelt_name_gets_the_near_ones(registry, fixed_provider):
    registry.register_native_provider(fixed_provider("acme", ("large", "small")))
    with pytest.raises(ModelNotFoundError, match="Near: acme/large"):
        registry.find("acme/lrage")


def test_an_empty_pattern_fits_nothing(registry, fixed_provider):
    registry.register_native_provider(fixed_provider("acme"))
    with pytest.raises(ModelNotFoundError, match="there is none with a name like it"):
        registry.find("  ")
