"""A host around an extension under test, in directories of the test's own."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from pihost._values import Value
from pihost.config import HostConfig, HostOptions, NewSession
from pihost.content import ToolResult
from pihost.context import UI
from pihost.diagnostics import Diagnostic, ExtensionError
from pihost.errors import PihostError
from pihost.events import Event
from pihost.extensions.admission import admit
from pihost.extensions.discovery import discover
from pihost.extensions.loader import load_extensions
from pihost.extensions.records import Extension
from pihost.extensions.runner import ExtensionRunner
from pihost.host import Host
from pihost.messages import AssistantMessage, Message, ToolResultMessage
from pihost.models.protocol import Provider
from pihost.settings import Settings
from pihost.testing.distributions import write_distribution
from pihost.testing.models import ScriptedModel
from pihost.testing.recorder import HookRecorder

__all__ = [
    "ExtensionFailedError",
    "LoadedExtension",
    "Place",
    "UnderTest",
    "Workbench",
    "load",
    "open_workbench",
]

UnderTest = str | Path | ModuleType | Callable[..., Any]
"""An extension: the path of a file or directory, or what an entry point names: a module, a function or class
that a module holds, ``"module"`` or ``"module:attribute"``."""


class ExtensionFailedError(PihostError, AssertionError):
    """An extension under test did what a test did not expect: it did not load, or a handler of it failed.

    Attributes:
        faults: What went wrong, one text each.
    """

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(self.faults)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Place(Value):
    """The directories of one test, none of them the user's own.

    Attributes:
        home: The user's global directory.
        project: The directory to work in.
        site: A directory on ``sys.path`` for distributions.
    """

    home: Path
    project: Path
    site: Path


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LoadedExtension(Value):
    """An extension that is loaded and bound to nothing.

    Attributes:
        extension: What it registered and which hooks it answers.
        runner: Calls its hooks: ``await runner.emit(event)``.
    """

    extension: Extension
    runner: ExtensionRunner


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Workbench(Value):
    """An open host and what a test wants of it.

    Attributes:
        host: The host.
        model: The provider that answers.
        hooks: What happened so far.
    """

    host: Host
    model: Provider
    hooks: HookRecorder

    async def prompt(self, text: str) -> list[Event]:
        """Say something and wait for the run to settle.

        Args:
            text: A prompt, or a command such as ``/hello world``.

        Returns:
            The events of the stream.
        """
        return [event async for event in self.host.session.prompt(text)]

    async def call_tool(self, name: str, **arguments: Any) -> ToolResult:
        """Call one tool through the pipeline, every hook included.

        Args:
            name: The tool.
            arguments: Its arguments.
        """
        return await self.host.call_tool(name, arguments)

    async def reload(self) -> tuple[Diagnostic, ...]:
        """Load everything anew and go on recording.

        Returns:
            What the new start found wrong.
        """
        found = await self.host.reload()
        self.hooks.attach(self.host)
        return found

    @property
    def messages(self) -> list[Message]:
        """The conversation."""
        return list(self.host.session.messages)

    @property
    def answer(self) -> str:
        """The text of the model's last message; empty before there is one."""
        answers = [one.text for one in self.messages if isinstance(one, AssistantMessage)]
        return answers[-1] if answers else ""

    @property
    def results(self) -> list[ToolResultMessage]:
        """The results of the tool calls that the model made, in order."""
        return [one for one in self.messages if isinstance(one, ToolResultMessage)]


@asynccontextmanager
async def open_workbench(
    place: Place,
    extensions: tuple[UnderTest, ...],
    *,
    model: Provider | None = None,
    ui: UI | None = None,
    hooks: HookRecorder,
    expect_errors: bool = False,
    **options: Any,
) -> AsyncIterator[Workbench]:
    """Open a host in which only these extensions take part, found the way a user's are.

    Args:
        place: The directories to use.
        extensions: What to load.
        model: Answers prompts; ``None`` is a ``ScriptedModel`` without answers.
        ui: How to speak with the user; ``None`` is nobody.
        hooks: Remembers what happens.
        expect_errors: Whether failures are expected. They are in ``hooks.errors`` in any case.
        options: Further fields of ``HostOptions``.

    Yields:
        The host and what a test wants of it.

    Raises:
        ExtensionFailedError: there was an error diagnostic at the start, or a handler failed.
    """
    provider = model if model is not None else ScriptedModel()
    config, paths = _arrange(place, extensions)
    chosen = {"session": NewSession(), "flags": {}, **options}
    chosen["extension_paths"] = (*paths, *options.get("extension_paths", ()))

    def before_start(host: Host) -> None:
        if not expect_errors:
            _refuse(one.message for one in host.diagnostics if one.level == "error")
        host.session.choose(provider.models()[0], "off")
        hooks.attach(host)

    async with Host.open(
        place.project,
        config=config,
        options=HostOptions(**chosen),
        ui=ui,
        providers=(provider,),
        before_start=before_start,
    ) as host:
        yield Workbench(host=host, model=provider, hooks=hooks)
    if not expect_errors:
        _refuse(map(_text_of, hooks.errors))


async def load(place: Place, extension: UnderTest) -> LoadedExtension:
    """Load one extension without a session: its hooks answer, its actions raise.

    Args:
        place: The directories to use.
        extension: What to load.

    Raises:
        ExtensionFailedError: it is not found, or does not load.
    """
    config, paths = _arrange(place, (extension,))
    found = discover(place.project, config=config, home=place.home, settings=Settings(), paths=paths)
    _refuse(one.message for one in found.diagnostics if one.level == "error")
    result = await load_extensions(admit(found.candidates, trusted=True).admitted, place.project)
    _refuse(map(_text_of, result.errors))
    runner = ExtensionRunner(result.extensions, result.runtime, cwd=place.project)
    return LoadedExtension(extension=result.extensions[0], runner=runner)


def _arrange(place: Place, extensions: tuple[UnderTest, ...]) -> tuple[HostConfig, tuple[Path, ...]]:
    """A group of entry points that nothing else in the environment is in, with what has a module in it."""
    group = f"pihost.testing.{uuid.uuid4().hex}"
    paths = tuple(one for one in extensions if isinstance(one, Path))
    targets = [_target(one) for one in extensions if not isinstance(one, Path)]
    for number, target in enumerate(targets, 1):
        name = target.partition(":")[0].replace(".", "-").replace("_", "-")
        distribution = name if number == 1 else f"{name}-{number}"
        write_distribution(place.site, distribution, entry_points={group: {distribution: target}})
    return HostConfig(home=place.home, entry_point_group=group), paths


def _target(extension: str | ModuleType | Callable[..., Any]) -> str:
    """What an entry point would say to name it."""
    if isinstance(extension, str):
        return extension
    if isinstance(extension, ModuleType):
        return extension.__name__
    name = getattr(extension, "__qualname__", "")
    if not name or "<" in name:
        message = (
            f"{extension!r} is no function or class at the top of a module, so no entry point can name it"
        )
        raise TypeError(message)
    return f"{extension.__module__}:{name}"


def _refuse(faults: Any) -> None:
    told: Mapping[str, None] = dict.fromkeys(faults)
    if told:
        raise ExtensionFailedError(tuple(told))


def _text_of(error: ExtensionError) -> str:
    stack = f"\n{error.stack}" if error.stack else ""
    return f"extension {error.extension!r} failed in {error.event}: {error.error}{stack}"
