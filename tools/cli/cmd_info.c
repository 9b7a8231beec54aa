/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_info.c @brief `scanrt info`: the devices of this machine. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "json.h"

#include <inttypes.h>
#include <string.h>

enum info_mode { INFO_TEXT, INFO_LIST, INFO_JSON };

/** A capability: its name in the text, its key in the JSON, where it is. */
typedef struct capability {
  const char *name;
  const char *key;
  size_t offset_bytes;
} capability;

static const capability capabilities[] = {
  { "fp64", "fp64", offsetof(scan_device_info, has_fp64) },
  { "64-bit atomics", "int64_atomics", offsetof(scan_device_info, has_int64_atomics) },
  { "shuffles", "shuffles", offsetof(scan_device_info, has_shuffles) },
  { "fair progress", "fair_progress", offsetof(scan_device_info, has_fair_progress) },
};

enum { CAPABILITY_COUNT = sizeof capabilities / sizeof capabilities[0] };

static int has(const scan_device_info *info, const capability *what) {
  uint32_t value;
  memcpy(&value, (const char *)info + what->offset_bytes, sizeof value);
  return value != 0;
}

static void format_bytes(uint64_t bytes, char *text, size_t text_bytes) {
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 1024 && unit < 4) value /= 1024, unit++;
  snprintf(text, text_bytes, unit && value < 100 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_capabilities(const char *label, const scan_device_info *info, int wanted) {
  int printed = 0;
  for (size_t i = 0; i < CAPABILITY_COUNT; i++) {
    if (has(info, &capabilities[i]) != wanted) continue;
    if (printed++ == 0)
      printf("  %-15s %s", label, capabilities[i].name);
    else
      printf(", %s", capabilities[i].name);
  }
  if (printed) putchar('\n');
}

static void print_device(const scan_device_info *info) {
  char memory[32], alloc[32], local[32];
  format_bytes(info->memory_bytes, memory, sizeof memory);
  format_bytes(info->max_alloc_bytes, alloc, sizeof alloc);
  format_bytes(info->local_memory_bytes, local, sizeof local);
  printf("%s: %s\n", info->selector, info->name);
  printf("  %-15s %s, %s\n", "kind", scan_backend_name(info->backend), info->is_cpu ? "CPU" : "GPU");
  printf("  %-15s %s\n", "vendor", info->vendor);
  printf("  %-15s %s\n", "driver", info->driver);
  printf("  %-15s %s, largest allocation %s\n", "memory", memory, alloc);
  printf("  %-15s %" PRIu32 "\n", "compute units", info->compute_units);
  printf("  %-15s %" PRIu32 " work-items, local memory %s\n", "max work-group", info->max_group_items, local);
  print_capabilities("has", info, 1);
  print_capabilities("lacks", info, 0);
  printf("  %-15s %s\n", "f32 denormals", info->flushes_denormals ? "flushed to zero" : "kept");
  printf("  %-15s %s\n", "AUTO strategy", scan_strategy_name(info->auto_strategy));
}

static void json_device(json *j, const scan_device_info *info) {
  json_open(j, NULL, '{');
  json_string(j, "selector", info->selector);
  json_string(j, "backend", scan_backend_name(info->backend));
  json_string(j, "name", info->name);
  json_string(j, "vendor", info->vendor);
  json_string(j, "driver", info->driver);
  json_count(j, "memory_bytes", info->memory_bytes);
  json_count(j, "max_alloc_bytes", info->max_alloc_bytes);
  json_count(j, "local_memory_bytes", info->local_memory_bytes);
  json_count(j, "compute_units", info->compute_units);
  json_count(j, "max_group_items", info->max_group_items);
  json_bool(j, "is_cpu", info->is_cpu != 0);
  for (size_t i = 0; i < CAPABILITY_COUNT; i++) json_bool(j, capabilities[i].key, has(info, &capabilities[i]));
  json_bool(j, "flushes_denormals", info->flushes_denormals != 0);
  json_string(j, "auto_strategy", scan_strategy_name(info->auto_strategy));
  json_close(j, '}');
}

/** Shows every device; counts them by backend. */
static int show_devices(enum info_mode mode, json *j, int counts[SCAN_BACKEND_HOST + 1]) {
  int count = 0;
  scan_status status = scan_device_count(&count);
  if (status != SCAN_SUCCESS) return cli_fail_scan(NULL, status, "cannot count the devices");
  for (int i = 0; i < count; i++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    status = scan_device_get(i, &info);
    if (status != SCAN_SUCCESS) return cli_fail_scan(NULL, status, "cannot describe a device");
    counts[info.backend]++;
    if (mode == INFO_JSON)
      json_device(j, &info);
    else if (mode == INFO_LIST)
      printf("%-10s %s\n", info.selector, info.name);
    else
      print_device(&info);
  }
  return CLI_OK;
}

static void print_missing_backends(const int counts[SCAN_BACKEND_HOST + 1]) {
  for (int b = SCAN_BACKEND_CUDA; b <= SCAN_BACKEND_HOST; b++)
    if (!counts[b])
      printf("%s: no devices: %s\n", scan_backend_name((scan_backend)b), scan_backend_note((scan_backend)b));
}

static void json_backends(json *j, const int counts[SCAN_BACKEND_HOST + 1]) {
  json_open(j, "backends", '[');
  for (int b = SCAN_BACKEND_CUDA; b <= SCAN_BACKEND_HOST; b++) {
    json_open(j, NULL, '{');
    json_string(j, "name", scan_backend_name((scan_backend)b));
    json_count(j, "devices", (uint64_t)counts[b]);
    json_string(j, "note", scan_backend_note((scan_backend)b));
    json_close(j, '}');
  }
  json_close(j, ']');
}

static int show_json(void) {
  int counts[SCAN_BACKEND_HOST + 1] = { 0 };
  json j = { .file = stdout };
  json_open(&j, NULL, '{');
  json_string(&j, "version", scan_version());
  json_open(&j, "devices", '[');
  int rc = show_devices(INFO_JSON, &j, counts);
  json_close(&j, ']');
  json_backends(&j, counts);
  json_close(&j, '}');
  return rc;
}

static int show_text(enum info_mode mode) {
  int counts[SCAN_BACKEND_HOST + 1] = { 0 };
  int rc = show_devices(mode, NULL, counts);
  if (rc == CLI_OK && mode == INFO_TEXT) print_missing_backends(counts);
  return rc;
}

static void print_help(void) {
  puts("Usage: scanrt info [OPTION]...\n"
       "Describes every device: selector, name, vendor, driver, memory, capabilities and the strategy that AUTO takes\n"
       "for a large int32 sum. A backend without devices says why.\n"
       "\n"
       "Options:\n"
       "      --list  one line a device: selector and name\n"
       "      --json  for machines\n"
       "  -h, --help  this text\n"
       "\n"
       "Examples:\n"
       "  scanrt info\n"
       "  scanrt info --list\n"
       "  scanrt info --json | jq -r '.devices[].selector'");
}

int cmd_info(int argc, char **argv) {
  static const struct option options[] = { { "json", no_argument, NULL, 'j' },
                                           { "list", no_argument, NULL, 'l' },
                                           { "help", no_argument, NULL, 'h' },
                                           { NULL, 0, NULL, 0 } };
  enum info_mode mode = INFO_TEXT;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    if (c == 'h') return print_help(), cli_flush_output();
    if (c != 'j' && c != 'l') return cli_usage_getopt(c, argv, options);
    enum info_mode wanted = c == 'j' ? INFO_JSON : INFO_LIST;
    if (mode != INFO_TEXT && mode != wanted) return cli_usage(argv[0], "--json and --list exclude each other");
    mode = wanted;
  }
  int rc = cli_no_arguments(argc, argv);
  if (rc != CLI_OK) return rc;
  rc = mode == INFO_JSON ? show_json() : show_text(mode);
  return rc != CLI_OK ? rc : cli_flush_output();
}
