#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Options that the project itself passes exist: those of the README, of the pages' examples and of tests/bench. Others pass them as
# well, so that one that disappeared would break their scripts.
#
#   tests/lint/options.sh BUILD
#
# BUILD is the folder with dtprof.
set -u

dtprof=${1:-build}/dtprof
export DTPROF_CONFIG='' COLUMNS=200

# Prints COMMAND and OPTION of each call, with the commands of a pair ("c2c report") as one: "c2c_report".
calls() {
	sed -nE 's/\\-/-/g; s/"?\$\{?(DTPROF|dtprof)\}?"?|\$\(DTPROF\)/dtprof/g
		s/^(report|annotate|script|mem|c2c|layout|export|diff|archive|check|print) (.*@)/dtprof \1 \2/
		s/.*\bdtprof ((c2c|lock|store|mem) )?([a-z]+2?[a-z]*) +(-.*|[^-].* -.*)$/\2 \3 \4/p' "$@" |
		sed -E "s/ (--|\||[0-9]?>|<|;|&|#)([ &<(].*|$)//; s/\"[^\"]*\"|'[^']*'|=[^ ]*/ /g; s/^ +//" |
		awk '{ command = $1; first = 2
			if (command ~ /^(c2c|lock|store)$/) { command = $1 "_" $2; first = 3 }
			if (command == "mem") command = "mem_" (/ record/ ? "record" : "report")
			for (i = first; i <= NF; i++)
				if ($i ~ /^(--[a-z][a-z0-9-]+|-[A-Za-z])$/) print command, $i }'
}

examples() {
	for page in Documentation/*.1; do
		sed -n '/^\.SH EXAMPLES/,/^\.SH [^E]/p' "$page"
	done
	cat README.md
}

failed=0
declare -A help
while read -r command option; do
	# shellcheck disable=SC2086 # a command is words
	[ "${help[$command]+known}" ] || help[$command]=$("$dtprof" ${command/_/ } --help 2>/dev/null)
	[ "${help[$command]}" ] || continue # a word of prose
	grep -qE -- "(^|[ ,])$option\b" <<<"${help[$command]}" && continue
	# some are accepted but not listed, and a flag is off by --no-NAME
	name=${option#--no-} name=${name##-}
	grep -qE -- "(^|[ ,])--$name\b" <<<"${help[$command]}" || git grep -qE "\"$name\"|OPTION_[A-Z_]+, '$name'" -- 'profiler/commands/*.c' 'profiler/cli/*.h' && continue
	echo "dtprof ${command/_/ } has no option $option, which the README, an example or tests/bench passes"
	failed=1
done < <({ examples | calls; calls tests/bench/*.sh; } | sort -u)
exit $failed
