/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_peer.c @brief Finds and loads peer modules (peer.h). */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "modules.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 64 };
static const char PREFIX[] = "libscanrt_peer_", SUFFIX[] = ".so";

/** Extracts the name from "libscanrt_peer_NAME.so". @return 1 if the file name matches */
static int module_name(const char *file, char name[NAME_BYTES]) {
  size_t length = strlen(file), around = sizeof PREFIX - 1 + sizeof SUFFIX - 1;
  if (length <= around || length - around >= NAME_BYTES) return 0;
  if (strncmp(file, PREFIX, sizeof PREFIX - 1) != 0) return 0;
  if (strcmp(file + length - (sizeof SUFFIX - 1), SUFFIX) != 0) return 0;
  memcpy(name, file + sizeof PREFIX - 1, length - around);
  name[length - around] = '\0';
  return 1;
}

static int peer_wanted(const bench_request *request, const char *name) {
  for (size_t i = 0; i < request->peer_count; i++)
    if (!strcmp(request->peers[i], name)) return 1;
  return request->peer_count == 0;
}

/** 1 if a peer of that name is loaded. A second module of the peer, from a later folder, is skipped. */
static int is_loaded(const bench_peers *peers, const char *name) {
  for (size_t i = 0; i < peers->count; i++)
    if (!strcmp(peers->peer[i]->name, name)) return 1;
  return 0;
}

static void peer_load(bench_peers *peers, const char *path) {
  if (peers->count == BENCH_MAX_PEERS) return;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    cli_say_failure("notice: a peer is left out: %s", dlerror());
    return;
  }
  bench_peer_get *get = NULL;
  *(void **)&get = dlsym(library, BENCH_PEER_SYMBOL);
  const bench_peer *peer = get ? get() : NULL;
  if (peer && peer->version == BENCH_PEER_VERSION && !is_loaded(peers, peer->name)) {
    /* The module stays loaded: a CUDA runtime inside must not be unloaded while its context exists. */
    peers->peer[peers->count++] = peer;
    return;
  }
  if (!peer || peer->version != BENCH_PEER_VERSION)
    cli_say_failure("notice: a peer is left out: %s is not of this version of peer.h", path);
  dlclose(library);
}

/** Loads the requested modules in a folder. @param[in,out] seen  requested modules found so far */
static void load_folder(const bench_request *request, const char *folder, bench_peers *peers, uint32_t *seen) {
  char path[PATH_BYTES], name[NAME_BYTES];
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    int written = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (written > 0 && written < PATH_BYTES && module_name(entries[i]->d_name, name) && peer_wanted(request, name)) {
      for (size_t p = 0; p < request->peer_count; p++)
        if (!strcmp(request->peers[p], name)) *seen |= 1u << p;
      peer_load(peers, path);
    }
    free(entries[i]);
  }
  free(entries);
}

/** Limits how long OpenMP's threads poll for the next call: longer than between calls in a row, but not through the
 * batch of the next entry, whose threads would have fewer cores. By default gcc's poll for 5 ms, clang's for 200 ms. */
static void shorten_polling(void) {
  (void)setenv("GOMP_SPINCOUNT", "2000", 0); /* about 0.1 ms */
  (void)setenv("KMP_BLOCKTIME", "1", 0);     /* ms */
}

void bench_peers_load(const bench_request *request, bench_peers *peers) {
  char folder[MODULES_PATH_BYTES];
  const char *given = getenv("SCANRT_PEERS");
  uint32_t seen = 0;
  if (request->no_peers) return;
  shorten_polling();
  if (given && *given) load_folder(request, given, peers, &seen);
  for (int i = 0; i < MODULES_FOLDERS; i++)
    if (modules_folder(i, folder)) load_folder(request, folder, peers, &seen);
  for (size_t p = 0; p < request->peer_count; p++)
    if (!(seen & 1u << p))
      cli_say_failure("notice: there is no peer '%s': %s%s%s is neither beside the program nor in $SCANRT_PEERS",
                      request->peers[p], PREFIX, request->peers[p], SUFFIX);
}

int bench_peer_unprepared(bench_state *bench, const bench_peer *peer, const char *what) {
  const int rc = bench_peer_fail(peer, what);
  if (!bench->versus) return rc;
  bench_add_peer(bench, peer, NULL, 0, NULL, NULL)->wrong = 1;
  return CLI_OK;
}

int bench_peer_fail(const bench_peer *peer, const char *what) {
  return cli_fail("%s: %s: %s", peer->name, what, peer->last_error());
}
