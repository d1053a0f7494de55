"""Builders of extensions as files, and of a session's side of the bargain."""

import asyncio
import textwrap

import attrs
import pytest
import pytest_asyncio

from pihost.context import AbortSignal, NoUI
from pihost.extensions.actions import ContextActions, ExtensionActions, ProviderActions
from pihost.extensions.admission import Admitted
from pihost.extensions.candidate import Candidate, Source
from pihost.extensions.loader import load_extensions
from pihost.extensions.runner import ExtensionRunner
from pihost.extensions.runtime import create_extension_runtime


@pytest.fixture
def write_module(tmp_path):
    """Write a file below the test's directory; the text may be indented."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def admitted_path():
    """An admitted candidate for a path."""

    def admit(path, /, **fields):
        defaults = {"id": path.stem, "source": Source.GLOBAL, "path": path, "resolved": path}
        return Admitted(candidate=Candidate(**(defaults | fields)))

    return admit


@pytest_asyncio.fixture
async def runtime(tmp_path):
    runtime = create_extension_runtime(data_root=tmp_path / "data")
    yield runtime
    await runtime.shutdown(reload=True)


@pytest.fixture
def load_paths(tmp_path, runtime, admitted_path):
    """Load files and directories in this order."""

    async def load(*paths, into=None, **fields):
        admitted = [admitted_path(path, **fields) for path in paths]
        return await load_extensions(admitted, tmp_path, into or runtime)

    return load


@pytest.fixture
def load_sources(write_module, load_paths):
    """Write each source as ``<id>.py`` and load them in this order."""

    async def load(into=None, **sources):
        return await load_paths(
            *[write_module(f"{name}.py", text) for name, text in sources.items()], into=into
        )

    return load


@pytest.fixture
def bind(tmp_path):
    """Bind what was loaded to a session that writes down what it is asked for."""

    def bind(result, *, providers=None, **answers):
        runner = ExtensionRunner(result.extensions, result.runtime, cwd=tmp_path)
        calls = []
        bound = runner.bind_core(recording_actions(calls, answers), quiet_context(), providers)
        return Bound(runner=runner, calls=calls, result=bound)

    return bind


@attrs.frozen(kw_only=True)
class Bound:
    runner: ExtensionRunner
    calls: list
    result: object


def recording_actions(calls, answers):
    def recorder(name):
        def act(*arguments):
            calls.append((name, *arguments))
            return answers.get(name)

        async def act_later(*arguments):
            await asyncio.sleep(0)
            return act(*arguments)

        return act_later if name == "set_model" else act

    return ExtensionActions(**{field.name: recorder(field.name) for field in attrs.fields(ExtensionActions)})


def quiet_context(**readers):
    ui, signal = NoUI(), AbortSignal()
    defaults = {
        "get_ui": lambda: ui,
        "get_mode": lambda: "rpc",
        "has_ui": lambda: True,
        "get_session": lambda: None,
        "get_models": lambda: None,
        "get_model": lambda: None,
        "get_thinking_level": lambda: "high",
        "get_signal": lambda: signal,
        "is_idle": lambda: False,
        "is_project_trusted": lambda: False,
        "abort": signal.abort,
        "has_pending_messages": lambda: True,
        "shutdown": lambda: None,
        "context_usage": lambda: None,
        "compact": lambda instructions: None,
        "system_prompt": lambda: "You help.",
    }
    return ContextActions(**(defaults | readers))


@pytest.fixture
def context_actions():
    """Readers of a session, any of them replaced."""
    return quiet_context


@pytest.fixture
def extension_actions():
    """Actions that write down their calls in a list, with the answers given by name."""
    return recording_actions


@pytest.fixture
def provider_actions():
    """A place for registrations of providers that writes them, and what is taken back of them, down.

    It refuses what is called ``"bad"``.
    """

    def make(calls):
        def recorder(name):
            def act(*arguments):
                if "bad" in arguments:
                    raise ValueError("refused")
                calls.append((name, *arguments))
                return lambda: calls.append((f"take back {name}", *arguments))

            return act

        return ProviderActions(
            **{field.name: recorder(field.name) for field in attrs.fields(ProviderActions)}
        )

    return make
