"""``pihost extensions new``: what the files of a new extension say."""

from pihost.cli.scaffold.shapes import SHAPES, Shape
from pihost.cli.scaffold.writing import NewExtension, ScaffoldError, write_distribution, write_file

__all__ = ["SHAPES", "NewExtension", "ScaffoldError", "Shape", "write_distribution", "write_file"]
