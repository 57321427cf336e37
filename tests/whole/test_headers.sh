#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each header compiles alone, so that no other header must be included before it. CC, CPPFLAGS and HEADERS come from
# the Makefile.
set -u
set -f
. tests/support/tap.sh
eval "flags=($CPPFLAGS)"

plan "$(echo $HEADERS | wc -w)"
for header in $HEADERS; do
	message=$(echo "#include \"$header\"" |
		${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror "${flags[@]}" -fsyntax-only -xc - 2>&1)
	result $? "$header" "$message"
done
finish
