/* SPDX-License-Identifier: BSD-2-Clause */
#include "conversion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_runs.h>
#include <scanrt/scan_sort.h>

enum { PLACE_ROW_BIT = 32 };

APP_KERNELS(
    text,
    /* Returns the row of an entry, counted from 1; 0 for the entry before the first. */
    APP_FUNCTION uint32_t row_behind(APP_GLOBAL const uint64_t *place, uint64_t entry, uint32_t first_row) {
      return entry > 0u ? (uint32_t)(place[entry - 1u] >> 32) - first_row + 1u : 0u;
    }

    APP_KERNEL void split(APP_GLOBAL const uint64_t *place, APP_GLOBAL const uint64_t *entries,
                          APP_GLOBAL uint32_t *column, APP_GLOBAL uint32_t *offset, uint32_t first_row, uint32_t rows) {
      for (uint64_t i = APP_ITEM; i <= entries[0]; i += APP_ITEMS) {
        const uint32_t end = i < entries[0] ? (uint32_t)(place[i] >> 32) - first_row : rows;
        if (i < entries[0]) column[i] = (uint32_t)place[i];
        for (uint32_t r = row_behind(place, i, first_row); r <= end; r++) offset[r] = (uint32_t)i;
      }
    });

static void split_on_host(void *const *a) { split(a[0], a[1], a[2], a[3], *(uint32_t *)a[4], *(uint32_t *)a[5]); }

enum { SPLIT, KERNELS };
static const app_kernel kernels[KERNELS] = { { "split", split_on_host } };

int conversion_check(const conversion *c, scan_status status) {
  if (status == SCAN_SUCCESS) return EXIT_SUCCESS;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(c->ctx));
  return status == SCAN_UNSUPPORTED || status == SCAN_NO_DEVICE ? CONVERSION_CANNOT : EXIT_FAILURE;
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static scan_status write_input(conversion *c) {
  const triplets *t = c->from;
  const scan_status status = scan_write(c->ctx, c->memory[CONVERSION_PLACE], t->place, t->count * sizeof(uint64_t));
  if (status != SCAN_SUCCESS) return status;
  return scan_write(c->ctx, c->memory[CONVERSION_VALUE], t->value, t->count * sizeof(double));
}

static scan_status make_memory(conversion *c) {
  const triplets *t = c->from;
  const uint64_t n = t->count, most = t->most_entries;
  const uint64_t bytes[CONVERSION_MEMORIES] = {
    [CONVERSION_PLACE] = 8 * n,
    [CONVERSION_VALUE] = 8 * n,
    [CONVERSION_SORTED_PLACE] = c->sorts ? 8 * n : 8,
    [CONVERSION_SORTED_VALUE] = c->sorts ? 8 * n : 8,
    [CONVERSION_ENTRY_PLACE] = 8 * most,
    [CONVERSION_ENTRY_VALUE] = 8 * most,
    [CONVERSION_COLUMN] = 4 * most,
    [CONVERSION_OFFSET] = 4 * ((uint64_t)t->rows + 1),
    [CONVERSION_ENTRIES] = sizeof(uint64_t),
  };
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < CONVERSION_MEMORIES && status == SCAN_SUCCESS; i++)
    status = app_alloc(c->ctx, bytes[i], &c->memory[i]);
  return status;
}

uint32_t conversion_end_bit(uint32_t rows) {
  uint32_t bits = 1;
  while (bits < PLACE_ROW_BIT && rows >> bits != 0) bits++;
  return PLACE_ROW_BIT + bits;
}

static scan_status make_plans(conversion *c) {
  const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U64, SCAN_F64, SCAN_ADD);
  scan_sort_spec sort = SCAN_SORT_PAIRS_INIT(SCAN_U64, sizeof(double));
  sort.end_bit = conversion_end_bit(c->from->rows);
  if (c->sorts) {
    const scan_status status = scan_plan_create_sort(c->ctx, &sort, c->from->count, &c->sort);
    if (status != SCAN_SUCCESS) return status;
  }
  return scan_plan_create_reduce_by_key(c->ctx, &sum, c->from->count, &c->sum);
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

scan_status conversion_sort(conversion *c) {
  const scan_mem *m = c->memory;
  const scan_sort_args args = SCAN_SORT_PAIRS_ARGS_INIT(m[CONVERSION_PLACE], m[CONVERSION_SORTED_PLACE],
                                                        m[CONVERSION_VALUE], m[CONVERSION_SORTED_VALUE]);
  return c->sorts ? scan_plan_run_sort(c->sort, c->from->count, &args) : SCAN_SUCCESS;
}

scan_status conversion_sum(conversion *c) {
  const scan_mem *m = c->memory;
  scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(m[c->sorts ? CONVERSION_SORTED_PLACE : CONVERSION_PLACE],
                                   m[c->sorts ? CONVERSION_SORTED_VALUE : CONVERSION_VALUE], m[CONVERSION_ENTRY_PLACE],
                                   m[CONVERSION_ENTRY_VALUE], m[CONVERSION_ENTRIES]);
  args.capacity = c->from->most_entries;
  return scan_plan_run_reduce_by_key(c->sum, c->from->count, &args);
}

scan_status conversion_split_rows(app_kernels *made, const conversion_rows *r) {
  const app_argument arguments[] = { { .memory = r->place },  { .memory = r->entries },   { .memory = r->column },
                                     { .memory = r->offset }, { .number = r->first_row }, { .number = r->rows } };
  return app_kernels_launch(made, SPLIT, r->most_entries, arguments, 6) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR;
}

scan_status conversion_split(conversion *c) {
  const scan_mem *m = c->memory;
  const conversion_rows rows = { .place = m[CONVERSION_ENTRY_PLACE],
                                 .entries = m[CONVERSION_ENTRIES],
                                 .column = m[CONVERSION_COLUMN],
                                 .offset = m[CONVERSION_OFFSET],
                                 .most_entries = c->from->most_entries,
                                 .rows = c->from->rows };
  return conversion_split_rows(c->kernels, &rows);
}

scan_status conversion_run(conversion *c) {
  scan_status status = conversion_sort(c);
  if (status == SCAN_SUCCESS) status = conversion_sum(c);
  if (status == SCAN_SUCCESS) status = conversion_split(c);
  return status;
}

scan_status conversion_run_recorded(conversion *c) {
  return app_sequence_run(c->recorded) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

int conversion_kernels(scan_ctx *ctx, app_kernels **made) {
  return app_kernels_create(ctx, text, kernels, KERNELS, made);
}

static int run_or_report(void *state) { return conversion_check(state, conversion_run(state)); }

int conversion_open(conversion *c) {
  scan_status status = make_memory(c);
  if (status == SCAN_SUCCESS) status = write_input(c);
  if (status == SCAN_SUCCESS) status = make_plans(c);
  if (status != SCAN_SUCCESS) return conversion_check(c, status);
  if (conversion_kernels(c->ctx, &c->kernels) != 0) return EXIT_FAILURE;
  return app_sequence_create(c->kernels, run_or_report, c, &c->recorded) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void conversion_close(conversion *c) {
  app_sequence_destroy(c->recorded);
  app_kernels_destroy(c->kernels);
  scan_plan_destroy(c->sum);
  scan_plan_destroy(c->sort);
  for (int i = 0; i < CONVERSION_MEMORIES; i++) app_free(c->ctx, c->memory[i]);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

scan_status conversion_read(conversion *c, csr *got) {
  uint64_t entries;
  scan_status status = scan_read(c->ctx, c->memory[CONVERSION_ENTRIES], &entries, sizeof entries);
  if (status != SCAN_SUCCESS) return status;
  if (entries > got->entries) { /* all entries were counted, but some were not written */
    fprintf(stderr, "%" PRIu64 " entries where %" PRIu64 " are possible\n", entries, got->entries);
    return SCAN_SUCCESS;
  }
  got->entries = entries;
  got->rows = c->from->rows;
  status =
      scan_read(c->ctx, c->memory[CONVERSION_OFFSET], got->offset, ((uint64_t)c->from->rows + 1) * sizeof *got->offset);
  if (status == SCAN_SUCCESS)
    status = scan_read(c->ctx, c->memory[CONVERSION_COLUMN], got->column, got->entries * sizeof *got->column);
  if (status == SCAN_SUCCESS)
    status = scan_read(c->ctx, c->memory[CONVERSION_ENTRY_VALUE], got->value, got->entries * sizeof *got->value);
  return status;
}
