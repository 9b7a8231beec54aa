#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of the files that commands read and write, on the host device: formats found from the content, columns by name,
# quoted fields, compressed inputs, bools, and outputs that appear whole or not at all.
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
awk '{ print 1 }' thousand.txt >ones.txt

# ---- every command: formats and refusals -----------------------------------------------------------------------------

# over COMMAND IN OUT OPTION...: runs the command from file to file.
over() {
  command=$1
  in=$2
  out=$3
  shift 3
  case $command in
    run | sort) run "$command" "$@" "$in" -o "$out" ;;
    select) run select --keep 'x > 0' "$@" "$in" "$out" ;;
    unique) run unique "$@" "$in" "$out" ;;
    reduce) run reduce --flags ones.txt "$@" "$in" "$out" ;;
    rle) run rle --columns key "$@" "$in" "$out" ;;
    *) run reduce-by-key --columns value "$@" thousand.txt "$in" "$out" ;;
  esac
}

# gives NAME: checks for status 0, and that out.txt is the same as wanted.txt.
gives() { if [ "$status" -eq 0 ] && cmp -s wanted.txt out.txt; then pass; else fail "$command: $1"; fi; }

# refused MESSAGE: checks that the last command was refused as wrong use.
refused() {
  if [ "$status" -eq 2 ] && [ "$(cat stderr)" = "scanrt $command: $1 (see scanrt $command --help)" ]; then pass
  else fail "$command: $1"; fi
}

run select --keep 'x > 0' thousand.txt thousand.npy
run select --keep 'x > 0' --out-format raw thousand.txt thousand.bin
npy two.npy '|u1' False '(2, 3)'
printf 123456 >>two.npy
for command in run reduce select unique rle reduce-by-key sort; do
  run $command --help
  prints_help=$(awk 'length > 120 && !/^Strategies:/ { exit 1 }' stdout && grep -c "^Usage: scanrt $command " stdout)
  if [ "$status" -eq 0 ] && [ "${prints_help:-0}" -eq 1 ]; then pass; else fail "$command --help"; fi
  over $command thousand.txt out.txt
  cp out.txt wanted.txt
  if [ "$(wc -l <wanted.txt)" -eq 1000 ]; then pass; else fail "$command: 1,000 lines"; fi
  over $command thousand.npy out.txt
  gives "from .npy"
  over $command thousand.bin out.txt --format raw --type i64
  gives "from raw"
  over $command thousand.txt out.npy
  run select --keep 'x > 0' out.npy out.txt
  gives "to .npy"
  over $command thousand.txt out.bin --out-format raw
  run select --keep 'x > 0' --format raw --type i64 out.bin out.txt
  gives "to raw"
  over $command missing.txt out.txt
  if [ "$status" -eq 1 ] && [ "$(cat stderr)" = "scanrt: cannot open missing.txt: No such file or directory" ]; then pass
  else fail "$command: no such file"; fi
  over $command thousand.bin out.txt --format raw
  refused "format raw needs --type"
  over $command thousand.npy out.txt --column 2
  refused "--column and --delimiter are for text"
  over $command thousand.txt out.txt --format csv
  refused "unknown format 'csv': use one of npy raw text"
  over $command thousand.txt out.npy --unknown
  refused "unknown option '--unknown'"
  if [ $command = run ]; then continue; fi
  over $command two.npy out.txt
  refused "the input has 2 dimensions, and must have one"
done

# ---- formats from the content --------------------------------------------------------------------------------------------

# from FILE ARGUMENT...: runs the tool with the file as standard input.
from() {
  cp "$1" stdin
  shift
  run "$@"
  : >stdin
}

from five.txt run
prints "text by default" '1\n3\n6\n10\n15\n'
from five.txt run - -o sums.out
writes "text to a name that says nothing" sums.out '1\n3\n6\n10\n15\n'
from five.txt select --keep 'x > 3'
prints "select" '4\n5\n'
from five.txt unique
prints "unique" '1\n2\n3\n4\n5\n'
from five.txt rle
prints "rle" '1\t1\n2\t1\n3\t1\n4\t1\n5\t1\n'
from five.txt reduce-by-key - five.txt
prints "reduce-by-key" '1\t1\n2\t2\n3\t3\n4\t4\n5\t5\n'
from five.txt sort -r
prints "sort" '5\n4\n3\n2\n1\n'
run run
prints "nothing" ''
run run five.txt --type i32 -o five.npy
cp five.npy five
from five run
prints ".npy by its first bytes" '1\n4\n10\n20\n35\n'
run select --keep 'x > 5' five
prints ".npy by its first bytes, in a file" '6\n10\n15\n'
run run five.txt --keys five
prints "keys of .npy by its first bytes" '1\n2\n3\n4\n5\n'
cp five.txt five.bin
run run five.txt --keys five.bin
prints "keys of text by its content" '1\n2\n3\n4\n5\n'
from five run --format raw --type u8 --op max --out-format raw
head -c 6 stdout >head.bin
printf '\223\223\223\223\223\223' >expected
if [ "$status" -eq 0 ] && cmp -s head.bin expected; then pass; else fail "--format comes first"; fi
misuse run "--column and --delimiter are for text" --column 1 five
misuse run "--axis is for npy" --axis 0 five.bin
printf '\001\000\002\000' >numbers
refuses 1 "scanrt: numbers: neither .npy nor text: what it holds must be said by its format (raw) and its type" \
  run numbers
printf '\357\273\2771\r\n2\r\n' >marked.txt
run run marked.txt
prints "a byte-order mark of UTF-8" '1\n3\n'
for mark in '\0377\0376' '\0376\0377'; do
  printf '%b' "$mark"'1\000\n\000' >wide
  refuses 1 "scanrt: wide is text in UTF-16, by its byte-order mark: convert it by iconv -f UTF-16 -t UTF-8" run wide
done

# ---- columns by name, quoted fields --------------------------------------------------------------------------------------

printf '\357\273\277# a comment\n\nname,"qty, sold","a ""price""",2,twice,twice\r\n' >sales.csv
printf '"x ""y""",3,"1.5",7,0,0\r\n"two\nlines, really", 4 ,"2",8,0,0\r\n' >>sales.csv
run run sales.csv --header --column 'qty, sold'
prints "a column by its name" '3\n7\n'
run sort sales.csv --header --column 'a "price"' --type f64 -r
prints "quotes in a name, quoted numbers" '2\n1.5\n'
run select sales.csv --keep 'x>0' --header --column 2
prints "a name that is a number" '7\n8\n'
run select sales.csv --keep 'x>0' --header --column 3 --type f32
prints "a number that is no name" '1.5\n2\n'
run reduce-by-key --header --key-column 2 --column 'qty, sold' sales.csv sales.csv sums.csv
writes "keys and values by name" sums.csv '7,3\n8,4\n'
run sort --header --key sales.csv --key-column 2 -r --column 'qty, sold' sales.csv
prints "sort by a column by name" '4\n3\n'
refuses 1 "scanrt: sales.csv:3: no column has the name 'cost'; there are: name, qty, sold, a \"price\", 2, twice, twice" \
  run sales.csv --header --column cost
refuses 1 "scanrt: sales.csv:3: columns 5 and 6 have the name 'twice': give the column's number" \
  run sales.csv --header --column twice
refuses 1 "scanrt: sales.csv:4: column 9 is wanted, the line has 6" run sales.csv --header --column 9
misuse rle "--column 'qty' is not a number from 1; --header has columns found by their names" --column qty sales.csv
misuse sort "--key-column 'qty' is not a number from 1; --header has columns found by their names" \
  --key sales.csv --key-column qty five.txt
misuse run "--header is for text" five.npy --header
printf 'a;b\n1;"2"\n' >semicolons.txt
run run --header --column b --delimiter ';' semicolons.txt
prints "another delimiter" '2\n'
printf 'n\n5\n6\n' >one.txt
run run --header one.txt
prints "a header of one column" '5\n11\n'
printf '1,"2"x\n' >bad.csv
refuses 1 "scanrt: bad.csv:1: column 2 has text behind its closing quote" run bad.csv --column 2
printf '1,2\n"a\nb",3\n"1,4\n5,6\n' >bad.csv
refuses 1 "scanrt: bad.csv:4: a quote has no end" run bad.csv --column 2
printf '5" pipe\t1\n"a\tb"\t2\n"c\t3\n"d" e\t4\n' >inches.tsv
run run --column 2 inches.tsv
prints "quotes between tabs" '1\n3\n6\n10\n'
printf '"a b" 1\n' >blanks.txt
run run --column 3 blanks.txt
prints "quotes between blanks are letters" '1\n'

# ---- bools ---------------------------------------------------------------------------------------------------------------

npy bools.npy '|b1' False '(300,)'
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%s", i % 100 ? "\\0001" : "\\0000" }' >bytes.txt
printf '%b' "$(cat bytes.txt)" >>bools.npy
run run bools.npy
if [ "$status" -eq 0 ] && [ "$(tail -n 1 stdout)" = 297 ]; then pass; else fail "sums of bools"; fi
run run bools.npy --type u8
if [ "$status" -eq 0 ] && [ "$(tail -n 1 stdout)" = 41 ]; then pass; else fail "sums of bools as u8"; fi
run run bools.npy --op and --exclusive --init 1
if [ "$status" -eq 0 ] && [ "$(head -n 1 stdout)" = 1 ] && [ "$(tail -n 1 stdout)" = 0 ]; then pass
else fail "bools and another operator"; fi
seq 1 300 >numbers.txt
run run numbers.txt --flags bools.npy --type i64
if [ "$status" -eq 0 ] && [ "$(head -n 2 stdout | tr '\n' ' ')" = "1 2 " ]; then pass; else fail "bools as flags"; fi
run select --flags bools.npy numbers.txt
if [ "$status" -eq 0 ] && [ "$(wc -l <stdout)" -eq 297 ]; then pass; else fail "bools as flags of select"; fi
run reduce-by-key bools.npy bools.npy
if [ "$status" -eq 0 ] && [ "$(sed -n 2p stdout)" = "1	99" ]; then pass; else fail "sums of bools by key"; fi
run sort bools.npy -o sorted.npy
if [ "$status" -eq 0 ] && grep -aq "'descr': '|b1'" sorted.npy && [ "$(wc -c <sorted.npy)" -eq "$(wc -c <bools.npy)" ]
then pass; else fail "sorted bools"; fi

# ---- compressed inputs ---------------------------------------------------------------------------------------------------

# packed PROGRAM EXTENSION NAME LIBRARY: tests inputs that this program has compressed.
packed() {
  if ! command -v "$1" >path.txt; then
    echo "no $1: $3 inputs are not tested"
    return
  fi
  for file in five.txt five.npy sales.csv; do "$1" -c <$file >"$file$2"; done
  run run "five.txt$2"
  prints "$3" '1\n3\n6\n10\n15\n'
  run sort -r "five.npy$2"
  prints "$3 of .npy" '15\n10\n6\n3\n1\n'
  run run "sales.csv$2" --header --column 'qty, sold'
  prints "$3 of CSV" '3\n7\n'
  from "five.npy$2" run --op max
  prints "$3 from a pipe" '1\n3\n6\n10\n15\n'
  cat "five.txt$2" "five.txt$2" >"two$2"
  run sort "two$2"
  prints "$3, two in a row" '1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n'
  head -c 15 "five.txt$2" >"short$2"
  refuses 1 "scanrt: cannot read short$2: $3 data: they end too early" run "short$2"
  from "short$2" run
  if [ "$status" -eq 1 ] && [ "$(cat stderr)" = "scanrt: cannot read standard input: $3 data: they end too early" ]
  then pass; else fail "$3 from a pipe that ends too early"; fi
  cp five.txt "plain$2"
  run run "plain$2"
  if [ "$status" -eq 1 ] && grep -q "^scanrt: cannot read plain$2: $3 data: " stderr; then pass
  else fail "no $3 data"; fi
  seq 1 100000 | "$1" -c >many
  run run many
  if [ "$status" -eq 0 ] && [ "$(tail -n 1 stdout)" = 5000050000 ]; then pass; else fail "$3 of many"; fi
}
packed gzip .gz gzip
packed zstd .zst zstd
if command -v gzip >path.txt; then
  { gzip -c <five.txt && head -c 600 /dev/zero; } >padded.gz
  run run padded.gz
  prints "gzip with zeros behind" '1\n3\n6\n10\n15\n'
  : >empty.gz
  refuses 1 "scanrt: cannot read empty.gz: gzip data: they end too early" run empty.gz
  gzip -c <five.txt >bytes
  run run bytes --format raw --type u8
  if [ "$status" -eq 0 ] && [ "$(head -n 1 stdout)" = 31 ]; then pass; else fail "raw bytes as they are"; fi
fi

# ---- progress ------------------------------------------------------------------------------------------------------------

# shown ARGUMENT...: prints what a terminal shows of a scan of a pipe that begins after more than two seconds.
shown() { script -qec "(sleep 2.3; seq 1 5) | '$scanrt' run $*" /dev/null <stdin | tr -d '\r'; }

if command -v script >path.txt; then
  shown --quiet >quiet.txt &
  shown >stdout
  wait $!
  status=$?
  # The line is rewritten, and erased before the results.
  if grep -q "reading  *2[.][0-9] s$(printf '.*\033')\[K1\$" stdout && [ "$(sed -n '2,$p' stdout | tr '\n' ' ')" = "3 6 10 15 " ]
  then pass; else fail "progress on a terminal"; fi
  printf '1\n3\n6\n10\n15\n' >expected
  if cmp -s quiet.txt expected; then pass; else fail "--quiet"; fi
else
  echo "no script of util-linux: progress is not tested"
fi

# ---- outputs: whole or not at all ------------------------------------------------------------------------------------

# unfinished: succeeds if there is a temporary file of an output.
unfinished() { for file in .scanrt-*.part; do [ -e "$file" ] && return 0; done; return 1; }

# limited ARGUMENT...: runs the tool with files limited to 512 bytes, or 1,024 with some shells.
limited() {
  sh -c 'ulimit -f 1; exec "$@"' sh "$scanrt" "$@" <stdin >stdout 2>stderr
  status=$?
}

# leaves NAME FILE MESSAGE: checks for status 1, this message, the earlier FILE, and no temporary file.
leaves() {
  if [ "$status" -eq 1 ] && grep -qF -- "$3" stderr && cmp -s before "$2" && ! unfinished; then
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

# A benchmark's output is begun at once and renamed at the end. Signals arrive while it is unfinished.
signals="HUP INT TERM"
env --default-signal=INT true 2>stderr || signals="HUP TERM"
for signal in $signals; do
  cp before out.txt
  # In a shell without job control background commands ignore SIGINT.
  env --default-signal=INT "$scanrt" bench --device host --no-peers --reps 300 --n 2^18 --csv out.txt \
    >stdout 2>stderr &
  while ! unfinished && kill -0 $! 2>kill.txt; do :; done
  kill -$signal $!
  wait $!
  status=$?
  if [ "$status" -gt 128 ] && cmp -s before out.txt && ! unfinished; then pass
  else fail "SIG$signal"; fi
done

# Properties of an existing file stay: permissions, links, pipes, devices, the name of standard output.
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
