/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that many processes want at once, and nobody has compiled yet: one of them claims a program and compiles it,
 * the others wait for its file.
 *
 * A claim is a symbolic link beside the program's file, which says whose it is. Of several processes one makes it, with
 * its text, on file systems, too, where locks do not work. It is advice: whoever finds it old, somebody else's or not
 * to be had compiles, too, and what is stored is checked as ever. So nothing fails over a claim, and nobody waits
 * longer than PROGRAM_CLAIM_MOST_MS. */
#ifndef SCANRT_PROGRAM_CLAIM_H
#define SCANRT_PROGRAM_CLAIM_H

#include <sys/types.h>
#include <time.h>

#include "device/program_cache.h"

/* Longer than compilers take for a program (NVRTC: 1 to 8 s), and no longer than a rank may be kept by one that died on
 * another machine. */
enum { PROGRAM_CLAIM_MOST_MS = 15000 };

/* Another one by the same name is another claim. */
typedef struct program_claim_link {
  ino_t number;
  time_t made;
} program_claim_link;

/* A claim that this process holds; without a name, none. */
typedef struct program_claim {
  char name[PROGRAM_CACHE_NAME_BYTES];
  program_claim_link link;
} program_claim;

/* scan_program_cache_load; and where there is nothing, a claim for the caller, or another process's program as soon as
 * that is there. NULL: the caller compiles, stores what it made, and releases the claim, whether it has one or not. */
void *scan_program_claim_load(const program_cache_key *key, size_t *binary_bytes, program_claim *claim);

void scan_program_claim_release(program_claim *claim);

/* ---- what the tests see ---- */

/* The same with another longest wait, which is the age, too, at which a claim is thought to be nobody's. */
void *scan_program_claim_load_within(const program_cache_key *key, size_t *binary_bytes, unsigned most_ms,
                                     program_claim *claim);

#endif
