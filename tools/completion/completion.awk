# SPDX-License-Identifier: BSD-2-Clause
# The table of make_completion.sh on standard input, as a completion of one shell on standard output.
#   awk -F TAB -v shell=bash|zsh|fish -f completion.awk TABLE

# Returns the kind of an option's value: the kind of its names, "file", "device", "other", or "" for no value.
function kind_of(name, value) {
  if (name ~ /^(input-|key-)?type$/) return "type"
  if (name == "op") return "operator"
  if (name == "strategy") return "strategy"
  if (name ~ /format$/) return "format"
  if (name == "device") return "device"
  if (value ~ /^(FILE|OUT|KEYS|FLAGS|COUNTS|REST|LENGTHS|STARTS)$/) return "file"
  return value == "" ? "" : "other"
}

$1 == "command" {
  commands = commands (commands == "" ? "" : " ") $2
  command_count++
  command_name[command_count] = $2
  about[$2] = $3
}
# If several help texts have an option, the first one counts.
$1 == "option" && !(($2, $3) in seen) {
  seen[$2, $3] = 1
  n++
  of[n] = $2
  name[n] = $3
  letter[n] = $4
  value[n] = $5
  kind[n] = kind_of($3, $5)
  description[n] = $6
}
$1 == "names" { names[$2] = $3 }

END {
  if (shell == "zsh") print "#compdef scanrt" # compinit looks for it in the first line
  print "# Made by make_completion.sh from the help texts of scanrt."
  if (shell == "bash") bash()
  else if (shell == "zsh") zsh()
  else fish()
}

# ---- bash ----

# Returns the command's options with values of that kind, as a pattern of `case`.
function pattern(wanted, i, text) {
  for (i = 1; i <= n; i++)
    if (kind[i] == wanted && !((wanted, name[i]) in written)) {
      written[wanted, name[i]] = 1
      text = text (text == "" ? "" : " | ") "--" name[i]
      if (letter[i] != "") text = text " | -" letter[i]
    }
  return text
}

function bash(i, c, k, options, kinds, count) {
  print "_scanrt() {"
  print "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= options="
  print "  COMPREPLY=()"
  print "  # \"--type=i32\" is three words."
  print "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi"
  print "  if [[ $COMP_CWORD -eq 1 || ($COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help) ]]; then"
  print "    words=\"" commands "\""
  print "    [[ $COMP_CWORD -eq 1 ]] && words=\"$words help --help --version\""
  print "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))"
  print "    return"
  print "  fi"
  print "  case $prev in"
  count = split("type operator strategy format", kinds, " ")
  for (k = 1; k <= count; k++) print "    " pattern(kinds[k]) ") words=\"" names[kinds[k]] "\" ;;"
  print "    " pattern("device") ") words=$(scanrt info --list 2>/dev/null | cut -d ' ' -f 1) ;;"
  print "    " pattern("file") ") ;;"
  print "    " pattern("other") ") return ;;"
  print "    *) case ${COMP_WORDS[1]} in"
  for (c = 1; c <= command_count; c++) {
    options = ""
    for (i = 1; i <= n; i++) if (of[i] == command_name[c]) options = options (options == "" ? "" : " ") "--" name[i]
    print "      " command_name[c] ") options=\"" options "\" ;;"
  }
  print "    esac ;;"
  print "  esac"
  print "  if [[ -n $words ]]; then"
  print "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))"
  print "    # Selectors such as cuda:0 have a colon, which ends a word."
  print "    if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions \"$cur\"; fi"
  print "  elif [[ $cur == -* && -n $options ]]; then"
  print "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))"
  print "  else"
  print "    compopt -o filenames 2>/dev/null"
  print "    COMPREPLY=($(compgen -f -- \"$cur\"))"
  print "  fi"
  print "}"
  print "complete -F _scanrt scanrt"
}

# ---- zsh ----

# Escapes text in single quotes, inside brackets or after a colon of _arguments.
function zsh_text(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/\[/, "\\[", text)
  gsub(/\]/, "\\]", text)
  gsub(/:/, "\\:", text)
  gsub(/'/, "'\\''", text)
  return text
}

function zsh_value(i) {
  if (kind[i] == "") return ""
  if (kind[i] == "file") return ":file:_files"
  if (kind[i] == "device") return ":device:_scanrt_devices"
  if (kind[i] in names) return ":" kind[i] ":(" names[kind[i]] ")"
  return ":" value[i] ":"
}

function zsh(c, i) {
  print "_scanrt_devices() {"
  print "  local -a devices"
  print "  devices=(${(f)\"$(scanrt info --list 2>/dev/null | cut -d ' ' -f 1)\"})"
  print "  compadd -a devices"
  print "}"
  print "_scanrt() {"
  print "  local -a commands"
  print "  commands=("
  for (c = 1; c <= command_count; c++) print "    '" command_name[c] ":" zsh_text(about[command_name[c]]) "'"
  print "    'help:the help text of a command'"
  print "  )"
  print "  if (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] == help ]]; then"
  print "    _describe command commands"
  print "    return"
  print "  fi"
  print "  local command=$words[2]"
  print "  shift words"
  print "  (( CURRENT-- ))"
  print "  case $command in"
  for (c = 1; c <= command_count; c++) {
    print "    " command_name[c] ") _arguments -s \\"
    for (i = 1; i <= n; i++) {
      if (of[i] != command_name[c]) continue
      print "      '*--" name[i] (kind[i] == "" ? "" : "=") "[" zsh_text(description[i]) "]" zsh_value(i) "' \\"
      if (letter[i] != "")
        print "      '*-" letter[i] (kind[i] == "" ? "" : "+") "[" zsh_text(description[i]) "]" zsh_value(i) "' \\"
    }
    print "      '*:file:_files' ;;"
  }
  print "  esac"
  print "}"
  print "_scanrt \"$@\""
}

# ---- fish ----

function fish_text(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/'/, "\\'", text)
  return "'" text "'"
}

function fish_value(i) {
  if (kind[i] == "") return ""
  if (kind[i] == "file") return " -r -F"
  if (kind[i] == "device") return " -x -a \"(scanrt info --list 2>/dev/null | string replace -r ' .*' '')\""
  if (kind[i] in names) return " -x -a '" names[kind[i]] "'"
  return " -x"
}

function fish(c, i) {
  for (c = 1; c <= command_count; c++)
    print "complete -c scanrt -n __fish_use_subcommand -f -a " command_name[c] " -d " fish_text(about[command_name[c]])
  print "complete -c scanrt -n __fish_use_subcommand -f -a help -d 'the help text of a command'"
  print "complete -c scanrt -n __fish_use_subcommand -f -l help -s h -d 'all commands'"
  print "complete -c scanrt -n __fish_use_subcommand -f -l version -d 'versions, and how the library was built'"
  print "complete -c scanrt -n '__fish_seen_subcommand_from help' -f -a '" commands "'"
  for (i = 1; i <= n; i++)
    print "complete -c scanrt -n 'not __fish_seen_subcommand_from help; and __fish_seen_subcommand_from " of[i] "' -l " \
      name[i] (letter[i] == "" ? "" : " -s " letter[i]) fish_value(i) \
      (description[i] == "" ? "" : " -d " fish_text(description[i]))
}
