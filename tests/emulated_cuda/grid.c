/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a grid: a thread for each block, as many at once as the fake device has room for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "executor.h"

enum { POISON = 0xa5, PAGE = 4096, SIGNALS = 4 };

typedef struct resident {
  pthread_t thread;
  enum { RESIDENT_NONE, RESIDENT_RUNS, RESIDENT_ENDED } state;
  block *block; /* reused by the next thread */
} resident;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  resident residents[EMULATED_RESIDENT];
} hall = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

/* ---- dynamic shared memory: ends at a page's end, between two inaccessible pages ---- */

static size_t ring_pages(const emulated_grid *grid) { return (grid->dynamic_bytes + PAGE - 1) / PAGE * PAGE; }

static unsigned char *ring_open(const emulated_grid *grid) {
  const size_t pages = ring_pages(grid);
  unsigned char *all = mmap(NULL, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) emulated_die("no memory for shared memory");
  if (pages > 0 && mprotect(all + PAGE, pages, PROT_READ | PROT_WRITE) != 0)
    emulated_die("no memory for shared memory");
  memset(all + PAGE, POISON, pages);
  return all + PAGE + pages - grid->dynamic_bytes;
}

static void ring_close(const emulated_grid *grid, unsigned char *ring) {
  const size_t pages = ring_pages(grid);
  munmap(ring + grid->dynamic_bytes - pages - PAGE, pages + 2 * PAGE);
}

/* ---- signals: an invalid access of a kernel ends the program, because cmocka would go on after it ---- */

static const int fatal[SIGNALS] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };

static void fail_in_kernel(int number, siginfo_t *info, void *context) {
  const block *b = emulated_block;
  (void)context;
  if (b == NULL) _exit(128 + number);
  emulated_die("block %u, item %u: %s at %p; the other items:", b->group, b->current->place.item, strsignal(number),
               info->si_addr);
}

static void signals_catch(struct sigaction before[SIGNALS]) {
  struct sigaction action = { .sa_sigaction = fail_in_kernel, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++) sigaction(fatal[i], &action, &before[i]);
}

static void signals_return(const struct sigaction before[SIGNALS]) {
  for (int i = 0; i < SIGNALS; i++) sigaction(fatal[i], &before[i], NULL);
}

/* ---- residents: threads that run a block ---- */

static void *resident_main(void *argument) {
  resident *s = argument;
  stack_t stack = { .ss_size = 64 << 10 }; /* used when a lane's own stack has overflowed */
  stack.ss_sp = malloc(stack.ss_size);
  if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0) emulated_die("no stack for signals");
  emulated_poison(s->block->grid->module);
  s->block->ring = ring_open(s->block->grid);
  block_run(s->block);
  ring_close(s->block->grid, s->block->ring);
  stack_t none = { .ss_flags = SS_DISABLE };
  sigaltstack(&none, NULL);
  free(stack.ss_sp);
  pthread_mutex_lock(&hall.lock);
  s->state = RESIDENT_ENDED;
  pthread_cond_signal(&hall.ended);
  pthread_mutex_unlock(&hall.lock);
  return NULL;
}

/* Returns a free resident. The caller holds the lock; it is released during the wait. */
static resident *resident_free(void) {
  for (;;) {
    for (resident *s = hall.residents; s < hall.residents + emulated_resident; s++) {
      if (s->state == RESIDENT_ENDED) pthread_join(s->thread, NULL);
      if (s->state != RESIDENT_RUNS) {
        s->state = RESIDENT_NONE;
        return s;
      }
    }
    pthread_cond_wait(&hall.ended, &hall.lock);
  }
}

static void resident_start(const emulated_grid *grid, unsigned group) {
  pthread_mutex_lock(&hall.lock);
  resident *s = resident_free();
  if (s->block == NULL) s->block = block_new();
  s->block->grid = grid;
  s->block->group = group;
  s->state = RESIDENT_RUNS;
  if (pthread_create(&s->thread, NULL, resident_main, s) != 0) emulated_die("no thread for a block");
  pthread_mutex_unlock(&hall.lock);
}

static void residents_wait(void) {
  pthread_mutex_lock(&hall.lock);
  for (resident *s = hall.residents; s < hall.residents + EMULATED_RESIDENT; s++) {
    while (s->state == RESIDENT_RUNS) pthread_cond_wait(&hall.ended, &hall.lock);
    if (s->state == RESIDENT_ENDED) pthread_join(s->thread, NULL);
    s->state = RESIDENT_NONE;
  }
  pthread_mutex_unlock(&hall.lock);
}

/* Reads $EMULATED_CUDA_ORDER. Each launch gets a new seed; the sequence of seeds restarts when the variable changes, so
 * that a run can be repeated. */
static void read_order(void) {
  static char before[32];
  const char *order = getenv("EMULATED_CUDA_ORDER");
  emulated_order = ORDER_FORWARD;
  if (order == NULL || strcmp(order, "forward") == 0) return;
  emulated_order = strcmp(order, "backward") == 0 ? ORDER_BACKWARD : ORDER_RANDOM;
  if (strncmp(order, before, sizeof before) != 0) emulated_seed = 0;
  snprintf(before, sizeof before, "%s", order);
  emulated_seed = emulated_seed * UINT64_C(6364136223846793005) + strtoull(order, NULL, 10) + 1;
}

static void read_resident(void) {
  const char *residents = getenv("EMULATED_CUDA_RESIDENT");
  const unsigned long count = residents != NULL ? strtoul(residents, NULL, 10) : EMULATED_RESIDENT;
  if (count < 1 || count > EMULATED_RESIDENT) emulated_die("EMULATED_CUDA_RESIDENT is '%s'", residents);
  emulated_resident = (unsigned)count;
}

/* Returns the block that begins as number `turn`. In random order the first block is random, and the others follow
 * cyclically. */
static unsigned next_group(const emulated_grid *grid, unsigned turn) {
  if (emulated_order == ORDER_FORWARD) return turn;
  if (emulated_order == ORDER_BACKWARD) return grid->groups - 1 - turn;
  return (turn + (unsigned)(emulated_seed >> 33)) % grid->groups;
}

void emulated_run(const emulated_grid *grid) {
  struct sigaction before[SIGNALS];
  if (grid->items > EMULATED_ITEMS || grid->items % EMULATED_LANES != 0)
    emulated_die("a block of %u items", grid->items);
  read_order();
  read_resident();
  signals_catch(before);
  for (unsigned turn = 0; turn < grid->groups; turn++) resident_start(grid, next_group(grid, turn));
  residents_wait();
  signals_return(before);
}
