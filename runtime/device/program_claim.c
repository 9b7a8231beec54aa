/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/program_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

enum { MACHINE_BYTES = 128, TEXT_BYTES = 256, FIRST_PAUSE_MS = 5, LONGEST_PAUSE_MS = 200, MOST_OWNERS = 2 };

/* ---- the owner of a claim ---- */

/* Names the boot and the pid namespace in which this process's id means something; containers on one machine have
 * several. Empty if the system does not say. */
static void name_machine(char machine[MACHINE_BYTES]) {
  char space[64] = "", boot[64] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  const int known = file != NULL && fscanf(file, "%63s", boot) == 1;
  if (file != NULL) (void)fclose(file);
  const ssize_t bytes = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  machine[0] = '\0';
  if (known && bytes > 0) snprintf(machine, MACHINE_BYTES, "%s-%s", boot, space);
}

#define CLAIM_TEXT "scanrt-claim:%s:%ld"

/* 1 if the process that holds the claim has ended. */
static int has_ended(int folder, const char *name) {
  char text[TEXT_BYTES] = "", own[TEXT_BYTES], machine[MACHINE_BYTES];
  const ssize_t bytes = readlinkat(folder, name, text, sizeof text - 1);
  const char *number = bytes > 0 ? strrchr(text, ':') : NULL;
  const long process = number != NULL ? strtol(number + 1, NULL, 10) : 0;
  name_machine(machine);
  snprintf(own, sizeof own, CLAIM_TEXT, machine, process);
  return machine[0] != '\0' && process > 0 && strcmp(own, text) == 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* ---- a claim ---- */

static program_claim_link link_of(const struct stat *facts) {
  return (program_claim_link){ facts->st_ino, facts->st_mtime };
}

static int is_same(const program_claim_link *a, const program_claim_link *b) {
  return a->number == b->number && a->made == b->made;
}

/* Makes the claim's link. Returns 0, with errno, on failure. */
static int make_link(int folder, const char *name, program_claim_link *made) {
  char machine[MACHINE_BYTES], text[TEXT_BYTES];
  struct stat facts;
  name_machine(machine);
  snprintf(text, sizeof text, CLAIM_TEXT, machine, (long)getpid());
  if (symlinkat(text, folder, name) != 0) return 0;
  *made = fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? link_of(&facts) : (program_claim_link){ 0 };
  return 1;
}

/* The next action for a program that is not in the cache. */
typedef enum verdict { COMPILE, WAIT, LOOK_AGAIN } verdict;

/* Judges an existing claim by its owner and age. Clocks of several machines differ: a claim that therefore looks too
 * old means that the program is compiled twice. */
static verdict claim_judge(int folder, const char *name, unsigned most_ms, program_claim_link *other) {
  struct stat facts;
  if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? LOOK_AGAIN : COMPILE;
  if (!S_ISLNK(facts.st_mode) || facts.st_uid != geteuid()) return COMPILE;
  *other = link_of(&facts);
  if (1000 * (double)(time(NULL) - facts.st_mtime) <= most_ms && !has_ended(folder, name)) return WAIT;
  scan_log(SCAN_LOG_DEBUG, "the claim %s is nobody's any more", name);
  return unlinkat(folder, name, 0) == 0 || errno == ENOENT ? LOOK_AGAIN : COMPILE;
}

static verdict claim_in(int folder, unsigned most_ms, program_claim *claim, program_claim_link *other) {
  for (int tries = 0; tries < 8; tries++) {
    if (make_link(folder, claim->name, &claim->link)) return COMPILE;
    const verdict found = errno == EEXIST ? claim_judge(folder, claim->name, most_ms, other) : COMPILE;
    if (found == LOOK_AGAIN) continue;
    claim->name[0] = '\0';
    return found;
  }
  claim->name[0] = '\0';
  return COMPILE;
}

/* Tries to claim. COMPILE leaves claim->name set if this process holds the claim. The folder is opened each time, so
 * that NFS shows its current contents. */
static verdict try_claim(const program_cache_key *key, unsigned most_ms, program_claim *claim,
                         program_claim_link *other) {
  const int folder = scan_program_cache_open(1);
  if (folder < 0) return COMPILE;
  scan_program_cache_name(key, claim->name);
  memcpy(strchr(claim->name, '.'), PROGRAM_CLAIM_SUFFIX, sizeof PROGRAM_CLAIM_SUFFIX);
  const verdict found = claim_in(folder, most_ms, claim, other);
  (void)close(folder);
  return found;
}

void scan_program_claim_release(program_claim *claim) {
  struct stat facts;
  const int folder = claim->name[0] ? scan_program_cache_open(0) : -1;
  if (folder >= 0) {
    if (fstatat(folder, claim->name, &facts, AT_SYMLINK_NOFOLLOW) == 0) {
      const program_claim_link there = link_of(&facts);
      if (is_same(&there, &claim->link)) (void)unlinkat(folder, claim->name, 0);
    }
    (void)close(folder);
  }
  claim->name[0] = '\0';
}

/* ---- waiting ---- */

static uint64_t now_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void sleep_ms(unsigned ms) {
  const struct timespec pause = { .tv_nsec = (long)ms * 1000000 };
  (void)nanosleep(&pause, NULL);
}

/* Waits while another process holds the claim. Waits also for a second owner, which took over from one that died, but
 * not for a third: then owners seem to fail one after the other. */
static void *wait_for(const program_cache_key *key, size_t *binary_bytes, unsigned most_ms, program_claim *claim) {
  const uint64_t until = now_ms() + most_ms;
  program_claim_link owner = { 0 }, other = { 0 };
  unsigned pause = FIRST_PAUSE_MS;
  for (int owners = 0; try_claim(key, most_ms, claim, &other) == WAIT;) {
    if (!is_same(&owner, &other) && owners++ == 0)
      scan_log(SCAN_LOG_DEBUG, "another process compiles a program that is wanted here: waiting for it");
    owner = other;
    if (owners > MOST_OWNERS || now_ms() >= until) {
      scan_log(SCAN_LOG_DEBUG, "a program that another process compiles is not there yet: compiling it here, too");
      return NULL;
    }
    sleep_ms(pause);
    pause = pause * 3 / 2 < LONGEST_PAUSE_MS ? pause * 3 / 2 : LONGEST_PAUSE_MS;
    void *binary = scan_program_cache_load(key, binary_bytes);
    if (binary != NULL) return binary;
  }
  return claim->name[0] ? scan_program_cache_load(key, binary_bytes) : NULL; /* it may have been stored meanwhile */
}

void *scan_program_claim_load_within(const program_cache_key *key, size_t *binary_bytes, unsigned most_ms,
                                     program_claim *claim) {
  *claim = (program_claim){ .name = "" };
  void *binary = scan_program_cache_load(key, binary_bytes);
  if (binary == NULL) binary = wait_for(key, binary_bytes, most_ms, claim);
  if (binary != NULL) scan_program_claim_release(claim);
  return binary;
}

void *scan_program_claim_load(const program_cache_key *key, size_t *binary_bytes, program_claim *claim) {
  return scan_program_claim_load_within(key, binary_bytes, PROGRAM_CLAIM_MOST_MS, claim);
}
