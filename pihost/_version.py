"""The version of pihost, read by the build and by `pihost --version`."""

__version__ = "0.1.0"
