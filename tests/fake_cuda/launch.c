/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches: checks the arguments against the memory that a kernel reads and writes, then scans by the reference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_cl/lib/arguments.h"
#include "kernels_cl/scan/total.h"
#include "objects.h"
#include "reference.h"

enum { SUBTILE_BYTES = 4096, GROUP_TILES = 128, CONTROL_BYTES = 512, CONTROL_EPOCH = 1, CONTROL_WORDS = 96 };

static int is(const struct CUfunc_st *f, const char *kernel) { return strcmp(f->kernel, kernel) == 0; }

/* 1 if the kernel uses the look-back's control block and descriptors. */
static int looks_back(const struct CUfunc_st *f) {
  return is(f, "scan_lookback") || is(f, "scan_pipelined") || is(f, "scan_total");
}

/* Reads one parameter of a built-in kernel from the launch's list `p`, in the order of the kernel's arguments. */
#define READ_MEMORY(name) a.name = *(cuda_ptr *)*p++;
#define READ_U64(name) a.name = *(uint64_t *)*p++;
#define READ_U32(name) a.name = *(uint32_t *)*p++;
#define READ(kind, name) READ_##kind(name)
#define READ_SOURCE()

fake_arguments fake_read_parameters(cuda_function f, void **p) {
  fake_arguments a = { 0 };
  if (fake_is_textbook(f->kernel)) {
    TEXTBOOK_ARGUMENTS(READ, READ, READ_SOURCE)
  } else if (looks_back(f)) {
    LOOKBACK_ARGUMENTS(READ, READ, READ_SOURCE)
  } else if (strncmp(f->kernel, "rts_", 4) == 0) {
    TILE_ARGUMENTS(READ, READ, READ_SOURCE)
  } else if (is(f, "scan_sequential") || is(f, "scan_block")) {
    WALK_ARGUMENTS(READ, READ, READ_SOURCE)
  }
  return a;
}

/* Copies 8 bytes of each parameter; the list ends with NULL. The upper 4 bytes of a 32-bit parameter are garbage, which
 * the kernel does not read. */
emulated_grid fake_read_grid(cuda_function f, unsigned groups, unsigned items, unsigned shared_bytes,
                             void **parameters) {
  emulated_grid grid = { 0 };
  if (f->emulated_kernel == NULL) return grid;
  grid = (emulated_grid){ f->module->emulated, f->emulated_kernel, groups, items, shared_bytes, { 0 } };
  for (int i = 0; i < EMULATED_ARGUMENTS && parameters[i] != NULL; i++)
    memcpy(&grid.arguments[i], parameters[i], sizeof grid.arguments[i]);
  return grid;
}

static uint64_t tiles_of(const struct CUfunc_st *f, uint64_t n) {
  const uint64_t items = f->subtiles * (uint64_t)SUBTILE_BYTES / reference_bytes(f->module->type);
  return (n + items - 1) / items;
}

/* 1 if the kernel has the tile size S of kernels_cl/README.md. A single tile that is not full may be a smaller one. */
static int is_right_size(const struct CUfunc_st *f, uint64_t bytes) {
  if (bytes <= 32768) return f->subtiles * (uint64_t)SUBTILE_BYTES >= bytes;
  return f->subtiles == (bytes <= 524288 ? 1 : 8);
}

static cuda_result check_geometry(const struct CUfunc_st *f, unsigned groups, unsigned items, const fake_arguments *a) {
  const uint64_t tiles = tiles_of(f, a->n);
  const uint64_t resident = FAKE_UNITS * (is(f, "scan_total") ? TOTAL_UNIT_GROUPS : FAKE_GROUPS_PER_UNIT);
  uint64_t most = tiles, least = tiles;
  if (is(f, "scan_sequential") || is(f, "scan_block") || is(f, "rts_spine")) most = least = 1;
  if (looks_back(f)) most = tiles < resident ? tiles : resident, least = 1;
  if (a->n == 0 || a->n > UINT64_MAX / 8) return fake_punish(FAKE_INVALID_VALUE, "%s: n is %" PRIu64, f->kernel, a->n);
  if (is(f, "scan_pipelined") ? items % 32 != 0 || items > 1024 : items != FAKE_GROUP_ITEMS)
    return fake_punish(FAKE_INVALID_VALUE, "%s: %u items a group", f->kernel, items);
  if (groups < least || groups > most)
    return fake_punish(FAKE_INVALID_VALUE, "%s: %u groups for %" PRIu64 " tiles", f->kernel, groups, tiles);
  if (!is(f, "scan_sequential") && !is_right_size(f, a->n * reference_bytes(f->module->type)))
    return fake_punish(FAKE_INVALID_VALUE, "%s: %u sub-tiles for n = %" PRIu64, f->kernel, f->subtiles, a->n);
  return CUDA_OK;
}

static cuda_result check_buffers(const struct CUfunc_st *f, const fake_arguments *a) {
  const uint64_t in_item = reference_bytes(f->module->input_type), out_item = reference_bytes(f->module->type);
  const int writes = !is(f, "rts_reduce") && !is(f, "rts_spine");
  const uint64_t in_bytes = a->n * in_item, out_items = a->flags & FLAG_TOTAL ? 1 : a->n;
  const uint64_t out_bytes = writes ? out_items * out_item : 0;
  const int in_place = a->in == a->out && in_item == out_item;
  const int overlap = a->in < a->out + out_bytes && a->out < a->in + in_bytes;
  if (!fake_range_is_live(a->in, in_bytes) || a->in % in_item != 0)
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: the input leaves its memory, or is not aligned", f->kernel);
  if (!fake_range_is_live(a->out, out_bytes) || a->out % out_item != 0)
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: the output leaves its memory, or is not aligned", f->kernel);
  if (in_place != ((a->flags & FLAG_IN_PLACE) != 0) || (overlap && !in_place))
    return fake_punish(FAKE_INVALID_VALUE, "%s: input and output overlap otherwise than flags 0x%x say", f->kernel,
                       a->flags);
  return CUDA_OK;
}

/* Returns the bytes of workspace that the kernel may touch. */
static uint64_t workspace_bytes(const struct CUfunc_st *f, const fake_arguments *a) {
  const uint64_t bytes = reference_bytes(f->module->type), words = bytes > 4 ? 2 : 1, capacity = a->tile_capacity;
  if (strncmp(f->kernel, "rts_", 4) == 0) return tiles_of(f, a->n) * bytes;
  const uint64_t group_count = capacity / GROUP_TILES + 1;
  const uint64_t totals = is(f, "scan_total") ? group_count * GROUP_TILES * 8 : 0;
  if (looks_back(f)) return CONTROL_BYTES + (capacity + group_count) * words * 8 + totals;
  return 0;
}

/* Checks the memory of the carry in and the carry out. */
static cuda_result check_carries(const struct CUfunc_st *f, const fake_arguments *a) {
  const uint64_t bytes = reference_bytes(f->module->type);
  if (a->flags & FLAG_CARRY && (!fake_range_is_live(a->carry, bytes) || a->carry % bytes != 0))
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: the carry is not in memory, or not aligned", f->kernel);
  if (a->flags & FLAG_CARRY_OUT && (!fake_range_is_live(a->carry_out, bytes) || a->carry_out % bytes != 0))
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: what is kept is not in memory, or not aligned", f->kernel);
  return CUDA_OK;
}

static cuda_result check_workspace(const struct CUfunc_st *f, const fake_arguments *a) {
  const uint64_t bytes = workspace_bytes(f, a);
  if (bytes > 0 && (!fake_range_is_live(a->workspace, bytes) || a->workspace % 8 != 0))
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: the workspace is smaller than %" PRIu64 " bytes", f->kernel, bytes);
  if (looks_back(f) && a->tile_capacity < tiles_of(f, a->n))
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: room for %u tiles only", f->kernel, a->tile_capacity);
  return CUDA_OK;
}

/* Checks that the control block is clear, and advances the epoch, as a look-back does. */
static cuda_result use_control_block(const fake_arguments *a) {
  uint32_t *control = (uint32_t *)(uintptr_t)a->workspace;
  for (int i = 0; i < CONTROL_WORDS; i++)
    if (i != CONTROL_EPOCH && control[i] != 0)
      return fake_punish(FAKE_ILLEGAL_ADDRESS, "word %d of the control block is %u", i, control[i]);
  if (a->spin_limit == 0) return fake_punish(FAKE_INVALID_VALUE, "the spin limit is 0");
  control[CONTROL_EPOCH]++;
  return CUDA_OK;
}

/* Checks that reduce, spine and scan come in this order. Sets *scans to 1 for the scan, which does all the work. */
static cuda_result advance_rts(const struct CUfunc_st *f, int *scans) {
  static const char *const order[] = { "rts_reduce", "rts_spine", "rts_scan" };
  int *stage = &f->module->context->rts_stage;
  if (!is(f, order[*stage])) return fake_punish(FAKE_INVALID_VALUE, "%s came before %s", f->kernel, order[*stage]);
  *stage = (*stage + 1) % 3;
  *scans = *stage == 0;
  return CUDA_OK;
}

/* Flips the bits of values that the flags name, as the kernel does on loads and stores (kernels_cl/lib/flip.h). */
static void turn_over(const struct CUfunc_st *f, const fake_arguments *a, void *values, uint64_t count) {
  const uint64_t bytes = reference_bytes(f->module->type), sign = (uint64_t)1 << (8 * bytes - 1);
  const uint64_t flip = (a->flags & FLAG_FLIP_SIGN ? sign : 0) | (a->flags & FLAG_FLIP_REST ? sign - 1 : 0);
  for (uint64_t i = 0; i < count * bytes; i++) ((unsigned char *)values)[i] ^= (unsigned char)(flip >> i % bytes * 8);
}

/* Scans by the plain reference into `out`. A carry in has flipped bits. */
static void scan_into(const struct CUfunc_st *f, const fake_arguments *a, scan_kind kind, void *out) {
  const size_t in_bytes = (size_t)a->n * reference_bytes(f->module->input_type);
  scan_spec spec = SCAN_SPEC_INIT(f->module->type, f->op, kind);
  spec.input_type = f->module->input_type;
  spec.strategy = is(f, "scan_sequential") ? SCAN_STRATEGY_SEQUENTIAL : SCAN_STRATEGY_AUTO;
  spec.has_init = 1;
  const void *seed = a->flags & FLAG_CARRY ? (const void *)(uintptr_t)a->carry : &a->seed_bits;
  memcpy(&spec.init, seed, reference_bytes(f->module->type));
  if (a->flags & FLAG_CARRY) turn_over(f, a, &spec.init, 1);
  if (kind == SCAN_EXCLUSIVE && a->flags & FLAG_PLUS_ZERO) memset(&spec.init, 0, sizeof spec.init);
  void *in = reference_alloc(in_bytes);
  memcpy(in, (const void *)(uintptr_t)a->in, in_bytes);
  if (f->module->input_type == f->module->type) turn_over(f, a, in, a->n);
  reference_scan(&spec, a->n, in, out);
  turn_over(f, a, out, a->n);
  free(in);
}

static void scan(const struct CUfunc_st *f, const fake_arguments *a) {
  const size_t item = reference_bytes(f->module->type);
  unsigned char *all = NULL;
  if (a->flags & (FLAG_CARRY_OUT | FLAG_TOTAL)) {
    all = reference_alloc((size_t)a->n * item);
    scan_into(f, a, SCAN_INCLUSIVE, all);
  }
  if (!(a->flags & FLAG_TOTAL))
    scan_into(f, a, a->flags & FLAG_INCLUSIVE ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE, (void *)(uintptr_t)a->out);
  else
    memcpy((void *)(uintptr_t)a->out, all + (a->n - 1) * item, item);
  if (a->flags & FLAG_CARRY_OUT) memcpy((void *)(uintptr_t)a->carry_out, all + (a->n - 1) * item, item);
  free(all);
}

/* Writes the prefix of each tile, as the spine does: the tile's first element of the exclusive scan. */
static void leave_prefixes(const struct CUfunc_st *f, const fake_arguments *a) {
  const size_t item = reference_bytes(f->module->type), tile_items = f->subtiles * (size_t)SUBTILE_BYTES / item;
  unsigned char *out = reference_alloc((size_t)a->n * item);
  scan_into(f, a, SCAN_EXCLUSIVE, out);
  for (uint64_t tile = 0; tile < tiles_of(f, a->n); tile++)
    memcpy((unsigned char *)(uintptr_t)a->workspace + tile * item, out + tile * tile_items * item, item);
  free(out);
}

cuda_result fake_launch(cuda_function function, unsigned groups, unsigned items, const fake_arguments *args) {
  int scans = 1;
  fake.launches++;
  if (is(function, FAKE_EMPTY_KERNEL)) return CUDA_OK;
  const int is_textbook = fake_is_textbook(function->kernel);
  cuda_result result =
      is_textbook ? fake_check_textbook(function, groups, items, args) : check_geometry(function, groups, items, args);
  if (result == CUDA_OK) result = check_buffers(function, args);
  if (result == CUDA_OK && !is_textbook) result = check_carries(function, args);
  if (result == CUDA_OK) result = check_workspace(function, args);
  if (result == CUDA_OK && is_textbook) result = fake_advance_textbook(function, &scans);
  if (result == CUDA_OK && looks_back(function)) result = use_control_block(args);
  if (result == CUDA_OK && strncmp(function->kernel, "rts_", 4) == 0) result = advance_rts(function, &scans);
  if (result == CUDA_OK && is(function, "rts_spine")) leave_prefixes(function, args);
  if (result == CUDA_OK && scans) scan(function, args);
  return result;
}
