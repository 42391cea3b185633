#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_exports.sh LIBRARY HEADER...
# The library exports exactly the functions that the headers declare.
set -eu
exported=$(nm -D --defined-only "$1" | sed -n 's/.* T \([a-z_0-9]*\).*/\1/p' | sort)
shift
declared=$(grep -hv '^ \*\|^/\*' "$@" | grep -o '\btmu_[a-z_]*(' | tr -d '(' | sort -u)
if [ -z "$declared" ] || [ "$exported" != "$declared" ]; then
    echo "exported:"; echo "$exported"
    echo "declared:"; echo "$declared"
    exit 1
fi
echo "$(echo "$declared" | wc -l) functions exported"
