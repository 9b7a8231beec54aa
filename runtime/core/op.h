/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator from source, and what counts who needs it (op_users.c). */
#ifndef SCANRT_OP_H
#define SCANRT_OP_H

#include "core/plan.h"

struct scan_op {
  uint32_t magic;
  scan_ctx *ctx;
  scan_source source;
  uint32_t users; /* its owner, and plans */
  int is_owned;   /* until scan_op_destroy */
  scan_op *next;
};

/* Gives up an operator that is in no list. */
void scan_op_release(scan_op *op);

#endif
