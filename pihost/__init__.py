"""pihost: a plugin host for coding agents."""
