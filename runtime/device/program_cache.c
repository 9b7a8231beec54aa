/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

/* ---- a file: this header, the key, the binary ---- */

typedef struct file_header {
  char magic[8];
  uint32_t version; /* of this layout, in this machine's byte order */
  uint32_t header_bytes;
  uint64_t key_bytes, binary_bytes;
  program_cache_hash checksum; /* over the header with zeros here, the key and the binary */
} file_header;

static const char magic[8] = { 's', 'c', 'a', 'n', 'r', 't', 'P', 'C' };
enum { FORMAT_VERSION = 1, DAY_SECONDS = 24 * 60 * 60, HOUR_SECONDS = 60 * 60 };

#define TEMPORARY_PREFIX ".scanrt-new-"

/* ---- hash and key ---- */

program_cache_hash scan_program_cache_hash_start(void) {
  return (program_cache_hash){ UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d) };
}

/* Multiplies by the 128-bit FNV prime, 2^88 + 0x13B. */
void scan_program_cache_hash_add(program_cache_hash *hash, const void *data, size_t bytes) {
  const unsigned char *at = data;
  uint64_t high = hash->high, low = hash->low;
  for (size_t i = 0; i < bytes; i++) {
    low ^= at[i];
    const uint64_t first = (low & UINT32_MAX) * 0x13B, second = (low >> 32) * 0x13B + (first >> 32);
    high = high * 0x13B + (low << 24) + (second >> 32);
    low = second << 32 | (first & UINT32_MAX);
  }
  *hash = (program_cache_hash){ high, low };
}

/* Appends each part as "name bytes\n" and its bytes, so that two different lists of parts never give the same text. */
int scan_program_cache_key_make(const program_cache_part *parts, size_t count, program_cache_key *key) {
  size_t room = 1, used = 0;
  for (size_t i = 0; i < count; i++) room += strlen(parts[i].name) + parts[i].bytes + 32;
  *key = (program_cache_key){ .text = malloc(room) };
  if (key->text == NULL) return 0;
  for (size_t i = 0; i < count; i++) {
    used += (size_t)snprintf(key->text + used, room - used, "%s %zu\n", parts[i].name, parts[i].bytes);
    if (parts[i].bytes > 0) memcpy(key->text + used, parts[i].text, parts[i].bytes);
    used += parts[i].bytes;
  }
  key->bytes = used;
  return 1;
}

void scan_program_cache_key_free(program_cache_key *key) {
  free(key->text);
  *key = (program_cache_key){ 0 };
}

void scan_program_cache_name(const program_cache_key *key, char name[PROGRAM_CACHE_NAME_BYTES]) {
  program_cache_hash hash = scan_program_cache_hash_start();
  scan_program_cache_hash_add(&hash, key->text, key->bytes);
  snprintf(name, PROGRAM_CACHE_NAME_BYTES, "%016" PRIx64 "%016" PRIx64 PROGRAM_CACHE_SUFFIX, hash.high, hash.low);
}

static program_cache_hash checksum_of(const file_header *header, const void *key, const void *binary) {
  program_cache_hash hash = scan_program_cache_hash_start();
  file_header plain = *header;
  plain.checksum = (program_cache_hash){ 0 };
  scan_program_cache_hash_add(&hash, &plain, sizeof plain);
  scan_program_cache_hash_add(&hash, key, (size_t)header->key_bytes);
  scan_program_cache_hash_add(&hash, binary, (size_t)header->binary_bytes);
  return hash;
}

/* ---- the folder ---- */

/* Returns the variable's value if it is an absolute path. The XDG base directory specification ignores relative ones. A
 * program with more rights than its user's ignores all of them: the user could make it write anywhere and run any
 * binary. */
static const char *absolute(const char *variable) {
  const char *value = secure_getenv(variable);
  return value != NULL && value[0] == '/' ? value : NULL;
}

int scan_program_cache_folder(char *path, size_t bytes, const char **reason) {
  const char *given = secure_getenv("SCANRT_CACHE"), *xdg = absolute("XDG_CACHE_HOME"), *home = absolute("HOME");
  int length = -1;
  if (given != NULL && strcmp(given, "off") == 0) {
    *reason = "$SCANRT_CACHE is off";
    return 0;
  }
  if (given != NULL && given[0] != '\0')
    length = snprintf(path, bytes, "%s", given);
  else if (xdg != NULL)
    length = snprintf(path, bytes, "%s/scanrt", xdg);
  else if (home != NULL)
    length = snprintf(path, bytes, "%s/.cache/scanrt", home);
  *reason = length < 0 ? "neither $SCANRT_CACHE, $XDG_CACHE_HOME nor $HOME names a folder (setuid programs obey none)"
                       : "its path is too long";
  return length >= 0 && (size_t)length < bytes;
}

int scan_program_cache_enabled(void) {
  char path[PATH_MAX];
  const char *reason;
  const int enabled = scan_program_cache_folder(path, sizeof path, &reason);
  if (!enabled) scan_log(SCAN_LOG_DEBUG, "no cache of programs: %s", reason);
  return enabled;
}

/* Makes the missing folders of the path; opening the last one later shows whether that worked. */
static void make_folders(char *path) {
  for (char *at = path + 1; *at != '\0'; at++) {
    if (*at != '/') continue;
    *at = '\0';
    (void)mkdir(path, 0700);
    *at = '/';
  }
  (void)mkdir(path, 0700);
}

int scan_program_cache_open(int make) {
  char path[PATH_MAX];
  const char *reason;
  if (!scan_program_cache_folder(path, sizeof path, &reason)) return -1;
  if (make) make_folders(path);
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 && (make || errno != ENOENT))
    scan_log(SCAN_LOG_DEBUG, "no cache of programs in %s: %s", path, strerror(errno));
  return folder;
}

/* ---- loading ---- */

static int read_all(int file, void *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = read(file, (char *)data + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    done += (size_t)got;
  }
  return 1;
}

/* Returns why the bytes are not the key's file, or NULL. */
static const char *find_fault(const unsigned char *data, size_t bytes, const program_cache_key *key) {
  file_header header;
  if (bytes < sizeof header) return "it is too short";
  memcpy(&header, data, sizeof header);
  const uint64_t rest = bytes - sizeof header;
  if (memcmp(header.magic, magic, sizeof magic) != 0) return "it is another kind of file";
  if (header.version != FORMAT_VERSION || header.header_bytes != sizeof header) return "its format is another one";
  if (header.key_bytes > rest || header.binary_bytes != rest - header.key_bytes || header.binary_bytes == 0)
    return "it is truncated";
  const unsigned char *its_key = data + sizeof header;
  const program_cache_hash sum = checksum_of(&header, its_key, its_key + header.key_bytes);
  if (sum.high != header.checksum.high || sum.low != header.checksum.low) return "its checksum is wrong";
  if (header.key_bytes != key->bytes || memcmp(its_key, key->text, key->bytes) != 0) return "it has another key";
  return NULL;
}

/* Returns why an open file is not to be trusted, or NULL: the driver runs its contents. */
static const char *distrust(const struct stat *facts) {
  if (!S_ISREG(facts->st_mode)) return "it is no regular file";
  if (facts->st_uid != geteuid()) return "it belongs to another user";
  if (facts->st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it";
  return (uint64_t)facts->st_size > PROGRAM_CACHE_MOST_BYTES ? "it is too large" : NULL;
}

/* Returns the whole file and its size, or NULL with the reason. */
static unsigned char *read_file(int file, size_t *bytes, const char **fault) {
  struct stat facts;
  *fault = fstat(file, &facts) != 0 ? strerror(errno) : distrust(&facts);
  if (*fault != NULL) return NULL;
  *bytes = (size_t)facts.st_size;
  unsigned char *data = malloc(*bytes + 1);
  if (data == NULL || !read_all(file, data, *bytes)) {
    *fault = data == NULL ? "no memory" : "it cannot be read";
    free(data);
    return NULL;
  }
  /* A program counts as new when it is used; its time is updated once a day at most. */
  if (time(NULL) - facts.st_mtime > DAY_SECONDS) (void)futimens(file, NULL);
  return data;
}

/* Returns the file's binary, moved to the front of the allocation. */
static void *load_from(int file, const program_cache_key *key, size_t *binary_bytes, const char **fault) {
  size_t bytes = 0;
  unsigned char *data = read_file(file, &bytes, fault);
  if (data == NULL) return NULL;
  *fault = find_fault(data, bytes, key);
  if (*fault != NULL) {
    free(data);
    return NULL;
  }
  *binary_bytes = bytes - sizeof(file_header) - key->bytes;
  memmove(data, data + (bytes - *binary_bytes), *binary_bytes);
  return data;
}

void *scan_program_cache_load(const program_cache_key *key, size_t *binary_bytes) {
  char name[PROGRAM_CACHE_NAME_BYTES];
  const char *fault = NULL;
  void *binary = NULL;
  const int folder = scan_program_cache_open(0);
  if (folder < 0) return NULL;
  scan_program_cache_name(key, name);
  /* Symbolic links are not followed, and opening a pipe does not block. */
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file >= 0) {
    binary = load_from(file, key, binary_bytes, &fault);
    (void)close(file);
  } else if (errno != ENOENT) {
    fault = strerror(errno);
  }
  if (fault != NULL) scan_log(SCAN_LOG_DEBUG, "the cached program %s is not used: %s", name, fault);
  (void)close(folder);
  return binary;
}

/* ---- storing ---- */

static int write_all(int file, const void *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = write(file, (const char *)data + done, bytes - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return 0;
    done += (size_t)put;
  }
  return 1;
}

/* Creates a file that no other writer uses; -1 with errno. Several hosts and containers may share the folder, with
 * equal process ids. */
static int create_temporary(int folder, char *name, size_t bytes) {
  int file = -1;
  for (int tries = 0; tries < 8 && file < 0; tries++) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, bytes, TEMPORARY_PREFIX "%ld-%" PRIxPTR "-%lx%lx-%d", (long)getpid(), (uintptr_t)&now,
             (unsigned long)now.tv_sec, (unsigned long)now.tv_nsec, tries);
    file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 && errno != EEXIST) break;
  }
  return file;
}

/* 1 if the process may write a file of that size: a write beyond its limit would end it with SIGXFSZ. */
static int within_file_limit(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

/* Writes a temporary file and renames it. Returns 0, with errno, on failure. */
static int write_file(int folder, const file_header *header, const program_cache_key *key, const void *binary) {
  char temporary[128], name[PROGRAM_CACHE_NAME_BYTES];
  scan_program_cache_name(key, name);
  const int file = create_temporary(folder, temporary, sizeof temporary);
  if (file < 0) return 0;
  int done = write_all(file, header, sizeof *header) && write_all(file, key->text, key->bytes) &&
             write_all(file, binary, (size_t)header->binary_bytes);
  int fault = errno;
  if (close(file) != 0 && done) {
    fault = errno;
    done = 0;
  }
  if (done && renameat(folder, temporary, folder, name) == 0) return 1;
  if (done) fault = errno;
  (void)unlinkat(folder, temporary, 0);
  errno = fault;
  return 0;
}

void scan_program_cache_store(const program_cache_key *key, const void *binary, size_t binary_bytes) {
  file_header header = {
    .version = FORMAT_VERSION, .header_bytes = sizeof header, .key_bytes = key->bytes, .binary_bytes = binary_bytes
  };
  memcpy(header.magic, magic, sizeof magic);
  header.checksum = checksum_of(&header, key->text, binary);
  const uint64_t bytes = sizeof header + header.key_bytes + header.binary_bytes;
  if (binary_bytes == 0 || bytes > PROGRAM_CACHE_MOST_BYTES || !within_file_limit(bytes)) {
    scan_log(SCAN_LOG_DEBUG, "a program of %zu bytes is not cached: its size is not allowed", binary_bytes);
    return;
  }
  const int folder = scan_program_cache_open(1);
  if (folder < 0) return;
  if (write_file(folder, &header, key, binary))
    scan_program_cache_trim(folder, PROGRAM_CACHE_MOST_BYTES);
  else
    scan_log(SCAN_LOG_DEBUG, "a program is not cached: %s", strerror(errno));
  (void)close(folder);
}

/* ---- trimming ---- */

typedef struct entry {
  char name[PROGRAM_CACHE_NAME_BYTES];
  uint64_t bytes;
  struct timespec changed;
} entry;

static int is_older(const void *left, const void *right) {
  const struct timespec *a = &((const entry *)left)->changed, *b = &((const entry *)right)->changed;
  if (a->tv_sec != b->tv_sec) return a->tv_sec < b->tv_sec ? -1 : 1;
  return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Appends one of the cache's own files. Returns 0 without memory. */
static int key_append(entry **entries, size_t *count, const char *name, const struct stat *facts) {
  entry *more = realloc(*entries, (*count + 1) * sizeof *more);
  if (more == NULL) return 0;
  *entries = more;
  entry *new = &(*entries)[(*count)++];
  *new = (entry){ .bytes = (uint64_t)facts->st_size, .changed = facts->st_mtim };
  memcpy(new->name, name, strlen(name) + 1);
  return 1;
}

/* Skips characters of the set. Returns 1 if there were at least `least`. */
static int skip(const char **text, const char *characters, size_t least) {
  const size_t length = strspn(*text, characters);
  *text += length;
  return length >= least;
}

static const char hexadecimal[] = "0123456789abcdef", decimal[] = "0123456789";

static int is_named(const char *name, const char *suffix) {
  const char *at = name;
  return skip(&at, hexadecimal, 32) && at == name + 32 && strcmp(at, suffix) == 0;
}

/* 1 for a name of create_temporary: process-address-time-try. */
static int is_temporary(const char *name) {
  const char *at = name + strlen(TEMPORARY_PREFIX);
  return strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0 && skip(&at, decimal, 1) && *at++ == '-' &&
         skip(&at, hexadecimal, 1) && *at++ == '-' && skip(&at, hexadecimal, 1) && *at++ == '-' &&
         skip(&at, decimal, 1) && *at == '\0';
}

/* 1 if a file is this user's and begins with the cache's magic bytes; a temporary file may be shorter, even empty. */
static int is_own(int folder, const char *name, int may_be_short, struct stat *facts) {
  char begin[sizeof magic];
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return 0;
  int own = fstat(file, facts) == 0 && S_ISREG(facts->st_mode) && facts->st_uid == geteuid();
  if (own) {
    const ssize_t got = pread(file, begin, sizeof begin, 0);
    own = got >= 0 && memcmp(begin, magic, (size_t)got) == 0 && (may_be_short || got == sizeof begin);
  }
  (void)close(file);
  return own;
}

/* Removes a claim older than an hour: its process is surely gone. */
static void drop_claim(int folder, const char *name) {
  struct stat facts;
  if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode) && facts.st_uid == geteuid() &&
      time(NULL) - facts.st_mtime > HOUR_SECONDS)
    (void)unlinkat(folder, name, 0);
}

/* Lists the programs, and removes temporary files older than an hour, whose writers are surely gone. Files of other
 * programs in the folder are neither counted nor touched. */
static entry *list_programs(DIR *stream, int folder, size_t *count, uint64_t *total) {
  entry *entries = NULL;
  struct stat facts;
  for (const struct dirent *found; (found = readdir(stream)) != NULL;) {
    const char *name = found->d_name;
    const int temporary = is_temporary(name);
    if (is_named(name, PROGRAM_CLAIM_SUFFIX)) drop_claim(folder, name);
    if ((!temporary && !is_named(name, PROGRAM_CACHE_SUFFIX)) || !is_own(folder, name, temporary, &facts)) continue;
    if (temporary) {
      if (time(NULL) - facts.st_mtime > HOUR_SECONDS) (void)unlinkat(folder, name, 0);
    } else if (key_append(&entries, count, name, &facts)) {
      *total += (uint64_t)facts.st_size;
    }
  }
  return entries;
}

void scan_program_cache_trim(int folder, uint64_t most_bytes) {
  size_t count = 0;
  uint64_t total = 0;
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* closed by closedir */
  DIR *stream = again < 0 ? NULL : fdopendir(again);
  if (stream == NULL) {
    if (again >= 0) (void)close(again);
    return;
  }
  entry *entries = list_programs(stream, folder, &count, &total);
  (void)closedir(stream);
  if (total > most_bytes) {
    qsort(entries, count, sizeof *entries, is_older);
    for (size_t i = 0; i < count && total > most_bytes; total -= entries[i++].bytes)
      (void)unlinkat(folder, entries[i].name, 0);
  }
  free(entries);
}
