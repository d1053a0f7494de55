"""What changes files: the line before each file, the locks between processes, the replacement in one step."""
