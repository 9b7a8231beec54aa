/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_source.c @brief The names of operators from source, and what they go with. */
#include "bench_source.h"
#include "cli.h"

#include <stdio.h>

enum { NAMES_BYTES = 512 };

/* ---- names ---- */

const char *bench_source_names(void) {
  static char names[NAMES_BYTES];
  size_t used = (size_t)snprintf(names, sizeof names, "add");
  for (size_t i = 0; source_operator_mapped(i) && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", source_operator_mapped(i)->name);
  for (int i = SCAN_COMPOSITE_NONE + 1; scan_composite_get((scan_composite)i) && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", scan_composite_name((scan_composite)i));
  return names;
}

int bench_source_parse(const char *command, const char *name, source_operator *source) {
  if (source_operator_find(name, source) == 0) return CLI_OK;
  return cli_usage(command, "unknown operator from source '%s': %s", name, bench_source_names());
}

int bench_source_check(const char *command, const source_operator *source, const scan_type *types, size_t type_count,
                       int is_exclusive) {
  if (source->map && source->map->emit && is_exclusive)
    return cli_usage(command, "--op-source %s emits what it likes: it has no --exclusive", source->name);
  for (size_t t = 0; t < type_count && !source->composite && !source->map; t++)
    if (types[t] > SCAN_F64)
      return cli_usage(command, "--op-source %s has no type %s", source->name, scan_type_name(types[t]));
  return CLI_OK;
}
