# SPDX-License-Identifier: Apache-2.0
"""First step of the front door, run by the system's Python: have the environment."""

import sys

from opentmu.errors import TmuError
from opentmu.setup import venv


def main() -> int:
    try:
        venv.ensure()
    except TmuError as error:
        print(f"tmu: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("tmu: interrupted; the next call repairs the set-up", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
