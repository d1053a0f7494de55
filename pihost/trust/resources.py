"""What of a project needs trust before it may take part."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pihost.config import HostConfig
from pihost.paths import canonical

__all__ = ["TRUST_REQUIRING_NAMES", "guarded_resources", "has_trust_requiring_resources"]

TRUST_REQUIRING_NAMES = (
    "settings.toml",
    "mcp.json",
    "extensions",
    "skills",
    "prompts",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
)
"""Whatever the host reads from a project's configuration directory; a new one is added here first."""


def has_trust_requiring_resources(
    cwd: str | os.PathLike[str], *, config_dir: str = ".pihost", home: Path | None = None
) -> tuple[Path, ...]:
    """The project's resources that need trust; empty where there is none.

    Only names are looked at, nothing is read. A link counts wherever it leads, also to nowhere: what is not
    there yet can come. So does a name that cannot be looked at.

    Args:
        cwd: The project's directory.
        config_dir: Name of the configuration directory in it.
        home: The user's global directory, which never counts, also when ``cwd`` holds it; ``None`` is the one
            that `HostConfig` names.
    """
    directory = Path(cwd).absolute() / config_dir
    own = home if home is not None else HostConfig(config_dir=config_dir).resolve_home()
    if canonical(directory) == canonical(own):
        return ()
    return tuple(path for name in TRUST_REQUIRING_NAMES if _may_be_there(path := directory / name))


def guarded_resources(
    cwd: str | os.PathLike[str], *, config_dir: str, home: Path | None, also_guarded: Iterable[Path]
) -> tuple[Path, ...]:
    """The resources that need trust, and what else does that does not lie in one of them.

    Args:
        cwd: The project's directory.
        config_dir: Name of the configuration directory in it.
        home: The user's global directory; see `has_trust_requiring_resources`.
        also_guarded: Distributions that lie in the project or are installed from it.
    """
    own = has_trust_requiring_resources(cwd, config_dir=config_dir, home=home)
    return (*own, *(path for path in also_guarded if not any(path.is_relative_to(one) for one in own)))


def _may_be_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # a directory that hides its names must not read as an empty one
    return True
