"""The fixtures for authors of extensions, which an installed pihost brings by itself."""

pytest_plugins = ["pihost.testing.plugin"]
