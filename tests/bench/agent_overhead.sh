#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Throughput of redis under load while dtprof agent records and without it, in pairs, and what the agent takes. By default it records
# a thirtieth of the time (10 s of 5 minutes); here it does so all through a run, so that the difference can be seen. Run it on a
# quiet machine.
#
#   agent_overhead.sh [PAIRS [SECONDS [FOLDER]]]     (15, 30 for each run); REDIS is redis-server, DTPROF is dtprof
#
# Needs redis-benchmark. With a FOLDER, pairs of earlier calls with it count, too. Prints each pair and the median of the differences
# with its confidence interval (of the sign test, about 95 %); then a round of the defaults: its processor time and the largest memory
# of the agent or of what it started; and the size of a spool while its server cannot be reached.
set -u

pairs=${1:-15} seconds=${2:-30}
redis=${REDIS:-redis-server} dtprof=$(realpath "${DTPROF:-build/dtprof}")
for program in "$redis" redis-benchmark python3; do
	command -v "$program" >/dev/null || { echo "agent_overhead: there is no $program" >&2; exit 77; }
done
redis=$(command -v "$redis")
folder=$(mktemp -d) || exit 1
kept=$(realpath "${3:-$folder}")
cd "$folder" || exit 1
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
"$redis" --port 0 --unixsocket "$folder/socket" --save "" >redis.log 2>&1 &
for _ in $(seq 100); do [ -S socket ] || sleep 0.1; done
[ -S socket ] || { cat redis.log; exit 1; }
# Prints the requests in a second, of a number of requests.
load() { redis-benchmark -s "$folder/socket" -q --csv -n "$1" -r 100000 -P 8 -t set 2>/dev/null | tail -1 | cut -d, -f2 | tr -d '"'; }
requests=$(awk -v r="$(load 200000)" -v s="$seconds" 'BEGIN { printf "%d", r * s }')
[ "$requests" -gt 0 ] || { echo "agent_overhead: redis-benchmark tells no rate" >&2; exit 1; }
for pair in $(seq "$pairs"); do
	rates=
	for run in $([ $((pair % 2)) = 1 ] && echo with without || echo without with); do
		if [ "$run" = with ]; then
			"$dtprof" agent -q --every 1h --for 1h --store s.db --spool spool -- -a -F 99 &
			agent=$!
			with=$(load "$requests")
			kill $agent
			wait $agent
		else
			without=$(load "$requests")
		fi
	done
	awk -v w="$with" -v o="$without" 'BEGIN { printf "%.0f %.0f %+.2f %%\n", o, w, 100 * (o - w) / o }' | tee -a "$kept/pairs"
done
python3 - "$kept" <<'END'
import math, sys
differences = sorted(float(line.split()[2]) for line in open(sys.argv[1] + "/pairs"))
count = len(differences)
rank, tail = 0, 0.5 ** count
while tail <= 0.025 and rank < count // 2:
    rank += 1
    tail += math.comb(count, rank) * 0.5 ** count
low, high = (differences[max(rank - 1, 0)], differences[count - max(rank, 1)])
print(f"throughput lost in {count} pairs: median {differences[count // 2]:+.2f} % ({low:+.2f} to {high:+.2f})")
print(f"at the defaults, a thirtieth of it: {differences[count // 2] / 30:+.3f} % ({low / 30:+.3f} to {high / 30:+.3f})")
END
rm -rf spool s.db*
python3 - "$dtprof" agent -q --times 1 --store s.db --spool spool -- -a -F 99 <<'END'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
print(f"a round of the defaults: {seconds:.2f} s of a processor, {seconds / 3:.2f} % of one in 5 minutes, {used.ru_maxrss / 1024:.0f} MB at most, status {status}")
END
"$dtprof" agent -q --every 0.3s --for 0.2s --times 30 --budget 100 --spool-limit 10M --store clickhouse://127.0.0.1:1/none --spool full -- -a -F 999 2>/dev/null
echo "spool: $(du -sb full | cut -f1) bytes of 10485760"
