/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* A page that the system clears in a child of fork; NULL if it cannot. It stays until the process ends. */
static _Atomic pid_t *remembered;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void map_page(void) {
#ifdef MADV_WIPEONFORK
  const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, bytes, MADV_WIPEONFORK) != 0) {
    munmap(page, bytes);
    return;
  }
  remembered = page;
#endif
}

pid_t scan_process_id(void) {
  pthread_once(&once, map_page);
  if (remembered == NULL) return getpid();
  pid_t id = atomic_load_explicit(remembered, memory_order_relaxed);
  if (id == 0) {
    id = getpid();
    atomic_store_explicit(remembered, id, memory_order_relaxed);
  }
  return id;
}
