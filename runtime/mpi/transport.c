/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a transport, and exchanges by it. */
#include "mpi/transport.h"

#include <stdio.h>

#include "mpi/gpu.h"

/* In the order of preference. The last one works everywhere. */
enum { PEER, DIRECT, NCCL, STAGED, TRANSPORTS };
static const mpi_transport_ops *const transports[TRANSPORTS] = { [PEER] = &scan_mpi_transport_peer,
                                                                 [DIRECT] = &scan_mpi_transport_mpi,
                                                                 [NCCL] = &scan_mpi_transport_nccl,
                                                                 [STAGED] = &scan_mpi_transport_staged };

enum { SEND_ITEMS, SEND_PLACES, RECEIVE_ITEMS, RECEIVE_PLACES, ZEROS, NUMBERS };

struct mpi_transport_state {
  int chosen;             /* index of the transport */
  int is_forced;          /* 1: the environment names it */
  int usable[TRANSPORTS]; /* 1: all ranks can use it, as far as they know before they open it */
  void *states[TRANSPORTS];
  int is_open[TRANSPORTS];
  mpi_exchange exchange; /* with room for all moves */
  mpi_messages messages;
  int has_gpus;  /* 1: CUDA objects of all ranks have been made; the same on all ranks */
  int uses_cuda; /* 1: some rank has a context on a CUDA device */
  mpi_parcel *parcels;
  scan_mem mapped;   /* scan_mpi_exchange_map */
  uint64_t *numbers; /* NUMBERS for each context of all ranks, for scan_mpi_exchange_ranks */
  char reason[160];
};

/* ---- choice ---- */

/* Reads the transport that the environment names; -1: none. */
static scan_status read_wanted(scan_mpi *handle, int *wanted) {
  const char *name = secure_getenv("SCANRT_MPI_TRANSPORT");
  *wanted = -1;
  if (name == NULL || name[0] == '\0') return SCAN_SUCCESS;
  for (int i = 0; i < TRANSPORTS; i++)
    if (strcmp(name, transports[i]->name) == 0) *wanted = i;
  if (*wanted >= 0) return SCAN_SUCCESS;
  return scan_mpi_fail(handle, SCAN_INVALID_ARGUMENT, "SCANRT_MPI_TRANSPORT is '%.32s': mpi, peer, nccl or staged",
                       name);
}

/* Asks each transport whether this rank can use it. The reason is that of the first one that it cannot. */
static void check_transports(scan_mpi *handle, int wanted) {
  mpi_transport_state *t = handle->transport;
  for (int i = TRANSPORTS - 1; i >= 0; i--) {
    char reason[sizeof t->reason] = "";
    if (wanted < 0 || wanted == i) transports[i]->check(handle, reason, sizeof reason);
    t->usable[i] = reason[0] == '\0';
    if (reason[0] != '\0') memcpy(t->reason, reason, sizeof reason);
  }
}

/* Finds out whether all ranks are on one host. */
static scan_status find_hosts(scan_mpi *handle) {
  MPI_Comm host = MPI_COMM_NULL;
  int ranks = 0;
  MPI_TRY(
      MPI_CALL(handle, MPI_Comm_split_type, handle->comm, MPI_COMM_TYPE_SHARED, handle->rank, MPI_INFO_NULL, &host));
  const scan_status status = MPI_CALL(handle, MPI_Comm_size, host, &ranks);
  (void)MPI_Comm_free(&host);
  handle->is_one_host = ranks == handle->ranks;
  return status;
}

/* Agrees on the first transport that all ranks can use. */
static scan_status agree_on_transport(scan_mpi *handle, int wanted) {
  mpi_transport_state *t = handle->transport;
  int usable[TRANSPORTS], uses_cuda = 0;
  for (int i = 0; i < handle->own_contexts; i++) uses_cuda |= handle[i].backend == SCAN_BACKEND_CUDA;
  MPI_TRY(MPI_CALL(handle, MPI_Allreduce, &uses_cuda, &t->uses_cuda, 1, MPI_INT, MPI_MAX, handle->comm));
  if (t->uses_cuda) MPI_TRY(find_hosts(handle));
  MPI_TRY(scan_mpi_same(handle, (uint64_t)(int64_t)wanted, "SCANRT_MPI_TRANSPORT"));
  check_transports(handle, wanted);
  if (wanted >= 0) {
    t->chosen = wanted;
    t->is_forced = 1;
    return scan_mpi_agree(handle, t->usable[wanted]
                                      ? SCAN_SUCCESS
                                      : scan_mpi_fail(handle, SCAN_UNSUPPORTED, "SCANRT_MPI_TRANSPORT is %s: %s",
                                                      transports[wanted]->name, t->reason));
  }
  MPI_TRY(MPI_CALL(handle, MPI_Allreduce, t->usable, usable, TRANSPORTS, MPI_INT, MPI_MIN, handle->comm));
  const int is_first_usable = t->usable[0];
  memcpy(t->usable, usable, sizeof usable);
  if (usable[0])
    t->reason[0] = '\0';
  else if (is_first_usable)
    snprintf(t->reason, sizeof t->reason, "another rank cannot use %s", transports[0]->name);
  while (!t->usable[t->chosen]) t->chosen++;
  return SCAN_SUCCESS;
}

static scan_status make_state(scan_mpi *handle) {
  const uint64_t moves = (uint64_t)handle->own_contexts * (uint64_t)handle->contexts;
  mpi_transport_state *t = scan_mpi_allocate(handle, 1, sizeof *t);
  handle->transport = t;
  if (t == NULL) return SCAN_OUT_OF_MEMORY;
  t->exchange.mpi = handle;
  t->exchange.sends = scan_mpi_allocate(handle, moves, sizeof *t->exchange.sends);
  t->exchange.receives = scan_mpi_allocate(handle, moves, sizeof *t->exchange.receives);
  t->parcels = scan_mpi_allocate(handle, (uint64_t)handle->own_contexts, sizeof *t->parcels);
  t->numbers = scan_mpi_allocate(handle, NUMBERS * (uint64_t)handle->contexts, sizeof *t->numbers);
  t->exchange.messages = &t->messages;
  MPI_TRY(scan_mpi_messages_reserve(handle, &t->messages, 2 * moves));
  return t->exchange.sends && t->exchange.receives && t->parcels && t->numbers ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

mpi_parcel *scan_mpi_parcels(scan_mpi *handle) { return handle->transport->parcels; }

scan_status scan_mpi_transport_choose(scan_mpi *handle) {
  int wanted = -1;
  scan_status status = make_state(handle);
  if (status == SCAN_SUCCESS) status = read_wanted(handle, &wanted);
  MPI_TRY(scan_mpi_agree(handle, status));
  /* The user says that MPI takes device memory. */
  if (wanted >= 0 && transports[wanted] == &scan_mpi_transport_mpi && handle->own_contexts == 1 &&
      handle->backend == SCAN_BACKEND_CUDA)
    handle->takes_device_memory = 1;
  return agree_on_transport(handle, wanted);
}

void scan_mpi_transport_close(scan_mpi *handle) {
  mpi_transport_state *t = handle->transport;
  if (t == NULL) return;
  for (int i = 0; i < TRANSPORTS; i++)
    if (t->is_open[i] && transports[i]->close != NULL) transports[i]->close(handle, t->states[i]);
  scan_mpi_gpus_close(handle);
  scan_mpi_release(handle, &handle->bounce);
  free(t->exchange.sends);
  free(t->exchange.receives);
  free(t->parcels);
  free(t->numbers);
  scan_mpi_messages_free(&t->messages);
  free(t);
  handle->transport = NULL;
}

/* ---- exchanges ---- */

/* Opens a transport for its first exchange. Collective. */
static scan_status open_transport(scan_mpi *handle, int i) {
  mpi_transport_state *t = handle->transport;
  if (t->is_open[i]) return SCAN_SUCCESS;
  if (transports[i]->open != NULL) MPI_TRY(transports[i]->open(handle, &t->states[i]));
  t->is_open[i] = 1;
  return SCAN_SUCCESS;
}

/* Opens the chosen transport, or else the next one that all ranks can use. */
static scan_status open_chosen(scan_mpi *handle) {
  mpi_transport_state *t = handle->transport;
  for (;;) {
    const mpi_kept_text kept = scan_mpi_keep_text(handle);
    const scan_status status = open_transport(handle, t->chosen);
    if (status == SCAN_SUCCESS || t->is_forced || t->chosen == STAGED) return status;
    snprintf(t->reason, sizeof t->reason, "%s: %.120s", transports[t->chosen]->name, handle->text);
    scan_mpi_restore_text(handle, &kept); /* the call has not failed */
    do t->chosen++;
    while (!t->usable[t->chosen]);
  }
}

/* The kinds of memory that moves are of. */
enum { IN_HOST_MEMORY, IN_DEVICE_MEMORY, MEMORY_KINDS };

static void find_kinds(const mpi_exchange *x, int *kinds) {
  for (int i = 0; i < x->send_count + x->receive_count; i++) {
    const mpi_move *move = i < x->send_count ? &x->sends[i] : &x->receives[i - x->send_count];
    const int is_host = x->mpi[move->own].backend == SCAN_BACKEND_HOST || scan_mpi_host_pointer(move->mem) != NULL;
    kinds[is_host ? IN_HOST_MEMORY : IN_DEVICE_MEMORY] = 1;
  }
}

/* Makes the CUDA objects, and opens the chosen transport. */
static scan_status open_exchanges(scan_mpi *handle) {
  mpi_transport_state *t = handle->transport;
  if (t->uses_cuda && !t->has_gpus) MPI_TRY(scan_mpi_agree(handle, scan_mpi_gpus_open(handle)));
  t->has_gpus = 1;
  return open_chosen(handle);
}

/* Chooses and opens what this exchange needs: if all moves of all ranks are of host memory, MPI, and if some are, and
 * the chosen transport is for devices, staging. */
static scan_status prepare(scan_mpi *handle, int *use) {
  mpi_transport_state *t = handle->transport;
  int own[MEMORY_KINDS] = { 0 }, any[MEMORY_KINDS] = { 0 };
  MPI_TRY(open_exchanges(handle));
  *use = t->chosen;
  if (t->exchange.is_mapped || *use == DIRECT || (*use == STAGED && t->is_forced)) return SCAN_SUCCESS;
  find_kinds(&t->exchange, own);
  MPI_TRY(MPI_CALL(handle, MPI_Allreduce, own, any, MEMORY_KINDS, MPI_INT, MPI_MAX, handle->comm));
  if (any[IN_HOST_MEMORY]) *use = any[IN_DEVICE_MEMORY] ? STAGED : DIRECT;
  return open_transport(handle, *use);
}

static void count_sent(const mpi_exchange *x) {
  for (int i = 0; i < x->send_count; i++) x->mpi->sent_bytes += x->sends[i].bytes;
}

static scan_status exchange(scan_mpi *handle, const mpi_parcel *parcels, uint64_t item_bytes, uint64_t most_items,
                            unsigned facts) {
  const int is_beside = (facts & EXCHANGE_BESIDE) != 0;
  mpi_transport_state *t = handle->transport;
  int use = t->chosen;
  scan_mpi_moves_list(&t->exchange, parcels, item_bytes);
  t->exchange.most_bytes = most_items * item_bytes;
  t->exchange.is_mapped = (facts & EXCHANGE_MAPPED) != 0;
  if (handle->ranks > 1)
    MPI_TRY(prepare(handle, &use));
  else
    MPI_TRY(scan_mpi_gpus_open(handle));
  scan_status status = is_beside ? SCAN_SUCCESS : scan_mpi_wait_for_contexts(handle);
  MPI_KEEP(&status, scan_mpi_begin_own_copies(handle, parcels, item_bytes));
  count_sent(&t->exchange);
  t->exchange.is_agreed = 0;
  const scan_status passed = handle->ranks > 1 ? transports[use]->exchange(t->states[use], &t->exchange) : SCAN_SUCCESS;
  const mpi_kept_text kept = scan_mpi_keep_text(handle);
  const scan_status finished = is_beside ? SCAN_SUCCESS : scan_mpi_finish_own_copies(handle); /* also after a failure */
  if (passed != SCAN_SUCCESS) scan_mpi_restore_text(handle, &kept);
  if (handle->ranks == 1) return status != SCAN_SUCCESS ? status : finished;
  if (t->exchange.is_agreed && passed != SCAN_SUCCESS) return passed;
  MPI_KEEP(&status, passed);
  MPI_KEEP(&status, finished);
  return scan_mpi_agree(handle, status);
}

scan_status scan_mpi_exchange(scan_mpi *handle, const mpi_parcel *parcels, uint64_t item_bytes, uint64_t most_items) {
  return exchange(handle, parcels, item_bytes, most_items, 0);
}

/* Fills a list of numbers for each context from one for each rank, which are its first context's. */
static const uint64_t *spread(const scan_mpi *handle, int list, const uint64_t *of_ranks) {
  uint64_t *numbers = handle->transport->numbers + (size_t)list * (size_t)handle->contexts;
  for (int c = 0; c < handle->contexts; c++) numbers[c] = 0;
  for (int r = 0; of_ranks != NULL && r < handle->ranks; r++) numbers[handle->first_contexts[r]] = of_ranks[r];
  return numbers;
}

/* Finds the largest of all ranks' numbers. Collective. */
static scan_status find_most(scan_mpi *handle, uint64_t own, uint64_t *most) {
  const int64_t mine = (int64_t)own; /* signed, because MPICH 4.0 compares unsigned numbers as signed ones */
  int64_t largest = 0;
  MPI_TRY(MPI_CALL(handle, MPI_Allreduce, &mine, &largest, 1, MPI_INT64_T, MPI_MAX, handle->comm));
  *most = (uint64_t)largest;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_exchange_ranks(scan_mpi *handle, const mpi_parcel *parcel, uint64_t item_bytes, unsigned facts) {
  mpi_parcel *parcels = handle->transport->parcels;
  const uint64_t *zeros = spread(handle, ZEROS, NULL);
  uint64_t own = 0, most = 0;
  for (int r = 0; r < handle->ranks; r++)
    if (r != handle->rank && parcel->send_items[r] > own) own = parcel->send_items[r];
  if (!(facts & EXCHANGE_MAPPED)) MPI_TRY(find_most(handle, own, &most));
  for (int i = 1; i < handle->own_contexts; i++)
    parcels[i] = (mpi_parcel){ SCAN_NO_MEM, SCAN_NO_MEM, zeros, zeros, zeros, zeros };
  parcels[0] = (mpi_parcel){ parcel->send,
                             parcel->receive,
                             spread(handle, SEND_ITEMS, parcel->send_items),
                             spread(handle, SEND_PLACES, parcel->send_places),
                             spread(handle, RECEIVE_ITEMS, parcel->receive_items),
                             spread(handle, RECEIVE_PLACES, parcel->receive_places) };
  return exchange(handle, parcels, item_bytes, most, facts);
}

scan_status scan_mpi_exchange_reserve(scan_mpi *handle, uint64_t send_bytes, uint64_t receive_bytes) {
  const mpi_transport_state *t = handle->transport;
  mpi_bounds bounds = { .send_bytes = send_bytes, .receive_bytes = receive_bytes };
  if (handle->ranks == 1) {
    MPI_TRY(scan_mpi_gpus_open(handle));
    return scan_mpi_reserve_bounce(handle, send_bytes);
  }
  MPI_TRY(find_most(handle, send_bytes, &bounds.most_bytes));
  MPI_TRY(open_exchanges(handle));
  const mpi_transport_ops *ops = transports[t->chosen];
  scan_status status = ops->reserve != NULL ? ops->reserve(handle, t->states[t->chosen], &bounds) : SCAN_SUCCESS;
  MPI_KEEP(&status, scan_mpi_reserve_bounce(handle, send_bytes));
  return scan_mpi_agree(handle, status);
}

scan_status scan_mpi_exchange_map(scan_mpi *handle, uint64_t bytes, int *is_mapped) {
  mpi_transport_state *t = handle->transport;
  *is_mapped = 0;
  if (handle->ranks == 1) return SCAN_SUCCESS;
  MPI_TRY(open_exchanges(handle));
  const mpi_transport_ops *ops = transports[t->chosen];
  if (ops->map == NULL) return SCAN_SUCCESS;
  MPI_TRY(ops->map(handle, t->states[t->chosen], bytes, &t->mapped));
  const int is_enough = t->mapped.kind != SCAN_MEM_NONE && t->mapped.size_bytes >= bytes;
  return MPI_CALL(handle, MPI_Allreduce, &is_enough, is_mapped, 1, MPI_INT, MPI_MIN, handle->comm);
}

scan_mem scan_mpi_mapped_memory(const scan_mpi *handle) { return handle->transport->mapped; }

/* ---- information ---- */

#define F(field) MPI_FIELD(scan_mpi_facts, field)
static const mpi_field facts_fields[] = { F(transport), F(reason) };
#undef F
static const mpi_struct facts_struct = MPI_STRUCT(scan_mpi_facts, "info", "SCAN_MPI_FACTS_INIT", facts_fields);

void scan_mpi_facts_init(scan_mpi_facts *facts, size_t struct_bytes) {
  if (facts == NULL) return;
  memset(facts, 0, struct_bytes);
  memcpy(facts, &struct_bytes, sizeof struct_bytes);
}

scan_status scan_mpi_info(scan_mpi *mpi, scan_mpi_facts *info) {
  scan_mpi_facts facts;
  if (mpi == NULL) {
    snprintf(scan_mpi_thread_text(), MPI_ERROR_BYTES, "mpi is NULL");
    return SCAN_INVALID_ARGUMENT;
  }
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &facts_struct, &facts, info));
  const size_t bytes = info->struct_bytes;
  const mpi_transport_state *t = mpi->transport;
  facts = (scan_mpi_facts){ .struct_bytes = bytes };
  snprintf(facts.transport, sizeof facts.transport, "%s", transports[t->chosen]->name);
  snprintf(facts.reason, sizeof facts.reason, "%s", t->is_forced ? "SCANRT_MPI_TRANSPORT names it" : t->reason);
  memcpy(info, &facts, bytes);
  return SCAN_SUCCESS;
}
