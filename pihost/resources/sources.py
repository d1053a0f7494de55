"""Where resources lie, and reading them all: the project's over the user's over those of extensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import attrs

from pihost._values import Value
from pihost.diagnostics import Diagnostic
from pihost.events import ContextFile, Skill
from pihost.resources.context_files import read_context_files
from pihost.resources.documents import DocumentError, read_text
from pihost.resources.prompts import prompt_files, read_prompt
from pihost.resources.records import PromptTemplate, Resources
from pihost.resources.skills import SKILL_FILE_NAME, read_skill, skill_files

__all__ = ["ResourcePlaces", "read_resources"]

_R = TypeVar("_R", Skill, PromptTemplate)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ResourcePlaces(Value):
    """Where to look.

    Attributes:
        cwd: The directory worked in, absolute.
        home: The user's global directory.
        project: The project's configuration directory; ``None`` where the project is not trusted.
        skills: Files and directories of skills that extensions name, absolute.
        prompts: The same for templates.
    """

    cwd: Path
    home: Path
    project: Path | None
    skills: tuple[Path, ...] = ()
    prompts: tuple[Path, ...] = ()

    def directories(self) -> Iterator[Path]:
        """The configuration directories, the one that counts most first."""
        if self.project is not None and self.project != self.home:
            yield self.project
        yield self.home


def read_resources(places: ResourcePlaces) -> Resources:
    """Read everything. What cannot be used is left out and named in the diagnostics.

    Args:
        places: Where to look.
    """
    return _Reading(places).read()


class _Reading:
    def __init__(self, places: ResourcePlaces) -> None:
        self._places = places
        self._faults: list[Diagnostic] = []

    def read(self) -> Resources:
        places = self._places
        context_files = tuple(self._context_files())
        skills = self._named("skills", places.skills, skill_files, read_skill)
        prompts = self._named("prompts", places.prompts, prompt_files, read_prompt)
        system = [text for one in places.directories() if (text := self._text(one / "SYSTEM.md"))]
        append = [text for one in places.directories() if (text := self._text(one / "APPEND_SYSTEM.md"))]
        return Resources(
            context_files=context_files,
            skills=skills,
            prompts=prompts,
            system_prompt=system[0] if system else None,
            append_system_prompt=tuple(reversed(append)),
            diagnostics=tuple(self._faults),
        )

    def _context_files(self) -> Iterator[ContextFile]:
        for found in read_context_files(self._places.cwd, self._places.home):
            if isinstance(found, DocumentError):
                self._warn(found.path, str(found))
            else:
                yield found

    def _text(self, path: Path) -> str:
        try:
            return read_text(path).strip()
        except FileNotFoundError:
            return ""
        except DocumentError as fault:
            self._warn(path, str(fault))
            return ""

    def _named(
        self,
        folder: str,
        more: Iterable[Path],
        files: Callable[[Path], Iterator[Path]],
        read: Callable[[Path], _R],
    ) -> dict[str, _R]:
        found: dict[str, _R] = {}
        for path in self._files(folder, more, files):
            try:
                one = read(path)
            except FileNotFoundError:
                self._warn(path, f"{path}: there is no such file")
            except DocumentError as fault:
                self._warn(path, str(fault))
            else:
                first = found.setdefault(one.name, one)
                if first.path != one.path:
                    self._warn(path, f"{path}: left out, {first.path} has the name {one.name!r} already")
        return found

    def _files(
        self, folder: str, more: Iterable[Path], files: Callable[[Path], Iterator[Path]]
    ) -> Iterator[Path]:
        """The files of one kind, each once: of the configuration directories, then what extensions name."""
        seen: set[Path] = set()
        named = (*(one / folder for one in self._places.directories()), *more)
        for path in named:
            for file in self._within(path, files, expected=path in more):
                if file not in seen:
                    seen.add(file)
                    yield file

    def _within(
        self, path: Path, files: Callable[[Path], Iterator[Path]], *, expected: bool
    ) -> Iterable[Path]:
        if expected and not path.is_dir():
            return [path]
        if files is skill_files and (path / SKILL_FILE_NAME).exists():
            return [path / SKILL_FILE_NAME]
        try:
            return list(files(path))
        except FileNotFoundError:
            return []
        except OSError as fault:
            self._warn(path, f"{path}: cannot be read ({fault.strerror or fault})")
            return []

    def _warn(self, path: Path, message: str) -> None:
        self._faults.append(Diagnostic(level="warning", message=message, kind="resource", source=str(path)))
