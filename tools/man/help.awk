# SPDX-License-Identifier: BSD-2-Clause
# Converts a help text of `scanrt` on standard input to roff for man on standard output: the sections after NAME.
#   awk -f help.awk                  a page's own text
#   awk -v part="TITLE" -f help.awk  text that another page has as section TITLE, with its headings as subsections
#
# It recognises "Usage:" and "or:" lines; paragraphs that begin in the first column; headings that end with a colon
# before indented lines; below them items, which begin in one of the first ten columns and continue behind two blanks
# and on lines that begin further to the right; and examples, which are unchanged.

function escape(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  gsub(/`/, "\\(ga", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/~/, "\\(ti", text)
  return text
}

# Prints text of any length in lines of up to 78 bytes, none of which begins like a request of roff.
function print_text(text, words, count, i, line) {
  count = split(escape(text), words, " ")
  line = words[1]
  for (i = 2; i <= count; i++) {
    if (length(line) + 1 + length(words[i]) > 78) {
      print guarded(line)
      line = words[i]
    } else line = line " " words[i]
  }
  print guarded(line)
}

function guarded(line) { return line ~ /^\./ ? "\\&" line : line }

# Formats options in bold, and their values in italics.
function styled(tag, words, count, i, word, tail, out) {
  count = split(tag, words, " ")
  out = ""
  for (i = 1; i <= count; i++) {
    word = words[i]
    tail = ""
    if (word ~ /,$/) {
      tail = ","
      sub(/,$/, "", word)
    }
    if (word ~ /^-/ || section == "Commands" || section == "Environment") word = "\\fB" escape(word) "\\fR"
    else if (word ~ /^[A-Z]/) word = "\\fI" escape(word) "\\fR"
    else word = escape(word)
    out = out (i > 1 ? " " : "") word tail
  }
  return out
}

function heading(title) {
  if (part != "") print ".SS " escape(title)
  else print ".SH " toupper(escape(title))
}

# Prints a heading of options, below one section for all of them.
function options(title) {
  if (part == "" && !has_options) print ".SH OPTIONS"
  if (title != "Options") print ".SS " escape(title)
  has_options = 1
}

function paragraph_end() {
  if (paragraph == "") return
  if (!is_described) {
    heading("Description")
    is_described = 1
  } else if (!is_noted && section != "") {
    heading("Notes")
    is_noted = 1
  } else print ".PP"
  print_text(paragraph)
  paragraph = ""
}

function item_end() {
  if (tag == "") return
  print ".TP"
  print styled(tag)
  if (text != "") print_text(text)
  tag = text = ""
}

function example_end() {
  if (in_example) print ".RE\n.fi"
  in_example = 0
}

function open_section(title) {
  section = title
  column = 0
  if (title == "Commands" || title == "Environment") heading(title)
  else if (title == "Examples") {
    heading(title)
    print ".nf\n.RS 4"
    in_example = 1
  } else options(title)
}

# Prints a section of one line, such as "Exit status: 0 done".
function named_paragraph(line, colon) {
  colon = index(line, ":")
  section = substr(line, 1, colon - 1)
  heading(section)
  print_text(substr(line, colon + 2))
}

function item(line, body, at) {
  item_end()
  if (section == "") open_section("Options")
  match(line, /^ +/)
  body = substr(line, RLENGTH + 1)
  at = match(body, /  +| [*+] /) ? RSTART : 0
  if (!at && column > 0 && length(line) > column && substr(line, column - 1, 1) == " ")
    at = column - 1 - (length(line) - length(body))
  if (!at) {
    tag = body
    return
  }
  tag = substr(body, 1, at - 1)
  text = substr(body, at)
  sub(/^ +/, "", text)
  column = length(line) - length(text) + 1
}

function take(line, next_line) {
  if (line ~ /^Usage: / || line ~ /^  or:  /) {
    if (line ~ /^Usage: /) heading("Synopsis")
    else print ".br"
    sub(/^(Usage:|  or: ) /, "", line)
    sub(/^ +/, "", line)
    print "\\fB" escape(line) "\\fR"
    return
  }
  if (line == "") {
    paragraph_end()
    item_end()
    example_end()
    return
  }
  if (line ~ /^[A-Z].*:$/ && next_line ~ /^ /) {
    paragraph_end()
    item_end()
    example_end()
    open_section(substr(line, 1, length(line) - 1))
    return
  }
  if (line ~ /^(Exit status|Environment): /) {
    paragraph_end()
    named_paragraph(line)
    return
  }
  if (in_example) {
    sub(/^  /, "", line)
    print guarded(escape(line))
    return
  }
  if (line ~ /^[A-Z][A-Za-z ]*:  +/ || (section == "Names" && line ~ /^[A-Z][A-Za-z ]*: /)) { # "Types:       i8 u8"
    paragraph_end()
    item_end()
    if (section != "Names") heading("Names")
    section = "Names"
    column = 0
    sub(/: +/, ":  ", line)
    item(" " line)
    sub(/:$/, "", tag)
    return
  }
  if (line !~ /^ /) {
    item_end()
    paragraph = paragraph (paragraph == "" ? "" : " ") line
    return
  }
  match(line, /^ +/)
  if (RLENGTH <= 10) {
    paragraph_end()
    item(line)
  } else {
    if (tag == "") { # a line that is no part of an item
      print "help.awk: not understood: " line >"/dev/stderr"
      exit 1
    }
    column = RLENGTH + 1
    sub(/^ +/, "", line)
    text = text (text == "" ? "" : " ") line
  }
}

BEGIN {
  if (part != "") print ".SH " toupper(escape(part))
}
NR > 1 { take(held, $0) }
{ held = $0 }
END {
  take(held, "")
  take("", "")
}
