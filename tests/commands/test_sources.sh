#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sources are read with the rights of whoever asks: a line table can name any file. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
export HOME=$folder
names=("the sources of a program are shown" "a program from an archive shows what everybody may read" "it shows no private file"
	"it says that the file is not read, and why" "--source-root reads it" "--prefix reads it" "root reads no file that the owner of the program may not read"
	"root reads what the user of sudo may read, and no more" "layout reads no such file either"
	"root reads no file that the owner of the debug file may not read" "a program below --symfs shows what everybody may read"
	"--source-root reads it for a program below --symfs, too")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}
skip_rest() { # REASON
	while [ "$tap_number" -lt ${#names[@]} ]; do
		skip "${names[$tap_number]}" "$1"
	done
	finish
}

# The program's lines are those of a file that has the text SECRET in each.
mkdir -m 755 "$folder/sources"
secret=$folder/sources/secret.c
{ echo "#line 1 \"$secret\""; cat tests/workloads/cache.c; } >"$folder/real.c"
sed 's,$, // SECRET,' tests/workloads/cache.c >"$secret"
if ! ${CC:-gcc} -w -O2 -g -Wl,--build-id -o "$folder/cache" "$folder/real.c" 2>"$folder/log" ||
	! (cd "$folder" && "$DTPROF" record -N -q -e cpu-clock:u -F 2000 -- ./cache 3000000) >/dev/null 2>"$folder/log"; then
	skip_rest "cannot record here: $(head -1 "$folder/log")"
fi
cd "$folder" || exit 1
shown() { # OPTIONS...: the number of lines of the secret that are shown
	"$DTPROF" annotate --stdio --code "$@" 2>log | grep -c SECRET
}
[ "$(shown)" -gt 0 ]
check $? "$(cat log)"

if ! "$DTPROF" archive -q 2>log; then
	skip_rest "$(head -1 log)"
fi
mv cache away
[ "$(shown -i perf.dtprof)" -gt 0 ]
check $? "$(cat log)"
chmod 600 "$secret"
[ "$(shown -i perf.dtprof)" = 0 ]
check $?
grep -q "$secret is not read: not everybody may read it (--source-root" log
check $? "$(cat log)"
[ "$(shown -i perf.dtprof --source-root "$folder/sources")" -gt 0 ]
check $? "$(cat log)"
[ "$(shown -i perf.dtprof --prefix "$folder/sources" --prefix-strip "$(echo "${secret%/*}" | tr -cd / | wc -c)")" -gt 0 ]
check $? "$(cat log)"
mv away cache

[ "$(id -u)" -eq 0 ] || skip_rest "only root may read the files of others"
chown 12345:12345 cache
[ "$(shown)" = 0 ] && grep -q 'its user may not read it' log
check $? "$(cat log)"
theirs=$(SUDO_UID=12346 SUDO_GID=12346 shown) own=$(chown 12346 "$secret" && SUDO_UID=12346 SUDO_GID=12346 shown)
[ "$theirs" = 0 ] && [ "$own" -gt 0 ]
check $? "$theirs lines of a file of another user, $own of an own one"
"$DTPROF" layout --all >text 2>&1 || "$DTPROF" layout >text 2>&1
! grep -q SECRET text
check $? "$(grep SECRET text)"

chown 0:0 cache "$secret"
cp cache whole
objcopy --only-keep-debug cache cache.debug && objcopy --strip-debug --add-gnu-debuglink=cache.debug whole cache
own=$(shown)
chown 12345:12345 cache.debug
theirs=$(shown)
[ "$own" -gt 0 ] && [ "$theirs" = 0 ]
check $? "$own lines of a debug file of root, $theirs of one of another user: $(cat log)"
mkdir -p "tree$folder" && mv whole "tree$folder/cache" && rm cache cache.debug
[ "$(shown --symfs tree)" = 0 ] && grep -q 'not everybody may read it' log
check $? "$(cat log)"
[ "$(shown --symfs tree --source-root "$folder/sources")" -gt 0 ]
check $? "$(cat log)"
finish
