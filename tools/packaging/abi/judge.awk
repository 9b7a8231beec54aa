# SPDX-License-Identifier: BSD-2-Clause
# usage: awk -f judge.awk BASELINE.abixml REPORT
# Reads a report of `abidiff --harmless`: lists additions, and fails on every line that is not known to be harmless. A
# struct that begins with struct_bytes may grow at its end, since callers pass its size. A member in former padding is
# refused, since it does not change the size.

NR == FNR {
  if (/<class-decl /) { name = $0; sub(/.* name='/, "", name); sub(/'.*/, "", name) }
  if (/<var-decl name='struct_bytes'/) may_grow[name] = 1
  next
}
/^$/ || /changes summary:/ { next }
/^[0-9]+ Added functions?:$/ || /^[0-9]+ functions? with some (indirect )?sub-type changes?:$/ { next }
/^  \[A\] / { sub(/^ *\[A\] /, ""); print "new: " $0; next }
/^  \[C\] .* has some (indirect )?sub-type changes:$/ { next }
/^ +underlying type '(struct|enum) [a-z0-9_]+'.* changed:$/ { type = $4; sub(/'.*/, "", type); size = -1; next }
/^ +(parameter [0-9]+ of type|return type|in pointed to type|in unqualified underlying type) .*:$/ { next }
/^ +(type of|array element type) '.*'.* changed:$/ || /, as reported earlier$/ { next }
/^ +type size hasn't changed$/ { next }
/^ +type size changed from [0-9]+ to [0-9]+ \(in bits\)$/ && type in may_grow { size = $5 + 0; next }
/^ +[0-9]+ (data member (insertion|change)|enumerator insertion)s?:$/ { next }
/^ +'.*', at offset [0-9]+ \(in bits\)$/ && size >= 0 {
  place = $0
  sub(/.*at offset /, "", place)
  if (place + 0 >= size) { print "new member of " type ":" $0; next }
}
/^ +'[A-Za-z0-9_]+::[A-Za-z0-9_]+' value '-?[0-9]+'/ { print "new enumerator:" $0; next }
{ print "not compatible: " $0; bad = 1 }
END { exit bad }
