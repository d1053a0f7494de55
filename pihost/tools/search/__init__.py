"""What ``grep``, ``find`` and ``ls`` are made of: ripgrep, globs, lists of results."""
