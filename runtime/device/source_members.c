/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of an operator's input and output that lie in arrays of their own: their checks, and their #define lines. */
#include <stdio.h>
#include <stdlib.h>

#include "device/source.h"

#define FAIL_INVALID(...) return scan_fail(error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

/* Checks the members of one end of the scan, whose elements have `bytes`. */
static scan_status check_members(const char *what, const scan_op_member *members, uint32_t count, size_t bytes,
                                 scan_error *error) {
  if ((members == NULL) != (count == 0) || count > SCAN_OP_MOST_MEMBERS)
    FAIL_INVALID("source->%s_member_count is %u, and %s_members is %s: give 1 to %d members, or none", what, count,
                 what, members == NULL ? "NULL" : "given", SCAN_OP_MOST_MEMBERS);
  for (uint32_t k = 0; k < count; k++) {
    const scan_op_member *m = &members[k];
    if (m->bytes == 0 || m->bytes > 8 || (m->bytes & (m->bytes - 1)) != 0)
      FAIL_INVALID("source->%s_members[%u] has %u bytes: a member has 1, 2, 4 or 8", what, k, m->bytes);
    if (m->offset % m->bytes != 0 || m->offset > bytes || bytes - m->offset < m->bytes)
      FAIL_INVALID("source->%s_members[%u] lies at byte %u of %zu: use SCAN_OP_MEMBER", what, k, m->offset, bytes);
    if (what[0] == 'o' && m->shift != 0)
      FAIL_INVALID("source->output_members[%u].shift is not 0: outputs have none", k);
    if (m->shift > INT32_MAX || m->shift < -INT32_MAX)
      FAIL_INVALID("source->input_members[%u].shift is beyond 2^31 elements", k);
  }
  return SCAN_SUCCESS;
}

scan_status scan_source_check_members(const scan_op_source *from, scan_error *error) {
  SCAN_TRY(check_members("input", from->input_members, from->input_member_count,
                         from->input_type != NULL ? from->input_bytes : from->value_bytes, error));
  return check_members("output", from->output_members, from->output_member_count,
                       from->output_type != NULL ? from->output_bytes : from->value_bytes, error);
}

int scan_source_add_members(char *out, size_t out_bytes, const char *name, const scan_source_members *members) {
  long long reach = 0;
  for (uint32_t k = 0; k < members->count; k++)
    if (llabs(members->of[k].shift) > reach) reach = llabs(members->of[k].shift);
  int used = snprintf(out, out_bytes,
                      "#define SCAN_SOURCE_%s %u\n"
                      "#define SCAN_%s_FIRST_BYTES %u\n"
                      "#define SCAN_%s_REACH %lldu\n"
                      "#define SCAN_%s_EACH(DO)",
                      name, members->count, name, members->of[0].bytes, name, reach, name);
  for (uint32_t k = 0; k < members->count; k++)
    used += snprintf(out + used, out_bytes - (size_t)used, " DO(%u, %u, %u, %d)", k, members->of[k].bytes,
                     members->of[k].offset, (int)members->of[k].shift);
  return used + snprintf(out + used, out_bytes - (size_t)used, "\n");
}
