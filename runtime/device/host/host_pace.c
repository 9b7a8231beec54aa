/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_pace.h"

/* A loss below LEAST_NS is too short to be a time slice of another program. After a loss fewer threads run for as long
 * as was lost times a share. The share is LEAST_SHARE if the other threads gained LEAST_GAIN times the loss before, and
 * doubles after each try that gained less: if all do, tries cost 1/MOST_SHARE of the running time. MOST_DEBT_NS bounds
 * the cost of a bad moment. TRIAL_NS must pass without a loss before the next step up. */
enum { LEAST_NS = 200000, LEAST_GAIN = 4, LEAST_SHARE = 2, FIRST_SHARE = 16, MOST_SHARE = 128, IDLE_SHARE = 8 };
enum { TRIAL_NS = 1000000 };

/* A thread that can run has joined after JOIN_NS. If the others together do less than 1/LEAST_HELP of the caller's
 * pieces, waking them and dividing the work is wasted: about 1/VAIN_SHARE of the time. */
enum { JOIN_NS = 400000, LEAST_HELP = 8, FEW_PIECES = 8, VAIN_SHARE = 8 };
static const uint64_t MOST_DEBT_NS = 2000000000;

void scan_host_pace_open(host_pace *pace, unsigned most) {
  *pace = (host_pace){ .most = most, .threads = most, .share = FIRST_SHARE };
}

static int is_in_vain(const host_pace_sample *sample) {
  return sample->elapsed_ns >= JOIN_NS && sample->own_pieces >= FEW_PIECES &&
         sample->other_pieces < sample->own_pieces / LEAST_HELP;
}

/* The caller's time for a piece. */
static uint64_t piece_time(const host_pace_sample *sample) {
  const uint64_t own = sample->own_pieces > 0 ? sample->own_pieces : 1;
  const uint64_t worked_ns = sample->elapsed_ns > sample->waited_ns ? sample->elapsed_ns - sample->waited_ns : 0;
  return worked_ns / own;
}

uint64_t scan_host_pace_gained(const host_pace_sample *sample) { return sample->other_pieces * piece_time(sample); }

/* A wait for a piece in progress normally takes up to one piece; late_ns is the excess. Half of the gain counts,
 * because threads that share memory are slower than one. */
uint64_t scan_host_pace_lost(const host_pace_sample *sample) {
  const uint64_t usual_ns = sample->waits * piece_time(sample), gain_ns = scan_host_pace_gained(sample);
  const uint64_t late_ns = sample->waited_ns > usual_ns ? sample->waited_ns - usual_ns : 0;
  if (late_ns >= LEAST_NS && (late_ns > sample->elapsed_ns / 4 || late_ns > gain_ns / 2)) return late_ns;
  return is_in_vain(sample) ? sample->elapsed_ns / VAIN_SHARE : 0;
}

void scan_host_pace_slow(host_pace *pace, uint64_t lost_ns) {
  const int has_paid = pace->gained_ns / LEAST_GAIN >= lost_ns;
  if (has_paid) pace->share = LEAST_SHARE;
  const uint64_t debt_ns = pace->debt_ns + pace->share * lost_ns;
  pace->debt_ns = debt_ns < MOST_DEBT_NS ? debt_ns : MOST_DEBT_NS;
  pace->gained_ns = 0;
  if (!has_paid && pace->share < MOST_SHARE && pace->threads == pace->most) pace->share *= 2;
  if (pace->threads > 1) pace->threads -= (pace->threads + 3) / 4;
}

int scan_host_pace_run(host_pace *pace, uint64_t running_ns) {
  if (running_ns < pace->debt_ns) {
    pace->debt_ns -= running_ns;
    return 0;
  }
  pace->debt_ns = 0;
  if (pace->threads == pace->most) return 0;
  const unsigned more = pace->threads + (pace->threads + 2) / 3;
  pace->threads = more < pace->most ? more : pace->most;
  if (pace->threads < pace->most) pace->debt_ns = TRIAL_NS;
  return 1;
}

void scan_host_pace_idle(host_pace *pace, uint64_t idle_ns) {
  const uint64_t paid_ns = idle_ns / IDLE_SHARE;
  pace->debt_ns = paid_ns < pace->debt_ns ? pace->debt_ns - paid_ns : 0;
}
