/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for look-back within users' kernels, as scanrt/device/state.h lays it out, and these headers'
 * text. */
#include <scanrt/device/state.h>
#include <scanrt/scan_device.h>

#include <pthread.h>
#include <string.h>

#include "base/embedded.h"
#include "core/context.h"

enum { MOST_VALUE_BYTES = 64 };

/* A descriptor has 8 bytes for each 4 bytes of a value, in words of 64 bits or of 32. Blocks and super-blocks have a
 * number of 4 bytes each, too. */
uint64_t scan_device_state_bytes(uint64_t work_groups, uint32_t value_bytes) {
  if (work_groups == 0 || work_groups > UINT64_C(1) << 31 || value_bytes == 0 || value_bytes > MOST_VALUE_BYTES)
    return 0;
  const uint64_t blocks = work_groups / SCANRT_STATE_BLOCK, totals = blocks + blocks / SCANRT_STATE_BLOCK;
  const uint64_t words = (value_bytes + 3) / 4;
  return SCANRT_STATE_HEADER * UINT64_C(4) + (work_groups + totals) * words * 8 + (totals + 1) / 2 * 8;
}

scan_status scan_device_state_init(scan_ctx *ctx, scan_mem state, uint64_t work_groups, uint32_t value_bytes) {
  const uint64_t bytes = scan_device_state_bytes(work_groups, value_bytes);
  const uint32_t groups = (uint32_t)work_groups;
  scan_mem mem;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_device_state_init"));
  if (bytes == 0)
    FAIL_INVALID("scan_device_state_init: %llu work-groups with values of %u bytes: there are 1 to 2^31, of 1 to %d",
                 (unsigned long long)work_groups, value_bytes, MOST_VALUE_BYTES);
  SCAN_TRY(scan_mem_resolve(ctx, state, bytes, "state", &mem));
  SCAN_TRY(ctx->ops->fill(ctx->device, mem, 0, bytes, &ctx->error));
  return ctx->ops->write(ctx->device, scan_offset(mem, SCANRT_STATE_GROUPS * sizeof groups), &groups, sizeof groups,
                         &ctx->error);
}

scan_status scan_device_state_check(scan_ctx *ctx, scan_mem state, uint64_t *total) {
  uint32_t header[SCANRT_STATE_HEADER];
  scan_mem mem;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_device_state_check"));
  SCAN_TRY(scan_mem_resolve(ctx, state, sizeof header, "state", &mem));
  SCAN_TRY(ctx->ops->read(ctx->device, mem, header, sizeof header, &ctx->error));
  if (total != NULL) *total = (uint64_t)header[SCANRT_STATE_TOTAL + 1] << 32 | header[SCANRT_STATE_TOTAL];
  if (header[SCANRT_STATE_LOST] == SCANRT_STATE_GAVE_UP)
    return scan_fail(&ctx->error, SCAN_NO_PROGRESS,
                     "scan_device_state_check: a work-group waited in vain for another one; the output is incomplete");
  if (header[SCANRT_STATE_LOST] == SCANRT_STATE_NO_COUNTS)
    FAIL_INVALID("scan_device_state_check: a launch of SCANRT_PLACES did not follow one of SCANRT_COUNTS with as many "
                 "work-groups");
  if (header[SCANRT_STATE_LOST] != 0)
    FAIL_INVALID("scan_device_state_check: a launch had more work-groups than the %u of scan_device_state_init",
                 header[SCANRT_STATE_GROUPS]);
  return SCAN_SUCCESS;
}

/* ---- text ---- */

static struct {
  const char *name, *embedded;
  char *text;
} texts[] = { { "scanrt/device/group.h", "device/group.h", NULL },
              { "scanrt/device/lookback.h", "device/lookback.h", NULL } };

static void read_texts(void) {
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) texts[i].text = scan_kernel_text(texts[i].embedded);
}

const char *scan_device_text(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (name == NULL || pthread_once(&once, read_texts) != 0) return NULL;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strcmp(texts[i].name, name) == 0) return texts[i].text;
  return NULL;
}
