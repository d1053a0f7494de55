"""Real metadata of a distribution, written to a directory: what an installer leaves, without running one."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["write_distribution"]


def write_distribution(
    site: Path,
    name: str,
    *,
    version: str = "1.0",
    requires: Iterable[str] = (),
    entry_points: Mapping[str, Mapping[str, str]] | None = None,
    files: Mapping[str, str] | None = None,
) -> Path:
    """Write a distribution into ``site`` as an installer would.

    Args:
        site: The directory, made where it is missing; it counts once it is on ``sys.path``.
        name: The distribution's name.
        version: Its version.
        requires: Its requirements, such as ``"pihost>=0.1"``.
        entry_points: By group, then by name: ``{"pihost.extensions": {"acme": "acme:setup"}}``.
        files: Text by path from ``site``: ``{"acme/__init__.py": "..."}``.

    Returns:
        The directory of the metadata.
    """
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    metadata += [f"Requires-Dist: {requirement}\n" for requirement in requires]
    written = {
        f"{info.name}/METADATA": "".join(metadata),
        f"{info.name}/WHEEL": "Wheel-Version: 1.0\nGenerator: pihost.testing\nRoot-Is-Purelib: true\n",
        f"{info.name}/INSTALLER": "pihost.testing\n",
        **(files or {}),
    }
    if entry_points:
        written[f"{info.name}/entry_points.txt"] = _ini(entry_points)
    for path, text in written.items():
        file = site / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    record = "".join(_record(path, text) for path, text in written.items())
    (info / "RECORD").write_text(f"{record}{info.name}/RECORD,,\n", encoding="utf-8")
    return info


def _ini(groups: Mapping[str, Mapping[str, str]]) -> str:
    sections = []
    for group, entries in groups.items():
        lines = "".join(f"{name} = {target}\n" for name, target in entries.items())
        sections.append(f"[{group}]\n{lines}")
    return "\n".join(sections)


def _record(path: str, text: str) -> str:
    data = text.encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"
