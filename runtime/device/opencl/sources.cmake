# SPDX-License-Identifier: BSD-2-Clause
if(SCANRT_HAVE_OPENCL)
  scanrt_runtime_sources(runtime/device/opencl
    backend_opencl.c
    opencl_api.c
    opencl_build.c
    opencl_cache.c
    opencl_device.c
    opencl_pointers.c
    opencl_transfer.c)
else()
  scanrt_runtime_sources(runtime/device/opencl opencl_stub.c)
endif()
