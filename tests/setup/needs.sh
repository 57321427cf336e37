#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lists what dtprof needs from the system, one thing in a line, and what is missing.
#
#   needs.sh PURPOSE              list what is missing and say how to get it; exit 1 if anything is
#   needs.sh PURPOSE --install    say what is missing and why, and what is to be loaded; then install it with apt-get
#
# PURPOSE: build, check, demo, bench, damage, inject, guest, lint, fuzz. CC and BUILD are taken from the environment.
set -u

purpose=${1:?purpose}
install=${2:-}
CC=${CC:-gcc}
BUILD=${BUILD:-build}

# purposes | probe | Debian package | what for
# In probes: program NAME, module NAME (pkg-config), library FILE, header FILE, or a function of this file.
needs() {
	cat <<-'END'
	all      | compiler            | gcc               | the C compiler
	all      | header stdlib.h     | libc6-dev         | the C library's headers
	all      | program pkg-config  | pkg-config        | finds the libraries below
	all      | module libelf       | libelf-dev        | reads ELF objects and their symbols
	all      | module libdw        | libdw-dev         | reads DWARF debug information
	all      | module libbpf       | libbpf-dev        | writes BTF, the type information of kernels
	all      | module capstone     | libcapstone-dev   | decodes machine instructions
	all      | module libtraceevent | libtraceevent-dev | reads descriptions of tracepoints
	all      | module libzstd      | libzstd-dev       | reads compressed records and debug information
	all      | module zlib         | zlib1g-dev        | unpacks boot images and kernel modules (gzip), packs HTML pages
	all      | module liblzma      | liblzma-dev       | the same, for xz
	all      | module libprotobuf-c | libprotobuf-c-dev | writes profiles for pprof
	all      | module ncursesw     | libncurses-dev    | shows the browser of report and annotate at a terminal
	all      | module sqlite3      | libsqlite3-dev    | keeps what many recordings tell (dtprof store)
	all      | header archive.h    | libarchive-dev    | packs and unpacks archives of recordings (loaded when needed)
	all      | program protoc-c    | protobuf-c-compiler | makes the code of these messages from report/export/profile.proto
	all      | demangler           | libiberty-dev     | names of C++ and Rust functions
	all      | libperf_source      | linux-source      | libperf, which opens and reads perf events, is built from it
	all      | unpacker            | xz-utils          | unpacks linux-source
	check    | module cmocka       | libcmocka-dev     | runs the tests
	check    | program clang       | clang             | the tests profile programs of both compilers
	check    | program g++         | g++               | the tests profile C++ programs, too
	check    | plugin_headers      | gcc-plugin-dev    | the tests build the plugin that records what gcc knows of accesses
	check    | program mandoc      | mandoc            | the tests render the man pages
	check    | program tmux        | tmux              | the tests press the browser's keys in it
	check    | program zstd        | zstd              | the tests pack archives with it
	check    | program patch       | patch             | the tests apply the patches of layouts
	check    | program gfortran    | gfortran          | the tests profile a program in Fortran
	check    | program ld.lld      | lld               | the tests link programs with lld, which folds functions
	check    | library libdebuginfod.so.1 | libdebuginfod1 | the tests fetch debug information with it
	check    | program pahole      | pahole            | its BTF is compared with that of the tests
	check    | program python3     | python3           | a test of bitfields compares with a model in it
	inject   | program gcc         | gcc               | builds the program that is recorded
	inject   | program python3     | python3           | runs dtprof with each fault
	inject   | program strace      | strace            | makes system calls fail
	guest    | program qemu-system-x86_64 | qemu-system-x86 | is the machine
	guest    | program gcc-12      | gcc-12            | compiles the module for Debian's kernel
	guest    | program cpio        | cpio              | packs the guest's files
	guest    | program python3     | python3           | compares what was recorded
	lint     | program clang-tidy  | clang-tidy        | checks the sources
	lint     | program cppcheck    | cppcheck          | checks the sources
	lint     | program clang-format | clang-format     | checks their layout
	fuzz     | program clang       | clang             | its libFuzzer drives the fuzz targets
	fuzz     | fuzzer_runtime      | libclang-rt-14-dev | libFuzzer and the sanitizers for clang
	END
}

program() { command -v "$1" >/dev/null 2>&1; }
compiler() { program "${CC%% *}"; }
module() { pkg-config --exists "$1" 2>/dev/null; }
library() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "$1"; }
header() { echo "#include <$1>" | $CC -E -xc - >/dev/null 2>&1; }
demangler() { header libiberty/demangle.h || header demangle.h; }
libperf_source() {
	module libperf || [ -f "$BUILD/libperf/lib/libperf.a" ] || ls /usr/src/linux-source-*.tar.xz >/dev/null 2>&1
}
unpacker() { module libperf || [ -f "$BUILD/libperf/lib/libperf.a" ] || program xz; }
plugin_headers() { [ -f "$(gcc -print-file-name=plugin 2>/dev/null)/include/gcc-plugin.h" ]; }
# The version of gcc, or of the one that is to be installed.
gcc_version() {
	if program gcc; then
		gcc -dumpversion | cut -d. -f1
	else
		apt-cache depends gcc 2>/dev/null | sed -n 's/^ *Depends: gcc-\([0-9]*\)$/\1/p' | head -1
	fi
}
fuzzer_runtime() {
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
		clang -fsanitize=fuzzer,address -xc - -o /dev/null 2>/dev/null
}

# linux-source-6.1 is what libperf is tested with; other releases of Debian have one of their own.
package_name() {
	case $1/$CC in
	linux-source/*) apt-cache show linux-source-6.1 >/dev/null 2>&1 && echo linux-source-6.1 || echo linux-source ;;
	libdebuginfod1/*) apt-cache show libdebuginfod1t64 >/dev/null 2>&1 && echo libdebuginfod1t64 || echo libdebuginfod1 ;;
	gcc-plugin-dev/*) echo "gcc-$(gcc_version)-plugin-dev" ;;
	gcc/*clang*) echo clang ;;
	*) echo "$1" ;;
	esac
}

# Lines "package | what for" of all that is missing.
missing() {
	needs | while IFS='|' read -r purposes probe package reason; do
		case $(echo $purposes) in
		all | "$purpose") ;;
		*) continue ;;
		esac
		$probe || echo "$(package_name $package) |$reason"
	done
}

list=$(missing)
[ -n "$list" ] || exit 0
packages=$(echo "$list" | cut -d'|' -f1 | sort -u | tr -d ' ' | tr '\n' ' ' | sed 's/ $//')

show() {
	echo "$list" | while IFS='|' read -r package reason; do
		printf '    %-20s %s\n' "$package" "${reason# }"
	done
}

for_purpose="\`make $purpose\`"
[ "$purpose" != build ] || for_purpose="the build"
if [ "$install" != --install ]; then
	{
		echo "dtprof: $for_purpose needs these packages (Debian's names), which are missing:"
		show
		echo "Install them with: apt-get install --no-install-recommends $packages"
		echo "(\`make demo\` and \`make check\` do so by themselves, unless INSTALL=no is given.)"
	} >&2
	exit 1
fi

echo "dtprof: $for_purpose needs these Debian packages, which are not installed yet:"
show
if ! program apt-get; then
	echo "There is no apt-get here: install what gives these on this system, then run make again." >&2
	exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
	root=
elif program sudo; then
	root=sudo
else
	echo "Only root can install them, and there is no sudo. As root, run:" >&2
	echo "    apt-get update && apt-get install --no-install-recommends $packages" >&2
	exit 1
fi
echo "They are installed by apt-get $([ -n "$root" ] && echo through sudo || echo as root), whose messages are in $BUILD/apt.log (INSTALL=no only names them)."
mkdir -p "$BUILD"
apt="$root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0"
$apt update >"$BUILD/apt.log" 2>&1 || echo "dtprof: apt-get update failed; trying with the package lists that are there" >&2
# After the update the lists may know a better name for linux-source.
packages=$(missing | cut -d'|' -f1 | sort -u | tr -d ' ' | tr '\n' ' ' | sed 's/ $//')
# "Need to get 208 MB of archives. After this operation, 418 MB of additional disk space will be used."
$apt install --assume-no --no-install-recommends $packages 2>&1 | grep -E '^(Need to get|After this operation)'
echo "Installing: ${root:+$root }apt-get install --no-install-recommends $packages"
if ! $apt install -y --no-install-recommends $packages >>"$BUILD/apt.log" 2>&1; then
	tail -n 5 "$BUILD/apt.log" >&2
	echo "dtprof: apt-get could not install all of: $packages" >&2
	exit 1
fi
list=$(missing)
if [ -n "$list" ]; then
	echo "dtprof: installed, but still not found:" >&2
	show >&2
	exit 1
fi
