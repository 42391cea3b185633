# SPDX-License-Identifier: Apache-2.0
"""One module per subcommand; each has a click command named `command`."""
