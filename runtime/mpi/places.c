/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of a context's elements and values: in the caller's memory, in the held block, in the plan's slots. */
#include "mpi/run.h"

scan_mem scan_mpi_slot(const mpi_run *run, int slot) {
  return scan_offset(run->plan->slots.mem, (uint64_t)slot * sizeof(mpi_value));
}

mpi_piece scan_mpi_piece_of(const mpi_run *run, mpi_range places, int is_held) {
  const mpi_layout *layout = &run->layout;
  const scan_mpi_plan *plan = run->plan;
  const uint64_t memory = scan_mpi_memory_of(layout, places);
  const uint64_t at = is_held ? memory - scan_mpi_memory_of(layout, run->held) + (layout->backward ? 1 : 0)
                              : memory - layout->starts[run->mpi->context];
  const uint64_t key_bytes = scan_type_bytes(run->spec->asked.key_type);
  const scan_mem own_marks =
      run->spec->by_keys ? scan_offset(run->args.marks, at * key_bytes) : scan_offset(plan->segment_flags.mem, at);
  const uint64_t out_at = run->spec->asked.kind == SCAN_TOTAL && !is_held ? 0 : at;
  return (mpi_piece){ .in = scan_offset(is_held ? plan->held_in.mem : run->args.in, at * run->spec->in_bytes),
                      .out = scan_offset(is_held ? plan->held_out.mem : run->args.out, out_at * run->spec->out_bytes),
                      .marks = is_held ? scan_offset(plan->held_flags.mem, at) : own_marks,
                      .n = scan_mpi_items(places) };
}
