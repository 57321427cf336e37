#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures what a store of a fleet takes and answers, and what an agent costs, in one go of at most 20 minutes on two processors.
#
#   fleet_figures.sh [FOLDER [ROW...]]    (a temporary folder; all rows: rate add sqlite overhead kills regress)
#
# "answers" asks what "kills" has left in a FOLDER once more.
#
# DTPROF is dtprof, FLEET the program that fills stores, TEST_CLICKHOUSE the test of servers, REDIS redis-server; BATCHES of each of
# 1,000 hosts (288: one day), KILLS (200). QUIET is a command before those that are timed, such as one that stops all other
# processes for at most 100 s; without one, run this on a quiet machine. Needs clickhouse-server, zookeeper, redis-benchmark and gcc;
# a row that lacks one of these says so. Prints a line for each figure: the row, the figure, and how it was taken.
set -u

top=$(realpath "$(dirname "$0")/../..")
DTPROF=$(realpath "${DTPROF:-$top/build/dtprof}")
FLEET=$(realpath "${FLEET:-$top/build/tests/bench/fleet}")
TEST_CLICKHOUSE=$(realpath "${TEST_CLICKHOUSE:-$top/build/tests/store/test_clickhouse}")
REDIS=${REDIS:-redis-server} BATCHES=${BATCHES:-288} KILLS=${KILLS:-200}
export DTPROF FLEET REDIS
hosts=1000
row() { printf '%-34s %s\n' "$1:" "$2"; }
has() { command -v "$1" >/dev/null || { row "$2" "left out: there is no $1"; return 1; }; }

# ---- what is timed, each in a process of its own after $QUIET ----

start_server() {
	clickhouse-server --config-file="$PWD/config.xml" >/dev/null 2>&1 &
	server=$!
	for _ in $(seq 600); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return; sleep 0.1; done
	row server "it does not start: $(tail -1 errors)"
	return 1
}
stop_server() { kill "$server"; wait "$server" 2>/dev/null; }
ask() { python3 -c 'import sys, urllib.request as u; print(u.urlopen(u.Request(sys.argv[1], sys.argv[2].encode())).read().decode().strip())' "http://127.0.0.1:$port/" "$1"; }
# Adds so many batches of all hosts from two clients, half of the hosts each.
fill() {
	"$FLEET" "$store" $((hosts / 2)) "$1" 300 300 0 >fill.1 2>&1 &
	local first=$!
	"$FLEET" "$store" $((hosts / 2)) "$1" 300 300 $((hosts / 2)) >fill.2 2>&1
	wait $first
	! grep -h '^fleet:' fill.1 fill.2
}
# Prints the shortest and the longest of five times of a command.
times() {
	for _ in 1 2 3 4 5; do
		{ TIMEFORMAT=%R; time "$@" >shown 2>&1; } 2>&1
	done | sort -n | sed -n '1{h;d};${G;s/\(.*\)\n\(.*\)/\2 to \1 s/;p}'
}

time_rate() {
	start_server || return
	"$DTPROF" store init -q --store "$store" || return
	local before
	before=$(date +%s%N)
	fill 30 || return
	row "batches a second" "$((hosts * 30 * 1000000000 / ($(date +%s%N) - before))) (30,000 of 300 rows into an empty store, two clients)"
	stop_server
}
time_answers() {
	start_server || return
	local day="--since 2025-11-08 --until 2025-11-09 --build 83f6"
	parts() { ask "SELECT toString(sum(rows)) || ' rows in ' || toString(count()) || ' parts' FROM system.parts WHERE database = 'fleet' AND table = 'daily' AND active"; }
	row "hottest fields, as they came" "$(times "$DTPROF" store top --store "$store" $day) ($(ask "SELECT count() FROM fleet.batch") batches; $(parts))"
	ask "OPTIMIZE TABLE fleet.daily FINAL" >/dev/null
	row "hottest fields, merged" "$(times "$DTPROF" store top --store "$store" $day) ($(parts))"
	grep -q 'struct type_0' shown || row "hottest fields" "not there: $(cat shown)"
	for table in fact hourly daily; do
		row "bytes a row, $table" "$(ask "SELECT toString(round(sum(bytes_on_disk) / sum(rows), 2)) || ' of ' || toString(sum(rows)) || ' rows' FROM system.parts WHERE database = 'fleet' AND table = '$table' AND active")"
	done
	stop_server
}
time_sqlite() {
	for facts in 300 800; do
		row "SQLite: top, $facts facts, $hosts hosts" "$(times "$DTPROF" store top --store $facts.db)"
	done
}
time_add() {
	local bench redis
	"$REDIS" --port 0 --unixsocket "$PWD/socket" --save "" >redis.log 2>&1 &
	redis=$!
	for _ in $(seq 100); do [ -S socket ] || sleep 0.1; done
	redis-benchmark -s "$PWD/socket" -q -n 100000000 -r 100000 -P 8 -t set,get,lpush,hset >/dev/null 2>&1 &
	bench=$!
	"$DTPROF" record -q -p $redis -e cpu-clock -F 4000 -o redis.data -- sleep 8
	kill $bench $redis
	wait
	add_new() { rm -f new.db*; "$DTPROF" store add -q --store new.db redis.data; }
	add_new 2>/dev/null
	row "SQLite: add a recording" "$(times add_new) ($("$DTPROF" store list -q --store new.db | awk '{ print $3 }') samples of redis)"
}
time_overhead() { "$top/tests/bench/agent_overhead.sh" 5 6 "$PWD" | tail -4 >overhead; }

# Runs one of these, alone if $QUIET can.
quietly() { ${QUIET:-} "$top/tests/bench/fleet_figures.sh" --in "$PWD" "$1" 2>errors.timed || row "$1" "status $?: $(tail -1 errors.timed)"; }
if [ "${1:-}" = --in ]; then
	cd "$2" && . ./place && "$3"
	exit
fi

# ---- the rows ----

folder=${1:-}
[ -n "$folder" ] || folder=$(mktemp -d) || exit 1
[ $# = 0 ] || shift
mkdir -p -m 700 "$folder" && cd "$folder" || exit 1
export XDG_CACHE_HOME=$PWD/cache
trap 'rm -f compiling; kill $(jobs -p) 2>/dev/null; wait 2>/dev/null' EXIT
[ -e place ] || { port=$((20000 + RANDOM % 5000)); echo "port=$port store=clickhouse://127.0.0.1:$port/fleet" >place; }
. ./place
cat >config.xml <<END
<yandex><logger><level>error</level><log>$PWD/log</log><errorlog>$PWD/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>$port</http_port><tcp_port>$((port + 5001))</tcp_port>
<path>$PWD/data/</path><tmp_path>$PWD/tmp/</tmp_path><mark_cache_size>100000000</mark_cache_size>
<compression><case><min_part_size>1</min_part_size><min_part_size_ratio>0</min_part_size_ratio><method>zstd</method></case></compression>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>
END
cat >users.xml <<END
<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users></yandex>
END

rate() { has clickhouse-server rate && rm -rf data && mkdir -p data && quietly time_rate; }
add() { has redis-benchmark add && quietly time_add; }
sqlite() {
	rm -f [38]00.db*
	"$FLEET" 300.db $hosts 1 300 >/dev/null && "$FLEET" 800.db $hosts 1 800 >/dev/null && quietly time_sqlite
}
overhead() {
	has redis-benchmark overhead || return
	rm -f pairs
	for _ in 1 2 3; do quietly time_overhead; done
	row "agent: redis under load" "$(sed -n 1p overhead)"
	row "agent: at the defaults" "$(sed -n 2p overhead)"
	row "agent: processor and memory" "$(sed -n 3p overhead)"
}
# A day without network on processors that compile all the time: six recordings of ten seconds are made, and stand for 288.
spool() {
	touch compiling
	for _ in $(seq "$(nproc)"); do
		while [ -e compiling ]; do gcc -O2 -I"$top" -c -o /dev/null "$top/tests/bench/fleet.c" 2>/dev/null; done &
	done
	rm -rf spool
	"$DTPROF" agent -q --every 10s --for 10s --times 6 --budget 100 --store clickhouse://127.0.0.1:1/none --spool spool -- -a -F 99 2>spool.log
	rm -f compiling
	python3 -c '
import glob, shutil
names = sorted(glob.glob("spool/*.data"))
for i in range(287 - len(names)):
    shutil.copy(names[i % len(names)], "spool/%012d.000000000.data" % (1 + i))'
	local shown
	shown=$("$DTPROF" agent --times 1 --store clickhouse://127.0.0.1:1/none --spool spool -- -a -F 99 2>&1 | grep -A1 '^dtprof agent: 1 recordings' | tr -s '\n ' ' ')
	row "spool of a day without network" "$(cat spool/* | wc -c) bytes of 104857600, $(ls spool | wc -l) of 288 there ($shown)"
	rm -rf spool
}
filled() {
	has clickhouse-server "a day of batches" && mkdir -p data && start_server || return
	"$DTPROF" store init -q --store "$store"
	local begin=$SECONDS
	fill "$BATCHES" && row "a day of $hosts hosts" "$((hosts * BATCHES)) batches in $((SECONDS - begin)) s, beside the kills"
	stop_server
}
kills() {
	row "kill -9, agents" "$("$top/tests/bench/agent_kills.sh" "$KILLS" 2>&1 | tail -2 | tr '\n' ';')" &
	row "kill -9, a server" "$(cd "$top" && KILLS=$KILLS "$TEST_CLICKHOUSE" 2>&1 | grep -E 'a_kill_loses|PASSED|FAILED' | tail -2 | tr '\n' ' ') ($KILLS kills)" &
	row "kill -9, replicas" "$("$top/tests/bench/cluster.sh" "$KILLS" 2 2 2>&1 | tail -1) ($KILLS kills, two shards of two)" &
	has gcc spool && spool &
	filled
	wait
	[ ! -d data ] || answers
}
answers() { quietly time_answers; }
regress() { row "regress" "$(python3 "$top/tests/bench/fleet_regress.py" "$DTPROF" "$PWD")"; }

[ $# -gt 0 ] || set -- rate add sqlite overhead kills regress
for wanted in "$@"; do "$wanted"; done
