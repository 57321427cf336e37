#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A function that calls itself for the members of a type takes exponential time unless it keeps its results, asks whether the
# type is vast, or follows one offset by type_members_near(), which has no members of a type that is tangled: unions in unions
# have many members at one offset (dwarf/types/type.h, enum type_result).
set -u

found=$(git ls-files '*.c' | grep -v '^tests/' | xargs awk '
	/^[a-z].*\(/ && !/;$/ && match($0, /[a-z_0-9]+\(/) { name = substr($0, RSTART, RLENGTH - 1); head = $0; body = ""; in_head = !/\)$/; next }
	in_head { head = head $0; if (/\)$/) in_head = 0; next }
	name { body = body "\n" $0 }
	/^}/ && name {
		if (body ~ /type_members(_near)?\(/ && body ~ ("[^a-z_]" name "\\(") &&
		    body !~ /type_is_vast|type_is_tangled|type_result|steps|->left|is_base|ANONYMOUS_DEPTH_MAX|->size > 16/ &&
		    (head !~ /int64_t \*?(offset|at)/ || body !~ /type_members_near/))
			print FILENAME ": " name "()"
		name = ""
	}')
# name: reason
known='has_flexible_end() looks at the last member only
begins_with_table() looks at the first member only
gather() follows base classes
classify_part() is for records of at most 16 bytes, by the psABI
find_scalars() is for records of a few registers
add_flat_parts() is for records of a few registers
record_align() keeps its results in natural_align()
is_empty_base() follows base classes'
while IFS= read -r line; do
	[ -n "$line" ] || continue
	printf '%s\n' "$known" | grep -qF "${line##* } " || { echo "$line walks the members of a type without memory"; bad=1; }
done <<<"$found"
[ -z "${bad:-}" ]
