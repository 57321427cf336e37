#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kills dtprof agent (kill -9) at random moments, half of the times with all that it started, and holds the store against what
# was acknowledged: what an agent said that it had added, and what was complete in the spool after each kill.
#
#   agent_kills.sh [KILLS [SEED]]     (200, 1); DTPROF is dtprof
#
# Prints the sums; the last line is "nothing lost, nothing doubled", or what is wrong.
set -u

kills=${1:-200}
RANDOM=${2:-1}
dtprof=$(realpath "${DTPROF:-build/dtprof}")
folder=$(mktemp -d) || exit 1
trap 'kill -9 -- -$agent 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
agent=999999999
mkdir kept
# Writes the numbers of the round that an agent's log told last: recordings that were added.
added() {
	local count
	count=$(sed -n 's/^dtprof agent: [0-9]* recordings, \([0-9]*\) added.*/\1/p' "$1" | tail -1)
	echo "${count:-0}"
}

acknowledged=0
for kill in $(seq "$kills"); do
	setsid "$dtprof" agent --for 0.1s --every 0.15s --budget 100 --store s.db --spool spool -- -a -e cpu-clock -F 99 >log 2>&1 &
	agent=$!
	sleep $((RANDOM % 3)).$((RANDOM % 900 + 100))
	if [ $((RANDOM % 2)) = 1 ]; then
		kill -9 -- -$agent 2>/dev/null
	else
		kill -9 $agent 2>/dev/null
	fi
	wait $agent 2>/dev/null
	acknowledged=$((acknowledged + $(added log)))
	for file in spool/*.data; do
		[ ! -e "$file" ] || ln -f "$file" "kept/$(basename "$file")" 2>/dev/null
	done
done
# children of the last one that were not killed
kill -9 -- -$agent 2>/dev/null
"$dtprof" agent --for 0.1s --every 0.15s --budget 100 --store s.db --spool spool --times 1 -- -a -e cpu-clock -F 99 >log 2>&1 || { cat log; exit 1; }
acknowledged=$((acknowledged + $(added log)))
stored=$("$dtprof" store list -q --store s.db | wc -l)
echo "$kills kills: $acknowledged acknowledged, $(ls kept | wc -l) seen in the spool, $stored in the store, $(ls spool | wc -l) left"
problems=$(shopt -s nullglob; set -- kept/*.data; [ $# = 0 ] || "$dtprof" store add --store s.db "$@" 2>&1 | grep -vE 'is in the store already|warning:')
[ "$stored" -ge "$acknowledged" ] || problems+=" $acknowledged were acknowledged, and $stored are there"
[ -z "$(ls spool)" ] || problems+=" the spool is not empty"
problems+=$(python3 - <<'END'
import sqlite3
store = sqlite3.connect("file:s.db?mode=ro", uri=True)
one = lambda sql: store.execute(sql).fetchone()[0]
if one("SELECT count(*) FROM (SELECT b.id FROM batch b LEFT JOIN fact f ON f.batch = b.id GROUP BY b.id HAVING b.samples != ifnull(sum(f.samples), 0))"):
    print(" facts of a batch have other samples than the batch")
if one("SELECT sum(samples) FROM fact") != one("SELECT sum(samples) FROM daily") or one("SELECT sum(period) FROM fact") != one("SELECT sum(period) FROM daily"):
    print(" sums of days are not those of the facts")
if one("PRAGMA integrity_check") != "ok":
    print(" the file is damaged")
END
)
echo "${problems:-nothing lost, nothing doubled}"
[ -z "$problems" ]
