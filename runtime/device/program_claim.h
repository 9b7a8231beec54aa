/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims of programs that many processes want at once and that are not in the cache yet: one process claims a program
 * and compiles it, the others wait for its file.
 *
 * A claim is a symbolic link beside the program's file; its target names the owner. Exactly one of several processes
 * can make it, together with its text, even on file systems without working locks. A claim is advice: a process that
 * finds it stale, foreign or impossible compiles, too, and stored programs are checked as always. So a claim never
 * causes a failure, nor a wait longer than PROGRAM_CLAIM_MOST_MS. */
#ifndef SCANRT_PROGRAM_CLAIM_H
#define SCANRT_PROGRAM_CLAIM_H

#include <sys/types.h>
#include <time.h>

#include "device/program_cache.h"

/* Longest wait. It exceeds a program's compile time (NVRTC: 1 to 8 s), and limits how long a rank waits for one that
 * died on another machine. */
enum { PROGRAM_CLAIM_MOST_MS = 15000 };

/* Identifies a link: a new claim of the same name differs. */
typedef struct program_claim_link {
  ino_t number;
  time_t made;
} program_claim_link;

/* A claim that this process holds; an empty name means none. */
typedef struct program_claim {
  char name[PROGRAM_CACHE_NAME_BYTES];
  program_claim_link link;
} program_claim;

/* scan_program_cache_load. If there is no program, claims it for the caller, or waits for the program of the process
 * that has claimed it. NULL: the caller compiles, stores the program, and releases the claim in either case. */
void *scan_program_claim_load(const program_cache_key *key, size_t *binary_bytes, program_claim *claim);

void scan_program_claim_release(program_claim *claim);

/* ---- also used by tests ---- */

/* scan_program_claim_load with another longest wait, which is also the age at which a claim counts as stale. */
void *scan_program_claim_load_within(const program_cache_key *key, size_t *binary_bytes, unsigned most_ms,
                                     program_claim *claim);

#endif
