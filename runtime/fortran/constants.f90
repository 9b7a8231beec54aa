! SPDX-License-Identifier: BSD-2-Clause
!> Constants of scanrt. The C headers document them under the same names. tests/fortran/ compares all of them with C.
module scanrt_constants
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
  implicit none
  public

  ! scan_types.h
  integer, parameter :: SCAN_VERSION_MAJOR = 0, SCAN_VERSION_MINOR = 2, SCAN_VERSION_PATCH = 0
  integer, parameter :: SCAN_VERSION_NUMBER = &
    SCAN_VERSION_MAJOR * 10000 + SCAN_VERSION_MINOR * 100 + SCAN_VERSION_PATCH

  enum, bind(C) ! values of `stat`
    enumerator :: SCAN_SUCCESS = 0, SCAN_INVALID_ARGUMENT = 1, SCAN_UNSUPPORTED = 2, SCAN_NO_DEVICE = 3
    enumerator :: SCAN_OUT_OF_MEMORY = 4, SCAN_BUILD_FAILED = 5, SCAN_DEVICE_ERROR = 6, SCAN_NO_PROGRESS = 7
    enumerator :: SCAN_CANCELLED = 8, SCAN_OVERFLOW = 9
  end enum

  enum, bind(C) ! element types
    enumerator :: SCAN_TYPE_DEFAULT = 0, SCAN_I8 = 1, SCAN_U8 = 2, SCAN_I16 = 3, SCAN_U16 = 4, SCAN_I32 = 5
    enumerator :: SCAN_U32 = 6, SCAN_I64 = 7, SCAN_U64 = 8, SCAN_F32 = 9, SCAN_F64 = 10, SCAN_F16 = 11, SCAN_BF16 = 12
  end enum

  enum, bind(C) ! operators
    enumerator :: SCAN_OP_NONE = 0, SCAN_ADD = 1, SCAN_MUL = 2, SCAN_MIN = 3, SCAN_MAX = 4, SCAN_AND = 5, SCAN_OR = 6
    enumerator :: SCAN_XOR = 7
  end enum

  enum, bind(C) ! which elements a result covers
    enumerator :: SCAN_INCLUSIVE = 0, SCAN_EXCLUSIVE = 1, SCAN_TOTAL = 2
  end enum

  enum, bind(C) ! how a scan is computed
    enumerator :: SCAN_STRATEGY_AUTO = 0, SCAN_STRATEGY_SEQUENTIAL = 1, SCAN_STRATEGY_BLOCK = 2
    enumerator :: SCAN_STRATEGY_REDUCE_THEN_SCAN = 3, SCAN_STRATEGY_LOOKBACK = 4, SCAN_STRATEGY_THREADS = 5
    enumerator :: SCAN_STRATEGY_PIPELINED = 6, SCAN_STRATEGY_HILLIS_STEELE = 7, SCAN_STRATEGY_BLELLOCH = 8
    enumerator :: SCAN_STRATEGY_BLELLOCH_PADDED = 9, SCAN_STRATEGY_SUBGROUP = 10, SCAN_STRATEGY_THREE_PASS = 11
    enumerator :: SCAN_STRATEGY_CHAINED = 12, SCAN_STRATEGY_LOOKBACK_CLASSIC = 13
  end enum

  enum, bind(C) ! backends
    enumerator :: SCAN_BACKEND_CUDA = 1, SCAN_BACKEND_OPENCL = 2, SCAN_BACKEND_HOST = 3
  end enum

  enum, bind(C) ! flags of specs, to be combined by ior
    enumerator :: SCAN_BACKWARD = 1, SCAN_CHECK_OVERFLOW = 2, SCAN_N_FROM_CLAMP = 4, SCAN_N_FROM = 8
  end enum

  enum, bind(C) ! kinds of memory
    enumerator :: SCAN_MEM_NONE = 0, SCAN_MEM_HOST = 1, SCAN_MEM_ALLOCATED = 2, SCAN_MEM_CUDA = 3, SCAN_MEM_OPENCL = 4
    enumerator :: SCAN_MEM_SVM = 5, SCAN_MEM_USM = 6
  end enum

  integer(c_int64_t), parameter :: SCAN_NO_CAPACITY = -1 ! C's UINT64_MAX

  enum, bind(C) ! bits of scan_device_facts%atomic_capabilities
    enumerator :: SCAN_ATOMIC_ORDER_RELAXED = 1, SCAN_ATOMIC_ORDER_ACQ_REL = 2, SCAN_ATOMIC_ORDER_SEQ_CST = 4
    enumerator :: SCAN_ATOMIC_SCOPE_WORK_ITEM = 8, SCAN_ATOMIC_SCOPE_WORK_GROUP = 16, SCAN_ATOMIC_SCOPE_DEVICE = 32
    enumerator :: SCAN_ATOMIC_SCOPE_ALL_DEVICES = 64
  end enum

  enum, bind(C) ! kinds of marks of segments
    enumerator :: SCAN_SEGMENTS_NONE = 0, SCAN_SEGMENTS_FLAGS = 1, SCAN_SEGMENTS_BITS = 2, SCAN_SEGMENTS_KEYS = 3
    enumerator :: SCAN_SEGMENTS_OFFSETS = 4
  end enum

  ! scan_array.h, scan_op.h, scan_partition.h, scan_select.h, scan_sort.h, scan_split.h
  integer, parameter :: SCAN_ARRAY_MAX_AXES = 8
  integer, parameter :: SCAN_OP_MOST_BYTES = 64
  integer, parameter :: SCAN_PARTITION3_PARTS = 3
  integer, parameter :: SCAN_SELECT_MOST_ARRAYS = 8
  integer, parameter :: SCAN_SORT_MOST_ARRAYS = 8, SCAN_SORT_SCRATCH_ALIGN = 256
  integer, parameter :: SCAN_SPLIT_MOST_ARRAYS = 8, SCAN_SPLIT_MOST_BITS = 8, SCAN_SPLIT_MOST_BUCKETS = 256

  enum, bind(C) ! scan_sort.h: how floating-point keys compare
    enumerator :: SCAN_SORT_TOTAL_ORDER = 0, SCAN_SORT_NUMERIC_ORDER = 1
  end enum

  enum, bind(C) ! scan_select.h: how kept elements are chosen
    enumerator :: SCAN_SELECT_FLAGS = 1, SCAN_SELECT_BITS = 2, SCAN_SELECT_FIRST = 3, SCAN_SELECT_LAST = 4
    enumerator :: SCAN_SELECT_PREDICATE = 5
  end enum

  enum, bind(C) ! scan_select.h: where the other elements go
    enumerator :: SCAN_REST_DROPPED = 0, SCAN_REST_BEHIND = 1, SCAN_REST_APART = 2
  end enum

  enum, bind(C) ! scan_composite.h
    enumerator :: SCAN_COMPOSITE_NONE = 0, SCAN_AFFINE_F32 = 1, SCAN_AFFINE_F64 = 2, SCAN_AFFINE_U32 = 3
    enumerator :: SCAN_MATRIX2_F32 = 4, SCAN_MATRIX2_F64 = 5, SCAN_MATRIX3_F32 = 6, SCAN_COMPLEX_F32 = 7
    enumerator :: SCAN_COMPLEX_F64 = 8, SCAN_LOGSUMEXP_F32 = 9, SCAN_LOGSUMEXP_F64 = 10, SCAN_ARGMIN_F32 = 11
    enumerator :: SCAN_ARGMIN_F64 = 12, SCAN_ARGMIN_I32 = 13, SCAN_ARGMIN_I64 = 14, SCAN_ARGMAX_F32 = 15
    enumerator :: SCAN_ARGMAX_F64 = 16, SCAN_ARGMAX_I32 = 17, SCAN_ARGMAX_I64 = 18, SCAN_COMPENSATED_F32 = 19
    enumerator :: SCAN_COMPENSATED_F64 = 20
  end enum
end module scanrt_constants
