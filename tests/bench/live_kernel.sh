#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The running kernel as `dtprof report` reads it (/proc/kcore, /sys/kernel/btf, /proc/kallsyms), where the one of this machine
# has none of these: boots KERNEL in qemu, records it there, and checks the output.
#
#   KERNEL=bzImage DTPROF=program tests/bench/live_kernel.sh
#
# The image is one of a distribution, with BTF and a serial console (Debian: /boot/vmlinuz-RELEASE). Needs qemu-system-x86_64 and a
# static busybox; ACCEL=tcg where KVM does not run it (some two minutes then, else seconds). LIMIT: seconds until it is
# given up. Exit status: how many of the checks failed.
set -u
export LC_ALL=C

: "${DTPROF:=build/dtprof}" "${ACCEL:=kvm:tcg}" "${LIMIT:=900}" "${BUSYBOX:=/bin/busybox}"
if [ ! -r "${KERNEL:-}" ] || ! command -v qemu-system-x86_64 >/dev/null || [ ! -x "$BUSYBOX" ]; then
	echo "live_kernel: skipped: it needs KERNEL=bzImage, qemu-system-x86_64 and a static busybox"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# ---- the script in the machine: it prints a part for each check, between lines of "== NAME"

root=$work/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp,lib64,etc}
chmod 755 "$root"
cp "$BUSYBOX" "$root/bin/busybox"
cp "$DTPROF" "$root/bin/dtprof"
"$(dirname "$0")/../support/libraries.sh" "$DTPROF" | while read -r library; do
	mkdir -p "$root/$(dirname "$library")"
	cp -L "$library" "$root/$library"
done
echo 'user:x:1000:1000::/tmp:/bin/sh' >"$root/etc/passwd"
# through a pipe: no pager, no progress
cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox sh /job 2>&1 | /bin/busybox cat
/bin/busybox poweroff -f
END
cat >"$root/job" <<'END'
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
chmod 1777 /tmp
(while :; do find / >/dev/null; dd if=/dev/zero of=/tmp/zero bs=64k count=200; sync; done >/dev/null 2>&1) &
load=$!
echo; echo "== record" # what the firmware wrote ends without a newline
dtprof record -a -e cpu-clock -F 2000 -o /tmp/data -- sleep 8
chmod 644 /tmp/data
kill $load
echo "== root"
dtprof report -i /tmp/data -s type --stdio
echo "== symbols"
dtprof report -i /tmp/data -s sym --stdio | head -n 30
echo "== user"
su user -c "dtprof report -v -f -i /tmp/data -s type --stdio"
echo 2 >/proc/sys/kernel/kptr_restrict
echo "== hidden"
dtprof report -i /tmp/data -s type --stdio
echo "== recorded hidden"
dtprof record -a -e cpu-clock -o /tmp/hidden -- sleep 1
dtprof report -v -i /tmp/hidden -s sym --stdio
echo 0 >/proc/sys/kernel/kptr_restrict
echo "== processors"
dtprof record -a -e cpu-clock -o /tmp/processors -- sleep 20 & record=$!
while [ ! -s /tmp/processors ]; do sleep 1; done
sleep 3
echo 0 >/sys/devices/system/cpu/cpu1/online; sleep 3; echo 1 >/sys/devices/system/cpu/cpu1/online
wait $record
echo "== interrupt"
timeout -s INT 30 dtprof record -a -e cpu-clock -o /tmp/interrupted
echo "status $?"
echo "== end"
END
chmod 755 "$root/init"
(cd "$root" && find . | "$BUSYBOX" cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd" || exit 1

timeout "$LIMIT" qemu-system-x86_64 -machine accel="$ACCEL" -cpu max -smp 2 -m 1500 -nographic -no-reboot -net none \
	-kernel "$KERNEL" -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1 no_timer_check ${APPEND:-}" </dev/null >"$work/all" 2>&1
tr -d '\r' <"$work/all" >"$work/console"

# ---- what was said

failed=0
part() { sed -n "/^== $1\$/,/^== /p" "$work/console"; }
says() { # PART TEXT...: each of the texts is in it
	local name=$1 text
	shift
	for text; do
		if part "$name" | grep -q -e "$text"; then
			echo "ok      $name: $text"
		else
			echo "NOT OK  $name: $text"
			failed=$((failed + 1))
		fi
	done
}

says record 'Captured and wrote'
says root 'Types of \[kernel.kallsyms\]: \[btf\] .*, code /proc/kcore, symbols /proc/kallsyms' '% *struct '
says symbols '\[k\] [a-z_]'
says user 'for types its code alone is missing'
says hidden 'kernel.kptr_restrict'
says 'recorded hidden' 'the kernel hides its addresses' 'no map of the kernel'
says processors 'CPU 1 went offline' 'CPU 1 came online' 'Captured and wrote'
says interrupt 'Captured and wrote' 'status 130'
part root | grep -E '^# Samples: .*memory accesses' || tail -n 5 "$work/console"
[ $failed -eq 0 ] || [ -z "${KEEP:-}" ] || cp "$work/console" "$KEEP"
exit $failed
