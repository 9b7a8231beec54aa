#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Answers CMake's queries of an nvcc; compiles nothing.
case $1 in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88" ;;
  --list-gpu-code) printf 'sm_%s\n' 75 80 86 90 100 120 ;;
  *) exit 1 ;;
esac
