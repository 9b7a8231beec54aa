# SPDX-License-Identifier: BSD-2-Clause
# Functions of the checks of package managers; check.sh of each folder reads this file. A check builds the tree that it
# lies in, in a temporary folder, with what the client takes from the network left out.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

skip() { echo "skipped: $1"; exit 77; }

fail() {
  echo "$0: $*" >&2
  exit 1
}

# client_folder NAME: sets `folder` to that of a client that tools/setup_clients.sh installed.
client_folder() {
  folder=${SCANRT_CLIENTS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/clients}/$1
  [ -e "$folder/ready" ] || skip "there is no $1: tools/setup_clients.sh $1 installs it"
}

# client NAME PROGRAM: puts that client in front of PATH, unless PROGRAM is there.
client() {
  local folder
  ! command -v "$2" >/dev/null || return 0
  client_folder "$1"
  PATH=$folder/bin:$PATH
}

# version_of_headers: prints the version, such as 0.2.0.
version_of_headers() {
  sed -n 's/^#define SCAN_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\) .*/\2/p' "$project/include/scanrt/scan_types.h" |
    paste -sd .
}

# Sets `work` to a temporary folder that is removed at exit.
make_work() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
}
