#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# with_share.sh TMU_SHARE [OPTION...] DEVICE -- COMMAND...: runs a command while tmu-share shares a
# device at the socket TMU_TEST_SHARE.  What tmu-share says, leaves or ends with counts as well.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
words=
while [ "$1" != -- ]; do
    words="$words '$1'"
    shift
done
shift
mkfifo "$folder/ready"
eval "exec $words '$folder/socket'" >"$folder/ready" 2>"$folder/said" &
server=$!
read -r _ <"$folder/ready" || { cat "$folder/said"; exit 1; }
code=0
TMU_TEST_SHARE="$folder/socket" "$@" || code=$?
kill "$server"
wait "$server" || { code=1; echo "tmu-share failed"; }
[ ! -s "$folder/said" ] || { code=1; cat "$folder/said"; }
[ ! -e "$folder/socket" ] || { code=1; echo "the socket is still there"; }
exit $code
