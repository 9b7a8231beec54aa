/* SPDX-License-Identifier: BSD-2-Clause */
/* The device layer: what a backend does for the layers above. Arguments arrive checked; a backend only words the
 * driver's faults. Adding a backend is one folder with one `const scan_backend_ops` and one line in backend.c. */
#ifndef SCANRT_BACKEND_H
#define SCANRT_BACKEND_H

#include <scanrt/scan.h>

#include "base/error.h"
#include "base/key.h"
#include "device/tuning.h"

/* size_bytes of memory that scan_offset has moved to its end, or past it. */
#define SCAN_MEM_NOTHING_LEFT UINT64_MAX

/* Look-back descriptors: 64-bit words, or 32-bit words on devices without wider atomics (kernels_cl/lib/descriptor.h).
 */
enum scan_descriptors { SCAN_DESCRIPTORS_PACKED = 0, SCAN_DESCRIPTORS_SPLIT };

/* The facts about a device that every choice depends on. A backend sets `index`, `id` and the fields of `info` that the
 * driver reports; scan_caps_derive (caps.c) derives all others. */
typedef struct scan_caps {
  scan_device_info info;
  int index; /* among the devices of its backend */
  void *id;  /* OpenCL: the driver's device, which finds it again even if the list has changed */
  scan_tuning tuning;
  enum scan_descriptors descriptors;
  uint32_t dynamic_local_bytes; /* local memory a work-group may ask for at launch, CUDA 8.0 and later; else 0 */
  uint32_t loop_limit;          /* iterations after which the device ends a work-item's loops, silently; 0: none */
  char fault[128];              /* the first question that the driver failed to answer; empty: none */
  uint32_t has_stalled;         /* 1: a look-back of this context gave up; AUTO chooses none any more */
  uint32_t onesweep;            /* CUDA contexts: the result of the onesweep test, SCAN_ONESWEEP_* */
  uint32_t clusters;            /* CUDA: 1 as long as clusters of work-groups have not failed to start; else 0 */
  uint32_t avoids;              /* plans: the strategies that AUTO passes over, SCAN_AVOID_* */
} scan_caps;

/* Results of the device's test for sort_onesweep.cuh (ops/sort/sort_run.c). */
enum { SCAN_ONESWEEP_UNTRIED, SCAN_ONESWEEP_OK, SCAN_ONESWEEP_FAILS };

/* Strategies that AUTO passes over, because their kernels were not compiled in advance (ops/scan/scan_plan.c), or are
 * not compiled yet (ops/scan/quick_plan.c). LOOKBACK: all but reduce_then_scan. */
enum { SCAN_AVOID_BLOCK = 1, SCAN_AVOID_PIPELINED = 2, SCAN_AVOID_LOOKBACK = 4 };

typedef struct scan_device_list {
  scan_caps *items;
  int count;
} scan_device_list;

typedef struct scan_device scan_device; /* an open device; defined by each backend */

/* Appends a device; returns SCAN_OUT_OF_MEMORY or SCAN_SUCCESS. */
scan_status scan_device_append(scan_device_list *list, const scan_caps *caps, scan_error *error);

/* Names a kernel and the build it comes from. */
typedef struct scan_kernel_key {
  const char *file;                           /* "lookback.cl" */
  const char *kernel;                         /* "scan_lookback" */
  const struct scan_argument_list *arguments; /* arguments.h */
  scan_type input_type, type;
  scan_op_id op;
  const struct scan_source *source; /* operator and type from source (source.h), in place of the three above; or NULL */
  uint32_t segments;    /* with a source: the kind of marks of segments (segments_source.h); 0: no segments */
  scan_type key_type;   /* type of the segments' keys or offsets; else 0 */
  uint32_t checks;      /* 1: the kernel notes overflow (overflow_source.h) */
  uint32_t steps;       /* with a source, 1: elements lie in_step and out_step elements apart */
  uint32_t reads_n;     /* 1: the kernel reads n from memory (args->n_from) */
  uint32_t flags_known; /* with a source: mask of the flags that are compiled into the kernel */
  uint32_t flags;       /* the values of the flags in that mask */
  uint32_t subtiles;
  uint32_t local_bytes; /* dynamic local memory of each launch */
  uint32_t is_cluster;  /* 1: launched as a cluster of more work-groups than every device can hold */
  uint32_t group_items; /* the textbook kernels: work-items of a work-group; 0: the tuning's number */
  uint32_t backward;    /* 1: scans from the last element to the first */
  uint32_t is_quick;    /* 1: the kernel is to compile in little time, and may take more time to run */
  const char
      *primitive; /* CUDA image of the kernels of an operation other than a scan, for all types; NULL for scans */
} scan_kernel_key;

/* Makes the key of the kernel's program from all fields that its text and options depend on. */
void scan_kernel_build_key(const scan_kernel_key *kernel, scan_key *key);

/* A program or module of a device, in a linked list. */
typedef struct scan_program {
  scan_key key;
  const struct scan_source *source; /* the operator from source that it was built for; or NULL */
  void *object;                     /* the driver's program or module; NULL: not built yet, or the build failed */
  char *image;                      /* compiled but not loaded yet; or NULL. It is freed with the program */
  struct scan_program *next;
} scan_program;

/* Returns the list's program of that key; NULL: there is none. */
scan_program *scan_program_find(scan_program *list, const scan_key *key);

/* Returns the list's program of that key, and appends a new one if there is none. NULL: no memory. */
scan_program *scan_program_of(scan_program **list, const scan_key *key, const struct scan_source *source);

/* Removes the programs of a source, or all programs if `source` is NULL. Calls `unload` for their objects, unless it is
 * NULL. */
void scan_programs_release(scan_program **list, const struct scan_source *source,
                           void (*unload)(scan_device *device, void *object), scan_device *device);

/* The arguments of all kernels; each kernel's list (arguments.h) picks its own. */
typedef struct scan_kernel_args {
  scan_mem in, out, workspace; /* device memory */
  uint64_t n;
  scan_mem marks; /* the caller's marks of segments; `count`: the number of offsets */
  uint64_t count;
  uint64_t seed_bits;
  uint32_t tile_capacity;
  uint32_t flags;
  uint32_t spin_limit;
  scan_mem carry;            /* the value that the scan begins with, if SCAN_KERNEL_CARRY is set; or no memory */
  scan_mem carry_out;        /* receives the scan's last value, if SCAN_KERNEL_CARRY_OUT is set; or no memory */
  scan_mem carry_in;         /* the run's; a COPY step moves it to `carry` if kernels cannot read it in place */
  const uint64_t *seed_more; /* the words after seed_bits, for kernels of a type from source */
  scan_mem segment_flags;    /* the marks of segments that the scan's kernels read */
  scan_mem checks;           /* receives the first overflow; or no memory */
  const int64_t *steps;      /* as scan_problem.step; or NULL */
  uint64_t origin;           /* the index of the first element in memory that maps and emits are given */
  scan_mem more_in[SCAN_OP_MOST_MEMBERS - 1],
      more_out[SCAN_OP_MOST_MEMBERS - 1]; /* the members' arrays but the first */
  /* Segmented reduction (kernels_cl/scan/segment_totals.cl); with `count`, `marks`, `places` and `tile_items`: */
  scan_mem ends, totals;
  /* Compaction (kernels_cl/select/select.h): */
  scan_mem rest, kept, n_from, n_overflow, places, lengths, starts;
  uint64_t capacity, rest_capacity;
  uint32_t element_words; /* units of the kernel's type that an element is moved in */
  uint32_t element_bytes; /* bytes of an element that the host moves; 0: it moves none */
  uint32_t tile_parts;    /* parts of a tile */
  uint32_t buckets;       /* buckets, or bins of a split */
  /* Sorting (kernels_cl/sort/sort.h): */
  scan_mem keys_spare, values_in, values_out, values_spare, digits;
  uint32_t tile_items, tiles, part_tiles, part, pass, first_bit, end_bit;
  uint32_t step_items; /* keys whose segments one work-group takes; `marks` has the offsets of segments and `count`
                          their number */
  scan_mem bins;       /* results of splits and histograms */
  const struct scan_source *predicate; /* host: the predicate; its parameters are seed_bits and seed_more. Of a
                                          segmented reduction the operator; these are its seed */
} scan_kernel_args;
enum { SCAN_SEED_MORE_WORDS = 7, SCAN_KERNEL_STEPS = 4 };
enum {
  SCAN_KERNEL_INCLUSIVE = 1,
  SCAN_KERNEL_IN_PLACE = 2,
  SCAN_KERNEL_SEED = 4,           /* kernels from source: a value comes before the first element */
  SCAN_KERNEL_FLIP_SIGN = 8,      /* kernels_cl/lib/flip.h: set by the CUDA backend alone */
  SCAN_KERNEL_FLIP_REST = 16,     /* kernels_cl/lib/flip.h: set by the CUDA backend alone */
  SCAN_KERNEL_CARRY = 32,         /* the scan begins with what args->carry holds */
  SCAN_KERNEL_REVERSED = 64,      /* with steps: scans from the last element in memory to the first */
  SCAN_KERNEL_CARRY_OUT = 128,    /* the running value of element n - 1 goes to args->carry_out */
  SCAN_KERNEL_TOTAL = 256,        /* only the output of element n - 1 is stored */
  SCAN_KERNEL_PLUS_ZERO = 512,    /* the seed is -0.0; an exclusive sum outputs +0.0 for it */
  SCAN_KERNEL_CONTINUES = 1024,   /* with a carry: element 0 continues its segment, unless it is marked */
  SCAN_KERNEL_UNMARKED = 2048,    /* with CONTINUES: element 0 continues its segment even if it is marked */
  SCAN_KERNEL_STARTS = 4096,      /* with n_from, and in segmented reductions: no elements leave the seed */
  SCAN_KERNEL_WIDE_OFFSETS = 8192 /* begins and ends of segments have 64 bits */
};

/* The application's objects that a context adopts; the backend creates those that are NULL. */
typedef struct scan_adoption {
  void *context; /* CUcontext or cl_context */
  void *queue;   /* CUstream or cl_command_queue */
  int adopted;   /* 1: use the two above, NULL stream included */
} scan_adoption;

typedef struct scan_kernel scan_kernel; /* a kernel ready to launch; defined by each backend */

/* How far a compilation in the background is. FAILED: a program does not compile, or no thread compiles it. */
typedef enum scan_compile_state { SCAN_COMPILE_PENDING, SCAN_COMPILE_DONE, SCAN_COMPILE_FAILED } scan_compile_state;

struct _cl_event;

typedef struct scan_backend_ops {
  scan_backend id;
  scan_mem_kind memory; /* the kind of memory that the backend works on */
  /* Appends this backend's devices. `note` receives what was found, or why nothing was. A missing driver is no
   * failure. */
  scan_status (*enumerate)(scan_device_list *list, char *note, size_t note_bytes, scan_error *error);
  /* Opens the device of caps->info.selector, or the adopted one (caps are then filled in). */
  scan_status (*open)(scan_caps *caps, const scan_adoption *adoption, scan_device **device, scan_error *error);
  void (*close)(scan_device *device);
  /* Returns the device's CUstream or cl_command_queue; NULL on the host. */
  void *(*queue)(const scan_device *device);
  scan_status (*alloc)(scan_device *device, uint64_t bytes, void **handle, scan_error *error);
  scan_status (*free)(scan_device *device, void *handle, scan_error *error);
  /* Sets every byte to `byte`, asynchronously. */
  scan_status (*fill)(scan_device *device, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error);
  /* Copies from the host to the device, and blocks. */
  scan_status (*write)(scan_device *device, scan_mem dst, const void *src, uint64_t bytes, scan_error *error);
  /* Copies from the device to the host, and blocks. */
  scan_status (*read)(scan_device *device, scan_mem src, void *dst, uint64_t bytes, scan_error *error);
  /* Copies on the device, asynchronously. */
  scan_status (*copy)(scan_device *device, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error);
  /* Compiles or loads a kernel, which is to be destroyed before the device is closed. */
  scan_status (*kernel_create)(scan_device *device, const scan_kernel_key *key, scan_kernel **kernel,
                               scan_error *error);
  /* 1 if the kernel was compiled in advance. NULL if the backend compiles no kernel in advance. */
  int (*is_compiled)(const scan_device *device, const scan_kernel_key *key);
  /* 1 if there is a compiler for kernels that were not compiled in advance. NULL if the backend compiles no kernel
   * in advance. */
  int (*has_compiler)(void);
  /* Compiles the programs of kernels that are about to be created, several at a time. Failures are ignored here:
   * kernel_create tries again and words them. NULL: no gain. */
  void (*kernels_prepare)(scan_device *device, const scan_kernel_key *keys, int count);
  /* 1 if no program of these kernels must be compiled: they are loaded, or on disk. NULL, with the next two: the
   * backend compiles nothing in the background. */
  int (*kernels_are_kept)(scan_device *device, const scan_kernel_key *keys, int count);
  /* Compiles the kernels' programs on threads of its own, in their order. Returns 0 if it cannot start one. */
  int (*kernels_begin)(scan_device *device, const scan_kernel_key *keys, int count);
  /* Creates the kernels of kernels_begin once they are compiled. While the application's stream is captured into a
   * CUDA graph, it waits for them. Does not fail: PENDING and FAILED leave kernels[] as it is. */
  scan_compile_state (*kernels_take)(scan_device *device, const scan_kernel_key *keys, int count,
                                     scan_kernel **kernels);
  /* 1 if the kernel was compiled in advance. NULL: every kernel is compiled on demand. */
  int (*has_kernel)(const scan_kernel_key *key);
  void (*kernel_destroy)(scan_device *device, scan_kernel *kernel);
  /* Drops all programs of an operator from source, whose kernels are already destroyed. */
  void (*source_release)(scan_device *device, const struct scan_source *source);
  scan_status (*launch)(scan_device *device, scan_kernel *kernel, uint32_t groups, uint32_t items_per_group,
                        const scan_kernel_args *args, scan_error *error);
  scan_status (*sync)(scan_device *device, scan_error *error);
  /* 1 if the last launch was recorded in a CUDA graph instead of executed; the library does not see the graph's runs.
   * NULL: launches are never recorded. */
  int (*was_recorded)(const scan_device *device);
  /* OpenCL: commands enqueued from here on wait for the application's events. NULL elsewhere. */
  scan_status (*events_wait)(scan_device *device, uint32_t count, struct _cl_event *const *events, scan_error *error);
  /* OpenCL: makes an event of all commands enqueued so far. NULL elsewhere. */
  scan_status (*event_mark)(scan_device *device, struct _cl_event **event, scan_error *error);
  /* Bytes from mem.offset_bytes to the end of the application's own memory; UINT64_MAX: unknown. */
  scan_status (*mem_bytes)(scan_device *device, scan_mem mem, uint64_t *bytes, scan_error *error);
  /* 1 if memory of two different handles shares bytes. NULL: comparing addresses suffices. */
  int (*mem_share)(scan_device *device, scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes);
} scan_backend_ops;

typedef struct scan_transfer_ops scan_transfer_ops; /* transfer.h: copies beside the scans */

extern const scan_backend_ops scan_backend_cuda, scan_backend_opencl, scan_backend_host;

/* Returns the backend of that id; never NULL for a valid one. */
const scan_backend_ops *scan_backend_get(scan_backend id);

/* Calls ops->enumerate, for backends with drivers in one thread at a time. Use it instead of the direct call. */
scan_status scan_backend_enumerate(const scan_backend_ops *ops, scan_device_list *list, char *note, size_t note_bytes,
                                   scan_error *error);

/* Calls ops->open, for backends with drivers in one thread at a time. Use it instead of the direct call. */
scan_status scan_backend_open(const scan_backend_ops *ops, scan_caps *caps, const scan_adoption *adoption,
                              scan_device **device, scan_error *error);

/* 1 if a kernel of a built-in operator is available: ops->has_kernel, or 1 without it. */
int scan_backend_has_kernel(scan_backend id, const scan_kernel_key *key);

/* Lists all devices of all backends, in the order of scan_device_count. */
scan_status scan_devices_list(scan_device_list *list, scan_error *error);

/* Frees the list. */
void scan_devices_free(scan_device_list *list);

#endif
