/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cuda_driver.h
 * @brief The CUDA driver as an application uses it, beside the library: opened at run time, so that tests build and are
 * skipped where there is none.
 */
#ifndef SCANRT_TESTS_CUDA_DRIVER_H
#define SCANRT_TESTS_CUDA_DRIVER_H

#include <stddef.h>

struct CUctx_st;
struct CUstream_st;
struct CUmod_st;
struct CUfunc_st;
typedef struct CUgraph_st *graph;
typedef struct CUgraphExec_st *graph_exec;

enum { CUDA_DRIVER_NOT_READY = 600, CUDA_DRIVER_NON_BLOCKING = 1 };

/** Functions, as the CUDA Driver API reference declares them. */
struct cuda_driver {
  int (*init)(unsigned);
  int (*retain)(struct CUctx_st **, int);
  int (*release)(int);
  int (*push)(struct CUctx_st *);
  int (*pop)(struct CUctx_st **);
  int (*current)(struct CUctx_st **);
  int (*stream_create)(struct CUstream_st **, unsigned);
  int (*stream_destroy)(struct CUstream_st *);
  int (*stream_sync)(struct CUstream_st *);
  int (*stream_query)(struct CUstream_st *);
  int (*alloc)(unsigned long long *, size_t);
  int (*free)(unsigned long long);
  int (*write)(unsigned long long, const void *, size_t, struct CUstream_st *);
  int (*read)(void *, unsigned long long, size_t, struct CUstream_st *);
  int (*capture_begin)(struct CUstream_st *, int);
  int (*capture_end)(struct CUstream_st *, graph *);
  int (*instantiate)(graph_exec *, graph, unsigned long long);
  int (*graph_launch)(graph_exec, struct CUstream_st *);
  int (*exec_destroy)(graph_exec);
  int (*graph_destroy)(graph);
  int (*module_load)(struct CUmod_st **, const void *);
  int (*module_unload)(struct CUmod_st *);
  int (*module_function)(struct CUfunc_st **, struct CUmod_st *, const char *);
  int (*launch)(struct CUfunc_st *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                struct CUstream_st *, void **, void **);
};

/** The open driver; valid after cuda_driver_open. */
extern struct cuda_driver cu;

/** Opens the driver and retains the primary context of a device. Ends the program with 77 and a notice when there is no
 *  driver or no such device, with 1 when the driver lacks a function. */
struct CUctx_st *cuda_driver_open(int device);

#endif
