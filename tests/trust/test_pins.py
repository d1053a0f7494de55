"""Approvals that are bound to the files approved."""

import json
import stat

import pytest

from pihost.events import ProjectTrustResult
from pihost.trust import digest
from pihost.trust.digest import TrustPin, take_pin

EXACT = 5  # the last choice


@pytest.fixture
def extension(project):
    return project / ".pihost" / "extensions" / "a.py"


@pytest.fixture
def pinned(resolve, choosing):
    """Choose "Trust these exact files"."""

    async def choose(**options):
        return await resolve(ui=choosing(EXACT), **options)

    return choose


async def test_exact_files_are_trusted_as_long_as_they_are_the_same(resolve, pinned):
    first = await pinned()
    second = await resolve()
    assert (first.trusted, first.step, first.session_only) == (True, 7, False)
    assert (second.trusted, second.step) == (True, 4)


async def test_a_digest_is_stored_with_the_approval(pinned, store, project, extension):
    await pinned()
    pin = take_pin(project, [extension.parent])
    assert json.loads(store.file.read_text()) == {str(project): {"decision": True, "digest": pin.digest}}
    assert store.get_entry(project).digest == pin.digest
    assert store.pin_of(store.get_entry(project)) == pin


async def test_a_change_makes_the_approval_absent(resolve, pinned, extension):
    await pinned()
    extension.write_text("A = 2\n")
    decision = await resolve()
    assert (decision.trusted, decision.step) == (False, 6)
    assert "changed: .pihost/extensions/a.py" in decision.reason


async def test_the_files_as_they_were_are_trusted_again(resolve, pinned, extension):
    await pinned()
    extension.write_text("A = 2\n")
    extension.write_text("A = 1\n")
    assert (await resolve()).trusted


async def test_the_prompt_says_which_files_changed_were_added_and_went(resolve, pinned, choosing, extension):
    (extension.parent / "old.py").touch()
    await pinned()
    extension.write_text("A = 2\n")
    extension.with_name("new.py").touch()
    (extension.parent / "old.py").unlink()
    ui = choosing(None)
    await resolve(ui=ui)
    names = {
        kind: f".pihost/extensions/{name}.py"
        for kind, name in (("changed", "a"), ("added", "new"), ("gone", "old"))
    }
    assert all(f"{kind}: {name}" in ui.titles[0] for kind, name in names.items())


async def test_approving_the_change_replaces_the_pin(resolve, pinned, store, extension, home):
    await pinned()
    extension.write_text("A = 2\n")
    await pinned()
    assert (await resolve()).step == 4
    assert len(list((home / "trust-pins").iterdir())) == 1


async def test_plain_trust_after_a_change_takes_the_pin_away(resolve, pinned, choosing, extension, home):
    await pinned()
    extension.write_text("A = 2\n")
    await resolve(ui=choosing(0))
    extension.write_text("A = 3\n")
    assert (await resolve()).trusted
    assert list((home / "trust-pins").iterdir()) == []


async def test_trusting_the_parent_removes_the_folders_own_stale_approval(
    resolve, pinned, choosing, store, project, extension
):
    """It would otherwise still be the nearest decision."""
    await pinned()
    extension.write_text("A = 2\n")
    await resolve(ui=choosing(1))
    assert [(entry.path, entry.digest) for entry in store.entries()] == [(project.parent, None)]
    assert (await resolve()).trusted


async def test_above_a_stale_approval_a_refusal_counts(resolve, pinned, store, project, extension):
    await pinned()
    store.set(project.parent, decision=False)
    extension.write_text("A = 2\n")
    decision = await resolve(default_policy="always")
    assert (decision.trusted, decision.step) == (False, 4)


async def test_above_a_stale_approval_an_approval_does_not_count(resolve, pinned, store, project, extension):
    """Who asked to be told of changes here is told."""
    await pinned()
    store.set_many({project.parent: True, project.parent.parent: True})
    extension.write_text("A = 2\n")
    assert (await resolve()).step == 6


async def test_the_default_policy_decides_on_changed_files_with_a_warning(resolve, pinned, extension):
    await pinned()
    extension.write_text("A = 2\n")
    decision = await resolve(default_policy="always")
    assert (decision.trusted, decision.step) == (True, 5)
    assert ".pihost/extensions/a.py" in decision.warnings[0].message


@pytest.mark.parametrize("damage", ["gone", "altered"])
async def test_a_lost_list_hides_the_names_but_not_the_change(resolve, pinned, extension, home, damage):
    await pinned()
    [lost] = (home / "trust-pins").iterdir()
    assert (await resolve()).trusted
    lost.unlink() if damage == "gone" else lost.write_text("{}")
    extension.write_text("A = 2\n")
    decision = await resolve()
    assert not decision.trusted
    assert "which ones is not known" in decision.reason


async def test_an_approval_of_an_older_form_is_asked_for_again(
    resolve, pinned, choosing, store, project, extension
):
    """Its list could not tell a link from a link and a file; it never counts as trust."""
    listed = TrustPin(files=take_pin(project, [extension.parent]).files, form=1)
    store.set(project, decision=True, pin=listed)
    ui = choosing(None)
    assert not (await resolve(ui=ui)).trusted
    assert "it was stored in another form" in ui.titles[0]
    await pinned()
    assert (await resolve()).step == 4


async def test_files_that_can_no_longer_be_read_are_not_trusted(resolve, pinned, extension):
    await pinned()
    extension.with_name("loop").symlink_to("loop")
    decision = await resolve()
    assert (decision.trusted, decision.step) == (False, 6)


async def test_files_that_cannot_be_pinned_cannot_be_chosen(resolve, choosing, monkeypatch):
    monkeypatch.setattr(digest, "_MOST_NAMES", 1)
    ui = choosing(None)
    await resolve(ui=ui)
    assert len(ui.options[0]) == EXACT


async def test_files_that_change_while_the_question_is_open_are_not_trusted(
    resolve, choosing, store, extension
):
    def change(options):
        extension.write_text("A = 2\n")
        return options[EXACT]

    decision = await resolve(ui=choosing(change))
    assert (decision.trusted, decision.step, store.entries()) == (False, 7, ())


async def test_a_pin_that_cannot_be_stored_counts_now_and_is_asked_for_again(pinned, home):
    home.write_text("a file in the place of the directory")
    decision = await pinned()
    assert (decision.trusted, decision.session_only, len(decision.warnings)) == (True, False, 1)


async def test_the_list_is_the_users_own(pinned, home):
    await pinned()
    [file] = (home / "trust-pins").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_forgetting_an_approval_removes_its_list(pinned, store, project, home):
    await pinned()
    store.set(project, None)
    assert list((home / "trust-pins").iterdir()) == []


# With the setting that pins every approval


async def test_every_approval_in_the_prompt_is_pinned(resolve, choosing, store, project, extension):
    await resolve(ui=choosing(0), pin=True)
    assert store.get_entry(project).digest is not None
    extension.write_text("A = 2\n")
    assert not (await resolve(pin=True)).trusted


async def test_a_pinned_parent_covers_projects_with_the_same_files_only(resolve, choosing, project):
    """A second checkout of the same files is covered, another project is not."""
    await resolve(ui=choosing(1), pin=True)
    twin, other = (project.with_name(name) for name in ("twin", "other"))
    for folder, text in ((twin, "A = 1\n"), (other, "A = 5\n")):
        (folder / ".pihost" / "extensions").mkdir(parents=True)
        (folder / ".pihost" / "extensions" / "a.py").write_text(text)
    assert [(await resolve(folder)).trusted for folder in (project, twin, other)] == [True, True, False]


async def test_a_refusal_carries_no_digest(resolve, choosing, store, project):
    await resolve(ui=choosing(3), pin=True)
    assert (store.get(project), store.get_entry(project).digest) == (False, None)


@pytest.mark.parametrize(("trusted", "bound"), [("yes", True), ("no", False)])
async def test_what_an_extension_wants_remembered_is_pinned_too(resolve, store, project, trusted, bound):
    async def ask(event, context):
        return ProjectTrustResult(trusted=trusted, remember=True)

    await resolve(ask_extensions=ask, pin=True)
    assert (store.get_entry(project).digest is not None) is bound


async def test_an_approval_that_cannot_be_pinned_is_not_stored(
    resolve, choosing, store, project, monkeypatch
):
    async def ask(event, context):
        return ProjectTrustResult(trusted="yes", remember=True)

    monkeypatch.setattr(digest, "_MOST_NAMES", 1)
    decisions = [await resolve(ui=choosing(0), pin=True), await resolve(ask_extensions=ask, pin=True)]
    assert [(d.trusted, d.session_only, len(d.warnings)) for d in decisions] == [(True, False, 1)] * 2
    assert store.entries() == ()


def test_a_plain_approval_has_no_list(store, project):
    store.set(project, decision=True)
    assert store.pin_of(store.get_entry(project)) is None
