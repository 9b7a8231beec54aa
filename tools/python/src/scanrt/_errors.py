# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions: one for each status of the library, with the library's message."""

from . import _structs as c


class ScanError(RuntimeError):
    """A call failed. `status` is the number of scan_types.h, `status_name` its name."""

    status = c.DEVICE_ERROR

    @property
    def status_name(self) -> str:
        return _NAMES[self.status]


class InvalidArgument(ScanError, ValueError):
    """An argument is invalid; nothing was launched or written."""

    status = c.INVALID_ARGUMENT


class GradientRequired(InvalidArgument):
    """A tensor requires a gradient, which scanrt.torch may have."""


class Unsupported(ScanError, NotImplementedError):
    """The call is valid, but this device or build does not support it; nothing was launched."""

    status = c.UNSUPPORTED


class NoDevice(ScanError):
    """No device matches, or it was lost."""

    status = c.NO_DEVICE


class OutOfMemory(ScanError, MemoryError):
    """Host or device memory ran out."""

    status = c.OUT_OF_MEMORY


class BuildFailed(ScanError):
    """A kernel or an operator from source did not compile; the message has the compiler's output."""

    status = c.BUILD_FAILED


class DeviceError(ScanError):
    """The driver reported a failure."""

    status = c.DEVICE_ERROR


class NoProgress(ScanError):
    """A look-back made no progress; the output is unspecified. Scan again: later scans use another strategy."""

    status = c.NO_PROGRESS


class Cancelled(ScanError):
    """The progress function of scan_stream asked to stop. The output holds the results so far."""

    status = c.CANCELLED


class Overflow(ScanError, OverflowError):
    """A scan with check_overflow=True met a result that overflows its type. The output is complete, but wrapped around
    from element `index` on: to the end, or with reverse=True to the begin. For an array of several axes `index` counts
    elements in C order."""

    status = c.OVERFLOW
    index = 0


_CLASSES = {cls.status: cls for cls in ScanError.__subclasses__()}
_NAMES = {
    c.INVALID_ARGUMENT: "SCAN_INVALID_ARGUMENT",
    c.UNSUPPORTED: "SCAN_UNSUPPORTED",
    c.NO_DEVICE: "SCAN_NO_DEVICE",
    c.OUT_OF_MEMORY: "SCAN_OUT_OF_MEMORY",
    c.BUILD_FAILED: "SCAN_BUILD_FAILED",
    c.DEVICE_ERROR: "SCAN_DEVICE_ERROR",
    c.NO_PROGRESS: "SCAN_NO_PROGRESS",
    c.CANCELLED: "SCAN_CANCELLED",
    c.OVERFLOW: "SCAN_OVERFLOW",
}


def error_of(status: int, words: str) -> ScanError:
    return _CLASSES.get(status, ScanError)(words)
