"""Names of a package that are imported from their modules when they are first used."""

TYPE_CHECKING = False  # what typing's own says at run time, without the cost of importing it

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: "dict[str, object]", modules: "Mapping[str, str]"
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """Return a package's ``__getattr__`` and ``__dir__``, as PEP 562 has them.

    Args:
        package: The package's ``globals()``, where a name is kept once it is imported.
        modules: Each name and the module it comes from, absolute or, with a leading dot, in the package.
    """

    def import_name(name: str) -> object:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        from importlib import import_module

        value: object = getattr(import_module(module, str(package["__name__"])), name)
        package[name] = value
        return value

    def names() -> list[str]:
        return sorted({*package, *modules})

    return import_name, names
