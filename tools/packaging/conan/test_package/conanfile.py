# SPDX-License-Identifier: BSD-2-Clause
"""Builds an example with the package by find_package, and runs it and the tool on the host."""

import io
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class ScanrtTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "CMakeDeps", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str, run=True)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        os.environ["SCANRT_DEVICE"] = "host"
        words = io.StringIO()
        self.run(os.path.join(self.cpp.build.bindir, "minimal"), stdout=words, env="conanrun")
        assert "row 7 begins at 25" in words.getvalue(), words.getvalue()
        if self.dependencies["scanrt"].options.tools:
            self.run("scanrt verify --quick --quiet --device host --type i32 --kind inclusive", env="conanrun")
