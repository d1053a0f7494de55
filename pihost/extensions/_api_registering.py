"""The registering half of the API: legal from the first line of ``setup``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pihost.extensions._api_base import ApiPart
from pihost.extensions._checks import (
    check_callable,
    check_command,
    check_flag,
    check_mcp_server,
    check_name,
    check_tool,
)
from pihost.extensions.actions import ProviderActions
from pihost.extensions.mcp_registration import McpMounter, RegisteredMcpServer
from pihost.extensions.provider_registration import ProviderRegistration, ProviderStage, TakeBack
from pihost.extensions.registrations import (
    CommandHandler,
    Completer,
    FlagType,
    RegisteredCommand,
    RegisteredFlag,
    RegisteredTool,
    Subscription,
)
from pihost.extensions.registry import Kind

if TYPE_CHECKING:
    from pihost.extensions._typed_on import On
    from pihost.tools.definition import ToolDefinition

__all__ = ["RegisteringPart"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


class RegisteringPart(ApiPart):
    """Registrations: staged while the extension loads, in effect once ``setup`` has returned."""

    if TYPE_CHECKING:

        @property
        def on(self) -> On:
            """Answer a hook; what handlers of each hook take and give is known to type checkers."""

    else:

        def on(
            self,
            event: str,
            handler: Callable[..., Any] | None = None,
            *,
            tryfirst: bool = False,
            trylast: bool = False,
        ) -> Callable[..., Any]:
            """Answer a hook: ``handler(event, ctx)``, plain or async. Without a handler, a decorator.

            Args:
                event: The hook's name.
                handler: Answers it.
                tryfirst: Before all plain handlers.
                trylast: After all plain handlers.

            Returns:
                A function that unsubscribes; from the decorator, the handler itself.
            """
            self._use("on")
            if handler is None:

                def decorate(function: _Function) -> _Function:
                    self.on(event, function, tryfirst=tryfirst, trylast=trylast)
                    return function

                return decorate
            extension = self._record.extension
            subject = f"handler of {check_name(extension, 'event', event)!r}"
            check_callable(extension, subject, "handler", handler)
            subscription = Subscription(event, handler, tryfirst=tryfirst, trylast=trylast)
            if self._record.staged:
                self._record.subscriptions.append(subscription)
            else:
                subscription.start(extension, self._runtime.hooks)
            return subscription.stop

    def register_tool(self, tool: ToolDefinition, *, override: bool = False) -> None:
        """Offer a tool to the model.

        Args:
            tool: The tool.
            override: It may stand in for a built-in tool of its name.

        Raises:
            RegistrationError: it lacks a name, a description or an object schema; or its name is taken.
        """
        self._use("register_tool")
        registered = RegisteredTool(definition=tool, extension=self._record.extension, override=override)
        check_tool(registered)
        self._register("tool", tool.name, registered)

    def unregister_tool(self, name: str) -> None:
        """Take back a tool that this extension registered.

        Args:
            name: The tool's name.

        Raises:
            RegistrationError: this extension registered no such tool.
        """
        self._use("unregister_tool")
        self._unregister("tool", name)

    @overload
    def tool(
        self, fn: None = None, *, name: str | None = None, description: str | None = None, **hints: Any
    ) -> Callable[[_Function], _Function]: ...

    @overload
    def tool(
        self, fn: _Function, *, name: str | None = None, description: str | None = None, **hints: Any
    ) -> _Function: ...

    def tool(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        **hints: Any,
    ) -> Callable[..., Any]:
        """Offer a plain or async function to the model as a tool. A decorator.

        Its annotated parameters are the tool's; a parameter named ``ctx`` gets the ``ToolContext``. A string
        it returns becomes text, a ``ToolResult`` stays what it is, anything else becomes JSON text and
        structured content. A plain function runs on the event loop and holds it up.

        Args:
            fn: The function.
            name: The tool's name; the function's by default.
            description: What it does, for the model; the docstring by default.
            hints: Further fields of ``ToolDefinition``, and ``override``.

        Returns:
            The function itself.

        Raises:
            RegistrationError: no tool can be made of it, or its name is taken.
        """
        self._use("tool")
        from pihost.extensions._function_tool import function_tool

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            override = bool(hints.get("override", False))
            fields = {key: value for key, value in hints.items() if key != "override"}
            extension = self._record.extension
            definition = function_tool(extension, function, name=name, description=description, fields=fields)
            self.register_tool(definition, override=override)
            return function

        return decorate if fn is None else decorate(fn)

    def register_command(
        self, name: str, *, handler: CommandHandler, description: str = "", complete: Completer | None = None
    ) -> None:
        """Add a command, to be called as ``/name`` and as ``/<extension id>:name``.

        Args:
            name: What follows the slash.
            handler: Runs it: ``handler(arguments, ctx)``, plain or async.
            description: What it does, for people.
            complete: Completions of what has been typed after the name.

        Raises:
            RegistrationError: the name is empty or taken, or something cannot be called.
        """
        self._use("register_command")
        command = RegisteredCommand(
            name=name,
            extension=self._record.extension,
            handler=handler,
            description=description,
            complete=complete,
        )
        check_command(command)
        self._register("command", name, command)

    def register_flag(
        self,
        name: str,
        *,
        type: FlagType,  # noqa: A002 -- the word that authors expect
        default: bool | str | None = None,
        description: str = "",
    ) -> None:
        """Add a flag to the command line: ``--name`` or ``--name VALUE``.

        Args:
            name: What follows the two dashes.
            type: ``"boolean"`` takes no value, ``"string"`` takes one.
            default: Its value where the command line does not give it.
            description: What it does, for people.

        Raises:
            RegistrationError: the name is empty or taken, or the default is of another type.
        """
        self._use("register_flag")
        flag = RegisteredFlag(
            name=name,
            extension=self._record.extension,
            type=type,
            default=default,
            description=description,
        )
        check_flag(flag)
        self._register("flag", name, flag)

    def get_flag(self, name: str) -> bool | str | None:
        """The value of a flag that this extension registered.

        Returns:
            Its default while loading, the command line's value once bound; ``None`` where there is neither,
            or where the extension registered no such flag.
        """
        runtime = self._use("get_flag")
        flag = self._record.flags.get(name)
        return None if flag is None else runtime.flag_value(flag)

    def add_hookspecs(self, module: Any) -> None:
        """Declare hooks of this extension's own, which others answer and it calls with ``api.hook``.

        They are in effect once ``setup`` has returned.

        Args:
            module: A module whose functions are marked with ``pihost.hookspec``.

        Raises:
            HookRegistrationError: once loaded, where a name is taken or a declaration is faulty, as each in a
                class is; while loading, that fails the load.
        """
        runtime = self._use("add_hookspecs")
        if self._record.staged:
            self._record.hookspecs.append(module)
        else:
            runtime.hooks.add_hookspecs(self._record.extension, module)

    def register_api(self, name: str, implementation: Any) -> None:
        """Implement a wire API, which ``ProviderConfig.api`` can then name.

        Args:
            name: The wire API.
            implementation: ``implementation(provider_id, config)`` makes the provider.

        Raises:
            PihostError: once bound, where the registry refuses it.
        """
        self._use("register_api")
        check_callable(self._record.extension, f"wire API {name!r}", "implementation", implementation)
        self._provider("register_api", "api", name, lambda to: to.register_api(name, implementation))

    def register_provider(self, name: str, config: Any) -> None:
        """Add a provider known by its configuration. Waits for binding, then acts at once.

        Args:
            name: The provider's id.
            config: A ``ProviderConfig``.

        Raises:
            PihostError: once bound, where the registry refuses it.
        """
        self._use("register_provider")
        self._provider("register_provider", "provider", name, lambda to: to.register_provider(name, config))

    def register_native_provider(self, provider: Any) -> None:
        """Add a provider that brings its own code. Waits for binding, then acts at once.

        Args:
            provider: A ``Provider``.

        Raises:
            PihostError: once bound, where the registry refuses it.
        """
        self._use("register_native_provider")
        key = str(getattr(provider, "id", ""))
        self._provider("register_provider", "native", key, lambda to: to.register_native_provider(provider))

    def register_virtual_model(self, model: Any) -> None:
        """Add a model that picks a physical one for each request. Waits for binding, then acts at once.

        Args:
            model: A ``VirtualModel``.

        Raises:
            PihostError: once bound, where the registry refuses it.
        """
        self._use("register_virtual_model")
        key = f"{getattr(model, 'provider', '')}/{getattr(model, 'id', '')}"
        self._provider("register_virtual_model", "virtual", key, lambda to: to.register_virtual_model(model))

    def unregister_provider(self, name: str) -> None:
        """Take a provider back that this extension registered, of either kind; one it covered is back.

        While it still waits for binding, it is just forgotten. One that another extension, the settings or
        the application registered stays.

        Raises:
            RegistrationError: this extension registered no such provider. While providers wait for binding,
                that is told then.
        """
        self._use("unregister_provider")
        self._provider("unregister_provider", "provider", name)

    def unregister_virtual_model(self, provider: str, id: str) -> None:  # noqa: A002 -- the model's own word
        """Take a virtual model back that this extension registered; one it covered is back.

        While it still waits for binding, it is just forgotten.

        Raises:
            RegistrationError: this extension registered no such model. While registrations wait for binding,
                that is told then.
        """
        self._use("unregister_virtual_model")
        self._provider("unregister_virtual_model", "virtual", f"{provider}/{id}")

    def register_mcp_server(self, name: str, config: Mapping[str, Any]) -> None:
        """Want an MCP server, whose tools are then offered as ``mcp__name__tool``.

        An extension such as pihost-mcp runs it; without one it is only listed.

        Args:
            name: Its name.
            config: How it is reached, as an entry of ``mcp.json``: ``command`` with ``args``, ``env`` and
                ``cwd``, or ``url`` with ``headers``.

        Raises:
            RegistrationError: the name is empty or taken, or there is no one way to reach it.
        """
        self._use("register_mcp_server")
        server = RegisteredMcpServer(name=name, extension=self._record.extension, config=config)
        check_mcp_server(server)
        self._register("MCP server", name, server)

    def unregister_mcp_server(self, name: str) -> None:
        """Want an MCP server of this extension no longer: it is stopped and its tools go.

        Args:
            name: Its name.

        Raises:
            RegistrationError: this extension registered no such server.
        """
        self._use("unregister_mcp_server")
        self._unregister("MCP server", name)

    def mount_mcp_servers(self, mounter: McpMounter) -> None:
        """Run the MCP servers that extensions register, this one's included.

        Args:
            mounter: Runs them.

        Raises:
            RegistrationError: another extension does; while loading, that fails the load.
        """
        runtime = self._use("mount_mcp_servers")
        self._record.mcp_mounter = mounter
        if not self._record.staged:
            runtime.use_mounter(self._record)

    def _register(self, kind: Kind, name: str, registered: object) -> None:
        self._runtime.registry.register(kind, name, registered, self._record)
        if not self._record.staged:
            self._runtime.changed(kind, name)

    def _unregister(self, kind: Kind, name: str) -> None:
        self._runtime.registry.unregister(kind, name, self._record)
        if not self._record.staged:
            self._runtime.changed(kind, name)

    def _provider(
        self,
        event: str,
        stage: ProviderStage,
        key: str,
        act: Callable[[ProviderActions], TakeBack] | None = None,
    ) -> None:
        extension = self._record.extension
        registration = ProviderRegistration(extension=extension, event=event, stage=stage, key=key, act=act)
        queue = self._record.providers if self._record.staged else self._runtime.providers
        queue.submit(registration)
