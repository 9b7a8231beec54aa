/* SPDX-License-Identifier: BSD-2-Clause */
/* A driver library that is too old: it has the first function and lacks the others. */
__attribute__((visibility("default"))) int cuInit(unsigned flags);
int cuInit(unsigned flags) { return flags != 0; }
