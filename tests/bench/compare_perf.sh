#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tables of dtprof report beside those of perf report: 20 commands on each of 12 recordings.
#
#   PERF=program DTPROF=program VMLINUX=file tests/bench/compare_perf.sh [-v] [TEXT]
#
# TEXT: only recordings whose path contains it; -v: the lines that differ without a reason. Needs perf >= 6.8 (the first with
# data types), and says so where there is none. The recordings are those of ../shared, as far as they are there, and three
# that dtprof record makes.
#
# A line that one of both has and the other has not is put down to the first rule below that makes it go away:
#   says more   our counts of memory accesses, and of where types came from; perf's tips
#   widths      a column is as wide as its widest name, which the other may not know
#   order       rows with equal shares: perf's order is that of its tree, ours that of the keys
#   level       perf calls callers in the kernel [.], because it asks for the thread's maps; they are [k]
#   names       of several names for an address perf shows another (__GI_...), and of C++ names the parameters, too
#   plt         entries of a PLT (g_free@plt): perf leaves out or displaces some, and has no name for what choosers resolve;
#               and addresses in files that one of both does not find, such as a perf that runs in a root of its own
#   cut         perf cuts names of the key tgid, and times, to the width of another column
#   sockets     the file has them, but perf does not take them (-001)
#   gone        samples of tasks that were gone (tid -1): perf gives all of them the process of the first
#   rounding    shares that differ by 0.01
#   exec        perf keeps the maps from before an exec, and so places callers in the program of before; ours are gone
#   types       of types each finds its own; see the accuracy of both in the tests of types
# perf's --inline is off: we do not show frames of inlined functions. What no rule explains is shown, and is the exit status.
set -u
export LC_ALL=C

PERF=${PERF:-perf}
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
VMLINUX=${VMLINUX:-}
verbose=
[ "${1:-}" != -v ] || { verbose=1; shift; }
only=${1:-}

if ! command -v "$PERF" >/dev/null; then
	echo "compare_perf: no perf here (PERF=program names one): nothing compared"
	exit 0
fi
if ! "$PERF" report -h 2>&1 | grep -q typeoff; then
	echo "compare_perf: $("$PERF" --version) is older than 6.8 (no data types): nothing compared"
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DTPROF_CONFIG= PERF_CONFIG=/dev/null
mkdir "$work/empty"

# ---- recordings: path, and options that both need

recordings=()
add() { [ ! -e "$1" ] || recordings+=("$*"); }
shared=$(realpath ../shared 2>/dev/null)
for name in weight_struct callgraph-3.8 forkexit-3.8 hw_and_sw-3.4 group_desc-4.14 piped.header_features-4.16; do
	add "$shared/perfdata/files/perf.data.$name.data" --symfs "$work/empty"
done
add "$shared/kernel/callgraph.data" --kallsyms "$shared/kernel/kallsyms"
add "$shared/kernel/lock.data" --kallsyms "$shared/kernel/lock.kallsyms"
add "$shared/kernel/memsamp.data" ${VMLINUX:+-k "$VMLINUX"}
loop='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; ls -lR /usr/lib >/dev/null'
for options in "-e cpu-clock" "-e cpu-clock -g" "-e cpu-clock -e task-clock -a"; do
	made=$work/own$((${#recordings[@]})).data
	"$DTPROF" record -q $options -o "$made" -- sh -c "$loop" >/dev/null 2>&1 && add "$made"
done

commands=(
	"-s comm,dso -n"
	"-s comm,dso --no-children -g none --show-total-period"
	"-s dso --no-children -g none"
	"-s pid -g none --no-children"
	"-s tgid,comm -g none --no-children"
	"-s cpu,comm -g none --no-children"
	"-s comm,dso --hierarchy --no-children -g none"
	"-F sample,period,comm -g none --no-children"
	"-s comm,dso -t | -g none --no-children"
	"-s comm,dso -w 8,12,30 -g none --no-children"
	"-s time -g none --no-children"
	"-s comm_nodigit,socket -g none --no-children"
	"-s comm -d [kernel.kallsyms] --percentage relative -g none --no-children"
	"-F overhead_sys,overhead_us,weight1,comm -g none --no-children"
	"-s local_weight,weight,ins_lat -g none --no-children"
	"-s transaction,code_page_size,cgroup,simd -g none --no-children"
	"--mem-mode -s mem,snoop,tlb,locked,blocked"
	"-s comm -g folded,0.1 --no-children"
	"-s comm,dso -g fractal,5,callee --no-children"
	"-s comm --percent-limit 3 -g caller"
)

# ---- rules: each takes what the ones before left

says_more() { grep -vE '^# .*of which memory accesses|^# +[0-9]+ \([ 0-9.]+%\)  |^# \(|^# (Types|Code|Symbols|Data addresses)' | sed 's/[ \t]*$//' | sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}'; }
widths() { sed -E '/^#[ .]+$/d; s/ +/ /g; s/ *([|,]) */\1/g'; }
order() { sort; }
level() { sed 's/\[k\]/[.]/g'; }
names() { sed -E 's/ \(inlined\)//; s/@@?[A-Z]+_[0-9.]+//g; s/__GI_+(libc_)?//g; s/__libc_//g; s/__pi_//g; s/\bopen64\b/open/g; s/__(do|x64)_sys_/__sys_/g; /::/s/\([^()]*\)( const)?//g'; }
plt() { sed -E 's/[^ ;-]+@plt|0x[0-9a-f]+/ADDRESS/g'; }
cut() { sed -E 's/([0-9]+:[^ ]{7})[^ ]*/\1/; s/([0-9]+\.[0-9]{5})[0-9]/\1/'; }
sockets() { case $command in *socket*) sed -E 's/ -?[0-9]{3}$/ -/; s/^ *[0-9.]+%//' | sort -u ;; *) cat ;; esac; }
gone() { grep -v ' :-1$'; }
rounding() { awk '{ line = $0; out = ""; while (match(line, /[0-9]+\.[0-9][0-9]%/)) { out = out substr(line, 1, RSTART - 1) int(substr(line, RSTART, RLENGTH) * 10 + 0.5) / 10 "%"; line = substr(line, RSTART + RLENGTH) } print out line }'; }

differences() { comm -3 <(sort "$work/perf.now") <(sort "$work/ours.now") | wc -l; }

apply_rule() { # NAME: sets `left`, adds to `reasons`
	local before=$left
	for side in perf ours; do
		"$1" <"$work/$side.now" >"$work/$side.next"
		mv "$work/$side.next" "$work/$side.now"
	done
	if [ "$1" = order ] || ! cmp -s "$work/perf.now" "$work/ours.now"; then
		left=$(differences)
	else
		left=0
	fi
	[ "$before" = "$left" ] || reasons+=" $1 ($((before - left)))"
}

same=0 explained=0 unexplained=0 refused=0
compare() { # RECORDING-WITH-OPTIONS COMMAND
	local words=($1) left reasons=
	local file=${words[0]}
	timeout 300 "$PERF" report -f --stdio --no-inline -i "$file" "${words[@]:1}" $2 >"$work/perf.out" 2>"$work/perf.err" </dev/null
	local perf_status=$?
	timeout 300 "$DTPROF" --no-pager report -f --stdio -i "$file" "${words[@]:1}" $2 >"$work/ours.out" 2>"$work/ours.err" </dev/null
	local our_status=$?

	if [ $our_status -ne 0 ] || ! grep -q % "$work/perf.out"; then
		if grep -q % "$work/perf.out"; then
			unexplained=$((unexplained + 1))
			echo "  UNEXPLAINED $2: $(head -1 "$work/ours.err")"
		else
			refused=$((refused + 1))
			[ -z "$verbose" ] || echo "  no table by perf $2: $(grep -v '^$' "$work/perf.err" | head -1)"
		fi
		return
	fi
	cp "$work/perf.out" "$work/perf.now"
	cp "$work/ours.out" "$work/ours.now"
	left=$(differences)
	[ "$left" -gt 0 ] || cmp -s "$work/perf.now" "$work/ours.now" || left=1
	for rule in says_more widths order level names plt cut gone sockets rounding; do
		[ "$left" -eq 0 ] || apply_rule "$rule"
	done
	# the same place by exec: only callers' shares, of the same rows
	if [ "$left" -gt 0 ] && [[ $1 == *callgraph.data* ]] && [[ $2 != *--no-children* ]]; then
		reasons+=" exec ($left)"
		left=0
	fi
	if [ "$left" -gt 0 ] && [[ $2 == *type* ]]; then
		reasons+=" types ($left)"
		left=0
	fi
	if [ "$left" -gt 0 ]; then
		unexplained=$((unexplained + 1))
		echo "  UNEXPLAINED $2: $left lines;$reasons"
		comm -3 <(sort "$work/perf.now") <(sort "$work/ours.now") | if [ -n "$verbose" ]; then cat; else head -4; fi | sed 's/^/      /' | cut -c1-160
	elif [ -n "$reasons" ] && [ "$reasons" != " says_more (${reasons##*(}" ]; then
		explained=$((explained + 1))
		echo "  $2:${reasons}"
	else
		same=$((same + 1))
	fi
}

for recording in "${recordings[@]}"; do
	[[ $recording == *"$only"* ]] || continue
	echo "${recording%% *}"
	for command in "${commands[@]}"; do
		compare "$recording" "$command"
	done
	[ -z "$VMLINUX" ] || [[ $recording != *memsamp* ]] || compare "$recording" "-s type"
done
echo "$same the same, $explained with a reason, $unexplained without, $refused that perf makes no table for"
[ "$unexplained" -eq 0 ]
