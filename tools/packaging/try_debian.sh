#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/try_debian.sh PACKAGES [WHEEL README]
# Installs the packages in the folder PACKAGES by apt on a fresh Debian 12, uses them (use_debian.sh), and removes them.
# Installs WHEEL by pip beside Debian's NumPy, and runs the Python lines of README (its blocks ```python). mmdebstrap
# makes the system in a temporary folder, 300 MB from a Debian mirror: $SCANRT_DEBIAN_MIRROR, or mmdebstrap's choice;
# $SCANRT_DEBIAN_SUITE names another release. Run it as root, or as a user who may create namespaces. Exits 77 (skipped)
# without mmdebstrap, or if no mirror answers.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=$(cd "${1:?usage: $0 PACKAGES [WHEEL README]}" && pwd)
wheel=${2-} readme=${3-}
command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is missing"; exit 77; }

suite=${SCANRT_DEBIAN_SUITE:-bookworm}
mirror=(${SCANRT_DEBIAN_MIRROR:+"$SCANRT_DEBIAN_MIRROR"})
mmdebstrap --quiet --simulate --variant=apt --format=null "$suite" - "${mirror[@]}" >/dev/null ||
  { echo "skipped: mmdebstrap finds no mirror of $suite, or may not make a system here"; exit 77; }

given=$(mktemp -d)
trap 'rm -rf "$given"' EXIT
chmod 755 "$given"
cp -r "$packages"/*.deb "$here/use_debian.sh" "$here/../../tests/consumer" "$given/"
[ -z "$wheel" ] || cp "$wheel" "$given/"
[ -z "$readme" ] || awk '/^```python$/ { on = 1; next } /^```/ { on = 0 } on' "$readme" >"$given/readme.py"

# This script runs in the fresh system.
cat >"$given/try.sh" <<'END'
set -eu
cd /scanrt
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install --yes -q ./*.deb
ldconfig -p | grep 'libscanrt\.so\.0 '
scanrt --version
scanrt info --list
apt-get install --yes -q --no-install-recommends gcc g++ gfortran libc6-dev cmake make pkg-config binutils openmpi-bin
bash ./use_debian.sh / consumer
if [ -e readme.py ]; then
  apt-get install --yes -q --no-install-recommends python3-venv python3-numpy
  python3 -m venv --system-site-packages /venv
  /venv/bin/pip install --no-index --no-deps ./*.whl
  /venv/bin/python readme.py
  echo "Python: the lines of the README"
fi
apt-get purge --yes -q $(for deb in *.deb; do dpkg-deb --field "$deb" Package; done)
! find / -xdev -name '*scanrt*' -not -path '/scanrt*' -not -path '/venv/*' -not -path '/proc/*' | grep . || exit 1
echo "try_debian: installed, used and removed on Debian $(cat /etc/debian_version)"
END

# mmdebstrap passes $1 to the hook: the folder of the system.
# shellcheck disable=SC2016
mmdebstrap --quiet --variant=apt --format=null \
  --customize-hook='mkdir "$1/scanrt"' \
  --customize-hook="cp -r '$given/.' \"\$1/scanrt\"" \
  --customize-hook='chroot "$1" sh /scanrt/try.sh' \
  "$suite" - "${mirror[@]}"
