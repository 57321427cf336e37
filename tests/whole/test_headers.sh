#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each header compiles alone, so that nobody has to know what to include before it. CC, CPPFLAGS and HEADERS come from
# the Makefile.
set -u
set -f
eval "flags=($CPPFLAGS)"

number=0 failed=0
echo "1..$(echo $HEADERS | wc -w)"
for header in $HEADERS; do
	number=$((number + 1))
	if message=$(echo "#include \"$header\"" |
		${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror "${flags[@]}" -fsyntax-only -xc - 2>&1); then
		echo "ok $number - $header"
	else
		echo "not ok $number - $header"
		echo "$message" | sed 's/^/# /'
		failed=1
	fi
done
exit $failed
