/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "fuzz.h"
#include "support.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- inputs ---- */

uint8_t fuzz_byte(fuzz_input *in) {
  if (in->left == 0) return 0;
  in->left--;
  return *in->at++;
}

uint64_t fuzz_number(fuzz_input *in, unsigned bytes) {
  uint64_t number = 0;
  for (unsigned i = 0; i < bytes; i++) number |= (uint64_t)fuzz_byte(in) << 8 * i;
  return number;
}

uint64_t fuzz_below(fuzz_input *in, uint64_t bound) {
  unsigned bytes = 0;
  for (uint64_t rest = bound > 0 ? bound - 1 : 0; rest > 0; rest >>= 8) bytes++;
  return bytes == 0 ? 0 : fuzz_number(in, bytes) % bound;
}

int fuzz_rarely(fuzz_input *in, unsigned of) { return in->left > 0 && fuzz_byte(in) % of == of - 1; }

int fuzz_choice(fuzz_input *in, int first, int last) {
  const int byte = fuzz_byte(in);
  return byte >= 240 ? (int8_t)fuzz_byte(in) : first + byte % (last - first + 1);
}

uint64_t fuzz_items(fuzz_input *in, uint64_t most) {
  const unsigned kind = fuzz_byte(in) % 8;
  const uint64_t bound = kind < 3 ? 40 : kind < 6 ? 700 : most;
  return fuzz_below(in, bound < most ? bound : most);
}

void fuzz_text(fuzz_input *in, char *text, size_t room) {
  size_t used = 0;
  while (in->left > 0 && used + 1 < room && (text[used] = (char)fuzz_byte(in)) != '\0') used++;
  text[used] = '\0';
}

/* ---- failures ---- */

void fuzz_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fuzz: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  abort();
}

void fuzz_refused(const scan_ctx *ctx, scan_status status, const char *what) {
  if (status != SCAN_INVALID_ARGUMENT && status != SCAN_UNSUPPORTED)
    fuzz_fail("%s gives %s where it must refuse", what, scan_status_name(status));
  if (strlen(scan_last_error(ctx)) < 10)
    fuzz_fail("%s: %s without a sentence: '%s'", what, scan_status_name(status), scan_last_error(ctx));
}

void fuzz_done(const scan_ctx *ctx, scan_status status, const char *what) {
  if (status != SCAN_SUCCESS) fuzz_fail("%s gives %s: %s", what, scan_status_name(status), scan_last_error(ctx));
}

int fuzz_judge(const scan_ctx *ctx, scan_status status, const scan_plan *plan, int is_valid, const char *what) {
  if (status != SCAN_SUCCESS && is_valid) fuzz_fail("%s is refused: %s", what, scan_last_error(ctx));
  if (status == SCAN_SUCCESS && !is_valid) fuzz_fail("%s: a plan is made for what is no spec", what);
  if (status != SCAN_SUCCESS) fuzz_refused(ctx, status, what);
  if ((status == SCAN_SUCCESS) != (plan != NULL)) fuzz_fail("%s: a plan is set, or is not", what);
  return status == SCAN_SUCCESS;
}

/* ---- contexts, files, memory ---- */

/* Replaces the C library's function by a constant. libFuzzer takes compared numbers as hints, which must be the same in
 * each process. */
pid_t getpid(void) { return 4242; }

scan_ctx *fuzz_context(uint32_t threads, const char *tune) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = "host";
  options.threads = threads;
  if (tune != NULL && setenv("SCANRT_TUNE", tune, 1) != 0) abort();
  fuzz_done(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  if (tune != NULL) (void)unsetenv("SCANRT_TUNE");
  return ctx;
}

scan_ctx *fuzz_one_of_contexts(fuzz_input *in) {
  static scan_ctx *one, *several;
  if (one == NULL) one = fuzz_context(1, NULL);
  if (several == NULL) several = fuzz_context(test_host_threads(3), "one_thread_bytes=0");
  return fuzz_rarely(in, 2) ? several : one;
}

static char folder[256];

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  return remove(path);
}

static void remove_folder(void) { (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

const char *fuzz_folder(void) {
  const char *temporary = getenv("TMPDIR");
  if (folder[0] != '\0') return folder;
  snprintf(folder, sizeof folder, "%.200s/scanrt-fuzz-XXXXXX", temporary ? temporary : "/tmp");
  if (mkdtemp(folder) == NULL) fuzz_fail("no folder %s", folder);
  (void)atexit(remove_folder);
  return folder;
}

FILE *fuzz_stream(const void *data, size_t bytes) {
  FILE *file = bytes > 0 ? fmemopen((void *)(uintptr_t)data, bytes, "rb") : fopen("/dev/null", "rb");
  if (file == NULL) fuzz_fail("no stream of %zu bytes", bytes);
  return file;
}

fuzz_memory fuzz_reserve(uint64_t bytes, uint64_t shift) {
  const size_t all = (size_t)(shift + bytes);
  /* Allocates no byte more than asked for, so that a sanitizer finds reads past the end. */
  fuzz_memory memory = { .begin = malloc(all > 0 ? all : 1), .shift = shift, .bytes = bytes };
  if (memory.begin == NULL) abort();
  memset(memory.begin, FUZZ_POISON, all);
  memory.data = memory.begin + shift;
  return memory;
}

void fuzz_check_margin(const fuzz_memory *memory, const char *what) {
  for (uint64_t i = 0; i < memory->shift; i++)
    if (memory->begin[i] != FUZZ_POISON) fuzz_fail("%s: a byte before the memory has changed", what);
}
