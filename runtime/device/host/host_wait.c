/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_wait.h"

#include "device/host/host_poll.h"

#include <time.h>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { PENDING, ASLEEP, GIVEN };

/* POLLS take about as long as a thread that is slightly ahead waits for another one. POLLING_NS is about the time that
 * a thread takes to fall asleep and wake up. */
enum { POLLS = 64, POLLING_NS = 50000 };

uint64_t scan_host_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Tells the processor that the thread is polling. */
static void pause_poll(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

#if defined(__linux__)
static void sleep_while_asleep(host_signal *signal) {
  (void)syscall(SYS_futex, (void *)signal, FUTEX_WAIT_PRIVATE, ASLEEP, NULL, NULL, 0);
}
static void wake(host_signal *signal) {
  (void)syscall(SYS_futex, (void *)signal, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
#else
/* Without a futex the thread polls again after a short sleep. */
static void sleep_while_asleep(host_signal *signal) {
  const struct timespec pause = { .tv_nsec = POLLING_NS };
  (void)signal;
  (void)nanosleep(&pause, NULL);
}
static void wake(host_signal *signal) { (void)signal; }
#endif

static int is_given(const host_signal *signal) { return atomic_load_explicit(signal, memory_order_acquire) == GIVEN; }

static int poll_some(const host_signal *signal) {
  for (int i = 0; i < POLLS; i++) {
    if (is_given(signal)) return 1;
    pause_poll();
  }
  return 0;
}

static void fall_asleep(host_signal *signal) {
  uint32_t expected = PENDING;
  if (!atomic_compare_exchange_strong(signal, &expected, ASLEEP)) return;
  while (!is_given(signal)) sleep_while_asleep(signal);
}

void scan_host_signal_open(host_signal *signal) { atomic_init(signal, PENDING); }

void scan_host_signal_give(host_signal *signal) {
  if (atomic_exchange(signal, GIVEN) == ASLEEP) wake(signal);
}

uint64_t scan_host_signal_wait(host_signal *signal) {
  if (poll_some(signal)) return 0;
  const uint64_t begin = scan_host_now_ns();
  uint64_t now = begin;
  while (now - begin < POLLING_NS) {
    const int was_given = poll_some(signal);
    now = scan_host_now_ns();
    if (was_given) return now - begin + 1;
  }
  fall_asleep(signal);
  return scan_host_now_ns() - begin + 1;
}

uint32_t scan_host_poll_zero(const _Atomic uint32_t *value) {
  uint32_t now = atomic_load_explicit(value, memory_order_acquire);
  for (int i = 1; i < POLLS && now != 0; i++) {
    pause_poll();
    now = atomic_load_explicit(value, memory_order_acquire);
  }
  return now;
}

void scan_host_poll(const _Atomic uint32_t *value, uint32_t least) {
  const uint64_t begin = scan_host_now_ns();
  do {
    for (int i = 0; i < POLLS; i++) {
      if (atomic_load_explicit(value, memory_order_relaxed) >= least) return;
      pause_poll();
    }
  } while (scan_host_now_ns() - begin < POLLING_NS);
}
