"""The author's fixtures, as an installed pihost brings them."""

pytest_plugins = ["pihost.testing.plugin"]
