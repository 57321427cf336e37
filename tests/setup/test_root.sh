#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# root.sh says why it can make no Debian here, with a status of its own, and leaves nothing behind. The programs that it needs
# are stand-ins.
set -u
. tests/support/tap.sh

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/tmp"

# stand_in NAME COMMAND...: a program that does this
stand_in() {
	printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
}

# refuses NAME REASON: root.sh gives the reason, and the temporary folder is gone.
refuses() {
	local output status
	output=$(PATH=$scratch/bin:$PATH TMPDIR=$scratch/tmp tests/setup/root.sh bookworm 2>&1)
	status=$?
	[ $status -eq 77 ] && [[ $output == *"no Debian bookworm can be made here: $2"* ]] && [ -z "$(ls "$scratch/tmp")" ]
	result $? "$1" "status $status: $output"
}

plan 5

stand_in id 'echo 1000'
refuses "an ordinary user" "only root can"
stand_in id 'echo 0'

stand_in debootstrap 'exit 1'
stand_in git 'exit 0'
stand_in apt-get ''
refuses "no mirror" "apt knows no mirror of Debian"

stand_in apt-get '[ "$1" != indextargets ] || echo http://mirror.invalid/debian'
stand_in unshare 'exit 1'
refuses "a container without rights" "this machine gives no mount namespace"

# what unshare runs, but here
stand_in unshare '[ "$2" != true ] || exit 0; shift; exec "$@"'
stand_in debootstrap 'echo "E: cannot reach the mirror"; exit 1'
refuses "no network" "debootstrap failed"
output=$(PATH=$scratch/bin:$PATH TMPDIR=$scratch/tmp tests/setup/root.sh bookworm 2>&1)
[[ $output == *"E: cannot reach the mirror"* ]]
result $? "and what debootstrap says is shown" "$output"

finish
