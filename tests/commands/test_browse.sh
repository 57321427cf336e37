#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The browser of `dtprof report` and `annotate` in a real terminal (tmux): from the types to the code that uses a field, other
# sizes while it is open, poor terminals, hostile names, and the reasons why it does not open. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
number=0
trap 'in_tmux kill-server 2>/dev/null; rm -rf "$folder"' EXIT
data=$folder/perf.data
names=("types come first" "Enter shows the layout" "the functions that use a field" "their code, at the access to the field"
	"ESC leads back" "the terminal may change its size" "a line is copied by OSC 52, or to a file" "P writes a file" "its figures are those of report -s type"
	"q leaves, with status 0 and a clean terminal" "no character of a name reaches the terminal as it is" "TERM=vt100" "NO_COLOR"
	"ASCII where the locale is not UTF-8" "TERM=dumb has text"
	"terminals that others may describe are not used" "--stdio has text" "tui.report = off has text"
	"--tui says why it cannot open" "a filter that leaves nothing is an error" "annotate FUNCTION opens its code" "annotate --data-type opens a layout"
	"a layout has the objects within others")
plan ${#names[@]}

skip_all() { # WHY
	for name in "${names[@]:$tap_number}"; do
		skip "$name" "$1"
	done
	finish
}

command -v tmux >/dev/null || skip_all "no tmux here"
# The name of the program, and so of its threads, is an escape sequence that would clear the screen.
program=$folder/$(printf 'h\033[2Jot')
if ! ${CC:-gcc} -O2 -g -o "$program" tests/workloads/cache.c 2>"$folder/log"; then
	skip_all "cannot compile here: $(head -1 "$folder/log")"
fi
# A fast machine needs more rounds until each field that the tests look for has samples.
for rounds in 200000 2000000 20000000; do
	"$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$data" -- "$program" $rounds >/dev/null 2>"$folder/log" ||
		skip_all "cannot record here: $(head -1 "$folder/log")"
	[ "$("$DTPROF" script -i "$data" -F ip 2>/dev/null | wc -l)" -ge 500 ] && break
done

export DTPROF_CONFIG='' LC_ALL=C.UTF-8
unset NO_COLOR DTPROF_PAGER
in_tmux() { tmux -S "$folder/tmux$number" -f /dev/null "$@"; }

# Runs a command in a new terminal of 80x24; its status goes to $folder/status. The settings of the environment come first.
open() { # SETTINGS COMMAND...
	local settings=$1
	shift
	rm -f "$folder/status"
	# a server of its own, since the last one may still be ending
	in_tmux kill-server 2>/dev/null
	number=$((number + 1))
	in_tmux new-session -d -s test -x 80 -y 24 \
		"cd '$folder' && env $settings $*; echo \$? >'$folder/status'; echo left; sleep 1000" || skip_all "tmux does not start here"
	in_tmux set-option -g set-clipboard on
}

screen() { in_tmux capture-pane -p -t test; }
press() { in_tmux send-keys -t test "$@"; }

# Waits until the screen shows a text, at most 20 seconds.
shows() { # TEXT
	for _ in $(seq 200); do
		screen | grep -qF -- "$1" && return 0
		sleep 0.1
	done
	return 1
}

# From the types to the layout of struct entry, wherever it stands in the table.
open_entry() {
	shows "Types, by period" && press / && press -l "struct entry" && press Enter && shows "with 'struct entry'" && press Enter
}

# Waits until the browser fills a screen of so many lines: its last one is never empty.
fits() { # LINES
	for _ in $(seq 200); do
		screen >"$folder/lines"
		[ "$(wc -l <"$folder/lines")" -eq "$1" ] && head -1 "$folder/lines" | grep -q "Types" &&
			tail -1 "$folder/lines" | grep -q "Enter:" && return 0
		sleep 0.1
	done
	return 1
}

check() { # STATUS
	result "$1" "${names[$tap_number]}" "$(screen 2>/dev/null)"
}

open "" "$DTPROF report -i $data"
shows "Types, by period of cpu-clock:u" && screen | grep -q '%.*struct entry  *[0-9.]*% '
check $?
open_entry && shows "Layout: struct entry" && shows "cacheline 0 at +0"
check $?
press /
press key Enter
shows "key" && press Enter && shows "Used by functions" && shows "struct entry : key"
check $?
press Enter
shows "Code: " && shows "struct entry +8 (key)"
check $?
press Escape
shows "Used by functions" && press Escape && shows "Layout: struct entry" && press Escape && shows "with 'struct entry'" && press Escape &&
	shows "samples, with code"
check $?

status=0
for size in "200 60" "40 10" "20 3" "80 24"; do
	in_tmux resize-window -t test -x ${size% *} -y ${size#* } && fits ${size#* } || status=1
done
shows "Hottest field" || status=1
check $status

press c
shows "clipboard of the terminal" && in_tmux show-buffer | grep -q '%'
check $?
press P
shows "Wrote dtprof.hist.0" && grep -q 'struct entry' "$folder/dtprof.hist.0" && ! grep -q "$(printf '\033')" "$folder/dtprof.hist.0"
check $?
# Share, samples and type of each row. Wide screens have bars, too, and the browser groups digits.
LC_ALL=C tr -d '\200-\377,' <"$folder/dtprof.hist.0" |
	sed -n '5,$s/^ *\([0-9.]*%\) *\([0-9]*\) .*\( \(struct\|union\|(\)[^0-9%]*\)\( .*%.*\)\{0,1\}$/\1 \2\3/p' | sed 's/ *$//' | sort >"$folder/ours"
"$DTPROF" report -q -i "$data" -s type -n -t '|' 2>/dev/null | tr -d , | sed 's/^ *//; s/ *| */ /g; s/ *$//' |
	grep -E ' (struct|union|\()' | sort >"$folder/theirs"
[ -s "$folder/ours" ] && message=$(diff "$folder/ours" "$folder/theirs" 2>&1)
result $? "${names[$tap_number]}" "$message"
press q
shows "left" && [ "$(cat "$folder/status")" = 0 ] && ! screen | grep -q "Types, by"
check $?

# All that the program writes is kept, with its own escape sequences, which may stand for anything but the name's.
open "" "script -q -c \"$DTPROF report -i $data -s pid\" $folder/written"
if command -v script >/dev/null; then
	shows "Threads, by" && shows "h?[2Jot" && press q && shows left &&
		grep -qF 'h?[2Jot' "$folder/written" && ! grep -qF "$(printf 'h\033[2J')" "$folder/written"
	check $?
else
	skip "${names[$tap_number]}" "no script(1) here"
fi

open "TERM=vt100" "$DTPROF report -i $data"
open_entry && shows "Layout: struct entry" && press q && shows left
check $?
open "NO_COLOR=1" "$DTPROF report -i $data"
shows "Types, by period" && ! in_tmux capture-pane -e -p -t test | grep -q "$(printf '\033\\[[0-9;]*3[0-7]m')"
check $?
open "LC_ALL=C" "$DTPROF report -i $data"
open_entry && shows "-- cacheline" && ! screen | LC_ALL=C grep -q '[^ -~]'
check $?

open "TERM=dumb DTPROF_PAGER=" "$DTPROF report -i $data"
shows left && ! screen | grep -q "Types, by"
check $?
# what terminfo says of a terminal is sent to it
mkdir -m 700 "$folder/home" && infocmp xterm 2>"$folder/log" | sed 's/^xterm|/own-xterm|/' >"$folder/own" &&
	HOME=$folder/home tic -o "$folder/home/.terminfo" "$folder/own" 2>>"$folder/log"
if [ -e "$folder/home/.terminfo/o/own-xterm" ]; then
	open "TERM=own-xterm HOME=$folder/home DTPROF_PAGER=" "$DTPROF report -i $data"
	shows "Types, by period"
	own=$?
	chmod 777 "$folder/home"
	open "TERM=own-xterm HOME=$folder/home DTPROF_PAGER=" "$DTPROF report -i $data"
	shows left && ! screen | grep -q "Types, by" && [ $own -eq 0 ]
	check $?
else
	skip "${names[$tap_number]}" "no tic, or no xterm: $(head -1 "$folder/log")"
fi
open "DTPROF_PAGER=" "$DTPROF report -i $data --stdio"
shows left && ! screen | grep -q "Types, by"
check $?
printf '[tui]\n\treport = off\n' >"$folder/config"
open "DTPROF_CONFIG=$folder/config DTPROF_PAGER=" "$DTPROF report -i $data"
shows left && ! screen | grep -q "Types, by"
check $?
message=$("$DTPROF" report --tui -i "$data" 2>&1 </dev/null)
[ $? -eq 129 ] && printf '%s' "$message" | grep -q "not a terminal"
check $?

open "" "$DTPROF report -i $data --symbol-filter=no_such_function"
shows left && screen | grep -q "no sample is in a function" && [ "$(cat "$folder/status")" = 1 ]
check $?
function=$("$DTPROF" report -i "$data" -q -s sym -t '|' 2>/dev/null | head -1 | sed 's/.*\] *//')
open "" "$DTPROF annotate -i $data $function"
shows "Code: $function"
check $?
open "" "$DTPROF annotate -i $data --data-type=entry"
shows "Layout: struct entry"
check $?
# most persons are parts of items, and only the others have an age that is read
${CC:-gcc} -O2 -g -o "$folder/places" tests/workloads/places.c 2>"$folder/log" &&
	"$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$folder/places.data" -- "$folder/places" 600 >/dev/null 2>"$folder/log"
open "" "$DTPROF annotate -i places.data --data-type=person"
shows "in struct item (person)"
check $?
finish
