# SPDX-License-Identifier: BSD-2-Clause
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Scanrt(CMakePackage, CudaPackage):
    """Prefix scans, stream compaction, run-length encoding, reduction by key, sorts and splits
    through one C API on CUDA and OpenCL devices and on the threads of the host, with the same
    bits everywhere. Drivers are opened at run time: a package with cuda and opencl also runs
    where there is neither."""

    homepage = "https://scanrt.example.org"

    git = "https://scanrt.example.org/scanrt.git"

    # For test_minimal.
    test_requires_compiler = True

    license("BSD-2-Clause", checked_by="scanrt authors")

    version("main", branch="main")

    variant("opencl", default=True, description="Build the OpenCL backend")
    variant("mpi", default=False, description="Build libscanrt_mpi, scans over the ranks of MPI")
    variant("fortran", default=False, description="Build the Fortran modules")
    variant("python", default=False, description="Install the Python package")
    variant("shared", default=True, description="Build the shared library beside the static one")
    variant("tools", default=True, description="Build the program scanrt, and its manual pages")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")

    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="test")
    depends_on("cmocka", type="test")

    # nvcc compiles kernels at build time; at run time only the driver is needed.
    depends_on("cuda@11.8:", type="build", when="+cuda")
    depends_on("opencl-c-headers", type="build", when="+opencl")
    depends_on("mpi", when="+mpi")

    with when("+python"):
        extends("python@3.9:")
        depends_on("py-scikit-build-core@0.10:", type="build")
        depends_on("py-pip", type="build")
        depends_on("py-numpy@1.22:", type=("build", "run"))

    # The Python package loads the shared library.
    conflicts("~shared", when="+python")
    # Kernels are compiled for compute capability 7.5 and later.
    for _arch in CudaPackage.cuda_arch_values:
        if int("".join(filter(str.isdigit, _arch))) < 75:
            conflicts(f"cuda_arch={_arch}", when="+cuda", msg="scanrt needs cuda_arch 75 or later")

    def cuda_archs(self):
        """SCANRT_CUDA_ARCHS for the variant cuda_arch: numbers only, or all."""
        archs = [arch for arch in self.spec.variants["cuda_arch"].value if arch != "none"]
        digits = sorted({int("".join(filter(str.isdigit, arch))) for arch in archs})
        return ";".join(str(number) for number in digits) or "all"

    def setup_build_environment(self, env):
        # Builds images from this package's sources instead of taking them from the user's cache.
        env.set("SCANRT_IMAGE_CACHE", "off")

    def cmake_args(self):
        args = [
            self.define("SCANRT_BUILD_TESTS", self.run_tests),
            self.define("SCANRT_BUILD_PEERS", False),
            self.define("SCANRT_BENCH_NATIVE", False),
            self.define("SCANRT_CCACHE", False),
            self.define_from_variant("SCANRT_BUILD_TOOLS", "tools"),
            self.define_from_variant("SCANRT_SHARED", "shared"),
            self.define_from_variant("SCANRT_CUDA", "cuda"),
            self.define_from_variant("SCANRT_OPENCL", "opencl"),
            self.define_from_variant("SCANRT_BUILD_MPI", "mpi"),
            self.define_from_variant("SCANRT_FORTRAN", "fortran"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("SCANRT_CUDA_ARCHS", self.cuda_archs()))
        if self.spec.satisfies("+opencl"):
            args.append(
                self.define("SCANRT_CL_INCLUDE", self.spec["opencl-c-headers"].prefix.include)
            )
        return args

    @run_after("install", when="+python")
    def install_python(self):
        """Installs the Python package with the library just installed."""
        library = find_libraries("libscanrt", self.prefix, shared=True, recursive=True)
        with working_dir(self.stage.source_path):
            pip = Executable(self.spec["python"].command.path)
            pip.add_default_arg("-m", "pip")
            pip(
                "install",
                "--no-deps",
                "--no-build-isolation",
                f"--prefix={self.prefix}",
                f"--config-settings=cmake.define.SCANRT_LIBRARY={library[0]}",
                ".",
            )

    @run_after("install")
    def keep_example(self):
        """Keeps the example that test_minimal compiles."""
        cache_extra_test_sources(self, [join_path("tools", "examples", "minimal.c")])

    def test_scan(self):
        """scanrt run adds up 1 to 4 on the host"""
        if self.spec.satisfies("~tools"):
            raise SkipTest("there is no program scanrt without the variant tools")
        with open("numbers.txt", "w", encoding="utf-8") as numbers:
            numbers.write("1\n2\n3\n4\n")
        scanrt = Executable(self.prefix.bin.scanrt)
        words = scanrt("run", "--device", "host", "--type", "i32", "numbers.txt", output=str.split)
        assert words.split() == ["1", "3", "6", "10"]

    def test_minimal(self):
        """a program of the application's links the library and runs"""
        source = self.test_suite.current_test_cache_dir.tools.examples.join("minimal.c")
        library = find_libraries(
            "libscanrt", self.prefix, shared="+shared" in self.spec, recursive=True
        )
        cc = Executable(self["c"].cc)
        cc(
            source,
            f"-I{self.prefix.include}",
            "-o",
            "minimal",
            library[0],
            f"-Wl,-rpath,{os.path.dirname(library[0])}",
            "-pthread",
            "-ldl",
            "-lm",
        )
        minimal = Executable("./minimal")
        words = minimal(output=str.split, env={**os.environ, "SCANRT_DEVICE": "host"})
        assert "row 7 begins at 25" in words
