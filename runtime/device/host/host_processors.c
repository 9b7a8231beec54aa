/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };

static unsigned affinity_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

/* Returns a control group's own limit in processors, rounded up; 0: none. The file holds "max 100000", or microseconds
 * of each period: "150000 100000". */
static unsigned quota_of(const char *folder) {
  char name[PATH_BYTES + sizeof "/cpu.max"], line[64] = "", *end = line;
  snprintf(name, sizeof name, "%s/cpu.max", folder);
  FILE *file = fopen(name, "r");
  if (file == NULL) return 0;
  const int read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  if (!read) return 0;
  const unsigned long quota = strtoul(line, &end, 10), period = strtoul(end, NULL, 10);
  return quota > 0 && period > 0 ? (unsigned)((quota + period - 1) / period) : 0;
}

unsigned scan_host_quota(const char *root, const char *path) {
  char folder[PATH_BYTES];
  unsigned least = 0;
  const size_t root_length = strlen(root);
  const int written = snprintf(folder, sizeof folder, "%s%s", root, strcmp(path, "/") == 0 ? "" : path);
  if (written < 0 || written >= PATH_BYTES) return 0;
  for (;;) {
    const unsigned quota = quota_of(folder);
    if (quota != 0 && (least == 0 || quota < least)) least = quota;
    char *slash = strrchr(folder, '/');
    if (slash == NULL || (size_t)(slash - folder) < root_length) return least;
    *slash = '\0';
  }
}

/* Finds the path of this process's control group of version 2, from the line "0::/a/b". */
static void group_path(char path[PATH_BYTES]) {
  char line[PATH_BYTES];
  FILE *file = fopen("/proc/self/cgroup", "r");
  snprintf(path, PATH_BYTES, "/");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::/", 4) == 0) snprintf(path, PATH_BYTES, "%s", line + 3);
  }
  fclose(file);
}

unsigned scan_host_processor_count(void) {
  char path[PATH_BYTES];
  group_path(path);
  const unsigned quota = scan_host_quota("/sys/fs/cgroup", path), affinity = affinity_count();
  return quota != 0 && quota < affinity ? quota : affinity;
}

int scan_host_processor_current(void) { return sched_getcpu(); }

void scan_host_processor_avoid(pthread_t thread, int processor) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  CPU_CLR((size_t)processor, &set);
  if (CPU_COUNT(&set) > 0) (void)pthread_setaffinity_np(thread, sizeof set, &set);
}
