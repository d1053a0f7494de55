"""How a session meets a person or a program."""
