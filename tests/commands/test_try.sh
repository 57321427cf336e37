#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dtprof try changes a copy of the source, builds it, and compares both; the source itself stays as it is.
set -u
. tests/support/tap.sh

dtprof=${DTPROF:-build/dtprof}
[ "${dtprof#/}" = "$dtprof" ] && dtprof=$PWD/$dtprof
plan 16
names=("a patch is built and measured, by the words of each command alone" "the source is not changed" "the copies are removed"
	"JSON has each run"
	"other output of the changed program is an error" "a build that fails is told with its last line" "its copies are kept"
	"a command in one word is told"
	"a patch for another source is told" "a program outside of the copies is refused" "two commands are needed"
	"a program that is the same in both copies is refused" "SIGTERM ends what a command has started" "SIGHUP removes the copies"
	"a copy that fails is removed" "no copy is made where others may write")
if ! command -v patch >/dev/null || ! command -v make >/dev/null || ! command -v "${CC:-gcc}" >/dev/null; then
	for name in "${names[@]}"; do skip "$name" "there is no patch, make or ${CC:-gcc}"; done
	finish
fi
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs the tests: one of its own prints more
folder=$(mktemp -d) || exit 1
export TMPDIR=$folder/tmp
mkdir "$folder/source" "$TMPDIR"
trap 'rm -rf "$folder"' EXIT
if ! makes_native "${CC:-gcc}" "$folder"; then
	for name in "${names[@]}"; do skip "$name" "programs that ${CC:-gcc} builds do not run here"; done
	finish
fi
cd "$folder/source" || exit 1
cat >rec.h <<'END'
struct rec {
	char name[60];
	int key;
};
END
cat >main.c <<'END'
#include "rec.h"
#include <stdio.h>
int main(int count, char **words)
{
	struct rec rec = { .key = 7 };

	printf("key %d\n", rec.key);
	return words[count] != 0 || count > 1;
}
END
printf 'main: main.c rec.h\n\t%s -g main.c -o main\n' "${CC:-gcc}" >Makefile
cat >good.patch <<'END'
--- a/rec.h
+++ b/rec.h
@@ -1,4 +1,4 @@
 struct rec {
-	char name[60];
 	int key;
+	char name[60];
 };
END
sed 's/char name\[60\];/char name[61];/' good.patch >other.patch
cat >breaks.patch <<'END'
--- a/main.c
+++ b/main.c
@@ -4,5 +4,5 @@
 {
 	struct rec rec = { .key = 7 };
 
-	printf("key %d\n", rec.key);
+	printf("key %d\n", rec.key + 1);
 	return words[count] != 0 || count > 1;
END
sed 's/rec.key + 1/rec.cay/' breaks.patch >fails.patch
make -s
before=$(cat rec.h main.c Makefile | cksum; ls)

number=0
next() { result "$1" "${names[$number]}" "${2:-}"; number=$((number + 1)); }

shown=$("$dtprof" try --patch good.patch --pairs 7 -- make -- ./main 2>&1)
[ $? -eq 0 ] && grep -q '^measured   .*, 7 pairs$' <<<"$shown" && grep -q '^before  *[0-9.]* s  *[0-9.]* s$' <<<"$shown"
next $? "$shown"
[ "$before" = "$(cat rec.h main.c Makefile | cksum; ls)" ]
next $? "$(ls)"
[ -z "$(ls "$TMPDIR")" ]
next $? "$(ls "$TMPDIR")"
shown=$("$dtprof" try --patch good.patch --pairs 2 --json -- make -- ./main 2>&1)
[ $? -eq 0 ] && tr -d ' \n' <<<"$shown" | grep -qE '"clock":\{"before":\[[0-9.e-]+,[0-9.e-]+\],"after":\[[0-9.e-]+,[0-9.e-]+\]\}.*"same_output":true'
next $? "$shown"
shown=$("$dtprof" try --patch breaks.patch --pairs 1 -- make -- ./main 2>&1)
[ $? -ne 0 ] && grep -q 'prints something else' <<<"$shown"
next $? "$shown"
shown=$("$dtprof" try --patch fails.patch -- make -- ./main 2>&1)
[ $? -ne 0 ] && grep -q "the build 'make' failed in the copy after the change (exit status 2): make: .*; see $TMPDIR" <<<"$shown"
next $? "$shown"
grep -q cay "$TMPDIR"/dtprof-try-*/after.build
next $? "$(ls "$TMPDIR"/*)"
shown=$("$dtprof" try --patch good.patch -- 'make all' -- ./main 2>&1)
[ $? -ne 0 ] && grep -q "make all: no such program (one word: leave out the quotes)" <<<"$shown"
next $? "$shown"
shown=$("$dtprof" try --patch other.patch -- make -- ./main 2>&1)
[ $? -ne 0 ] && grep -q 'the patch does not apply' <<<"$shown"
next $? "$shown"
shown=$("$dtprof" try --patch good.patch -- make -- "$PWD/main" 2>&1)
[ $? -ne 0 ] && grep -q 'is not in the copies' <<<"$shown"
next $? "$shown"
shown=$("$dtprof" try --patch good.patch -- make 2>&1)
[ $? -ne 0 ] && grep -q 'two commands are needed' <<<"$shown"
next $? "$shown"
shown=$("$dtprof" try --patch good.patch -- true -- ./main 2>&1)
[ $? -ne 0 ] && grep -q 'both copies have the same ./main' <<<"$shown"
next $? "$shown"
# The program is not the child of try, but of a shell, which ends before it.
rm -rf "${TMPDIR:?}"/*
for signal in TERM HUP; do
	"$dtprof" try --patch good.patch -- make -- sh -c 'sleep 1000 & echo $! >"$0"; wait' "$folder/sleeping" >/dev/null 2>&1 &
	tried=$!
	for _ in {1..600}; do [ -s "$folder/sleeping" ] && break; sleep 0.1; done
	sleeping=$(cat "$folder/sleeping")
	kill -$signal $tried
	wait $tried 2>/dev/null
	rm -f "$folder/sleeping"
	if [ $signal = TERM ]; then
		! kill -0 "$sleeping" 2>/dev/null
		next $? "process $sleeping runs on"
	else
		[ -z "$(ls "$TMPDIR")" ]
		next $? "$(ls "$TMPDIR")"
	fi
	kill "$sleeping" 2>/dev/null
done
mkdir inner
shown=$(TMPDIR=$PWD/inner "$dtprof" try --patch good.patch -- make -- ./main 2>&1)
[ $? -ne 0 ] && grep -q 'cannot be copied: cp: ' <<<"$shown" && [ -z "$(ls inner)" ]
next $? "$shown $(ls inner)"
mkdir -p "$folder/open/inner"
chmod 777 "$folder/open"
shown=$(TMPDIR=$folder/open/inner "$dtprof" try --patch good.patch -- make -- ./main 2>&1)
[ $? -ne 0 ] && grep -q 'or a folder around it, is writable by others' <<<"$shown" && [ -z "$(ls "$folder/open/inner")" ]
next $? "$shown"
finish
