# SPDX-License-Identifier: BSD-2-Clause
# The two tiers of tests. Every test has the label `quick` or `full`: `ctest -L quick` runs what a change needs,
# `ctest` runs all tests. A test is quick unless its name matches a pattern below; tests/README.md says what only the
# full tier proves.

set(scanrt_full_tests
  # rusticl: llvmpipe compiles each program for seconds. Quick: one suite for each primitive, one program of scans, and
  # its memory model.
  "[.]opencl:rusticl$"
  "^work_groups[.]opencl:rusticl"
  # PoCL: look-back over many tiles, and all halves; quick: `cases.opencl:pocl.quick`.
  "^(half|stream)[.]opencl:pocl$"
  "^split[.]opencl:pocl[.]scans$"
  "^small_grid[.]opencl:pocl"
  # PoCL with variants that only GPUs choose; quick: one of each variant.
  "^work_groups[.]opencl:pocl[.](select|runs)$"
  "^(work_groups|one_launch)[.]opencl:pocl[.](sort_api|split_api)$"
  "^one_launch[.]opencl:pocl[.](select|select_api)$"
  "^withheld[.]opencl:pocl"
  # Cases: all choices of the corners, and thousands of random ones.
  "^cases[.](host|opencl:pocl)$"
  "^corners[.]"
  "^parts[.]opencl:pocl$"
  "^(backwards|stalled|late)[.]opencl:pocl[.]sorts$"
  "^textbook"
  "^progress[.]opencl:pocl"
  # Emulated CUDA kernels: each order of lanes, image and variant; quick: one of each kernel.
  "^tiles[.]emulated[.]pipelined($|[.]image90[.](forward|backward|2)|[.]image80[.](forward|1|2)|[.]one_group)"
  "^tiles[.]emulated[.](block|reduce_then_scan|lookback[.]order|lookback[.]alone[.]5)$"
  "^tiles[.]emulated[.]built_in[.](block|reduce_then_scan|pipelined[.]image80)$"
  "^carries[.]emulated"
  "^marks[.]emulated[.]pipelined[.]80$"
  "^schedules[.]emulated[.]built_in$"
  "^cases[.]emulated[.]sorts[.](0[.]forward|2[.]backward|2[.]2|2[.]forward[.]parts|small_memory)$"
  "^cases[.]emulated[.](late|withheld)[.](80|90[.]numeric)$"
  "^cases[.]emulated[.](select|runs)[.](forward|1|one_launch[.]90[.]forward|one_launch[.]80[.]backward)$"
  "^sort_lanes[.]emulated[.](forward|backward)$"
  "^cases[.]emulated[.](scans|checked)"
  "^(half|overflow)[.]emulated"
  # Sweeps of faults: all calls; quick: a few calls of each kind, `sweep.<device>.quick`.
  "^sweep[.](host|fake_cuda|emulated|opencl:pocl|opencl:pocl[.]devices|verify)$"
  # Implementations of OpenCL other than PoCL and rusticl, and the simulator.
  "^(intel|pocl3|debian13)[.]"
  "^oclgrind"
  "^progress[.]oclgrind$"
  # Models at full size; quick: `model.*.quick`.
  "^model[.](groups_relaxed|groups_own|groups_atomic|rings_slots|rings_warps|rings_work_groups|rings_encoding|onesweep_warps)$"
  # The host with narrow registers; quick: many threads, and one case in eight of cases.host.quick.
  "^narrow[.]host"
  # NVRTC compiles every kernel of operators from source.
  "^unit[.]nvrtc(_images|_select)?$"
  # The tool's tables and benchmarks, and random cases on every device.
  "^cli[.](runs|verify|bench|bench_peers|bench_select|bench_sort|bench_split|bench_cuda|soak)$"
  "^verify[.](all_devices|compaction|runs|sorts)$"
  "^example[.](coo_to_csr_(upper|shuffled|laplacian)|bfs_random|particle_bins_moved|records_graph|cubes_wide)[.]"
  # Fortran on PoCL, and the simulators' small sorts on PoCL: cases make the same calls.
  "^fortran[.]opencl:pocl$"
  "^small[.]opencl:pocl"
  # MPI: more ranks than processors, and both MPIs for all tests.
  "^mpi[.][a-z_]+[.](openmpi|mpich)[.]host[.](7|16)$"
  "^mpi[.]tool[.]mpich$"
  "^python[.]mpi[.]openmpi[.]1$"
  "^mpi[.]transport_faults_[a-z]+[.](openmpi[.]fake_cuda[.]3|mpich[.][a-z_]+[.][0-9]+)$"
  "^mpi[.](cases|scan|parts|sort)[.]mpich[.]host[.](3|4)$"
  "^mpi[.](cases|scan|scan_of_contexts|parts|sort|split|runs)[.]openmpi[.]host[.](1|3)$"
  "^mpi[.][a-z_]+[.](openmpi|mpich)[.]opencl:pocl"
  "^fortran[.]mpi[.]mpich[.](host[.](3|4)|opencl:pocl[.][1-4])$"
  "^fortran[.]mpi[.]openmpi[.]opencl:pocl[.](1|3|4)$"
  # The C++ interface in each standard by each compiler, and on PoCL, whose other suites make the same calls.
  "^cxx[.]standards$"
  "^cxx[.]opencl:pocl$"
  # Documents and archives of a release.
  "^(docs|release[.]archive)"
  # A cross build takes minutes.
  "^builds[.]arm64$"
  # Package managers, which each build the library.
  "^packages[.]"
)

# Tests that match a pattern above but are quick.
set(scanrt_quick_tests
  "^(api|data|sort_api|select_api|difference|refusals)[.]opencl:rusticl$"
  "^opencl_(interop|events)[.]opencl:rusticl$"
  "[.]quick$")

# scanrt_quick_variant(NAME VARIABLES...): gives a test of the full tier a quick variant, NAME.quick: the same program
# with these environment variables added. Must precede the registration of the test.
macro(scanrt_quick_variant name)
  set(scanrt_quick_of_${name} ${ARGN})
endmacro()

scanrt_quick_variant(cases.host SCANRT_TEST_CASES=200 SCANRT_TEST_EVERY=64)
scanrt_quick_variant(cases.opencl:pocl SCANRT_TEST_CASES=5 "SCANRT_TEST_CORNERS=${PROJECT_SOURCE_DIR}/tools/cases/few.txt")
scanrt_quick_variant(sweep.host SCANRT_SWEEP_MOST=3)
scanrt_quick_variant(sweep.fake_cuda SCANRT_SWEEP_MOST=5)
scanrt_quick_variant(sweep.opencl:pocl SCANRT_SWEEP_MOST=1 SCANRT_SWEEP=plan)
foreach(part groups_relaxed groups_own groups_atomic rings_slots rings_warps rings_work_groups rings_encoding
  onesweep_warps)
  scanrt_quick_variant(model.${part} SCANRT_TEST_MODEL=2)
endforeach()

# scanrt_matches_any(RESULT TEXT PATTERNS...): ON if one of the patterns matches the text.
function(scanrt_matches_any result text)
  set(${result} OFF PARENT_SCOPE)
  foreach(pattern IN LISTS ARGN)
    if(text MATCHES "${pattern}")
      set(${result} ON PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# scanrt_label_tiers(): labels the tests registered in this folder. Must be the last call of a folder's CMakeLists.txt.
function(scanrt_label_tiers)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    scanrt_matches_any(is_full ${test} ${scanrt_full_tests})
    scanrt_matches_any(is_quick ${test} ${scanrt_quick_tests})
    set(tier quick)
    if(is_full AND NOT is_quick)
      set(tier full)
    endif()
    set_property(TEST ${test} APPEND PROPERTY LABELS ${tier})
  endforeach()
endfunction()
