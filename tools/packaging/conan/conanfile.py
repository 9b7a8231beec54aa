# SPDX-License-Identifier: BSD-2-Clause
"""Conan 2's recipe. It exports the sources of the tree that it lies in: a checkout, or an unpacked source archive."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

SOURCES = [
    "CMakeLists.txt",
    "LICENSE",
    "RELEASE",
    "include/*",
    "kernels_cl/*",
    "kernels_cu/*",
    "runtime/*",
    "tools/*",
]


class Scanrt(ConanFile):
    name = "scanrt"
    package_type = "library"
    license = "BSD-2-Clause"
    homepage = "https://scanrt.example.org"
    description = "Prefix scans, compaction, reduction by key and sorts on CUDA, OpenCL and the host"
    topics = ("scan", "prefix-sum", "sort", "gpu", "cuda", "opencl")
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "cuda": [True, False],
        "cuda_archs": ["ANY"],
        "opencl": [True, False],
        "fortran": [True, False],
        "mpi": [True, False],
        "tools": [True, False],
    }
    default_options = {
        "shared": True,
        "cuda": False,
        "cuda_archs": "all",
        "opencl": True,
        "fortran": False,
        "mpi": False,
        "tools": True,
    }

    @property
    def _root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", "..", ".."))

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "scanrt", "scan_types.h"))
        parts = ("MAJOR", "MINOR", "PATCH")
        self.version = ".".join(re.search(rf"#define SCAN_VERSION_{part} (\d+)", text).group(1) for part in parts)

    def export_sources(self):
        excludes = ("*/__pycache__/*", "tools/packaging/conan/*")
        for pattern in SOURCES:
            copy(self, pattern, self._root, self.export_sources_folder, excludes=excludes)

    def configure(self):
        # Nothing of the package is compiled as C++.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")
        if not self.options.cuda:
            self.options.rm_safe("cuda_archs")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("scanrt runs on Linux")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("BUILD_TESTS", "BUILD_PEERS", "BENCH_NATIVE", "HOST_NATIVE"):
            toolchain.cache_variables[f"SCANRT_{name}"] = False
        toolchain.cache_variables["SCANRT_CCACHE"] = self.conf.get("user.scanrt:ccache", default=False, check_type=bool)
        toolchain.cache_variables["SCANRT_SHARED"] = bool(self.options.shared)
        toolchain.cache_variables["SCANRT_BUILD_TOOLS"] = bool(self.options.tools)
        for name in ("cuda", "opencl", "fortran"):
            toolchain.cache_variables[f"SCANRT_{name.upper()}"] = "ON" if self.options.get_safe(name) else "OFF"
        toolchain.cache_variables["SCANRT_BUILD_MPI"] = "ON" if self.options.mpi else "OFF"
        if self.options.cuda:
            toolchain.cache_variables["SCANRT_CUDA_ARCHS"] = str(self.options.cuda_archs)
        # The config file's folder of libraries, whatever the distribution calls its own.
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # find_package(scanrt) finds the package's own CMake files.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "scanrt")]
        self.cpp_info.set_property("pkg_config_name", "scanrt")
        self.cpp_info.libs = ["scanrt"]
        if not self.options.shared:
            self.cpp_info.defines = ["SCANRT_STATIC"]
            self.cpp_info.system_libs = ["pthread", "dl", "m"]
        if self.options.tools:
            self.runenv_info.prepend_path("PATH", os.path.join(self.package_folder, "bin"))
