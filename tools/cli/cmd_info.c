/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_info.c @brief `scanrt info`: the devices of this machine. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "json.h"

#include <inttypes.h>
#include <string.h>

enum info_mode { INFO_TEXT, INFO_LIST, INFO_JSON };

typedef struct info_request {
  int json, list;
} info_request;

/** A yes-or-no fact: its name in text, its key in JSON, and its field. */
typedef struct capability {
  const char *name;
  const char *key;
  size_t offset_bytes;
} capability;

#define INFO(name, key, field)                                                                                         \
  { name, key, offsetof(scan_device_info, field) }
#define FACT(name, key, field)                                                                                         \
  { name, key, offsetof(scan_device_info, facts) + offsetof(scan_device_facts, field) }

static const capability capabilities[] = {
  INFO("fp64", "fp64", has_fp64),
  FACT("fp16", "fp16", has_fp16),
  INFO("64-bit atomics", "int64_atomics", has_int64_atomics),
  FACT("sub-groups", "sub_groups", has_sub_groups),
  FACT("sub-group shuffles", "sub_group_shuffle", has_sub_group_shuffle),
  FACT("relative sub-group shuffles", "sub_group_shuffle_relative", has_sub_group_shuffle_relative),
  FACT("Intel sub-groups", "intel_sub_groups", has_intel_sub_groups),
  FACT("required sub-group sizes", "required_sub_group_size", has_required_sub_group_size),
  FACT("unified memory", "unified_memory", has_unified_memory),
  INFO("shuffles", "shuffles", has_shuffles),
  INFO("fair progress", "fair_progress", has_fair_progress),
};

enum { CAPABILITY_COUNT = sizeof capabilities / sizeof capabilities[0] };

/** Names of the bits of scan_device_facts.atomic_capabilities, from the lowest. */
static const char *const atomic_names[] = { "relaxed",          "acquire/release",  "sequentially consistent",
                                            "work-item scope",  "work-group scope", "device scope",
                                            "all-devices scope" };

static int info_has(const scan_device_info *info, const capability *what) {
  uint32_t value;
  memcpy(&value, (const char *)info + what->offset_bytes, sizeof value);
  return value != 0;
}

/** 1 if the fact is known. Only OpenCL drivers are asked for the yes-or-no fields of `facts`. */
static int is_asked(const scan_device_info *info, const capability *what) {
  const size_t facts = offsetof(scan_device_info, facts);
  return info->backend == SCAN_BACKEND_OPENCL || what->offset_bytes < facts ||
         what->offset_bytes >= facts + sizeof info->facts;
}

static const char *kind_of(const scan_device_info *info) {
  if (info->is_cpu) return "CPU";
  return info->facts.is_accelerator ? "accelerator" : "GPU";
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
    if (info_has(info, &capabilities[i]) != wanted || !is_asked(info, &capabilities[i])) continue;
    if (printed++ == 0)
      printf("  %-15s %s", label, capabilities[i].name);
    else
      printf(", %s", capabilities[i].name);
  }
  if (printed) putchar('\n');
}

static void print_atomics(uint32_t bits) {
  int printed = 0;
  for (size_t i = 0; i < sizeof atomic_names / sizeof atomic_names[0]; i++) {
    if (!(bits >> i & 1)) continue;
    if (printed++ == 0)
      printf("  %-15s %s", "atomics", atomic_names[i]);
    else
      printf(", %s", atomic_names[i]);
  }
  if (printed) putchar('\n');
}

static void print_sub_groups(const scan_device_facts *facts) {
  if (facts->sub_group_items != 0) printf("  %-15s %" PRIu32 " work-items\n", "warp", facts->sub_group_items);
  if (facts->sub_group_sizes == 0) return;
  printf("  %-15s", "sub-groups of");
  for (uint32_t size = 1; size != 0; size <<= 1)
    if (facts->sub_group_sizes & size) printf(" %" PRIu32, size);
  putchar('\n');
}

static void print_facts(const scan_device_info *info) {
  const scan_device_facts *facts = &info->facts;
  if (facts->opencl_version != 0)
    printf("  %-15s %" PRIu32 ".%" PRIu32 ", OpenCL C %" PRIu32 ".%" PRIu32 ", buffers aligned to %" PRIu32 " bytes\n",
           "OpenCL", facts->opencl_version / 100, facts->opencl_version / 10 % 10, facts->opencl_c_version / 100,
           facts->opencl_c_version / 10 % 10, facts->base_align_bytes);
  print_atomics(facts->atomic_capabilities);
  print_sub_groups(facts);
  print_capabilities("has", info, 1);
  print_capabilities("lacks", info, 0);
  printf("  %-15s %s\n", "f32 denormals", info->flushes_denormals ? "flushed to zero" : "kept");
  if (info->loop_limit != 0) printf("  %-15s ended silently after %" PRIu32 " iterations\n", "loops", info->loop_limit);
}

static void print_variant(const scan_device_info *info) {
  printf("  %-15s work-groups of %" PRIu32 ", exchange %s", "kernels", info->group_items, info->exchange);
  if (info->sub_group_items != 0) printf(" of %" PRIu32, info->sub_group_items);
  printf(", descriptors %s\n  %-15s %s\n", info->descriptors, "because", info->variant_reason);
  if (info->refusal[0] != '\0') printf("  %-15s no scan runs: it %s\n", "refused", info->refusal);
}

static void print_device(const scan_device_info *info) {
  char memory[32], alloc[32], local[32];
  format_bytes(info->memory_bytes, memory, sizeof memory);
  format_bytes(info->max_alloc_bytes, alloc, sizeof alloc);
  format_bytes(info->local_memory_bytes, local, sizeof local);
  printf("%s: %s\n", info->selector, info->name);
  printf("  %-15s %s, %s\n", "kind", scan_backend_name(info->backend), kind_of(info));
  printf("  %-15s %s\n", "vendor", info->vendor);
  printf("  %-15s %s\n", "driver", info->driver);
  printf("  %-15s %s, largest allocation %s\n", "memory", memory, alloc);
  printf("  %-15s %" PRIu32 "\n", "compute units", info->compute_units);
  printf("  %-15s %" PRIu32 " work-items, local memory %s%s\n", "max work-group", info->max_group_items, local,
         info->facts.local_memory_is_global ? " (global)" : "");
  print_facts(info);
  print_variant(info);
  printf("  %-15s %s\n", "AUTO strategy", scan_strategy_name(info->auto_strategy));
}

static void json_facts(json *j, const scan_device_facts *facts) {
  static const struct {
    const char *key;
    size_t offset_bytes;
  } numbers[] = {
    { "opencl_version", offsetof(scan_device_facts, opencl_version) },
    { "opencl_c_version", offsetof(scan_device_facts, opencl_c_version) },
    { "compute_capability", offsetof(scan_device_facts, compute_capability) },
    { "atomic_capabilities", offsetof(scan_device_facts, atomic_capabilities) },
    { "sub_group_sizes", offsetof(scan_device_facts, sub_group_sizes) },
    { "warp_items", offsetof(scan_device_facts, sub_group_items) },
    { "local_memory_optin_bytes", offsetof(scan_device_facts, local_memory_optin_bytes) },
    { "base_align_bytes", offsetof(scan_device_facts, base_align_bytes) },
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    uint32_t value;
    memcpy(&value, (const char *)facts + numbers[i].offset_bytes, sizeof value);
    json_count(j, numbers[i].key, value);
  }
  json_bool(j, "is_accelerator", facts->is_accelerator != 0);
  json_bool(j, "lacks_compiler", facts->lacks_compiler != 0);
  json_bool(j, "lacks_int64", facts->lacks_int64 != 0);
  json_bool(j, "int64_base_atomics", facts->has_int64_base_atomics != 0);
  json_bool(j, "int64_extended_atomics", facts->has_int64_extended_atomics != 0);
  json_bool(j, "local_memory_is_global", facts->local_memory_is_global != 0);
}

static void json_variant(json *j, const scan_device_info *info) {
  json_count(j, "loop_limit", info->loop_limit);
  json_count(j, "group_items", info->group_items);
  json_count(j, "sub_group_items", info->sub_group_items);
  json_string(j, "exchange", info->exchange);
  json_string(j, "descriptors", info->descriptors);
  json_string(j, "variant_reason", info->variant_reason);
  json_string(j, "refusal", info->refusal);
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
  for (size_t i = 0; i < CAPABILITY_COUNT; i++) json_bool(j, capabilities[i].key, info_has(info, &capabilities[i]));
  json_bool(j, "flushes_denormals", info->flushes_denormals != 0);
  json_facts(j, &info->facts);
  json_variant(j, info);
  json_string(j, "auto_strategy", scan_strategy_name(info->auto_strategy));
  json_close(j, '}');
}

/** Shows every device. @param[out] counts  devices by backend */
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
       "Describes every device: selector, name, vendor, driver, memory, capabilities, the kernels built for it and "
       "why,\n"
       "and the strategy that AUTO takes for a large int32 sum. A backend without devices says why.\n"
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
  info_request request = { 0, 0 };
  static const cli_option options[] = {
    { .name = "json", .kind = CLI_FLAG, .offset_bytes = offsetof(info_request, json), .value = 1 },
    { .name = "list", .kind = CLI_FLAG, .offset_bytes = offsetof(info_request, list), .value = 1 },
    { .name = NULL },
  };
  int rc = cli_parse_options(argc, argv, options, &request);
  if (rc == CLI_HELP) return print_help(), cli_flush_output();
  if (rc == CLI_OK && request.json && request.list) rc = cli_usage(argv[0], "--json and --list exclude each other");
  if (rc == CLI_OK) rc = cli_no_arguments(argc, argv);
  if (rc != CLI_OK) return rc;
  rc = request.json ? show_json() : show_text(request.list ? INFO_LIST : INFO_TEXT);
  return rc != CLI_OK ? rc : cli_flush_output();
}
