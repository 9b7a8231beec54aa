/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/select/host_lanes.h"

#define BIT(m, b) ((m) >> (b)&1)
#define BELOW(m, b)                                                                                                    \
  (BIT(m, 0) * (0 < (b)) + BIT(m, 1) * (1 < (b)) + BIT(m, 2) * (2 < (b)) + BIT(m, 3) * (3 < (b)) +                     \
   BIT(m, 4) * (4 < (b)) + BIT(m, 5) * (5 < (b)) + BIT(m, 6) * (6 < (b)) + BIT(m, 7) * (7 < (b)))
/* The place of bit b in row m. */
#define PLACE(m, b) (BIT(m, b) ? BELOW(m, b) : BELOW(m, 8) + (b)-BELOW(m, b))
#define IF_KTH(m, k, b) ((b) * (PLACE(m, b) == (k)))
#define KTH(m, k)                                                                                                      \
  (IF_KTH(m, k, 1) + IF_KTH(m, k, 2) + IF_KTH(m, k, 3) + IF_KTH(m, k, 4) + IF_KTH(m, k, 5) + IF_KTH(m, k, 6) +         \
   IF_KTH(m, k, 7))
#define ROW(m)                                                                                                         \
  { KTH(m, 0), KTH(m, 1), KTH(m, 2), KTH(m, 3), KTH(m, 4), KTH(m, 5), KTH(m, 6), KTH(m, 7) }
#define ROWS4(m) ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4), ROWS4((m) + 8), ROWS4((m) + 12)
#define ROWS64(m) ROWS16(m), ROWS16((m) + 16), ROWS16((m) + 32), ROWS16((m) + 48)

const uint8_t scan_host_lanes[256][8] = { ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192) };
