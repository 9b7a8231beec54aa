# SPDX-License-Identifier: BSD-2-Clause
"""Places in a shared output within kernels of pyopencl's and CuPy's."""

import numpy as np
import pytest
from conftest import PyopenclSide

import scanrt

GROUPS = 300
KERNEL = """
SCANRT_KERNEL positive(SCANRT_GLOBAL const float *x, scanrt_device_u32 n, SCANRT_GLOBAL float *out,
                       scanrt_state state) {
  SCANRT_SHARED scanrt_scratch scratch;
  const scanrt_device_u32 ticket = scanrt_ticket(state, &scratch);
  const scanrt_device_u32 i = ticket * SCANRT_GROUP_ITEMS + SCANRT_ITEM(), keeps = i < n && x[i] > 0;
  const scanrt_place at = scanrt_allocate(state, ticket, keeps, &scratch);
  if (keeps && at.is_valid) out[at.first] = x[i];
}
"""


def text(items):
    return f"#define SCANRT_GROUP_ITEMS {items}\n{scanrt.device_text()}{KERNEL}"


def check(random, items, put, empty, launch):
    """launch(x, n, out, state) runs the kernel with GROUPS work-groups, and returns a function that reads an array."""
    a = random.standard_normal(GROUPS * items - 3).astype("float32")
    x, out = put(a), empty(len(a), "float32")
    state = empty(scanrt.device_state_bytes(GROUPS) // 4, "uint32")
    scanrt.device_state_init(state, GROUPS)
    for _ in range(3):
        read = launch(x, np.uint32(len(a)), out, state)
        count = scanrt.device_state_check(state)
        assert np.array_equal(read(out)[:count], a[a > 0])
    scanrt.device_state_init(state, GROUPS - 1)
    launch(x, np.uint32(len(a)), out, state)
    with pytest.raises(scanrt.InvalidArgument, match="more work-groups than the 299"):
        scanrt.device_state_check(state)
    with pytest.raises(scanrt.InvalidArgument, match="429 work-groups take"):
        scanrt.device_state_init(state, GROUPS + 129)


@pytest.mark.opencl
@pytest.mark.parametrize("items", [1, 64])
def test_kernels_of_pyopencl(random, items):
    cl = pytest.importorskip("pyopencl")
    side = PyopenclSide()
    kernel = cl.Program(side.context, text(items)).build().positive

    def launch(x, n, out, state):
        kernel(side.queue, (GROUPS * items,), (items,), x.data, n, out.data, state.data)
        return side.get

    check(random, items, side.put, side.empty, launch)


@pytest.mark.gpu
@pytest.mark.parametrize("items", [32, 256])
def test_kernels_of_cupy(random, items):
    cupy = pytest.importorskip("cupy")
    kernel = cupy.RawModule(code=text(items), options=("-std=c++17",)).get_function("positive")

    def launch(x, n, out, state):
        kernel((GROUPS,), (items,), (x, n, out, state))
        return cupy.asnumpy

    check(random, items, cupy.asarray, cupy.empty, launch)


def test_arguments():
    assert "SCANRT_DEFINE_GROUP" in scanrt.device_text("scanrt/device/group.h")
    assert scanrt.device_state_bytes(128, 4) == 64 + 129 * 8 + 8
    with pytest.raises(scanrt.InvalidArgument, match="no header"):
        scanrt.device_text("scanrt/scan.h")
    with pytest.raises(scanrt.InvalidArgument, match="at least 1"):
        scanrt.device_state_bytes(0)
    with pytest.raises(scanrt.InvalidArgument, match="host memory"):
        scanrt.device_state_init(np.zeros(100, "uint32"), 3)
