#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The runner of cases (test_cases.c) refuses cases with other answers than they state, and says what is wrong.
set -u
. tests/support/tap.sh

# shellcheck disable=SC2206
runner=(${EMULATOR:-} "${OUT:-build}/tests/annotate/test_cases")
good=tests/annotate/cases/typed_pointers.c
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

plan 11
if ! command -v gcc >/dev/null; then
	for _ in 1 2 3 4 5 6 7 8 9 10 11; do skip "the runner fails" "no gcc here"; done
	finish
fi

# refuses NAME MESSAGE SED...: after these edits the case must fail with this message (a pattern of grep -E).
refuses() {
	local name=$1 message=$2 said status=0
	shift 2
	local edits=(-e 's,^// CODE.*,// RUN: gcc,')
	for edit in "$@"; do edits+=(-e "$edit"); done
	sed "${edits[@]}" "$good" >"$scratch/typed_pointers.c"
	said=$("${runner[@]}" "$scratch/typed_pointers.c" 2>&1) && status=1
	grep -qE "$message" <<<"$said" || status=1
	result $status "$name" "$said"
}

said=$("${runner[@]}" "$good" 2>&1)
result $? "a case with its own answers passes" "$said"
refuses "a wrong member" 'typed_pointers.c:[0-9]+: gcc.*expected struct node \+16 \(key\); found struct node \+8 \(key\)' \
	's/+8 (key)/+16 (key)/'
refuses "an answer that is not expected" 'struct node \+16 \(value\).*, which is not expected' \
	's/; struct node +16 (value)//'
refuses "an EXPECT without an access" 'expected struct node \+0 \(next\); found no access at this line' \
	's,long sum = 0;,long sum = 0; // EXPECT: struct node +0 (next),'
refuses "another way to find the type" 'expected struct node \+8 \(key\) \[global\]' 's/+8 (key)/+8 (key) [global]/'
refuses "an access where there should be none" 'expected nothing; found struct node' 's/EXPECT: struct node +8 (key)/EXPECT: nothing/'
refuses "a case without an EXPECT" 'a case without an EXPECT tests nothing' 's,// EXPECT.*,,'
refuses "a label of no run" 'no run is called other' 's/EXPECT: struct node +8/EXPECT other: struct node +8/'
refuses "a rule that the case does not need" 'passes without the rule misfit' '2i // RULES: misfit'
refuses "a rule that does not exist" "no rule 'paddings'" '2i // RULES: paddings'
refuses "a source that does not compile" 'does not compile' 's/return sum;/return sums;/'
finish
