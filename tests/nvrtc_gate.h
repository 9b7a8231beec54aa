/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file nvrtc_gate.h
 * @brief Holds compilations of a stand-in for NVRTC, lets them fail, and counts them.
 *
 * Programs are named by their header, such as "lookback.cl". The stand-ins export nvrtc_gate_get, which
 * nvrtc_gate_open looks up in the library that $SCANRT_LIBNVRTC names.
 */
#ifndef SCANRT_TESTS_NVRTC_GATE_H
#define SCANRT_TESTS_NVRTC_GATE_H

typedef struct nvrtc_gate {
  /** From now on programs whose names are in `held` wait, and those in `refused` fail; "": none. */
  void (*set)(const char *held, const char *refused);
  /** Number of compilations that have begun, of one program or of all (NULL). */
  int (*begun)(const char *name);
  /** Number of compilations that have begun and not ended. */
  int (*running)(void);
} nvrtc_gate;

/** The gate of this library. */
const nvrtc_gate *nvrtc_gate_get(void);

/** Counts a compilation, and waits while the program is held. Returns 0 if it is to fail; nvrtc_gate_leave follows. */
int nvrtc_gate_enter(const char *name);
void nvrtc_gate_leave(void);

/** Opens the library and returns its gate; ends the program if there is none. */
const nvrtc_gate *nvrtc_gate_open(void);

#endif
