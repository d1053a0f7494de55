"""A host around real files, for a mode to present."""

import contextlib

import pytest

from pihost import Host, HostConfig
from pihost.config import HostOptions


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# A project\n")
    return folder


@pytest.fixture
def extend(tmp_path):
    """Write an extension of the user's own."""

    def write(name, code):
        file = tmp_path / "home" / "extensions" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)

    return write


@pytest.fixture
def opened(tmp_path, project):
    """A host that a mode follows from before its start to after its end."""

    @contextlib.asynccontextmanager
    async def open_host(presenter, **options):
        config = HostConfig(home=tmp_path / "home")
        try:
            async with Host.open(
                project, config=config, options=HostOptions(**options), before_start=presenter.follow
            ) as host:
                yield host
        finally:
            presenter.finish()

    return open_host
