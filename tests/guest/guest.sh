#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs dtprof and perf in virtual machines that have the PMUs of real ones, and compares what they opened and recorded:
#
#   guest.sh DTPROF FOLDER PERF PERF_ROOT [MACHINE...]
#
# DTPROF is the program; FOLDER keeps the downloads, the module and each machine's results (MACHINE/TOOL.CASE.data, .log);
# PERF is perf's program, an ELF file, in PERF_ROOT if that is not "". Without a MACHINE all of machines.txt run, JOBS at a
# time. Packages come from the archive that apt knows, and are unpacked in FOLDER: nothing is installed.
#
# CASES has the names of the cases to run, with commas between them; all run without it.
#
# RELEASE is another kernel of Debian than 6.1's, as 7.2.13+deb14-cloud-amd64. It needs tools of its own time, so the module is
# built in PERF_ROOT, which then has gcc, make and FOLDER at the same place as here; APT_CONFIG may name a configuration with its
# archive.
set -u -o pipefail

dtprof=$(realpath "$1") folder=$(realpath -m "$2") perf=$3 perf_root=${4:-/}
shift 4
here=$(cd "$(dirname "$0")" && pwd)
release=${RELEASE:-6.1.0-56-cloud-amd64}
base=${release%-cloud-amd64}

fail() {
	echo "guest: $*" >&2
	exit 1
}

# Runs a command in a root.
inside() {
	if [ "$1" = / ]; then "${@:2}"; else chroot "$@"; fi
}

[ -n "$perf" ] && [ "$(head -c 4 "$perf_root/$perf" | tail -c 3)" = ELF ] ||
	fail "PERF=$perf is no ELF file (a script that starts another perf cannot be copied into the guest)"
for tool in qemu-system-x86_64 cpio gcc-12 make apt-get; do
	command -v $tool >/dev/null || fail "$tool is missing"
done

# ---- the kernel, its headers and a shell

packages="linux-headers-$release linux-headers-$base-common busybox-static"
case $release in
6.1.*) packages+=" linux-image-$release linux-kbuild-6.1" builder=/ ;;
*) packages+=" linux-binary-$release linux-modules-$release linux-kbuild-$base" builder=$perf_root ;;
esac
root=$folder/root.$release
headers=$root/usr/src/linux-headers-$release
if [ ! -e "$root/complete" ]; then
	rm -rf "$root" "$folder/packages" && mkdir -p "$root" "$folder/packages" || exit 1
	(cd "$folder/packages" && apt-get -q -o APT::Sandbox::User=root download $packages) || fail "no packages: apt-get update?"
	for package in "$folder"/packages/*.deb; do
		dpkg-deb -x "$package" "$root" || fail "cannot unpack $package"
	done
	# The headers name each other by the place where they would be installed; the module needs no BTF.
	sed -i "s,/usr/src,$root/usr/src," "$headers/Makefile"
	rm -f "$headers/vmlinux"
	touch "$root/complete"
fi
kernel=$(ls "$root/boot/vmlinuz-$release" "$root/usr/lib/modules/$release/vmlinuz" 2>/dev/null | head -1)

# ---- the module and the programs to record

module=$folder/module.$release
mkdir -p "$module" "$folder/programs"
cp -u "$here"/{pmus.c,machines.h,access.h,Kbuild} "$module/" || exit 1
inside "$builder" make -s -C "$headers" M="$module" modules >"$module/log" 2>&1 ||
	{ tail -20 "$module/log"; fail "the module does not build"; }
gcc -O2 -g -fno-move-loop-stores -pthread -o "$folder/programs/sharing" "$here/../workloads/sharing.c" -lm || exit 1
gcc -O2 -g -o "$folder/programs/field_heat" "$here/../workloads/field_heat.c" || exit 1

# ---- the guest's files

# Copies a program of the root $2 and its libraries to the folder $3 of the guest, and writes a command of the name $4.
add_program() {
	local program=$1 from=$2 place=$3 name=$4 library

	mkdir -p "$image/$place"
	strip -o "$image/$place/$name" "$from/$program"
	"$here/../support/libraries.sh" "$program" "$from" | while read -r library; do cp -L "$from/$library" "$image/$place/"; done
	printf '#!/bin/sh\nexec /%s/ld-linux-x86-64.so.2 --library-path /%s /%s/%s "$@"\n' $place $place $place $name \
		>"$image/bin/$name"
	chmod 755 "$image/bin/$name"
}

image=$folder/image
rm -rf "$image" && mkdir -p "$image"/{bin,proc,sys,dev,tmp,etc,lib/modules,programs} || exit 1
cp "$root/bin/busybox" "$image/bin/" 2>/dev/null || cp "$root/usr/bin/busybox" "$image/bin/" || exit 1
cp "$here/init" "$here/cases" "$image/" && chmod 755 "$image/init"
printf 'root:x:0:0::/:/bin/sh\nsomebody:x:1000:1000::/tmp:/bin/sh\n' >"$image/etc/passwd"
for name in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
	find "$root" -name "$name.ko" -exec cp {} "$image/lib/modules/" \;
	find "$root" -name "$name.ko.xz" -exec cp {} "$image/lib/modules/" \;
done
find "$image/lib/modules" -name '*.xz' -exec xz -d {} +
strip --strip-debug -o "$image/lib/modules/pmus.ko" "$module/pmus.ko"
cp "$folder"/programs/* "$image/programs/"
for library in $(ldd "$folder/programs/sharing" | grep -o '/[^ ]*'); do
	mkdir -p "$image/$(dirname "$library")" && cp -L "$library" "$image/$library"
done
add_program "$dtprof" / dtprof.d dtprof
add_program "$perf" "$perf_root" perf.d perf
(cd "$image" && find . | cpio --quiet -o -H newc) >"$folder/initramfs" || exit 1

# ---- the machines

run_machine() {
	local machine=$1 processor=$2 start=$SECONDS
	local results=$folder/$machine

	rm -rf "$results" && mkdir -p "$results" && truncate -s 256M "$results/disk" || return 1
	timeout 1800 qemu-system-x86_64 -accel tcg,thread=multi -nodefaults -display none -no-reboot -m 1536 -smp 4 \
		-cpu "qemu64,$processor" -kernel "$kernel" -initrd "$folder/initramfs" -serial "file:$results/console" \
		-drive "file=$results/disk,format=raw,if=virtio" \
		-append "console=ttyS0 quiet panic=-1 nokaslr no_timer_check tsc=reliable mitigations=off guest.machine=$machine guest.cases=${CASES:-}" \
		</dev/null
	tar -C "$results" -xf "$results/disk" 2>/dev/null
	rm -f "$results/disk"
	[ -e "$results/files" ] || { tail -40 "$results/console"; echo "guest: $machine left nothing (above: its console)"; }
	echo "guest: $machine ran for $((SECONDS - start)) s"
}

machines=$(grep -v '^#' "$here/machines.txt")
[ $# -eq 0 ] || machines=$(grep -E "^($(IFS='|'; echo "$*"))[[:space:]]" <<<"$machines") || fail "no such machine"
while read -r machine processor; do
	run_machine "$machine" "$processor" &
	while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n; done
done <<<"$machines"
wait
"$here/compare.py" "$folder" $(cut -f1 <<<"$machines")
