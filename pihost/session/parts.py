"""What a session is put together from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import attrs

from pihost.context import ExtensionContext
from pihost.events import InputSource
from pihost.hooks.protocol import Dispatcher
from pihost.model import Model, ThinkingLevel
from pihost.models.registry import ModelRegistry
from pihost.resources.records import Resources
from pihost.session.store import SessionStore
from pihost.settings import Settings
from pihost.tools.definition import ToolDefinition

__all__ = ["SessionParts"]


def _nobody() -> None:
    """Nobody wants to know."""


async def _as_it_is(text: str) -> str:
    return text


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionParts:
    """The parts of a session; whoever makes the session picks them.

    Attributes:
        cwd: The directory it works in, absolute.
        store: Its entries; the session closes it.
        models: The models there are.
        hooks: Takes events to the extensions.
        context: Makes the context that tools and routes are handed.
        tools: Every tool there is now, by name.
        settings: The settings in force.
        model: The model that answers first; ``None`` where none could be chosen.
        thinking_level: How long it may think at first.
        source: Where prompts come from when nothing else is said.
        expand: Makes a text of what was typed, such as a template; ``None`` where it was a command and is
            done with.
        resources: What there is now for the model to read.
        tools_changed: Called when other tools are chosen.
        env_prefix: What the names of the variables for tools begin with.
        system_prompt: Stands in place of the built-in system prompt.
        append_system_prompt: Paragraphs after it.
        retry_seconds: How long the first retry of a request waits; each later one waits twice as long.
    """

    cwd: Path
    store: SessionStore
    models: ModelRegistry
    hooks: Dispatcher
    context: Callable[[], ExtensionContext]
    tools: Callable[[], Mapping[str, ToolDefinition]]
    settings: Settings = attrs.field(factory=Settings)
    model: Model | None = None
    thinking_level: ThinkingLevel = "off"
    source: InputSource = "interactive"
    expand: Callable[[str], Awaitable[str | None]] = _as_it_is
    resources: Callable[[], Resources] = Resources
    tools_changed: Callable[[], object] = _nobody
    env_prefix: str = "PIHOST"
    system_prompt: str | None = None
    append_system_prompt: tuple[str, ...] = ()
    retry_seconds: float = 1.0
