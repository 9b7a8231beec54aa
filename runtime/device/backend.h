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

/* The look-back's descriptors: 64-bit words, or 32-bit words where atomics are no wider (kernels_cl/descriptor.h). */
enum scan_descriptors { SCAN_DESCRIPTORS_PACKED = 0, SCAN_DESCRIPTORS_SPLIT };

/* What every choice depends on. A backend sets `index`, `id` and the fields of `info` that the driver reports;
 * scan_caps_derive (caps.c) derives all others. */
typedef struct scan_caps {
  scan_device_info info;
  int index; /* among the devices of its backend */
  void *id;  /* OpenCL: the driver's, by which it is found again however the list has changed */
  scan_tuning tuning;
  enum scan_descriptors descriptors;
  uint32_t dynamic_local_bytes; /* local memory a work-group may ask for at launch, CUDA 8.0 and later; else 0 */
  uint32_t loop_limit;          /* iterations after which the device ends a work-item's loops, silently; 0: none */
  char fault[128];              /* the first question that the driver failed to answer; empty: none */
  uint32_t has_stalled;         /* a look-back of this context gave up: AUTO takes it no more */
  uint32_t sweeps;              /* of a context on CUDA: whether it sorts by sweeps, SCAN_SWEEPS_* */
  uint32_t clusters;            /* CUDA: 1 as long as clusters of work-groups have not failed to start; else 0 */
  uint32_t avoids;              /* of a plan: the strategies that AUTO passes over, SCAN_AVOID_* */
} scan_caps;

/* What a test of the device said of sort_sweep.cuh (core/sort_run.c). */
enum { SCAN_SWEEPS_UNTRIED, SCAN_SWEEPS_PAY, SCAN_SWEEPS_DO_NOT };

/* For want of kernels compiled in advance (core/plan.c). */
enum { SCAN_AVOID_BLOCK = 1, SCAN_AVOID_PIPELINED = 2 };

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
  uint32_t segments;    /* with a source: how the kernel is told where segments begin (segments_source.h); 0: none do */
  scan_type key_type;   /* of keys, or of offsets; else 0 */
  uint32_t checks;      /* 1: the kernel notes overflow (overflow_source.h) */
  uint32_t steps;       /* with a source, 1: elements lie in_step and out_step elements apart */
  uint32_t flags_known; /* with a source: the flags that are built into the kernel */
  uint32_t flags;       /* those of them that are set */
  uint32_t subtiles;
  uint32_t local_bytes;  /* dynamic local memory that each launch gets, */
  uint32_t local_most;   /* and the most that one of the same kernel's gets in another plan, where that may be more */
  uint32_t is_cluster;   /* 1: it is launched as a cluster of more work-groups than every device has room for */
  uint32_t group_items;  /* work-items a group, of the gallery's kernels; 0: what the device's tuning says */
  uint32_t backward;     /* 1: from the last element to the first */
  const char *primitive; /* no scan: CUDA's image of its kernels for all types; else NULL */
} scan_kernel_key;

/* The program that the kernel is in: all of the key that its text and options depend on. */
void scan_kernel_build_key(const scan_kernel_key *kernel, scan_key *key);

/* A program or module that a device holds, in a list. */
typedef struct scan_program {
  scan_key key;
  const struct scan_source *source; /* the operator from source that it was built for; or NULL */
  void *object;                     /* the driver's; NULL: not built yet, or the build failed */
  char *image;                      /* compiled and not loaded yet; or NULL. Freed with the program */
  struct scan_program *next;
} scan_program;

/* The list's program of that key, appended where there is none. NULL: no memory. */
scan_program *scan_program_of(scan_program **list, const scan_key *key, const struct scan_source *source);

/* Removes the programs of a source, or all of them where it is NULL, and calls `unload`, unless it is NULL, for their
 * objects. */
void scan_programs_release(scan_program **list, const struct scan_source *source,
                           void (*unload)(scan_device *device, void *object), scan_device *device);

/* What the arguments of all kernels are taken from, by each kernel's list (arguments.h). */
typedef struct scan_kernel_args {
  scan_mem in, out, workspace; /* of the device */
  uint64_t n;
  scan_mem marks; /* what the caller gave to say where segments begin, and of offsets how many there are */
  uint64_t count;
  uint64_t seed_bits;
  uint32_t tile_capacity;
  uint32_t flags;
  uint32_t spin_limit;
  scan_mem carry;               /* what the scan begins with, if SCAN_KERNEL_CARRY is set; or no memory */
  scan_mem keep;                /* where its last value goes, if SCAN_KERNEL_KEEP is set; or no memory */
  scan_mem carry_in, carry_out; /* the caller's, on the host or the device; COPY steps move them */
  const uint64_t *seed_more;    /* what follows seed_bits, for kernels of a type from source */
  scan_mem heads;               /* where segments begin */
  scan_mem checks;              /* where overflow is noted; or no memory */
  const int64_t *steps;         /* as scan_problem.step; or NULL */
  uint64_t origin;              /* the index that maps and emits see of the first element in memory */
  /* Of compaction (kernels_cl/select.h). */
  scan_mem rest, kept, n_from, excess, places, lengths, starts;
  uint64_t capacity, rest_capacity;
  uint32_t pieces;
  /* Of sorting (kernels_cl/sort.h). */
  scan_mem keys_spare, values_in, values_out, values_spare, digits;
  uint32_t tile_items, tiles, part_tiles, part, pass, first_bit, end_bit;
  uint32_t step_items;                 /* of segments, whose offsets are `marks`, and `count` how many they are */
  scan_mem bins;                       /* what splits and histograms leave */
  const struct scan_source *predicate; /* for the host; its parameters are seed_bits and seed_more */
} scan_kernel_args;
enum { SCAN_SEED_MORE_WORDS = 7, SCAN_KERNEL_STEPS = 4 };
enum {
  SCAN_KERNEL_INCLUSIVE = 1,
  SCAN_KERNEL_IN_PLACE = 2,
  SCAN_KERNEL_SEED = 4,         /* from source: there is a seed */
  SCAN_KERNEL_FLIP_SIGN = 8,    /* kernels_cl/flip.h: set by the CUDA backend alone */
  SCAN_KERNEL_FLIP_REST = 16,   /* likewise */
  SCAN_KERNEL_CARRY = 32,       /* the scan begins with what args->carry holds */
  SCAN_KERNEL_TURNED = 64,      /* with steps: from the last element in memory to the first */
  SCAN_KERNEL_KEEP = 128,       /* the running value of element n - 1 goes to args->keep */
  SCAN_KERNEL_TOTAL = 256,      /* only the output of element n - 1 is stored */
  SCAN_KERNEL_PLUS_ZERO = 512,  /* the seed is -0.0, and an exclusive sum shows it as +0.0 */
  SCAN_KERNEL_CONTINUES = 1024, /* with a carry: element 0 continues its segment, unless it is marked */
  SCAN_KERNEL_UNMARKED = 2048   /* with CONTINUES: element 0 continues it even if it is marked */
};

/* Objects of the application's that a context adopts; NULL fields are made by the backend. */
typedef struct scan_adoption {
  void *context; /* CUcontext or cl_context */
  void *queue;   /* CUstream or cl_command_queue */
  int adopted;   /* 1: use the two above, NULL stream included */
} scan_adoption;

typedef struct scan_kernel scan_kernel; /* a kernel ready to launch; defined by each backend */

struct _cl_event;

typedef struct scan_backend_ops {
  scan_backend id;
  scan_mem_kind memory; /* the kind that the backend works on */
  /* Appends this backend's devices. `note` says what was found, or why nothing was. A missing driver is no failure. */
  scan_status (*enumerate)(scan_device_list *list, char *note, size_t note_bytes, scan_error *error);
  /* Opens the device of caps->info.selector, or the adopted one (caps are then filled in). */
  scan_status (*open)(scan_caps *caps, const scan_adoption *adoption, scan_device **device, scan_error *error);
  void (*close)(scan_device *device);
  /* Its CUstream or cl_command_queue; NULL on the host. */
  void *(*queue)(const scan_device *device);
  scan_status (*alloc)(scan_device *device, uint64_t bytes, void **handle, scan_error *error);
  scan_status (*free)(scan_device *device, void *handle, scan_error *error);
  /* Sets every byte; asynchronous. */
  scan_status (*fill)(scan_device *device, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error);
  /* Blocking copies between host and device, and an asynchronous one on the device. */
  scan_status (*write)(scan_device *device, scan_mem dst, const void *src, uint64_t bytes, scan_error *error);
  scan_status (*read)(scan_device *device, scan_mem src, void *dst, uint64_t bytes, scan_error *error);
  scan_status (*copy)(scan_device *device, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error);
  /* Compiles or loads; the kernel is released before the device is closed. */
  scan_status (*kernel_create)(scan_device *device, const scan_kernel_key *key, scan_kernel **kernel,
                               scan_error *error);
  /* Whether the kernel was compiled in advance, and whether there is a compiler for those that were not; both NULL
   * where nothing is compiled in advance. */
  int (*is_compiled)(const scan_device *device, const scan_kernel_key *key);
  int (*has_compiler)(void);
  /* Compiles the programs of kernels that are about to be created, several at a time. What fails kernel_create tries
   * again, and words it. NULL: there is nothing to gain. */
  void (*kernels_prepare)(scan_device *device, const scan_kernel_key *keys, int count);
  /* Whether it was compiled in advance; NULL: every kernel is compiled when it is asked for. */
  int (*has_kernel)(const scan_kernel_key *key);
  void (*kernel_destroy)(scan_device *device, scan_kernel *kernel);
  /* Drops what was built for an operator from source; its kernels are destroyed. */
  void (*source_release)(scan_device *device, const struct scan_source *source);
  scan_status (*launch)(scan_device *device, scan_kernel *kernel, uint32_t groups, uint32_t items_per_group,
                        const scan_kernel_args *args, scan_error *error);
  scan_status (*sync)(scan_device *device, scan_error *error);
  /* Whether the last launch was recorded instead of done: in a CUDA graph, whose runs nobody sees. NULL: none is. */
  int (*was_recorded)(const scan_device *device);
  /* OpenCL: what is enqueued from here on waits for the application's events; an event of all that is enqueued so far.
   * NULL elsewhere. */
  scan_status (*events_wait)(scan_device *device, uint32_t count, struct _cl_event *const *events, scan_error *error);
  scan_status (*event_mark)(scan_device *device, struct _cl_event **event, scan_error *error);
  /* Bytes from mem.offset_bytes to the end of the application's own memory; UINT64_MAX: unknown. */
  scan_status (*mem_bytes)(scan_device *device, scan_mem mem, uint64_t *bytes, scan_error *error);
  /* Whether two different handles of the backend's memory have bytes in common; NULL: addresses tell all. */
  int (*mem_share)(scan_device *device, scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes);
} scan_backend_ops;

typedef struct scan_transfer_ops scan_transfer_ops; /* transfer.h: copies beside the scans */

extern const scan_backend_ops scan_backend_cuda, scan_backend_opencl, scan_backend_host;

/* The backend of that id, never NULL for a valid one. */
const scan_backend_ops *scan_backend_get(scan_backend id);

/* ops->enumerate and ops->open, one thread at a time for all backends that have drivers: the way to call those two. */
scan_status scan_backend_enumerate(const scan_backend_ops *ops, scan_device_list *list, char *note, size_t note_bytes,
                                   scan_error *error);
scan_status scan_backend_open(const scan_backend_ops *ops, scan_caps *caps, const scan_adoption *adoption,
                              scan_device **device, scan_error *error);

/* Whether a built-in operator's kernel can be had: ops->has_kernel. */
int scan_backend_has_kernel(scan_backend id, const scan_kernel_key *key);

/* All devices of all backends, in the order of scan_device_count; scan_devices_free frees the list. */
scan_status scan_devices_list(scan_device_list *list, scan_error *error);
void scan_devices_free(scan_device_list *list);

#endif
