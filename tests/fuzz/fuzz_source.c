/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the text of operators. The scanner's findings are compared with a translation by phases (C11 5.1.1.2).
 * Operators with any names and sizes are made or refused with a sentence. Compilers' logs are relocated. */
#include "device/source.h"
#include "device/source_text.h"
#include "fuzz.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 4096, MOST_MACROS = TEXT_BYTES };

/* ---- a translation by phases ---- */

/* A text after the joining of lines, and the source line of each character. */
typedef struct phased {
  char text[TEXT_BYTES];
  int line[TEXT_BYTES];
  int comment_line; /* line of an unterminated comment, or 0 */
} phased;

static void join_lines(const char *text, phased *out) {
  size_t used = 0;
  int line = 1;
  for (;;) {
    while (text[0] == '\\' && (text[1] == '\n' || (text[1] == '\r' && text[2] == '\n')))
      text += text[1] == '\n' ? 2 : 3, line++;
    out->text[used] = *text;
    out->line[used++] = line;
    if (*text == '\0') return;
    if (*text++ == '\n') line++;
  }
}

/* Returns the end of the string or character constant that begins at i: behind its quote, or the end of the line. */
static size_t end_of_quoted(const char *text, size_t i) {
  const char quote = text[i++];
  while (text[i] != '\0' && text[i] != '\n') {
    if (text[i] == quote) return i + 1;
    if (text[i] == '\\' && text[i + 1] != '\0') i++;
    i++;
  }
  return i;
}

static void blank(char *text, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (text[i] != '\n') text[i] = ' ';
}

/* Replaces comments, also those over several lines, by blanks, and every character of a quoted text by a quote. */
static void remove_comments(phased *p) {
  char *text = p->text;
  for (size_t i = 0, end; text[i] != '\0'; i = end) {
    end = i + 1;
    if (text[i] == '"' || text[i] == '\'') {
      end = end_of_quoted(text, i);
      for (size_t k = i; k < end; k++) text[k] = '"';
    } else if (text[i] == '/' && text[i + 1] == '/') {
      end = i + strcspn(text + i, "\n");
      blank(text, i, end);
    } else if (text[i] == '/' && text[i + 1] == '*') {
      const char *close = strstr(text + i + 2, "*/");
      if (close == NULL) p->comment_line = p->line[i];
      end = close == NULL ? i + strlen(text + i) : (size_t)(close + 2 - text);
      for (size_t k = i; k < end; k++) text[k] = ' ';
    }
  }
}

static void translate(const char *text, phased *p) {
  p->comment_line = 0;
  join_lines(text, p);
  remove_comments(p);
}

static int is_letter(char c) { return isalpha((unsigned char)c) || c == '_'; }
static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word_at(const char *text) {
  size_t length = 0;
  if (is_letter(text[0]))
    while (is_word(text[length])) length++;
  return length;
}

static size_t blanks_at(const char *text) { return strspn(text, " \t\v\f\r"); }

/* Returns the name of the line's directive, or NULL if the line has none. */
static const char *directive_at(const char *line) {
  line += blanks_at(line);
  if (*line == '#')
    line++;
  else if (strncmp(line, "%:", 2) == 0)
    line += 2;
  else
    return NULL;
  return line + blanks_at(line);
}

/* ---- comparison with the scanner's findings ---- */

static void expect_undefines(const phased *p, const char *found) {
  for (const char *line = p->text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *name = directive_at(line);
    if (name == NULL || word_at(name) != 6 || strncmp(name, "define", 6) != 0) continue;
    name += 6 + blanks_at(name + 6);
    const size_t length = word_at(name);
    if (length == 0) continue;
    if (length > 255) return; /* the scanner cuts longer names */
    if (strncmp(found, "#undef ", 7) != 0 || strncmp(found + 7, name, length) != 0 || found[7 + length] != '\n')
      fuzz_fail("%.*s is not undefined in its turn: %s", (int)length, name, found);
    found += 7 + length + 1;
  }
  if (*found != '\0') fuzz_fail("undefined, and not a macro: %s", found);
}

static void check_undefines(const char *text, const phased *p) {
  char *all = malloc(9 * TEXT_BYTES), *part = NULL;
  if (all == NULL) abort();
  const size_t bytes = scan_source_undefine(text, all, 9 * TEXT_BYTES);
  if (bytes != strlen(all) || scan_source_undefine(text, NULL, 0) != bytes)
    fuzz_fail("%zu bytes are not counted", bytes);
  expect_undefines(p, all);
  const size_t room = 1 + bytes / 2;
  part = malloc(room);
  if (part == NULL) abort();
  if (scan_source_undefine(text, part, room) != bytes || strlen(part) >= room || strncmp(part, all, strlen(part)) != 0)
    fuzz_fail("what is cut is not the beginning");
  free(part);
  free(all);
}

static int open_conditionals(const phased *p, int lines[TEXT_BYTES]) {
  int depth = 0;
  for (const char *line = p->text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *name = directive_at(line);
    if (name == NULL) continue;
    if (strncmp(name, "if", 2) == 0) lines[depth++] = p->line[line + blanks_at(line) - p->text];
    if (word_at(name) == 5 && strncmp(name, "endif", 5) == 0 && depth > 0) depth--;
  }
  return depth;
}

static void check_open(const char *text, const phased *p) {
  static int lines[TEXT_BYTES];
  int line = -1;
  const char *found = scan_source_open(text, &line);
  const int depth = open_conditionals(p, lines);
  const int is_open = p->comment_line != 0 || depth > 0;
  if ((found != NULL) != is_open) fuzz_fail("%s is open, and %d levels are", found ? found : "nothing", depth);
  if (p->comment_line != 0 && (line != p->comment_line || strstr(found, "comment") == NULL))
    fuzz_fail("a comment of line %d: %s of line %d", p->comment_line, found, line);
  if (p->comment_line == 0 && depth > 0 && depth <= 64 && line != lines[depth - 1])
    fuzz_fail("a conditional of line %d, and not of %d", lines[depth - 1], line);
}

static void check_reserved(const char *text, const phased *p) {
  char name[SCAN_SOURCE_NAME_BYTES] = "";
  int line = -1;
  const int found = scan_source_reserved(text, name, &line);
  for (const char *at = p->text; *at != '\0';) {
    size_t length = word_at(at);
    if (length == 0) /* a number and the letters that follow it are no word */
      while (is_word(at[length])) length++;
    else if (strncmp(at, "scanrt_", 7) == 0) {
      if (!found || line != p->line[at - p->text] || strncmp(name, at, length < 255 ? length : 255) != 0)
        fuzz_fail("line %d has %.*s; found: %d, %s of line %d", p->line[at - p->text], (int)length, at, found, name,
                  line);
      return;
    }
    at += length > 0 ? length : 1;
  }
  if (found) fuzz_fail("%s of line %d is not there", name, line);
}

static void check_text(fuzz_input *in) {
  static phased p;
  char text[TEXT_BYTES];
  fuzz_text(in, text, sizeof text);
  translate(text, &p);
  check_undefines(text, &p);
  check_open(text, &p);
  check_reserved(text, &p);
}

/* ---- logs ---- */

static void check_log(fuzz_input *in) {
  char log[512], text[128], *out = NULL;
  const int before = (int)fuzz_below(in, 40);
  const size_t room = 1 + (size_t)fuzz_below(in, 600);
  fuzz_text(in, text, sizeof text);
  fuzz_text(in, log, sizeof log);
  out = malloc(room);
  if (out == NULL) abort();
  scan_source_relocate(log, text, before, out, room);
  if (memchr(out, '\0', room) == NULL) fuzz_fail("a log without an end");
  if (strstr(log, "<kernel>:") == NULL && strncmp(out, log, room - 1) != 0) fuzz_fail("a log changes: %s", out);
  free(out);
}

/* ---- operators ---- */

static void combine_bytes(const void *a, const void *b, void *result, void *user) {
  *(unsigned char *)result = (unsigned char)(*(const unsigned char *)a + *(const unsigned char *)b);
  (void)user;
}

/* Returns a size up to a little more than the largest element, or any size. */
static size_t decode_bytes(fuzz_input *in) {
  return fuzz_rarely(in, 16) ? (size_t)fuzz_number(in, 8) : (size_t)fuzz_below(in, SCAN_OP_MOST_BYTES + 3);
}

static int is_size(size_t bytes, size_t align) {
  return bytes >= 1 && bytes <= SCAN_OP_MOST_BYTES && align > 0 && (align & (align - 1)) == 0 && bytes % align == 0;
}

static void check_operator(fuzz_input *in) {
  static scan_ctx *ctx;
  static const unsigned char identity[SCAN_OP_MOST_BYTES];
  char text[256], type[128], combine[128];
  scan_op_source source;
  scan_op *op = NULL;
  if (ctx == NULL) ctx = fuzz_context(1, NULL);
  scan_op_source_init(&source, sizeof source);
  source.value_bytes = decode_bytes(in);
  source.value_align = decode_bytes(in);
  fuzz_text(in, type, sizeof type);
  fuzz_text(in, combine, sizeof combine);
  fuzz_text(in, text, sizeof text);
  source.type = type;
  source.combine = combine;
  source.text = fuzz_rarely(in, 4) ? NULL : text;
  source.host = combine_bytes;
  source.identity = is_size(source.value_bytes, 1) ? identity : NULL;
  const scan_status status = scan_op_create(ctx, &source, &op);
  const int may_be = is_size(source.value_bytes, source.value_align);
  if (status == SCAN_SUCCESS && !may_be) fuzz_fail("%zu bytes aligned to %zu", source.value_bytes, source.value_align);
  if (status != SCAN_SUCCESS && op != NULL) fuzz_fail("an operator that is refused is set");
  if (status != SCAN_SUCCESS && status != SCAN_BUILD_FAILED) fuzz_refused(ctx, status, "scan_op_create");
  if (status == SCAN_BUILD_FAILED && strstr(scan_last_error(ctx), "operator:") == NULL)
    fuzz_fail("no line is named: %s", scan_last_error(ctx));
  scan_op_destroy(op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  switch (fuzz_below(&in, 8)) {
  case 0: check_log(&in); break;
  case 1:
  case 2: check_operator(&in); break;
  default: check_text(&in); break;
  }
  return 0;
}
