"""``python -m pihost`` is the command ``pihost``."""

import sys

from pihost.cli import main

sys.exit(main())
