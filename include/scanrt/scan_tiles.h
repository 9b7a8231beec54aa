/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_tiles.h
 * @brief What tiles come to: the first half of a scan that goes over several devices.
 *
 * A scan in the canonical order (kernels_cl/README.md) cuts its n elements into tiles, whose size is a function of n
 * and the element's size. The values of 128 tiles, combined in pairs, pairs of pairs and so on, make the value of a
 * group; the groups' values, one after the other from what the scan begins from, are what comes before each group. Who
 * knows what comes before a group can scan it, and what follows, from there (scan_args::carry_in), to the same bits as
 * one scan of the whole; libscanrt_mpi does. Elements are read once here, and only the values of tiles, or of groups,
 * are written.
 */
#ifndef SCANRT_SCAN_TILES_H
#define SCANRT_SCAN_TILES_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reduces the whole tiles of a scan: nothing comes behind the elements that are left, which are no tile. Device memory
 * makes the call asynchronous, host memory in `values` makes it wait.
 * @param spec    the scan, of a built-in operator or one from source; without segments. What it begins from plays no
 *                part. With SCAN_BACKWARD tiles count from the last element on.
 * @param n       elements; fewer than a tile: nothing is done.
 * @param in      n elements, as in scan_run, in memory of the device (OpenCL, CUDA). SCAN_NO_MEM: nothing is reduced;
 *                the context compiles and allocates what calls of up to n elements need, which then allocate nothing.
 * @param values  a value for each of n / tile_items tiles, as a carry is (scan_args::carry_in): of SCAN_F16 and
 * SCAN_BF16 binary32. Memory of the device, or host memory.
 * @param[out] tile_items  elements of a tile; may be NULL.
 * @return as scan_run; SCAN_UNSUPPORTED on the host, which has no tiles of its own to reduce in parallel, and for `in`
 *         that is host memory on another device: copy it there first (scan_write).
 */
SCAN_API scan_status scan_tile_values(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values,
                                      uint64_t *tile_items);

/**
 * Reduces the whole groups of a scan, each 128 tiles: the values of its tiles in pairs, pairs of pairs and so on. As
 * scan_tile_values otherwise. It is for scans whose results show the order of operations: sums and products of
 * floating point, and operators from source. Of others any order gives a group's value: a scan of kind SCAN_TOTAL.
 * @param n       elements; what follows the last whole group is read, and tells nothing; fewer than a group: nothing is
 *                done.
 * @param values  a value for each of n / group_items groups.
 * @param[out] group_items  elements of a group; may be NULL.
 * @return as scan_tile_values; SCAN_UNSUPPORTED for operators whose order does not show, too.
 */
SCAN_API scan_status scan_group_values(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values,
                                       uint64_t *group_items);

#ifdef __cplusplus
}
#endif
#endif
