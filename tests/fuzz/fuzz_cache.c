/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes files of the cache of compiled programs. A file that differs from the stored one is not loaded, unless its
 * checksum is forged; then only a binary that matches the header is. Trimming removes only the cache's own files. */
#define _POSIX_C_SOURCE 200809L
#include "device/program_cache.h"
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 4096, PATH_BYTES = 512 };

/* Offsets in bytes of the parts of a file's header (program_cache.c). */
enum { KEY_BYTES_AT = 16, BINARY_BYTES_AT = 24, CHECKSUM_AT = 32, HEADER_BYTES = 48 };

typedef struct bytes {
  unsigned char data[FILE_BYTES];
  size_t count;
} bytes;

static void open_cache(void) {
  if (setenv("SCANRT_CACHE", fuzz_folder(), 1) != 0) abort();
}

static program_cache_key decode_key(fuzz_input *in) {
  char source[64], options[16];
  program_cache_key key;
  fuzz_text(in, source, sizeof source);
  fuzz_text(in, options, sizeof options);
  const program_cache_part parts[] = { program_cache_text("source", source), program_cache_text("options", options) };
  if (!scan_program_cache_key_make(parts, 2, &key)) abort();
  return key;
}

static void path_of(const program_cache_key *key, char path[PATH_BYTES]) {
  char name[PROGRAM_CACHE_NAME_BYTES];
  scan_program_cache_name(key, name);
  snprintf(path, PATH_BYTES, "%s/%s", fuzz_folder(), name);
}

static bytes read_file(const char *path) {
  bytes read = { .count = 0 };
  FILE *file = fopen(path, "rb");
  if (file == NULL) fuzz_fail("what was stored is not there");
  read.count = fread(read.data, 1, sizeof read.data, file);
  fclose(file);
  return read;
}

static void write_file(const char *path, const bytes *b) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, b->data, b->count) != (ssize_t)b->count || close(file) != 0)
    fuzz_fail("cannot write %s", path);
}

/* ---- damage ---- */

/* Changes a few bytes, may cut the file, and may append bytes. */
static void damage(fuzz_input *in, bytes *b) {
  for (int i = (int)fuzz_below(in, 4); i > 0; i--) {
    const size_t at = (size_t)fuzz_below(in, b->count);
    b->data[at] = (unsigned char)(b->data[at] ^ fuzz_byte(in));
  }
  if (fuzz_rarely(in, 4)) b->count = (size_t)fuzz_below(in, b->count + 1);
  for (int i = (int)fuzz_below(in, 16); i > 8 && b->count < FILE_BYTES; i--) b->data[b->count++] = fuzz_byte(in);
}

/* Changes the two lengths in the header, by a little or to any number. */
static void change_lengths(fuzz_input *in, bytes *b) {
  static const size_t at[] = { KEY_BYTES_AT, BINARY_BYTES_AT };
  for (int i = 0; i < 2 && b->count >= HEADER_BYTES; i++) {
    uint64_t length;
    memcpy(&length, b->data + at[i], sizeof length);
    length = fuzz_rarely(in, 4) ? fuzz_number(in, 8) : length + fuzz_below(in, 9) - 4;
    memcpy(b->data + at[i], &length, sizeof length);
  }
}

/* Stores the right checksum of the changed file, as a forger would. */
static void correct_checksum(bytes *b) {
  program_cache_hash hash = scan_program_cache_hash_start();
  if (b->count < HEADER_BYTES) return;
  memset(b->data + CHECKSUM_AT, 0, HEADER_BYTES - CHECKSUM_AT);
  scan_program_cache_hash_add(&hash, b->data, b->count);
  memcpy(b->data + CHECKSUM_AT, &hash, sizeof hash);
}

/* Fails unless the binary is the end of the file, as its lengths say, and the file has the key. */
static void expect_true(const bytes *file, const program_cache_key *key, const unsigned char *binary, size_t count) {
  if (file->count != HEADER_BYTES + key->bytes + count) fuzz_fail("%zu bytes of a file of %zu", count, file->count);
  if (memcmp(file->data + HEADER_BYTES, key->text, key->bytes) != 0) fuzz_fail("a file of another key");
  if (memcmp(file->data + HEADER_BYTES + key->bytes, binary, count) != 0) fuzz_fail("another binary");
}

static void check_load(const program_cache_key *key, const bytes *file, const bytes *stored, int is_forged) {
  size_t count = 0;
  void *binary = scan_program_cache_load(key, &count);
  const int is_whole = file->count == stored->count && memcmp(file->data, stored->data, file->count) == 0;
  if (binary == NULL && is_whole) fuzz_fail("a file is not used as it was stored");
  if (binary != NULL && !is_whole && !is_forged) fuzz_fail("a damaged file is used");
  if (binary != NULL) expect_true(file, key, binary, count);
  free(binary);
}

static void check_damage(fuzz_input *in, int is_forged) {
  char path[PATH_BYTES];
  program_cache_key key = decode_key(in);
  const size_t count = 1 + (size_t)fuzz_below(in, 64);
  unsigned char binary[64];
  for (size_t i = 0; i < count; i++) binary[i] = fuzz_byte(in);
  scan_program_cache_store(&key, binary, count);
  path_of(&key, path);
  const bytes stored = read_file(path);
  bytes file = stored;
  damage(in, &file);
  if (is_forged) change_lengths(in, &file);
  if (is_forged) correct_checksum(&file);
  write_file(path, &file);
  check_load(&key, &file, &stored, is_forged);
  (void)unlink(path);
  scan_program_cache_key_free(&key);
}

/* Loads a file of arbitrary bytes. */
static void check_any(fuzz_input *in) {
  char path[PATH_BYTES];
  program_cache_key key = decode_key(in);
  bytes file = { .count = in->left < FILE_BYTES ? in->left : FILE_BYTES };
  memcpy(file.data, in->at, file.count);
  path_of(&key, path);
  write_file(path, &file);
  size_t count = 0;
  void *binary = scan_program_cache_load(&key, &count);
  if (binary != NULL) expect_true(&file, &key, binary, count);
  free(binary);
  (void)unlink(path);
  scan_program_cache_key_free(&key);
}

/* ---- trimming ---- */

/* Trims a folder with one file. It is removed exactly if both its name and its first bytes are the cache's. */
static void check_trim(fuzz_input *in) {
  char name[64], path[PATH_BYTES];
  fuzz_text(in, name, sizeof name);
  if (name[0] == '\0' || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return;
  bytes file = { .count = in->left < 64 ? in->left : 64 };
  memcpy(file.data, in->at, file.count);
  snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
  write_file(path, &file);
  const int folder = scan_program_cache_open(0);
  if (folder < 0) fuzz_fail("there is no folder");
  scan_program_cache_trim(folder, 0);
  const int is_own = file.count >= 8 && memcmp(file.data, "scanrtPC", 8) == 0 && strlen(name) == 40 &&
                     strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, PROGRAM_CACHE_SUFFIX) == 0;
  if ((access(path, F_OK) == 0) == is_own) fuzz_fail("%s is %s", name, is_own ? "left" : "removed");
  (void)close(folder);
  (void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input in = { data, size };
  open_cache();
  switch (fuzz_below(&in, 4)) {
  case 0: check_any(&in); break;
  case 1: check_trim(&in); break;
  case 2: check_damage(&in, 1); break;
  default: check_damage(&in, 0); break;
  }
  return 0;
}
