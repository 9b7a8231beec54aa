/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/caps.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"

/* ---- reading ---- */

/* 1 if the space-separated list has the word. Compares whole words: cl_khr_subgroup_shuffle begins
 * cl_khr_subgroup_shuffle_relative. */
static uint32_t has_word(const char *words, const char *word) {
  const size_t bytes = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at += bytes)
    if ((at == words || at[-1] == ' ') && (at[bytes] == '\0' || at[bytes] == ' ')) return 1;
  return 0;
}

void scan_caps_read_extensions(scan_device_info *info, const char *extensions) {
  static const struct {
    const char *name;
    size_t offset;
  } words[] = {
#define WORD(name, field) { name, offsetof(scan_device_facts, field) }
    WORD("cl_khr_int64_base_atomics", has_int64_base_atomics),
    WORD("cl_khr_int64_extended_atomics", has_int64_extended_atomics),
    WORD("cl_khr_subgroups", has_sub_groups),
    WORD("cl_khr_subgroup_shuffle", has_sub_group_shuffle),
    WORD("cl_khr_subgroup_shuffle_relative", has_sub_group_shuffle_relative),
    WORD("cl_intel_subgroups", has_intel_sub_groups),
    WORD("cl_intel_required_subgroup_size", has_required_sub_group_size),
    WORD("cl_khr_fp16", has_fp16),
#undef WORD
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    const uint32_t there = has_word(extensions, words[i].name);
    memcpy((char *)&info->facts + words[i].offset, &there, sizeof there);
  }
}

uint32_t scan_caps_version(const char *text, const char *prefix) {
  const size_t bytes = strlen(prefix);
  char *end = NULL;
  if (strncmp(text, prefix, bytes) != 0) return 0;
  const unsigned long major = strtoul(text + bytes, &end, 10);
  if (end == text + bytes || *end != '.') return 0;
  return (uint32_t)(100 * major + 10 * strtoul(end + 1, NULL, 10));
}

/* ---- progress ---- */

static uint32_t is_llvmpipe(const scan_device_info *info) { return strstr(info->name, "llvmpipe") != NULL; }

/* 1 if started work-groups are scheduled fairly: on GPUs of vendors known for it, and on processors, whose threads the
 * system schedules; not on llvmpipe, which ends loops silently. No OpenCL query answers the question. */
static uint32_t has_fair_progress(const scan_device_info *info) {
  static const char *const gpus[] = { "NVIDIA", "Advanced Micro Devices", "AMD", "Intel" };
  if (info->backend != SCAN_BACKEND_OPENCL) return 1;
  if (is_llvmpipe(info) || strstr(info->vendor, "Oclgrind") != NULL || info->facts.is_accelerator) return 0;
  if (info->is_cpu) return 1;
  for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
    if (strstr(info->vendor, gpus[i]) != NULL) return 1;
  return 0;
}

/* ---- variant ---- */

enum { PTX_CAPABILITY = 70, LLVMPIPE_LOOP_LIMIT = 65535 };

static scan_device_class class_of(const scan_device_info *info) {
  const uint32_t capability = info->facts.compute_capability;
  if (info->backend == SCAN_BACKEND_HOST) return SCAN_CLASS_HOST;
  if (info->backend == SCAN_BACKEND_OPENCL)
    return info->is_cpu || info->facts.is_accelerator ? SCAN_CLASS_CPU : SCAN_CLASS_GPU;
  if (capability >= 90) return SCAN_CLASS_CUDA_90;
  return capability >= 80 ? SCAN_CLASS_CUDA_80 : SCAN_CLASS_CUDA_75;
}

uint32_t scan_caps_local_bytes(scan_exchange exchange, uint32_t value_bytes) {
  /* tile_scratch of kernels_cl/scan/tile_group.h for a tile of 8 sub-tiles; narrow values take 32 bits. */
  enum { ROWS = 8 * CANON_SUBTILE_VECTORS / 32, SUBTILES = 8, PARTIAL = 4, GROUPS = 1, WORDS = 8, CLAIM = 8, ROW = 33 };
  const uint32_t bytes = value_bytes < 4 ? 4 : value_bytes;
  uint32_t tile = ((ROWS + SUBTILES + PARTIAL + GROUPS) * bytes + WORDS + 7) / 8 * 8 + CLAIM;
  if (exchange == SCAN_EXCHANGE_LOCAL) tile += (ROWS + PARTIAL) * ROW * bytes;
  const uint32_t spine = 2 * CANON_GROUP_TILES * bytes; /* reduce_then_scan.cl */
  return tile > spine ? tile : spine;
}

uint32_t scan_caps_source_local_bytes(scan_exchange exchange, uint64_t bytes) {
  enum { SUBTILE_ROWS = 8, OTHERS = 5, WORDS = 8, CLAIM = 8, ROW = 33, PARTIAL = 4, MARK = 4, MOST_ALIGN = 8 };
  const uint32_t subtiles = canon_most_subtiles(bytes), rows = subtiles * SUBTILE_ROWS;
  const uint32_t held = ((uint32_t)bytes + MARK + MOST_ALIGN - 1) / MOST_ALIGN * MOST_ALIGN; /* an upper bound */
  uint32_t tile = (rows + subtiles + OTHERS) * held + WORDS + CLAIM + MOST_ALIGN;
  if (exchange == SCAN_EXCHANGE_LOCAL) tile += (rows + PARTIAL) * ROW * ((uint32_t)bytes + 1) + MOST_ALIGN;
  const uint32_t spine = 2 * CANON_GROUP_TILES * held;
  return tile > spine ? tile : spine;
}

/* The sub-group size to require so that 32 consecutive work-items share a sub-group: the wanted one if possible, else
 * the other; 0: none can be required. */
static uint32_t required_sub_group(const scan_device_facts *facts, uint32_t wanted) {
  const uint32_t other = wanted == 32 ? 64 : 32;
  if (!facts->has_required_sub_group_size) return 0;
  if (facts->sub_group_sizes & wanted) return wanted;
  return facts->sub_group_sizes & other;
}

/* 1 if all sub-groups are 32 or 64 wide without a request, by the vendor's own query. */
static int always_wide(const scan_device_facts *facts) {
  return facts->has_sub_groups && (facts->sub_group_items == 32 || facts->sub_group_items == 64);
}

static int has_exchange(const scan_device_facts *facts, uint32_t exchange) {
  switch (exchange) {
  case SCAN_EXCHANGE_LOCAL: return 1;
  case SCAN_EXCHANGE_PTX: return facts->compute_capability >= PTX_CAPABILITY;
  case SCAN_EXCHANGE_SUB_GROUP:
    if (required_sub_group(facts, 32) != 0) return facts->has_sub_group_shuffle || facts->has_intel_sub_groups;
    return always_wide(facts) && facts->has_sub_group_shuffle;
  default: return 0;
  }
}

static uint32_t choose_exchange(const scan_device_facts *facts, uint32_t wanted) {
  if (has_exchange(facts, wanted)) return wanted;
  if (has_exchange(facts, SCAN_EXCHANGE_PTX)) return SCAN_EXCHANGE_PTX;
  return has_exchange(facts, SCAN_EXCHANGE_SUB_GROUP) ? SCAN_EXCHANGE_SUB_GROUP : SCAN_EXCHANGE_LOCAL;
}

#define SAY(...) snprintf(info->variant_reason, sizeof info->variant_reason, __VA_ARGS__)

/* 1 if work-groups fit the device; else sets the reason. */
static int work_groups_fit(scan_device_info *info, const scan_tuning *tuning) {
  const uint32_t needed = scan_caps_local_bytes((scan_exchange)tuning->exchange, 8);
  if (info->max_group_items < tuning->group_items) {
    SAY("its work-groups hold %u work-items, not %u: a work-item walks its tile alone", info->max_group_items,
        tuning->group_items);
    return 0;
  }
  if (info->local_memory_bytes < needed) {
    SAY("it has %llu bytes of local memory, not the %u of a work-group: a work-item walks its tile alone",
        (unsigned long long)info->local_memory_bytes, needed);
    return 0;
  }
  return 1;
}

static void say_exchange(scan_device_info *info, const scan_tuning *tuning) {
  const scan_device_facts *facts = &info->facts;
  if (tuning->exchange == SCAN_EXCHANGE_PTX) {
    SAY("NVIDIA's compute capability %u.%u: work-items exchange registers by PTX", facts->compute_capability / 10,
        facts->compute_capability % 10);
  } else if (tuning->exchange == SCAN_EXCHANGE_SUB_GROUP && tuning->sub_group != 0) {
    SAY("work-items exchange registers by sub-group built-ins: sub-groups of %u can be required", tuning->sub_group);
  } else if (tuning->exchange == SCAN_EXCHANGE_SUB_GROUP) {
    SAY("work-items exchange registers by sub-group built-ins: sub-groups are %u wide", facts->sub_group_items);
  } else if (choose_exchange(facts, SCAN_EXCHANGE_BEST) != SCAN_EXCHANGE_LOCAL) {
    SAY("work-items exchange registers by local memory, as $SCANRT_TUNE says");
  } else if (facts->compute_capability != 0) {
    SAY("work-items exchange registers by local memory: PTX shuffles need compute capability 7.0, this is %u.%u",
        facts->compute_capability / 10, facts->compute_capability % 10);
  } else if (facts->has_sub_group_shuffle || facts->has_intel_sub_groups) {
    SAY("work-items exchange registers by local memory: sub-groups of 32 or 64 cannot be required");
  } else {
    SAY("work-items exchange registers by local memory: no cl_khr_subgroup_shuffle, no cl_intel_subgroups");
  }
}

/* 1 if kernels in OpenCL C 3.0 can order accesses to memory for the whole device. */
static int has_device_fence(const scan_device_facts *facts) {
  enum { ACQUIRE_RELEASE = 1 << 1, DEVICE_SCOPE = 1 << 5, NEEDED = ACQUIRE_RELEASE | DEVICE_SCOPE };
  return facts->opencl_version >= 300 && (facts->atomic_capabilities & NEEDED) == NEEDED;
}

/* Chooses the variant of the portable kernels on OpenCL. */
static void derive_form(scan_device_info *info, scan_tuning *tuning) {
  tuning->exchange = choose_exchange(&info->facts, tuning->exchange);
  tuning->ptx = has_exchange(&info->facts, SCAN_EXCHANGE_PTX) && (tuning->ptx || tuning->exchange == SCAN_EXCHANGE_PTX);
  tuning->device_fence = tuning->device_fence && !tuning->ptx && has_device_fence(&info->facts);
  tuning->sub_group =
      tuning->exchange == SCAN_EXCHANGE_SUB_GROUP ? required_sub_group(&info->facts, tuning->sub_group) : 0;
  if (tuning->group_items > 1 && work_groups_fit(info, tuning)) {
    say_exchange(info, tuning);
    return;
  }
  if (tuning->group_items == 1)
    SAY("%s: a work-item walks its tile alone", info->is_cpu                 ? "a processor"
                                                : info->facts.is_accelerator ? "an accelerator"
                                                                             : "$SCANRT_TUNE says so");
  tuning->group_items = 1;
  tuning->exchange = SCAN_EXCHANGE_LOCAL;
  tuning->sub_group = 0;
}

static void derive_variant(scan_caps *caps, const char *overrides) {
  static const char *const exchanges[] = { "local", "ptx", "sub_group" };
  scan_device_info *info = &caps->info;
  scan_tuning *tuning = &caps->tuning;
  *tuning = scan_tuning_from(class_of(info), overrides);
  if (info->backend == SCAN_BACKEND_OPENCL) derive_form(info, tuning);
  if (info->backend == SCAN_BACKEND_CUDA) SAY("CUDA: warps exchange registers");
  if (info->backend == SCAN_BACKEND_HOST) SAY("host threads");
  info->group_items = tuning->group_items;
  info->sub_group_items = tuning->sub_group;
  info->has_shuffles = tuning->exchange != SCAN_EXCHANGE_LOCAL;
  snprintf(info->exchange, sizeof info->exchange, "%s", tuning->group_items > 1 ? exchanges[tuning->exchange] : "none");
}

/* ---- look-back ---- */

static void derive_descriptors(scan_caps *caps) {
  static const char *const names[] = { "packed", "split" };
  scan_device_info *info = &caps->info;
  const scan_device_facts *facts = &info->facts;
  const int on_opencl = info->backend == SCAN_BACKEND_OPENCL;
  info->has_int64_atomics = !on_opencl || (facts->has_int64_base_atomics && facts->has_int64_extended_atomics);
  caps->descriptors = info->has_int64_atomics && (!on_opencl || caps->tuning.descriptors != 32)
                          ? SCAN_DESCRIPTORS_PACKED
                          : SCAN_DESCRIPTORS_SPLIT;
  snprintf(info->descriptors, sizeof info->descriptors, "%s",
           info->backend == SCAN_BACKEND_HOST ? "none" : names[caps->descriptors]);
}

/* ---- the pipelined scan ---- */

/* The shared memory that a work-group may ask for. */
static uint32_t shared_bytes(const scan_caps *caps) {
  const uint32_t there = caps->info.facts.local_memory_optin_bytes, most = caps->tuning.shared_bytes;
  return most != 0 && most < there ? most : there;
}

/* Sets the dynamic shared memory of a work-group, which is the limit less the pipelined kernel's static memory for
 * 8-byte values, and chooses the set of kernels whose tiles fit it. */
static void derive_shared_memory(scan_caps *caps) {
  enum { OLDEST_CAPABILITY = 80, OWN_BYTES = TUNE_PIPE_OWN_BYTES(8) };
  const uint32_t bytes = shared_bytes(caps);
  caps->dynamic_local_bytes = 0;
  if (caps->info.backend != SCAN_BACKEND_CUDA || caps->info.facts.compute_capability < OLDEST_CAPABILITY) return;
  if (bytes > OWN_BYTES) caps->dynamic_local_bytes = bytes - OWN_BYTES;
  if (bytes < TUNE_SMALL_SHARED_BYTES) caps->tuning.image = TUNE_SMALL_IMAGE(caps->tuning.image);
}

/* ---- refusals ---- */

static void derive_refusal(scan_device_info *info, const char *fault) {
  const scan_device_facts *facts = &info->facts;
  info->refusal[0] = '\0';
  if (fault[0] != '\0') {
    snprintf(info->refusal, sizeof info->refusal, "cannot be judged: %s", fault);
  } else if (facts->opencl_version != 0 && facts->opencl_version < 120) {
    snprintf(info->refusal, sizeof info->refusal, "has OpenCL %u.%u; the kernels need 1.2", facts->opencl_version / 100,
             facts->opencl_version / 10 % 10);
  } else if (facts->lacks_compiler) {
    snprintf(info->refusal, sizeof info->refusal, "cannot build kernels from source: its driver has no compiler");
  } else if (facts->lacks_int64) {
    snprintf(info->refusal, sizeof info->refusal, "has no 64-bit integers, which the kernels count with");
  }
}

const char *scan_caps_refuse_type(const scan_caps *caps, scan_type type) {
  if (caps->info.refusal[0] != '\0') return caps->info.refusal;
  return type == SCAN_F64 && !caps->info.has_fp64 ? "has no double precision" : NULL;
}

void scan_caps_derive(scan_caps *caps, const char *overrides) {
  scan_device_info *info = &caps->info;
  info->has_fair_progress = has_fair_progress(info);
  caps->loop_limit = info->loop_limit = is_llvmpipe(info) ? LLVMPIPE_LOOP_LIMIT : 0;
  derive_variant(caps, overrides);
  derive_shared_memory(caps);
  derive_descriptors(caps);
  derive_refusal(info, caps->fault);
}
