#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks of the sources that no compiler makes. Prints what breaks a rule, a line each; exits with 1 if anything does.
#
#   dependencies.sh [--shrink] [OBJECTS]
#
# From the project's root. OBJECTS is the folder of the objects that were built; without it calls are not checked.
#
# The checks, by the names that known.txt uses:
#   include  a file includes a header of a room that its own may not use (rooms.txt)
#   call     an object uses a symbol of a room that its own may not use
#   order    a room in rooms.txt uses one that stands below it, or apart from those of its top-level folder; or a file is in
#            no room
#   knot     more than three files call each other in a circle
#   tag      a struct, union or enum has the name of another one
#   header   a header that only one file includes, or that holds one prototype and nothing else
#   brought  a file includes a header of the C library that one of the house's brings
#   top      a file or folder of the repository's top is none of those that CONTRIBUTING.md describes (a compiler's output)
#   spdx     a file does not begin with its license, in the one form that files of its kind have
#   comment  a comment opens with an inverted clause ("What ...", "Of what ..."), or is a question
#   limit    a limit is not called X_MAX
#   verb     a function that undoes another one is not called x_destroy(), x_deinit() or x_close()
#   cleanup  _cleanup_ is written after the name of its variable, not before the type
#   private  a file uses a member of a struct that only the files beside the struct may use
#   arch     a file names a register, a relocation or a segment of an architecture, which only its own files may
#   language a file of annotate/ compares languages; annotate/language/ and the tables of policy.c are there for that
#   rule     a file of annotate/ asks whether a rule is on, besides the loops of the stages and the places where evidence is
#            believed
#   path     a document names a file of the project that does not exist
#   reason   type-engine.md does not say which files give a reason for (unknown), or says it of a file that does not
#   size     a file has more than 1,200 lines, or a function more than 75 besides its tables
#   width    a line of code is longer than 100 columns, where the formatter may lay it out
#   word     a name has a word in place of which the glossary has another one (words.txt)
#   prefix   a text is compared with a prefix whose length is written beside it
#   form     a limit of a variable, or a loop over an array, is written out where base/memory.h has a form for it: raise_to(),
#            lower_to(), array_each(), array_indexed(). The loops of profiler/machine/ are measured, and may be
#   static   a static function has the name of one in another file of its room (annotate/ and report/ are a room each; dwarf/ and
#            the commands are not looked at): it takes its file's name as a prefix
#   probe    a test skips without a reason, takes a compiler's presence for its working, or a common path for missing
#
# known.txt lists what breaks a rule today and may only shrink: lines "CHECK KEY NUMBER". More than NUMBER is an error, and so
# is less: --shrink then lowers the numbers. It never raises one.
set -u -o pipefail
export LC_ALL=C

lint=${LINT:-tests/lint}
shrink=
[ "${1:-}" != --shrink ] || { shrink=1; shift; }
objects=${1:-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# The sources that are the program. Tests may use everything, so only their licenses and comments are checked.
sources() { find . -type d -name build\* -prune -o -name .git -prune -o -type f \( "$@" \) -print | sed 's,^\./,,' | sort; }
sources -name '*.[ch]' | grep -v '^tests/workloads/generated/' >"$scratch/all"
grep -v '^tests/' "$scratch/all" >"$scratch/program"

# Functions of awk for the programs below. room(PATH): by $lint/rooms.txt; "" if there is none. may_use(A, PATH): whether the
# room A may use the file PATH, by its room or by the header of its name. uses[A, B]: rooms.txt lists B for A.
rooms='
function load_rooms(   line, parts, count, i) {
	while ((getline line < ROOMS) > 0) {
		if (line ~ /^#/ || line ~ /^[ \t]*$/) continue
		sub(/[|].*/, "", line)
		count = split(line, parts, /[: \t]+/)
		known_rooms[++room_count] = parts[1]
		place_of[parts[1]] = room_count
		uses[parts[1], parts[1]] = 1
		for (i = 2; i <= count; i++)
			if (parts[i] == "^") use_above(parts[1])
			else if (parts[i] != "") uses[parts[1], parts[i]] = 1
	}
}
function use_above(name,   names, others, i) {
	split(name, names, "/")
	for (i = 1; i < room_count; i++) {
		split(known_rooms[i], others, "/")
		if (others[1] == names[1]) uses[name, known_rooms[i]] = 1
	}
}
function room(path,   i, best) {
	best = ""
	for (i = 1; i <= room_count; i++)
		if ((path == known_rooms[i] || index(path, known_rooms[i] "/") == 1) && length(known_rooms[i]) > length(best))
			best = known_rooms[i]
	return best
}
function may_use(from, path) {
	if ((from, room(path)) in uses || (from, "*") in uses) return 1
	sub(/\.c$/, ".h", path)
	return (from, path) in uses
}'

# The key of a file in known.txt: its folder at the top, or below profiler/.
keys='
function key(path,   parts) {
	split(path, parts, "/")
	return parts[1] == "profiler" ? parts[1] "/" parts[2] : parts[1]
}'

# Each check prints lines "CHECK KEY<tab>what is wrong, and where".

check_order() {
	awk -v ROOMS="$lint/rooms.txt" "$rooms"'
	BEGIN {
		load_rooms()
		for (pair in uses) {
			split(pair, names, SUBSEP)
			if (names[2] == "*") continue
			to = room(names[2])
			if (to == "" || place_of[to] > place_of[names[1]] || (to != names[2] && names[2] !~ /\.h$/))
				printf "order %s\t%s uses %s, which does not stand above it in rooms.txt\n", names[1], names[1], names[2]
		}
		for (i = 1; i <= room_count; i++) {
			split(known_rooms[i], names, "/")
			if (names[1] != last && (names[1] in seen))
				printf "order %s\t%s stands apart from the other rooms of %s/ in rooms.txt\n", known_rooms[i], known_rooms[i], names[1]
			seen[last = names[1]] = 1
		}
	}
	room($0) == "" { printf "order %s\t%s is in no room of rooms.txt\n", $0, $0 }' "$scratch/program"
}

check_include() {
	grep -H '^#include "' $(cat "$scratch/program") | awk -F '"' -v ROOMS="$lint/rooms.txt" "$rooms"'
	BEGIN { load_rooms() }
	{
		file = substr($1, 1, index($1, ":") - 1)
		from = room(file); to = room($2)
		if (from != "" && to != "" && !may_use(from, $2))
			printf "include %s->%s\t%s includes %s: %s may not use %s\n", from, to, file, $2, from, to
	}'
}

check_call() {
	[ -n "$objects" ] || return 0
	while read -r file; do
		[ ! "$file" -nt "$objects/${file%.c}.o" ] || printf 'call %s\t%s is newer than its object: build it first\n' "$file" "$file"
	done < <(grep '\.c$' "$scratch/program")
	sed -n 's/\.c$/.o/p' "$scratch/program" | (cd "$objects" && xargs nm -A -g) |
		sed 's/\.o:/.c /' >"$scratch/symbols" || exit 2
	awk -v ROOMS="$lint/rooms.txt" "$rooms"'
	BEGIN { load_rooms() }
	NR == FNR { if ($(NF - 1) != "U") home[$NF] = $1; next }
	# (in this order: mawk of 2026 finds nothing in the other one)
	($NF in home) && $(NF - 1) == "U" {
		from = room($1); to = room(home[$NF])
		if (from != "" && to != "" && !may_use(from, home[$NF]))
			printf "call %s->%s\t%s needs %s of %s: %s may not use %s\n", from, to, $1, $NF, home[$NF], from, to
	}' "$scratch/symbols" "$scratch/symbols"
}

# A knot is named by the first of its files.
check_knot() {
	[ -n "$objects" ] || return 0
	awk "$keys"'
	NR == FNR { if ($(NF - 1) != "U") home[$NF] = $1; next }
	# (in this order, as above)
	!($NF in home) || $(NF - 1) != "U" || home[$NF] == $1 { next }
	!(($1, home[$NF]) in edge) { edge[$1, home[$NF]] = 1; to[$1, ++calls[$1]] = home[$NF] }
	function walk(from,   open, stack, file, i) {
		stack[open = 1] = from
		while (open) {
			file = stack[open--]
			for (i = 1; i <= calls[file]; i++)
				if (!((from, to[file, i]) in reached)) {
					reached[from, to[file, i]] = 1
					stack[++open] = to[file, i]
				}
		}
	}
	END {
		for (file in calls) walk(file)
		for (file in calls) {
			size = 1; first = file
			for (other in calls)
				if (other != file && ((file, other) in reached) && ((other, file) in reached)) {
					size++
					if (other < first) first = other
				}
			if (size > 3 && first == file)
				printf "knot %s\t%s and %d more files call each other in a circle\n", key(file), file, size - 1
		}
	}' "$scratch/symbols" "$scratch/symbols"
}

check_tag() {
	awk '
	match($0, /^(struct|union|enum) [A-Za-z_0-9]+ \{/) {
		if (($2 in home) && home[$2] != FILENAME)
			printf "tag %s\t%s %s names two things: in %s and in %s\n", $2, $1, $2, home[$2], FILENAME
		else
			home[$2] = FILENAME
	}' $(cat "$scratch/program")
}

# A header of tests/support is as good as one of the program.
check_header() {
	grep '\.h$' "$scratch/all" >"$scratch/headers"
	grep -h '^#include "' $(cat "$scratch/all") | cut -d'"' -f2 | sort | uniq -c >"$scratch/included"
	awk "$keys"'
	NR == FNR { count[$2] = $1; next }
	/^tests/ && !/^tests\/support\// { next }
	count[$0] < 2 { printf "header %s\t%s serves one file\n", key($0), $0 }' \
		"$scratch/included" "$scratch/headers"
	awk "$keys"'
	function finish() {
		if (file != "" && prototypes == 1 && !others)
			printf "header %s\t%s holds one prototype\n", key(file), file
	}
	FNR == 1 { finish(); file = FILENAME; prototypes = others = in_comment = 0 }
	{
		line = $0
		gsub(/\/\*[^*]*\*\//, "", line)
		if (in_comment) { if (!sub(/.*\*\//, "", line)) next; in_comment = 0 }
		if (sub(/\/\*.*/, "", line)) in_comment = 1
		if (line ~ /^#define/) others = 1
		if (line ~ /^#/) next
		if (line ~ /^(struct|union|enum) [A-Za-z_0-9]+;/) next
		if (line ~ /^(struct|union|enum|typedef)[^(]*[{;]/ || line ~ /^(static|extern)/) others = 1
		else if (line ~ /^[a-z].*\(/) prototypes++
	}
	END { finish() }' $(grep -v '^tests/' "$scratch/headers")
}

check_brought() {
	grep -H '^#include [<"].*[>"]$' $(cat "$scratch/program") | awk -F '[:<>"]' "$keys"'
	{ if (/</) own[$1] = own[$1] " " $3; else house[$1] = house[$1] " " $3 }
	function brings(file, header,   names, count, i) {
		if (!((file, header) in known)) {
			known[file, header] = index(own[file] " ", " " header " ") > 0
			count = split(house[file], names, " ")
			for (i = 1; i <= count && !known[file, header]; i++) known[file, header] = brings(names[i], header)
		}
		return known[file, header]
	}
	END {
		for (file in own) {
			headers = split(own[file], header, " "); count = split(house[file], names, " ")
			for (i = 1; i <= headers; i++)
				for (j = 1; j <= count; j++)
					if (brings(names[j], header[i]))
						printf "brought %s\t%s includes <%s>, which %s brings\n", key(file), file, header[i], names[j]
		}
	}'
}

check_top() {
	git ls-files 2>/dev/null | cut -d/ -f1 | sort -u | awk -v known='Makefile README.md CONTRIBUTING.md SECURITY.md LICENSE \
annotate base completion debian disasm Documentation dwarf findings profiler report tests' '
	BEGIN { n = split(known, names, /[ \n]+/); for (i = 1; i <= n; i++) belongs[names[i]] = 1 }
	!/^\./ && !($0 in belongs) { printf "top %s\t%s does not belong at the top\n", $0, $0 }'
}

check_spdx() {
	sources -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name Makefile -o -name '*.1' |
		grep -v '^tests/workloads/generated/' >"$scratch/licensed"
	awk "$keys"'
	function want(file) {
		if (file ~ /\.c$/) return "// " license
		if (file ~ /\.h$/) return "/* " license " */"
		if (file ~ /\.1$/) return ".\\\" " license
		return "# " license
	}
	BEGIN { license = "SPDX-License-Identifier: GPL-2.0-or-later" }
	{
		file = $0
		found = 0
		for (i = 0; i < 2 && (getline line < file) > 0; i++) found = found || line == want(file)
		close(file)
		if (!found) printf "spdx %s\t%s does not begin with %s\n", key(file), file, want(file)
	}' "$scratch/licensed"
}

check_comment() {
	awk "$keys"'
	function wrong(what) {
		printf "comment %s\t%s:%d: a comment %s\n", key(FILENAME), FILENAME, FNR, what
	}
	FNR == 1 { opened = in_comment = 0 }
	{
		text = $0
		begins = 0
		if (in_comment && opened && text !~ /^[ \t]*\*[ \t]*$/) begins = sub(/^[ \t]*\*+[ \t]*/, "", text)
		else if (match(text, /(\/\*|\/\/)[ \t]*/)) {
			begins = 1
			comment = substr(text, RSTART, 2)
			text = substr(text, RSTART + RLENGTH)
			in_comment = comment == "/*"
			opened = in_comment && text == ""
			if (opened) next
		}
		if (begins) {
			opened = 0
			if (text ~ /^(What|Of|Has|Have|Where|Is|Are|Does|Do|Can|Who|Whose|Which|Why)[ ,]/)
				wrong("opens with an inverted clause: \"" substr(text, 1, 40) "\"")
		}
		if (in_comment && text ~ /\*\//) {
			if (text ~ /\?[ \t]*\*\//) wrong("is a question")
			in_comment = opened = 0
		} else if (begins && !in_comment && text ~ /\?[ \t]*$/)
			wrong("is a question")
	}' $(cat "$scratch/all")
}

check_limit() {
	awk "$keys"'
	/^#[ \t]*define [A-Z0-9_]+/ && match($0, /define ([A-Z0-9_]+_)?(MAX|MAXIMUM)_[A-Z0-9_]+|define [A-Z0-9_]+_(LIMIT|MAXIMUM)[ \t]/) {
		printf "limit %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, $0
	}' $(cat "$scratch/program")
}

check_verb() {
	awk "$keys"'
	/^(static inline )?(struct |enum )?[a-z_0-9]+ \**[a-z_0-9]+_(release|free|delete|dispose|clear_all)\(/ {
		printf "verb %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, $0
	}' $(grep '\.h$' "$scratch/program")
}

check_cleanup() {
	awk "$keys"'
	/^[ \t]+[a-z].*[a-z0-9_] _cleanup_[a-z]+_( =|;|\[)/ {
		printf "cleanup %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, $0
	}' $(cat "$scratch/program")
}

# The size of a type may be absent, so each use has to say by type_size() or type_size_or() what it then means.
check_private() {
	awk "$keys"'
	/[>.]constant_size/ && FILENAME !~ /^dwarf\/types\// {
		printf "private %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, $0
	}' $(cat "$scratch/program")
}

# In code; comments may have examples, texts are the names of functions and the like, and members (regs.rip) those of the
# kernel's structs.
check_arch() {
	awk "$keys"'
	FNR == 1 { in_comment = 0 }
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		gsub(/\/\*([^*]|\*[^\/])*\*\//, " ", line)
		if (in_comment) { if (!sub(/.*\*\//, "", line)) next; in_comment = 0 }
		if (sub(/\/\*.*/, "", line)) in_comment = 1
		sub(/\/\/.*/, "", line)
		rest = " " line
		while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
			word = substr(rest, RSTART, RLENGTH)
			member = substr(rest, RSTART - 1, 1) == "."
			rest = substr(rest, RSTART + RLENGTH)
			if (word ~ /^(REG_(R([A-D]X|[SD]I|[SB]P|IP|[0-9]+)|XMM[0-9]+)|SEGMENT_[FG]S|(EM|R|PERF_REG)_X86_[A-Z0-9_]+|X86_[A-Z0-9_]+)$/ ||
			    word ~ /^(REG_([XV][0-9]+|SP)|SEGMENT_TPIDR|R_AARCH64_[A-Z0-9_]+|X_BITS)$/ ||
			    (!member && word ~ /^r([a-d]x|[sd]i|[sb]p|ip)$/))
				printf "arch %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, word
		}
	}' $(grep -vE '^(base/arch/|annotate/facts/(x86|arm64))|/(x86|arm64)/' "$scratch/program")
}

check_language() {
	awk "$keys"'
	/(^|[^A-Z_])LANGUAGE_(C|CXX|RUST|GO|OTHER)([^A-Z_]|$)|(^|[^A-Z_])IN_(C|KERNEL|CXX|RUST|GO|OTHER)([^A-Z_]|$)|[>.]language *[!=]=/ {
		printf "language %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, $0
	}' /dev/null $(grep '^annotate/' "$scratch/program" | grep -vE '^annotate/(language/|policy\.)')
}

check_rule() {
	awk "$keys"'
	/rule_is_(on|in)\(/ { printf "rule %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, $0 }
	' /dev/null $(grep '^annotate/' "$scratch/program" |
		grep -vE '^annotate/(rule|policy)\.h$|^annotate/(rules/stages|values/origins|solve/solve_function)\.c$')
}

# A path may leave out profiler/, and a name alone stands for a file anywhere.
check_path() {
	sources -name '*.[ch]' -o -name '*.sh' -o -name '*.1' -o -name '*.md' >"$scratch/files"
	find . -maxdepth 1 -name '*.md' | sed 's,^\./,,' | cat - <(find Documentation tests -name '*.md' 2>/dev/null) | sort >"$scratch/documents"
	[ -s "$scratch/documents" ] || return 0
	awk '
	NR == FNR {
		exists[$0] = 1
		name = $0; sub(/.*\//, "", name); exists[name] = 1
		if (sub(/^profiler\//, "")) exists[$0] = 1
		next
	}
	{
		rest = $0
		while (match(rest, /`[A-Za-z0-9_.\/-]+\.(c|h|sh|1|md)`/)) {
			path = substr(rest, RSTART + 1, RLENGTH - 2)
			rest = substr(rest, RSTART + RLENGTH)
			if (path !~ /^[\/.]|NAME/ && !(path in exists)) printf "path %s\t%s:%d: there is no %s\n", FILENAME, FILENAME, FNR, path
		}
	}' "$scratch/files" $(cat "$scratch/documents")
}

# A table is an initializer in a function that ends in a line "};".
check_size() {
	awk "$keys"'
	function finish() {
		if (lines > 1200) printf "size %s\t%s has %d lines\n", key(file), file, lines
	}
	FNR == 1 { finish(); file = FILENAME; start = 0 }
	{ lines = FNR }
	/^\{/ { start = FNR; table = 0; in_table = 0 }
	start && /^\t[^\t].*= \{$/ { in_table = FNR }
	in_table && /^\t\};/ { table += FNR - in_table + 1; in_table = 0 }
	/^\}/ && start {
		if (FNR - start + 1 - table > 75)
			printf "size %s\t%s:%d: a function of %d lines\n", key(FILENAME), FILENAME, start, FNR - start + 1 - table
		start = 0
	}
	END { finish() }' $(cat "$scratch/program")
}

check_width() {
	awk "$keys"'
	function columns(text,   i, n) {
		n = 0
		for (i = 1; i <= length(text); i++) n = substr(text, i, 1) == "\t" ? n + 8 - n % 8 : n + 1
		return n
	}
	FNR == 1 { off = 0 }
	/clang-format off/ { off = 1 }
	length($0) > 44 && !off && columns($0) > 100 && !/[^ -~\t]/ {
		printf "width %s\t%s:%d: %d columns\n", key(FILENAME), FILENAME, FNR, columns($0)
	}
	/clang-format on/ { off = 0 }' $(cat "$scratch/program")
}

# Words are compared with the parts of names between underscores.
check_word() {
	[ -f "$lint/words.txt" ] || return 0
	awk "$keys"'
	FILENAME == ARGV[1] { if ($0 !~ /^#/ && NF) instead[$1] = substr($0, length($1) + 2); next }
	FNR == 1 { in_comment = 0 }
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		gsub(/\/\*([^*]|\*[^\/])*\*\//, " ", line)
		if (in_comment) { if (!sub(/.*\*\//, "", line)) next; in_comment = 0 }
		if (sub(/\/\*.*/, "", line)) in_comment = 1
		sub(/\/\/.*/, "", line)
		count = split(tolower(line), parts, /[^a-z]+/)
		for (i = 1; i <= count; i++)
			if (parts[i] in instead)
				printf "word %s\t%s:%d: %s: %s\n", key(FILENAME), FILENAME, FNR, parts[i], instead[parts[i]]
	}' "$lint/words.txt" $(cat "$scratch/program")
}

check_prefix() {
	awk "$keys"'
	/strncmp\(.*, "([^"\\]|\\.)*", *([0-9]+|strlen\(")/ {
		printf "prefix %s\t%s:%d: starts_with() counts the prefix\n", key(FILENAME), FILENAME, FNR
	}' $(cat "$scratch/program")
}

# With an "else", two lines are no limit. A loop that moves its index is told at its closing brace, when it has not.
check_form() {
	grep -v '^profiler/machine/' "$scratch/program" >"$scratch/forms"
	[ ! -s "$scratch/forms" ] || awk "$keys"'
	function found(line, text) { printf "form %s\t%s:%d: %s says it\n", key(FILENAME), FILENAME, line, text }
	FNR == 1 { before = limit = loop = "" }
	limit != "" && !/^\t+else/ { found(FNR - 2, limit) }
	{ limit = "" }
	before ~ /^\t+if \([^&|?]+ [<>]=? [^&|?]+\)$/ && /^\t+[^=]+ = .*;$/ {
		sub(/^\t+if \(/, "", before); sub(/\)$/, "", before)
		match(before, / [<>]=? /)
		left = substr(before, 1, RSTART - 1); right = substr(before, RSTART + RLENGTH)
		less = substr(before, RSTART + 1, 1) == "<"
		assigned = $0; sub(/^\t+/, "", assigned)
		if (assigned == left " = " right ";") limit = less ? "raise_to()" : "lower_to()"
		if (assigned == right " = " left ";") limit = less ? "lower_to()" : "raise_to()"
	}
	before ~ /^\t+for \([a-z0-9_ ]+ [a-z]+ = 0; [a-z]+ < [^&|;]*; [a-z]+\+\+\) \{$/ && before !~ /\(enum / {
		index_name = before; sub(/ = 0;.*/, "", index_name); sub(/.* /, "", index_name)
		if ($0 ~ "^\t+(const )?(struct )?[a-z_0-9]+ \\*[a-z_0-9]+ = &[^,;]*\\[" index_name "\\];$") {
			loop = before; sub(/for.*/, "}", loop); loop_line = FNR - 1
		}
	}
	loop != "" && $0 ~ "(^|[^a-z_.>])" index_name "(--|\\+\\+| [-+]?= )" { loop = "" }
	loop != "" && $0 == loop { found(loop_line, "array_each() or array_indexed()"); loop = "" }
	/while \(die_next_child\(/ { found(FNR, "children_each()") }
	{ before = $0 }' $(cat "$scratch/forms")
}

check_static() {
	grep '\.c$' "$scratch/program" >"$scratch/engine"
	[ ! -s "$scratch/engine" ] || awk "$keys"'
	FNR == 1 {
		place = FILENAME
		sub(/\/[^\/]*$/, "", place)
		if (place !~ /^profiler/) sub(/\/.*/, "", place)
	}
	/^(static |COMPARISON\()/ {
		line = $0
		gsub(/__attribute__\(\([^)]*\)\)|^COMPARISON\(/, "", line)
		if (line ~ /=/ || !match(line, /[a-z_0-9]+[(,]/)) next
		name = substr(line, RSTART, RLENGTH - 1)
		if (((place, name) in home) && home[place, name] != FILENAME)
			printf "static %s\t%s() is in %s and in %s\n", key(FILENAME), name, home[place, name], FILENAME
		else
			home[place, name] = FILENAME
	}' $(cat "$scratch/engine")
}

# The rows "| TEXT | `FILE`, ... |" of the document, with the texts of access_reason_name() and the files that name the reason.
# `none` is no reason, and a file that only compares with one does not give it.
check_reason() {
	local document=Documentation/type-engine.md name text files file
	[ -f annotate/access.c ] || return 0
	sed -n 's/^\t\t\[\(REASON_[A-Z_]*\)\] = "\(.*\)",$/\1\t\2/p' annotate/access.c | grep -v '^REASON_NONE' |
	while IFS=$'\t' read -r name text; do
		files=$(awk -F' *[|] *' -v TEXT="$text" '$2 == TEXT { gsub(/[`,]/, " ", $3); print $3 }' "$document")
		[ -n "$files" ] || printf 'reason %s\t%s: no row for "%s"\n' "$name" "$document" "$text"
		for file in $files; do
			grep -Eq "([^=!]=|return|[?:,]) *$name\>" "$file" 2>/dev/null ||
				printf 'reason %s\t%s: %s does not give %s\n' "$name" "$document" "$file" "$name"
		done
	done
}

# skip_because() gives the reason, compiler_works() compiles and links, and a scratch folder has nothing that others made.
check_probe() {
	grep '^tests/.*\.[ch]$' "$scratch/all" | grep -v '^tests/support/unit\.c$' >"$scratch/tests"
	[ ! -s "$scratch/tests" ] || awk "$keys"'
	/(^|[^_a-z])skip\(\)/ { found("skip_because() says what is missing") }
	/process_exists\("(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc)"\)/ { found("compiler_works() asks whether it compiles and links") }
	/"[^"]*\/nonexistent/ { found("/nonexistent may exist: use scratch_file()") }
	function found(text) { printf "probe %s\t%s:%d: %s\n", key(FILENAME), FILENAME, FNR, text }' $(cat "$scratch/tests")
}

for check in order include call knot tag header brought top spdx comment limit verb cleanup private arch language rule path reason size width word prefix form static probe; do
	check_$check
done >"$scratch/found"

known=$lint/known.txt
[ -f "$known" ] || : >"$known"
# "CHECK KEY" with how often it was found, and how often it may be.
cut -f1 "$scratch/found" | sort | uniq -c | awk '{ print $2, $3, $1 }' >"$scratch/counts"
awk '
FILENAME == ARGV[1] { if ($0 !~ /^#/ && NF == 3) allowed[$1 " " $2] = $3; next }
FILENAME == ARGV[2] { found[$1 " " $2] = $3; next }
{
	split($0, parts, "\t")
	if (found[parts[1]] > allowed[parts[1]] + 0) { print "too-many\t" $0; bad[parts[1]] = 1 }
}
END {
	for (key in bad) if (allowed[key]) print "too-many\t" key "\tthe above are " found[key] ", of which known.txt forgives " allowed[key]
	for (key in allowed) if (found[key] + 0 < allowed[key]) print "too-few\t" key " " found[key] + 0
}' "$known" "$scratch/counts" "$scratch/found" >"$scratch/verdict"

if [ -n "$shrink" ]; then
	awk '
	FILENAME == ARGV[1] { if ($1 == "too-few") lower[$2 " " $3] = $4; next }
	($1 " " $2) in lower { if (lower[$1 " " $2]) print $1, $2, lower[$1 " " $2]; next }
	{ print }' "$scratch/verdict" "$known" >"$scratch/new" && cat "$scratch/new" >"$known"
	sed -i '/^too-few/d' "$scratch/verdict"
fi

sed -n 's/^too-many\t[^\t]*\t//p' "$scratch/verdict"
sed -n 's/^too-few\t\(.*\)/known.txt: lower it (dependencies.sh --shrink): \1 are left/p' "$scratch/verdict"
[ ! -s "$scratch/verdict" ]
