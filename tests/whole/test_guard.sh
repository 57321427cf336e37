#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What root meets around the files that it reads: a configuration of somebody else, results that would replace inputs or devices,
# results that are cut off, and results that others could read. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export HOME=$folder DTPROF_PAGER=cat
unset DTPROF_CONFIG # the user's file is meant
names=("a configuration of another user is not obeyed" "a configuration that others may write is not obeyed" "an own one is"
	"no command replaces the recording that it reads" "no result replaces a program that was read for it"
	"results are private, whatever the umask" "a result that is cut off has no name"
	"nothing is left of it" "--switch-output renames no device" "a recording is no device's" "on a full disk, each command fails"
	"a stream is copied only if it begins as a recording" "its copy leaves half of the free space")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}
cd "$folder" || exit 1
cat >loop.c <<'END'
struct node { struct node *next; long values[6]; } pool[1000];
int main(void)
{
	long sum = 0;

	for (int i = 0; i < 999; i++)
		pool[i].next = &pool[i + 1];
	for (int k = 0; k < 40000; k++)
		for (struct node *n = pool; n; n = n->next)
			sum += n->values[2];
	return sum == 42;
}
END
if ! ${CC:-gcc} -O1 -g -Wl,--build-id -o loop loop.c 2>log || ! "$DTPROF" record -N -q -e cpu-clock:u -F 2000 -o perf.data -- ./loop >log 2>&1; then
	while [ "$tap_number" -lt ${#names[@]} ]; do
		skip "${names[$tap_number]}" "cannot record here: $(head -1 log)"
	done
	finish
fi
cp perf.data kept.data

# Whether the configuration, which sets an option of report to nonsense, is read; options of the C library do not matter here.
obeyed() {
	"$DTPROF" report --stdio >/dev/null 2>log
	[ $? -eq 129 ]
}
printf '[report]\nmax-stack = nonsense\n' >.dtprofconfig
if [ "$(id -u)" -eq 0 ]; then
	chmod 644 .dtprofconfig && chown 12345:12345 .dtprofconfig
	! obeyed && grep -q 'not owned by current user or root: not used' log
	check $? "$(cat log)"
	chown 0:0 .dtprofconfig
else
	skip "${names[$tap_number]}" "only root can give files away"
fi
chmod 666 .dtprofconfig
! obeyed && grep -q 'writable by others: not used' log
check $? "$(cat log)"
chmod 644 .dtprofconfig
obeyed
check $? "$(cat log)"
rm .dtprofconfig

bad=
for command in "report --csv -o perf.data" "report --html=perf.data" "report --stdio -o ./perf.data" "annotate --html=perf.data" "layout --html=perf.data" \
	"export --format=folded -o perf.data" "archive -o perf.data" "diff perf.data kept.data --html=perf.data" "mem report --stdio -o perf.data"; do
	# Splitting the command into words is meant.
	"$DTPROF" $command >/dev/null 2>log && bad="$bad [$command]"
	cmp -s perf.data kept.data || bad="$bad [$command destroys it]"
done
[ -z "$bad" ]
check $? "$bad"

cp loop kept.loop
bad=
for command in "report --csv -o loop" "report --html=loop" "export --format=folded -o loop"; do
	"$DTPROF" $command >/dev/null 2>log && bad="$bad [$command]"
	cmp -s loop kept.loop && grep -q 'is a file that was read' log || bad="$bad [$command destroys it: $(cat log)]"
done
[ -z "$bad" ]
check $? "$bad"

(
	umask 0
	"$DTPROF" report --csv -o results.csv && "$DTPROF" report --html=results.html && "$DTPROF" export --format=folded -o results.folded &&
		"$DTPROF" layout --html=results.layout.html && "$DTPROF" record -N -q -e cpu-clock:u -o results.data -- ./loop
	"$DTPROF" archive -q -o results.dtprof
) >log 2>&1
wide=$(find . -name 'results.*' ! -perm 600 -printf '%m %f\n')
[ -f results.csv ] && [ -f results.html ] && [ -f results.folded ] && [ -f results.data ] && [ -z "$wide" ]
check $? "$wide $(cat log)"

mkdir cut && cp perf.data cut/ && cd cut || exit 1
bad=
for command in "report --csv -o out" "report --html=out" "export --format=json -o out" "archive -q -o out"; do
	printf '\050\265\057\375' >out # zstd's first bytes, for archive; old contents for the others
	(ulimit -f 0 && exec "$DTPROF" $command) >/dev/null 2>log && bad="$bad [$command succeeds]"
	[ "$(stat -c %s out)" = 4 ] || bad="$bad [$command]"
done
[ -z "$bad" ]
check $? "$bad"
[ "$(ls -A)" = "$(printf 'log\nout\nperf.data')" ]
check $? "$(ls -A)"
cd .. || exit 1

if mknod device c 1 3 2>log; then
	"$DTPROF" record -N -q -e cpu-clock:u -F 5000 --switch-output=4K -o device -- ./loop >log 2>&1
	[ -c device ] && [ -z "$(find . -name 'device?*')" ]
	check $? "$(ls -l device*) $(cat log)"
	"$DTPROF" record -N -q -e cpu-clock:u -o device -- ./loop >log 2>&1
	[ -c device ] && [ -z "$(find . -name 'device?*')" ]
	check $? "$(ls -l device*) $(cat log)"
else
	skip "${names[$tap_number]}" "no device can be made: $(cat log)"
	skip "${names[$tap_number]}" "no device can be made"
fi
if [ -c /dev/full ]; then
	bad=
	for command in "report --csv" "report --stdio" "script" "layout --emit=c" "annotate --json" "export --format=folded"; do
		"$DTPROF" $command >/dev/full 2>log && bad="$bad [$command]"
	done
	[ -z "$bad" ]
	check $? "$bad"
else
	skip "${names[$tap_number]}" "there is no /dev/full"
fi
# a copy would be larger than the largest file that may be written
(ulimit -f 8192 && head -c 32M /dev/zero | "$DTPROF" report --stdio -i -) >/dev/null 2>log
[ $? -eq 1 ] && grep -q 'is not a perf.data file' log && "$DTPROF" report --stdio -i - <perf.data >out 2>log && grep -q '^# Samples' out
check $? "$(cat log)"
mkdir small
# In its own namespace, where a folder of 24 MB takes the place of $TMPDIR: half of it is enough for 8 MB, and not for 20.
in_small() { # MB
	unshare -Urm bash -c 'mount -t tmpfs -o size=24M none small && { printf PERFILE2; head -c "$1"M /dev/zero; } | TMPDIR=$PWD/small "$0" report -i -' \
		"$DTPROF" "$1" >out 2>log
}
if unshare -Urm mount -t tmpfs -o size=24M none small 2>log; then
	in_small 8
	[ $? -eq 1 ] && ! grep -q 'half of the space' log && ! in_small 20 &&
		grep -q "its copy has half of the space that was free in $folder/small ([0-9]* MB): give a file" log
	check $? "$(cat log)"
else
	skip "${names[$tap_number]}" "no folder of its own size can be made (unshare -Urm): $(cat log)"
fi
finish
