/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file io_npy.c
 * @brief NumPy's .npy files, format versions 1.0, 2.0 and 3.0 (numpy.lib.format).
 *
 * A file is a magic string, two version bytes, the header's length (2 bytes; 4 from version 2.0 on), the header (a
 * Python dictionary with the keys 'descr', 'fortran_order' and 'shape') and the elements.
 */
#define _POSIX_C_SOURCE 200809L
#include "io.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "io_npy.c writes and accepts little-endian elements only, as they lie in memory"
#endif

enum { MAGIC_BYTES = 6, ALIGN_BYTES = 64, MAX_HEADER_BYTES = 1 << 16, DESCR_BYTES = 16, SHAPE_BYTES = 256 };
static const char MAGIC[] = "\x93NUMPY";

/** NumPy's letter and size of each type, such as "i4"; NumPy has no bfloat16. */
static const char *const codes[] = {
  [SCAN_I8] = "i1",  [SCAN_U8] = "u1",  [SCAN_I16] = "i2", [SCAN_U16] = "u2", [SCAN_I32] = "i4", [SCAN_U32] = "u4",
  [SCAN_I64] = "i8", [SCAN_U64] = "u8", [SCAN_F32] = "f4", [SCAN_F64] = "f8", [SCAN_F16] = "f2"
};

/** The fields of a header, as text. */
typedef struct npy_header {
  char descr[DESCR_BYTES]; /**< "" for a structured dtype. */
  char shape[SHAPE_BYTES]; /**< The text inside the parentheses. */
  int fortran_order;
} npy_header;

/** Returns the begin of the value of a key in the dictionary, or NULL. */
static const char *find_value(const char *text, const char *key) {
  char quoted[32];
  for (const char *quotes = "'\""; *quotes; quotes++) {
    snprintf(quoted, sizeof quoted, "%c%s%c", *quotes, key, *quotes);
    const char *p = strstr(text, quoted);
    if (!p) continue;
    p += strlen(quoted);
    while (isspace((unsigned char)*p)) p++;
    if (*p++ != ':') continue;
    while (isspace((unsigned char)*p)) p++;
    return p;
  }
  return NULL;
}

/** Copies the text between two characters. @return 0, or -1 if they are missing or the text is too long */
static int copy_between(const char *text, char open, char close, char *copy, size_t copy_bytes) {
  if (*text != open) return -1;
  const char *end = strchr(text + 1, close);
  if (!end || (size_t)(end - text) > copy_bytes) return -1;
  memcpy(copy, text + 1, (size_t)(end - text - 1));
  copy[end - text - 1] = '\0';
  return 0;
}

static int parse_header(const char *name, const char *text, npy_header *header) {
  const char *descr = find_value(text, "descr"), *order = find_value(text, "fortran_order");
  const char *shape = find_value(text, "shape");
  if (!descr || !order || !shape || copy_between(shape, '(', ')', header->shape, SHAPE_BYTES) != 0)
    return cli_fail("%s: the .npy header is damaged", name);
  if (copy_between(descr, *descr == '"' ? '"' : '\'', *descr == '"' ? '"' : '\'', header->descr, DESCR_BYTES) != 0)
    header->descr[0] = '\0';
  header->fortran_order = strncmp(order, "True", 4) == 0;
  return CLI_OK;
}

static int find_type(const char *name, const char *descr, io_array *found) {
  found->is_bool = !strcmp(descr, "|b1");
  if (found->is_bool) return found->type = SCAN_U8, CLI_OK;
  if (!descr[0]) return cli_fail("%s: structured dtypes are not supported", name);
  if (descr[0] == '>') return cli_fail("%s: dtype '%s' is big-endian; convert it to '<%s'", name, descr, descr + 1);
  for (int t = SCAN_I8; t <= SCAN_F16; t++)
    if (strchr("<|=", descr[0]) && !strcmp(descr + 1, codes[t])) return found->type = (scan_type)t, CLI_OK;
  return cli_fail("%s: dtype '%s' is not supported; b1, i1 to i8, u1 to u8, f2, f4 and f8 are", name, descr);
}

/** Reads a shape such as "5," or "2, 3". Too large a product stays too large until it is compared with the file's
 * size. */
static int parse_shape(const char *name, const npy_header *header, io_array *found) {
  char *end = NULL;
  found->n = 1;
  for (const char *p = header->shape; *p; p = end + strspn(end, " ,L")) {
    while (isspace((unsigned char)*p)) p++;
    if (!isdigit((unsigned char)*p)) return cli_fail("%s: the .npy header is damaged", name);
    if (found->ndim == SCAN_ARRAY_MAX_AXES)
      return cli_fail("%s: more than %d dimensions are not supported", name, SCAN_ARRAY_MAX_AXES);
    const uint64_t items = strtoull(p, &end, 10);
    found->shape[found->ndim++] = items;
    found->n = items && found->n > UINT64_MAX / items ? UINT64_MAX : found->n * items;
  }
  if (found->ndim == 0) return cli_fail("%s: an array of 0 dimensions has no axis to scan along", name);
  return CLI_OK;
}

/** Reads magic, version and length. @param[out] header_bytes  length of the header text */
static int read_preamble(const io_source *source, size_t *header_bytes) {
  unsigned char head[MAGIC_BYTES + 6];
  if (fread(head, 1, MAGIC_BYTES + 4, source->file) != MAGIC_BYTES + 4 || memcmp(head, MAGIC, MAGIC_BYTES) != 0)
    return ferror(source->file) ? io_fail_read(source) : cli_fail("%s: not an .npy file", source->name);
  unsigned version = head[MAGIC_BYTES], low = head[MAGIC_BYTES + 2] + 256u * head[MAGIC_BYTES + 3];
  if (version < 1 || version > 3) return cli_fail("%s: .npy version %u is not supported", source->name, version);
  *header_bytes = low;
  if (version == 1) return CLI_OK;
  if (fread(head, 1, 2, source->file) != 2) return cli_fail("%s: the .npy header is damaged", source->name);
  *header_bytes += 65536u * head[0] + 16777216u * head[1];
  return CLI_OK;
}

static int read_header(const io_source *source, npy_header *header) {
  size_t bytes = 0;
  int rc = read_preamble(source, &bytes);
  if (rc != CLI_OK) return rc;
  if (bytes > MAX_HEADER_BYTES) return cli_fail("%s: an .npy header of %zu bytes", source->name, bytes);
  char *text = calloc(1, bytes + 1);
  if (!text) return io_fail_read(source);
  if (fread(text, 1, bytes, source->file) == bytes)
    rc = parse_header(source->name, text, header);
  else
    rc = cli_fail("%s: the file ends inside the .npy header", source->name);
  free(text);
  return rc;
}

static int begin_npy(const io_source *source, io_array *whole) {
  npy_header header;
  io_array found = { .ndim = 0 };
  int rc = read_header(source, &header);
  if (rc == CLI_OK) rc = find_type(source->name, header.descr, &found);
  if (rc == CLI_OK) rc = parse_shape(source->name, &header, &found);
  if (rc != CLI_OK) return rc;
  found.is_fortran = header.fortran_order;
  *whole = found;
  return CLI_OK;
}

int io_check_bytes(const char *name, const io_array *whole, uint64_t bytes) {
  const size_t item_bytes = scan_type_bytes(whole->type);
  if (whole->n <= bytes / item_bytes) return CLI_OK;
  return cli_fail("%s: the header says %" PRIu64 " elements of %zu bytes, the file has %" PRIu64 " bytes of them", name,
                  whole->n, item_bytes, bytes);
}

static int read_npy(const io_source *source, io_array *array) {
  io_array found;
  char *data;
  uint64_t bytes;
  int rc = begin_npy(source, &found);
  if (rc == CLI_OK) rc = io_read_all(source, &data, &bytes);
  if (rc != CLI_OK) return rc;
  rc = io_check_bytes(source->name, &found, bytes);
  if (rc != CLI_OK) {
    free(data);
    return rc;
  }
  found.data = data;
  io_settle_bools(&found);
  *array = found;
  return CLI_OK;
}

void io_settle_bools(io_array *array) {
  unsigned char *bytes = array->data;
  for (uint64_t i = 0; array->is_bool && i < array->n; i++) bytes[i] = bytes[i] != 0;
}

void io_format_shape(const io_array *array, char *text) {
  const uint32_t ndim = array->ndim ? array->ndim : 1;
  int used = 0;
  for (uint32_t i = 0; i < ndim; i++)
    used += snprintf(text + used, (size_t)(IO_SHAPE_BYTES - used), "%s%" PRIu64, i ? ", " : "(",
                     array->ndim ? array->shape[i] : array->n);
  snprintf(text + used, (size_t)(IO_SHAPE_BYTES - used), ndim == 1 ? ",)" : ")");
}

static int write_begin_npy(FILE *file, const char *name, const io_array *array) {
  char shape[IO_SHAPE_BYTES], text[IO_SHAPE_BYTES + 2 * ALIGN_BYTES];
  size_t item_bytes = scan_type_bytes(array->type);
  io_format_shape(array, shape);
  int used =
      snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': %s, }", item_bytes == 1 ? '|' : '<',
               array->is_bool ? "b1" : codes[array->type], array->is_fortran ? "True" : "False", shape);
  /* Pads the header with blanks and a line feed, so that the elements begin at a multiple of 64 bytes. */
  size_t preamble_bytes = MAGIC_BYTES + 4;
  size_t total = (preamble_bytes + (size_t)used + 1 + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
  size_t header_bytes = total - preamble_bytes;
  memset(text + used, ' ', header_bytes - (size_t)used);
  text[header_bytes - 1] = '\n';
  const unsigned char version[4] = { 1, 0, (unsigned char)(header_bytes & 255), (unsigned char)(header_bytes >> 8) };
  if (fwrite(MAGIC, 1, MAGIC_BYTES, file) != MAGIC_BYTES || fwrite(version, 1, 4, file) != 4 ||
      fwrite(text, 1, header_bytes, file) != header_bytes)
    return io_fail("write", name);
  return CLI_OK;
}

static int write_npy(FILE *file, const char *name, const io_array *array) {
  const int rc = write_begin_npy(file, name, array);
  return rc != CLI_OK ? rc : io_write_all(file, name, array->data, array->n * scan_type_bytes(array->type));
}

const io_format io_npy = { .name = "npy",
                           .extensions = ".npy.",
                           .is_binary = 1,
                           .needs_type = 0,
                           .read = read_npy,
                           .write = write_npy,
                           .begin = begin_npy,
                           .write_begin = write_begin_npy };
