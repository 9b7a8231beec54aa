/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_spec.h
 * @brief The spec of a scan, its args, and the facts of its plan. Included by scan.h.
 */
#ifndef SCANRT_SCAN_SPEC_H
#define SCANRT_SCAN_SPEC_H

#include <scanrt/scan_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of scan_spec. */
enum {
  SCAN_BACKWARD = 1 << 0, /**< From the last element to the first: out[i] covers in[i..n-1], exclusive in[i+1..n-1],
                               as the reversed sequence would be scanned: of the operator's operands the earlier
                               one is the one of the higher index. Segments are those of the forward scan, and maps
                               and emits see an element's index in memory. Strategies: AUTO, block, lookback,
                               reduce_then_scan, threads. On CUDA `and`, `or` and `xor` and sums that widen need
                               NVRTC for it. */
  SCAN_CHECK_OVERFLOW = 1 << 1, /**< For sums and products of integers by built-in operators: notes the first output
                                     whose exact value its type does not hold, also where a later element would bring
                                     the sum back in range. Reported as SCAN_OVERFLOW where the host next waits: by
                                     scan_sync and scan_read, and by scan_run over host memory; scan_overflow_index has
                                     the index of that output. What an exclusive scan leaves in carry_out counts as one
                                     more output. */
  SCAN_N_FROM_CLAMP = 1 << 2, /**< For specs whose args have n_from: the call takes the lesser of that number and n, and
                                  no wait reports a number above n. Without it the next scan_sync or scan_read reports
                                  such a number as SCAN_INVALID_ARGUMENT; results are the same. Scans need SCAN_N_FROM,
                                  too. */
  SCAN_N_FROM = 1 << 3        /**< For scans and totals: each run reads its number of elements from args->n_from. Other
                                   operations read n_from without it. Refused for arrays, streams and MPI, and together
                                   with SCAN_BACKWARD and SCAN_CHECK_OVERFLOW. Strategies: all but pipelined and the
                                   textbook ones. On CUDA it needs NVRTC. */
};

/** An initial value, read as the member of the spec's `type`. */
typedef union scan_value {
  int8_t i8;     /**< A value of type SCAN_I8. */
  uint8_t u8;    /**< A value of type SCAN_U8. */
  int16_t i16;   /**< A value of type SCAN_I16. */
  uint16_t u16;  /**< A value of type SCAN_U16. */
  int32_t i32;   /**< A value of type SCAN_I32. */
  uint32_t u32;  /**< A value of type SCAN_U32. */
  int64_t i64;   /**< A value of type SCAN_I64. */
  uint64_t u64;  /**< A value of type SCAN_U64. */
  float f32;     /**< A value of type SCAN_F32. */
  double f64;    /**< A value of type SCAN_F64. */
  uint16_t f16;  /**< The bits, of SCAN_F16. */
  uint16_t bf16; /**< The bits, of SCAN_BF16. */
} scan_value;

/** How the marks of a segmented scan (scan_args.marks) say where its segments begin. Element 0 always begins one, or
 * continues the one that the carry comes from (backward, element n-1 continues that one: scan_args.carry_in).
 *
 * Each segment is scanned as if it were alone, from the initial value or (exclusive) the identity. One pass over the
 * data, segments of any length; floating-point bits are those of the canonical order of kernels_cl/README.md with
 * segments. */
typedef enum scan_segments {
  SCAN_SEGMENTS_NONE = 0,   /**< One scan over all elements; no marks. */
  SCAN_SEGMENTS_FLAGS = 1,  /**< A byte an element, not 0 at the first element of a segment. */
  SCAN_SEGMENTS_BITS = 2,   /**< A bit an element: bit i % 32 of 32-bit word i / 32; words aligned to 4 bytes. */
  SCAN_SEGMENTS_KEYS = 3,   /**< A key an element: a segment begins where a key is not equal (C's !=) to the one before.
                               So each NaN is a segment of its own, and -0.0 and +0.0 are one. */
  SCAN_SEGMENTS_OFFSETS = 4 /**< The index of each segment's first element, ascending, the first 0, and n after the last
                                 (the row offsets of a CSR matrix); empty segments are allowed. Offsets are not checked:
                                 such as are not ascending give unspecified results, but nothing outside of the output
                                 is written. */
} scan_segments;

/** The scan to compute, without its memory (scan_args). Zero-initialised fields mean the default; `type`
 * and `op` must be set. */
typedef struct scan_spec {
  size_t struct_bytes;  /**< sizeof(scan_spec), set by SCAN_SPEC_INIT or scan_spec_init. */
  scan_type type;       /**< Type of the accumulator and of the output elements; SCAN_TYPE_DEFAULT with custom_op. */
  scan_type input_type; /**< Type of the input elements; default `type`. Sums widen: i8 and i16 to i32, i64; u8 and u16
                             to u32, u64; i32 to i64; u32 to u64; f32 to f64; f16 and bf16 to f32. */
  scan_op_id op;        /**< Built-in operator; SCAN_OP_NONE with custom_op. */
  scan_kind kind;       /**< Inclusive (default), exclusive, or the total only. */
  scan_op *custom_op;   /**< Operator from source, which brings its type; `type`, `input_type` and `op` are then 0. */
  uint32_t flags;       /**< SCAN_BACKWARD, SCAN_CHECK_OVERFLOW, or 0; of scan_reduce_by_key SCAN_N_FROM_CLAMP. */
  uint32_t has_init;    /**< 1: start from the initial value; 0: from the operator's identity (+0.0 for exclusive
                             sums), or from the carry. */
  scan_value init;      /**< The initial value, combined before the first element; not read where init_bytes is not
                             NULL. */
  const void *init_bytes; /**< The initial value as bytes: one element of `type`, or value_bytes of custom_op, which
                               needs it with has_init; read during the call. NULL: `init`. Needs has_init. */
  scan_segments segments; /**< How scan_args.marks say where segments begin; 0: one scan over all elements. */
  scan_type key_type;     /**< Type of keys: any; type of offsets: SCAN_U32 or SCAN_U64; else 0. */
  scan_strategy strategy; /**< AUTO (default), or forced. */
} scan_spec;

/** Initialiser of scan_spec: a default spec of this version's size. */
#define SCAN_SPEC_INIT(type_, op_, kind_)                                                                              \
  SCAN_INITIALISER(scan_make_spec_(type_, op_, kind_),                                                                 \
                   { .struct_bytes = sizeof(scan_spec), .type = (type_), .op = (op_), .kind = (kind_) })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_spec) as the caller was compiled. */
SCAN_API void scan_spec_init(scan_spec *spec, size_t struct_bytes);

struct scan_opencl_events;

/** The memory of one run. Zero-initialised fields mean that there is none. */
typedef struct scan_args {
  size_t struct_bytes; /**< sizeof(scan_args), set by SCAN_ARGS_INIT or scan_args_init. */
  scan_mem in;         /**< n elements of input_type, aligned to their size. */
  scan_mem out;        /**< n elements of type (SCAN_TOTAL: one, apart from `in`), aligned to their size; may be exactly
                            `in` when both types have one size; any other overlap is refused. */
  scan_mem marks; /**< Marks of where segments begin, as spec->segments says: flags, bits, keys or offsets, aligned to
                     their size. Not the output. */
  uint64_t mark_count; /**< Flags, bits and keys: number of elements that they describe, at least n and no more than the
                            memory holds. Of offsets: the number of segments, one less than there are offsets. 0 goes
                            with n = 0 only. */
  scan_mem carry_in;   /**< One value that the scan begins from, in place of the initial value (has_init must be 0). A
                            value is what the operator combines: of `type`, of f16 and bf16 an f32, of operators from
                            source value_bytes bytes, whatever is mapped to it and emitted of it. Read before anything
                            is written: it may be the last result of the scan before. Of segmented scans it is of the
                            segment that the first element of the scan continues, and the segments after it begin with
                            the initial value as ever, which may be given beside it. Forward that is element 0: where
                            flags or bits mark it, it begins a segment, and the carry is not used (keys and offsets
                            cannot say so). Backward it is element n-1, and no mark of the run says whether its segment
                            goes on behind it: name a carry_in only where it does, that is, where no segment begins with
                            the element behind it in memory (element 0 of the run before). Exclusive sums in segments
                            show a carry of -0.0 as +0.0, as they show all other sums of -0.0 but those from an initial
                            value. */
  scan_mem carry_out;  /**< Gets one value, for the next scan's carry_in: the result of an inclusive scan with
                            the last element (backward, with element 0), of an exclusive scan too; of segmented scans
                            that of the segment which is then open (backward that of element 0, whether it begins there
                            or not); for n = 0 what the scan begins from. The same memory as carry_in, or apart from it,
                            and apart from in and out. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
  scan_mem n_from; /**< With SCAN_N_FROM: a uint64_t in memory of the device, aligned to 8 bytes and apart from out and
                        carry_out, that has the number of elements, k, when the call's turn comes. in, out and marks
                        are for n elements; the first k are scanned, and nothing behind element k - 1 of out is
                        written. For k = 0 a total and carry_out get what they get for n = 0; an operator that has no
                        identity and no initial value writes nothing. The order of operations is that of a scan over n
                        elements. If k exceeds n, n elements are scanned, and the next scan_sync or scan_read returns
                        SCAN_INVALID_ARGUMENT, once; with SCAN_N_FROM_CLAMP it does not. n = 0: not read. */
  const scan_mem *more_in; /**< The arrays of all input_members (scan_op.h) but the first, whose array is `in`: each has
                                an element for each element of `in`, without gaps, in C order whatever the strides of
                                `in` are. NULL: there are none. */
  const scan_mem *more_out; /**< The arrays of all output_members but the first, whose array is `out`: without gaps, as
                                 more_in. With members, outputs lie apart from all inputs. NULL: there are none. */
} scan_args;

/** Initialiser of scan_args with both buffers. */
#define SCAN_ARGS_INIT(in_, out_)                                                                                      \
  SCAN_INITIALISER(scan_make_args_(in_, out_), { .struct_bytes = sizeof(scan_args), .in = (in_), .out = (out_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_args) as the caller was compiled. */
SCAN_API void scan_args_init(scan_args *args, size_t struct_bytes);

/** Facts of a plan. Fill with SCAN_PLAN_FACTS_INIT before the call. */
typedef struct scan_plan_facts {
  size_t struct_bytes;      /**< sizeof(scan_plan_facts), set by SCAN_PLAN_FACTS_INIT. */
  scan_strategy strategy;   /**< The strategy for n = max_n. */
  char reason[160];         /**< Why this strategy, in words. */
  uint64_t max_n;           /**< The largest n the plan accepts. */
  uint64_t tile_items;      /**< Elements of a tile at n = max_n. */
  uint64_t tiles;           /**< Number of tiles at n = max_n. */
  uint64_t workspace_bytes; /**< Device memory the plan owns. */
  uint32_t launches;        /**< Kernel launches a scan. */
  uint32_t groups;          /**< Work-groups (host: threads) of the largest launch. */
  uint32_t items_per_group; /**< Work-items a group. */
  uint64_t work; /**< Applications of the operator in a scan of max_n elements: to padding (elements past n, which are
                      the identity) and to identities too, where the algorithm prescribes them; an instruction that
                      serves several elements counts for each. Where it depends on the schedule, each tile finds the
                      tile before it finished (lookback_classic), and each group's total is folded once (lookback,
                      pipelined). */
  uint64_t span; /**< The longest chain of applications that a result waits for, each for the one before: parallel
                      rounds. */
  uint64_t scratch_bytes; /**< Device memory that each run of max_n elements is given: of sorts, scan_sort.h. Else 0. */
} scan_plan_facts;

/** Initialiser of scan_plan_facts. */
#define SCAN_PLAN_FACTS_INIT                                                                                           \
  SCAN_INITIALISER(scan_make_<scan_plan_facts>(), { .struct_bytes = sizeof(scan_plan_facts) })

/** Sets *facts to the default. @param struct_bytes sizeof(scan_plan_facts) as the caller was compiled. */
SCAN_API void scan_plan_facts_init(scan_plan_facts *facts, size_t struct_bytes);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_spec scan_make_spec_(scan_type type, scan_op_id op, scan_kind kind) {
  scan_spec spec = scan_make_<scan_spec>();
  spec.type = type;
  spec.op = op;
  spec.kind = kind;
  return spec;
}
SCAN_MAKER scan_args scan_make_args_(scan_mem in, scan_mem out) {
  scan_args args = scan_make_<scan_args>();
  args.in = in;
  args.out = out;
  return args;
}
/** @endcond */
}
#endif

#endif
