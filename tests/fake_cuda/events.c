/* SPDX-License-Identifier: BSD-2-Clause */
/* Events. Work is executed at once, so an event happens when it is recorded. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "objects.h"

struct CUevent_st {
  cuda_context context;
  int is_recorded, is_timed;
  struct timespec at;
  struct CUevent_st *next;
};

static struct CUevent_st *events;

static struct CUevent_st *take_event(const struct CUevent_st *event) {
  FAKE_TAKE(struct CUevent_st, events, o == event && o->context == fake_current());
}

static struct CUevent_st *any_event(cuda_context c) { FAKE_TAKE(struct CUevent_st, events, o->context == c); }

unsigned fake_reclaim_events(cuda_context context) {
  struct CUevent_st *event;
  unsigned count = 0;
  for (; (event = any_event(context)) != NULL; count++) free(event);
  return count;
}

static int is_live(const struct CUevent_st *event) {
  for (const struct CUevent_st *e = events; e != NULL; e = e->next)
    if (e == event) return e->context == fake_current();
  return 0;
}

int fake_cuda_live_events(void) {
  int count = 0;
  for (const struct CUevent_st *e = events; e != NULL; e = e->next) count++;
  return count;
}

cuda_result cuEventCreate(struct CUevent_st **result, unsigned flags) {
  ENTER_CONTEXT();
  REQUIRE(flags == 0 || flags == CUDA_EVENT_DISABLE_TIMING, FAKE_INVALID_VALUE); /* others change waits */
  struct CUevent_st *event = calloc(1, sizeof *event);
  if (event == NULL) return CUDA_OUT_OF_MEMORY;
  event->context = fake_current();
  event->is_timed = flags == 0;
  event->next = events;
  events = event;
  *result = event;
  return CUDA_OK;
}

cuda_result cuEventDestroy_v2(struct CUevent_st *handle) {
  ENTER_CONTEXT();
  struct CUevent_st *event = take_event(handle);
  REQUIRE(event != NULL, FAKE_INVALID_HANDLE);
  free(event);
  return CUDA_OK;
}

cuda_result cuEventRecord(struct CUevent_st *event, cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(is_live(event), FAKE_INVALID_HANDLE);
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  clock_gettime(CLOCK_MONOTONIC, &event->at);
  event->is_recorded = 1;
  return CUDA_OK;
}

/* Refuses an event that was never recorded. Real drivers accept it, but it is always a mistake. */
cuda_result cuStreamWaitEvent(cuda_stream stream, struct CUevent_st *event, unsigned flags) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(is_live(event) && event->is_recorded && flags == 0, FAKE_INVALID_HANDLE);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  return CUDA_OK;
}

cuda_result cuEventSynchronize(struct CUevent_st *event) {
  ENTER_CONTEXT();
  REQUIRE(is_live(event), FAKE_INVALID_HANDLE);
  return CUDA_OK;
}

cuda_result cuEventElapsedTime(float *milliseconds, struct CUevent_st *begin, struct CUevent_st *end) {
  ENTER_CONTEXT();
  REQUIRE(is_live(begin) && is_live(end), FAKE_INVALID_HANDLE);
  REQUIRE(begin->is_recorded && end->is_recorded && begin->is_timed && end->is_timed, FAKE_INVALID_HANDLE);
  const double seconds = (double)(end->at.tv_sec - begin->at.tv_sec);
  *milliseconds = (float)(1e3 * seconds + 1e-6 * (double)(end->at.tv_nsec - begin->at.tv_nsec));
  return CUDA_OK;
}
