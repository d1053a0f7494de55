"""A project in a workspace, a store beside it, and somebody to ask."""

from pathlib import Path

import pytest

from pihost.context import NoUI, TrustContext
from pihost.trust import ProjectTrustStore, resolve_project_trusted


class Asked(NoUI):
    """Answers every question in the same way and keeps what was asked."""

    def __init__(self, choose):
        self.choose = choose
        self.titles = []
        self.options = []

    async def select(self, title, options):
        self.titles.append(title)
        self.options.append(list(options))
        return self.choose(list(options))


@pytest.fixture
def project(tmp_path) -> Path:
    """A project with one extension: `<tmp>/ws/proj/.pihost/extensions/a.py`."""
    folder = tmp_path / "ws" / "proj"
    (folder / ".pihost" / "extensions").mkdir(parents=True)
    (folder / ".pihost" / "extensions" / "a.py").write_text("A = 1\n")
    return folder


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home) -> ProjectTrustStore:
    return ProjectTrustStore(home, patience=1.0)


@pytest.fixture
def choosing():
    """Make a user who picks the choice at an index, a label, or what a function says."""

    def make(choice=None):
        def choose(options):
            if callable(choice):
                return choice(options)
            return options[choice] if isinstance(choice, int) else choice

        return Asked(choose)

    return make


@pytest.fixture
def resolve(project, home, store):
    """Run the chain on the project; without a `ui` nobody can be asked."""

    async def run(cwd=project, *, ui=None, **options):
        context = TrustContext(cwd=Path(cwd), mode="interactive", has_ui=ui is not None, ui=ui or NoUI())
        options.setdefault("store", store)
        return await resolve_project_trusted(cwd, context=context, home=home, **options)

    return run
