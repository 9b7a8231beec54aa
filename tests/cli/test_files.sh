#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of the files that commands read and write, on the host device: outputs that appear whole or not at all.
#
# Usage: test_files.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/file_checks.sh"

take_tool "$@"

: >stdin
seq 1 1000 >thousand.txt
seq 1 5 >five.txt

# ---- outputs, whole or not at all ----------------------------------------------------------------------------------------

# limited ARGUMENT...: runs the tool, whose files end after 512 bytes, or 1,024 by some shells.
limited() {
  sh -c 'ulimit -f 1; exec "$@"' sh "$scanrt" "$@" <stdin >stdout 2>stderr
  status=$?
}

# leaves NAME FILE MESSAGE: status 1, that message, the earlier FILE, and nothing unfinished.
leaves() {
  if [ "$status" -eq 1 ] && grep -qF -- "$3" stderr && cmp -s before "$2" && [ -z "$(ls -A | grep '[.]part$')" ]; then
    pass
  else
    fail "$1"
  fi
}

printf 'mine\n' >before
for arguments in "run thousand.txt --out" "run thousand.txt --type i32 --out-format npy -o" "sort thousand.txt -o" \
  "select --keep x>0 thousand.txt" "unique --count thousand.txt" "rle thousand.txt" \
  "reduce-by-key thousand.txt thousand.txt" "rle --lengths-out" "unique --counts" \
  "sort --argsort thousand.txt -o /dev/null --keys-out"; do
  cp before out.txt
  # shellcheck disable=SC2086 # words
  case $arguments in
    *--lengths-out) limited $arguments out.txt --columns key thousand.txt /dev/null ;;
    *--counts) limited $arguments out.txt thousand.txt /dev/null ;;
    *) limited $arguments out.txt ;;
  esac
  leaves "a full disk: $arguments" out.txt "cannot write out.txt: File too large"
done
limited run thousand.txt -o new.txt
if [ "$status" -eq 1 ] && [ ! -e new.txt ]; then pass; else fail "a full disk: half of a new file"; fi
for format in json html; do
  cp before out.txt
  limited verify --quick --device host --type i32 --op add --strategy threads --$format out.txt
  leaves "a full disk: verify --$format" out.txt "cannot write out.txt"
done
cp before out.txt
limited bench --device host --no-peers --reps 1 --n 8 --n 9 --n 10 --csv out.txt
leaves "a full disk: bench --csv" out.txt "cannot write out.txt"
cp before out.txt
limited bench --select flags --device host --no-peers --reps 1 --n 8 --n 9 --n 10 --csv out.txt
leaves "a full disk: bench --select --csv" out.txt "cannot write out.txt"
if [ -c /dev/full ]; then
  refuses 1 "scanrt: cannot write /dev/full: No space left on device" run five.txt -o /dev/full
fi

# A benchmark's file is begun at once and renamed at the end: signals come while it is unfinished.
signals="HUP INT TERM"
env --default-signal=INT true 2>stderr || signals="HUP TERM"
for signal in $signals; do
  cp before out.txt
  # A shell without job control has its background commands ignore SIGINT.
  env --default-signal=INT "$scanrt" bench --device host --no-peers --reps 300 --n 2^18 --csv out.txt \
    >stdout 2>stderr &
  while [ -z "$(ls -A | grep '[.]part$')" ] && kill -0 $! 2>kill.txt; do :; done
  kill -$signal $!
  wait $!
  status=$?
  if [ "$status" -gt 128 ] && cmp -s before out.txt && [ -z "$(ls -A | grep '[.]part$')" ]; then pass
  else fail "SIG$signal"; fi
done

# What a file is otherwise stays: permissions, links, pipes, devices, the name of standard output.
printf '1\n3\n6\n10\n15\n' >sums.txt
cp before out.txt
chmod 640 out.txt
run run five.txt -o out.txt
if [ "$status" -eq 0 ] && cmp -s out.txt sums.txt && [ "$(stat -c %a out.txt)" = 640 ]; then pass
else fail "permissions are kept"; fi
(umask 027 && exec "$scanrt" run five.txt -o masked.txt)
if [ "$(stat -c %a masked.txt)" = 640 ]; then pass; else fail "the mask of a new file"; fi
mkdir folder
ln -s ../out.txt folder/link.txt
ln -s nowhere.txt dangling.txt
cp before out.txt
run run five.txt -o folder/link.txt
if [ -L folder/link.txt ] && cmp -s out.txt sums.txt; then pass; else fail "a link to a file"; fi
run run five.txt -o dangling.txt
if [ -L dangling.txt ] && cmp -s nowhere.txt sums.txt; then pass; else fail "a link to no file yet"; fi
ln -s loop.txt loop.txt
refuses 1 "scanrt: cannot create loop.txt: Too many levels of symbolic links" run five.txt -o loop.txt
mkfifo pipe.txt
cat pipe.txt >through.txt &
run run five.txt -o pipe.txt
wait $!
if [ "$status" -eq 0 ] && [ -p pipe.txt ] && cmp -s through.txt sums.txt; then pass; else fail "a named pipe"; fi
ln -s /dev/stdout output.txt
for name in /dev/stdout output.txt; do
  run run five.txt -o $name --out-format text
  prints "$name" '1\n3\n6\n10\n15\n'
done
cp before out.txt
run run five.txt --out-format text -o /dev/fd/3 3>>out.txt
if [ "$status" -eq 0 ] && [ -s out.txt ]; then pass; else fail "an open descriptor"; fi
if [ "$(id -u)" -ne 0 ]; then
  mkdir closed
  cp before closed/out.txt
  cp before kept.txt
  chmod 555 closed
  run run five.txt -o closed/out.txt
  if [ "$status" -eq 0 ] && cmp -s closed/out.txt sums.txt; then pass; else fail "a folder without new files"; fi
  chmod 755 closed
  chmod 444 kept.txt
  refuses 1 "scanrt: cannot create kept.txt: Permission denied" run five.txt -o kept.txt
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
