/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicates and bucket functions from source, stored in the form of operators (source.h). */
#ifndef SCANRT_PREDICATE_H
#define SCANRT_PREDICATE_H

#include "device/source.h"

/* Refuses an invalid predicate. */
scan_status scan_predicate_check(const scan_predicate_source *from, scan_error *error);

/* Copies a checked predicate. SCAN_OUT_OF_MEMORY leaves nothing behind. */
scan_status scan_predicate_copy(const scan_predicate_source *from, scan_source *source, scan_error *error);

/* Refuses an invalid bucket function. */
scan_status scan_bucket_check(const scan_bucket_source *from, scan_error *error);

/* Copies a checked bucket function. SCAN_OUT_OF_MEMORY leaves nothing behind. */
scan_status scan_bucket_copy(const scan_bucket_source *from, scan_source *source, scan_error *error);

#endif
