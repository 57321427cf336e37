#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# browser_screen.sh WIDTHxHEIGHT COMMAND [KEY | =WIDTHxHEIGHT]...: runs a command in a terminal of this size (tmux), presses the
# keys or changes the size, and prints the screen. Each step waits until the screen was the same for a while.
# Exit status 77: tmux does not start here, because there are no pseudoterminals, for example.
set -u
socket=$(mktemp -u)
size=$1 command=$2
shift 2
in_tmux() { tmux -S "$socket" -f /dev/null "$@"; }
trap 'in_tmux kill-server 2>/dev/null; rm -f "$socket"' EXIT

# Prints the screen when it is full, other than the text $1, and steady; at most 20 seconds.
steady() { # BEFORE
	local last= now same=0
	for _ in $(seq 200); do
		sleep 0.1
		now=$(in_tmux capture-pane -p -t test)
		if [ -n "$now" ] && [ "$now" = "$last" ] && [ "$now" != "$1" ]; then
			same=$((same + 1))
		else
			same=0
		fi
		last=$now
		[ $same -ge 3 ] && break
	done
	printf '%s\n' "$now"
}

in_tmux new-session -d -s test -x "${size%x*}" -y "${size#*x}" "$command; sleep 1000" || exit 77
screen=$(steady "")
for key in "$@"; do
	case $key in
	=*x*)
		key=${key#=}
		in_tmux resize-window -t test -x "${key%x*}" -y "${key#*x}"
		;;
	*) in_tmux send-keys -t test "$key" ;;
	esac
	screen=$(steady "$screen")
done
printf '%s\n' "$screen"
