#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each kept program is there, and is of the source that is here. Comments may differ: cases have their expectations there.
set -u
. tests/support/tap.sh

list=tests/kept/programs.txt
plan $(grep -vc '^#' $list)
while IFS='|' read -r name source _ version sum; do
	name=${name% } source=${source# } source=${source% } sum=${sum# }
	[ "$(sed 's, *//.*,,' "$source" | sha256sum | cut -d' ' -f1)" = "$sum" ] && gzip -t "tests/kept/$name.gz"
	result $? "$name is of $source" "$source has changed, or $name.gz is broken: run tests/kept/build.sh $name ($version)"
done < <(grep -v '^#' $list)
finish
