#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests `scanrt run --mpi`, `scanrt sort --mpi` and `scanrt bench --mpi` over ranks of this machine: files compared with one process's,
# refusals, reports, missing and wrong modules.
# usage: test_tool.sh openmpi|mpich SCANRT_BINARY MODULE WRONG_MODULE
set -u

# Checks that do not depend on the MPI run with MPICH if it is installed, because its processes start faster.
refusals=1
if [ "$1" = openmpi ] && command -v mpirun.mpich >/dev/null; then refusals=0; fi
# Waiting ranks of MPICH use up their time slices, so tests with many waits have no more ranks than processors.
three=3
if [ "$1" = mpich ]; then three=2; fi
folder=$(cd "$(dirname "$0")" && pwd)
implementation=$1 module=$3 wrong=$4
shift
# shellcheck source=tests/cli/checks.sh
. "$folder/../cli/checks.sh"
take_tool "$1"
SCANRT_MPI_MODULE=$module
export SCANRT_MPI_MODULE
: >stdin

# over RANKS ARGUMENT...: runs the tool on RANKS ranks with one thread each.
over() {
  ranks=$1
  shift
  "$folder/run.sh" "$implementation" "$ranks" "$scanrt" "$@" <stdin >stdout 2>stderr
  status=$?
}

# says NAME STATUS LINE: checks for this status, and this line once on standard error, where launchers may write as
# well.
says() {
  found=$(grep -cxF -- "$3" stderr)
  if [ "$status" -eq "$2" ] && [ "$found" -eq 1 ] && [ ! -s stdout ]; then pass; else fail "$1"; fi
}

# begins NAME PATTERN: checks for status 1, and a line of standard error that begins with PATTERN.
begins() { if [ "$status" -eq 1 ] && grep -q "^$2" stderr; then pass; else fail "$1"; fi; }

# shows NAME COUNT PATTERN: checks for status 0, and for COUNT matching lines of standard output.
shows() {
  found=$(grep -cE -- "$3" stdout)
  if [ "$status" -eq 0 ] && [ "$found" -eq "$2" ]; then pass; else fail "$1: $found lines"; fi
}

# ---- files -----------------------------------------------------------------------------------------------------------

# same RANKS ARGUMENT...: checks that the file of RANKS ranks is that of one process, and that nothing is printed.
same() {
  ranks=$1
  shift
  rm -f one many
  run run "$@" --out one
  [ "$status" -eq 0 ] || fail "one process: $*"
  over "$ranks" run --mpi --threads 1 "$@" --out many
  if [ "$status" -eq 0 ] && cmp -s one many && [ ! -s stdout ]; then pass; else fail "$ranks ranks: $*"; fi
}

# More than two groups of the canonical order; sums are rounded after the first thousands.
seq 1 2200000 >numbers.txt
run run --type f32 --op max numbers.txt --out floats.npy
run run --type f32 --op max numbers.txt --out floats.bin --out-format raw
seq 5 1004 >few.txt
run run --type i32 --op max few.txt --out few.npy
same $three floats.npy --out-format npy
same 2 --format raw --type f32 floats.bin --out-format raw --exclusive --init 3
same $three few.npy --type i64 --out-format npy
same 4 few.npy --op max --exclusive --out-format npy
same 2 few.npy --check-overflow --out-format npy
awk 'BEGIN { for (i = 0; i < 1000; i++) print int(i / 170) }' >keys.txt
run run keys.txt --op max --out keys.npy
awk 'BEGIN { for (i = 0; i < 1000; i++) print i % 300 == 7 }' >flags.txt
run run keys.txt --op max --type u8 --out flags.npy # any not 0 begins one
same $three few.npy --keys keys.npy --out-format npy
same $three few.npy --flags flags.npy --exclusive --out-format npy
printf '%s\n' 0 0 170 171 171 500 900 1000 1000 >offsets.txt
same $three few.npy --offsets offsets.txt --out-format npy
run run offsets.txt --type u32 --op max --out offsets.npy
same 4 few.npy --offsets offsets.npy --exclusive --init 7 --out-format npy
printf '%s\n' 0 1000 >offsets.txt
same $three few.npy --offsets offsets.txt --type i64 --out-format npy
seq 1 2 >two.txt
run run --type i32 --op max two.txt --out two.npy
same 4 two.npy --out-format npy # ranks without elements

# Axes that cut lines into pieces, and whole lines, in both orders.
npy rows.npy '<i4' False '(40, 25)'
tail -c 4000 few.npy >>rows.npy
npy transposed.npy '<i4' True '(8, 5, 25)'
tail -c 4000 few.npy >>transposed.npy
for axis in 0 1; do same $three rows.npy --axis $axis --out-format npy; done
same $three rows.npy --axis -1 --out-format npy
for axis in 0 1 2; do same $three transposed.npy --axis $axis --exclusive --type i64 --out-format npy; done
same 2 few.npy --axis 0 --out-format npy

# The output replaces the input.
cp few.npy own.npy
run run few.npy --out one.npy
over $three run --mpi own.npy --out own.npy
if [ "$status" -eq 0 ] && cmp -s one.npy own.npy; then pass; else fail "over its input"; fi

# sorts RANKS ARGUMENT...: checks that the files of RANKS ranks are those of one process, and that nothing is printed.
sorts() {
  ranks=$1
  shift
  rm -f one many one_keys many_keys
  own_keys= keys=
  case " $* " in *" --argsort "* | *" --key "*) own_keys='--keys-out one_keys' keys='--keys-out many_keys' ;; esac
  # shellcheck disable=SC2086 # words
  run sort "$@" --output one $own_keys
  [ "$status" -eq 0 ] || fail "one process: sort $*"
  # shellcheck disable=SC2086
  over "$ranks" sort --mpi --device host "$@" --output many $keys
  if [ "$status" -eq 0 ] && cmp -s one many && [ ! -s stdout ] && { [ -z "$keys" ] || cmp -s one_keys many_keys; }; then
    pass
  else fail "$ranks ranks: sort $*"; fi
}

awk 'BEGIN { for (i = 0; i < 1000; i++) print (i * 7919) % 1009 - 500 }' >shuffled.txt
run sort --argsort shuffled.txt -o order.npy
run run shuffled.txt --out shuffled.npy
sorts $three shuffled.npy --out-format npy
sorts 2 -r --argsort shuffled.npy --out-format npy
sorts $three --key order.npy few.npy --out-format npy
sorts 2 --bits 0:8 --format raw --type f32 floats.bin --out-format raw
sorts 4 two.npy --out-format npy
cp shuffled.npy own.npy
run sort shuffled.npy -o one.npy
over 2 sort --mpi own.npy -o own.npy
if [ "$status" -eq 0 ] && cmp -s one.npy own.npy; then pass; else fail "a sort over its input"; fi
over 2 sort --mpi --verbose shuffled.npy -o many.npy
if [ "$status" -eq 0 ] && grep -q '^ranks     2, rank 0 on host' stderr && grep -q '^n         1000$' stderr &&
  grep -q '^sent      [0-9]* bytes' stderr && [ "$(grep -c '^time' stderr)" -eq 1 ]; then pass; else fail "a sort, verbose"; fi
over 2 sort --mpi --help
shows "the help of sorts, once" 1 '^Usage: scanrt sort'
over 2 sort shuffled.npy -o out.npy
if [ "$status" -eq 2 ] && grep -q 'this is one of 2 processes (.*), which would all do the same: give --mpi' stderr &&
  [ ! -e out.npy ]; then pass; else fail "two sorts without --mpi"; fi
over 2 sort --mpi --key two.npy few.npy -o out.npy
says "too few keys to sort by" 1 "scanrt: 2 keys and 1000 elements: there must be as many"
over 2 sort --mpi rows.npy -o out.npy
says "two dimensions" 1 "scanrt: rows.npy has 2 dimensions: one is needed"

over 2 run --mpi --verbose few.npy --out many.npy
if [ "$status" -eq 0 ] && grep -q '^ranks     2, rank 0 on host' stderr && [ "$(grep -c '^time' stderr)" -eq 1 ] &&
  grep -q '^n         1000 (i32 to i32), at most 500 a rank' stderr; then pass; else fail "verbose"; fi
over 2 run --mpi --help
shows "help, once" 1 '^Usage: scanrt run'

# ---- refusals --------------------------------------------------------------------------------------------------------

# misuse MESSAGE ARGUMENT...: checks the refusal of a wrong command line.
misuse() {
  message=$1
  shift
  run "$@"
  says "misuse: $*" 2 "scanrt $1: $message (see scanrt $1 --help)"
}

over 2 run --mpi --tyep few.npy -o out.npy
says "misuse by all, once" 2 "scanrt run: unknown option '--tyep' (see scanrt run --help)"
over 2 run --mpi few.npy -o none/out.npy
says "no folder" 1 "rank 0: scanrt: cannot create none/out.npy: No such file or directory"
over $three run --mpi few.npy --op mul --check-overflow -o out.npy
says "overflow" 1 "scanrt: result 9, counted from 0, is outside the range of i32: nothing was written"
if [ ! -e out.npy ]; then pass; else fail "a file of a run that failed"; fi
over 2 run --mpi few.npy --device host -o many.npy
if [ "$status" -eq 0 ]; then pass; else fail "a device by name"; fi

# One rank, without a launcher.
if [ $refusals -eq 1 ]; then
  misuse "--mpi needs files, of which each rank reads and writes a part: FILE and --out" run --mpi few.npy
  misuse "--mpi needs .npy or raw, where each rank finds its part: the input is text" run --mpi few.txt -o out.npy
  misuse "--mpi needs .npy or raw, where each rank finds its part: the output is text" run --mpi few.npy -o out.txt
  misuse "--mpi and --memory exclude each other" run --mpi --memory 100 few.npy -o out.npy
  misuse "--mpi and --no-mpi exclude each other" run --mpi --no-mpi few.npy -o out.npy
  misuse "the input has 2 dimensions: --axis, from 0 to 1, says which to scan along" run --mpi rows.npy -o out.npy
  misuse "--mpi needs files, of which each rank reads and writes a part: FILE and --output" sort --mpi few.npy
  misuse "--mpi needs .npy or raw, where each rank finds its part, and not text" sort --mpi few.npy -o out.txt
  misuse "--mpi sorts one FILE, of which each rank reads a part" sort --mpi few.npy two.npy -o out.npy
  misuse "--mpi and --no-mpi exclude each other" sort --mpi --no-mpi few.npy -o out.npy
  run run --mpi none.npy -o out.npy
  says "no input" 1 "scanrt: cannot open none.npy: No such file or directory"
  run run --mpi few.npy --keys keys.txt -o out.npy
  says "keys from text" 1 "scanrt: keys.txt: with --mpi flags and keys are read from .npy"
  run run --mpi few.npy --keys two.npy -o out.npy
  says "too few keys" 1 "scanrt: two.npy: 2 of 1000 elements: there must be one for each"
  head -c 2000 few.npy >short.npy
  run run --mpi short.npy -o out.npy
  says "a short file" 1 "scanrt: short.npy: the header says 1000 elements of 4 bytes, the file has 1872 bytes of them"
  run run --mpi few.npy --device nix:local -o out.npy
  says "no such kind" 1 "scanrt: --device nix:local: no device's selector begins with nix: (scanrt info --list)"
  misuse "--mpi has no --type f16: give an integer type, f32 or f64" bench --mpi --type f16
  misuse "--json and --csv - exclude each other" bench --mpi --json --csv -
  misuse "unknown scaling 'x': use weak, strong or both" bench --mpi --scaling x
  misuse "unknown scaling 'x': use weak, strong or both" bench --scaling x --mpi
  misuse "--sort has no --cold and no --op-source" bench --mpi --cold --sort keys
  misuse "--mpi has no --mode: it is an option of scans, --select, --sort, --split, --reduce and --versus" \
    bench --mode both --mpi
  for name in OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS; do
    eval "$name=3"
    export "${name?}"
    run run few.npy -o out.npy
    if [ "$status" -eq 2 ] && grep -q "one of 3 processes (.$name)" stderr; then pass; else fail "$name"; fi
    unset "$name"
  done
fi

# Processes without --mpi, which are independent.
over 2 run few.npy -o out.npy
if [ "$status" -eq 2 ] && grep -q 'this is one of 2 processes (.*), which would all do the same: give --mpi' stderr &&
  [ ! -e out.npy ]; then pass; else fail "two processes without --mpi"; fi
over 2 run --no-mpi few.npy -o /dev/null --out-format raw
if [ "$status" -eq 0 ]; then pass; else fail "--no-mpi"; fi

# Processes started by another MPI's launcher: the module's MPI sees each of them as a single one.
case $implementation in
  openmpi) other=mpich variable=PMI_SIZE named='Open MPI' ;;
  *) other=openmpi variable=OMPI_COMM_WORLD_SIZE named=MPICH ;;
esac
if command -v "mpirun.$other" >stdout; then
  for command in "run --mpi few.npy -o out.npy" "bench --mpi --n 1000 --reps 1"; do
    : >stdout
    # shellcheck disable=SC2086 # words
    "$folder/run.sh" "$other" 2 "$scanrt" $command <stdin >stdout 2>stderr
    status=$?
    if [ "$status" -ne 0 ] && [ ! -e out.npy ] &&
      [ "$(grep -c "has started 2 processes (.$variable), and the MPI of the module, $named.*SCANRT_MPI_MODULE" \
        stderr)" -eq 1 ]; then pass; else fail "the launcher of another MPI: $command"; fi
  done
fi

# A full disk on one rank: the output of all ranks is removed, and the earlier file stays. MPI's own files are smaller.
if [ $refusals -eq 1 ] && command -v prlimit >stdout; then
  echo mine >out.npy
  cp out.npy before
  # shellcheck disable=SC2016 # for the shell of each rank
  limit='[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" -eq 0 ] || prlimit --fsize=6291456 --pid $$; exec "$@"'
  "$folder/run.sh" "$implementation" 2 sh -c "$limit" sh "$scanrt" run --mpi floats.npy --out out.npy \
    <stdin >stdout 2>stderr
  status=$?
  if [ "$status" -eq 1 ] && grep -q 'cannot write out.npy: File too large' stderr && cmp -s before out.npy &&
    [ -z "$(ls -A | grep '[.]part$')" ]; then pass; else fail "a full disk"; fi
  rm out.npy
fi
gzip -c few.npy >few.npy.gz
over 2 run --mpi few.npy.gz -o many.npy
says "a compressed input" 1 "scanrt: few.npy.gz is compressed: ranks find no parts in it; give them the decoded file"
cp few.npy few
over 2 run --mpi few -o many.npy
if [ "$status" -eq 0 ]; then pass; else fail ".npy by its first bytes"; fi

# ---- scaling ---------------------------------------------------------------------------------------------------------

over $three bench --mpi --threads 1 --n 1000 --n 300000 --reps 3
shows "one title" 1 "^inclusive sums of f32; $three ranks, rank 0 on host"
shows "sizes, both ways" 4 "^(weak|strong) +$three "
shows "a rank's share of the elements of all" 1 "^strong +1 +$((three * 300000)) "
over 2 bench --mpi --threads 1 --n 400000 --reps 2 --scaling strong --type i32 --type u8 --exclusive --csv -
shows "CSV" 4 '^host,.*,(i32|u8),exclusive,strong,[12],[48]00000,2,true,([0-9.e+]+,){6}[0-9]+,$'
over 2 bench --mpi --threads 1 --n 1000 --reps 2 --scaling weak --type f64 --json
shows "JSON" 2 '"correct": true'
shows "JSON, bytes" 1 '"sent_bytes": 8000$'
over 2 bench --mpi --threads 1 --n 1200000 --reps 2 --scaling weak --op-source add --type f32 --csv -
shows "from source" 2 '^host,.*,f32,inclusive,weak,[12],1200000,2,true,.*,add$'
over 2 bench --n 1000 --reps 2 --scaling weak --threads 1 --mpi --csv -
shows "options in any order" 2 '^host,.*,f32,inclusive,weak,[12],1000,2,true,'
over 2 bench --mpi --sort keys,pairs,argsort --shape random,bits24,equal --threads 1 --n 3000 --reps 2 --type u16 --csv -
shows "sorts" 36 '^host,.*,u16,(keys|pairs|argsort),(weak|strong),[12],[36]000,2,true,'
over 2 bench --kept 50% --mpi
says "an option of another family, once" 2 \
  "scanrt bench: --mpi has no --kept: it is an option of --select (see scanrt bench --help)"
over 2 bench --mpi --op-source affine_f32
if [ "$status" -eq 2 ] && grep -q 'mpi has one --op-source, add' stderr; then pass; else fail "another --op-source"; fi
over 2 bench --mpi --cold --threads 1 --n 100000 --reps 3
shows "--cold" 1 '^ +2 +100000( +[0-9.]+){5}$'

# ---- modules ---------------------------------------------------------------------------------------------------------

WRONG_MODULE_OF=$module
export WRONG_MODULE_OF WRONG_MODULE
SCANRT_MPI_MODULE=$wrong
WRONG_MODULE=results
for way in "" --cold "--sort keys" "--sort argsort"; do
  # shellcheck disable=SC2086
  over 2 bench --mpi $way --threads 1 --n 1000 --reps 2 --scaling weak
  if [ "$status" -eq 1 ] && grep -q WRONG stdout; then pass; else fail "wrong results: $way"; fi
done
WRONG_MODULE=version
run run --mpi few.npy -o out.npy
says "another version" 1 "scanrt: $wrong is not of this version of mpi_module.h: build it with this program"
SCANRT_MPI_MODULE=$work/none.so
run run --mpi few.npy -o out.npy
begins "no module" "scanrt: the module of MPI cannot be opened: .*none.so"
unset SCANRT_MPI_MODULE
cp "$scanrt" alone
scanrt=$work/alone
run run --mpi few.npy -o out.npy
begins "no module beside the program" "scanrt: --mpi needs libscanrt_tool_mpi.so, which is neither"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
