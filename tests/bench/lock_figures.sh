#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures the reports on locks and on blocked time: how many names are right, and what they cost.
#
#   lock_figures.sh FOLDER [ROW...]      (all rows: speed timer user truth blocked cost load)
#
# speed    time and memory of `lock contention` and `lock report` on lock.data, against perf lock contention
# timer    spinning samples of callgraph.data whose locks have names
# user     programs that print the truth about their locks (tests/workloads/locks); SETS has other lines of "SOURCE COMPILER FLAGS"
# truth    kernel wait time with the right field, by DWARF and by BTF alone: the names are those of lockdep, in a guest
# blocked  blocked time whose object has a type, in a guest with the kernel of the recordings
# load     processor time that recorders take from a load of context switches on this machine, against perf
# cost     processor time that recorders take for 100,000 events of contention, in the same guest
#
# DTPROF is dtprof (build with -O3 for speed), SHARED the folder with the recordings, VMLINUX their kernel with DWARF. PERF is a
# command that takes perf's options for speed; PERF_FILE is perf's program, which the guest gets, in PERF_ROOT. LINUX is a tree of
# Linux's sources, configured by tests/guest/lockdep.config and built in FOLDER/linux, or built already. PACKAGE is a folder with
# Debian's linux-image of VMLINUX, unpacked. SECONDS_EACH (10) is how long a guest records. QUIET is a command before those that are
# timed. FOLDER keeps all that is made: rows can be asked for again without a new guest. Prints a line for each figure; a row that
# lacks something says what.
set -u

top=$(realpath "$(dirname "$0")/../..")
[ $# -ge 1 ] || { sed -n '5p' "$0"; exit 2; }
folder=$(realpath -m "$1")
shift
mkdir -p "$folder" || exit 1
dtprof=$(realpath "${DTPROF:-$top/build/dtprof}")
shared=$(realpath "${SHARED:-$top/../shared}")/kernel
perf_root=${PERF_ROOT:-/}
row() { printf '%-28s %s\n' "$1:" "$2"; }
need() { # ROW VALUE WHAT
	[ -n "$2" ] || { row "$1" "left out: $3"; return 1; }
}
kernel_options() { echo "--vmlinux $VMLINUX --kallsyms $shared/lock.kallsyms"; }

# ---- on recordings ----

figure_speed() {
	need speed "${VMLINUX:-}" "VMLINUX is not set" && need speed "${PERF:-}" "PERF is not set" || return
	gcc -O2 -o "$folder/measure" "$top/tests/bench/measure.c" || return
	local options
	options="-i $shared/lock.data $(kernel_options)"
	# shellcheck disable=SC2086 # options and commands are words
	for _ in 1 2 3; do # in turn, so that all meet the same load
		${QUIET:-} "$folder/measure" 7 perf $PERF lock contention $options
		${QUIET:-} "$folder/measure" 7 contention "$dtprof" lock contention $options
		${QUIET:-} "$folder/measure" 7 report "$dtprof" lock report $options
	done >"$folder/speed" || { row speed "failed: see $folder/speed"; return; }
	sed 's/^/  /' "$folder/speed"
	python3 - "$folder/speed" <<'PYTHON'
import re, sys
best = {}
for line in open(sys.argv[1]):
    name, numbers = line.split()[0].rstrip(":"), [float(n) for n in re.findall(r"\d+\.?\d*", line.split(None, 1)[1])]
    wall, processor, memory = numbers[:3]
    old = best.get(name, (wall, processor, memory))
    best[name] = (min(wall, old[0]), min(processor, old[1]), max(memory, old[2]))
for name in ("contention", "report"):
    print(f"speed, lock {name}:".ljust(28), "%.2f times perf (wall), %.2f (processor time), memory %.2f"
          % (best["perf"][0] / best[name][0], best["perf"][1] / best[name][1], best[name][2] / best["perf"][2]))
PYTHON
}

figure_timer() {
	need timer "${VMLINUX:-}" "VMLINUX is not set" || return
	"$dtprof" lock report -q --json -i "$shared/callgraph.data" --vmlinux "$VMLINUX" --kallsyms "$shared/kallsyms" |
		python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
named = sum(row["contended"] for row in rows if row["lock"])
print("timer:".ljust(28), named, "of", sum(row["contended"] for row in rows), "spinning samples have names")'
}

figure_user() {
	local source compiler flags
	while read -r source compiler flags; do
		command -v "$compiler" >/dev/null || { row "user, $source" "left out: there is no $compiler"; continue; }
		[ "$compiler" = go ] || flags="-g $flags"
		# shellcheck disable=SC2086 # flags are words
		timeout 200 "$top/tests/bench/locks.py" "$dtprof" "$top/tests/workloads/locks/$source" "$compiler" $flags 2>&1 |
			sed 's/^[^ ]/user, &/'
	done < <(if [ -n "${SETS:-}" ]; then cat "$SETS"; else "$top/tests/whole/test_user_locks.sh" --sets; fi)
}

# ---- in a guest ----

# Copies a program of a root and its libraries to the guest, as a command of this name.
add_program() { # PROGRAM ROOT NAME
	local place=$image/$3.d library
	mkdir -p "$place"
	strip -o "$place/$3" "$2/$1"
	"$top/tests/support/libraries.sh" "$1" "$2" | while read -r library; do cp -L "$2/$library" "$place/"; done
	printf '#!/bin/sh\nexec /%s.d/ld-linux-x86-64.so.2 --library-path /%s.d /%s.d/%s "$@"\n' "$3" "$3" "$3" "$3" >"$image/bin/$3"
	chmod 755 "$image/bin/$3"
}

# Builds Linux in FOLDER/linux unless LINUX is built.
find_kernel() {
	linux=${LINUX:-}
	need truth "$linux" "LINUX is not set" || return
	[ ! -e "$linux/arch/x86/boot/bzImage" ] || return 0
	linux=$folder/linux
	[ ! -e "$linux/arch/x86/boot/bzImage" ] || return 0
	mkdir -p "$linux"
	(cd "$LINUX" && make -s O="$linux" allnoconfig &&
		scripts/kconfig/merge_config.sh -m -O "$linux" "$linux/.config" "$top/tests/guest/lockdep.config" &&
		make -s O="$linux" olddefconfig && make -s -j"$(nproc)" O="$linux" vmlinux bzImage) >"$folder/linux.log" 2>&1 ||
		{ row truth "Linux does not build: see $folder/linux.log"; return 1; }
}

# Runs the guest of rows with a kernel, and modules of a folder, unless FOLDER/ROWS has its results.
run_guest() { # ROWS KERNEL [MODULES]
	local tool program khz
	results=$folder/$1
	[ ! -e "$results/kallsyms" ] || return 0
	for tool in qemu-system-x86_64 cpio busybox mkfs.ext4; do
		need "$1" "$(command -v $tool)" "there is no $tool" || return
	done
	image=$folder/image
	rm -rf "$image" "$results"
	mkdir -p "$image"/{bin,proc,sys,dev,tmp,mnt,modules,programs} "$results"
	cp "$(command -v busybox)" "$image/bin/" && cp "$top/tests/guest/locks" "$image/init" && chmod 755 "$image/init"
	[ -z "${3:-}" ] || find "$3" \( -name 'virtio*.ko' -o -name 'crc*.ko' -o -name libcrc32c.ko -o -name mbcache.ko -o \
		-name jbd2.ko -o -name ext4.ko \) -exec cp {} "$image/modules/" \;
	mkdir -p "$folder/symfs/programs"
	for program in kernel_locks kernel_sleeps; do
		gcc -O2 -g -pthread -static -o "$folder/symfs/programs/$program" "$top/tests/workloads/$program.c" || return
		strip -o "$image/programs/$program" "$folder/symfs/programs/$program"
	done
	add_program "$dtprof" / dtprof
	[ -z "${PERF_FILE:-}" ] || add_program "$PERF_FILE" "$perf_root" perf
	(cd "$image" && find . | cpio --quiet -o -H newc) >"$folder/initramfs" || return
	truncate -s 2G "$folder/disk"
	rm -f "$folder/files"
	mkfs.ext4 -q "$folder/files" 64M || return
	# in an emulator whose machine has other work, a kernel measures a wrong frequency
	khz=$(awk '/^cpu MHz/ { printf "%d", $4 * 1000; exit }' /proc/cpuinfo)
	timeout 1500 qemu-system-x86_64 -accel tcg,thread=multi -nodefaults -display none -no-reboot -m 3072 -smp 4 -cpu qemu64 \
		-kernel "$2" -initrd "$folder/initramfs" -serial "file:$results/console" \
		-drive "file=$folder/disk,format=raw,if=virtio" -drive "file=$folder/files,format=raw,if=virtio" -append "console=ttyS0 quiet panic=-1 nokaslr no_timer_check tsc=reliable tsc_early_khz=$khz \
		mitigations=off guest.rows=$1 guest.seconds=${SECONDS_EACH:-10}" </dev/null
	tar -C "$results" -xf "$folder/disk" 2>/dev/null
	rm -f "$folder/disk" "$folder/files"
	[ -e "$results/kallsyms" ] || { row "$1" "the guest left nothing: see $results/console"; return 1; }
}

# Runs the guest with the kernel of PACKAGE.
run_plain_guest() {
	need "$1" "${VMLINUX:-}" "VMLINUX is not set" && need "$1" "${PACKAGE:-}" "PACKAGE is not set" || return
	run_guest plain "$(ls "$PACKAGE"/boot/vmlinuz-*)" "$PACKAGE/lib/modules"
}

figure_truth() {
	find_kernel && run_guest truth "$linux/arch/x86/boot/bzImage" || return
	objcopy --strip-debug "$linux/vmlinux" "$folder/vmlinux.btf"
	python3 "$top/tests/bench/lock_truth.py" "$dtprof" "$folder/truth/truth.data" DWARF --vmlinux "$linux/vmlinux" \
		--kallsyms "$folder/truth/kallsyms"
	python3 "$top/tests/bench/lock_truth.py" "$dtprof" "$folder/truth/truth.data" BTF --vmlinux "$folder/vmlinux.btf" \
		--kallsyms "$folder/truth/kallsyms" --btf "$folder/vmlinux.btf"
}

# Prints how much of the blocked time of reports has an object with a type. The names of the threads of kernel_sleeps tell it.
blocked_share() { # TRUTH CSV...
	python3 - "$@" <<'PYTHON'
import collections, csv, re, sys
truth = dict(line.rstrip("\n").split(" ", 1) for line in open(sys.argv[1]))
times, seen = collections.Counter(), collections.Counter()
for row in (row for path in sys.argv[2:] for row in csv.DictReader(open(path))):
    if row.get("table", "offcpu-time") != "offcpu-time" or row.get("chain"):
        continue
    object, thread, time = row["waiting_field"], row["comm"], int(row["period"])
    times["all"] += time
    # a signal has no object
    typed = not object.startswith("(") or object in ("(signal)", "(stopped)", "(timer)")
    times["typed"] += time * typed
    if thread in truth:
        right = bool(re.match(truth[thread], object))
        times["told"] += time
        times["right"] += time * right
        times["none"] += time * (not right and not typed)
        if not right:
            seen[f"{thread}: {object}"] += time
    elif not typed:
        seen[f"{thread}: {object}"] += time
print("blocked:".ljust(28), "%.1f %% of %.1f s have an object with a type" % (100 * times["typed"] / (times["all"] or 1), times["all"] / 1e9))
told = times["told"] or 1
print("blocked, known threads:".ljust(28), "%.1f %% of %.1f s have the object of the thread, %.1f %% another one, %.1f %% none"
      % (100 * times["right"] / told, told / 1e9, 100 * (told - times["right"] - times["none"]) / told, 100 * times["none"] / told))
for text, time in seen.most_common(12):
    print(f"  {100 * time / times['all']:6.3f} % {text}")
PYTHON
}

figure_blocked() {
	run_plain_guest blocked || return
	local name
	for name in blocked sleeps; do
		"$dtprof" report --csv -s comm,waiting_field --symfs "$folder/symfs" --vmlinux "$VMLINUX" --kallsyms "$folder/plain/kallsyms" \
			-i "$folder/plain/$name.data" 2>"$folder/$name.log" >"$folder/$name.csv" || { row blocked failed; return; }
	done
	"$folder/symfs/programs/kernel_sleeps" --truth >"$folder/sleeps.truth" && blocked_share "$folder/sleeps.truth" "$folder"/{blocked,sleeps}.csv
}

figure_load() {
	need load "${PERF:-}" "PERF is not set" || return
	# shellcheck disable=SC2086 # PERF is a command
	"$top/tests/bench/record_cost.py" "$dtprof" $PERF | sed 's/^/load, /'
}

figure_cost() {
	run_plain_guest cost || return
	python3 - "$folder"/plain/cost.*.[0-9] <<'PYTHON'
import re, statistics, sys
costs = {}
for path in sys.argv[1:]:
    text = open(path).read()
    found = {key: float(value) for key, value in re.findall(r"^(user|sys|events) +([\d.]+)$", text, re.M)}
    if found.get("events"):
        costs.setdefault(path.split(".")[-2], []).append((found["user"] + found["sys"]) / found["events"] * 1e5)
medians = {tool: statistics.median(values) for tool, values in costs.items()}
print("cost:".ljust(28), ", ".join(f"{tool} {value:.2f} s for 100,000 events" for tool, value in medians.items()),
      "(%.2f of perf)" % (medians["dtprof"] / medians["perf"]) if len(medians) == 2 and medians["perf"] else "(no perf)")
PYTHON
}

[ $# -gt 0 ] || set -- speed timer user truth blocked cost load
for name in "$@"; do
	case $name in
	speed | timer | user | truth | blocked | cost | load) "figure_$name" ;;
	*) echo "lock_figures.sh: there is no row $name" >&2; exit 2 ;;
	esac
done
