#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each command has a man page, the page shows without a warning, and names every option that --help names and no other, and every
# key, column, field and format.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
# without help, which has no page of its own
commands=$(sed -n 's/^\tROW(\([a-z0-9]*\), .*/\1/p' profiler/commands/commands.h | grep -vx help)
[ -n "$commands" ] || { echo "Bail out! no command is found in profiler/commands/commands.h"; exit 1; }
pages="dtprof"
for command in $commands; do
	pages="$pages dtprof-$command"
done
plan $((3 * $(echo $pages | wc -w) + 2 * $(echo $commands | wc -w)))

# The options that a page describes: in the tags of its lists (man: the line after .TP; mdoc: .It Fl), but for those that only
# perf has.
described() { # FILE
	awk '/^\.SH DIFFERENCES FROM PERF/ { exit }
		tag { print }
		{ tag = /^\.T[PQ]/ }
		/^\.It .*Fl / { gsub(/ Fl | , /, " -"); print }' "$1" |
		sed 's/\\-/-/g; s/\\~/ /g; s/\\f.//g' | grep -oE '(^|[ ",[])(--[a-z][a-z0-9-]*|-[A-Za-z0-9]\b)' | tr -d ' ",[' | sort -u
}

for page in $pages; do
	file=Documentation/$page.1
	[ -f "$file" ]
	result $? "there is $file"
	if ! command -v mandoc >/dev/null; then
		skip "$file shows without a warning" "no mandoc here"
		skip "$file joins no words" "no mandoc here"
	elif [ -f "$file" ]; then
		message=$(mandoc -T lint -W warning "$file" 2>&1)
		result $? "$file shows without a warning" "$message"
		# macros of two fonts join their words: ".BR parent . The default" is one
		# (a word that the source has as it is, such as main.Node, was not joined)
		joined=
		for word in $(mandoc -T ascii -O width=1000 "$file" | col -b | grep -oE '[^ ]*[a-z)][.,;:][A-Z][a-z]+[A-Za-z.]*' | sed 's/\.$//'); do
			sed 's/\\f.//g' "$file" | grep -qF -e "$word" || joined="$joined $word"
		done
		[ -z "$joined" ]
		result $? "$file joins no words" "$joined"
	else
		result 1 "$file shows without a warning"
		result 1 "$file joins no words"
	fi
done

for command in $commands; do
	help=$("$DTPROF" "$command" --help 2>&1)
	status=$?
	# mdoc writes "--event" as "Fl -event"
	page=$(sed 's/\\-/-/g; /Fl /s/ -\([a-z]\)/ --\1/g' "Documentation/dtprof-$command.1" 2>/dev/null)
	missing=
	for option in $(printf '%s\n' "$help" | grep -oE '(^| )--[a-z][a-z0-9-]*' | sort -u); do
		printf '%s\n' "$page" | grep -qE -e "$option([^a-z0-9-]|$)" || missing="$missing $option"
	done
	# letters are "\-i" there, in mdoc "Fl i"
	letters=$(printf '%s\n' "$page" | sed 's/Fl \([A-Za-z0-9]\)\b/ -\1/g; s/\\-/-/g; s/[",]/ /g')
	for option in $(printf '%s\n' "$help" | grep -oE '^ +-[A-Za-z0-9]\b' | sort -u); do
		printf '%s\n' "$letters" | grep -qE -e "(^| )$option( |\\\\|$)" || missing="$missing $option"
	done
	# the lists below the options: "Keys of --sort and --fields:", "Formats:"
	for word in $(printf '%s\n' "$help" | sed -n '/^\(Keys\|Columns\|Fields\) of .*:$\|^Formats:$/,/^$/s/^    \([a-z0-9_]\+\).*/\1/p'); do
		printf '%s\n' "$page" | grep -qw -e "$word" || missing="$missing $word"
	done
	[ "$status" -eq 0 ] && [ -n "$help" ] && [ -z "$missing" ]
	result $? "the page of $command names all its options" "status $status, not in the page:$missing"

	[ "$command" != mem ] || help="$help $("$DTPROF" mem record --help) $("$DTPROF" mem report --help)"
	[ "$command" != c2c ] || help="$help $("$DTPROF" c2c record --help) $("$DTPROF" c2c report --help)"
	[ "$command" != lock ] || help="$help $("$DTPROF" lock record --help) $("$DTPROF" lock report --help) $("$DTPROF" lock contention --help)"
	[ "$command" != store ] || for part in init add report history diff list gc; do help="$help $("$DTPROF" store $part --help)"; done
	unknown=
	options=$(described "Documentation/dtprof-$command.1")
	for option in $options; do
		printf '%s\n' "$help" | grep -qE -e "(^|[ ,[])($option|--${option#--no-})([^A-Za-z0-9-]|$)" || unknown="$unknown $option"
	done
	[ -n "$options" ] && [ -z "$unknown" ]
	result $? "$command has all options of its page" "not in its help:$unknown"
done
finish
