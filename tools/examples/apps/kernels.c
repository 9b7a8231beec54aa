/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernels_device.h"

#include <scanrt/scan_device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct app_kernels {
  const app_device *device;
  uint32_t most_groups;
  void *state;
};

struct app_sequence {
  app_kernels *kernels;
  int (*enqueue)(void *state);
  void *state;
  void *recorded;
};

/* ---- the host ---------------------------------------------------------------------------------------------------- */

typedef struct host_state {
  const app_kernel *kernels;
} host_state;

static int host_open(void *state, scan_ctx *ctx, const char *text, const app_kernel *kernels, int count) {
  (void)ctx, (void)text, (void)count;
  ((host_state *)state)->kernels = kernels;
  return 0;
}

static int host_launch(void *state, int which, uint32_t groups, const app_argument *arguments, int count) {
  void *pointers[APP_MOST_ARGUMENTS];
  uint32_t numbers[APP_MOST_ARGUMENTS];
  (void)groups;
  for (int i = 0; i < count; i++) {
    const scan_mem m = arguments[i].memory;
    numbers[i] = arguments[i].number;
    pointers[i] = m.kind == SCAN_MEM_NONE ? (void *)&numbers[i] : (char *)m.handle + m.offset_bytes;
  }
  ((host_state *)state)->kernels[which].host(pointers);
  return 0;
}

scan_status app_alloc(scan_ctx *ctx, uint64_t bytes, scan_mem *memory) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  const scan_status status = scan_ctx_device(ctx, &info);
  if (status != SCAN_SUCCESS) return status;
  if (info.backend != SCAN_BACKEND_HOST) return scan_alloc(ctx, bytes, memory);
  void *const ours = malloc((size_t)bytes);
  if (!ours) return SCAN_OUT_OF_MEMORY;
  *memory = scan_host(ours);
  return SCAN_SUCCESS;
}

void app_free(scan_ctx *ctx, scan_mem memory) {
  if (memory.kind == SCAN_MEM_HOST)
    free(memory.handle);
  else
    (void)scan_free(ctx, memory);
}

static void host_close(void *state) { (void)state; }

const app_device app_device_host = {
  .state_bytes = sizeof(host_state),
  .open = host_open,
  .launch = host_launch,
  .close = host_close,
};

/* ---- every device ------------------------------------------------------------------------------------------------ */

static const app_device *device_of(scan_backend backend) {
  if (backend == SCAN_BACKEND_CUDA) return &app_device_cuda;
  return backend == SCAN_BACKEND_OPENCL ? &app_device_opencl : &app_device_host;
}

int app_kernels_create(scan_ctx *ctx, const char *text, const app_kernel *kernels, int count, app_kernels **made) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  if (scan_ctx_device(ctx, &info) != SCAN_SUCCESS) {
    fprintf(stderr, "%s\n", scan_last_error(ctx));
    return -1;
  }
  app_kernels *k = calloc(1, sizeof *k);
  const app_device *device = device_of(info.backend);
  void *state = calloc(1, device->state_bytes);
  if (k && state) {
    *k = (app_kernels){ device, info.compute_units * APP_GROUPS_A_UNIT, state };
    if (device->open(state, ctx, text, kernels, count) == 0) {
      *made = k;
      return 0;
    }
    device->close(state);
  } else {
    fprintf(stderr, "no memory for kernels\n");
  }
  free(state);
  free(k);
  return -1;
}

int app_kernels_launch(app_kernels *kernels, int which, uint64_t work, const app_argument *arguments, int count) {
  const uint64_t wanted = (work + APP_GROUP_ITEMS - 1) / APP_GROUP_ITEMS;
  const uint32_t groups = wanted < kernels->most_groups ? (uint32_t)wanted : kernels->most_groups;
  return kernels->device->launch(kernels->state, which, groups, arguments, count);
}

int app_kernels_launch_groups(app_kernels *kernels, int which, uint32_t groups, const app_argument *arguments,
                              int count) {
  return kernels->device->launch(kernels->state, which, groups, arguments, count);
}

char *app_device_text(const char *defines, const char *kernels) {
  const char *const headers = scan_device_text("scanrt/device/lookback.h");
  const size_t bytes = 64 + strlen(defines) + (headers ? strlen(headers) : 0) + strlen(kernels);
  char *const text = malloc(bytes);
  if (text && headers)
    snprintf(text, bytes, "#define SCANRT_GROUP_ITEMS %d\n%s%s%s", APP_GROUP_ITEMS, defines, headers, kernels);
  else
    fprintf(stderr, "no memory for kernels\n");
  if (headers) return text;
  free(text);
  return NULL;
}

void app_kernels_destroy(app_kernels *kernels) {
  if (!kernels) return;
  kernels->device->close(kernels->state);
  free(kernels->state);
  free(kernels);
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

/* Records a sequence, and ends the recording even if a call failed. */
static int record(app_sequence *s) {
  const app_device *device = s->kernels->device;
  if (device->record_begin(s->kernels->state) != 0) return -1;
  const int rc = s->enqueue(s->state);
  return device->record_end(s->kernels->state, &s->recorded) == 0 ? rc : -1;
}

int app_sequence_create(app_kernels *kernels, int (*enqueue)(void *state), void *state, app_sequence **made) {
  app_sequence *s = calloc(1, sizeof *s);
  if (!s) {
    fprintf(stderr, "no memory for a sequence\n");
    return -1;
  }
  *s = (app_sequence){ kernels, enqueue, state, NULL };
  if (kernels->device->record_begin && record(s) != 0) {
    app_sequence_destroy(s);
    return -1;
  }
  *made = s;
  return 0;
}

int app_sequence_run(app_sequence *sequence) {
  app_kernels *k = sequence->kernels;
  return sequence->recorded ? k->device->replay(k->state, sequence->recorded) : sequence->enqueue(sequence->state);
}

void app_sequence_destroy(app_sequence *sequence) {
  if (!sequence) return;
  if (sequence->recorded) sequence->kernels->device->forget(sequence->kernels->state, sequence->recorded);
  free(sequence);
}
