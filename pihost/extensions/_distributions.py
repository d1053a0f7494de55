"""Reading which installed distributions declare entry points in one group, one distribution after the other.

Plain directories on the path are read directly, since nearly all distributions lie in such and most of them
have nothing to do with the host; whatever else finds distributions is asked through `importlib_metadata`.
"""

from __future__ import annotations

import functools
import importlib.machinery
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import attrs

from pihost._values import Value
from pihost.extensions._metadata_files import (
    METADATA_SUFFIXES,
    distribution_name,
    read_bytes,
    read_headers,
    read_text,
)
from pihost.paths import normalize_name

if TYPE_CHECKING:
    from pihost.extensions._metadata import Headers

__all__ = ["MetadataFault", "RawDistribution", "find_distributions"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MetadataFault(Value):
    """Metadata that cannot be used.

    Attributes:
        location: The metadata directory, the entry of the path, or the finder, that it is about.
        text: What is wrong, as a clause.
    """

    location: str
    text: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RawDistribution(Value):
    """A distribution whose ``entry_points.txt`` mentions the group.

    Attributes:
        location: Its metadata directory; for one that another finder knows, the same as ``directory``.
        directory: The directory or archive it was found in.
        name: Its name as it spells it.
        headers: Its core metadata.
        entry_points: The text of ``entry_points.txt``.
        direct_url: The text of ``direct_url.json``, if it was installed from a path or an address.
    """

    location: str
    directory: str
    name: str
    headers: Headers
    entry_points: str
    direct_url: str | None = None


_Found = Iterator[RawDistribution | MetadataFault]


def find_distributions(group: str, path: Iterable[str]) -> _Found:
    """The distributions that may declare entry points in a group; the first of a name on the path wins.

    Args:
        group: The group's name.
        path: Directories and archives in the order of import.
    """
    scan = _Scan(group)
    for entry in path:
        yield from scan.search(entry or os.curdir)
    yield from scan.ask_other_finders()


class _Scan:
    """One walk over the path. What was seen before decides what still counts."""

    def __init__(self, group: str) -> None:
        self._marker = group.encode()
        self._directories: set[tuple[int, int]] = set()
        self._claimed: set[str] = set()
        self._without: list[tuple[str, str]] = []  # metadata of earlier directories that lacks the group
        self._without_by_name: dict[str, list[str]] = {}

    def search(self, entry: str) -> _Found:
        """What one entry of the path holds."""
        try:
            status = os.stat(entry)  # noqa: PTH116 -- strings are cheaper, and this runs for every start
            if (status.st_dev, status.st_ino) in self._directories:  # lib64 is often a link to lib
                return
            names = sorted(os.listdir(entry))  # noqa: PTH208 -- the same
        except NotADirectoryError:
            yield from self._ask_importlib(entry)
            return
        except OSError as fault:
            if not isinstance(fault, FileNotFoundError):
                yield _unreadable(entry, fault)
            return
        self._directories.add((status.st_dev, status.st_ino))
        if entry.endswith(".egg"):
            yield from self._ask_importlib(entry)
        yield from self._search_directory(entry, names)

    def _search_directory(self, directory: str, names: Iterable[str]) -> _Found:
        marker, without = self._marker, []
        for name in names:
            if not name.endswith(METADATA_SUFFIXES):
                continue
            location = f"{directory}/{name}"
            try:
                data = read_bytes(f"{location}/entry_points.txt")
            except (FileNotFoundError, NotADirectoryError):
                data = b""
            except OSError as fault:
                yield _unreadable(location, fault)
                continue
            if marker in data:
                yield from self._read(directory, location, data)
            elif name in METADATA_SUFFIXES:
                yield MetadataFault(location=location, text="is metadata of a distribution without a name")
            else:
                without.append((location, name))
        self._without += without

    def _read(self, directory: str, location: str, data: bytes) -> _Found:
        """The distribution at ``location``, or why it cannot be read."""
        try:
            headers = read_headers(location)
            entry_points = data.decode().removeprefix("\ufeff")
        except OSError as fault:
            yield _unreadable(location, fault)
            return
        except UnicodeDecodeError as fault:
            yield MetadataFault(location=location, text=f"its entry_points.txt is not UTF-8: {fault.reason}")
            return
        if headers.name is None:
            yield MetadataFault(location=location, text="its metadata names no distribution")
            return
        url = read_text(f"{location}/direct_url.json")
        yield from self._accept(
            RawDistribution(
                location=location,
                directory=directory,
                name=headers.name,
                headers=headers,
                entry_points=entry_points,
                direct_url=url,
            )
        )

    def _accept(self, distribution: RawDistribution) -> _Found:
        """``distribution``, unless an earlier one has its name."""
        key = normalize_name(distribution.name)
        yield from self._settle_earlier(key)
        if key not in self._claimed:
            self._claimed.add(key)
            yield distribution

    def _settle_earlier(self, key: str) -> Iterator[MetadataFault]:
        """Deal with metadata of the same name, earlier on the path, that declares nothing in the group.

        A complete distribution is what an import finds, so it claims the name. Metadata that an upgrade left
        behind, emptied, must not hide the distribution that replaced it.
        """
        for location, name in self._without:
            self._without_by_name.setdefault(distribution_name(name), []).append(location)
        self._without.clear()
        for location in self._without_by_name.pop(key, ()):
            if _is_complete(location):
                self._claimed.add(key)
                return
            yield MetadataFault(location=location, text="holds no metadata and is passed over")

    def _ask_importlib(self, entry: str) -> _Found:
        """What an archive holds."""
        import importlib_metadata

        yield from self._accept_all(entry, lambda: importlib_metadata.distributions(path=[entry]))

    def ask_other_finders(self) -> _Found:
        """What finders beside the standard library's, and its backport's, know of."""
        for finder in sys.meta_path:
            if hasattr(finder, "find_distributions") and not _reads_the_path(finder):
                yield from self._accept_all(repr(finder), _asking(finder))

    def _accept_all(self, asked: str, find: Callable[[], Iterable[Any]]) -> _Found:
        try:
            for distribution in find():
                text = distribution.read_text("entry_points.txt") or ""
                if self._marker.decode() in text:
                    yield from self._accept(_as_raw(distribution, asked, text))
        except Exception as fault:  # noqa: BLE001 -- an archive or a finder of anybody's: it may raise anything
            yield MetadataFault(location=asked, text=f"cannot be asked for distributions: {fault!r}")


def _as_raw(distribution: Any, asked: str, entry_points: str) -> RawDistribution:
    """What `importlib_metadata`, or a finder that follows its protocol, knows of a distribution."""
    from pihost.extensions._metadata import parse_headers

    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    headers = parse_headers(text)
    place = asked if os.path.lexists(asked) else str(distribution.locate_file(""))
    return RawDistribution(
        location=place,
        directory=place,
        name=headers.name or distribution.name,
        headers=headers,
        entry_points=entry_points,
        direct_url=distribution.read_text("direct_url.json"),
    )


def _asking(finder: Any) -> Callable[[], Iterable[Any]]:
    import importlib_metadata

    context = importlib_metadata.DistributionFinder.Context()  # type: ignore[no-untyped-call]  # not annotated
    return functools.partial(finder.find_distributions, context)


def _reads_the_path(finder: object) -> bool:
    """Whether a finder finds what the walk over the path has found already."""
    return finder is importlib.machinery.PathFinder or type(finder).__module__ == "importlib_metadata"


def _is_complete(location: str) -> bool:
    try:
        return read_headers(location).name is not None
    except OSError:
        return False


def _unreadable(location: str, fault: OSError) -> MetadataFault:
    return MetadataFault(location=location, text=f"cannot be read: {fault.strerror or fault}")
