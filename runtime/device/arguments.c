/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/arguments.h"

#include "device/source.h"

static int argument_add(scan_argument_list *list, int count, scan_argument_kind kind, size_t place) {
  list->rows[count] = (scan_argument){ (uint16_t)kind, (uint16_t)place };
  return count + 1;
}

/* Adds the arguments of kernels of a source, in the order of SEED_PARAMETERS (kernels_cl/lib/value_source.h). */
static int add_source(const scan_kernel_key *key, scan_argument_list *list, int count) {
  for (size_t i = 0; i < SCAN_SEED_MORE_WORDS; i++) count = argument_add(list, count, SCAN_ARGUMENT_SEED, i);
  if (key->segments != 0)
    count = argument_add(list, count, SCAN_ARGUMENT_MEMORY, offsetof(scan_kernel_args, segment_flags));
  if (key->checks) count = argument_add(list, count, SCAN_ARGUMENT_MEMORY, offsetof(scan_kernel_args, checks));
  for (size_t i = 0; key->steps && i < SCAN_KERNEL_STEPS; i++) count = argument_add(list, count, SCAN_ARGUMENT_STEP, i);
  if (key->source->map != NULL || key->source->emit != NULL)
    count = argument_add(list, count, SCAN_ARGUMENT_U64, offsetof(scan_kernel_args, origin));
  for (uint32_t k = 1; k < key->source->input_members.count; k++)
    count = argument_add(list, count, SCAN_ARGUMENT_MEMORY,
                         offsetof(scan_kernel_args, more_in[0]) + (k - 1) * sizeof(scan_mem));
  for (uint32_t k = 1; k < key->source->output_members.count; k++)
    count = argument_add(list, count, SCAN_ARGUMENT_MEMORY,
                         offsetof(scan_kernel_args, more_out[0]) + (k - 1) * sizeof(scan_mem));
  return count;
}

void scan_arguments_for(const scan_kernel_key *key, scan_argument_list *list) {
  int count = 0;
  for (const scan_argument *from = key->arguments->rows; from->kind != SCAN_ARGUMENT_END; from++)
    if (from->kind != SCAN_ARGUMENT_SOURCE)
      count = argument_add(list, count, (scan_argument_kind)from->kind, from->place);
    else if (key->source != NULL)
      count = add_source(key, list, count);
  if (key->reads_n) { /* PARAMETERS in kernels_cl/lib/arguments.h */
    count = argument_add(list, count, SCAN_ARGUMENT_MEMORY, offsetof(scan_kernel_args, n_from));
    count = argument_add(list, count, SCAN_ARGUMENT_MEMORY, offsetof(scan_kernel_args, n_overflow));
  }
  (void)argument_add(list, count, SCAN_ARGUMENT_END, 0);
}
