#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: render.py RECIPE VERSION
Renders a recipe by rattler-build, for each of conda-forge's Linux platforms with its compilers and Pythons, and checks
that the outputs and their versions are those expected."""

import sys

import rattler_build as rattler

VARIANTS = {
    "c_compiler": ["gcc"],
    "c_compiler_version": ["14"],
    "c_stdlib": ["sysroot"],
    "c_stdlib_version": ["2.28"],
    "python": ["3.10.* *_cpython", "3.13.* *_cp313"],
}


def main(path, version):
    recipe = rattler.Stage0Recipe.from_file(path)
    for platform in ("linux-64", "linux-aarch64"):
        config = rattler.RenderConfig(platform=rattler.PlatformConfig(target_platform=platform))
        rendered = recipe.render(rattler.VariantConfig(VARIANTS), config)
        outputs = sorted({(str(one.recipe.package.name), str(one.recipe.package.version)) for one in rendered})
        if outputs != [("libscanrt", version), ("scanrt", version)]:
            sys.exit(f"{path}: for {platform} the outputs are {outputs}, not libscanrt and scanrt {version}")
        print(f"conda: {platform}: {len(rendered)} packages rendered")


if __name__ == "__main__":
    main(*sys.argv[1:])
