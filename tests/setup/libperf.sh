#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build libperf from Debian's linux-source package, for systems that have no libperf of their own.
#
#   libperf.sh DIR      leaves DIR/include/perf/*.h, DIR/lib/libperf.a and DIR/lib/libapi.a
set -eu

mkdir -p "$1"
directory=$(cd "$1" && pwd)
archive=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
if [ -z "$archive" ]; then
	echo "dtprof: no libperf known to pkg-config and no /usr/src/linux-source-*.tar.xz to build it from;" >&2
	echo "dtprof: on Debian: apt-get install linux-source-6.1" >&2
	exit 1
fi

version=$(basename "$archive" .tar.xz)
rm -rf "$directory/source" "$directory/object" "$directory/include" "$directory/lib"
mkdir -p "$directory/source" "$directory/object" "$directory/lib"
echo "  LIBPERF $archive"
tar -C "$directory/source" -xf "$archive" --strip-components=1 \
	"$version/tools/lib" "$version/tools/build" "$version/tools/scripts" "$version/tools/include" \
	"$version/tools/arch" "$version/scripts"

# Our own make's variables (CFLAGS on its command line) must not reach the kernel's makefiles.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL CFLAGS CPPFLAGS LDFLAGS LDLIBS PREFIX prefix DESTDIR O BUILD V ||:
# The kernel's names of the machine that CC compiles for; the build's own tools run here.
compiler=${CC:-gcc}
target=$($compiler -dumpmachine)
case $target in
aarch64*) machine=arm64 ;;
x86_64*) machine=x86 ;;
*) machine=${target%%-*} ;;
esac
binutils=
command -v "$target-ld" >/dev/null 2>&1 && binutils=$target-
if ! make -C "$directory/source/tools/lib/perf" O="$directory/object" prefix="$directory" \
	ARCH="$machine" CROSS_COMPILE="$binutils" CC="$compiler" LD="${binutils}ld" AR="${binutils}ar" HOSTCC=gcc install_lib install_headers install_pkgconfig \
	>"$directory/log" 2>&1; then
	cat "$directory/log" >&2
	exit 1
fi
cp $(find "$directory/object" -name libapi.a) "$directory/object/libperf.a" "$directory/lib/"
rm -rf "$directory/source" "$directory/object" "$directory/lib64"
