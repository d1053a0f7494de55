"""What an extension has of its own: programs, tasks, channels, settings, a directory, a log."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pihost.errors import ExtensionNotReadyError
from pihost.extensions._api_base import ApiPart
from pihost.extensions._checks import check_callable
from pihost.extensions._own_config import structure_config
from pihost.paths import absolute

if TYPE_CHECKING:
    import asyncio
    import logging

    from packaging.version import Version

    from pihost.extensions._exec import ExecResult
    from pihost.extensions.owned import Closer

__all__ = ["Channels", "HookCalls", "OwnPart"]

_T = TypeVar("_T")


class Channels(ApiPart):
    """``api.events``: channels on which extensions speak with each other."""

    def on(self, channel: str, listener: Callable[[Any], object]) -> Callable[[], None]:
        """Listen on a channel; the returned function ends it. An async listener runs as a task."""
        runtime = self._use("events")
        extension = self._record.extension
        check_callable(extension, f"listener on {channel!r}", "listener", listener)
        return runtime.events.on(extension, channel, listener)

    def emit(self, channel: str, data: Any = None) -> None:
        """Hand ``data`` to everybody who listens on the channel. A listener that fails stops nobody."""
        self._use("events").events.emit(channel, data)


class HookCalls(ApiPart):
    """``api.hook``: the hooks that extensions have declared, called as ``await api.hook.name(key=value)``."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(**arguments: Any) -> Awaitable[object]:
            return self._use("hook").hooks.call(name, arguments)

        return call


class OwnPart(ApiPart):
    """What belongs to the extension and ends with it."""

    @property
    def events(self) -> Channels:
        """Channels on which extensions speak with each other: ``events.on`` and ``events.emit``."""
        self._use("events")
        return Channels(self._runtime, self._record)

    @property
    def hook(self) -> HookCalls:
        """The hooks that extensions have declared: ``await api.hook.name(key=value)``."""
        return HookCalls(self._runtime, self._record)

    @property
    def log(self) -> logging.Logger:
        """The extension's logger."""
        self._use("log")
        import logging

        return logging.getLogger(f"pihost.extension.{self._record.extension}")

    @property
    def data_dir(self) -> Path:
        """The extension's own directory, made with mode 0700 when first asked for.

        Raises:
            OSError: it cannot be made.
        """
        return self._use("data_dir").data_dir(self._record.extension)

    @property
    def version(self) -> Version:
        """The host's version."""
        # Most extensions never ask, and packaging is not free to import.
        from packaging.version import Version

        return Version(self._use("version").version)

    def exec(
        self, argv: Sequence[str], *, cwd: Path | str | None = None, timeout: float | None = None
    ) -> Coroutine[Any, Any, ExecResult]:
        """Run a program, without a shell and without input.

        It is ended, with whatever it started, after ``timeout`` seconds, where the caller is cancelled and
        where the host ends. What it has started and left running does not hold up the result, and goes on
        until the host ends; in a session of its own (``setsid``) it stays.

        Args:
            argv: The program and its arguments.
            cwd: Where it runs, from the session's directory.
            timeout: Seconds; ``None`` is no limit.

        Returns:
            To be awaited: its exit code and its output, of which each stream's first 16 MiB are kept.

        Raises:
            OSError: when awaited, if it cannot be started.
        """
        # Not a coroutine function: a dead API raises at once, awaited or not.
        runtime = self._use("exec")
        from pihost.extensions._exec import run_program

        return run_program(argv, cwd=absolute(cwd or ".", runtime.cwd), timeout=timeout)

    def get_config(self, cls: type[_T]) -> _T:
        """The extension's own settings, ``[extension.<id>]``, as an instance of an attrs class.

        Where a file of the project's has taken the id, the settings that the user wrote under it count.

        Args:
            cls: The class; its defaults are the settings' defaults.

        Raises:
            ExtensionConfigError: they do not fit, with every fault and its place.
            TypeError: ``cls`` is no attrs class.
        """
        runtime, record = self._use("get_config"), self._record
        table: Mapping[str, Any] = runtime.read_config(record.extension, record.local)
        table = table or runtime.read_config(record.usual_id, record.local)
        return structure_config(record.extension, table, cls)

    def create_task(self, coro: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Run a coroutine beside everything else. It is cancelled when the extension ends.

        What it raises is reported as this extension's error.

        Args:
            coro: The coroutine.
        """
        try:
            return self._use("create_task").owned(self._record.extension).start(coro, "create_task")
        except BaseException:
            if inspect.iscoroutine(coro):
                coro.close()  # it will never run, and must not be warned about besides
            raise

    def on_close(self, fn: Closer) -> None:
        """Call ``fn``, plain or async, when the extension ends: a failed load, a reload, the session's end.

        The last one added is called first. Each has five seconds.
        """
        runtime = self._use("on_close")
        check_callable(self._record.extension, "on_close", "function", fn)
        runtime.owned(self._record.extension).on_close(fn)

    def call_soon(self, fn: Callable[[], Awaitable[object] | object]) -> None:
        """Call ``fn``, plain or async, on the event loop. The one part of the API that other threads may use.

        What it raises is reported as this extension's error.

        Raises:
            ExtensionNotReadyError: the load failed, the runtime was replaced, or the event loop has ended.
        """
        if self._record.failure is not None:
            raise ExtensionNotReadyError("call_soon", self._record.failure, self._record.extension)
        self._runtime.call_soon(self._record.extension, fn)
