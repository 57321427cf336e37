#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Text with names in it reaches the terminal only as a printable text (STRBUF_TEXT of base/strbuf.h), through the functions of
# profiler/cli/output.c. Each other call that prints, and each text that is appended as it is, is counted here with the reason
# why no name of a file is in it. A file may have fewer; a new one has to be read, and the count changed.
set -u

# FILE | calls of stdio's functions that print | why they print no name of a file
prints='
profiler/cli/input.c | 4 | printable texts and numbers, to standard error
profiler/cli/options.c | 3 | words of --help
profiler/cli/output.c | 6 | the functions that others use
profiler/cli/trouble.c | 1 | a newline
profiler/commands/agent.c | 1 | messages of this program, which printed them
profiler/commands/annotate.c | 4 | words of --help and names of instructions
profiler/commands/commands.c | 6 | words of --help
profiler/commands/export.c | 2 | words of --help, and the formats that report/export/ writes
profiler/commands/html.c | 1 | the path that the user gave
profiler/commands/index.c | 1 | a companion, into its file
profiler/commands/layout.c | 1 | numbers
profiler/commands/list.c | 21 | words of the program, and names in /sys
profiler/commands/mem.c | 1 | a heading
profiler/commands/record.c | 5 | numbers
profiler/commands/report.c | 3 | words of --help, and write_bytes(), which JSON and printable texts use
profiler/commands/script.c | 3 | names of columns
report/html/html_page.c | 1 | the page: its data is base64
'
# FILE | calls of strbuf_add_trusted() | what they append
trusted='
profiler/cli/trouble.c | 1 | remarks, detached from printable texts
profiler/commands/layout_patch.c | 1 | a patch, which is_harmless() has checked
profiler/commands/report.c | 2 | words of the program
profiler/resolve/layout_source.c | 1 | a declaration, from a printable text
report/c2c/print_sharing.c | 1 | words of the program
report/diff/diff.c | 1 | words of the program
report/key/key_figure.c | 1 | the escape sequence of a colour
report/layout/advice_print.c | 1 | words of the program
report/layout/emit.c | 7 | words of the program, and declarations from printable texts
profiler/commands/print_value.c | 1 | what lines begin with, which was made printable when it was made
report/print/struct_layout.c | 1 | words of the program
'

# compare LISTED PATTERN WHAT: no file has more calls that match than are listed for it.
compare() {
	git ls-files 'report/*.c' 'profiler/*.c' 'annotate/*.c' 'dwarf/*.c' 'disasm/*.c' | xargs grep -cE "$2" |
		awk -F '[:|]' -v LISTED="$1" -v WHAT="$3" '
		BEGIN {
			count = split(LISTED, lines, "\n")
			for (i = 1; i <= count; i++)
				if (split(lines[i], parts, " [|] ") == 3) listed[parts[1]] = parts[2]
		}
		$2 > listed[$1] + 0 { print $1 ": has " $2 " " WHAT ", prints.sh lists " listed[$1] + 0 }'
}

found=$(compare "$prints" '\b(printf|fprintf|fputs|puts|putc|putchar|fputc|fwrite|vprintf|vfprintf|dprintf)\(' 'calls that print'
	compare "$trusted" '\bstrbuf_add_trusted\(' 'texts appended as they are')
# A condition between literals is no literal: printable texts take its newlines for a name's. Patches are no such texts.
found+=$(git ls-files 'report/*.c' 'profiler/*.c' | grep -v patch | while read -r file; do
	tr '\n\t' '  ' <"$file" | grep -oE 'strbuf_add_string\([^";]*\? *"[^;]*\\n[^;]*;' | sed "s|^|$file: a newline in a condition: |"
done)
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$found" ]
