#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/cmake/cached_image.sh COMPILER ARGUMENT... SOURCE
# Runs a command that compiles one image of CUDA kernels, by nvcc -fatbin or, for the emulation, by a C++ compiler
# -shared. If an image of the same preprocessed text, flags and compiler was made before, in any folder, it is copied
# from a cache instead. ARGUMENTs have -o IMAGE and may have -MD -MF FILE -MT NAME; with -I each folder is a word of its
# own. The cache is $SCANRT_IMAGE_CACHE, a folder or `off`; else $XDG_CACHE_HOME/scanrt/images or
# ~/.cache/scanrt/images. It holds at most 300 MiB; the least recently used images are removed first.
set -euo pipefail

most_bytes=$((300 << 20))
command=("$@")
compiler=$1
source=${!#}

compile() { "${command[@]}"; }

# open_cache: sets `folder`; fails without a cache.
open_cache() {
  folder=${SCANRT_IMAGE_CACHE:-}
  if [ -z "$folder" ]; then
    [ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] || return 1
    folder=${XDG_CACHE_HOME:-$HOME/.cache}/scanrt/images
  fi
  [ "$folder" != off ] && command -v sha256sum >/dev/null && mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ]
}

# read_command: sets `image`, `flags` (part of the key) and `preprocess`, the arguments that make the text. Fails if the
# compiler's output depends on more: several virtual architectures, each with a text, or names of folders.
read_command() {
  local architectures=0 at
  image='' flags=("$(basename "$source")") preprocess=(-E)
  for ((at = 1; at < ${#command[@]} - 1; at++)); do
    local word=${command[at]} next=${command[at + 1]}
    case $word in
      -o) image=$next at=$((at + 1)) ;;
      -I | -include) preprocess+=("$word" "$next") at=$((at + 1)) ;;
      -MF | -MT) add_dependency_option "$word" "$next" && at=$((at + 1)) ;;
      -MD) add_dependency_option "$word" ;;
      -fatbin) flags+=("$word") ;;
      -g* | -G | -lineinfo | --generate-line-info | --device-debug | -arch* | --gpu-* | -code* | --generate-code*)
        [[ $word == -gencode ]] || return 1
        ;;&
      arch=*) architectures=$((architectures + 1)) ;;&
      *) flags+=("$word") preprocess+=("$word") ;;
    esac
  done
  preprocess+=("$source")
  [ -n "$image" ] && [ $architectures -le 1 ]
}

# add_dependency_option WORD...: nvcc -E itself writes no dependency file; its preprocessor does.
add_dependency_option() {
  local word
  for word in "$@"; do
    if [[ " ${command[*]} " == *" -fatbin "* ]]; then preprocess+=(-Xcompiler "$word"); else preprocess+=("$word"); fi
  done
}

# write_key: prints everything that determines the image. Lines with file names are left out, since they differ between
# folders.
write_key() {
  "$compiler" --version
  printf '%s\n' "${NVCC_PREPEND_FLAGS:-}" "${NVCC_APPEND_FLAGS:-}" "${flags[@]}"
  "$compiler" "${preprocess[@]}" | sed '/^# [0-9]/d'
}

# trim_cache BYTES: removes the least recently used images until BYTES fit. Other processes may remove files meanwhile.
trim_cache() {
  { (cd "$folder" && stat -c '%Y %s %n' -- * 2>/dev/null) || true; } | sort -rn |
    awk -v most=$((most_bytes - $1)) '{ sum += $2 } sum > most { print $3 }' |
    while read -r name; do rm -f -- "$folder/$name"; done
}

# store: stores the image atomically. If there is no room, the image itself is still made.
store() {
  local new=$folder/$key.$$
  trim_cache "$(stat -c %s "$image")"
  { cp -- "$image" "$new" && mv -f -- "$new" "$folder/$key"; } 2>/dev/null || rm -f -- "$new"
}

if ! open_cache || ! read_command || ! key=$(write_key 2>/dev/null | sha256sum); then
  compile
  exit
fi
key=${key%% *}
if cp -- "$folder/$key" "$image" 2>/dev/null; then
  touch -c -- "$folder/$key"
else
  compile
  store
fi
