"""``python -m flexmb`` is the ``flexmb`` command."""

import sys

from flexmb.cli import main

if __name__ == "__main__":
    sys.exit(main())
