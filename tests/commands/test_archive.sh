#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `dtprof archive`: a recording in its archive gives the same report as beside the program with its types. Archives that are
# damaged or hostile are errors. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export HOME=$folder # an object cache of its own, in which nobody else has left the program
names=("the archive has the recording and the program" "without the program, its types are lost" "the archive has them"
	"nobody else may read the recording and the kernel's symbols" "a private program stays private" "it is read from a pipe" "it is read where /proc is not mounted" "two archives give the same" "the output's name is the input's" "a file that is no archive is not replaced"
	"an archive is not packed again" "an object without a build id is packed by its path" "a cut archive is an error" "a changed archive is an error"
	"a member with another name is an error" "a link is an error" "zstd without a recording is an error" "without a recording, it says what makes one"
	"a file that cannot be made is named" "nothing is left behind")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}
skip_all() { # REASON
	for name in "${names[@]}"; do
		skip "$name" "$1"
	done
	finish
}

program=$folder/cache
if ! ${CC:-gcc} -O2 -g -Wl,--build-id -o "$program" tests/workloads/cache.c 2>"$folder/log" ||
	! (cd "$folder" && "$DTPROF" record -N -q -e cpu-clock:u -F 2000 -o perf.data -- "$program" 3000000) >/dev/null 2>"$folder/log"; then
	skip_all "cannot record here: $(head -1 "$folder/log")"
fi
table() { # FILE: its fields, as far as they are the program's
	"$DTPROF" report --stdio -q -s typeoff,sym -i "$1" 2>/dev/null | grep 'struct entry'
}
cd "$folder" || exit 1
before=$(table perf.data)

message=$("$DTPROF" archive -v 2>&1)
printf '%s\n' "$message" | grep -q "$program: elf of $program"
if [ $? -ne 0 ] && printf '%s\n' "$message" | grep -q 'is not installed'; then
	skip_all "$message"
fi
[ -s perf.dtprof ] && printf '%s\n' "$message" | grep -q "^perf.dtprof: the recording, "
check $? "$message"

mv "$program" "$program.gone"
[ -n "$before" ] && [ -z "$(table perf.data)" ]
check $? "before: $before"
[ "$(table perf.dtprof)" = "$before" ]
check $? "$(table perf.dtprof)"
members() { # FILE: modes and names of its members
	zstd -dcq "$1" | tar -tvf - | sed -E 's/^([-a-z]+) .* /\1 /'
}
if command -v zstd >/dev/null && command -v tar >/dev/null; then
	! members perf.dtprof | grep -E '/kallsyms$|perf.data$' | grep -qv '^-rw------- ' && [ "$(stat -c %a perf.dtprof)" = 600 ]
	check $? "$(members perf.dtprof)"
	chmod 4711 "$program.gone" && mv "$program.gone" "$program" && "$DTPROF" archive -q -o private.dtprof && mv "$program" "$program.gone"
	members private.dtprof | grep -q '^-rwx--x--x .*/elf$'
	check $? "$(members private.dtprof)"
	chmod 755 "$program.gone"
else
	skip "${names[$tap_number]}" "tar or zstd is not installed"
	skip "${names[$tap_number]}" "tar or zstd is not installed"
fi
[ "$("$DTPROF" report --stdio -q -s typeoff,sym -i - <perf.dtprof 2>/dev/null | grep 'struct entry')" = "$before" ]
check $?
if unshare -m sh -c 'mount -t tmpfs none /proc' 2>log; then
	[ "$(unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$DTPROF" report --stdio -q -s typeoff,sym \
		-i perf.dtprof 2>log | grep 'struct entry')" = "$before" ]
	check $? "$(cat log)"
else
	skip "${names[$tap_number]}" "this user cannot hide /proc: $(head -1 log)"
fi
mv "$program.gone" "$program"
"$DTPROF" archive -q -o second.dtprof && cmp -s perf.dtprof second.dtprof
check $?

cp perf.data other.data
"$DTPROF" archive -q -i other.data && [ -s other.dtprof ]
check $?
message=$("$DTPROF" archive -o other.data 2>&1)
[ $? -ne 0 ] && cmp -s perf.data other.data && [[ $message == *"is not replaced"* ]]
check $? "$message"
message=$("$DTPROF" archive -i perf.dtprof 2>&1)
[ $? -ne 0 ] && [[ $message == *"is an archive already"* ]]
check $? "$message"
objcopy -R .note.gnu.build-id "$program" nameless && "$DTPROF" record -N -q -e cpu-clock:u -F 2000 -o nameless.data -- ./nameless 3000000 >/dev/null 2>&1
message=$("$DTPROF" archive -i nameless.data -o nameless.dtprof 2>&1)
[[ $message != *"left out: "*nameless* ]] && mv nameless away && [ -z "$(table nameless.data)" ] && [ -n "$(table nameless.dtprof)" ]
check $? "$message"

# Ends with a message and status 1, as an error does, and not by a signal.
is_error() { # FILE
	message=$("$DTPROF" report --stdio -i "$1" 2>&1 >/dev/null)
	[ $? -eq 1 ] && [ "$(printf '%s\n' "$message" | grep -c '^dtprof report: ')" -ge 1 ]
}
size=$(stat -c %s perf.dtprof) bad=
for length in 4 20 1000 $((size / 3)) $((size / 2)) $((size - 100)); do
	head -c "$length" perf.dtprof >cut.dtprof
	is_error cut.dtprof || bad="$bad $length"
done
[ -z "$bad" ]
check $? "lengths$bad: $message"

bad=
for at in 7 40 300 2000 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 40)) $((size - 4)); do
	cp perf.dtprof changed.dtprof
	printf '\377\000\125' | dd of=changed.dtprof bs=1 seek="$at" conv=notrunc 2>/dev/null
	is_error changed.dtprof || bad="$bad $at"
done
[ -z "$bad" ]
check $? "offsets$bad: $message"

# Hostile archives. Packing them takes tar and zstd.
if command -v zstd >/dev/null; then
	mkdir -p made/.debug/.build-id/aa/bbcc && cp perf.data made/ && echo x >made/.debug/.build-id/aa/bbcc/other
	tar -C made -cf - perf.data .debug/.build-id/aa/bbcc/other | zstd -q -o member.dtprof
	is_error member.dtprof && [[ $message == *".debug/.build-id/aa/bbcc/other"* ]]
	check $? "$message"
	rm made/.debug/.build-id/aa/bbcc/other && ln -s /etc/passwd made/.debug/.build-id/aa/bbcc/elf
	tar -C made -cf - perf.data .debug/.build-id/aa/bbcc/elf | zstd -q -o link.dtprof
	is_error link.dtprof
	check $? "$message"
	echo "no recording" | zstd -q -o plain.dtprof
	is_error plain.dtprof
	check $? "$message"
else
	for _ in 1 2 3; do
		skip "${names[$tap_number]}" "there is no zstd here"
	done
fi

mkdir empty
message=$(cd empty && "$DTPROF" archive 2>&1)
[ $? -eq 1 ] && [[ $message == "dtprof archive: nothing to read here: 'dtprof record' makes"* ]]
check $? "$message"
message=$("$DTPROF" archive -o nowhere/x 2>&1)
[ $? -eq 1 ] && [[ $message == "dtprof archive: cannot create 'nowhere/x': "* ]]
check $? "$message"
TMPDIR=$folder/empty "$DTPROF" report --stdio -i perf.dtprof >/dev/null 2>&1
[ -z "$(ls -A empty)" ] && [ -z "$(find . -name '*.dtprof.*')" ]
check $? "$(ls -A empty)"
finish
