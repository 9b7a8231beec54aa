/* SPDX-License-Identifier: BSD-2-Clause */
/* Tuning: every number that was chosen because it measured fast, by class of device and size of type. The measurements
 * stand beside the numbers; tools/doc/measurements/ has the rejected ones. nvcc compiles this file, too, for the
 * numbers that are built into the kernels. No number changes a result.
 *
 * $SCANRT_TUNE overrides numbers for experiments: "pipelined_bytes=4194304,stages=4" (the names are scan_tuning's). */
#ifndef SCANRT_TUNING_H
#define SCANRT_TUNING_H

/* ---- sets of CUDA's own kernels, scan_tuning.image: 90 uses the copy engine (compute capability 9.0 and later), 80
 * does not. Sets 120 and 86 are the same with tiles for less than TUNE_SMALL_SHARED_BYTES of shared memory a
 * work-group, as devices of 12.x, and of 8.6 and 8.9, have. Kernels with an operator from source, and sums of runs,
 * have the sets 80 and 90 alone. ---- */
#define TUNE_SMALL_SHARED_BYTES (160 << 10)
#define TUNE_SMALL_IMAGE(image) ((image) >= 90 ? 120 : 86)
#define TUNE_IS_SMALL(image) ((image) == 86 || (image) == 120)
#define TUNE_LARGE_IMAGE(image) ((image) >= 90 ? 90 : 80)

/* ---- built into the CUDA kernels; percent of a copy, H200, exclusive sum of 1 GiB ---- */

/* Portable kernels: 256 work-items, 8 vectors each, 2 work-groups a multiprocessor: 91; 512 x 4: 88; 128 x 8 and 5
 * groups: 87; 1 group, whatever its size: 62 to 78. */
#define TUNE_GROUP_ITEMS 256
#define TUNE_GROUPS_PER_UNIT 2

/* Lines of arrays with an operator from source, a warp each: rows of a sub-tile that a warp holds, 1 if it loads the
 * next ones while it scans these, and work-groups a multiprocessor. Longer values and vectors take all rows. Linear
 * recurrence, 4096 x 16384 f32, forward; backward: 4, 1, 2: 89.8; 91.1; 8, 0, 2: 89.7; 91.0; 4, 0, 2: 84.3; 91.6; 4, 0,
 * 4: 82.8; 73.8; 2, 1, 4: 75.9; 50.2; 4, 1, 3: 62.4; 50.0; 4, 1, 4: 54.0; 43.0. */
#ifndef TUNE_LINE_ROWS
#define TUNE_LINE_ROWS 4
#endif
#ifndef TUNE_LINE_AHEAD
#define TUNE_LINE_AHEAD 1
#endif
#ifndef TUNE_LINE_GROUPS
#define TUNE_LINE_GROUPS 2
#endif
#define TUNE_LINE_IS_SHORT(value_bytes, vector_bytes) ((value_bytes) <= 8 && (vector_bytes) <= 32)

/* Pipelined: warps that copy. With the copy engine (image 90) 4, or 2 for values of 1 and 2 bytes, whose 16 warps then
 * have 128 registers a work-item: u32 97.3 (2: 96.6), f64 96.8 (96.6), u16 at 256 MiB 96.2 (4: 94.4), u8 95.6 (94.1),
 * u8 products 91.8 (88.0); one: u16 92.2, u8 products 89.3. Without it (image 80) 8: u32 95.9, f64 95.3, u16 95.2, u8
 * 94.3; 6: 94.0, 94.3, 93.4, 92.7. Image 120 has one, for the registers of the second set of scanners. */
#define TUNE_PIPE_PRODUCERS(image, bytes) ((image) == 120 ? 1 : (image) >= 90 ? ((bytes) < 4 ? 2 : 4) : 8)

/* Pipelined: warps that look back, in alternation. Tiles that are read in an eighth or a quarter of the time need 2:
 * u8 to u64 85.7 (1: 78.7), u16 to u64 89.2 (86.4). Elsewhere 2 lose: u8 to u32 88.9 (1: 90.8), u32 93.5 (96.6), u16
 * 90.5. */
#define TUNE_PIPE_LOOK_BACKS(input_bytes, bytes) ((bytes) == 8 && (input_bytes) <= 2 ? 2 : 1)

/* Pipelined, built-in operators: 1 if scanners keep their vectors in registers and release the stage before they wait
 * for the prefix, and sets of scanners, which take tiles in turn. Registers then hold tiles that a short ring cannot.
 * With a ring of 3 stages, 2^28, i32, f64 and i8: two sets and one producer 93.7, 90.6, 90.3; two producers 93.2, 90.7,
 * 90.3; one set 88.7, 86.0, 86.1; two sets that do not keep 79.9, 78.5; look-back 91. With 4 stages one set 94.3, 91.9,
 * 90.8, and with 2 stages two sets 88.3, 84.4, 85.6. */
#define TUNE_PIPE_KEEPS(image) TUNE_IS_SMALL(image)
#define TUNE_PIPE_SETS(image) ((image) == 120 ? 2 : 1)

/* Pipelined: warps that reduce. 4; 2 are as fast on aligned input (u32 94.8, 4: 95.1), and 82 on misaligned input,
 * which they shift. */
#define TUNE_PIPE_REDUCERS 4

/* Pipelined, operators from source: warps that look back, copy and reduce, in this order. The registers of a work-item
 * matter: 128 with 16 warps, 96 with 20, 80 with 24. User-written sum of int32, 256 MiB (built in: 95.6): 1, 2, 4:
 * 94.4; 1, 4, 2: 93.3; at 512 MiB 1, 2, 2: 93.5, with 8 reducers 91.9. Affine maps of f32, 512 MiB: 1, 2, 4: 95.5; 2,
 * 1, 4: 92.1; 2, 4, 8: 89.3; 1, 4, 2: 84.7. Sums of f32, 256 MiB, in segments by flags: 1, 2, 4: 88.2; 1, 4, 8: 80.6;
 * 1, 2, 8: 76.3. Image 80 has 16 warps, too: affine maps, 256 MiB: 1, 2, 4: 88.4; 1, 4, 2: 80.8; 1, 8, 4, which spills:
 * 79.1; 1, 8, 2: 68.3; sum of int32: 1, 4, 2: 91.1; 1, 2, 4: 88.8; 1, 8, 2: 80.0. */
#define TUNE_PIPE_SOURCE_REDUCERS(image, narrow, bytes, segments)                                                      \
  ((narrow) ? 8 : (image) >= 90 || (segments) || (bytes) == 8 ? 4 : 2)
#define TUNE_PIPE_SOURCE_PRODUCERS(image, narrow, bytes, segments)                                                     \
  ((narrow) ? 1 : 6 - TUNE_PIPE_SOURCE_REDUCERS(image, narrow, bytes, segments))
#define TUNE_PIPE_SOURCE_LOOK_BACKS(narrow) ((narrow) ? 2 : 1)

/* 1 if an input and an output element together have no more bytes than a value, as with binary16 and bfloat16: each
 * role then has half the time for a tile, and small values leave registers for 20 warps. f16, 2^27: 1, 2, 4: 74.0; 2,
 * 1, 4: 85.7; 1, 2, 8: 67.0; 2, 1, 8: 89.1; the same with 12 tiles in the ring: 90.3, with 4 reducers 86.2. */
#define TUNE_PIPE_SOURCE_NARROW(image, input_bytes, output_bytes, bytes, segments)                                     \
  ((image) >= 90 && !(segments) && (bytes) <= 4 && (input_bytes) + (output_bytes) <= (bytes))

/* Pipelined, from source: 1 if the tiles of the own group are requested before the totals of the groups before it. Sum
 * of int32, 2^27, 97.1 (groups first 96.7), shifted by one and three 94.8 (91.1), affine maps 95.6 (95.0); in segments,
 * us: f32 by keys 447 (430), f64 by flags 718 (708). */
#define TUNE_PIPE_SOURCE_TILES_FIRST(segments) (!(segments))

/* Pipelined, from source: 1 if scanners keep their vectors, as TUNE_PIPE_KEEPS. Keys fill half of a stage, so that
 * there are only three stages: sums in segments by keys, 256 MiB: 84.9 (82.2 without). By flags 87.3 either way; affine
 * maps 94.2 (95.5 without). */
#define TUNE_PIPE_SOURCE_KEEPS(segments) ((segments) == 3)

/* Pipelined, from source: 1 if scanners write rows back into their stage when those are not stored as they come back,
 * so that no branch separates rows. 2^27, us, with (without): in segments f64 by flags 706 (752), by keys 707 (797),
 * f32 by flags 321 (330), by keys 426 (424); without segments affine maps 542 (530), int32 shifted by one and three 277
 * (270). */
#define TUNE_PIPE_SOURCE_PUTS_BACK(segments, bytes, stored_bytes)                                                      \
  ((segments) == 3 ? (bytes) == 8 : (segments) || (stored_bytes) < 16)

/* Pipelined: tiles in the ring. 6; 5 (as many as an A100 can hold): u32 94.9, f64 94.4, u16 93.4 (6: 96.0, 95.9, 94.8);
 * 7: as 6. An input narrower than the output makes tiles shorter, and 2 more pay: u8 to u32 92.1 (6: 90.4; 12: 89.8),
 * u8 to u64 90.8 (85.7; 10: 92.5), u16 to u32 94.6 (92.0), u16 to u64 93.1 (89.3), u32 to u64 93.7 (92.7). With 6, 4
 * and 3, 2^28: i32 96.5, 90.6, 80.5; f64 96.4, 89.6, 80.2; i8 94.7, 90.5, 80.2; look-back 91: so at least 4, or 3 of
 * scanners that keep their vectors. */
#define TUNE_PIPE_STAGES 6
#define TUNE_PIPE_STAGES_WIDENING 2
#define TUNE_PIPE_STAGES_NARROW 6
#define TUNE_PIPE_FEWEST_STAGES(keeps) ((keeps) ? 3 : 4)
#define TUNE_PIPE_MOST_STAGES(narrow) ((narrow) ? 12 : 8)

/* Pipelined: largest shared memory besides the ring, by the size of a value; a value from source carries a flag. */
#define TUNE_PIPE_OWN_BYTES(value_bytes) (768 + 144 * (value_bytes))

/* Pipelined: tiles in flight while the ring fills. 2: u32 96.4 (93.8 at 256 MiB), all: 96.1 (93.0), 1: 95.9. */
#define TUNE_PIPE_START 2

/* Work-items of the pipelined kernel: producers, look-back, group total, reducers, and scanners for each sub-tile. */
#define TUNE_PIPE_ITEMS(image, input_bytes, bytes)                                                                     \
  ((TUNE_PIPE_PRODUCERS(image, bytes) + TUNE_PIPE_LOOK_BACKS(input_bytes, bytes) + 1 + TUNE_PIPE_REDUCERS +            \
    8 * TUNE_PIPE_SETS(image)) *                                                                                       \
   32)
#define TUNE_PIPE_SOURCE_ITEMS(image, narrow, bytes, segments)                                                         \
  ((TUNE_PIPE_SOURCE_PRODUCERS(image, narrow, bytes, segments) + TUNE_PIPE_SOURCE_LOOK_BACKS(narrow) + 1 +             \
    TUNE_PIPE_SOURCE_REDUCERS(image, narrow, bytes, segments) + 8) *                                                   \
   32)

/* ---- compaction in one launch (kernels_cu/select/select_pipelined.cuh); percent of the time of a copy of as many
 * bytes ---- u32, 2^28, H200; `by` is the kernel's SELECT_BY: flags, bits, a predicate or runs. */

/* Warps that copy: the copy engine needs one. Without it (image 80, on an H200, 2^26, half kept) 8: 88.6, 4: 87.0; with
 * a loop that is not unrolled 60. */
#define TUNE_SELECT_PRODUCERS(image) ((image) >= 90 ? 1 : 8)

/* Warps that look back, in alternation. 2: runs of 500 99.8, half kept by a predicate 98.9; 1: 92.5, 98.4; 3: 98.3,
 * 96.9. By flags, whose tiles take longer, 1: 99.9; 2: 98.4. */
#define TUNE_SELECT_LOOK_BACKS(by) ((by) == 1 ? 1 : 2)

/* Parts of a tile, each compacted by a warp of a set. */
#define TUNE_SELECT_PARTS(image) (TUNE_IS_SMALL(image) ? 4 : 8)
/* Sets of warps that compact. */
#define TUNE_SELECT_SETS(image, by) (((image) >= 90 ? 2 : 1) * 8 / TUNE_SELECT_PARTS(image))
/* Warps that write lines of 128 bytes. */
#define TUNE_SELECT_WRITERS(image, by) ((image) >= 90 ? 4 : 8)
/* Lines in flight for each writing warp (8: 98.4, 4: 98.2). */
#define TUNE_SELECT_LINES 8

/* Tiles in flight while the ring fills. 2: half kept 98.9, by flags 98.4; all: 98.4, 96.9; 1: 90.3, 95.1. */
#define TUNE_SELECT_START 2

/* Largest number of tiles in the ring. */
#define TUNE_SELECT_MOST_STAGES 12

/* By flags or bits, few kept: marks alone are copied to stages, in larger tiles (select_pipelined_sparse.cuh), if each
 * work-group has so many of them at least, and of 512 samples of 16 consecutive elements fewer than so many percent of
 * the elements are kept, and fewer than so many percent of the samples have one. */
#define TUNE_SELECT_SPARSE_TILES 2
#define TUNE_SELECT_SPARSE_KEPT 5
#define TUNE_SELECT_SPARSE_SAMPLES 40

/* Buffers for kept elements besides the ring; 0: kept elements lie in their tile's stage. `runs` is 1 by runs of equal
 * keys. With 99 KiB, 2^27, half kept by a predicate, by flags, runs of 2 and of 500: 2 buffers 90.3, 87.2, 88.2, 66.6;
 * 3: 87.8, 87.1, 87.3, 66.6; none 83.0, 78.1, 82.6, 72.7. */
#define TUNE_SELECT_BUFFERS(image, runs) ((image) == 120 && !(runs) ? 2 : 0)

/* Run-length encoding: tiles in the ring. */
#define TUNE_SELECT_ENCODE_STAGES 8
/* Run-length encoding: up to so many run starts of a tile all outputs are written at once. */
#define TUNE_SELECT_FEW 512
/* Run-length encoding: up to so many run starts of a tile one warp writes all outputs. */
#define TUNE_SELECT_ALONE 64

/* Reduction of runs: tiles in the ring. */
#define TUNE_SELECT_REDUCE_STAGES 6
/* Shared memory of compaction besides the ring. */
#define TUNE_SELECT_OWN_BYTES 1216

/* Reduction of runs: integers are summed lane by lane if at most one element in so many ends a run. */
#define TUNE_SELECT_BLOCKED_ENDS 4

#define TUNE_SELECT_ITEMS(image, by)                                                                                   \
  ((TUNE_SELECT_PRODUCERS(image) + TUNE_SELECT_LOOK_BACKS(by) + 1 +                                                    \
    TUNE_SELECT_PARTS(image) * TUNE_SELECT_SETS(image, by) + TUNE_SELECT_WRITERS(image, by)) *                         \
   32)

/* OpenCL's compaction (kernels_cl/select/select_lookback.h): largest number of warps of a work-group by flags, whose
 * kernels take registers; select_warps is that of others. Warps and work-groups a compute unit, u32, 2^26, half kept by
 * flags, H200, 4 and 5: 84; 4 and 6: 83; 6 and 3: 67; 8 and 2: 79; 2 and 10: 80. */
#define TUNE_SELECT_FLAGS_WARPS 4

/* ---- radix sort, a pass in one launch (kernels_cu/sort/sort_onesweep.cuh), by the bytes of a key and of its value
 * ---- Work-items that rank, keys of each, warps that look back, tiles that these look at at once, and work-groups a
 * multiprocessor. H100, speed relative to CUB's, n = 2^28 and 2^24, keys of 4 bytes: 384, 32, 4, 2, 2: 1.17 and 1.31
 * (of the AND of three 1.28 and 1.23); without lookers 1.14 and 1.28; with two 1.13 and 1.22; 512, 28, 0, 4, 2: 1.17
 * and 1.37 (1.28); 256, 64, 0, 4, 2: 1.21 and 1.30 (1.09 and 1.02); 256, 32, 0, 4, 4: 0.98 and 1.21. Pairs of 4 bytes:
 * 512, 24, 4, 2, 1: 1.05 and 1.08 (0.99); 384, 40, 4, 2, 1: 1.08 and 1.09 (0.93); 512, 32, 0, 4, 1: 1.05 and 1.02 (0.87
 * and 0.88); 512, 16, 0, 4, 2: 0.91 and 0.96. Keys of 8: 512, 24, 4, 2, 1: 1.10 and 1.14; 512, 32, 0, 2, 1: 1.00 and
 * 1.15; 384, 16, 4, 2, 2: 0.92 and 1.04. */
/* Kinds of kernels besides, for keys of 4 bytes alone and with values of 4: FEW and MIDDLE have smaller tiles, WIDE has
 * digits of 9 bits (sort.h). FEW is also for keys of 8, alone and with values of 4 and 8. H200, ms, of a kernel with
 * these numbers; CUB. Keys of 4 bytes, 2^28: 384, 32, 4, 2, 2: 4.05; 512, 28, 0, 2, 2: 3.66; 6.32. 2^18 and 2^20: 384,
 * 16, 4, 4, 2: 0.044, 0.058; 384, 32: 0.051, 0.058; 0.058, 0.078. Pairs of 4 bytes, 2^28, random and AND of three: 512,
 * 24, 4, 2, 1, which spills: 7.90, 8.41; 768, 18: 6.44, 6.40; 768, 16: 6.73, 6.69; 768, 20, which spills: 7.37, 7.05;
 * 640, 16: 6.98, 7.03; 896, 12: 6.90, 6.82; 768, 16 and two warps that look back: 7.19, 6.98; 7.42, 7.37. 2^18: 512, 8,
 * 4, 4, 1: 0.050; 512, 12: 0.052; 512, 24: 0.064; 0.068. 2^20: 768, 12: 0.068; 768, 18: 0.077; 512, 24: 0.072; 0.085.
 * Keys of 8 bytes, 2^27: 768, 16: 6.47, 6.43; 512, 24: 6.52, 6.70; 8.26, 8.29. 2^20 and 2^22: 768, 16: 0.144, 0.319;
 * 512, 16, 4, 4, 1: 0.125, 0.304; 0.160, 0.391. Of 8 with values of 4, 2^20 and 2^24: 512, 12: 0.184, 1.53; 512, 16:
 * 0.158, 1.43; with staged values 512, 16: 0.151, 1.42; 512, 20: 0.150, 1.34; 640, 18: 0.153, 1.30; 768, 16:
 * 0.167, 1.39; 0.187, 1.40. Three passes over 27 bits, keys of 4 bytes: 512, 28, 0: 2.87; 384, 32, 4: 3.03; pairs: 768,
 * 16, 4: 5.72; 512, 24, 4: 6.03. */
#define TUNE_ONESWEEP_FEW 1
#define TUNE_ONESWEEP_MIDDLE 2
#define TUNE_ONESWEEP_WIDE 3
/* Kernels that split keys of 4 bytes alone by at most TUNE_ONESWEEP_NARROW_BITS bits. */
#define TUNE_ONESWEEP_NARROW 4
#define TUNE_ONESWEEP_NARROW_BITS 2
/* Kernels that split pairs of 4 bytes whose values are staged. 2^24 pairs by 8 bits, H200, us: 896, 18: 149; 512, 32:
 * 154; 768, 18: 155; 640, 24, which spills: 167; not staged 768, 18: 166; CUB 162. */
#define TUNE_ONESWEEP_STAGED 5
#ifndef TUNE_ONESWEEP_ITEMS
/* 1 for keys of 8 bytes with values, where 227 KiB of shared memory have room for a tile of 11,520. */
#define TUNE_ONESWEEP_IS_LARGE(image, key) ((key) == 8 && (image) >= 90 && !TUNE_IS_SMALL(image))
#define TUNE_ONESWEEP_ITEMS(kind, image, key, value)                                                                   \
  ((kind) == TUNE_ONESWEEP_STAGED       ? 896                                                                          \
   : (kind) == TUNE_ONESWEEP_FEW        ? ((key) + (value) == 4 ? 384 : 512)                                           \
   : (key) + (value) <= 4               ? (TUNE_IS_SMALL(image) ? 256 : 512)                                           \
   : (key) + (value) <= 8               ? (TUNE_IS_SMALL(image) ? 512 : 768)                                           \
   : TUNE_ONESWEEP_IS_LARGE(image, key) ? 640                                                                          \
   : (key) + (value) <= 12              ? ((key) == 8 && !TUNE_IS_SMALL(image) ? 512 : 384)                            \
                                        : 512)
#define TUNE_ONESWEEP_KEYS(kind, image, key, value)                                                                    \
  ((kind) == TUNE_ONESWEEP_FEW          ? ((value) == 0 ? 16 : 8)                                                      \
   : TUNE_IS_SMALL(image)               ? TUNE_ONESWEEP_SMALL_KEYS(key, value)                                         \
   : (kind) == TUNE_ONESWEEP_MIDDLE     ? 12                                                                           \
   : (kind) == TUNE_ONESWEEP_NARROW     ? 32                                                                           \
   : (kind) == TUNE_ONESWEEP_STAGED     ? 18                                                                           \
   : (key) + (value) <= 4               ? 28                                                                           \
   : (key) + (value) <= 8               ? ((value) != 0 && (kind) == 0 && (image) >= 90 ? 18 : 16)                     \
   : TUNE_ONESWEEP_IS_LARGE(image, key) ? 18                                                                           \
   : (key) + (value) <= 12              ? ((key) == 8     ? 16                                                         \
                                           : (image) < 90 ? 20                                                         \
                                                          : 24)                                                        \
                                        : ((image) < 90 ? 12 : 16))
/* As many as fit 99 KiB with the keys' places; of keys of 4 bytes two work-groups fit a multiprocessor. Keys of 4
 * bytes, 2^27, H200, ms (227 KiB: 2.09): 384 work-items and 20 keys 2.34; 384, 24: 2.24; 320, 28: 2.15; 256, 36: 2.16;
 * 256, 40, of which one fits: 2.12. */
#define TUNE_ONESWEEP_SMALL_KEYS(key, value)                                                                           \
  ((key) + (value) <= 4 ? 36 : (key) == 4 && (value) == 4 ? 15 : (key) + (value) <= 12 ? 16 : 8)
#define TUNE_ONESWEEP_LOOKERS(kind, image, key, value)                                                                 \
  ((value) == 0 && (key) == 4 && (kind) != TUNE_ONESWEEP_FEW && !TUNE_IS_SMALL(image) ? 0 : 4)
#define TUNE_ONESWEEP_LOOK_TILES(kind, key, value) ((kind) == TUNE_ONESWEEP_FEW ? 4 : 2)
#define TUNE_ONESWEEP_GROUPS(kind, key, value) ((key) + (value) <= 4 ? 2 : 1)
#endif

/* The most keys that kernels FEW and MIDDLE sort, and STAGED split, which were not measured with more. */
#define TUNE_ONESWEEP_MOST(kind, key, value)                                                                           \
  ((kind) == TUNE_ONESWEEP_FEW      ? ((value) != 0 ? 1u << 19                                                         \
                                       : (key) == 8 ? 1u << 22                                                         \
                                                    : 1u << 21)                                                        \
   : (kind) == TUNE_ONESWEEP_STAGED ? 1u << 25                                                                         \
   : (value) == 0                   ? 0                                                                                \
                                    : 1u << 22)
/* The fewest keys that are tested for differing in few bits, so that wide digits save passes. The test, and launches
 * that have nothing to do, take 17 us (H200). */
#define TUNE_ONESWEEP_WIDE_LEAST (1 << 26)

/* A digit that so many keys of a row of 32 have is ranked by a vote. */
#define TUNE_ONESWEEP_HEAVY 6

/* Work-items of the launch that counts digits. */
#define TUNE_HISTOGRAM_ITEMS 1024
/* Counters of each digit in that launch, at most. */
#define TUNE_HISTOGRAM_COPIES 32
/* Keys of each work-group of that launch. Splits of 2^17 and 2^20 u64, us: 2^14 22.6, 25.9; 2^13 19.6, 23.5; 2^12 18.0,
 * 23.2. */
#define TUNE_HISTOGRAM_KEYS (1 << 12)

#ifndef __CUDACC__
#include <stdint.h>

#include "base/error.h"

/* Numbers that determine how scans run on a device. */
typedef struct scan_tuning {
  uint32_t group_items;  /* work-items of a work-group of the portable kernels; 1: the one-work-item variant. Fixed on
                            CUDA and on the host */
  uint32_t exchange;     /* a scan_exchange; fixed on CUDA and on the host */
  uint32_t ptx;          /* OpenCL, 1: NVIDIA's kernels hold PTX; always with SCAN_EXCHANGE_PTX */
  uint32_t device_fence; /* OpenCL, 1: kernels are OpenCL C 3.0 and fence memory for the device, not for a work-group */
  uint32_t sub_group;    /* work-items of a sub-group if registers are exchanged by sub-groups: 32 or 64 */
  uint32_t groups_per_unit; /* persistent work-groups a compute unit */
  uint32_t most_groups;     /* limit of a look-back's or pipelined scan's work-groups; 0: none */
  uint32_t stages;          /* tiles in the ring of a pipelined scan that does not widen */
  uint32_t image;           /* CUDA: 80, 86, 90 or 120: the set of CUDA's own kernels; 0 elsewhere */
  uint32_t shared_bytes;    /* CUDA: the most shared memory of a work-group that is used; 0: all there is */
  uint32_t descriptors;     /* bits of a look-back descriptor's words: 64 or 32. Fixed on CUDA */
  uint64_t pipelined_bytes; /* bytes of the output: above, AUTO chooses the pipelined scan; below, look-back */
  uint64_t
      shifted_items; /* elements, in place of pipelined_bytes if a buffer does not begin at a multiple of 16 bytes */
  uint64_t one_group_items;  /* the most elements, above one tile, for which AUTO chooses one work-group; 0: one tile */
  uint64_t one_thread_bytes; /* host: the most bytes of output that one thread scans without waking others */
  uint64_t parts_bytes;      /* host: the most bytes of output that threads scan in parts; above, in chunks */
  uint32_t register_bytes;   /* host: the widest vector registers that are used, in bytes: 16, 32 or (compaction) 64 */
  uint32_t build_threads;    /* OpenCL: threads that build a plan's programs at once */
  uint32_t background;       /* CUDA, 1: scan_run answers by the kernels that compile fastest while threads compile the
                                others; 0: it waits for all; 2: nothing compiles the others, for tests */
  uint32_t select_warps;  /* OpenCL, compaction in one launch an array: warps of a work-group, of 32 work-items each; 0:
                             off */
  uint32_t select_groups; /* OpenCL, the same compaction: work-groups a compute unit */
  uint32_t sort_sweeps;   /* CUDA: 1: onesweep, one launch a pass, if the device's test allows it; 2: untested, few keys
                             too; 3: with lanes in an order that makes it repair all tiles; 0: off. OpenCL: 1: look-back
                             sort if work-items exchange registers by PTX; 2: also by local memory */
  uint32_t sort_clusters; /* CUDA: 1: one cluster sorts few keys in one launch, if onesweep sorts many; 0: off */
  uint32_t sort_parts;    /* the fewest parts that many keys are sorted in, each with launches of its own
                             (kernels_cl/sort/sort.h) */
} scan_tuning;

/* How 32 consecutive work-items exchange registers: the numbers of SCAN_SHUFFLE (kernels_cl/lib/dialect.h). */
typedef enum scan_exchange {
  SCAN_EXCHANGE_LOCAL = 0,     /* by local memory: every device */
  SCAN_EXCHANGE_PTX = 1,       /* NVIDIA, compute capability 7.0 and later */
  SCAN_EXCHANGE_SUB_GROUP = 2, /* sub-group built-ins */
  SCAN_EXCHANGE_BEST = 3       /* the best of these that the device has: PTX, else sub-groups, else local memory */
} scan_exchange;

typedef enum scan_device_class {
  SCAN_CLASS_HOST,
  SCAN_CLASS_CPU,     /* OpenCL on a processor */
  SCAN_CLASS_GPU,     /* OpenCL on a GPU */
  SCAN_CLASS_CUDA_75, /* compute capability 7.5 */
  SCAN_CLASS_CUDA_80, /* 8.x */
  SCAN_CLASS_CUDA_90  /* 9.0 and later */
} scan_device_class;

/* Returns the table's row for a class, modified by `overrides`, the text of $SCANRT_TUNE or NULL. An invalid text is
 * ignored. */
scan_tuning scan_tuning_from(scan_device_class device_class, const char *overrides);

/* Refuses an invalid $SCANRT_TUNE with a list of the valid names and bounds. */
scan_status scan_tuning_check(scan_error *error);
#endif

#endif
