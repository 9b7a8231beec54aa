# SPDX-License-Identifier: BSD-2-Clause
# Converts help texts of `scanrt` on standard input to a table of options on standard output. A line has an option's
# long name, its letter, the word for its value, and the first line of its description, separated by tabs.
#
# An item begins in one of the first ten columns and names its options before two blanks or an asterisk. Descriptions
# name further options, such as "--key-type T of KEYS". Options in examples, usage lines and quotes are ignored.

# Adds the option named by word i, with the value named by the next word.
function add(words, i, count, letter, description, name, value) {
  name = words[i]
  sub(/^--/, "", name)
  gsub(/[^a-z-].*$/, "", name)
  if (name == "") return
  value = i < count && words[i] !~ /[,;.:)]$/ && words[i + 1] ~ /^[A-Z][A-Z:,.]*[;)]?$/ ? words[i + 1] : ""
  gsub(/[^A-Z]/, "", value)
  if (!(name in place)) {
    place[name] = ++options
    names[options] = name
  }
  if (value != "" && values[name] == "") values[name] = value
  if (description != "" && descriptions[name] == "") {
    descriptions[name] = description
    if (letter != "") letters[name] = letter
  }
}

function add_all(text, letter, description, words, count, i) {
  count = split(text, words, " ")
  for (i = 1; i <= count; i++)
    if (words[i] ~ /^\(?--[a-z]/) {
      sub(/^\(/, "", words[i])
      add(words, i, count, letter, description)
    }
}

# Returns text without its quoted parts.
function unquoted(text) {
  gsub(/'[^']*'/, "", text)
  return text
}

# Returns a description shortened for a list.
function shortened(text) {
  sub(/[;(].*$/, "", text)
  sub(/^ *[+*] */, "", text)
  sub(/[ :,]+$/, "", text)
  return text
}

/^[A-Z].*:$/ { in_examples = $0 ~ /^Examples/ }
/^[^ ]/ || /^  or: / || in_examples { next }
{ match($0, /^ */) }
RLENGTH >= 2 && RLENGTH <= 9 && /^ +(-[a-zA-Z], )?--[a-z]/ {
  letter = $1 ~ /^-[a-zA-Z],$/ ? substr($1, 2, 1) : ""
  body = $0
  sub(/^ +/, "", body)
  at = match(body, /  +| [*] /)
  # A long option has one blank before its description.
  if (!at && match(body, /^(-[a-zA-Z], )?--[a-z-]+ [a-z]/)) at = RLENGTH - 1
  tag = at ? substr(body, 1, at - 1) : body
  text = at ? substr(body, at) : ""
  sub(/^ +/, "", text)
  add_all(tag, letter, shortened(text))
  add_all(unquoted(text), "", "")
  next
}
{ add_all(unquoted($0), "", "") }

END {
  for (i = 1; i <= options; i++)
    printf "%s\t%s\t%s\t%s\n", names[i], letters[names[i]], values[names[i]], descriptions[names[i]]
}
