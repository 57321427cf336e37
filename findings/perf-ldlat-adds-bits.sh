#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf 6.1 (and 7.2) ask for another latency than --ldlat gives: the bits of the kernel's own 3 stay in it.
#
# Guess: a term that is given beside an event of sysfs replaces the one in the event's description: with ldlat=3 in
#        events/mem-loads, "cpu/mem-loads,ldlat=4/" records loads of 4 cycles and more.
# Seen:  perf sets the bits of the value and clears none (pmu_format_value() without "zero"): 4 becomes 7, the default of perf mem
#        and perf c2c, 30, becomes 31, and 128 becomes 131. The event keeps the name that was asked for, also in the file.
#        It is so for every term that an event of sysfs has already, as in cpu/mem-loads,umask=.../.
#
# Installs Debian 12's linux-perf in a temporary folder, with a tree of sysfs that names an Intel CPU's events as Linux does
# (arch/x86/events/intel/core.c: mem_ld_hsw). The processor need not have the event: what is asked for is printed before. Exits 0
# as long as this is so.
set -euo pipefail

version=6.1.192-3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download "linux-perf=$version" libbabeltrace1 libcap2 libcrypt1 libdw1 libelf1 libexpat1 libglib2.0-0 libnuma1 \
	libopencsd1 libpcre2-8-0 libperl5.36 libpython3.11 libslang2 libstdc++6 libunwind8 libuuid1 libzstd1 liblzma5 libbz2-1.0 zlib1g
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu

cpu=sys/bus/event_source/devices/cpu
mkdir -p $cpu/{format,events,caps}
echo 4 >$cpu/type
echo config:0-7 >$cpu/format/event
echo config:8-15 >$cpu/format/umask
echo config1:0-15 >$cpu/format/ldlat
echo event=0xcd,umask=0x1,ldlat=3 >$cpu/events/mem-loads
echo 3 >$cpu/caps/max_precise

perf=$(echo root/usr/bin/perf*)
"$perf" version
for latency in 4 30 128; do
	SYSFS_PATH=$folder/sys "$perf" record -vv -e "cpu/mem-loads,ldlat=$latency/" -o perf.data true >log 2>&1 || true
	echo "ldlat=$latency: config1 $(($(sed -n 's/.*config1 } *//p' log | head -1)))"
done | tee seen
grep -q '^ldlat=4: config1 7$' seen && grep -q '^ldlat=30: config1 31$' seen && grep -q '^ldlat=128: config1 131$' seen
