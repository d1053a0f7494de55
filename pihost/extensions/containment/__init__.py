"""What keeps an extension that loads from changing the process for everybody else."""
