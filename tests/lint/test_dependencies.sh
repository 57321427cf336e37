#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dependencies.sh finds each kind of violation in small trees that are made here, and accepts those that known.txt lists.
set -u
. tests/support/tap.sh

script=$PWD/tests/lint/dependencies.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
license='SPDX-License-Identifier: GPL-2.0-or-later'

# source FILE TEXT...: a line each, after the license.
source_file() {
	local file=$scratch/tree/$1
	shift
	mkdir -p "${file%/*}"
	case $file in
	*.h) echo "/* $license */" ;;
	*.c) echo "// $license" ;;
	esac >"$file"
	printf '%s\n' "$@" >>"$file"
}

# Two rooms: upper may use lower.
make_tree() {
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/lint"
	cd "$scratch/tree" || exit 1
	printf '%s\n' '# order' 'lower:' 'upper: lower' >lint/rooms.txt
	source_file lower/base.h 'struct base {' '	int number;' '};' 'int base_number(const struct base *base);'
	source_file lower/base.c '/* Numbers. */' '#include "lower/base.h"' 'int base_number(const struct base *base)' \
		'{' '	return base->number;' '}'
	source_file upper/top.c '/* Uses numbers? No: see below. */' '#include "lower/base.h"' 'int top(void);' 'int top(void)' \
		'{' '	return base_number(&(struct base){ 1 });' '}'
}

compile() {
	local file
	for file in */*.c; do
		mkdir -p "objects/${file%/*}"
		${CC:-gcc} -Wno-implicit-function-declaration -I. -c "$file" -o "objects/${file%.c}.o" || exit 1
	done
}

check() { LINT=lint "$script" "$@" 2>&1; }

# refuses NAME PATTERN [ARGUMENT...]: the script fails and says PATTERN, and nothing else.
refuses() {
	local name=$1 pattern=$2 output status
	shift 2
	output=$(check "$@")
	status=$?
	[ $status -eq 1 ] && [ "$(echo "$output" | wc -l)" -eq 1 ] && echo "$output" | grep -q "$pattern"
	result $? "$name" "status $status: $output"
}

plan 57

make_tree
compile
output=$(check objects)
result $? "a tree that keeps to the rules passes" "$output"
touch -d '1 hour' upper/top.c
refuses "objects that are older than their sources" 'upper/top.c is newer than its object: build it first' objects

source_file lower/circle.c '#include "upper/top.h"'
source_file upper/top.h 'struct top;' 'int top(void);' 'int top_of(struct top *top);'
echo '#include "upper/top.h"' >>upper/top.c
refuses "a circle of includes" 'lower/circle.c includes upper/top.h: lower may not use upper'

make_tree
source_file lower/circle.c 'int top(void);' 'int circle(void);' 'int circle(void)' '{' '	return top();' '}'
compile
output=$(check)
result $? "a call is not seen in the includes" "$output"
refuses "but in the objects" 'lower/circle.c needs top of upper/top.c: lower may not use upper' objects

make_tree
printf '%s\n' 'lower:' 'upper: lower/base.h' >lint/rooms.txt
compile
output=$(check objects)
result $? "a room may use a single header" "$output"
source_file lower/more.h 'struct more {' '	int number;' '};' 'int more(void);'
source_file lower/more.c '#include "lower/more.h"' 'int more(void)' '{' '	return 1;' '}'
echo '#include "lower/more.h"' >>upper/top.c
refuses "but then no other one of that room" 'upper/top.c includes lower/more.h: upper may not use lower'
sed -i '$d' upper/top.c
sed -i 's/base_number(.*)/more()/' upper/top.c
compile 2>/dev/null
output=$(check objects)
[ $? -eq 1 ] && echo "$output" | grep -q 'upper/top.c needs more of lower/more.c'
result $? "nor call its functions" "$output"

make_tree
printf '%s\n' 'annotate:' >lint/rooms.txt
rm -rf lower upper
source_file annotate/one.c 'static int add(int n)' '{' '	return n;' '}' 'int one(int n);' 'int one(int n)' '{' '	return add(n);' '}'
source_file annotate/two.c 'static int two_add(int n)' '{' '	return n;' '}' 'int two(int n);' 'int two(int n)' '{' '	return two_add(n);' '}'
output=$(check)
result $? "static functions of the engine have names of their own" "$output"
sed -i 's/two_add/add/' annotate/two.c
refuses "or the lint says so" 'add() is in annotate/one.c and in annotate/two.c'

# The document says which file gives a reason for an unknown type.
make_tree
mkdir -p annotate Documentation
printf '%s\n' 'annotate:' >>lint/rooms.txt
source_file annotate/access.c '		[REASON_FAR] = "it is far",' ''
source_file annotate/far.c '	return REASON_FAR;' ''
printf '| it is far | `annotate/far.c` |\n' >Documentation/type-engine.md
check | grep '^Documentation/type-engine.md'
[ $? -eq 1 ]
result $? "each reason has a row with the file that gives it"
sed -i 's/return REASON_FAR/return reason == REASON_FAR/' annotate/far.c
refuses "or the lint names the file" 'annotate/far.c does not give REASON_FAR'

# The rooms of one folder; the state that they share includes the headers of both.
make_tree
printf '%s\n' 'house/state.h: *' 'house/lower: ^' 'house/upper: ^' >lint/rooms.txt
rm -rf lower upper objects
source_file house/state.h '#include "house/upper/top.h"' 'struct state {' '	struct top top;' '};'
source_file house/upper/top.h 'struct top {' '	int number;' '};' 'int top(void);'
source_file house/lower/base.c '#include "house/state.h"' 'int base(struct state *state);' 'int base(struct state *state)' \
	'{' '	return state->top.number;' '}'
source_file house/upper/top.c '#include "house/state.h"' 'int top(void)' '{' '	return base(&(struct state){ 0 });' '}'
source_file house/upper/other.c '#include "house/upper/top.h"'
compile_house() {
	local file
	for file in house/*/*.c; do
		mkdir -p "objects/${file%/*}"
		${CC:-gcc} -Wno-implicit-function-declaration -I. -c "$file" -o "objects/${file%.c}.o" || exit 1
	done
}
compile_house
output=$(check objects)
result $? "rooms use those of their folder that stand above, and a shared state" "$output"
sed -i 's/return state->top.number/return top()/' house/lower/base.c
compile_house
refuses "the shared state does not allow a call" 'house/lower/base.c needs top of house/upper/top.c' objects
echo '#include "house/upper/top.h"' >>house/lower/base.c
refuses "nor an include" 'house/lower/base.c includes house/upper/top.h: house/lower may not use house/upper'

make_tree
for number in 1 2 3 4; do
	next=$((number % 4 + 1))
	source_file lower/part$number.c "int part$number(int n);" "int part$next(int n);" "int part$number(int n)" '{' "	return part$next(n - 1);" '}'
done
compile
refuses "four files that call each other" 'lower/part1.c and 3 more files call each other in a circle' objects
sed -i 's/return part1(n - 1)/return n/' lower/part4.c
compile
output=$(check objects)
result $? "but a chain of files is none" "$output"

make_tree
printf '%s\n' 'lower: upper' 'upper: lower' >lint/rooms.txt
refuses "an order of rooms with a circle" 'lower uses upper, which does not stand above it'

make_tree
printf '%s\n' 'lower:' 'upper: lower' 'lower/more.c: lower' >lint/rooms.txt
refuses "rooms of a folder on two storeys" 'lower/more.c stands apart from the other rooms of lower/'

make_tree
source_file attic/lost.c 'int lost;'
refuses "a file in no room" 'attic/lost.c is in no room'

make_tree
source_file upper/twin.c 'struct base {' '	char *text;' '};'
refuses "a tag that names two things" 'struct base names two things: in lower/base.c\?h\? and in upper/twin.c'

make_tree
source_file upper/alone.h 'struct alone {' '	int number;' '};'
echo '#include "upper/alone.h"' >>upper/top.c
refuses "a header that serves one file" 'upper/alone.h serves one file'

make_tree
source_file upper/thin.h '/* One thing, (of; which) nobody knows. */' 'struct base;' '' 'int thin(const struct base *base,' '	 int more);'
echo '#include "upper/thin.h"' >>upper/top.c
source_file upper/thin.c '#include "upper/thin.h"'
refuses "a header of one prototype" 'upper/thin.h holds one prototype'

make_tree
sed -i '1a #include <stdio.h>' lower/base.h
sed -i '2a #include <stdio.h>' upper/top.c
refuses "a header that another one brings" 'upper/top.c includes <stdio.h>, which lower/base.h brings'

make_tree
sed -i 1d upper/top.c
refuses "a file without its license" 'upper/top.c does not begin with // SPDX'

make_tree
sed -i '1s,.*,/* '"$license"' */,' upper/top.c
refuses "a license in another form" 'upper/top.c does not begin with // SPDX'

make_tree
printf '%s\n' '/*' ' * Of what is here no one speaks.' ' */' >>upper/top.c
refuses "a comment with an inverted clause" 'upper/top.c:10: a comment opens with an inverted clause'

make_tree
source_file tests/test_top.c '/* Skips. */' 'skip_because("no g++"); file_skip(); process_exists("perf");'
output=$(check)
result $? "a skip with its reason, and the probe for a program" "$output"
echo 'skip();' >>tests/test_top.c
refuses "a skip without its reason" 'tests/test_top.c:4: skip_because'
sed -i '$d' tests/test_top.c
echo 'if (!process_exists("g++"))' >>tests/test_top.c
refuses "the probe whether a compiler exists" 'tests/test_top.c:4: compiler_works'

make_tree
mkdir profiler
mv lint profiler/lint
mv lower upper profiler/
sed -i 's,^\(lower\|upper\),profiler/\1,; s,: lower,: profiler/lower,' profiler/lint/rooms.txt
sed -i 's,"lower/,"profiler/lower/,' profiler/*/*.[ch]
touch nodes.mod
git init -q . && git add profiler nodes.mod
output=$(LINT=profiler/lint "$script" 2>&1)
[ "$output" = 'nodes.mod does not belong at the top' ]
result $? "a compiler's output at the top is refused" "$output"

make_tree
printf '%s\n' 'int a; /* the number of' '	* something? */' >>upper/top.c
refuses "a question" 'upper/top.c:10: a comment is a question'

make_tree
echo '#define MAX_DEPTH 64 /* of arrays */' >>upper/top.c
refuses "a limit in another form" 'upper/top.c:9: #define MAX_DEPTH'

make_tree
echo 'void base_release(struct base *base);' >>lower/base.h
refuses "another verb of the life cycle" 'lower/base.h:6: void base_release'

make_tree
printf '%s\n' 'int end(void)' '{' '	char *text _cleanup_free_ = 0;' '}' >>upper/top.c
refuses "an attribute in another place" 'upper/top.c:11: .*char .text _cleanup_free_ = 0'

make_tree
printf '%s\n' 'unsigned long size_of(const struct type *type) { return type->constant_size; }' >>upper/top.c
refuses "the size of a type that may be absent" 'upper/top.c:9: .*type->constant_size'

make_tree
source_file lower/wild.c '/* rdi, REG_RDI */ const char *text = "REG_RDI";' 'int rip_of(struct ip *regs); int number = REG_GENERAL;' \
	'unsigned long ip(struct ip *regs) { return regs.rip; }'
mkdir -p base/arch && cp lower/wild.c base/arch/wild.c && echo 'int reg = REG_RDI;' >>base/arch/wild.c
sed -i 's,^lower:,base/arch:\nlower:,' lint/rooms.txt
output=$(check)
result $? "an example of a register in a comment, and a register in its architecture" "$output"
echo 'int reg = REG_RDI;' >>lower/wild.c
refuses "a register elsewhere" 'lower/wild.c:5: REG_RDI'

make_tree
mkdir -p annotate/language annotate/rules
source_file annotate/language/model.c '/* Go. */' 'int is_go(int language) { return language == LANGUAGE_GO; }'
source_file annotate/rules/stages.c '/* Rules. */' 'int is_tried(int rule) { return rule_is_on(rule); }'
sed -i 's,^lower:,annotate/language:\nannotate/rules:\nlower:,' lint/rooms.txt
output=$(check)
result $? "languages in their room, and rules that their stage asks for" "$output"
source_file annotate/rules/other.c '/* Other rules. */' 'int is_cxx(int language) { return language & IN_CXX; }'
refuses "a comparison of languages elsewhere" 'annotate/rules/other.c:3: int is_cxx'
source_file annotate/rules/other.c '/* Other rules. */' 'int is_on(int rule) { return rule_is_in(rule, 0); }'
refuses "a rule that is asked for elsewhere" 'annotate/rules/other.c:3: int is_on'

make_tree
printf '%s\n' 'See `lower/base.h`, `base.c`, `/proc/self/maps` and' '`upper/gone.c`.' >README.md
refuses "a document that names a file that is gone" 'README.md:2: there is no upper/gone.c'

make_tree
{ echo 'int long_one(void)'; echo '{'; for i in {1..72}; do echo "	top($i);"; done; echo '	return 0;'; echo '}'; } >>upper/top.c
output=$(check)
result $? "a function of 75 lines" "$output"
sed -i 's/^	return 0;/	top();\n&/' upper/top.c
refuses "a longer one" 'upper/top.c:10: a function of 76 lines'
sed -i 's/^	top(1);/	static const int table[] = {\n		1,\n	};/' upper/top.c
output=$(check)
result $? "tables of a function do not count" "$output"

make_tree
for i in {1..1192}; do echo "int number_$i;"; done >>upper/top.c
output=$(check)
result $? "a file of 1,200 lines" "$output"
echo 'int last;' >>upper/top.c
refuses "a longer file" 'upper/top.c has 1201 lines'

make_tree
printf '	/* %93s */\n' x >>upper/top.c
refuses "a line of more than 100 columns" 'upper/top.c:9: 107 columns'

make_tree
echo 'memo cache' >lint/words.txt
printf '%s\n' '/* a memo */' 'int memory = 0; const char *text = "memo";' >>upper/top.c
output=$(check)
result $? "a word in a comment or a text, and a longer word" "$output"
echo 'int first_memo;' >>upper/top.c
refuses "a name with a word that the glossary replaced" 'upper/top.c:11: memo: cache'

make_tree
printf '\treturn starts_with(text, "a") && !strncmp(text, "abc", length);\n' >>upper/top.c
output=$(check)
result $? "a prefix by its helper, and a text of a length that is not known" "$output"
printf '\treturn !strncmp(text, "abc", 3);\n' >>upper/top.c
refuses "a prefix whose length is counted by hand" 'upper/top.c:10: starts_with'

make_tree
printf '\t%s\n' 'if (width > most)' '	width = most;' 'else' '	width = 0;' 'for (size_t i = 0; i < count; i++) {' \
	'	struct base *base = &bases[i];' '' '	i = last(base);' '}' >>upper/top.c
output=$(check)
result $? "two lines before an else, and a loop that moves its index" "$output"
cp upper/top.c "$scratch/top.c"
printf '\t%s\n' 'if (most < list->width)' '	most = list->width;' 'x();' >>upper/top.c
refuses "a limit that is written out" 'upper/top.c:18: raise_to'
cp "$scratch/top.c" upper/top.c
printf '\t%s\n' 'for (size_t i = 0; i < count; i++) {' '	struct base *base = &bases[i];' '' '	use(base, i);' '}' >>upper/top.c
refuses "a loop over an array that is written out" 'upper/top.c:18: array_each'

make_tree
printf '%s\n' 'int a; /* the number of' '	* something? */' >>upper/top.c
printf '%s\n' '# forgiven' 'comment upper 3' >lint/known.txt
refuses "known.txt may only shrink" 'known.txt: lower it .*comment upper 1 are left'

output=$(check --shrink) && grep -qx 'comment upper 1' lint/known.txt && grep -qx '# forgiven' lint/known.txt && check >/dev/null
result $? "and is shrunk when asked for" "$output$(cat lint/known.txt)"

finish
