from pathlib import Path

import attrs
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from pihost.diagnostics import Diagnostic
from pihost.extensions import Candidate, Discovery, Requires, Source, admit
from pihost.extensions.admission import standing_faults, unmatched


def candidate(extension_id, source=Source.GLOBAL, **fields):
    path = None if source is Source.INSTALLED else Path("/x", f"{extension_id}.py")
    return Candidate(id=extension_id, source=source, path=path, resolved=path, **fields)


def admitted_ids(admission):
    return [admitted.candidate.id for admitted in admission.admitted]


def reasons(admission):
    return {dropped.candidate.id: dropped.reason for dropped in admission.dropped}


def test_the_admitted_stand_in_the_final_order_whatever_the_order_given():
    given = [
        candidate(s.value, s) for s in (Source.INSTALLED, Source.CONFIGURED, Source.LOCAL, Source.GLOBAL)
    ]
    admission = admit(given, trusted=True)
    assert admitted_ids(admission) == ["local", "global", "configured", "installed"]


def test_without_trust_what_belongs_to_the_project_stays_out():
    admission = admit([candidate("theirs", Source.LOCAL), candidate("mine")], trusted=False)
    assert admitted_ids(admission) == ["mine"]
    assert reasons(admission) == {"theirs": "the project is not trusted"}


def test_a_path_from_the_project_settings_needs_trust_though_it_is_configured():
    listed = candidate("listed", Source.CONFIGURED, from_project=True)
    assert admitted_ids(admit([listed], trusted=False)) == []
    assert admitted_ids(admit([listed], trusted=True)) == ["listed"]


def test_an_explicit_path_needs_no_trust():
    typed = candidate("typed", Source.LOCAL, explicit=True)
    assert admitted_ids(admit([typed], trusted=False)) == ["typed"]


def test_no_extensions_leaves_only_what_was_given_explicitly():
    given = [
        candidate("a"),
        candidate("b", Source.CONFIGURED, explicit=True),
        candidate("c", Source.INSTALLED),
    ]
    admission = admit(given, trusted=True, only_explicit=True)
    assert admitted_ids(admission) == ["b"]
    assert reasons(admission) == dict.fromkeys("ac", "left out by --no-extensions")


@pytest.mark.parametrize(
    "pattern", ["Acme.Foo_Bar", "acme-foo-bar", "ACME*", "acme.*", "*_bar", "acme-foo-ba?"]
)
def test_disabled_names_and_globs_compare_normalised(pattern):
    """A distribution ``Acme.Foo_Bar`` is disabled by any spelling of its name."""
    admission = admit([candidate("acme-foo-bar"), candidate("other")], trusted=True, disabled=[pattern])
    assert admitted_ids(admission) == ["other"]
    assert reasons(admission) == {"acme-foo-bar": f'disabled by "{pattern}"'}


def test_an_id_with_glob_characters_can_be_named_as_it_is():
    admission = admit([candidate("a[1]")], trusted=True, disabled=["a[1]"])
    assert admission.dropped[0].cause == "disabled"


def test_a_project_disables_its_own_extensions_only():
    given = [candidate("guard"), candidate("helper", Source.LOCAL)]
    admission = admit(given, trusted=True, project_disabled=["*"])
    assert admitted_ids(admission) == ["guard"]
    assert reasons(admission) == {"helper": 'disabled by "*" in the project\'s settings'}


def test_a_project_cannot_disable_what_the_user_typed():
    typed = candidate("typed", Source.LOCAL, explicit=True)
    assert admitted_ids(admit([typed], trusted=True, project_disabled=["typed"])) == ["typed"]


def test_a_project_file_of_the_same_name_does_not_bring_back_what_the_user_disabled():
    local = candidate("noisy", Source.LOCAL)
    own = candidate("noisy@global", name="noisy", usual_id="noisy")
    assert admitted_ids(admit([local, own], trusted=False, disabled=["noisy"])) == []


def test_nor_does_it_take_out_what_the_user_left_in():
    """Of the user's two, ``disabled`` names the first only, whatever the project adds."""
    given = [
        candidate("x", Source.LOCAL),
        candidate("x@global", name="x", usual_id="x"),
        candidate("x@configured", Source.CONFIGURED, name="x"),
    ]
    assert admitted_ids(admit(given, trusted=True, disabled=["x"])) == ["x@configured"]


def test_ids_tell_two_extensions_of_the_user_apart():
    both = [candidate("x"), candidate("x@configured", Source.CONFIGURED, name="x")]
    assert admitted_ids(admit(both, trusted=True, disabled=["x"])) == ["x@configured"]
    assert admitted_ids(admit(both, trusted=True, disabled=["x@configured"])) == ["x"]


def test_an_explicit_path_supersedes_the_same_name():
    released = candidate("acme@installed", Source.INSTALLED, name="acme", distribution="acme")
    typed = candidate("acme", Source.CONFIGURED, explicit=True)
    admission = admit([released, typed], trusted=True)
    assert admitted_ids(admission) == ["acme"]
    assert reasons(admission) == {"acme@installed": "superseded by /x/acme.py, given with -e"}


def test_a_superseded_extension_does_not_come_back_when_its_name_is_disabled():
    released = candidate("acme@installed", Source.INSTALLED, name="acme")
    typed = candidate("acme", Source.CONFIGURED, explicit=True)
    assert admitted_ids(admit([released, typed], trusted=True, disabled=["acme"])) == []


def test_two_explicit_paths_of_one_name_both_take_part():
    first = candidate("x", Source.CONFIGURED, explicit=True)
    second = candidate("x@configured", Source.CONFIGURED, name="x", explicit=True)
    assert admitted_ids(admit([first, second], trusted=True)) == ["x", "x@configured"]


@pytest.mark.parametrize(
    ("requires", "reason"),
    [
        (Requires(host=SpecifierSet(">=99")), "requires pihost>=99, but pihost "),
        (Requires(python=SpecifierSet("<3")), "requires Python <3, but this is Python 3"),
        (
            Requires(packages=(Requirement("no-such-thing>1"),)),
            "no-such-thing>1, but no-such-thing is not installed",
        ),
        (Requires(packages=(Requirement("pluggy<1"),)), "requires pluggy<1, but pluggy 1"),
        (Requires(packages=(Requirement("pihost==99"),)), "requires pihost==99, but pihost "),
    ],
)
def test_what_is_not_compatible_stays_out_with_the_requirement(requires, reason):
    dropped = admit([candidate("x", requires=requires)], trusted=True).dropped[0]
    assert dropped.cause == "incompatible"
    assert reason in dropped.reason


@pytest.mark.parametrize("text", ["pluggy>=1", "pluggy[extra]>=1.0", "no-such-thing; python_version < '3'"])
def test_requirements_that_are_met_or_do_not_apply_keep_nobody_out(text):
    requires = Requires(packages=(Requirement(text),))
    assert admitted_ids(admit([candidate("x", requires=requires)], trusted=True)) == ["x"]


def test_a_name_nothing_has_is_an_error_with_the_near_ones():
    """``--disable`` with a misspelt name is never accepted silently."""
    faults = unmatched(["acme_fo", "zzz*", "acme*"], [candidate("acme-foo"), candidate("other")])
    assert [(fault.level, fault.source, fault.hint) for fault in faults] == [
        ("error", "acme_fo", "Did you mean 'acme-foo'?"),
        ("error", "zzz*", None),
    ]
    assert "'acme_fo'" in faults[0].message


def test_a_fault_of_what_stays_out_anyway_no_longer_counts():
    broken = candidate("broken", requires=Requires(host=SpecifierSet(">=99")))
    fault = Diagnostic(level="error", message="requires", kind="discovery", source="broken")
    discovery = Discovery(candidates=(broken,), diagnostics=(fault,))
    enabled, disabled = (admit(discovery.candidates, trusted=True, disabled=d) for d in ((), ["broken"]))
    assert standing_faults(discovery, enabled, trusted=True) == (fault,)
    assert standing_faults(discovery, disabled, trusted=True) == ()


def test_faults_of_a_project_without_trust_do_not_count():
    theirs = Diagnostic(level="error", message="theirs", kind="discovery")
    mine = attrs.evolve(theirs, message="mine")
    discovery = Discovery(diagnostics=(theirs, mine), project_diagnostics=(theirs,))
    assert standing_faults(discovery, admit((), trusted=False), trusted=False) == (mine,)
    assert standing_faults(discovery, admit((), trusted=True), trusted=True) == (theirs, mine)
