"""The fixtures for authors."""

pytest_plugins = ["pihost.testing.plugin"]
