"""The fixtures for authors of extensions. pytest finds this module by itself once pihost is installed.

Fixtures that hand out something to be awaited work with any plugin for asynchronous tests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pihost.testing.models import ScriptedModel
    from pihost.testing.recorder import HookRecorder
    from pihost.testing.ui import FakeUI
    from pihost.testing.workbench import LoadedExtension, Place, UnderTest, Workbench

pytest.register_assert_rewrite("pihost.testing.contracts")

__all__: list[str] = []  # pytest collects the fixtures; nothing is imported from here


@pytest.fixture
def pihost_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's global directory, empty; programs that the test starts use it too."""
    import os

    for name in [name for name in os.environ if name.startswith("PIHOST_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "pihost-home"
    home.mkdir()
    monkeypatch.setenv("PIHOST_HOME", str(home))
    return home


@pytest.fixture
def pihost_project(tmp_path: Path) -> Path:
    """A directory to work in, empty."""
    project = tmp_path / "project"
    project.mkdir()
    return project


@pytest.fixture
def pihost_place(
    tmp_path: Path, pihost_home: Path, pihost_project: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    """The directories of the test together."""
    from pihost.testing.workbench import Place

    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    return Place(home=pihost_home, project=pihost_project, site=site)


@pytest.fixture
def write_extension(tmp_path: Path) -> Callable[..., Path]:
    """Write a one-file extension: ``write_extension(text, name="extension")`` gives its path."""

    def write(text: str, name: str = "extension") -> Path:
        path = tmp_path / "extensions" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_distribution(pihost_place: Place) -> Callable[..., Path]:
    """Write a distribution where imports find it: ``write_distribution`` with its directory given already."""
    from functools import partial

    from pihost.testing.distributions import write_distribution

    return partial(write_distribution, pihost_place.site)


@pytest.fixture
def scripted_model() -> ScriptedModel:
    """A model without answers; ``scripted_model.answer("Hello", asks("read", path="a"))`` adds some."""
    from pihost.testing.models import ScriptedModel

    return ScriptedModel()


@pytest.fixture
def fake_ui() -> FakeUI:
    """A user who dismisses every question; ``fake_ui.answer(True, "text")`` adds answers."""
    from pihost.testing.ui import FakeUI

    return FakeUI()


@pytest.fixture
def hook_recorder() -> HookRecorder:
    """Remembers what happens in the host that ``pihost_host`` opens."""
    from pihost.testing.recorder import HookRecorder

    return HookRecorder()


@pytest.fixture
def load_extension(pihost_place: Place) -> Callable[[UnderTest], Awaitable[LoadedExtension]]:
    """Load one extension without a session. The result is to be awaited."""
    from functools import partial

    from pihost.testing.workbench import load

    return partial(load, pihost_place)


@pytest.fixture
def pihost_host(
    pihost_place: Place, scripted_model: ScriptedModel, hook_recorder: HookRecorder
) -> Callable[..., AbstractAsyncContextManager[Workbench]]:
    """Open a host in which only the given extensions take part, to be entered with ``async with``.

    Prompts are answered by ``scripted_model`` unless ``model`` is given, nobody is there to ask unless ``ui``
    is, and a failure of an extension fails the test unless ``expect_errors`` is true. ``settings`` is the
    text of a ``settings.toml``; whatever else is given is a field of ``HostOptions``.
    """
    from pihost.testing.workbench import open_workbench

    def open_host(
        *extensions: UnderTest, settings: str = "", **options: Any
    ) -> AbstractAsyncContextManager[Workbench]:
        if settings:
            (pihost_place.home / "settings.toml").write_text(settings, encoding="utf-8")
        chosen = {"model": scripted_model, **options}
        return open_workbench(pihost_place, extensions, hooks=hook_recorder, **chosen)

    return open_host
