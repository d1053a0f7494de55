"""The resources of a session: read when it is put together, and again when extensions have named theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import attrs

from pihost.diagnostics import Diagnostic
from pihost.paths import canonical
from pihost.resources.records import Resources
from pihost.resources.sources import ResourcePlaces, read_resources

if TYPE_CHECKING:
    from pihost.extensions.infos import CommandInfo
    from pihost.extensions.runner import ExtensionRunner
    from pihost.host._startup import Startup

__all__ = ["SessionResources", "project_directory"]

_SKILL_COMMAND = "skill:"
_NOTHING_GUARDED = 2
"""The step of the chain at which a project is trusted only because nothing in it asks for trust."""


class SessionResources:
    """What the model of one session can be given to read.

    Attributes:
        current: What was read last.

    Args:
        startup: Where the session works and what is trusted.
    """

    def __init__(self, startup: Startup) -> None:
        self._startup = startup
        self._refused: list[Diagnostic] = []
        self._places = ResourcePlaces(cwd=startup.cwd, home=startup.home, project=project_directory(startup))
        self.current: Resources = read_resources(self._places)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What could not be used, and why."""
        return (*self.current.diagnostics, *self._refused)

    async def ask_extensions(self, runner: ExtensionRunner, reason: Literal["startup", "reload"]) -> None:
        """Let extensions name files of theirs: ``resources_discover``.

        Args:
            runner: Calls their handlers.
            reason: Why they are asked.
        """
        if not runner.has_handlers("resources_discover"):
            return
        from pihost.events import ResourcePaths, ResourcesDiscoverEvent

        answers = await runner.emit(ResourcesDiscoverEvent(cwd=self._startup.cwd, reason=reason))
        skills: list[Path] = []
        prompts: list[Path] = []
        for extension, answer in answers if isinstance(answers, list) else ():
            if isinstance(answer, ResourcePaths):
                skills += self._usable(extension, answer.skills)
                prompts += self._usable(extension, answer.prompts)
        if skills or prompts:
            self._places = attrs.evolve(self._places, skills=tuple(skills), prompts=tuple(prompts))
            self.current = read_resources(self._places)

    def expand(self, name: str, arguments: str) -> str | None:
        """What a called template or skill says; ``None`` where there is none of that name.

        Args:
            name: What followed the slash.
            arguments: What followed the name.

        Raises:
            DocumentError: the file of the skill is gone or cannot be read.
        """
        from pihost.resources.expansion import expand_prompt, expand_skill

        prompt = self.current.prompts.get(name)
        if prompt is not None:
            return expand_prompt(prompt, arguments)
        skill = self.current.skills.get(name.removeprefix(_SKILL_COMMAND))
        if skill is None or not name.startswith(_SKILL_COMMAND):
            return None
        return expand_skill(skill, arguments)

    def commands(self) -> Iterator[CommandInfo]:
        """Templates and skills as commands that can be called."""
        from pihost.extensions.infos import CommandInfo

        for prompt in self.current.prompts.values():
            yield CommandInfo(name=prompt.name, description=prompt.description, extension=None)
        for skill in self.current.skills.values():
            yield CommandInfo(name=_SKILL_COMMAND + skill.name, description=skill.description, extension=None)

    def _usable(self, extension: str, paths: Sequence[Path]) -> Iterator[Path]:
        """The paths made absolute, without those that nobody has trusted."""
        base = self._directory_of(extension)
        for path in paths:
            if not path.is_absolute() and base is None:
                hint = f"Give an absolute path, such as Path(__file__).parent / {str(path)!r}."
                self._refuse(extension, f"{path} is relative, and nothing says to what", hint)
                continue
            full = path if base is None else base / path
            if self._may_be_read(full):
                yield full
            else:
                hint = "Trust the project to admit it."
                self._refuse(extension, f"{full} lies in the project, which nobody has trusted", hint)

    def _may_be_read(self, path: Path) -> bool:
        if _is_approved(self._startup):
            return True
        return not canonical(path).is_relative_to(canonical(self._startup.cwd))

    def _directory_of(self, extension: str) -> Path | None:
        for loaded in self._startup.extensions:
            path = loaded.admitted.candidate.resolved
            if loaded.id == extension and path is not None:
                return path if path.is_dir() else path.parent
        return None

    def _refuse(self, extension: str, fault: str, hint: str) -> None:
        message = f"Extension {extension!r} names a resource that is left out: {fault}"
        self._refused.append(
            Diagnostic(level="warning", message=message, kind="resource", source=extension, hint=hint)
        )


def project_directory(startup: Startup) -> Path | None:
    """Where the project keeps files for the host; ``None`` where nobody approved it or it is the user's own.

    What is written there after nothing in the project asked for trust has been approved by nobody.
    """
    directory = startup.cwd / startup.config.config_dir
    if not _is_approved(startup) or canonical(directory) == canonical(startup.home):
        return None
    return directory


def _is_approved(startup: Startup) -> bool:
    """Whether somebody trusts the project, not only nothing in it asked for trust when the session began."""
    return startup.trust.trusted and startup.trust.step != _NOTHING_GUARDED
