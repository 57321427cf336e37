#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the tables of dtprof report with those of perf report: some 30 commands on each of 12 recordings.
#
#   PERF=program DTPROF=program VMLINUX=file tests/bench/compare_perf.sh [-v] [TEXT]
#
# TEXT: only recordings whose path contains it; -v: all the lines that differ without a reason. Needs perf >= 6.8 (the first
# with data types), and says so where there is none. The recordings are those of ../shared, as far as they are there, and three
# that dtprof record makes here: of redis-server (where it and redis-benchmark are installed), of a C++ program with threads,
# and of the whole machine. Both must see the same files: a perf that is in a root of its own is best run by that root's
# ld.so --library-path, not by chroot.
#
# A line that only one of them has is explained by the first rule below that makes it go away:
#   says more   our counts of memory accesses, and of where types came from; perf's tips
#   blanks      spaces at the ends of lines, and empty lines at the end
#   dummy       perf counts an event without samples as a member of a group (of events), but does not name it
#   reached     perf looks for data that the kernel accesses in user space in the kernel's maps ([X]); ours is the
#               process's, and has the address in its file
#   variables   a cacheline is named after a variable in it: perf takes the first sample's, ours is the one of the lowest address, and
#               of two at one address perf takes the last in kallsyms. Perf does not read constants there (r), and so lets the
#               function before them go on
#   widths      a column is as wide as its widest name, which the other may not know
#   trunk       where keys begin with sym, perf leaves out the first frame of a graph with one way in, as if it were the row's
#               own also where callers come first
#   order       rows, or branches of a call graph, with equal shares: perf's order is that of its tree, ours that of the keys. Rows
#               with other shares must stand alike where they are otherwise the same
#   level       perf calls callers in the kernel [.], because it asks for the thread's maps; they are [k]
#   parameters  of C++ functions perf shows the parameters and the result, where it was not built with libbfd
#   names       of several names for an address perf shows another, as the symbol tables of these objects have it; and their
#               versions (@@GLIBC_2.34)
#   callers     rows of callers without a name: perf shows where they ran, and has one for each process and another for
#               samples there; ours have the address in the file. Such rows, and those of entries of PLTs (see below), are left
#               out then; graphs have their frames
#   plt         entries of a PLT (g_free@plt): perf leaves out or displaces some, and has no name for what choosers resolve
#   fixed       rows without a name, of programs that are linked to a fixed address (0x400000): perf shows the place in the
#               file, ours the address, as disassemblers do
#   objects     where dso is not among the keys, perf adds up rows without a name of one address in different files, and
#               may tell one entry of a PLT as two; here all of an address, and all of PLTs, are added up
#   twice       where dso is not among the keys, perf may have a second row of 0.00 % for a function: it compares rows without a
#               name by their addresses and others by their objects, so that its tree has no order. There is one with -s dso,sym
#   lines       perf names the file of an ELF symbol (crtstuff.c) where there are no lines, and for some functions of a header
#               the .c file of its name; llvm-symbolizer says as we do. Lines of a folded graph that are equal (functions of
#               one name in several files) are added up
#   cut         perf cuts names of the key tgid, and times, to the width of another column
#   sockets     the file has them, but perf does not take them (-001)
#   gone        samples of tasks that were gone (tid -1): perf gives all of them the process of the first
#   rounding    shares that differ by 0.01
#   exec        perf keeps the maps from before an exec, and so places addresses in the program of before; ours are gone.
#               Shown by a copy of the recording where no COMM record is marked as an exec: there is no difference left
#   split       perf at times has two branches for one function below the same row, each with its own share, and limit. Shown
#               by the same chains, folded and without a limit: in these there is no difference
#   types       the two find different types; the tests of types have the accuracy of both
# Lines that no rule explains are shown, and are the exit status.
set -u
export LC_ALL=C

PERF=${PERF:-perf}
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
VMLINUX=${VMLINUX:-}
REDIS=${REDIS:-redis-server}
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

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export DTPROF_CONFIG= PERF_CONFIG=/dev/null
mkdir "$work/empty"

# ---- recordings: path, and options that both need

recordings=()
add() { [[ ! -e $1 || $1 != *"$only"* ]] || recordings+=("$*"); }
shared=$(realpath ../shared 2>/dev/null)
for name in weight_struct callgraph-3.8 forkexit-3.8 hw_and_sw-3.4 group_desc-4.14 piped.header_features-4.16; do
	add "$shared/perfdata/files/perf.data.$name.data" --symfs "$work/empty"
done
add "$shared/kernel/callgraph.data" --kallsyms "$shared/kernel/kallsyms"
add "$shared/kernel/lock.data" --kallsyms "$shared/kernel/lock.kallsyms"
add "$shared/kernel/memsamp.data" --kallsyms "$shared/kernel/memsamp.kallsyms"

# Threads, templates, inlined functions, signals, recursion, a realigned stack.
write_program() {
	cat <<'END'
#include <alloca.h>
#include <algorithm>
#include <csignal>
#include <map>
#include <string>
#include <sys/time.h>
#include <thread>
#include <vector>
volatile unsigned long sum;
static inline unsigned long mix(unsigned long a) { for (int i = 0; i < 20; i++) a = (a * 31) ^ (a >> 9); return a; }
__attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) void on_alarm(int) { spin(100000); }
namespace work {
struct Words {
	std::map<std::string, int> counts;
	__attribute__((noinline)) void fill(int n) { for (int i = 0; i < n; i++) counts[std::to_string(mix(i) % 1000)]++; }
};
template <class T> __attribute__((noinline)) void sort(std::vector<T> &all)
{
	std::sort(all.begin(), all.end(), [](const T &a, const T &b) { return mix(a) < mix(b); });
}
}
__attribute__((noinline)) long recurse(int n) { volatile char room[64]; room[0] = n; if (!n) { spin(3000); return room[0]; } return recurse(n - 1) + room[0]; }
__attribute__((noinline)) void realign(int n) { alignas(64) volatile double d[8] = { 1 }; volatile char *p = (char *)alloca(n); p[0] = 1; for (int i = 0; i < 100000; i++) d[i & 7] += p[0] * i; sum += d[1]; }
static void run(int k)
{
	for (int round = 0; round < 30; round++) {
		work::Words words;
		std::vector<unsigned long> all;
		words.fill(3000);
		for (int i = 0; i < 3000; i++)
			all.push_back(mix(i * k));
		work::sort(all);
		recurse(30);
		realign(100 + round);
	}
}
int main()
{
	struct itimerval timer = { { 0, 5000 }, { 0, 5000 } };
	std::vector<std::thread> threads;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, 0);
	for (int i = 1; i < 4; i++)
		threads.emplace_back(run, i);
	for (auto &thread : threads)
		thread.join();
}
END
}

record() { # NAME OPTIONS...
	local name=$1 options_of=()
	[ "$name" != machine ] || options_of=(--comms sh,ls,sort,tail) # what else ran is none of ours
	shift
	"$DTPROF" record -q -o "$work/$name.data" "$@" >/dev/null 2>&1 && add "$work/$name.data" "${options_of[@]}"
}

make_threads() {
	write_program >"$work/threads.cc"
	g++ -O2 -g -pthread -o "$work/threads" "$work/threads.cc" || return
	record threads -e cpu-clock -F 2000 --call-graph dwarf -- "$work/threads"
}

make_redis() {
	command -v "$REDIS" redis-benchmark >/dev/null || { echo "compare_perf: no redis-server and redis-benchmark"; return; }
	record redis -e cpu-clock -F 2000 -g -- sh -c "'$REDIS' --port 7397 --save '' & sleep 1
		redis-benchmark -p 7397 -q -n 15000 -t set,get,lpush,zadd; kill \$!; wait"
}

make_machine() {
	record machine -a -e cpu-clock -e task-clock -F 49 -g -- sh -c 'i=0
		while [ $i -lt 60000 ]; do i=$((i+1)); done; ls -lR /usr/share | sort | tail -1'
}

for made in threads redis machine; do
	[[ "$work/$made.data" != *"$only"* ]] || make_$made
done

commands=(
	"-s comm,dso -n"
	"-s comm,dso --no-children -g none --show-total-period"
	"-s dso --no-children -g none"
	"-s pid -g none --no-children"
	"-s tgid,comm -g none --no-children"
	"-s cpu,comm -g none --no-children"
	"-s comm,dso --hierarchy --no-children -g none"
	"-s comm,dso,sym --hierarchy --no-children -g none --percent-limit 0.5"
	"-F sample,period,comm -g none --no-children"
	"-F overhead,sample,period -s sym -g none --no-children --percent-limit 1"
	"-s comm,dso -t | -g none --no-children"
	"-s sym,srcline -g none --no-children"
	"-s srcfile -g none --no-children"
	"-s time -g none --no-children"
	"-s comm -d [kernel.kallsyms] --percentage relative -g none --no-children"
	"-s local_weight,weight,ins_lat -g none --no-children"
	"-s sym,ins_lat -g none --no-children"
	"-s transaction,code_page_size,cgroup -g none --no-children"
	"-s comm,sym --group -g none --no-children"
	"--mem-mode -s mem,snoop,tlb,locked,blocked"
	"--mem-mode -s dcacheline,comm"
	"--mem-mode -s mem,sym --dso [kernel.kallsyms]"
	"mem -s mem"
	"mem -t load -s local_weight,mem,snoop,tlb,locked,blocked"
	"mem -t store -s mem,comm,local_weight"
	"mem -s comm,mem,dso -x ;"
	"-s sym --children -g caller,0.5"
	"-s comm -g folded,0.1 --no-children"
	"-s comm --percent-limit 3 -g caller"
)

# ---- names, by the symbol tables of a recording's objects: of several names of one address "NAME CHOSEN" lines in
# $work/aliases, of C++ functions "WITH PARAMETERS<TAB>WITHOUT" in $work/readable

list_objects() { # the paths of what samples and their callers are in
	"$DTPROF" --no-pager report -f -v -i "$1" -s dso 2>/dev/null | sed -nE 's/^ +[0-9.]+%.* (\/.*[^ ]) *$/\1/p' | sort -u
}

debug_file() {
	local id
	id=$(readelf -n "$1" 2>/dev/null | sed -nE 's/.*Build ID: ([0-9a-f]{2})([0-9a-f]+)$/\1\/\2/p' | head -1)
	[ -z "$id" ] || echo "/usr/lib/debug/.build-id/$id.debug"
}

symbols() { # "OBJECT ADDRESS NAME"
	local object file
	while read -r object; do
		for file in "$object" "$(debug_file "$object")"; do
			[ -f "$file" ] || continue
			nm "$file" 2>/dev/null
			nm -D "$file" 2>/dev/null
		done | awk -v object="$object" '$2 ~ /[tTwWiI]/ { sub(/@.*/, "", $3); print object, $1, $3 }'
	done
	awk '$2 ~ /[tTwW]/ && NF == 3 { print "kernel", $1, $3 }' "$1"
}

find_aliases() { # RECORDING KALLSYMS
	list_objects "$1" | symbols "$2" | sort -u >"$work/symbols"
	awk '$3 ~ /^_Z/ { print $3 }' "$work/symbols" | sort -u >"$work/mangled"
	paste <(c++filt -i <"$work/mangled") <(c++filt -i -p <"$work/mangled") >"$work/readable"
	awk '
		function root(name) { while (name in parent && parent[name] != name) name = parent[name]; return name }
		{ place = $1 " " $2
		  if (place == last) { a = root(first); b = root($3); if (a != b) parent[a > b ? a : b] = (a > b ? b : a) } else first = $3
		  last = place; all[$3] }
		END { for (name in all) if (root(name) != name) print name, root(name) }' "$work/symbols" >"$work/aliases"
}

# ---- rules: each takes the lines that the earlier ones left

says_more() { grep -vE '^# .*of which memory accesses|^# +[0-9]+ \([ 0-9.]+%\)  |^# \(|^# (Types|Code|Symbols|Data addresses)'; }
blanks() { sed 's/[ \t]*$//' | awk '!/^#$/ || last != "#" { print } { last = $0 }' | sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}'; }
widths() { sed -E '/^#[ .]+$/d; s/ +/ /g; s/ *([|,]) */\1/g'; }
# The last of several branches has other bars; folded graphs show which branch belongs where.
order() { sed -E '/^ *[0-9.]+%/!s/^[ |]+//' | sort; }
# Without graphs and levels, only adjacent rows with equal figures may have another order.
has_rows_alone() { [[ $command == *-g\ none* || $command == --mem-mode* || $command == mem* ]] && [[ $command != *hierarchy* ]]; }
order_of_equals() { awk -F '[ |,;]' '{ match($0, /^[ #]*[^ |,;]+/); figure = substr($0, 1, RLENGTH); if (figure != last) group++; last = figure; print group "\t" $0 }' | sort -t "$(printf '\t')" -k1,1n -k2 | cut -f 2-; }
level() { sed 's/\[k\]/[.]/g'; }
parameters() {
	awk -F '\t' -v readable="$work/readable" '
		BEGIN { while ((getline line <readable) > 0) { split(line, pair, "\t"); plain[pair[1]] = pair[2] } }
		function place(text) { match(text, /[^ ]( [^ ]|[^ ])*/); return RLENGTH > 0 && substr(text, RSTART, RLENGTH) in plain }
		function shown(text) { return place(text) ? substr(text, 1, RSTART - 1) plain[substr(text, RSTART, RLENGTH)] substr(text, RSTART + RLENGTH) : text }
		{ out = ""; line = $0
		  while (match(line, /;|\[[.k]\] |--+|% |^[0-9]+ |   *|\||\+[0-9]+|@plt/)) {
			text = substr(line, 1, RSTART - 1); between = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
			out = out shown(text) between
		  }
		  print out shown(line) }'
}
names() {
	[[ $command == *sym* || $command != *-g\ none* ]] || { cat; return; }
	sed -E 's/@@?[A-Z]+[_A-Z]*_[0-9.]+//g' | awk -v aliases="$work/aliases" '
		BEGIN { while ((getline line <aliases) > 0) { split(line, pair, " "); chosen[pair[1]] = pair[2] } }
		{ out = ""; line = $0
		  while (match(line, /[A-Za-z_.][A-Za-z0-9_.$]*/)) {
			name = substr(line, RSTART, RLENGTH)
			out = out substr(line, 1, RSTART - 1) (name in chosen ? chosen[name] : name)
			line = substr(line, RSTART + RLENGTH)
		  }
		  print out line }'
}
# One line more on our side: "---OUTERMOST", where perf begins with the frame below it. The row stands two lines above.
trunk() {
	[[ $command =~ ^-s\ sym.*caller ]] || return
	awk -v perf="$work/perf.now" -v ours="$work/ours.now" '
		function bare(line) { sub(/^[ |]*(---)?/, "", line); return line }
		BEGIN {
			while ((getline line <perf) > 0) {
				if (line ~ /^ *---/) first[row] = bare(line)
				row = bar; bar = line
			}
			row = bar = ""
			while ((getline line <ours) > 0) {
				if (line ~ /^ *---/ && row in first && bare(line) != first[row] && (getline below <ours) > 0) {
					if (bare(below) == first[row]) {
						match(line, /^ *---/)
						line = substr(line, 1, RLENGTH) first[row]
					} else {
						print line
						line = below
					}
				}
				print line
				row = bar; bar = line
			}
		}' >"$work/ours.next"
	mv "$work/ours.next" "$work/ours.now"
}
# In tables with rows for callers, those without a name or in a PLT, and their graphs.
callers() {
	[[ $command != *--no-children* && $command != --mem-mode* ]] || { cat; return; }
	awk '/^ +[0-9.]+% +[0-9.]+% /{ skip = /\[.\] (0x[0-9a-f]+|0000000000000000|.*@plt) *$/ } !skip'
}
# User addresses of data in samples of the kernel, by the last three digits, which are the same in a file.
reached() { case $command in *dcacheline*) sed -E 's/\[[Xk.]\] 0x0000[0-9a-f]{9}([0-9a-f]{3})/[.] \1/' ;; *) cat ;; esac; }
# "NAME+0x10" as the address, by its last eight digits; constants, and functions, as "constant".
variables() {
	[[ $command == *dcacheline* ]] || { cat; return; }
	perl -e '
		open(my $symbols, "<", shift) or die; my (%address, %constant);
		while (<$symbols>) {
			my ($address, $type, $name) = split; $address{$name} = hex(substr($address, 8));
			$constant{$name} = 1 if $type =~ /[rRtT]/;
		}
		while (<STDIN>) {
			s/(\[k\] )([^ +]+)(\+0x([0-9a-f]+))?( +)/
				!exists $address{$2} ? "$1$2" . ($3 \/\/ "") . $5 : $constant{$2} ? "$1constant$5" :
				$3 ? $1 . sprintf("%08x", $address{$2} + hex(substr("00000000$4", -8)) & 0xffffffff) . $5 : "$1$2$5"/e;
			print;
		}' "$kallsyms"
}
dummy() { sed "/of events '[^,]*'$/s/events/event/"; }
lines() {
	case $command in
	*srcline*) sed -E 's/ (crtstuff\.c)?:0$| (_start|_dl_start_user|frame_dummy|(de)?register_tm_clones|__do_global_dtors_aux)\+[0-9]+$/ -/; s/\.h:([0-9]+)$/.c:\1/' ;;
	*srcfile*)
		awk '!/^ *[0-9.]+%/ { print; next }
			{ share = $1 + 0; sub(/^ *[0-9.]+% */, ""); sub(/\.h$/, ".c"); sub(/crtstuff\.c/, ""); sum[$0] += share }
			END { for (row in sum) printf "%.2f%% %s\n", sum[row], row }' ;;
	*folded*) awk '!/^ *[0-9]/ { print; next } { share = $1 + 0; $1 = ""; sum[$0] += share } END { for (row in sum) printf "%.2f%%%s\n", sum[row], row }' ;;
	*) cat ;;
	esac
}
rest() { sed 's/\[\.\.\.\] (inlined)/[...]/'; }
# In rows without a name, addresses that are 4 MiB apart are one.
fixed() {
	[[ $command == *sym* ]] || { cat; return; }
	awk '{ out = ""; line = $0
		while (match(line, /\] 0x0[0-9a-f]+/)) {
			digits = substr(line, RSTART + 4, RLENGTH - 4)
			if (length(digits) == 16) digits = (index("0123456789abcdef", substr(digits, 11, 1)) - 1) % 4 substr(digits, 12)
			out = out substr(line, 1, RSTART + 3) digits
			line = substr(line, RSTART + RLENGTH)
		}
		print out line }'
}
# Rows without a name and without their object: those of one address are added up.
objects() {
	[[ $command == *sym* && $command != *dso* && $command != *caller,* ]] || { cat; return; }
	awk '!/^ *[0-9.]+% .*\[.\] (0x[0-9a-f]+|PLT)/ { print; next }
		{ share = $1 + 0; sub(/^ *[0-9.]+%/, ""); sum[$0] += share }
		END { for (row in sum) printf "%.2f%%%s\n", sum[row], row }'
}
twice() {
	[[ $command == *sym* && $command != *dso* && $command == *--children* ]] || { cat; return; }
	awk '{ line[NR] = $0; name = $0; sub(/.*\[.\] /, "", name) }
		/^ *[0-9.]+% [0-9.]+% \[.\] / { rows[name]++; of[NR] = name }
		END { for (i = 1; i <= NR; i++) if (!(i in of && rows[of[i]] > 1 && line[i] ~ /^ *0\.00% 0\.00% /)) print line[i] }'
}
plt() { sed -E 's/[^ ;-]+@plt/PLT/g'; }
cut_off() { case $command in *tgid*|*time*) sed -E 's/([0-9]+:[^ ]{7})[^ ]*/\1/; s/([0-9]+\.[0-9]{5})[0-9]/\1/' ;; *) cat ;; esac; }
sockets() { case $command in *socket*) sed -E 's/ -?[0-9]{3}$/ -/; s/^ *[0-9.]+%//' | sort -u ;; *) cat ;; esac; }
gone() { grep -v ' :-1$'; }
# A line of ours that is one of perf's but for shares that differ by 0.01 becomes that.
rounding() {
	comm -23 <(sort "$work/perf.now") <(sort "$work/ours.now") >"$work/perf.only"
	comm -13 <(sort "$work/perf.now") <(sort "$work/ours.now") >"$work/ours.only"
	awk -v perf="$work/perf.only" -v only="$work/ours.only" '
		function shares(line, list,   count, rest) { # the line without them
			split("", list); rest = ""
			while (match(line, /[0-9]+(\.[0-9]+)?%/)) {
				list[++count] = substr(line, RSTART, RLENGTH) + 0
				rest = rest substr(line, 1, RSTART - 1) "%"; line = substr(line, RSTART + RLENGTH)
			}
			return rest line
		}
		function near(a, b,   one, other, i) {
			shares(a, one); shares(b, other)
			for (i in one) if (one[i] - other[i] > 0.015 || other[i] - one[i] > 0.015) return 0
			return 1
		}
		BEGIN {
			while ((getline line <perf) > 0) { key = shares(line, list); theirs[key, ++of[key]] = line }
			while ((getline line <only) > 0) {
				key = shares(line, list)
				for (i = 1; i <= of[key]; i++)
					if ((key, i) in theirs && near(line, theirs[key, i])) {
						becomes[line, ++times[line]] = theirs[key, i]; delete theirs[key, i]; break
					}
			}
		}
		{ n = ++seen[$0]; print (($0, n) in becomes) ? becomes[$0, n] : $0 }' "$work/ours.now" >"$work/ours.next"
	mv "$work/ours.next" "$work/ours.now"
}

differences() { comm -3 <(sort "$work/perf.now") <(sort "$work/ours.now") | wc -l; }

apply_rule() { # NAME: sets `left`, adds to `reasons`
	local before=$left
	if [ "$1" = order ] && has_rows_alone && [ "$(differences)" -eq 0 ] &&
		! cmp -s <(order_of_equals <"$work/perf.now") <(order_of_equals <"$work/ours.now"); then
		disordered=1
	fi
	if [ "$1" = trunk ] || [ "$1" = rounding ]; then
		"$1"
	else
		for side in perf ours; do
			"$1" <"$work/$side.now" >"$work/$side.next"
			mv "$work/$side.next" "$work/$side.now"
		done
	fi
	if [ "$1" = order ] || ! cmp -s "$work/perf.now" "$work/ours.now"; then
		left=$(differences)
	else
		left=0
	fi
	[ "$before" = "$left" ] || reasons+=" $1 ($((before - left)))"
}

has_table() { grep -qvE '^(#|$)' "$1"; }

# The recording with no COMM record marked as an exec: of files, not of pipes.
plain_copy() { # FROM TO
	perl -e '
		local $/; open(my $in, "<", $ARGV[0]) or die; my $all = <$in>;
		exit 1 if substr($all, 0, 8) ne "PERFILE2" || unpack("Q<", substr($all, 8, 8)) < 104;
		my ($at, $size) = unpack("Q<Q<", substr($all, 40, 16)); my $end = $at + $size;
		while ($at + 8 <= $end) {
			my ($type, $misc, $length) = unpack("V v v", substr($all, $at, 8));
			exit 1 if $length < 8;
			substr($all, $at + 4, 2) = pack("v", $misc & ~0x2000) if $type == 3;
			$at += $length;
		}
		open(my $out, ">", $ARGV[1]) or die; print $out $all' "$1" "$2"
}

run_both() { # FILE OPTIONS... : $work/perf.out, $work/ours.out
	local file=$1
	shift
	set -f
	timeout 300 "$PERF" $report -f $stdio ${stdio:+--no-inline} -i "$file" "$@" $wanted >"$work/perf.out" 2>"$work/perf.err" </dev/null
	perf_status=$?
	timeout 300 "$DTPROF" --no-pager $report --blame=sampled -f $stdio ${stdio:+--no-inline} -i "$file" "$@" $wanted >"$work/ours.out" 2>"$work/ours.err" </dev/null
	our_status=$?
	set +f
}

apply_rules() { # sets `left`, `reasons`, and `disordered` where rows are the same but stand elsewhere
	reasons= disordered=
	cp "$work/perf.out" "$work/perf.now"
	cp "$work/ours.out" "$work/ours.now"
	left=$(differences)
	[ "$left" -gt 0 ] || cmp -s "$work/perf.now" "$work/ours.now" || left=1
	for rule in says_more blanks dummy reached variables callers parameters widths cut_off names level twice rest trunk order plt fixed objects lines gone sockets rounding; do
		[ "$left" -eq 0 ] || apply_rule "$rule"
	done
}

try_copy() { # FILE REASON OPTIONS... : `wanted` on a copy; keeps `left` where that explains nothing
	local copy=$work/plain.data before=$left said=$reasons
	[ -e "$copy" ] || plain_copy "$1" "$copy" || return
	cp "$work/perf.now" "$work/perf.kept"
	cp "$work/ours.now" "$work/ours.kept"
	run_both "$copy" "${@:3}"
	apply_rules
	if [ "$left" -eq 0 ]; then
		reasons="$said $2 ($before)"
		return
	fi
	left=$before reasons=$said
	cp "$work/perf.kept" "$work/perf.now"
	cp "$work/ours.kept" "$work/ours.now"
}

same=0 explained=0 unexplained=0 refused=0
compare() { # RECORDING-WITH-OPTIONS COMMAND
	local words=($1) left reasons disordered perf_status our_status command=$2
	local file=${words[0]} report=report stdio=--stdio options=("${words[@]:1}") wanted=$2
	if [[ $wanted == mem\ * ]]; then
		report="mem report" stdio= options=() wanted=${wanted#mem }
	fi
	run_both "$file" "${options[@]}"
	if [ $perf_status -ne 0 ] || ! has_table "$work/perf.out"; then
		refused=$((refused + 1)) none=$((none + 1))
		[ -z "$verbose" ] || echo "  no table by perf $2: $(grep -vE '^$|^WARN|^Error:$' "$work/perf.err" | head -1)"
		return
	fi
	if [ $our_status -ne 0 ]; then
		unexplained=$((unexplained + 1)) unsaid=$((unsaid + 1))
		echo "  UNEXPLAINED $2: $(head -1 "$work/ours.err")"
		return
	fi
	apply_rules
	if [ "$left" -gt 0 ] && [[ $2 == *type* ]]; then
		reasons+=" types ($left)"
		left=0
	fi
	[ -z "$disordered" ] || left=1 reasons+=" rows in another order"
	[ "$left" -eq 0 ] || try_copy "$file" exec "${options[@]}"
	if [ "$left" -gt 0 ]; then
		unexplained=$((unexplained + 1)) unsaid=$((unsaid + 1))
		echo "  UNEXPLAINED $2: $left lines;$reasons"
		comm -3 <(sort "$work/perf.now") <(sort "$work/ours.now") | if [ -n "$verbose" ]; then cat; else head -4; fi | sed 's/^/      /' | cut -c1-160
	elif [[ -n $reasons && ! $reasons =~ ^(\ (says_more|blanks)\ \([0-9]+\))+$ ]]; then
		explained=$((explained + 1)) reasoned=$((reasoned + 1))
		echo "  $2:${reasons}"
	else
		same=$((same + 1)) equal=$((equal + 1))
	fi
}

for recording in "${recordings[@]}"; do
	echo "${recording%% *}"
	rm -f "$work/plain.data"
	kallsyms=/proc/kallsyms
	[[ $recording != *--kallsyms* ]] || kallsyms=${recording##*--kallsyms }
	find_aliases "${recording%% *}" "$kallsyms"
	equal=0 reasoned=0 unsaid=0 none=0
	for command in "${commands[@]}"; do
		compare "$recording" "$command"
	done
	if [[ -n $VMLINUX && $recording == *memsamp* ]]; then
		for command in "-s type" "-s typecln" "-s type,typeoff"; do
			compare "${recording%% *} -k $VMLINUX" "$command"
		done
	fi
	echo "  = $equal the same, $reasoned with a reason, $unsaid without, $none that perf makes no table for"
done
echo "$same the same, $explained with a reason, $unexplained without, $refused that perf makes no table for"
[ "$unexplained" -eq 0 ]
