/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicates and bucket functions from source, which are kept as operators are (source.h). */
#ifndef SCANRT_PREDICATE_H
#define SCANRT_PREDICATE_H

#include "device/source.h"

/* Refuses what is no predicate. */
scan_status scan_predicate_check(const scan_predicate_source *from, scan_error *error);

/* Copies one that has passed. SCAN_OUT_OF_MEMORY leaves nothing behind. */
scan_status scan_predicate_copy(const scan_predicate_source *from, scan_source *source, scan_error *error);

/* The same of bucket functions. */
scan_status scan_bucket_check(const scan_bucket_source *from, scan_error *error);
scan_status scan_bucket_copy(const scan_bucket_source *from, scan_source *source, scan_error *error);

#endif
