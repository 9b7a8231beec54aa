/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_background.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/process.h"
#include "device/cuda/cuda_source.h"
#include "device/host/host_processors.h"
#include "device/parallel_for.h"

typedef enum program_state { WAITS, RUNS, COMPILED } program_state;

struct cuda_background {
  cuda_background *next;
  pthread_t thread;
  pthread_mutex_t lock; /* of the members below */
  pthread_cond_t is_changed;
  int ends; /* no program begins any more */
  cuda_programs programs;
  program_state states[CUDA_MOST_BACKGROUND];
  char *images[CUDA_MOST_BACKGROUND]; /* compiled and not taken; NULL: it failed, or was left out */
  int is_taken[CUDA_MOST_BACKGROUND];
};

/* ---- the end of the process: NVRTC's destructors must not run while it compiles ---- */

static struct {
  pthread_mutex_t lock;
  pthread_cond_t is_idle;
  int running;
  int ends, is_registered;
  pid_t process; /* whose threads they are */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .is_idle = PTHREAD_COND_INITIALIZER };

/* A child of fork has none of the threads, and its lock may be held for ever. */
static void wait_for_all(void) {
  if (all.process != scan_process_id()) return;
  pthread_mutex_lock(&all.lock);
  all.ends = 1;
  while (all.running > 0) pthread_cond_wait(&all.is_idle, &all.lock);
  pthread_mutex_unlock(&all.lock);
}

/* Counts a thread that is to start. Returns 0 if the process exits, or the end cannot be waited for. */
static int thread_enter(void) {
  pthread_mutex_lock(&all.lock);
  if (!all.is_registered) {
    all.process = scan_process_id();
    all.is_registered = atexit(wait_for_all) == 0;
  }
  const int may_run = all.is_registered && !all.ends;
  all.running += may_run;
  pthread_mutex_unlock(&all.lock);
  return may_run;
}

static void thread_leave(void) {
  pthread_mutex_lock(&all.lock);
  if (--all.running == 0) pthread_cond_broadcast(&all.is_idle);
  pthread_mutex_unlock(&all.lock);
}

static int process_ends(void) {
  pthread_mutex_lock(&all.lock);
  const int ends = all.ends;
  pthread_mutex_unlock(&all.lock);
  return ends;
}

/* ---- the threads ---- */

/* Claims program i. Returns 0 if it is claimed, or must not begin any more. */
static int program_claim_one(cuda_background *b, int i) {
  const int is_late = process_ends();
  pthread_mutex_lock(&b->lock);
  const int is_claimed = b->states[i] == WAITS && !b->ends && !is_late;
  if (is_claimed) b->states[i] = RUNS;
  pthread_mutex_unlock(&b->lock);
  return is_claimed;
}

static void program_finish(cuda_background *b, int i, char *image) {
  pthread_mutex_lock(&b->lock);
  b->states[i] = COMPILED;
  b->images[i] = image;
  pthread_cond_broadcast(&b->is_changed);
  pthread_mutex_unlock(&b->lock);
}

static void compile_one(void *tasks, int i) {
  cuda_background *b = tasks;
  const cuda_programs *p = &b->programs;
  const scan_kernel_key *key = &p->of[i].key;
  scan_error error;
  char *image = NULL;
  size_t bytes;
  if (!program_claim_one(b, i)) return;
  if (scan_cuda_source_compile(key, p->capability, p->tuned_image, &image, &bytes, &error) != SCAN_SUCCESS)
    scan_log(SCAN_LOG_INFO, "%s is not compiled in the background: %s", key->file, error.text);
  program_finish(b, i, image);
}

/* Compiles on several threads, but leaves a processor to the application; then compiles here what no thread took. */
static void *compile_all(void *argument) {
  cuda_background *b = argument;
  const int count = b->programs.count;
  scan_parallel_for(count, scan_host_processor_count() - 1, compile_one, b);
  for (int i = 0; i < count; i++) compile_one(b, i);
  pthread_mutex_lock(&b->lock);
  for (int i = 0; i < count; i++) b->states[i] = COMPILED; /* or left out */
  pthread_cond_broadcast(&b->is_changed);
  pthread_mutex_unlock(&b->lock);
  thread_leave();
  return NULL;
}

/* ---- the device's calls ---- */

static void background_free(cuda_background *b) {
  for (int i = 0; i < b->programs.count; i++) free(b->images[i]);
  pthread_cond_destroy(&b->is_changed);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

int scan_cuda_background_begin(cuda_background **list, const cuda_programs *programs) {
  cuda_background *b = calloc(1, sizeof *b);
  if (b == NULL) return 0;
  b->programs = *programs;
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->is_changed, NULL);
  const int may_run = thread_enter();
  if (!may_run || pthread_create(&b->thread, NULL, compile_all, b) != 0) {
    if (may_run) thread_leave();
    background_free(b);
    return 0;
  }
  b->next = *list;
  *list = b;
  return 1;
}

/* Finds the program's number in a compilation of the list; NULL if none has it any more. */
static cuda_background *find(const cuda_background *list, const scan_program *program, int *number) {
  for (cuda_background *b = (cuda_background *)(uintptr_t)list; b != NULL; b = b->next)
    for (int i = 0; i < b->programs.count; i++)
      if (b->programs.of[i].program == program && !b->is_taken[i]) {
        *number = i;
        return b;
      }
  return NULL;
}

int scan_cuda_background_has(const cuda_background *list, const scan_program *program) {
  int number;
  return find(list, program, &number) != NULL;
}

scan_compile_state scan_cuda_background_take(cuda_background *list, scan_program *program, int waits) {
  int i;
  cuda_background *b = find(list, program, &i);
  if (b == NULL) return SCAN_COMPILE_FAILED;
  pthread_mutex_lock(&b->lock);
  while (waits && b->states[i] != COMPILED) pthread_cond_wait(&b->is_changed, &b->lock);
  const int is_compiled = b->states[i] == COMPILED;
  if (is_compiled) {
    program->image = b->images[i];
    b->images[i] = NULL;
    b->is_taken[i] = 1;
  }
  pthread_mutex_unlock(&b->lock);
  if (!is_compiled) return SCAN_COMPILE_PENDING;
  return program->image != NULL ? SCAN_COMPILE_DONE : SCAN_COMPILE_FAILED;
}

static void background_end(cuda_background *b) {
  pthread_mutex_lock(&b->lock);
  b->ends = 1;
  pthread_mutex_unlock(&b->lock);
  (void)pthread_join(b->thread, NULL);
  background_free(b);
}

void scan_cuda_background_end(cuda_background **list, const struct scan_source *source) {
  for (cuda_background **at = list, *b; (b = *at) != NULL;) {
    if (source != NULL && b->programs.of[0].key.source != source) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    background_end(b);
  }
}
