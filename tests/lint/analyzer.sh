#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc -fanalyzer over all sources, or those of FILES:  tests/lint/analyzer.sh [FILES]
#
# It takes ten minutes, so `make lint` leaves it out. It needs a build (libperf, generated headers). Reports of functions that
# are not in the list below are printed, and the exit status is 1.
set -u

: "${BUILD:=build}" "${CC:=gcc}" "${JOBS:=$(nproc)}"
export LC_ALL=C flags="-std=gnu11 -O1 -fanalyzer -I. -D_GNU_SOURCE -DDTPROF_VERSION=\"0\" $(pkg-config --cflags capstone libtraceevent \
	ncursesw libprotobuf-c) $(pkg-config --cflags libperf 2>/dev/null || echo "-isystem $BUILD/libperf/include") \
	-I$BUILD/generated/report/export" CC
# file:function reason. gcc 12 does not follow what is told from one array or argument of a function to another.
known='annotate/facts/stack_index.c:covered_by each fact has its base and pieces, which were made of the facts
annotate/facts/stack_index.c:stack_index_count_members each fact has its pieces
base/memory.c:arena_grow check() ends the program where there is no memory
dwarf/btf/btf.c:btf_names_find only records with names are in the lists
dwarf/dwarf/files.c:open_alternate the first files always have room; a name is set, or stays NULL
dwarf/dwarf/files.c:register_type_units the first files always have room
dwarf/dwarf/object.c:type_place die_at() sets the unit where it returns true
dwarf/elf/image.c:what_it_is a file without bytes matches nothing
dwarf/elf/image.c:load_segments there is an error where there is no table
profiler/cli/options.c:option_number options of this kind have an argument, or next_argument() fails
profiler/cli/options.c:store_word options of this kind have an argument, or next_argument() fails
profiler/commands/debug.c:decode without a reader there are no pads
profiler/commands/print.c:add_enums find_type() returns an error where it sets no type
profiler/record/synthesize.c:read_kernel_symbols getline() sets the line, or it stays NULL
profiler/record/synthesize.c:add_map the build id is initialized as a whole
profiler/resolve/charges.c:divide_samples there are as many shares as parts
profiler/resolve/charges.c:split_entry there are as many shares as parts
report/browse/view.c:browse_row_line callers ask for rows that are shown'

analyze() {
	$CC $flags -c "$1" -o /dev/null 2>&1 | awk -v source="$1" '
		/: In function / { name = $NF; gsub(/[^a-z_0-9]/, "", name); next }
		/^In function / { inlined = 1; next }
		inlined && /inlined from/ { name = $3; gsub(/[^a-z_0-9]/, "", name); inlined = 0; next }
		/warning: .*Wanalyzer/ { print source ":" name " " $0 }'
}
export -f analyze
found=$(printf '%s\n' "${@:-$(git ls-files '*.c' | grep -v '^tests/')}" | xargs -P"$JOBS" -I{} bash -c 'analyze {}')
while IFS= read -r line; do
	[ -n "$line" ] || continue
	printf '%s\n' "$known" | grep -qF "${line%% *} " || { echo "${line#* }"; bad=1; }
done <<<"$found"
[ -z "${bad:-}" ]
