# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for bash: commands, options, and the arguments whose values dtprof itself lists. What it offers comes from
# --help, so that it cannot differ from the program.

_dtprof() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} command= i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-*) ;;
		*) command=${COMP_WORDS[i]}; break ;;
		esac
	done
	COMPREPLY=()
	if [ -z "$command" ]; then
		COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^    \([a-z0-9]\+\) .*/\1/p') --version --help" -- "$word"))
		return
	fi
	case $command,$before in
	record,-e | record,--event | mem,-e)
		# compgen expands the words: a name that the kernel tells is no command
		COMPREPLY=($(compgen -W "$("$program" list --raw-dump 2>/dev/null | tr -cd 'A-Za-z0-9_:/=,.@ \n-')" -- "$word"))
		__ltrim_colon_completions "$word" 2>/dev/null
		return
		;;
	report,-s | report,--sort | report,-F | report,--fields | script,-F | script,--fields)
		# keys are separated by commas: the last one is completed
		local first=
		[[ $word != *,* ]] || first=${word%,*},
		COMPREPLY=($(compgen -P "$first" -W "$("$program" "$command" --help 2>/dev/null | sed -n '/^\(Keys\|Fields of -F\)/,$s/^    \([a-z_]\+\) .*/\1/p')" -- "${word##*,}"))
		return
		;;
	esac
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$("$program" "$command" --help 2>/dev/null | grep -oE '(^| )--[a-z][a-z0-9-]*' | tr -d ' ')" -- "$word"))
		return
	fi
	compopt -o default 2>/dev/null
}

complete -F _dtprof dtprof
