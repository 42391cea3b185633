# SPDX-License-Identifier: Apache-2.0
"""`python -m opentmu`: what ./tmu starts."""

import sys

from opentmu.cli import main

if __name__ == "__main__":
    sys.exit(main())
