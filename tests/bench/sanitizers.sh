#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs every subcommand that reads recordings over each recording of FILES, with a program that was built with sanitizers:
#
#   make SAN=1 && OUT=build/san tests/bench/sanitizers.sh         addresses, undefined behaviour
#   make SAN=thread && OUT=build/tsan tests/bench/sanitizers.sh   data races (gcc's runtime needs setarch -R on new kernels)
#
# FILES is a list of recordings and folders. Text after a recording and a colon is options for it:
#
#   FILES="../shared/perfdata/files ../shared/kernel/memsamp.data:--vmlinux=/usr/lib/debug/boot/vmlinux-6.1.0"
#
# Prints a line for each report of a sanitizer and each death by a signal, then how many runs there were. The exit status
# is 1 if there was any. A command that refuses a recording is no failure, and one that is ended after SECONDS_EACH is only
# named: it was looked at so far.
set -u

: "${OUT:=build/san}" "${FILES:=../shared/perfdata/files ../shared/perfdata/hostile ../shared/kernel}" "${THREADS:=4}" "${SECONDS_EACH:=120}"
program=$OUT/dtprof
[ -x "$program" ] || { echo "skipped: no $program (make SAN=1 or SAN=thread)"; exit 0; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export HOME=$folder DTPROF_PAGER=cat
export ASAN_OPTIONS=exitcode=97 UBSAN_OPTIONS=exitcode=97:print_stacktrace=1 TSAN_OPTIONS=exitcode=97
without_aslr=
[ "$OUT" = "${OUT%tsan}" ] || without_aslr="setarch -R"
runs=0 failures=0 unfinished=0

# A line for each command; @ stands for the recording, % for the folder of results, ! for the program, whose own types
# `print` takes. A usage error (129) is a mistake in this
# list and counts as a failure.
read -r -d '' commands <<'END'
report -i @ --stdio --header
report -i @ --stdio -s type,typeoff,symoff,comm,dso,sym,srcline -n --by weight
report -i @ --stdio -s type,sym -g caller --children
report -i @ --stdio --mem-mode
report -i @ --stdio -H -s comm,dso,type
report -i @ --json -s type,typeoff
report -i @ --csv -s type,typeoff
report -i @ --html %/report.html
export -i @ --format=data-type-json -o %/types.json
report --import %/types.json
report --import %/types.json --json -s dso,type,typeoff,acc
report -i @ --stats
annotate -i @ --stdio
annotate -i @ --data-type --stdio --by-symbol
annotate -i @ --data-type --json
annotate -i @ --layout --elements
annotate -i @ --type-stat --insn-stat
annotate -i @ --code-with-type
annotate -i @ --html %/annotate.html
layout -i @
layout -i @ --json
layout -i @ --dot
layout -i @ --html %/layout.html
layout -i @ --emit=rules
layout -i @ --emit=c
layout -i @ --emit=patch --even-if
diff @ @
diff @ @ --json
diff @ @ --html %/diff.html
script -i @
script -i @ --json
script -i @ --csv -F comm,tid,time,ip,sym,type,typeoff
check -i @ %/rules
check -i @ --json %/rules
mem report -i @ --stdio
c2c report -i @ --stdio
c2c report -i @ --json
lock report -i @
lock report -i @ --json
lock contention -i @
lock contention -l -i @
print --object ! -C insn --count 20 @
print --object ! -C insn --count 20 --json @
print --object ! access
archive -i @ -o %/archive.tar.zst
store add --store %/store.db @
store report --json --store %/store.db -s type,typeoff,sym,dso,build,host,event,kernel,cpu,day
store top --store %/store.db
store history --store %/store.db int
store list --store %/store.db
try -i @ --type=int --source=/dev -- true -- true
--debug type-profile report -i @ --stdio -s type
END
for format in $("$program" export -h | sed -n '/^Formats:/,$s/^    \([a-z0-9]\{1,\}\) .*/\1/p'); do
	commands+=$'\n'"export -i @ --format=$format -o %/export"
done

run() { # RECORDING OPTIONS COMMAND...
	local recording=$1 options=$2 status arguments
	shift 2
	arguments=("${@//@/$recording}")
	arguments=("${arguments[@]//%/$folder}")
	arguments=("${arguments[@]//!/$program}")
	case "$1 $2" in archive*|print*|store*|try*|*--import) ;; *) [ -z "$options" ] || arguments+=("$options") ;; esac
	case "$1 $2" in archive*|print*|lock*|store*|try*|--debug*|*--import) ;; *) arguments+=(--threads "$THREADS") ;; esac
	timeout "$SECONDS_EACH" $without_aslr "$program" "${arguments[@]}" </dev/null >"$folder/out" 2>"$folder/err"
	status=$?
	runs=$((runs + 1))
	[ "$1" != layout ] || [[ " $* " != *" --emit=rules "* ]] || cp "$folder/out" "$folder/rules"
	if [ $status -eq 124 ]; then
		unfinished=$((unfinished + 1))
		echo "unfinished: dtprof ${arguments[*]}"
		status=0
	fi
	if [ $status -ge 97 ] || grep -qaE 'runtime error:|Sanitizer' "$folder/err"; then
		failures=$((failures + 1))
		echo "status $status: dtprof ${arguments[*]}"
		grep -aE -m3 'runtime error:|Sanitizer' "$folder/err"
		grep -aE -m6 '^ +#[0-9]+ ' "$folder/err"
	fi
}

recordings=()
for entry in $FILES; do
	if [ -d "$entry" ]; then
		while IFS= read -r -d '' found; do recordings+=("$found"); done < <(find "$entry" -name '*.data' -size -64M -print0 | sort -z)
	else
		recordings+=("$entry")
	fi
done
[ ${#recordings[@]} -gt 0 ] || { echo "skipped: no recordings in $FILES"; exit 0; }
for entry in "${recordings[@]}"; do
	options=
	[[ $entry != *:* ]] || options=${entry#*:}
	echo '# none' >"$folder/rules"
	while read -r line; do
		# Splitting the line into words is meant.
		run "${entry%%:*}" "$options" $line
	done <<<"$commands"
done
echo "${#recordings[@]} recordings, $runs runs, $failures with reports or signals, $unfinished unfinished"
[ $failures -eq 0 ]
