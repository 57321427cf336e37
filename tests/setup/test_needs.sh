#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# needs.sh names what is missing with its package and reason, says so before it installs, and installs nothing unasked.
# apt-get and sudo are stand-ins that write down how they were called.
set -u
. tests/support/tap.sh

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export CALLS=$scratch/calls
for name in apt-get sudo; do
	cat >"$scratch/$name" <<-'END'
		#!/bin/sh
		echo "${0##*/} $*" >>"$CALLS"
		[ "${0##*/}" = apt-get ] || exec "$@"
	END
	chmod +x "$scratch/$name"
done

# Runs needs.sh where all modules of pkg-config and the compiler are missing, and prints its output.
without_anything() {
	: >"$CALLS"
	env PATH="$scratch:$PATH" CC=no-such-compiler PKG_CONFIG_LIBDIR="$scratch" BUILD="$scratch" \
		tests/setup/needs.sh "$@" 2>&1
}

plan 8

output=$(tests/setup/needs.sh build 2>&1)
result $? "here, where this was built, nothing is missing" "$output"

output=$(without_anything build)
status=$?
missing=
for package in gcc libc6-dev libdw-dev libelf-dev libcapstone-dev libtraceevent-dev libzstd-dev libiberty-dev; do
	echo "$output" | grep -q "^    $package  *[a-z]" || missing="$missing $package"
done
[ $status -eq 1 ] && [ -z "$missing" ]
result $? "each missing package is named with its reason" "status $status, not named:$missing"

[ ! -s "$CALLS" ]
result $? "plain make installs nothing" "$(cat "$CALLS")"

output=$(without_anything build)
! echo "$output" | grep -q libcmocka-dev && without_anything check | grep -q libcmocka-dev
result $? "the tests' own needs are named for the tests only" "$output"

output=$(without_anything check --install)
status=$?
grep -q 'apt-get .*install .*--no-install-recommends .*libdw-dev' "$CALLS"
result $? "--install calls apt-get" "$(cat "$CALLS")"

[[ $output == *"They are installed by apt-get "* ]] && grep -q 'apt-get .*--assume-no' "$CALLS"
result $? "and what is loaded is said before, and how" "$output"

# the stand-in installs nothing, so all is still missing
said=$(echo "$output" | grep -n 'libdw-dev  *reads DWARF' | head -n 1 | cut -d: -f1)
[ $status -eq 1 ] && [ -n "$said" ] && echo "$output" | grep -q 'still not found'
result $? "it says what and why first, and does not believe apt-get" "$output"

[ -f "$scratch/apt.log" ]
result $? "apt's messages are kept" "$(ls "$scratch")"

finish
