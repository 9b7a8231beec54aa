# SPDX-License-Identifier: BSD-2-Clause
# Shared by the tests of builds, which configure and build nothing. Sourced with `sources` and `name` set.
here=$sources/tests/builds
for tool in cmake ninja; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$name: $*" >&2
  exit 1
}

# configure FOLDER CMAKE_ARGUMENTS...: configures the preset `release`, without the environment's options.
configure() {
  local folder=$1
  shift
  (cd "$sources" && env -u CUDA_HOME -u CUDA_PATH -u CC -u CXX -u CFLAGS cmake --preset release -B "$work/$folder" "$@") \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "$folder is not configured"; }
}

# commands FOLDER [TARGET]: prints the commands that a build would run.
commands() { ninja -C "$work/$1" -t commands "${2:-all}"; }

targets() { ninja -C "$work/$1" -t targets all; }

# lacks FAULT PATTERN, has FAULT PATTERN: check standard input, which they read to its end.
lacks() { ! grep -E -- "$2" || fail "$1"; }
has() { grep -E -- "$2" >/dev/null || fail "$1"; }
