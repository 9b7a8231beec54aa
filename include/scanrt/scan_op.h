/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_op.h
 * @brief Operators and element types from C source. Included by scan.h. Ready ones are in scan_composite.h.
 *
 * The text is C that compiles as OpenCL C 1.2, as CUDA C++ and as C: definitions of an element type of 1 to 64 bytes
 * and of `combine(a, b)`, by value, where a precedes b. It must be associative and need not be commutative. It sees
 * elements, what it made of them, and `init` (or the identity, for exclusive scans without `init`), and nothing else:
 * no padding, and no identity that the scan would only need for itself. On GPUs and in loops (scan_op_source.loops) it
 * is also applied to two of them out of order, and the result is not used; so it must end for any two of them.
 *
 *     typedef struct affine { float a, b; } affine;                         // x -> a x + b
 *     static inline affine compose(affine f, affine g) {                    // f first
 *       affine h;
 *       h.a = g.a * f.a;
 *       h.b = g.a * f.b + g.b;
 *       return h;
 *     }
 *
 * `map` and `emit` are fused into the scan: "scale, then scan" or "scan of a predicate" reads the input once and writes
 * the output once, as a scan alone. Either may be called several times for an element.
 *
 *     static inline uint32_t is_large(float x, uint64_t index) { return x > 0.5f; }         // map: how many, up to
 * here
 *
 * The text may use int8_t, uint8_t, ... int64_t, uint64_t, float, and double where the device has it; functions, types
 * and macros of its own under any name that does not begin with "scanrt_" and is not the language's own. OpenCL has
 * functions (step, mix, dot, ...), the types half, quad, uchar, ushort, uint, ulong, bool, size_t, ptrdiff_t, intptr_t,
 * uintptr_t, event_t, sampler_t and image2d_t, vectors of 2, 3, 4, 8 and 16 of each number (float4, uint8, half2, ...),
 * complex and imaginary, and the words kernel, global, local, constant, private, read_only, write_only, read_write,
 * pipe and generic; C++ has class, new, template, this, ... And no header, no pointer to device memory, no global
 * variable. A backend may build it several times. Arithmetic is not contracted: what is made of +, -, *, comparisons
 * and integer operations gives the same bits on every backend, as the order is the same (kernels_cl/ README.md), the
 * host's too where the application is compiled with -ffp-contract=off. Division, square roots and functions of floating
 * point are each device's own.
 */
#ifndef SCANRT_SCAN_OP_H
#define SCANRT_SCAN_OP_H

#include <stddef.h>

#include <scanrt/scan.h>
#include <scanrt/scan_op_loops.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SCAN_OP_MOST_BYTES = 64, /**< The largest element type from source. */
  SCAN_OP_MOST_MEMBERS = 4 /**< The most members of an input or an output that lie in arrays of their own. */
};

/** A member of a struct that lies in an array of its own. Fill with SCAN_OP_MEMBER. */
typedef struct scan_op_member {
  uint32_t offset; /**< Bytes from the struct's start, a multiple of `bytes`. */
  uint32_t bytes;  /**< 1, 2, 4 or 8; the array is aligned to it. */
  int64_t shift;   /**< Inputs only: element i gets what the array has for element i + shift of its line in memory, and
                        zero bytes if the line has none. */
} scan_op_member;

/** Initialiser of scan_op_member for a member of a struct of the application. */
#ifdef __cplusplus
#define SCAN_OP_MEMBER(type, member, shift)                                                                            \
  { static_cast<uint32_t>(offsetof(type, member)), static_cast<uint32_t>(sizeof(type::member)), (shift) }
#else
#define SCAN_OP_MEMBER(type, member, shift)                                                                            \
  { (uint32_t) offsetof(type, member), (uint32_t)sizeof(((type *)0)->member), (shift) }
#endif

/** combine(a, b) for the host: the operands and the result are value_bytes bytes each, aligned to value_align; result
 *  is neither a nor b. Called from several threads at once. @param user scan_op_source.user */
typedef void scan_op_host(const void *a, const void *b, void *result, void *user);

/** map(x, index) for the host: x is input_bytes bytes, value value_bytes, each aligned as its type. As scan_op_host. */
typedef void scan_map_host(const void *x, uint64_t index, void *value, void *user);

/** emit(inclusive, exclusive, x, index) for the host: output is output_bytes bytes. As scan_op_host. */
typedef void scan_emit_host(const void *inclusive, const void *exclusive, const void *x, uint64_t index, void *output,
                            void *user);

/** An operator and its element type. Fill with SCAN_OP_SOURCE_INIT; all that pointers name is copied. */
typedef struct scan_op_source {
  size_t struct_bytes;  /**< sizeof(scan_op_source), set by SCAN_OP_SOURCE_INIT. */
  const char *text;     /**< The C source. Not used on the host; may then be NULL. */
  const char *type;     /**< The element type's name in the text: "affine", "struct affine", "float". */
  const char *combine;  /**< The name of combine: a function, or a macro that is used like one. */
  size_t value_bytes;   /**< sizeof the type in the application, 1 to SCAN_OP_MOST_BYTES; compared with the device's. */
  size_t value_align;   /**< Its alignment, compared with the device's. */
  const void *identity; /**< value_bytes bytes: what an exclusive scan without `init` starts from. NULL: there is none,
                             and exclusive scans need `init`. */
  scan_op_host *host;   /**< combine for the host backend. NULL: the host does not scan with this operator. */
  /* The rest is optional: a map of input elements to values, and an emit of values to output elements. */
  const char *map; /**< The name of `value map(input x, uint64_t index)`, which makes a value of an element of the
                        input and its index in it; NULL: elements are values. A function of exactly this type (or a
                        macro), not combine. */
  const char *input_type;  /**< The input's element type in the text; NULL: `type`. Only with map. */
  size_t input_bytes;      /**< Its size in the application, as value_bytes; 0 with input_type NULL. */
  size_t input_align;      /**< Its alignment in the application, as value_align; 0 with input_type NULL. */
  scan_map_host *map_host; /**< map for the host backend, which needs it. */
  const char *emit; /**< The name of `output emit(value inclusive, value exclusive, input x, uint64_t index)`, which
                         makes what is stored; NULL: the value that spec.kind asks for. Of that type, as map. With emit
                         spec.kind must be SCAN_INCLUSIVE (the value of all elements is what carry_out gets). Without an
                         identity and init the exclusive value of the first element is zero bytes. */
  const char *output_type;   /**< The output's element type in the text; NULL: `type`. Only with emit. */
  size_t output_bytes;       /**< The size of output_type, as input_bytes. */
  size_t output_align;       /**< The alignment of output_type, as input_align. */
  scan_emit_host *emit_host; /**< emit for the host backend, which needs it. */
  void *user; /**< Handed to host, map_host and emit_host; not looked at by the library, nor on other backends. */
  const scan_op_loops *loops; /**< The operator in loops, of SCAN_OP_HOST: many times faster on the host than `host`
                                   alone, which is called for each two elements. NULL: there are none. */
  scan_map_loop *map_loop;    /**< map in a loop, of SCAN_MAP_HOST; NULL: there is none. */
  scan_emit_loop *emit_loop;  /**< emit in a loop, of SCAN_EMIT_HOST; NULL: there is none. */
  const scan_op_member *input_members;  /**< Members of the input that lie in arrays of their own: the first one's is
                                             scan_args.in, the others' are scan_args.more_in. Other members are zero
                                             bytes. NULL: input elements lie whole. The order of operations depends on
                                             the sizes of the value and of the members, not on that of the struct. */
  const scan_op_member *output_members; /**< Members of the output that go to arrays of their own: scan_args.out and
                                             scan_args.more_out. NULL: output elements are stored whole. */
  uint32_t input_member_count;          /**< Number of input_members, up to SCAN_OP_MOST_MEMBERS; 0 with NULL. */
  uint32_t output_member_count;         /**< Number of output_members, up to SCAN_OP_MOST_MEMBERS; 0 with NULL. */
} scan_op_source;

/** Initialiser of scan_op_source for an element type of the application and the function's name in the text, which
 *  are given as they are and not as strings. */
#define SCAN_OP_SOURCE_INIT(text_, type_, combine_)                                                                    \
  SCAN_INITIALISER(scan_make_op_source_(text_, #type_, #combine_, sizeof(type_), SCAN_OP_ALIGN(type_)),                \
                   { .struct_bytes = sizeof(scan_op_source),                                                           \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .combine = #combine_,                                                                             \
                     .value_bytes = sizeof(type_),                                                                     \
                     .value_align = SCAN_OP_ALIGN(type_) })
/** The alignment of a type, in bytes. */
#ifdef __cplusplus
#define SCAN_OP_ALIGN(type) alignof(type)
#else
#define SCAN_OP_ALIGN(type) _Alignof(type)
#endif

/** Sets *source to the default. @param struct_bytes sizeof(scan_op_source) as the caller was compiled. */
SCAN_API void scan_op_source_init(scan_op_source *source, size_t struct_bytes);

/** Definitions, and their text as `name`: one source for the application's compiler and for the device's. The text is
 *  one line, and holds no preprocessor directive. A semicolon follows. At file scope only, since C defines no function
 *  within a function: within one, name a text that was defined outside, or write it as a string. */
#define SCAN_OP_TEXT(name, ...) __VA_ARGS__ static const char name[] = #__VA_ARGS__

/** Defines `name`, a scan_op_host that calls combine(a, b) on the type, without `user`, and `name`_loops, the
 *  scan_op_loops of it. A semicolon follows. */
#define SCAN_OP_HOST(name, type, combine)                                                                              \
  SCAN_OP_BLOCKS(name, type, combine)                                                                                  \
  SCAN_OP_HOST_WITH(name, type, combine, SCAN_LOOP_BLOCK(type, name##_block_lanes),                                    \
                    SCAN_LOOP_BLOCK(type, name##_block_chain))

/** SCAN_OP_HOST without the loops over eight rows, which are 4 KB of 27 for int32_t. */
#define SCAN_OP_HOST_ROWS(name, type, combine) SCAN_OP_HOST_WITH(name, type, combine, NULL, NULL)
/** SCAN_OP_HOST with loops over eight rows of one's own, or NULL. */
#define SCAN_OP_HOST_WITH(name, type, combine, block_lanes_, block_chain_)                                             \
  SCAN_OP_LOOPS(name, type, combine, block_lanes_, block_chain_);                                                      \
  static void name(const void *a_, const void *b_, void *result_, void *user_) {                                       \
    (void)user_;                                                                                                       \
    *SCAN_CAST(type *, result_) = combine(*SCAN_CAST(const type *, a_), *SCAN_CAST(const type *, b_));                 \
  }                                                                                                                    \
  static void name(const void *a_, const void *b_, void *result_, void *user_)

/** Defines `name`, a scan_map_host that calls map(x, index), without `user`; and `name`_loop, a loop over it. A
 *  semicolon follows. */
#define SCAN_MAP_HOST(name, input, value_type, map)                                                                    \
  static SCAN_LOOP_UNUSED void name(const void *x_, uint64_t index_, void *value_, void *user_) {                      \
    (void)user_;                                                                                                       \
    *SCAN_CAST(value_type *, value_) = map(*SCAN_CAST(const input *, x_), index_);                                     \
  }                                                                                                                    \
  static SCAN_LOOP_UNUSED void name##_loop(void *values_, const scan_loop_elements *e_, void *user_) {                 \
    (void)user_;                                                                                                       \
    SCAN_LOOP_STEPS(input, e_->x_step,                                                                                 \
                    for (size_t i_ = 0; i_ < e_->n; i_++) SCAN_CAST(value_type *, values_)[i_] =                       \
                        map(SCAN_LOOP_READ(input, e_->x, i_, step_), SCAN_LOOP_INDEX(e_, i_));)                        \
  }                                                                                                                    \
  static void name(const void *x_, uint64_t index_, void *value_, void *user_)
/** Defines `name`, a scan_emit_host that calls emit(inclusive, exclusive, x, index), without `user`; and `name`_loop, a
 *  loop over it. A semicolon follows. */
#define SCAN_EMIT_HOST(name, value_type, input, output_type, emit)                                                     \
  static SCAN_LOOP_UNUSED void name(const void *inclusive_, const void *exclusive_, const void *x_, uint64_t index_,   \
                                    void *output_, void *user_) {                                                      \
    (void)user_;                                                                                                       \
    *SCAN_CAST(output_type *, output_) =                                                                               \
        emit(*SCAN_CAST(const value_type *, inclusive_), *SCAN_CAST(const value_type *, exclusive_),                   \
             *SCAN_CAST(const input *, x_), index_);                                                                   \
  }                                                                                                                    \
  static SCAN_LOOP_UNUSED void name##_loop(void *out_, ptrdiff_t out_step_, const void *inclusive_,                    \
                                           const void *exclusive_, const scan_loop_elements *e_, void *user_) {        \
    (void)user_;                                                                                                       \
    SCAN_LOOP_STEPS(output_type, out_step_,                                                                            \
                    for (size_t i_ = 0; i_ < e_->n; i_++) SCAN_LOOP_WRITTEN(output_type, out_, i_, step_) = emit(      \
                        SCAN_CAST(const value_type *, inclusive_)[i_], SCAN_CAST(const value_type *, exclusive_)[i_],  \
                        SCAN_LOOP_READ(input, e_->x, i_, e_->x_step), SCAN_LOOP_INDEX(e_, i_));)                       \
  }                                                                                                                    \
  static void name(const void *inclusive_, const void *exclusive_, const void *x_, uint64_t index_, void *output_,     \
                   void *user_)

/**
 * Compiles an operator and compares the element type's size and alignment with what the device's compiler makes of it.
 * @param source   what to compile.
 * @param[out] op  the operator, for scan_spec.custom_op of the same context; destroy with scan_op_destroy.
 * @return SCAN_BUILD_FAILED when the text does not compile: scan_last_error has the compiler's words, with the text's
 *         own line numbers in "operator". It is SCAN_BUILD_FAILED also when a function that the operator calls is
 *         nowhere defined, or map or emit is a function of another type. SCAN_INVALID_ARGUMENT when size or alignment
 *         differ (the sentence names both), or a name begins with "scanrt_" outside of comments and strings.
 *         SCAN_UNSUPPORTED where the host is given no function, and on CUDA where NVRTC (libnvrtc.so, of the CUDA
 *         toolkit) cannot be opened.
 */
SCAN_API scan_status scan_op_create(scan_ctx *ctx, const scan_op_source *source, scan_op **op);

/** Facts of an operator, for code that handles its elements without knowing their type. Fill with
 * SCAN_OP_FACTS_INIT before the call. */
typedef struct scan_op_facts {
  size_t struct_bytes;   /**< sizeof(scan_op_facts), set by SCAN_OP_FACTS_INIT. */
  uint32_t value_bytes;  /**< Bytes of a value: what is combined, and what a carry is. */
  uint32_t value_align;  /**< Its alignment. */
  uint32_t input_bytes;  /**< Bytes of an element of the input; of a predicate, of what it looks at. */
  uint32_t output_bytes; /**< Bytes of an element of the output. */
  uint32_t maps;         /**< 1 with a map: elements of the input are not values. */
  uint32_t emits;        /**< 1 with an emit: elements of the output are not values. */
  uint32_t has_identity; /**< 1 where the operator was given one. */
  uint32_t is_predicate; /**< 1 for predicates and bucket functions, which have no values. */
  unsigned char identity[SCAN_OP_MOST_BYTES]; /**< The identity, in the first value_bytes. */
  uint32_t input_members;                     /**< Number of scan_op_source.input_members. */
  uint32_t output_members;                    /**< Number of scan_op_source.output_members. */
} scan_op_facts;

/** Initialiser of scan_op_facts. */
#define SCAN_OP_FACTS_INIT SCAN_INITIALISER(scan_make_<scan_op_facts>(), { .struct_bytes = sizeof(scan_op_facts) })

/** Sets *facts to the default. @param struct_bytes sizeof(scan_op_facts) as the caller was compiled. */
SCAN_API void scan_op_facts_init(scan_op_facts *facts, size_t struct_bytes);

/**
 * Says what an operator is made of.
 * @param op            of scan_op_create, scan_composite_create or scan_predicate_create.
 * @param[in,out] facts initialised with SCAN_OP_FACTS_INIT; filled on success.
 * @return SCAN_INVALID_ARGUMENT when op is no operator, or facts is NULL or not initialised.
 */
SCAN_API scan_status scan_op_info(const scan_op *op, scan_op_facts *facts);

/** Waits for the context's work and gives the operator back. Plans that the caller made with it keep it alive and stay
 *  usable; it is freed with the last of them. NULL is accepted. Call it before scan_ctx_destroy. */
SCAN_API void scan_op_destroy(scan_op *op);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_op_source scan_make_op_source_(const char *text, const char *type, const char *combine, size_t bytes,
                                               size_t align) {
  scan_op_source source = scan_make_<scan_op_source>();
  source.text = text;
  source.type = type;
  source.combine = combine;
  source.value_bytes = bytes;
  source.value_align = align;
  return source;
}
/** @endcond */
}
#endif

#endif
