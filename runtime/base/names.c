/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/error.h"

static const char *const strategy_names[] = {
  [SCAN_STRATEGY_AUTO] = "auto",           [SCAN_STRATEGY_SEQUENTIAL] = "sequential",
  [SCAN_STRATEGY_BLOCK] = "block",         [SCAN_STRATEGY_REDUCE_THEN_SCAN] = "reduce_then_scan",
  [SCAN_STRATEGY_LOOKBACK] = "lookback",   [SCAN_STRATEGY_THREADS] = "threads",
  [SCAN_STRATEGY_PIPELINED] = "pipelined", [SCAN_STRATEGY_HILLIS_STEELE] = "hillis_steele",
  [SCAN_STRATEGY_BLELLOCH] = "blelloch",   [SCAN_STRATEGY_BLELLOCH_PADDED] = "blelloch_padded",
  [SCAN_STRATEGY_SUBGROUP] = "subgroup",   [SCAN_STRATEGY_THREE_PASS] = "three_pass",
  [SCAN_STRATEGY_CHAINED] = "chained",     [SCAN_STRATEGY_LOOKBACK_CLASSIC] = "lookback_classic",
  [SCAN_STRATEGY_SKLANSKY] = "sklansky",   [SCAN_STRATEGY_BRENT_KUNG] = "brent_kung",
  [SCAN_STRATEGY_RAKING] = "raking",
};

static const char *const backend_names[] = {
  [SCAN_BACKEND_CUDA] = "cuda",
  [SCAN_BACKEND_OPENCL] = "opencl",
  [SCAN_BACKEND_HOST] = "host",
};

#define LOOK_UP(names, index) ((size_t)(index) < sizeof(names) / sizeof(names)[0] ? (names)[(size_t)(index)] : NULL)

const char *scan_strategy_name(scan_strategy strategy) { return LOOK_UP(strategy_names, strategy); }

const char *scan_backend_name(scan_backend backend) { return LOOK_UP(backend_names, backend); }

scan_status scan_strategy_parse(const char *name, scan_strategy *value) {
  if (value == NULL) return scan_fail_name("scan_strategy_parse", name, "strategy", value);
  *value = SCAN_STRATEGY_AUTO;
  for (size_t i = 0; name != NULL && i < sizeof strategy_names / sizeof strategy_names[0]; i++) {
    if (strcmp(strategy_names[i], name) != 0) continue;
    *value = (scan_strategy)i;
    return SCAN_SUCCESS;
  }
  return scan_fail_name("scan_strategy_parse", name, "strategy", value);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
const char *scan_version(void) {
  return TEXT(SCAN_VERSION_MAJOR) "." TEXT(SCAN_VERSION_MINOR) "." TEXT(SCAN_VERSION_PATCH);
}

int scan_version_number(void) { return SCAN_VERSION_NUMBER; }
