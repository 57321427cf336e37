#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The completion for bash offers commands, options and keys, as they are in --help.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
plan 7
. completion/dtprof.bash

offers() { # NAME WANTED WORD...: what is offered for the last word has WANTED
	local name=$1 wanted=$2
	shift 2
	COMP_WORDS=("$DTPROF" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_dtprof 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}" | grep -qx -e "$wanted"
	result $? "$name" "offered: ${COMPREPLY[*]}"
}

offers "commands" record re
offers "options of a command" --percent-limit report --perc
offers "keys" typeoff report -s typeo
offers "the last of several keys" dso,typeoff report -s dso,typeo
offers "fields of script" time,symbol_daddr script -F time,symbol_d
if "$DTPROF" list --raw-dump sw 2>/dev/null | grep -q page-faults; then
	offers "events" page-faults record -e page-f
else
	skip "events" "the kernel opens no software events for this user"
fi
# the shell expands the words that are offered
folder=$(mktemp -d) || exit 1
printf '#!/bin/sh\necho "page-faults \$(touch %s/run)"\n' "$folder" >"$folder/dtprof"
chmod +x "$folder/dtprof"
COMP_WORDS=("$folder/dtprof" record -e page-f) COMP_CWORD=3 COMPREPLY=()
_dtprof 2>/dev/null
[ "${COMPREPLY[*]}" = page-faults ] && [ ! -e "$folder/run" ]
result $? "names of events are no commands" "offered: ${COMPREPLY[*]}"
rm -rf "$folder"
finish
